// SPDX-License-Identifier: MIT OR Apache-2.0
// Port that a frame's destination wants: one of the group to which its address leads.
//
// Decision    forward_table gives a group of ports for the destination: the IPv4 host of an IPv4 packet (unless
//             match_mac_i), else the MAC address. Of the group, the port by the flow's hash, or another for
//             each frame: spray_choice, by route_i. No entry, or an entry without ports: no_entry_o.
// State       the table, the frames under way, and the memory of spray_choice.
// Latency     7 cycles, one frame a cycle: the key in 1, the table in 5 and the
//             hash in parallel, and the port in 1, by the hash or by spray_choice.
// Source      Zarifis et al., EuroSys 2014, section 3 (ECMP); RFC 2992.
// Deviations  frames that are not IPv4 hash by a part of their MAC address only, so those
//             to one address take one port by hash, and are one flow to spray_choice.

`default_nettype none

module wanted_port #(
  parameter NumPorts = 4,  // ports; 2 to 16
  parameter PortW    = 2,  // bits of a port number
  parameter IndexW   = 8,  // bits of an index of the forwarding table
  parameter LenW     = 11, // bits of a length in bytes
  parameter WordsW   = 12, // bits of a queue's length
  parameter Spray    = 1   // 1: with spray_choice; 0: by hash only
) (
  input  wire logic                clk_i,          // clock
  /* verilator lint_off UNUSEDSIGNAL */
  // By hash only, some inputs are unused.
  input  wire logic                rst_ni,         // reset, active low, synchronous
  // Frame.
  input  wire logic                ip_i,           // the frame is an IPv4 packet
  input  wire logic [47:0]         dmac_i,         // destination address of Ethernet
  input  wire logic [31:0]         src_i,          // IPv4 source
  input  wire logic [31:0]         dst_i,          // IPv4 destination
  input  wire logic [7:0]          proto_i,        // IPv4 protocol
  input  wire logic [31:0]         ports_i,        // source and destination port, or 0
  // 6 cycles later: its state so far.
  input  wire logic                routed6_i,      // the frame wants a port: it is sound, and has time to live
  input  wire logic                ack6_i,         // the frame keeps the port by the flow's hash, whatever route_i is
  input  wire logic [LenW-1:0]     len6_i,         // length of the frame in bytes
  input  wire logic [NumPorts*WordsW-1:0] depth_i, // frames in each queue now, port 0 lowest; with Spray 1
  // 7 cycles later.
  output logic                     no_entry_o,     // there is no route to the destination
  output logic      [NumPorts-1:0] want_o,         // port, one bit; 0 if there is no route
  output logic      [PortW-1:0]    want_port_o,    // the same port, as a number
  output logic      [15:0]         hash_o,         // hash of the flow
  // Settings.
  input  wire logic                match_mac_i,    // look up IPv4 packets by MAC address too
  input  wire logic [31:0]         salt_i,         // salt of the flow hash; stable while frames pass
  input  wire logic                route_we_i,     // clear the memory of spray_choice
  input  wire logic [31:0]         route_i,        // register ROUTE of rtl/switch.md; stable while frames pass
  input  wire logic                seed_we_i,      // load a new seed for the draws of spray_choice
  input  wire logic [31:0]         seed_i,         // the seed
  /* verilator lint_on UNUSEDSIGNAL */
  input  wire logic                table_we_i,     // write an entry of the forwarding table
  input  wire logic [IndexW:0]     table_at_i,     // place of the entry
  input  wire logic                table_used_i,   // the entry is used
  input  wire logic                table_ip_i,     // the entry's key is an IPv4 address
  input  wire logic [47:0]         table_addr_i,   // address of the entry
  input  wire logic [NumPorts-1:0] table_group_i   // ports of the entry
);

  // r1: the key, and the inputs of the hash.
  reg [47:0] addr_q;
  reg        by_ip_q;
  reg [31:0] src_q, dst_q, ports_q;
  reg [7:0]  proto_q;

  wire by_ip = ip_i && !match_mac_i;

  always_ff @(posedge clk_i) begin
    addr_q  <= by_ip ? {16'h0, dst_i} : dmac_i;
    by_ip_q <= by_ip;
    src_q   <= ip_i ? src_i : 32'h0;
    dst_q   <= ip_i ? dst_i : dmac_i[31:0];
    proto_q <= ip_i ? proto_i : 8'h0;
    ports_q <= ip_i ? ports_i : 32'h0;
  end

  // r2 to r6: table and hash, in parallel.
  wire                hit;
  wire [NumPorts-1:0] group;
  wire [15:0]         hash;
  /* verilator lint_off UNUSEDSIGNAL */
  wire [IndexW:0]     at;
  /* verilator lint_on UNUSEDSIGNAL */

  forward_table #(.NumPorts(NumPorts), .IndexW(IndexW)) i_table (
    .clk_i         (clk_i),
    .ip_i          (by_ip_q),
    .addr_i        (addr_q),
    .hit_o         (hit),
    .group_o       (group),
    .at_o          (at),
    .write_i       (table_we_i),
    .write_at_i    (table_at_i),
    .write_used_i  (table_used_i),
    .write_ip_i    (table_ip_i),
    .write_addr_i  (table_addr_i),
    .write_group_i (table_group_i)
  );

  flow_hash i_hash (
    .clk_i   (clk_i),
    .salt_i  (salt_i),
    .src_i   (src_q),
    .dst_i   (dst_q),
    .proto_i (proto_q),
    .ports_i (ports_q),
    .hash_o  (hash)
  );

  // r7: the port of the group by the hash, or another, is ready for the decision.
  // The place that the hash selects in a group of any size is known at r6.
  localparam PlacesW = (NumPorts + 1) * PortW;

  reg  [15:0]         hash6_q, hash7_q;
  reg  [PlacesW-1:0]  places6_q;
  wire [PlacesW-1:0]  places;
  wire                no_port;
  wire [NumPorts-1:0] hop, want6;
  wire [PortW-1:0]    hop_port, want_port6;

  scale_draw #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(16)) i_scale (.draw_i(hash), .places_o(places));

  pick_uniform #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(PlacesW), .Scaled(1)) i_hop (
    .set_i    (group),
    .draw_i   (places6_q),
    .none_o   (no_port),
    .onehot_o (hop),
    .port_o   (hop_port)
  );

  wire                no_entry6 = !hit || no_port;
  reg                 no_entry7_q;
  reg  [NumPorts-1:0] want7_q;
  reg  [PortW-1:0]    want_port7_q;

  always_ff @(posedge clk_i) begin
    no_entry7_q  <= no_entry6;
    want7_q      <= want6;
    want_port7_q <= want_port6;
    places6_q    <= places;
    hash6_q      <= hash;
    hash7_q      <= hash6_q;
  end

  generate
    if (Spray != 0) begin : g_spray
      spray_choice #(.NumPorts(NumPorts), .PortW(PortW), .AtW(IndexW + 1), .LenW(LenW), .DepthW(WordsW)) i_spray (
        .clk_i      (clk_i),
        .rst_ni     (rst_ni),
        .route_we_i (route_we_i),
        .route_i    (route_i),
        .seed_we_i  (seed_we_i),
        .seed_i     (seed_i),
        .valid_i    (routed6_i && !no_entry6),
        .ack_i      (ack6_i),
        .len_i      (len6_i),
        .hops_i     (group),
        .depth_i    (depth_i),
        .at_i       (at),
        .hash_i     (hash6_q),
        .hop_i      (hop),
        .hop_port_i (hop_port),
        .hop_o      (want6),
        .hop_port_o (want_port6)
      );
    end else begin : g_hash
      assign want6      = hop;
      assign want_port6 = hop_port;
    end
  endgenerate

  assign no_entry_o  = no_entry7_q;
  assign want_o      = want7_q;
  assign want_port_o = want_port7_q;
  assign hash_o      = hash7_q;

`ifdef FORMAL
  reg [1:0]          past_q = 2'b00;  // clock edges needed to fill r6 and r7
  reg [NumPorts-1:0] f_group7_q;
  reg                f_hit7_q;
  always_ff @(posedge clk_i) begin
    past_q     <= {past_q[0], 1'b1};
    f_group7_q <= group;
    f_hit7_q   <= hit;
  end
  always_comb begin
    if (past_q[1]) begin
      an_entry_with_ports_leads_somewhere: assert (no_entry_o == (!f_hit7_q || f_group7_q == 0));
      a_port_of_the_group:                 assert (no_entry_o || (want_o & ~f_group7_q) == 0);
      one_port_by_bit_and_number:          assert (no_entry_o || want_o == {{(NumPorts-1){1'b0}}, 1'b1} << want_port_o);
    end
  end
`endif

endmodule

`default_nettype wire
