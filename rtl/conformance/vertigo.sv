// SPDX-License-Identifier: MIT OR Apache-2.0
// Cells of Vertigo, in parallel, for one C++ bench. For a test bench only.

`default_nettype none

module vertigo (
  input  wire logic         clk_i,       // clock
  input  wire logic         rst_ni,      // reset, active low
  input  wire logic         push_i,      // ports of rank_queue, with 64 places and 32-bit ranks
  input  wire logic [31:0]  rank_i,
  input  wire logic [15:0]  data_i,
  input  wire logic         pop_i,
  input  wire logic         largest_i,
  output logic              ready_o,
  output logic              valid_o,
  output logic [31:0]       head_rank_o,
  output logic [15:0]       head_data_o,
  output logic [31:0]       tail_rank_o,
  output logic [15:0]       tail_data_o,
  output logic [6:0]        count_o,
  input  wire logic         blocks_clk_i,  // rank_blocks with 64 places; its other inputs are those of rank_queue
  input  wire logic         blocks_push_i,
  input  wire logic         blocks_pop_i,
  output logic              blocks_idle_o,
  output logic              blocks_ready_o,
  output logic              blocks_valid_o,
  output logic [31:0]       blocks_head_rank_o,
  output logic [15:0]       blocks_head_data_o,
  output logic [31:0]       blocks_tail_rank_o,
  output logic [15:0]       blocks_tail_data_o,
  output logic [6:0]        blocks_count_o,
  input  wire logic         many_clk_i,  // rank_blocks with 1024 places
  input  wire logic         many_push_i,
  input  wire logic         many_pop_i,
  output logic              many_idle_o,
  output logic              many_ready_o,
  output logic              many_valid_o,
  output logic [31:0]       many_head_rank_o,
  output logic [15:0]       many_head_data_o,
  output logic [31:0]       many_tail_rank_o,
  output logic [15:0]       many_tail_data_o,
  output logic [10:0]       many_count_o,
  input  wire logic [31:0]  newcomer_i,  // ports of vertigo_deflect, with 8 ports
  input  wire logic [2:0]   want_i,
  input  wire logic [7:0]   fits_i,
  input  wire logic [7:0]   switch_i,
  input  wire logic [159:0] depth_i,
  input  wire logic [255:0] tail_i,
  input  wire logic [31:0]  draw_1_i,
  input  wire logic [31:0]  draw_2_i,
  output logic              enqueue_o,
  output logic              evict_o,
  output logic              move_o,
  output logic [2:0]        target_o,
  output logic              squeeze_o,
  output logic              lost_o
);

  rank_queue i_queue (
    .clk_i, .rst_ni, .push_i, .rank_i, .data_i, .ready_o, .pop_i, .largest_i,
    .valid_o, .head_rank_o, .head_data_o, .tail_rank_o, .tail_data_o, .count_o
  );

  rank_blocks i_blocks (
    .clk_i (blocks_clk_i), .rst_ni, .push_i (blocks_push_i), .rank_i, .data_i, .idle_o (blocks_idle_o), .ready_o (blocks_ready_o),
    .pop_i (blocks_pop_i), .largest_i, .valid_o (blocks_valid_o), .head_rank_o (blocks_head_rank_o), .head_data_o (blocks_head_data_o),
    .tail_rank_o (blocks_tail_rank_o), .tail_data_o (blocks_tail_data_o), .count_o (blocks_count_o)
  );

  rank_blocks #(.Entries(1024), .CountW(11), .Half(17), .Blocks(62), .IdW(6)) i_many (
    .clk_i (many_clk_i), .rst_ni, .push_i (many_push_i), .rank_i, .data_i, .idle_o (many_idle_o), .ready_o (many_ready_o),
    .pop_i (many_pop_i), .largest_i, .valid_o (many_valid_o), .head_rank_o (many_head_rank_o), .head_data_o (many_head_data_o),
    .tail_rank_o (many_tail_rank_o), .tail_data_o (many_tail_data_o), .count_o (many_count_o)
  );

  vertigo_deflect i_deflect (
    .rank_i (newcomer_i), .want_i, .fits_i, .switch_i, .depth_i, .tail_i, .draw_1_i, .draw_2_i,
    .enqueue_o, .evict_o, .move_o, .target_o, .squeeze_o, .lost_o
  );

endmodule

`default_nettype wire
