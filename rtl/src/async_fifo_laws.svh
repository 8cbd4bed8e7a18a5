// SPDX-License-Identifier: MIT OR Apache-2.0
// Laws of async_fifo: two clocks with free edges, wires with free delays, resets of either side at any time.
//
// In each step of the solver's clock either clock may rise, both or none: so the runs include every ratio, drift and
// standstill. Each bit that crosses arrives at the other clock separately, at the latest as its own clock rises again.

  (* gclk *) wire f_step;

  reg f_past_q = 1'b0, f_w_clk_q = 1'b0, f_r_clk_q = 1'b0;
  always_ff @(posedge f_step) {f_past_q, f_w_clk_q, f_r_clk_q} <= {1'b1, w_clk_i, r_clk_i};
  wire f_w_edge = f_past_q && w_clk_i && !f_w_clk_q;
  wire f_r_edge = f_past_q && r_clk_i && !f_r_clk_q;
  always_comb if (!f_past_q) assume (!w_clk_i && !r_clk_i);

  // Wires.
  (* anyseq *) wire [AddrW+1:0] f_w_late;
  (* anyseq *) wire [AddrW+2:0] f_r_late;
  wire [AddrW+1:0] f_w_near = {w_gray_q, w_run_q};
  wire [AddrW+2:0] f_r_near = {r_gray_q, r_run_q, r_ask_q};
  reg  [AddrW+1:0] f_w_far_q = {(AddrW+2){1'b0}}, f_w_near_q = {(AddrW+2){1'b0}};
  reg  [AddrW+2:0] f_r_far_q = {(AddrW+3){1'b0}}, f_r_near_q = {(AddrW+3){1'b0}};
  always_ff @(posedge f_step) begin
    f_w_near_q <= f_w_near;
    f_r_near_q <= f_r_near;
    f_w_far_q  <= f_w_late & f_w_far_q | ~f_w_late & f_w_near;
    f_r_far_q  <= f_r_late & f_r_far_q | ~f_r_late & f_r_near;
  end
  always_comb if (f_w_edge) assume (f_w_far_q == f_w_near_q);
  always_comb if (f_r_edge) assume (f_r_far_q == f_r_near_q);
  assign {w_gray_far, w_run_far}            = f_w_far_q;
  assign {r_gray_far, r_run_far, r_ask_far} = f_r_far_q;

  // Value of each register of pointers, in binary.
  function automatic [AddrW:0] f_binary(input [AddrW:0] code);
    integer i;
    begin
      f_binary[AddrW] = code[AddrW];
      for (i = AddrW - 1; i >= 0; i = i - 1) f_binary[i] = f_binary[i+1] ^ code[i];
    end
  endfunction

  localparam [AddrW:0] FWords = 1 << AddrW;
  wire [AddrW:0] f_held   = w_at_q - r_at_q;
  wire [AddrW:0] f_w_far  = f_binary(w_gray_far)    - r_at_q, f_w_meta = f_binary(w_gray_meta_q) - r_at_q;
  wire [AddrW:0] f_w_sync = f_binary(w_gray_sync_q) - r_at_q;  // words that the reader sees
  wire [AddrW:0] f_r_far  = w_at_q - f_binary(r_gray_far),    f_r_meta = w_at_q - f_binary(r_gray_meta_q);
  wire [AddrW:0] f_r_sync = w_at_q - f_binary(r_gray_sync_q);  // words that the writer assumes

  // Any one word: the last one written when the pointer was f_at.
  (* anyconst *) wire [AddrW:0] f_at;
  reg [Width-1:0] f_word_q;
  reg             f_have_q = 1'b0;
  always_ff @(posedge w_clk_i) begin
    if (push && w_at_q == f_at) f_word_q <= w_data_i;
    f_have_q <= !w_rests && (f_have_q || (push && w_at_q == f_at));
  end
  wire [AddrW:0] f_age = w_at_q - f_at;  // words written since, that word included
  wire f_waits = r_run_q && f_age != 0 && f_age <= f_held;
  wire f_is_out = r_valid_q && r_at_q - 1'b1 == f_at;

  // Rounds: in each, both clocks rise. They are counted while both sides run and a word is waited for.
  reg       f_w_rose_q = 1'b0, f_r_rose_q = 1'b0;
  reg [4:0] f_shut_q = 5'd0, f_dry_q = 5'd0;
  wire      f_round = (f_w_rose_q || f_w_edge) && (f_r_rose_q || f_r_edge);
  wire      f_both  = w_rst_ni && r_rst_ni && w_up_q && r_up_q && !w_ask_q && !r_ask_q && !r_ask_sync_q && !r_ask_meta_q && !r_ask_far;
  always_ff @(posedge f_step) begin
    f_w_rose_q <= !f_round && (f_w_rose_q || f_w_edge);
    f_r_rose_q <= !f_round && (f_r_rose_q || f_r_edge);
    f_shut_q   <= f_both && !w_ready_q && r_ready_i ? f_shut_q + {4'd0, f_round} : 5'd0;
    f_dry_q    <= f_both && !r_valid_q && w_at_q != r_at_q ? f_dry_q + {4'd0, f_round} : 5'd0;
  end

  // Wave of the run flags, from the writer's register through the reader's and back. At most one change is under way.
  wire [7:0] f_wave = {w_run_q, w_run_far, w_run_meta_q, w_run_sync_q, r_run_q, r_run_far, r_run_meta_q, r_run_sync_q};
  wire [6:0] f_front = f_wave[7:1] ^ f_wave[6:0];
  wire f_rises = w_run_q && !r_run_sync_q;

  // Gray codes, as they leave their registers.
  reg [AddrW:0] f_w_gray_q = {(AddrW+1){1'b0}}, f_r_gray_q = {(AddrW+1){1'b0}};
  reg f_w_looked_at_q = 1'b0, f_r_looked_at_q = 1'b0;
  always_ff @(posedge f_step) begin
    {f_w_gray_q, f_r_gray_q} <= {w_gray_q, r_gray_q};
    {f_w_looked_at_q, f_r_looked_at_q} <= {r_run_q || w_run_sync_q, r_run_sync_q && w_run_q};
  end
  wire [AddrW:0] f_w_turned = w_gray_q ^ f_w_gray_q, f_r_turned = r_gray_q ^ f_r_gray_q;

`ifdef RETURNS
  // From any state that keeps the laws, which the other tasks prove: so from every reachable one.
  `define LAW assume
  localparam [4:0] Frees = 5'd9, Comes = 5'd6;
  always_comb begin
    room_returns:   assert (f_shut_q < Frees);
    words_come:     assert (f_dry_q < Comes);
  end
`else
  `define LAW assert
`endif

  always_comb begin
    if (f_past_q) begin
      one_bit_at_a_time:       `LAW ((!f_w_looked_at_q || (f_w_turned & (f_w_turned - 1'b1)) == 0)
                                       && (!f_r_looked_at_q || (f_r_turned & (f_r_turned - 1'b1)) == 0));
      codes_of_their_pointers: `LAW (w_gray_q == gray(w_at_q) && r_gray_q == gray(r_at_q));
      one_change_under_way:    `LAW ((f_front & (f_front - 1'b1)) == 0);
      // A side that does not run does not change the registers that the other reads.
      ready_only_while_up:     `LAW (!w_ready_q || w_up_q);
      up_only_while_both_run:  `LAW (!w_up_q || (w_run_q && r_run_sync_q && !w_ask_q));
      valid_only_while_up:     `LAW (!r_valid_q || r_up_q);
      up_only_while_it_runs:   `LAW (!r_up_q || (r_run_q && !r_ask_q));
      clean:                   `LAW (!w_clean_q || w_run_q || w_at_q == 0);
      both_begin_at_0:         `LAW (!f_rises || (w_at_q == 0 && w_gray_far == 0 && (!w_run_meta_q || w_gray_meta_q == 0)
                                       && (!w_run_sync_q || w_gray_sync_q == 0) && (!r_run_q || (r_at_q == 0 && r_gray_far == 0))
                                       && (!r_run_meta_q || r_gray_meta_q == 0)));
      the_reader_as_well:      `LAW (r_run_q || ((!w_run_meta_q || w_run_q == 0 || r_at_q == 0)
                                       && (!w_run_sync_q || w_run_q == 0 || r_gray_far == 0)));
      // While both run.
      if (r_run_q) never_below_empty: `LAW (f_w_sync <= f_w_meta && f_w_meta <= f_w_far && f_w_far <= f_held
                                                     && f_held - f_w_far <= 1 && f_held <= FWords);
      if (w_run_q && r_run_sync_q) never_above_full:
        `LAW (f_held <= f_r_far && f_r_far - f_held <= 1 && f_r_far <= f_r_meta && f_r_meta <= f_r_sync && f_r_sync <= FWords);
      // First in, first out: word n that is read is word n that was written.
      what_waits_was_written:  `LAW (!f_waits || f_have_q);
      as_it_was_written:       `LAW (!f_have_q || f_age == 0 || f_age > FWords || g_luts.words[f_at[AddrW-1:0]] == f_word_q);
      what_is_out_was_written: `LAW (!f_is_out || (f_have_q && f_age != 0 && f_age - 1'b1 <= FWords && r_data_q == f_word_q));
      no_room_no_ready:        `LAW (!w_ready_q || f_r_sync < FWords);
    end
  end

  reg f_was_reset_q = 1'b0, f_lost_q = 1'b0;
  always_ff @(posedge f_step) begin
    f_was_reset_q <= f_was_reset_q || (w_up_q && !w_rst_ni && r_rst_ni);
    f_lost_q      <= f_lost_q || (f_was_reset_q && !r_up_q);
  end
  always_ff @(posedge f_step) begin
    full_to_the_last_word:         cover (f_past_q && f_held == FWords);
    a_word_after_a_round:          cover (f_past_q && f_is_out && f_w_turned == 0 && f_have_q && w_at_q == FWords + 1'b1 && f_at == FWords);
    a_bit_that_comes_late:         cover (f_past_q && w_gray_meta_q != w_gray_q && w_gray_far == w_gray_q && f_r_edge && w_run_q);
    both_again_after_one_ones_reset: cover (f_lost_q && w_up_q && r_up_q && r_valid_q && w_rst_ni);
  end
