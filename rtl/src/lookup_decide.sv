// SPDX-License-Identifier: MIT OR Apache-2.0
// From the header fields of a frame to its verdict: a pipeline of nine steps.
//
// Decision    none: wanted_port chooses the port the frame wants, frame_verdict decides
//             about the frame, checksum_update computes the checksum of the header as it
//             leaves. This cell passes each frame's fields from one to the next in step.
// State       frames under way, and that of its cells.
// Latency     9 cycles from the fields to the verdict, with detours and without. One frame a cycle.
// Source      Zarifis et al., EuroSys 2014, section 5.1.
// Deviations  a frame is detoured as often as its time to live allows; only IPv4 frames have one.
//
//   cycle  fields  r1     r2 ... r4   r5     r6     r7      r8    r9
//                  fields table,hash  group  want   decide  sums  verdict
//                                     ask           take
//
// ask_words_o belongs to the frame that decides two cycles later. The queues then
// answer it with fits_i and reach_i, which include the room taken by earlier frames.

`default_nettype none

module lookup_decide #(
  parameter NumPorts = 4,   // ports; 2 to 16
  parameter PortW    = 2,   // bits of a port number
  parameter PathW    = 64,  // bits of a word; 64 to 512
  parameter LenW     = 11,  // bits of a length in bytes
  parameter WordsW   = 12,  // bits of a queue's length in words
  parameter IndexW   = 8,   // bits of an index of the forwarding table
  parameter DrawW    = 32,  // bits of a draw
  parameter Dibs     = 1,   // 1: detours by detour_pick; 2: by detour_first_open; 3: as selected by buffer_i; 0: none
  parameter Spray    = 1,   // 1: route_i selects how a port of a group is chosen; 0: by hash, for comparison
  parameter Tags     = 0    // 1: a rank goes with each frame
) (
  input  wire logic                clk_i,          // clock
  input  wire logic                rst_ni,         // reset, active low, synchronous
  // Fields of a frame, from header_parse.
  input  wire logic                head_i,         // a new frame is there
  input  wire logic [LenW-1:0]     len_i,          // length of the frame in bytes
  input  wire logic [PortW-1:0]    port_i,         // ingress port
  input  wire logic [47:0]         dmac_i,         // destination address of Ethernet
  input  wire logic                ip_i,           // the frame is a sound IPv4 packet
  input  wire logic                malformed_i,    // the EtherType is IPv4, but the packet is not sound
  input  wire logic [1:0]          ecn_i,          // the ECN field
  input  wire logic [5:0]          dscp_i,         // the class of service
  input  wire logic [7:0]          ttl_i,          // time to live
  input  wire logic [15:0]         checksum_i,     // checksum of the IPv4 header
  input  wire logic [31:0]         src_i,          // IPv4 source
  input  wire logic [31:0]         dst_i,          // IPv4 destination
  input  wire logic [7:0]          proto_i,        // IPv4 protocol
  input  wire logic [15:0]         total_i,        // bytes of the IPv4 packet
  input  wire logic [31:0]         ports_i,        // source and destination port, or 0
  /* verilator lint_off UNUSEDSIGNAL */
  input  wire logic                inner_i,        // with Tags 1: the IPv4 header is at byte 21
  input  wire logic [31:0]         rank_i,         // with Tags 1: rank of the frame
  /* verilator lint_on UNUSEDSIGNAL */
  // Verdict, 9 cycles later.
  output logic                     verdict_o,      // a verdict is there
  output logic                     drop_o,         // the frame is dropped
  output logic                     frame_ip_o,     // the frame is an IPv4 packet
  output logic                     frame_mark_o,   // the ECN field becomes 3
  output logic      [NumPorts-1:0] dest_o,         // queue of the frame, one bit
  output logic      [15:0]         checksum_o,     // checksum of the header as it leaves
  output logic      [LenW-1:0]     len_o,          // length of the frame in bytes
  output logic                     inner_o,        // with Tags 1, as the next three: the IPv4 header is at byte 21
  output logic      [31:0]         rank_o,         // rank of the frame
  output logic                     able_o,         // the frame is ECN-capable and not marked
  output logic      [15:0]         marked_sum_o,   // checksum_o with a mark
  // Queues.
  output logic      [WordsW-1:0]   ask_words_o,    // words of the frame that decides two cycles later
  input  wire logic [NumPorts-1:0] fits_i,         // bit p: the frame that decides now fits in queue p
  input  wire logic [NumPorts-1:0] reach_i,        // bit p: queue p is long enough to mark
  input  wire logic [NumPorts*WordsW-1:0] depth_i, // frames in each queue now, port 0 lowest
  output logic      [NumPorts-1:0] take_o,         // bit p: the frame takes room in queue p
  // Settings; stable while frames pass, except those of the table and the seed.
  input  wire logic [NumPorts-1:0] to_switch_i,    // bit p: another switch hangs off port p
  input  wire logic                go_back_i,      // a frame may be detoured to its ingress port
  input  wire logic [31:0]         buffer_i,       // register BUFFER: policy for frames that do not fit
  input  wire logic [31:0]         early_i,        // register EARLY: depth from which frames that fit are detoured
  input  wire logic                match_mac_i,    // look up IPv4 packets by MAC address too
  input  wire logic [31:0]         salt_i,         // salt of the flow hash
  input  wire logic                route_we_i,     // clear the memory of the route
  input  wire logic [31:0]         route_i,        // register ROUTE: choice of a port of a group
  input  wire logic                seed_we_i,      // load a new seed for the draws
  input  wire logic [31:0]         seed_i,         // the seed
  input  wire logic                table_we_i,     // write an entry of the forwarding table
  input  wire logic [IndexW:0]     table_at_i,     // place of the entry
  input  wire logic                table_used_i,   // the entry is used
  input  wire logic                table_ip_i,     // the entry's key is an IPv4 address
  input  wire logic [47:0]         table_addr_i,   // address of the entry
  input  wire logic [NumPorts-1:0] table_group_i,  // ports of the entry
  // Counts: one frame each, on the bit of the named port.
  output logic      [NumPorts-1:0] malformed_o,    // drops, by ingress port
  output logic      [NumPorts-1:0] ttl_o,          // drops, by ingress port
  output logic      [NumPorts-1:0] no_entry_o,     // drops, by ingress port
  output logic      [NumPorts-1:0] full_o,         // drops, by wanted port
  output logic      [NumPorts-1:0] detour_from_o,  // detours, by wanted port
  output logic      [NumPorts-1:0] detour_to_o,    // detours, by the port chosen
  output logic      [NumPorts-1:0] mark_o          // marks, by the port chosen
);

  localparam Bytes = PathW / 8;
  localparam ByteW = $clog2(Bytes);

  // r1 to r7: the wanted port.
  wire                no_entry7;
  wire [NumPorts-1:0] want7;
  wire [PortW-1:0]    want_port7;
  /* verilator lint_off UNUSEDSIGNAL */
  wire [15:0]         hash7;  // used by Dibs 3 only
  /* verilator lint_on UNUSEDSIGNAL */
  wire                routed6, ack6;
  wire [LenW-1:0]     len6;

  wanted_port #(.NumPorts(NumPorts), .PortW(PortW), .IndexW(IndexW), .LenW(LenW), .WordsW(WordsW), .Spray(Spray)) i_wanted (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .ip_i          (ip_i),
    .dmac_i        (dmac_i),
    .src_i         (src_i),
    .dst_i         (dst_i),
    .proto_i       (proto_i),
    .ports_i       (ports_i),
    .routed6_i     (routed6),
    .ack6_i        (ack6),
    .len6_i        (len6),
    .depth_i       (depth_i),
    .no_entry_o    (no_entry7),
    .want_o        (want7),
    .want_port_o   (want_port7),
    .hash_o        (hash7),
    .match_mac_i   (match_mac_i),
    .salt_i        (salt_i),
    .route_we_i    (route_we_i),
    .route_i       (route_i),
    .seed_we_i     (seed_we_i),
    .seed_i        (seed_i),
    .table_we_i    (table_we_i),
    .table_at_i    (table_at_i),
    .table_used_i  (table_used_i),
    .table_ip_i    (table_ip_i),
    .table_addr_i  (table_addr_i),
    .table_group_i (table_group_i)
  );

  // r1 to r9: in parallel, the fields that later steps need.
  reg                valid_q     [1:9];
  reg                malformed_q [1:7];
  reg                ttl_q       [1:7];   // the time to live ends here
  reg                ip_q        [1:9];
  reg                ack_q       [1:6];   // a TCP packet so short that it takes the flow's port
  reg [1:0]          ecn_q       [1:8];
  reg [5:0]          dscp_q      [1:7];
  reg [15:0]         checksum_q  [1:8];
  reg [LenW-1:0]     len_q       [1:9];
  reg [NumPorts-1:0] ingress_q   [1:7];   // ingress port, one bit
  reg [WordsW-1:0]   words5_q;
  reg [NumPorts-1:0] allowed7_q;          // ports to which a detour is allowed

  /* verilator lint_off UNUSEDSIGNAL */
  wire [LenW:0] rounded = {1'b0, len_q[4]} + Bytes[LenW:0] - 1'b1;
  /* verilator lint_on UNUSEDSIGNAL */

  // A frame that is not IPv4 has no time to live. One that came from a switch may have been detoured there.
  wire plain6 = !ip_q[6];
  wire spent6 = plain6 && (buffer_i[5] || (buffer_i[4] && (ingress_q[6] & to_switch_i) != {NumPorts{1'b0}}));

  integer r;
  always_ff @(posedge clk_i) begin
    malformed_q[1] <= malformed_i;
    ttl_q[1]       <= ip_i && ttl_i <= 8'd1;
    ip_q[1]        <= ip_i;
    ack_q[1]       <= ip_i && proto_i == 8'd6 && total_i <= {8'h0, route_i[15:8]};
    ecn_q[1]       <= ecn_i;
    dscp_q[1]      <= ip_i ? dscp_i : 6'd0;
    checksum_q[1]  <= checksum_i;
    len_q[1]       <= len_i;
    ingress_q[1]   <= {{(NumPorts-1){1'b0}}, 1'b1} << port_i;
    for (r = 2; r <= 7; r = r + 1) begin
      malformed_q[r] <= malformed_q[r-1];
      ttl_q[r]       <= ttl_q[r-1];
      dscp_q[r]      <= dscp_q[r-1];
      ingress_q[r]   <= ingress_q[r-1];
    end
    for (r = 2; r <= 6; r = r + 1) ack_q[r] <= ack_q[r-1];
    for (r = 2; r <= 8; r = r + 1) begin
      ecn_q[r]      <= ecn_q[r-1];
      checksum_q[r] <= checksum_q[r-1];
    end
    for (r = 2; r <= 9; r = r + 1) begin
      ip_q[r]  <= ip_q[r-1];
      len_q[r] <= len_q[r-1];
    end
    words5_q   <= {{(WordsW+ByteW-LenW-1){1'b0}}, rounded[LenW:ByteW]};
    allowed7_q <= spent6 ? {NumPorts{1'b0}} : go_back_i ? to_switch_i : to_switch_i & ~ingress_q[6];
  end

  integer v;
  always_ff @(posedge clk_i) begin
    for (v = 1; v <= 9; v = v + 1) begin
      if (!rst_ni)     valid_q[v] <= 1'b0;
      else if (v == 1) valid_q[v] <= head_i;
      else             valid_q[v] <= valid_q[v-1];
    end
  end

  assign ask_words_o = words5_q;

  // Inputs of the cells below. Yosys cannot connect a cell's port to one register of an array.
  assign              routed6    = valid_q[6] && !malformed_q[6] && !ttl_q[6];
  assign              ack6       = ack_q[6];
  assign              len6       = len_q[6];
  wire                valid7     = valid_q[7];
  wire                malformed7 = malformed_q[7];
  wire                ttl7       = ttl_q[7];
  wire                ip7        = ip_q[7];
  wire [1:0]          ecn7       = ecn_q[7];
  wire [5:0]          dscp7      = dscp_q[7];
  wire [NumPorts-1:0] ingress7   = ingress_q[7];
  wire [15:0]         checksum8  = checksum_q[8];
  wire [1:0]          ecn8       = ecn_q[8];

  // r7: the decision. It takes this cycle with detours or without.
  wire                drop8, mark8;
  wire [NumPorts-1:0] dest8;

  frame_verdict #(.NumPorts(NumPorts), .PortW(PortW), .WordsW(WordsW), .DrawW(DrawW), .Dibs(Dibs)) i_verdict (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .seed_we_i     (seed_we_i),
    .seed_i        (seed_i),
    .valid_i       (valid7),
    .malformed_i   (malformed7),
    .ttl_i         (ttl7),
    .no_entry_i    (no_entry7),
    .ip_i          (ip7),
    .ecn_i         (ecn7),
    .ingress_i     (ingress7),
    .want_i        (want7),
    .want_port_i   (want_port7),
    .allowed_i     (allowed7_q),
    .fits_i        (fits_i),
    .reach_i       (reach_i),
    .depth_i       (depth_i),
    .rank_i        (dscp7),
    .hash_i        (hash7[11:0]),
    .buffer_i      (buffer_i),
    .early_i       (early_i),
    .take_o        (take_o),
    .drop_o        (drop8),
    .mark_o        (mark8),
    .dest_o        (dest8),
    .malformed_o   (malformed_o),
    .ttl_o         (ttl_o),
    .no_entry_o    (no_entry_o),
    .full_o        (full_o),
    .detour_from_o (detour_from_o),
    .detour_to_o   (detour_to_o),
    .marked_o      (mark_o)
  );

  // r8 to r9: the checksum.
  wire [15:0]        checksum9;
  reg                drop9_q, mark9_q;
  reg [NumPorts-1:0] dest9_q;

  checksum_update i_checksum (
    .clk_i      (clk_i),
    .checksum_i (checksum8),
    .ecn_i      (ecn8),
    .mark_i     (mark8),
    .checksum_o (checksum9)
  );

  always_ff @(posedge clk_i) begin
    drop9_q <= drop8;
    mark9_q <= mark8;
    dest9_q <= dest8;
  end

  generate
    if (Tags != 0) begin : g_tags
      reg [32:0] tag_q  [1:9];  // place of the header, and the rank
      reg        able9_q;
      integer    t;
      always_ff @(posedge clk_i) begin
        tag_q[1] <= {inner_i, rank_i};
        for (t = 2; t <= 9; t = t + 1) tag_q[t] <= tag_q[t-1];
        able9_q <= ip_q[8] && ecn8 != 2'b00 && ecn8 != 2'b11 && !mark8;
      end

      checksum_update i_marked_sum (
        .clk_i      (clk_i),
        .checksum_i (checksum8),
        .ecn_i      (ecn8),
        .mark_i     (1'b1),
        .checksum_o (marked_sum_o)
      );

      assign {inner_o, rank_o} = tag_q[9];
      assign able_o            = able9_q;
    end else begin : g_no_tags
      assign {inner_o, rank_o, able_o, marked_sum_o} = 50'h0;
    end
  endgenerate

  assign verdict_o    = valid_q[9];
  assign drop_o       = drop9_q;
  assign frame_ip_o   = ip_q[9];
  assign frame_mark_o = mark9_q;
  assign dest_o       = dest9_q;
  assign checksum_o   = checksum9;
  assign len_o        = len_q[9];

endmodule

`default_nettype wire
