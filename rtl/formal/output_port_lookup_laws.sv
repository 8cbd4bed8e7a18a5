// SPDX-License-Identifier: MIT OR Apache-2.0
// No frame is lost, doubled or mixed with another between the lookup's two ends: laws of its ports only, bound to it.
//
// Every input word carries the number of its frame in byte 3 and its index in the frame in byte 2, where nothing is
// rewritten. One frame, f_n, is watched: the decision about it, and its words at the output. A decision is seen by
// the room it takes or, a cycle later, by the count of the drop. A frame has as many words as its length requires,
// which input_buffer proves; exactly the reserved words are then written to a queue, which the queues assume.

`default_nettype none

module output_port_lookup_laws #(
  parameter NumPorts = 4,
  parameter PathW    = 64,
  parameter LenW     = 11,
  parameter WordsW   = 12,
  parameter PortW    = 2
) (
  input wire logic                clk_i,
  input wire logic                rst_ni,
  input wire logic [PathW-1:0]    s_tdata_i,
  input wire logic                s_tlast_i,
  input wire logic [LenW-1:0]     s_tlen_i,
  input wire logic [PortW-1:0]    s_tport_i,
  input wire logic                s_tvalid_i,
  input wire logic                s_tready_o,
  input wire logic [PathW-1:0]    m_tdata_o,
  input wire logic                m_tlast_o,
  input wire logic [NumPorts-1:0] m_tdest_o,
  input wire logic                m_tvalid_o,
  input wire logic                m_tready_i,
  input wire logic [WordsW-1:0]   ask_words_o,
  input wire logic [NumPorts-1:0] fits_i,
  input wire logic [NumPorts-1:0] take_o,
  input wire logic [NumPorts-1:0] malformed_o,
  input wire logic [NumPorts-1:0] ttl_o,
  input wire logic [NumPorts-1:0] no_entry_o,
  input wire logic [NumPorts-1:0] full_o
);

  reg past_q = 1'b0;
  always_ff @(posedge clk_i) past_q <= 1'b1;

  wire [7:0] f_n;
  any_number #(.Width(8)) i_n (.number_o(f_n));

  reg [7:0] f_frame, f_place;              // frame and index of the word that is offered
  reg [7:0] f_decided;                     // frames decided
  reg       f_known, f_kept;               // the watched frame is decided, and was kept
  reg [NumPorts-1:0] f_choice;             // queue chosen for it
  reg       f_came;                        // its first word has left
  reg [7:0] f_out_frame, f_out_place;      // frame and index of the last word that left
  reg       f_out_any, f_out_last;         // there was one, and it was the last of its frame
  reg [NumPorts-1:0] f_took;               // room taken by the decision of the cycle before
  reg [7:0] f_ask1, f_ask2, f_ask3;        // words of the frames that decide next, now, and a cycle ago
  reg [7:0] f_promise;                     // words reserved for the watched frame
  reg [LenW-1:0] f_len;                    // length of the frame whose words come in, in bytes
  wire [7:0] f_now = m_tdata_o[31:24];
  wire [3:0] f_drops = {|malformed_o, |ttl_o, |no_entry_o, |full_o};
  wire       f_decides = f_took != 0 || f_drops != 0;

  localparam CutW = WordsW > 8 ? 8 : WordsW;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    if (s_tvalid_i) assume (s_tdata_i[31:16] == {f_frame, f_place});
    if (f_place == 8'd7) assume (s_tlast_i);
    if (s_tvalid_i) begin
      // The length gives the number of words, 8 at most, and is on each of them.
      assume (s_tlen_i != 0 && s_tlen_i <= PathW && s_tlast_i == ((f_place + 1'b1) * (PathW / 8) >= s_tlen_i));
      assume (f_place == 8'd0 || s_tlen_i == f_len);
    end
    // For the solver: only bytes that are read or changed are free.
    assume (s_tdata_i[15:0] == 16'h0);
    assume (f_frame < 8'd200);
    if (past_q) begin
      room_is_taken_once:   assert ((take_o & (take_o - 1'b1)) == 0);
      room_is_taken_where_the_frame_fits: assert ((take_o & ~fits_i) == 0);
    end
  end

  generate
    if (PathW > 64) begin : g_wide
      always_comb assume (s_tdata_i[PathW-1:26*8] == 0 && s_tdata_i[95:64] == 0 && s_tdata_i[175:128] == 0);
    end
  endgenerate

  genvar q;
  generate
    for (q = 0; q < NumPorts; q = q + 1) begin : g_queue
      reg [7:0] f_owed;  // words reserved in it and not yet written
      always_ff @(posedge clk_i) begin
        if (!rst_ni) f_owed <= 8'd0;
        else f_owed <= f_owed + (take_o[q] ? f_ask2 : 8'd0) - {7'd0, m_tvalid_o && m_tready_i && m_tdest_o[q]};
        if (past_q && rst_ni && m_tvalid_o && m_tdest_o[q]) only_words_that_were_promised: assert (f_owed != 8'd0);
      end
    end
  endgenerate

  always_ff @(posedge clk_i) begin
    if (past_q && $past(rst_ni && s_tvalid_i && !s_tready_o)) begin
      assume (s_tvalid_i && s_tdata_i == $past(s_tdata_i) && s_tlast_i == $past(s_tlast_i)
              && s_tlen_i == $past(s_tlen_i) && s_tport_i == $past(s_tport_i));
    end
    f_took <= rst_ni ? take_o : {NumPorts{1'b0}};
    f_ask1 <= {{(8-CutW){1'b0}}, ask_words_o[CutW-1:0]};
    f_ask2 <= f_ask1;
    f_ask3 <= f_ask2;
    if (s_tvalid_i && s_tready_o) f_len <= s_tlen_i;
    if (!rst_ni) begin
      f_frame   <= 8'd0;
      f_place   <= 8'd0;
      f_decided <= 8'd0;
      f_known   <= 1'b0;
      f_came    <= 1'b0;
      f_out_any <= 1'b0;
    end else begin
      if (s_tvalid_i && s_tready_o) begin
        f_place <= s_tlast_i ? 8'd0 : f_place + 1'b1;
        if (s_tlast_i) f_frame <= f_frame + 1'b1;
      end
      if (past_q) one_fate_for_each: assert ((f_drops & (f_drops - 1'b1)) == 0 && !(f_took != 0 && f_drops != 0));
      if (f_decides) begin
        f_decided <= f_decided + 1'b1;
        if (f_decided == f_n) begin
          f_known  <= 1'b1;
          f_kept   <= f_took != 0;
          f_choice <= f_took;
          f_promise <= f_ask3;
          if (f_took != 0) a_promise_of_one_word_at_least: assert (f_ask3 != 8'd0);
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
          as_many_words_as_promised:  assert (m_tlast_o == (m_tdata_o[23:16] + 1'b1 == f_promise));
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

endmodule

bind output_port_lookup output_port_lookup_laws #(
  .NumPorts(NumPorts), .PathW(PathW), .LenW(LenW), .WordsW(WordsW), .PortW(PortW)
) i_laws (.*);

`default_nettype wire
