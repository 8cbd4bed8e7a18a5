// Which queue a frame joins, and what changes in it: route, detour, mark, time to live.
//
// Decision    none of its own: header_parse reads the header, wanted_port says where the frame wants to
//             go, frame_verdict what becomes of it, checksum_update and frame_rewrite change it. Here
//             each frame's fields go from one to the other in step.
// State       the frames under way; the draw.
// Latency     from a frame's first word to the same word at the output, without stalls:
//             ceil(38 / bytes of a word) + 11 cycles, with detours and without. One word a cycle.
// Source      Zarifis et al., EuroSys 2014, section 5.1: NetFPGA's output port lookup, given a bitmap
//             of the queues with room.
// Deviations  the paper's bitmap says "not full"; fits_i says "this very frame fits".
//             A frame is detoured as often as its time to live allows; IPv4 frames alone have one.
//
// The queues promise room in the cycle of the decision (take_o), long before the words arrive, so
// that the words are never stalled by them and no frame is ever stored in part.
//
//   cycle  head  r1     r2 ... r4   r5     r6     r7      r8    r9
//          parse fields table,hash  group  want   decide  sums  verdict
//                                   ask           take
//
// ask_words_o belongs to the frame that decides two cycles later. The queues answer it with fits_i
// and reach_i then, and count in what the frames before it have taken.

