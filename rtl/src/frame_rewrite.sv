// SPDX-License-Identifier: MIT OR Apache-2.0
// Frames wait for their verdicts, and leave rewritten or not at all.
//
// Decision    none: the words of a frame with a verdict leave, one a cycle; those of a dropped
//             frame are removed and not offered. An IPv4 packet leaves with a lower time to live,
//             a new checksum and, if the verdict marks it, ECN 3; all other bytes are unchanged.
// State       words and verdicts that wait, and the word that is offered.
// Latency     1 cycle from when a word and its frame's verdict are there. One word a cycle.
// Source      RFC 791 section 3.1 for the places of the fields.
//
// Words and verdicts each come in the order of the frames, and there are never more verdicts
// than words: each frame's verdict comes after its first word and before the next frame's.

`default_nettype none

module frame_rewrite #(
  parameter NumPorts = 4,   // ports; 2 to 16
  parameter PathW    = 64,  // bits of a word; 64 to 512
  parameter LenW     = 11,  // bits of a length in bytes
  parameter Tags     = 0,   // 1: also headers at byte 21, and metadata with each frame
  parameter MetaW    = 1    // bits of the metadata
) (
  input  wire logic                clk_i,       // clock
  input  wire logic                rst_ni,      // reset, active low, synchronous
  // Frames in.
  input  wire logic [PathW-1:0]    s_tdata_i,   // AXI4-Stream in: a word, the first byte lowest
  input  wire logic                s_tlast_i,   // last word of a frame
  input  wire logic                s_tvalid_i,  // a word is offered
  output logic                     s_tready_o,  // the word is taken
  // Verdicts of the frames.
  input  wire logic                verdict_i,   // a verdict comes
  input  wire logic                drop_i,      // the frame is dropped
  input  wire logic                ip_i,        // the frame is an IPv4 packet
  input  wire logic                mark_i,      // the ECN field becomes 3
  input  wire logic [NumPorts-1:0] dest_i,      // queue of the frame, one bit
  input  wire logic [15:0]         checksum_i,  // checksum of the header as it leaves
  input  wire logic [LenW-1:0]     len_i,       // length of the frame in bytes
  /* verilator lint_off UNUSEDSIGNAL */
  input  wire logic                inner_i,     // with Tags 1: the IPv4 header is at byte 21, not 14
  input  wire logic [MetaW-1:0]    meta_i,      // with Tags 1: metadata of the frame
  /* verilator lint_on UNUSEDSIGNAL */
  // Frames out, without dropped ones.
  output logic      [PathW-1:0]    m_tdata_o,   // AXI4-Stream out: a word
  output logic                     m_tlast_o,   // last word of a frame
  output logic      [LenW-1:0]     m_tlen_o,    // length of the frame in bytes, on all of its words
  output logic      [NumPorts-1:0] m_tdest_o,   // queue of the frame, one bit, on all of its words
  output logic                     m_tinner_o,  // the IPv4 header is at byte 21, on all words of the frame
  output logic      [MetaW-1:0]    m_tmeta_o,   // meta_i, on all words of the frame
  output logic                     m_tvalid_o,  // a word is offered
  input  wire logic                m_tready_i   // the word is taken
);

  localparam DepthW   = PathW >= 256 ? 4 : 5;  // 2^DepthW words under way
  localparam Depth    = 1 << DepthW;
  localparam VerdictW = 1 + 1 + 1 + NumPorts + 16 + LenW;

  // Words and verdicts that wait.
  reg                ready_q;
  wire               pop, word_last;
  wire [PathW-1:0]   word;
  wire               word_valid;
  wire [DepthW:0]    waiting;

  lutram_fifo #(.Width(PathW + 1), .DepthW(DepthW)) i_words (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .push_i  (s_tvalid_i && ready_q),
    .data_i  ({s_tlast_i, s_tdata_i}),
    .pop_i   (pop),
    .valid_o (word_valid),
    .data_o  ({word_last, word}),
    .count_o (waiting)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) ready_q <= 1'b0;
    else         ready_q <= waiting < Depth - 1 || pop;
  end

  assign s_tready_o = ready_q;

  wire                verdict_valid, drop, is_ip, marked;
  wire [NumPorts-1:0] dest;
  wire [15:0]         checksum;
  wire [LenW-1:0]     len;

  lutram_fifo #(.Width(VerdictW), .DepthW(DepthW)) i_verdicts (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .push_i  (verdict_i),
    .data_i  ({drop_i, ip_i, mark_i, dest_i, checksum_i, len_i}),
    .pop_i   (pop && word_last),
    .valid_o (verdict_valid),
    .data_o  ({drop, is_ip, marked, dest, checksum, len}),
    /* verilator lint_off PINCONNECTEMPTY */
    .count_o ()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  // Words that leave.
  localparam BeatW = 3;  // counts the words up to byte 32

  reg [BeatW-1:0]    beat_q;
  reg                out_valid_q, out_last_q;
  reg [PathW-1:0]    out_data_q;
  reg [LenW-1:0]     out_len_q;
  reg [NumPorts-1:0] out_dest_q;

  wire out_free = !out_valid_q || m_tready_i;

  assign pop = out_free && word_valid && verdict_valid;

  // The IPv4 header begins at byte 14, or behind a tag at byte 21.
  wire [PathW-1:0] at_14, at_21, rewritten;
  wire             inner;
  header_word #(.PathW(PathW), .BeatW(BeatW), .At(14)) i_at_14 (
    .word_i(word), .beat_i(beat_q), .mark_i(marked), .checksum_i(checksum), .word_o(at_14)
  );
  generate
    if (Tags != 0) begin : g_tags
      header_word #(.PathW(PathW), .BeatW(BeatW), .At(21)) i_at_21 (
        .word_i(word), .beat_i(beat_q), .mark_i(marked), .checksum_i(checksum), .word_o(at_21)
      );

      wire [MetaW-1:0] meta;
      reg              out_inner_q;
      reg [MetaW-1:0]  out_meta_q;

      lutram_fifo #(.Width(1 + MetaW), .DepthW(DepthW)) i_meta (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .push_i  (verdict_i),
        .data_i  ({inner_i, meta_i}),
        .pop_i   (pop && word_last),
        .data_o  ({inner, meta}),
        /* verilator lint_off PINCONNECTEMPTY */
        .valid_o (),
        .count_o ()
        /* verilator lint_on PINCONNECTEMPTY */
      );

      always_ff @(posedge clk_i) begin
        if (out_free) begin
          out_inner_q <= inner;
          out_meta_q  <= meta;
        end
      end

      assign m_tinner_o = out_inner_q;
      assign m_tmeta_o  = out_meta_q;
    end else begin : g_no_tags
      assign at_21      = at_14;
      assign inner      = 1'b0;
      assign m_tinner_o = 1'b0;
      assign m_tmeta_o  = {MetaW{1'b0}};
    end
  endgenerate
  assign rewritten = !is_ip ? word : inner ? at_21 : at_14;

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
      out_len_q  <= len;
      out_dest_q <= dest;
    end
  end

  assign m_tvalid_o = out_valid_q;
  assign m_tdata_o  = out_data_q;
  assign m_tlast_o  = out_last_q;
  assign m_tlen_o   = out_len_q;
  assign m_tdest_o  = out_dest_q;

`ifdef FORMAL
  reg past_q = 1'b0;  // there was a clock edge before this one
  always_ff @(posedge clk_i) past_q <= 1'b1;

  always_comb begin
    if (!past_q) assume (!rst_ni);
    else begin
      no_more_words_than_fit: assert (waiting <= Depth);
      words_wait_or_do_not:   assert (word_valid == (waiting != {(DepthW+1){1'b0}}));
      room_for_what_is_taken: assert (!s_tready_o || waiting < Depth);
    end
  end

  always_ff @(posedge clk_i) begin
    if (past_q && $past(rst_ni) && rst_ni && $past(m_tvalid_o && !m_tready_i)) begin
      still_there: assert (m_tvalid_o);
      unchanged:   assert (m_tdata_o == $past(m_tdata_o) && m_tlast_o == $past(m_tlast_o)
                           && m_tlen_o == $past(m_tlen_o) && m_tdest_o == $past(m_tdest_o)
                           && m_tinner_o == $past(m_tinner_o) && m_tmeta_o == $past(m_tmeta_o));
    end
    if (past_q && $past(rst_ni) && $past(waiting == 0)) nothing_from_nowhere: assert (!m_tvalid_o || $past(!out_free));
    if (past_q) words_are_held_back: cover (s_tvalid_i && !s_tready_o && waiting == Depth);
  end
`endif

endmodule

`default_nettype wire
