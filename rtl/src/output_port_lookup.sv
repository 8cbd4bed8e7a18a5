// Which queue a frame joins, and what changes in it: route, detour, mark, time to live.
//
// Decision    by the destination (IPv4 host or MAC address) a group of ports, of these one by the
//             flow's hash: the wanted port. If the frame does not fit there, another by detour_pick
//             (or detour_first_open), else a drop. Drops: malformed, ttl, no entry, full; the first that holds counts.
// State       the frames under way; the draw.
// Latency     from a frame's first word to the same word at the output, without stalls:
//             ceil(38 / bytes of a word) + 11 cycles, with detours and without. One word a cycle.
// Source      Zarifis et al., EuroSys 2014, section 5.1: NetFPGA's output port lookup, given a bitmap
//             of the queues with room. Marks: section 5.3 (a queue of K packets; and all detours).
//             RFC 1624 for the checksum, RFC 3168 for marks, RFC 1812 for the time to live.
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
  parameter Dibs     = 1    // 1: detours by detour_pick; 2: by detour_first_open; 0: none, for comparison
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

  localparam Bytes  = PathW / 8;
  localparam ByteW  = $clog2(Bytes);
  localparam DepthW = PathW >= 256 ? 4 : 5;  // 2^DepthW words under way
  localparam Depth  = 1 << DepthW;

  // Words wait in a small memory until their frame's verdict is there.
  (* ram_style = "distributed" *)
  reg [PathW:0]      words [0:Depth-1];
  reg [DepthW:0]     words_in_q, words_out_q;
  reg                ready_q;

  wire               fire = s_tvalid_i && ready_q;
  wire [DepthW:0]    waiting = words_in_q - words_out_q;
  wire               pop;

  always_ff @(posedge clk_i) begin
    if (fire) words[words_in_q[DepthW-1:0]] <= {s_tlast_i, s_tdata_i};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      words_in_q  <= {(DepthW+1){1'b0}};
      words_out_q <= {(DepthW+1){1'b0}};
      ready_q     <= 1'b0;
    end else begin
      if (fire) words_in_q <= words_in_q + 1'b1;
      if (pop) words_out_q <= words_out_q + 1'b1;
      ready_q <= waiting < Depth - 1 || pop;
    end
  end

  assign s_tready_o = ready_q;

  // head: fields of a new frame.
  wire             head, malformed, ip;
  wire [LenW-1:0]  len;
  wire [PortW-1:0] port;
  wire [47:0]      dmac;
  wire [1:0]       ecn;
  wire [7:0]       ttl, proto;
  wire [15:0]      checksum;
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
    .ports_o     (ports)
  );

  // r1: what the steps after it need; the rest of the frame's way to the decision.
  reg [47:0]         addr1_q;
  reg                key_ip1_q;
  reg [31:0]         src1_q, dst1_q, ports1_q;
  reg [7:0]          proto1_q;
  reg                valid_q     [1:9];
  reg                malformed_q [1:7];
  reg                ttl_q       [1:7];   // the time to live ends here
  reg                ip_q        [1:9];
  reg [1:0]          ecn_q       [1:8];
  reg [15:0]         checksum_q  [1:8];
  reg [LenW-1:0]     len_q       [1:9];
  reg [NumPorts-1:0] ingress_q   [1:7];   // port it came in by, one bit

  wire by_ip = ip && !match_mac_i;

  integer r;
  always_ff @(posedge clk_i) begin
    addr1_q        <= by_ip ? {16'h0, dst} : dmac;
    key_ip1_q      <= by_ip;
    src1_q         <= ip ? src : 32'h0;
    dst1_q         <= ip ? dst : dmac[31:0];
    proto1_q       <= ip ? proto : 8'h0;
    ports1_q       <= ip ? ports : 32'h0;
    malformed_q[1] <= malformed;
    ttl_q[1]       <= ip && ttl <= 8'd1;
    ip_q[1]        <= ip;
    ecn_q[1]       <= ecn;
    checksum_q[1]  <= checksum;
    len_q[1]       <= len;
    ingress_q[1]   <= {{(NumPorts-1){1'b0}}, 1'b1} << port;
    for (r = 2; r <= 7; r = r + 1) begin
      malformed_q[r] <= malformed_q[r-1];
      ttl_q[r]       <= ttl_q[r-1];
      ingress_q[r]   <= ingress_q[r-1];
    end
    for (r = 2; r <= 8; r = r + 1) begin
      ecn_q[r]      <= ecn_q[r-1];
      checksum_q[r] <= checksum_q[r-1];
    end
    for (r = 2; r <= 9; r = r + 1) begin
      ip_q[r]  <= ip_q[r-1];
      len_q[r] <= len_q[r-1];
    end
  end

  integer v;
  always_ff @(posedge clk_i) begin
    for (v = 1; v <= 9; v = v + 1) begin
      if (!rst_ni)     valid_q[v] <= 1'b0;
      else if (v == 1) valid_q[v] <= head;
      else             valid_q[v] <= valid_q[v-1];
    end
  end

  // r2 to r5: table and hash.
  wire                hit;
  wire [NumPorts-1:0] group;
  wire [15:0]         hash;

  forward_table #(.NumPorts(NumPorts), .IndexW(IndexW)) i_table (
    .clk_i         (clk_i),
    .ip_i          (key_ip1_q),
    .addr_i        (addr1_q),
    .hit_o         (hit),
    .group_o       (group),
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
    .src_i   (src1_q),
    .dst_i   (dst1_q),
    .proto_i (proto1_q),
    .ports_i (ports1_q),
    .hash_o  (hash)
  );

  // r6: one port of the group.
  wire                no_port;
  wire [PortW-1:0]    hop_port;
  wire [NumPorts-1:0] hop;

  pick_uniform #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(16)) i_hop (
    .set_i    (group),
    .draw_i   (hash),
    .none_o   (no_port),
    .onehot_o (hop),
    .port_o   (hop_port)
  );

  reg                no_entry6_q, no_entry7_q;
  reg [NumPorts-1:0] want6_q, want7_q;
  reg [PortW-1:0]    want_port6_q, want_port7_q;
  reg [WordsW-1:0]   words5_q;
  reg [NumPorts-1:0] allowed7_q;

  wire [LenW:0] rounded = {1'b0, len_q[4]} + Bytes[LenW:0] - 1'b1;

  always_ff @(posedge clk_i) begin
    no_entry6_q  <= !hit || no_port;
    want6_q      <= hop;
    want_port6_q <= hop_port;
    words5_q     <= {{(WordsW+ByteW-LenW-1){1'b0}}, rounded[LenW:ByteW]};
    no_entry7_q  <= no_entry6_q;
    want7_q      <= want6_q;
    want_port7_q <= want_port6_q;
    allowed7_q   <= go_back_i ? to_switch_i : to_switch_i & ~ingress_q[6];
  end

  assign ask_words_o = words5_q;

  // r7: the decision. With detours or without, it takes this cycle.
  wire                alive = valid_q[7] && !malformed_q[7] && !ttl_q[7] && !no_entry7_q;
  wire                full, detour;
  wire [NumPorts-1:0] choice;

  generate
    if (Dibs == 1) begin : g_dibs
      // The draw has been scaled to every number of ports a cycle before it is needed; behind it
      // stands the next one.
      localparam PlacesW = (NumPorts + 1) * PortW;

      wire [DrawW-1:0]   draw;
      wire [PlacesW-1:0] places;
      reg  [PlacesW-1:0] places_q;
      reg                load_q;  // places_q holds no draw of this seed yet
      wire [PortW-1:0]   choice_port;
      wire               next = load_q || (alive && (want7_q & fits_i) == {NumPorts{1'b0}});

      always_ff @(posedge clk_i) begin
        load_q <= !rst_ni || seed_we_i;
        if (next) places_q <= places;
      end

      scale_draw #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(DrawW)) i_scale (
        .draw_i   (draw),
        .places_o (places)
      );

      lfsr #(.DrawW(DrawW)) i_draw (
        .clk_i     (clk_i),
        .rst_ni    (rst_ni),
        .seed_we_i (seed_we_i),
        .seed_i    (seed_i),
        .step_i    (next),
        .draw_o    (draw)
      );

      detour_pick #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(PlacesW), .Scaled(1)) i_pick (
        .want_i   (want_port7_q),
        .fits_i   (fits_i),
        .switch_i (allowed7_q),
        .draw_i   (places_q),
        .drop_o   (full),
        .detour_o (detour),
        .port_o   (choice_port)
      );

      assign choice = {{(NumPorts-1){1'b0}}, 1'b1} << choice_port;
    end else if (Dibs == 2) begin : g_first_open
      // The cheap one: the first open port from a drawn one on, by 8 bits of state.
      wire [PortW-1:0] draw;
      wire [PortW-1:0] choice_port;

      lfsr #(.Width(8), .Taps(8'hb8), .Seed(8'h5e), .DrawW(PortW), .Leap(4)) i_draw (
        .clk_i     (clk_i),
        .rst_ni    (rst_ni),
        .seed_we_i (seed_we_i),
        .seed_i    (seed_i[7:0]),
        .step_i    (alive && (want7_q & fits_i) == {NumPorts{1'b0}}),
        .draw_o    (draw)
      );

      detour_first_open #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(PortW)) i_pick (
        .want_i   (want_port7_q),
        .fits_i   (fits_i),
        .switch_i (allowed7_q),
        .draw_i   (draw),
        .drop_o   (full),
        .detour_o (detour),
        .port_o   (choice_port)
      );

      assign choice = {{(NumPorts-1){1'b0}}, 1'b1} << choice_port;
    end else begin : g_drop
      assign choice = want7_q;
      assign full   = (want7_q & fits_i) == {NumPorts{1'b0}};
      assign detour = 1'b0;
    end
  endgenerate

  wire keep = alive && !full;
  wire mark = detour || |(want7_q & reach_i);

  assign take_o       = keep ? choice : {NumPorts{1'b0}};

  reg                drop8_q, mark8_q, drop9_q, mark9_q;
  reg [NumPorts-1:0] dest8_q, dest9_q;

  always_ff @(posedge clk_i) begin
    drop8_q <= !keep;
    dest8_q <= choice;
    mark8_q <= mark && ip_q[7] && ecn_q[7] != 2'b00;

    malformed_o   <= ingress_q[7] & {NumPorts{rst_ni && valid_q[7] && malformed_q[7]}};
    ttl_o         <= ingress_q[7] & {NumPorts{rst_ni && valid_q[7] && !malformed_q[7] && ttl_q[7]}};
    no_entry_o    <= ingress_q[7] & {NumPorts{rst_ni && valid_q[7] && !malformed_q[7] && !ttl_q[7] && no_entry7_q}};
    full_o        <= want7_q & {NumPorts{rst_ni && alive && full}};
    detour_from_o <= want7_q & {NumPorts{rst_ni && alive && detour}};
    detour_to_o   <= choice & {NumPorts{rst_ni && alive && detour}};
    mark_o        <= choice & {NumPorts{rst_ni && keep && mark && ip_q[7] && ecn_q[7] != 2'b00 && ecn_q[7] != 2'b11}};
  end

  // r9: the checksum's sum by RFC 1624, HC' = ~(~HC + ~m + m'). One hop less takes 0x0100 from its
  // word; a mark adds what is missing from 3. The carry goes around at the end of r9.
  reg [16:0] sum9_q;

  always_ff @(posedge clk_i) begin
    sum9_q  <= {1'b0, ~checksum_q[8]} + 17'h0feff + {15'h0, mark8_q ? ~ecn_q[8] : 2'b00};
    drop9_q <= drop8_q;
    mark9_q <= mark8_q;
    dest9_q <= dest8_q;
  end

  wire [15:0] checksum9 = ~(sum9_q[15:0] + {15'h0, sum9_q[16]});

  // Verdicts wait for the words, in the order of the frames. There are never more than words.
  localparam VerdictW = 1 + 1 + 1 + NumPorts + 16 + LenW;

  (* ram_style = "distributed" *)
  reg [VerdictW-1:0] verdicts [0:Depth-1];
  reg [DepthW:0]     verdicts_in_q, verdicts_out_q;
  wire               verdict_pop;

  always_ff @(posedge clk_i) begin
    if (valid_q[9]) verdicts[verdicts_in_q[DepthW-1:0]] <= {drop9_q, ip_q[9], mark9_q, dest9_q, checksum9, len_q[9]};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      verdicts_in_q  <= {(DepthW+1){1'b0}};
      verdicts_out_q <= {(DepthW+1){1'b0}};
    end else begin
      if (valid_q[9]) verdicts_in_q <= verdicts_in_q + 1'b1;
      if (verdict_pop) verdicts_out_q <= verdicts_out_q + 1'b1;
    end
  end

  wire                drop, is_ip, marked;
  wire [NumPorts-1:0] dest;
  wire [15:0]         new_checksum;
  wire [LenW-1:0]     out_len;

  assign {drop, is_ip, marked, dest, new_checksum, out_len} = verdicts[verdicts_out_q[DepthW-1:0]];

  // The words of a frame whose verdict is there leave, one a cycle, rewritten or not at all.
  localparam BeatW = 3;                       // counts the words up to byte 25
  localparam TosBeat      = 15 / Bytes;
  localparam TtlBeat      = 22 / Bytes;
  localparam ChecksumBeat = 24 / Bytes;

  reg [BeatW-1:0]    beat_q;
  reg                out_valid_q, out_last_q;
  reg [PathW-1:0]    out_data_q;
  reg [LenW-1:0]     out_len_q;
  reg [NumPorts-1:0] out_dest_q;

  wire [PathW:0] word = words[words_out_q[DepthW-1:0]];
  wire           word_last = word[PathW];
  wire           out_free = !out_valid_q || m_tready_i;

  assign pop         = out_free && waiting != {(DepthW+1){1'b0}} && verdicts_in_q != verdicts_out_q;
  assign verdict_pop = pop && word_last;

  reg [PathW-1:0] rewritten;
  always_comb begin
    rewritten = word[PathW-1:0];
    if (is_ip && beat_q == TosBeat[BeatW-1:0] && marked) rewritten[(15%Bytes)*8 +: 2] = 2'b11;
    if (is_ip && beat_q == TtlBeat[BeatW-1:0]) rewritten[(22%Bytes)*8 +: 8] = word[(22%Bytes)*8 +: 8] - 8'd1;
    if (is_ip && beat_q == ChecksumBeat[BeatW-1:0]) begin
      rewritten[(24%Bytes)*8 +: 8] = new_checksum[15:8];
      rewritten[(25%Bytes)*8 +: 8] = new_checksum[7:0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beat_q      <= {BeatW{1'b0}};
      out_valid_q <= 1'b0;
    end else begin
      if (pop) beat_q <= word_last ? {BeatW{1'b0}} : beat_q == {BeatW{1'b1}} ? beat_q : beat_q + 1'b1;
      if (out_free) out_valid_q <= pop && !drop;
    end
  end

  always_ff @(posedge clk_i) begin
    if (out_free) begin
      out_data_q <= rewritten;
      out_last_q <= word_last;
      out_len_q  <= out_len;
      out_dest_q <= dest;
    end
  end

  assign m_tvalid_o = out_valid_q;
  assign m_tdata_o  = out_data_q;
  assign m_tlast_o  = out_last_q;
  assign m_tlen_o   = out_len_q;
  assign m_tdest_o  = out_dest_q;

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
      there_are_never_more_verdicts_than_words: assert (verdicts_in_q - verdicts_out_q <= Depth);
      room_is_taken_once:   assert ((take_o & (take_o - 1'b1)) == 0);
      room_is_taken_where_the_frame_fits: assert ((take_o & ~fits_i) == 0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (past_q && $past(rst_ni && s_tvalid_i && !s_tready_o)) begin
      assume (s_tvalid_i && s_tdata_i == $past(s_tdata_i) && s_tlast_i == $past(s_tlast_i)
              && s_tlen_i == $past(s_tlen_i) && s_tport_i == $past(s_tport_i));
    end
    if (past_q && $past(rst_ni) && rst_ni && $past(m_tvalid_o && !m_tready_i)) begin
      still_there: assert (m_tvalid_o);
      unchanged:   assert (m_tdata_o == $past(m_tdata_o) && m_tlast_o == $past(m_tlast_o)
                           && m_tlen_o == $past(m_tlen_o) && m_tdest_o == $past(m_tdest_o));
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