`default_nettype none

module output_port_lookup #(
  parameter NumPorts = 4,   // ports; 2 to 16
  parameter PortW    = 2,   // bits of a port number
  parameter PathW    = 64,  // bits of a word; 64 to 512
  parameter LenW     = 11,  // bits of a length in bytes
  parameter WordsW   = 12,  // bits of a queue's length in words
  parameter IndexW   = 8,   // of the forwarding table
  parameter DrawW    = 32,  // bits of a draw
  parameter Dibs     = 1,   // 1: detours by detour_pick; 2: by detour_first_open; 0: none, for comparison
  parameter Spray    = 1    // 1: route_i chooses how a port of a group is taken; 0: by hash, for comparison
) (
  input  wire logic                clk_i,          // clock
  input  wire logic                rst_ni,         // reset, active low, synchronous
  // Frames in.
  input  wire logic [PathW-1:0]    s_tdata_i,      // AXI4-Stream in: a word, the first byte lowest
  input  wire logic                s_tlast_i,      // the last of a frame
  input  wire logic [LenW-1:0]     s_tlen_i,       // bytes of the frame, on all of its words
  input  wire logic [PortW-1:0]    s_tport_i,      // port it came in by, on all of its words
  input  wire logic                s_tvalid_i,     // a word is offered
  output logic                     s_tready_o,     // and taken
  // Frames out. Dropped ones are missing.
  output logic      [PathW-1:0]    m_tdata_o,      // AXI4-Stream out: a word
  output logic                     m_tlast_o,      // the last of a frame
  output logic      [LenW-1:0]     m_tlen_o,       // bytes of the frame, on all of its words
  output logic      [NumPorts-1:0] m_tdest_o,      // its queue, one bit, on all of its words
  output logic                     m_tvalid_o,     // a word is offered
  input  wire logic                m_tready_i,     // and taken
  // The queues.
  output logic      [WordsW-1:0]   ask_words_o,    // words of the frame that decides two cycles later
  input  wire logic [NumPorts-1:0] fits_i,         // bit p: the frame that decides now fits in queue p
  input  wire logic [NumPorts-1:0] reach_i,        // bit p: queue p is so long that it marks
  output logic      [NumPorts-1:0] take_o,         // bit p: it takes the room in queue p
  // Settings; still while frames pass, but for those of the table and the seed.
  input  wire logic [NumPorts-1:0] to_switch_i,    // bit p: another switch hangs off port p
  input  wire logic                go_back_i,      // a frame may be detoured to the port it came in by
  input  wire logic                match_mac_i,    // look IPv4 packets up by MAC address too
  input  wire logic [31:0]         salt_i,         // of the flow hash
  input  wire logic                route_we_i,     // forget what the route remembers
  input  wire logic [31:0]         route_i,        // register ROUTE: how a port of a group is taken
  input  wire logic                seed_we_i,      // take a new seed for the draws
  input  wire logic [31:0]         seed_i,         // the seed
  input  wire logic                table_we_i,     // write an entry of the forwarding table
  input  wire logic [IndexW:0]     table_at_i,     // its place
  input  wire logic                table_used_i,   // it counts
  input  wire logic                table_ip_i,     // its key is an IPv4 address
  input  wire logic [47:0]         table_addr_i,   // its address
  input  wire logic [NumPorts-1:0] table_group_i,  // its ports
  // Counts: one frame each, on the bit of the port named.
  output logic      [NumPorts-1:0] malformed_o,    // dropped: by the port it came in
  output logic      [NumPorts-1:0] ttl_o,          // dropped: by the port it came in
  output logic      [NumPorts-1:0] no_entry_o,     // dropped: by the port it came in
  output logic      [NumPorts-1:0] full_o,         // dropped: by the port it wanted
  output logic      [NumPorts-1:0] detour_from_o,  // detoured: by the port it wanted
  output logic      [NumPorts-1:0] detour_to_o,    // detoured: by the port it goes to
  output logic      [NumPorts-1:0] mark_o          // marked: by the port it goes to
);

  localparam Bytes = PathW / 8;
  localparam ByteW = $clog2(Bytes);

  // head: fields of a new frame.
  wire             fire = s_tvalid_i && s_tready_o;
  wire             head, malformed, ip;
  wire [LenW-1:0]  len;
  wire [PortW-1:0] port;
  wire [47:0]      dmac;
  wire [1:0]       ecn;
  wire [7:0]       ttl, proto;
  wire [15:0]      checksum, total;
  wire [31:0]      src, dst, ports;

  header_parse #(.PortW(PortW), .PathW(PathW), .LenW(LenW)) i_parse (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .fire_i      (fire),
    .data_i      (s_tdata_i),
    .last_i      (s_tlast_i),
    .len_i       (s_tlen_i),
    .port_i      (s_tport_i),
    .head_o      (head),
    .len_o       (len),
    .port_o      (port),
    .dmac_o      (dmac),
    .ip_o        (ip),
    .malformed_o (malformed),
    .ecn_o       (ecn),
    .ttl_o       (ttl),
    .checksum_o  (checksum),
    .src_o       (src),
    .dst_o       (dst),
    .proto_o     (proto),
    .total_o     (total),
    .ports_o     (ports)
  );

  // r1 to r7: the port it wants.
  wire                no_entry7;
  wire [NumPorts-1:0] want7;
  wire [PortW-1:0]    want_port7;
  wire                routed6, ack6;
  wire [LenW-1:0]     len6;

  wanted_port #(.NumPorts(NumPorts), .PortW(PortW), .IndexW(IndexW), .LenW(LenW), .Spray(Spray)) i_wanted (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .ip_i          (ip),
    .dmac_i        (dmac),
    .src_i         (src),
    .dst_i         (dst),
    .proto_i       (proto),
    .ports_i       (ports),
    .routed6_i     (routed6),
    .ack6_i        (ack6),
    .len6_i        (len6),
    .no_entry_o    (no_entry7),
    .want_o        (want7),
    .want_port_o   (want_port7),
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

  // r1 to r9: beside it, what the steps after it need of the frame.
  reg                valid_q     [1:9];
  reg                malformed_q [1:7];
  reg                ttl_q       [1:7];   // the time to live ends here
  reg                ip_q        [1:9];
  reg                ack_q       [1:6];   // a TCP packet so short that it takes the flow's port
  reg [1:0]          ecn_q       [1:8];
  reg [15:0]         checksum_q  [1:8];
  reg [LenW-1:0]     len_q       [1:9];
  reg [NumPorts-1:0] ingress_q   [1:7];   // port it came in by, one bit
  reg [WordsW-1:0]   words5_q;
  reg [NumPorts-1:0] allowed7_q;          // where it may be detoured to

  wire [LenW:0] rounded = {1'b0, len_q[4]} + Bytes[LenW:0] - 1'b1;

  integer r;
  always_ff @(posedge clk_i) begin
    malformed_q[1] <= malformed;
    ttl_q[1]       <= ip && ttl <= 8'd1;
    ip_q[1]        <= ip;
    ack_q[1]       <= ip && proto == 8'd6 && total <= {8'h0, route_i[15:8]};
    ecn_q[1]       <= ecn;
    checksum_q[1]  <= checksum;
    len_q[1]       <= len;
    ingress_q[1]   <= {{(NumPorts-1){1'b0}}, 1'b1} << port;
    for (r = 2; r <= 7; r = r + 1) begin
      malformed_q[r] <= malformed_q[r-1];
      ttl_q[r]       <= ttl_q[r-1];
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
    allowed7_q <= go_back_i ? to_switch_i : to_switch_i & ~ingress_q[6];
  end

  integer v;
  always_ff @(posedge clk_i) begin
    for (v = 1; v <= 9; v = v + 1) begin
      if (!rst_ni)     valid_q[v] <= 1'b0;
      else if (v == 1) valid_q[v] <= head;
      else             valid_q[v] <= valid_q[v-1];
    end
  end

  assign ask_words_o = words5_q;

  // What the cells below take of it. Yosys cannot join a cell's port to one register of an array.
  assign              routed6    = valid_q[6] && !malformed_q[6] && !ttl_q[6];
  assign              ack6       = ack_q[6];
  assign              len6       = len_q[6];
  wire                valid7     = valid_q[7];
  wire                malformed7 = malformed_q[7];
  wire                ttl7       = ttl_q[7];
  wire                ip7        = ip_q[7];
  wire [1:0]          ecn7       = ecn_q[7];
  wire [NumPorts-1:0] ingress7   = ingress_q[7];
  wire [15:0]         checksum8  = checksum_q[8];
  wire [1:0]          ecn8       = ecn_q[8];
  wire                valid9     = valid_q[9];
  wire                ip9        = ip_q[9];
  wire [LenW-1:0]     len9       = len_q[9];

  // r7: the decision. With detours or without, it takes this cycle.
  wire                drop8, mark8;
  wire [NumPorts-1:0] dest8;

  frame_verdict #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(DrawW), .Dibs(Dibs)) i_verdict (
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

  // The words of all frames, from the first to the verdict and out.
  frame_rewrite #(.NumPorts(NumPorts), .PathW(PathW), .LenW(LenW)) i_rewrite (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .s_tdata_i  (s_tdata_i),
    .s_tlast_i  (s_tlast_i),
    .s_tvalid_i (s_tvalid_i),
    .s_tready_o (s_tready_o),
    .verdict_i  (valid9),
    .drop_i     (drop9_q),
    .ip_i       (ip9),
    .mark_i     (mark9_q),
    .dest_i     (dest9_q),
    .checksum_i (checksum9),
    .len_i      (len9),
    .m_tdata_o  (m_tdata_o),
    .m_tlast_o  (m_tlast_o),
    .m_tlen_o   (m_tlen_o),
    .m_tdest_o  (m_tdest_o),
    .m_tvalid_o (m_tvalid_o),
    .m_tready_i (m_tready_i)
  );

`ifdef FORMAL
  // Every word in carries the number of its frame in byte 3 and its own place in it in byte 2, where
  // nothing is rewritten. One frame, f_n, is watched: what the decision said of it, and what came out.
  reg past_q = 1'b0;
  always_ff @(posedge clk_i) past_q <= 1'b1;

  (* anyconst *) wire [7:0] f_n;
  reg [7:0] f_frame, f_place;              // of the word that is offered
  reg [7:0] f_decided;                     // frames decided
  reg       f_known, f_kept;               // the watched one is decided, and was kept
  reg [NumPorts-1:0] f_choice;             // to this queue
  reg       f_came;                        // it has begun to come out
  reg [7:0] f_out_frame, f_out_place;      // the last word that came out
  reg       f_out_any, f_out_last;         // there was one, and it was the last of its frame
  wire [7:0] f_now = m_tdata_o[31:24];

  always_comb begin
    if (!past_q) assume (!rst_ni);
    if (s_tvalid_i) assume (s_tdata_i[31:16] == {f_frame, f_place});
    if (f_place == 8'd7) assume (s_tlast_i);
    // For the solver's sake: no other bytes than those that are looked at or changed.
    assume (s_tdata_i[15:0] == 16'h0);
    if (PathW > 64) assume (s_tdata_i[PathW-1:26*8] == 0 && s_tdata_i[95:64] == 0 && s_tdata_i[175:128] == 0);
    assume (f_frame < 8'd200);
    if (past_q) begin
      room_is_taken_once:   assert ((take_o & (take_o - 1'b1)) == 0);
      room_is_taken_where_the_frame_fits: assert ((take_o & ~fits_i) == 0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (past_q && $past(rst_ni && s_tvalid_i && !s_tready_o)) begin
      assume (s_tvalid_i && s_tdata_i == $past(s_tdata_i) && s_tlast_i == $past(s_tlast_i)
              && s_tlen_i == $past(s_tlen_i) && s_tport_i == $past(s_tport_i));
    end
    if (!rst_ni) begin
      f_frame   <= 8'd0;
      f_place   <= 8'd0;
      f_decided <= 8'd0;
      f_known   <= 1'b0;
      f_came    <= 1'b0;
      f_out_any <= 1'b0;
    end else begin
      if (fire) begin
        f_place <= s_tlast_i ? 8'd0 : f_place + 1'b1;
        if (s_tlast_i) f_frame <= f_frame + 1'b1;
      end
      if (valid_q[7]) begin
        f_decided <= f_decided + 1'b1;
        if (f_decided == f_n) begin
          f_known  <= 1'b1;
          f_kept   <= take_o != 0;
          f_choice <= take_o;
        end
      end
      if (m_tvalid_o && m_tready_i) begin
        if (f_out_any && !f_out_last) begin
          not_interleaved_and_no_word_lost: assert (f_now == f_out_frame && m_tdata_o[23:16] == f_out_place + 1'b1);
        end else begin
          begins_with_its_first_word: assert (m_tdata_o[23:16] == 8'd0);
          in_order_and_never_twice:   assert (!f_out_any || f_now > f_out_frame);
        end
        if (f_now == f_n) begin
          only_if_it_was_kept:        assert (f_known && f_kept);
          to_the_queue_that_was_chosen: assert (m_tdest_o == f_choice);
          f_came <= 1'b1;
        end
        if (f_now > f_n) none_kept_is_lost: assert (f_known && (!f_kept || f_came));
        f_out_any   <= 1'b1;
        f_out_last  <= m_tlast_o;
        f_out_frame <= f_now;
        f_out_place <= m_tdata_o[23:16];
      end
      a_drop_between_two_frames: cover (f_known && !f_kept && f_n == 8'd1 && f_out_any && f_out_frame == 8'd2);
    end
  end
`endif

endmodule

`default_nettype wire
