// SPDX-License-Identifier: MIT OR Apache-2.0
// Complete switch: N ports on AXI4-Stream, settings and counters on AXI4-Lite.
//
// Decision    none: input_buffer, input_arbiter, output_port_lookup, output_queues
//             (or shared_queues), output_port, in a row. All ports share one path.
// State       that of its cells.
// Latency     from a frame's last beat in to its first beat out, idle switch, one
//             beat a word: see rtl/switch.md; tests/test_switch_top.py measures it.
// Rate        one word of the path a cycle and no bubble: frames of L bytes leave
//             one in ceil(L / (PathW/8)) cycles. Each link moves LinkW bits a cycle.
// Source      Zarifis et al., EuroSys 2014, section 5.1; NetFPGA's reference switch.
// Deviations  frames are stored whole at the input, so that their lengths are known at the decision.

`default_nettype none
`include "expect.svh"

module switch_top #(
  parameter NumPorts = 4,     // ports; 4 or 8 are tested
  parameter PortW    = 2,     // bits of a port number
  parameter LinkW    = 64,    // bits of a beat of a link; 8 to PathW
  parameter PathW    = 64,    // bits of a word of the path; 64 to 512
  parameter InputW   = 9,     // 2^InputW words in each input buffer
  parameter SlotsW   = 6,     // 2^SlotsW frames in each input buffer
  parameter QueueW   = 11,    // 2^QueueW words in each output queue, or in the pool of all
  parameter Shared   = 0,     // 1: one pool with dynamic thresholds
  parameter LenW     = 11,    // bits of a length in bytes
  parameter MinFrame = 60,    // shortest sound frame, bytes without FCS
  parameter MaxFrame = 1518,  // longest sound frame, bytes without FCS
  parameter IndexW   = 8,     // 2 * 2^IndexW entries in the forwarding table
  parameter DrawW    = 32,    // bits of a draw
  parameter Dibs     = 1,     // 1: detours; 2: to the first open port; 3: as in BUFFER; 0: none
  parameter Spray    = 1,     // 1: ROUTE selects how a port of a group is chosen; 0: by hash only
  parameter Bytes    = 1,     // 1: counters of bytes as well as of frames
  parameter Ranked   = 0      // 1: queues by rank, and vertigo; with Dibs 0 and Shared 0
) (
  input  wire logic                        clk_i,            // clock
  input  wire logic                        rst_ni,           // reset, active low, synchronous
  // Links, port 0 in the lowest bits.
  input  wire logic [NumPorts*LinkW-1:0]   s_axis_tdata_i,   // AXI4-Stream in: bytes, the first one lowest
  input  wire logic [NumPorts*LinkW/8-1:0] s_axis_tkeep_i,   // valid bytes; all, except in the last beat
  input  wire logic [NumPorts-1:0]         s_axis_tlast_i,   // the last beat of a frame
  input  wire logic [NumPorts-1:0]         s_axis_tuser_i,   // with tlast: the frame is broken
  input  wire logic [NumPorts-1:0]         s_axis_tvalid_i,  // a beat is offered
  output logic      [NumPorts-1:0]         s_axis_tready_o,  // the beat is taken
  output logic      [NumPorts*LinkW-1:0]   m_axis_tdata_o,   // AXI4-Stream out: bytes, the first one lowest
  output logic      [NumPorts*LinkW/8-1:0] m_axis_tkeep_o,   // valid bytes; all, except in the last beat
  output logic      [NumPorts-1:0]         m_axis_tlast_o,   // the last beat of a frame
  output logic      [NumPorts-1:0]         m_axis_tvalid_o,  // a beat is offered
  input  wire logic [NumPorts-1:0]         m_axis_tready_i,  // the beat is taken
  // Settings and counters, AXI4-Lite.
  input  wire logic [11:0]                 s_axil_awaddr_i,  // write address
  input  wire logic                        s_axil_awvalid_i, // write address is offered
  output logic                             s_axil_awready_o, // write address is taken
  input  wire logic [31:0]                 s_axil_wdata_i,   // write data
  input  wire logic [3:0]                  s_axil_wstrb_i,   // ignored
  input  wire logic                        s_axil_wvalid_i,  // write data is offered
  output logic                             s_axil_wready_o,  // write data is taken
  output logic      [1:0]                  s_axil_bresp_o,   // always OKAY
  output logic                             s_axil_bvalid_o,  // a write response is offered
  input  wire logic                        s_axil_bready_i,  // the write response is taken
  input  wire logic [11:0]                 s_axil_araddr_i,  // read address
  input  wire logic                        s_axil_arvalid_i, // read address is offered
  output logic                             s_axil_arready_o, // read address is taken
  output logic      [31:0]                 s_axil_rdata_o,   // read data
  output logic      [1:0]                  s_axil_rresp_o,   // always OKAY
  output logic                             s_axil_rvalid_o,  // read data is offered
  input  wire logic                        s_axil_rready_i   // read data is taken
);

  // Configurations that cannot work are not built.
  localparam Longest = (8 * MaxFrame + PathW - 1) / PathW;  // words of the longest frame
  localparam LongW   = $clog2(Longest);

  generate
    `EXPECT(g_ports, NumPorts >= 2 && NumPorts <= 16, "switch_top: NumPorts must be from 2 to 16")
    `EXPECT(g_port_w, NumPorts <= 1 << PortW, "switch_top: PortW has too few bits for NumPorts")
    `EXPECT(g_path, PathW == 64 || PathW == 128 || PathW == 256 || PathW == 512, "switch_top: PathW must be 64, 128, 256 or 512")
    `EXPECT(g_link, LinkW >= 8 && LinkW <= PathW && (LinkW & (LinkW - 1)) == 0, "switch_top: LinkW must be a power of two from 8 to PathW")
    `EXPECT(g_len, LenW <= 16 && MaxFrame + LinkW / 8 < 1 << LenW, "switch_top: LenW must hold MaxFrame and a beat, in 16 bits at most")
    `EXPECT(g_frame, MinFrame >= 1 && MinFrame <= MaxFrame, "switch_top: MinFrame must be from 1 to MaxFrame")
    // Room for data under way while tready falls: see input_buffer.
    `EXPECT(g_input, 1 << InputW >= 2 * Longest + 6, "switch_top: 2^InputW words must hold two frames of MaxFrame and 6 words")
    `EXPECT(g_slots, SlotsW >= 3, "switch_top: SlotsW must be 3 at least")
    `EXPECT(g_queue, 1 << QueueW >= Longest + 1, "switch_top: 2^QueueW words must hold a frame of MaxFrame")
    `EXPECT(g_dibs, Dibs >= 0 && Dibs <= 3, "switch_top: Dibs must be from 0 to 3")
    `EXPECT(g_depths, Dibs != 3 || QueueW <= 15, "switch_top: with Dibs 3 QueueW must be 15 at most, as BUFFER and EARLY count")
    `EXPECT(g_switches, (Spray == 0 || Spray == 1) && (Shared == 0 || Shared == 1) && (Bytes == 0 || Bytes == 1),
            "switch_top: Spray, Shared and Bytes must be 0 or 1")
    `EXPECT(g_ranked, Ranked == 0 || (Ranked == 1 && Dibs == 0 && Shared == 0), "switch_top: with Ranked 1 Dibs and Shared must be 0")
    // Decisions are two cycles apart, and each port has room for two frames.
    `EXPECT(g_two_words, Ranked == 0 || 8 * MinFrame > PathW, "switch_top: with Ranked 1 the shortest frame must have two words")
    `EXPECT(g_turns, Ranked == 0 || LinkW * NumPorts <= PathW, "switch_top: with Ranked 1 all links together must fit the path")
    `EXPECT(g_slots_of, Ranked == 0 || (QueueW > LongW && (1 << (QueueW - LongW)) >= 2 * NumPorts + 4),
            "switch_top: with Ranked 1 2^QueueW words must hold two of the longest frames for each port, and four more")
  endgenerate

  localparam WordsW = QueueW + 1;
  localparam FillW  = $clog2(PathW / 8);

  /* verilator lint_off UNUSEDSIGNAL */
  wire [3:0] strobes = s_axil_wstrb_i;
  /* verilator lint_on UNUSEDSIGNAL */

  // Inputs.
  wire [NumPorts-1:0]       frame, take, word_pop, in, bad;
  /* verilator lint_off UNUSEDSIGNAL */
  wire [NumPorts-1:0]       word_valid, word_last;  // a whole frame has all its words, as many as its length requires
  /* verilator lint_on UNUSEDSIGNAL */
  wire [NumPorts*LenW-1:0]  frame_len;
  wire [NumPorts*PathW-1:0] word;
  wire [NumPorts*LenW-1:0]  bytes_in, bytes_out;

  genvar p;
  generate
    for (p = 0; p < NumPorts; p = p + 1) begin : g_in
      input_buffer #(
        .LinkW(LinkW), .PathW(PathW), .AddrW(InputW), .FrameW(SlotsW),
        .LenW(LenW), .MinFrame(MinFrame), .MaxFrame(MaxFrame)
      ) i_buffer (
        .clk_i      (clk_i),
        .rst_ni     (rst_ni),
        .s_tdata_i  (s_axis_tdata_i[p*LinkW +: LinkW]),
        .s_tkeep_i  (s_axis_tkeep_i[p*LinkW/8 +: LinkW/8]),
        .s_tlast_i  (s_axis_tlast_i[p]),
        .s_tuser_i  (s_axis_tuser_i[p]),
        .s_tvalid_i (s_axis_tvalid_i[p]),
        .s_tready_o (s_axis_tready_o[p]),
        .frame_o    (frame[p]),
        .len_o      (frame_len[p*LenW +: LenW]),
        .take_i     (take[p]),
        .valid_o    (word_valid[p]),
        .word_o     (word[p*PathW +: PathW]),
        .last_o     (word_last[p]),
        .pop_i      (word_pop[p]),
        .in_o       (in[p]),
        .bad_o      (bad[p]),
        .in_bytes_o (bytes_in[p*LenW +: LenW])
      );
    end
  endgenerate

  wire [PathW-1:0] arb_data;
  wire [LenW-1:0]  arb_len;
  wire [PortW-1:0] arb_port;
  wire             arb_last, arb_valid, arb_ready;

  input_arbiter #(.NumPorts(NumPorts), .PortW(PortW), .PathW(PathW), .LenW(LenW)) i_arbiter (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .frame_i    (frame),
    .len_i      (frame_len),
    .take_o     (take),
    .word_i     (word),
    .pop_o      (word_pop),
    .m_tdata_o  (arb_data),
    .m_tlast_o  (arb_last),
    .m_tlen_o   (arb_len),
    .m_tport_o  (arb_port),
    .m_tvalid_o (arb_valid),
    .m_tready_i (arb_ready)
  );

  // Decision.
  wire [NumPorts*WordsW-1:0] queued;
  wire [PathW-1:0]    out_data;
  wire [NumPorts-1:0] out_dest;
  wire                out_last, out_valid;

  wire [WordsW-1:0]   limit_frames, mark_at;
  wire [NumPorts-1:0] fits, reach, to_switch;
  wire                go_back, match_mac, route_we, seed_we, table_we, table_used, table_ip;
  wire [31:0]         salt, route, seed, buffer, early;
  /* verilator lint_off UNUSEDSIGNAL */
  // Each build has its queues, which use some of these.
  wire [LenW-1:0]     out_len;
  wire [WordsW-1:0]   ask_words, limit_words;
  wire [NumPorts-1:0] take_room;
  wire [2:0]          alpha;
  wire [31:0]         ranking;                       // with Ranked 1, as the following ones
  wire [31:0]         out_rank;
  wire [15:0]         out_sum;
  wire                out_inner, out_able;
  wire [NumPorts-1:0] lookup_full, lookup_from, lookup_to, lookup_mark;  // counts of the lookup
  /* verilator lint_on UNUSEDSIGNAL */
  wire [NumPorts-1:0] evicted;
  wire [IndexW:0]     table_at;
  wire [47:0]         table_addr;
  wire [NumPorts-1:0] table_group, malformed, ttl, no_entry, full, detour_from, detour_to, mark, sent;

  output_port_lookup #(
    .NumPorts(NumPorts), .PortW(PortW), .PathW(PathW), .LenW(LenW), .WordsW(WordsW),
    .IndexW(IndexW), .DrawW(DrawW), .Dibs(Dibs), .Spray(Spray), .Tags(Ranked)
  ) i_lookup (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .s_tdata_i     (arb_data),
    .s_tlast_i     (arb_last),
    .s_tlen_i      (arb_len),
    .s_tport_i     (arb_port),
    .s_tvalid_i    (arb_valid),
    .s_tready_o    (arb_ready),
    .m_tdata_o     (out_data),
    .m_tlast_o     (out_last),
    .m_tlen_o      (out_len),
    .m_tdest_o     (out_dest),
    .m_tinner_o    (out_inner),
    .m_trank_o     (out_rank),
    .m_table_o     (out_able),
    .m_tsum_o      (out_sum),
    .m_tvalid_o    (out_valid),
    .m_tready_i    (1'b1),
    .ask_words_o   (ask_words),
    .fits_i        (fits),
    .reach_i       (reach),
    .depth_i       (queued),
    .take_o        (take_room),
    .to_switch_i   (to_switch),
    .go_back_i     (go_back),
    .buffer_i      (buffer),
    .early_i       (early),
    .match_mac_i   (match_mac),
    .tags_i        (ranking[1:0]),
    .boost_i       (ranking[5:4]),
    .salt_i        (salt),
    .route_we_i    (route_we),
    .route_i       (route),
    .seed_we_i     (seed_we),
    .seed_i        (seed),
    .table_we_i    (table_we),
    .table_at_i    (table_at),
    .table_used_i  (table_used),
    .table_ip_i    (table_ip),
    .table_addr_i  (table_addr),
    .table_group_i (table_group),
    .malformed_o   (malformed),
    .ttl_o         (ttl),
    .no_entry_o    (no_entry),
    .full_o        (lookup_full),
    .detour_from_o (lookup_from),
    .detour_to_o   (lookup_to),
    .mark_o        (lookup_mark)
  );

  // Queues.
  wire [NumPorts-1:0]        front_valid, front_last, front_pop;
  wire [NumPorts*PathW-1:0]  front_data;
  wire [NumPorts*FillW-1:0]  front_fill;

  generate
    if (Ranked != 0) begin : g_ranks
      wire [NumPorts-1:0] rank_full, rank_from, rank_to, rank_mark;

      // The lookup does not decide here: a frame goes to the queue it wants, whole, and is decided there.
      assign fits        = {NumPorts{1'b1}};
      assign reach       = {NumPorts{1'b0}};
      assign full        = rank_full;
      assign detour_from = rank_from;
      assign detour_to   = rank_to;
      assign mark        = rank_mark;

      ranked_queues #(
        .NumPorts(NumPorts), .PortW(PortW), .PathW(PathW), .SlotW(QueueW - LongW), .LongW(LongW),
        .WordsW(WordsW), .FillW(FillW), .RankW(32)
      ) i_queues (
        .clk_i          (clk_i),
        .rst_ni         (rst_ni),
        .vertigo_i      (buffer[2:0] == 3'd6),
        .to_switch_i    (ranking[8] ? to_switch : {NumPorts{1'b0}}),
        .limit_frames_i (limit_frames),
        .mark_at_i      (mark_at),
        .seed_we_i      (seed_we),
        .seed_i         (seed),
        .valid_i        (out_valid),
        .data_i         (out_data),
        .last_i         (out_last),
        .fill_i         (out_len[FillW-1:0]),
        .dest_i         (out_dest),
        .rank_i         (out_rank),
        .able_i         (out_able),
        .inner_i        (out_inner),
        .checksum_i     (out_sum),
        .valid_o        (front_valid),
        .data_o         (front_data),
        .last_o         (front_last),
        .fill_o         (front_fill),
        .pop_i          (front_pop),
        .frames_o       (queued),
        .full_o         (rank_full),
        .evicted_o      (evicted),
        .detour_from_o  (rank_from),
        .detour_to_o    (rank_to),
        .mark_o         (rank_mark)
      );
    end else begin : g_room
      assign full        = lookup_full;
      assign detour_from = lookup_from;
      assign detour_to   = lookup_to;
      assign mark        = lookup_mark;
      assign evicted     = {NumPorts{1'b0}};
    end

    if (Ranked != 0) begin : g_no_room_asked
    end else if (Shared != 0) begin : g_shared
      shared_queues #(
        .NumPorts(NumPorts), .PathW(PathW), .AddrW(QueueW), .WordsW(WordsW), .FillW(FillW),
        .Apart(8 * MinFrame > PathW ? 1 : 0)
      ) i_queues (
        .clk_i          (clk_i),
        .rst_ni         (rst_ni),
        .limit_frames_i (limit_frames),
        .mark_at_i      (mark_at),
        .alpha_i        (alpha),
        .ask_words_i    (ask_words),
        .fits_o         (fits),
        .reach_o        (reach),
        .take_i         (take_room),
        .valid_i        (out_valid),
        .data_i         (out_data),
        .last_i         (out_last),
        .fill_i         (out_len[FillW-1:0]),
        .dest_i         (out_dest),
        .valid_o        (front_valid),
        .data_o         (front_data),
        .last_o         (front_last),
        .fill_o         (front_fill),
        .pop_i          (front_pop),
        .frames_o       (queued)
      );
    end else begin : g_own
      output_queues #(
        .NumPorts(NumPorts), .PathW(PathW), .AddrW(QueueW), .WordsW(WordsW), .FillW(FillW),
        .Apart(8 * MinFrame > PathW ? 1 : 0)
      ) i_queues (
        .clk_i          (clk_i),
        .rst_ni         (rst_ni),
        .limit_frames_i (limit_frames),
        .limit_words_i  (limit_words),
        .mark_at_i      (mark_at),
        .ask_words_i    (ask_words),
        .fits_o         (fits),
        .reach_o        (reach),
        .take_i         (take_room),
        .valid_i        (out_valid),
        .data_i         (out_data),
        .last_i         (out_last),
        .fill_i         (out_len[FillW-1:0]),
        .dest_i         (out_dest),
        .valid_o        (front_valid),
        .data_o         (front_data),
        .last_o         (front_last),
        .fill_o         (front_fill),
        .pop_i          (front_pop),
        .frames_o       (queued)
      );
    end

    // Outputs.
    for (p = 0; p < NumPorts; p = p + 1) begin : g_out
      output_port #(.LinkW(LinkW), .PathW(PathW), .FillW(FillW), .CountW(LenW)) i_port (
        .clk_i      (clk_i),
        .rst_ni     (rst_ni),
        .valid_i    (front_valid[p]),
        .data_i     (front_data[p*PathW +: PathW]),
        .last_i     (front_last[p]),
        .fill_i     (front_fill[p*FillW +: FillW]),
        .pop_o      (front_pop[p]),
        .m_tdata_o  (m_axis_tdata_o[p*LinkW +: LinkW]),
        .m_tkeep_o  (m_axis_tkeep_o[p*LinkW/8 +: LinkW/8]),
        .m_tlast_o  (m_axis_tlast_o[p]),
        .m_tvalid_o (m_axis_tvalid_o[p]),
        .m_tready_i (m_axis_tready_i[p]),
        .out_o      (sent[p]),
        .out_bytes_o (bytes_out[p*LenW +: LenW])
      );
    end
  endgenerate

  switch_registers #(
    .NumPorts(NumPorts), .LinkW(LinkW), .PathW(PathW), .WordsW(WordsW),
    .IndexW(IndexW), .Dibs(Dibs), .Spray(Spray), .LenW(LenW), .Bytes(Bytes), .Shared(Shared), .Ranked(Ranked)
  ) i_registers (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .awaddr_i       (s_axil_awaddr_i),
    .awvalid_i      (s_axil_awvalid_i),
    .awready_o      (s_axil_awready_o),
    .wdata_i        (s_axil_wdata_i),
    .wvalid_i       (s_axil_wvalid_i),
    .wready_o       (s_axil_wready_o),
    .bresp_o        (s_axil_bresp_o),
    .bvalid_o       (s_axil_bvalid_o),
    .bready_i       (s_axil_bready_i),
    .araddr_i       (s_axil_araddr_i),
    .arvalid_i      (s_axil_arvalid_i),
    .arready_o      (s_axil_arready_o),
    .rdata_o        (s_axil_rdata_o),
    .rresp_o        (s_axil_rresp_o),
    .rvalid_o       (s_axil_rvalid_o),
    .rready_i       (s_axil_rready_i),
    .to_switch_o    (to_switch),
    .go_back_o      (go_back),
    .match_mac_o    (match_mac),
    .limit_frames_o (limit_frames),
    .limit_words_o  (limit_words),
    .mark_at_o      (mark_at),
    .alpha_o        (alpha),
    .salt_o         (salt),
    .buffer_o       (buffer),
    .early_o        (early),
    .rank_o         (ranking),
    .route_we_o     (route_we),
    .route_o        (route),
    .seed_we_o      (seed_we),
    .seed_o         (seed),
    .table_we_o     (table_we),
    .table_at_o     (table_at),
    .table_used_o   (table_used),
    .table_ip_o     (table_ip),
    .table_addr_o   (table_addr),
    .table_group_o  (table_group),
    .in_i           (in),
    .out_i          (sent),
    .bad_i          (bad),
    .malformed_i    (malformed),
    .ttl_i          (ttl),
    .no_entry_i     (no_entry),
    .full_i         (full),
    .detour_from_i  (detour_from),
    .detour_to_i    (detour_to),
    .mark_i         (mark),
    .evicted_i      (evicted),
    .frames_i       (queued),
    .bytes_in_i     (bytes_in),
    .bytes_out_i    (bytes_out)
  );

endmodule

`default_nettype wire
