// SPDX-License-Identifier: MIT OR Apache-2.0
// Vertigo's cells side by side, for one C++ bench. A test bench alone.

`default_nettype none

module vertigo (
  input  wire logic         clk_i,       // clock
  input  wire logic         rst_ni,      // reset, active low
  input  wire logic         push_i,      // the ports of rank_queue, with 64 places and 32-bit ranks
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
  input  wire logic [31:0]  newcomer_i,  // the ports of vertigo_deflect, with 8 ports
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

  vertigo_deflect i_deflect (
    .rank_i (newcomer_i), .want_i, .fits_i, .switch_i, .depth_i, .tail_i, .draw_1_i, .draw_2_i,
    .enqueue_o, .evict_o, .move_o, .target_o, .squeeze_o, .lost_o
  );

endmodule

`default_nettype wire
