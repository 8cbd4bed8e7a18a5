// SPDX-License-Identifier: MIT OR Apache-2.0
// Spraying: chooses another port of a frame's group than its flow's hash does, by register ROUTE.
//
// Decision    the route is {route_i[7], route_i[1:0]}. 0, or ack_i: hop_i, the port by the hash. 1: a random
//             port of the group. 2: spray_counter. 3: spray_rr, whose place is the flow's hash, the entry of
//             the forwarding table, or one for the switch. 4: shorter_of_two by the frames in the queues.
// State       that of its cells, and two draws for each frame. route_we_i resets all of it except the draws.
// Latency     none: combinational, from registers to registers. One frame a cycle.
// Source      Dixit et al., Purdue TR 2011 (PLTS), section III-A; Abdous et al., CoNEXT 2021 (Vertigo), section 3.2.
// Deviations  frames that keep the flow's port are recognised by the size of the packet, which header_parse knows, and not by
//             an acknowledgement's lack of payload, for which it would have to read 9 bytes more. Entries of the table are
//             hosts, so there is no place for a prefix. Bytes are those of the frame without FCS. Queue lengths are those of
//             depth_i now: a frame decided in the cycle before, or deciding in parallel with this one, is not included.

`default_nettype none

module spray_choice #(
  parameter NumPorts = 4,   // ports; 2 to 16
  parameter PortW    = 2,   // bits of a port number
  parameter AtW      = 9,   // bits of the place of an entry in the forwarding table; at most 16
  parameter LenW     = 11,  // bits of a length in bytes
  parameter DepthW   = 12,  // bits of a queue's depth
  parameter PlaceW   = 6    // 2^PlaceW pointers of spray_rr
) (
  input  wire logic                clk_i,       // clock
  input  wire logic                rst_ni,      // reset, active low, synchronous
  // Settings.
  input  wire logic                route_we_i,  // clear the memory of the route
  input  wire logic [31:0]         route_i,     // register ROUTE of rtl/switch.md; stable while frames pass
  input  wire logic                seed_we_i,   // load a new seed for the draws
  input  wire logic [31:0]         seed_i,      // the seed
  // Frame.
  input  wire logic                valid_i,     // a frame is there, and it has a hop
  input  wire logic                ack_i,       // the frame keeps its flow's port
  input  wire logic [LenW-1:0]     len_i,       // length of the frame in bytes
  input  wire logic [NumPorts-1:0] hops_i,      // group of the frame
  input  wire logic [NumPorts*DepthW-1:0] depth_i, // frames in each queue now, port 0 lowest
  input  wire logic [AtW-1:0]      at_i,        // place of the frame's entry
  input  wire logic [15:0]         hash_i,      // the hash of its flow
  input  wire logic [NumPorts-1:0] hop_i,       // port chosen by the hash, one bit
  input  wire logic [PortW-1:0]    hop_port_i,  // the same port, as a number
  output logic      [NumPorts-1:0] hop_o,       // port chosen, one bit
  output logic      [PortW-1:0]    hop_port_o   // the same port, as a number
);

  localparam [2:0] Hash = 3'd0, Random = 3'd1, Counter = 3'd2, Robin = 3'd3;
  localparam [1:0] PerFlow = 2'd0, PerEntry = 2'd1;
  localparam CountW   = 20;         // a limit of 1 MB
  localparam Limit    = 1_000_000;
  localparam Overhead = 24;         // bytes of link time besides a frame: FCS, preamble, gap
  localparam SetW     = NumPorts < 8 ? NumPorts : 8;

  // Parts of ROUTE.
  wire [2:0] route      = {route_i[7], route_i[1:0]};
  wire [1:0] ties       = route_i[3:2];
  wire [1:0] per        = route_i[5:4];
  wire       first      = route_i[6];
  wire [7:0] burst_less = route_i[23:16];
  wire [7:0] rounds     = route_i[31:24];
  /* verilator lint_off UNUSEDSIGNAL */
  wire [7:0] elsewhere  = route_i[15:8];  // used where the packet is parsed
  /* verilator lint_on UNUSEDSIGNAL */

  wire sprayed = valid_i && !ack_i && route != Hash;

  // A draw for each. Detours draw from the seed itself: these draws must differ.
  wire [31:0] draw;
  lfsr #(.Seed(32'ha112_fffe)) i_draw (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .seed_we_i (seed_we_i),
    .seed_i    (~seed_i),
    .step_i    (sprayed),
    .draw_o    (draw)
  );

  // A second draw, for the second choice.
  wire [31:0] draw_2;
  lfsr #(.Seed(32'ha112_0002)) i_draw_2 (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .seed_we_i (seed_we_i),
    .seed_i    ({~seed_i[15:0], seed_i[31:16]}),
    .step_i    (sprayed),
    .draw_o    (draw_2)
  );

  wire [NumPorts-1:0] by_draw, by_count, by_turn, by_queue;
  wire [PortW-1:0]    by_draw_port, by_count_port, by_turn_port, by_queue_port;

  /* verilator lint_off PINCONNECTEMPTY */
  pick_uniform #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(32)) i_random (
    .set_i    (hops_i),
    .draw_i   (draw),
    .none_o   (),
    .onehot_o (by_draw),
    .port_o   (by_draw_port)
  );

  // Sets of up to 8 ports are their own numbers. Larger sets share a turn if they fold to the same number.
  wire [SetW-1:0] set;
  generate
    if (NumPorts > 8) begin : g_fold
      wire [15:0] wide = {{(16-NumPorts){1'b0}}, hops_i};
      assign set = wide[15:8] ^ wide[7:0];
    end else begin : g_whole
      assign set = hops_i;
    end
  endgenerate

  spray_counter #(
    .NumPorts(NumPorts), .PortW(PortW), .CountW(CountW), .BytesW(LenW + 1), .SetW(SetW), .DrawW(32)
  ) i_counter (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .clear_i  (route_we_i),
    .queued_i (1'b0),
    .ties_i   (ties),
    .limit_i  (Limit[CountW-1:0]),
    .step_i   (sprayed && route == Counter),
    .hops_i   (hops_i),
    .set_i    (set),
    .bytes_i  ({1'b0, len_i} + Overhead[LenW:0]),
    .depth_i  ({(NumPorts*CountW){1'b0}}),
    .draw_i   (draw),
    .none_o   (),
    .onehot_o (by_count),
    .port_o   (by_count_port)
  );

  // The low bits of a flow's hash select its place; the high bits select its port, and where its place begins.
  /* verilator lint_off UNUSEDSIGNAL */
  wire [15:0] at = {{(16-AtW){1'b0}}, at_i};  // entries with equal lowest bits share a place
  /* verilator lint_on UNUSEDSIGNAL */

  spray_rr #(
    .NumPorts(NumPorts), .PortW(PortW), .PlaceW(PlaceW), .BurstW(9), .RoundW(8), .BeginW(16), .DrawW(32)
  ) i_rr (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .clear_i  (route_we_i),
    .first_i  (first),
    .burst_i  ({1'b0, burst_less} + 9'd1),
    .rounds_i (rounds),
    .step_i   (sprayed && route == Robin),
    .hops_i   (hops_i),
    .place_i  (per == PerFlow ? hash_i[PlaceW-1:0] : per == PerEntry ? at[PlaceW-1:0] : {PlaceW{1'b0}}),
    .begin_i  (hash_i),
    .draw_i   (draw),
    .none_o   (),
    .onehot_o (by_turn),
    .port_o   (by_turn_port),
    .drawn_o  ()
  );

  shorter_of_two #(.NumPorts(NumPorts), .PortW(PortW), .DepthW(DepthW), .DrawW(32)) i_two (
    .set_i    (hops_i),
    .depth_i  (depth_i),
    .draw_1_i (draw),
    .draw_2_i (draw_2),
    .none_o   (),
    .onehot_o (by_queue),
    .port_o   (by_queue_port)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  always_comb begin
    case (ack_i ? Hash : route)
      Hash:    {hop_o, hop_port_o} = {hop_i, hop_port_i};
      Random:  {hop_o, hop_port_o} = {by_draw, by_draw_port};
      Counter: {hop_o, hop_port_o} = {by_count, by_count_port};
      Robin:   {hop_o, hop_port_o} = {by_turn, by_turn_port};
      default: {hop_o, hop_port_o} = {by_queue, by_queue_port};
    endcase
  end

`ifdef FORMAL
  always_comb begin
    // Property that wanted_port guarantees: the port by the hash is one of the group, by bit and by number.
    assume (!valid_i || ((hop_i & ~hops_i) == 0 && hop_port_i < NumPorts && hop_i == {{(NumPorts-1){1'b0}}, 1'b1} << hop_port_i));
    if (valid_i) begin
      a_hop_of_the_group:      assert (hop_o != 0 && (hop_o & ~hops_i) == 0);
      one_hop_bit_and_number:  assert (hop_o == {{(NumPorts-1){1'b0}}, 1'b1} << hop_port_o);
      the_flows_where_asked:   assert (hop_o == hop_i || (route != Hash && !ack_i));
    end
  end
`endif

endmodule

`default_nettype wire
