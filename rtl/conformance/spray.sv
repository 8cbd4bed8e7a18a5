// SPDX-License-Identifier: MIT OR Apache-2.0
// Cells that spray, in parallel, for one C++ bench. For a test bench only.

`default_nettype none

module spray (
  input  wire logic         clk_i,     // clock
  input  wire logic         rst_ni,    // reset, active low
  input  wire logic         clear_i,   // clear_i of both cells, with 8 ports
  input  wire logic [7:0]   hops_i,
  input  wire logic [31:0]  draw_i,
  input  wire logic [31:0]  draw_2_i,
  input  wire logic         count_i,   // step_i of spray_counter
  input  wire logic         queued_i,
  input  wire logic [1:0]   ties_i,
  input  wire logic [30:0]  limit_i,
  input  wire logic [7:0]   set_i,
  input  wire logic [15:0]  bytes_i,
  input  wire logic [255:0] depth_i,   // 32 bits a port, of which the highest is 0
  output logic      [2:0]   least_o,   // choice of spray_counter
  input  wire logic         turn_i,    // step_i of spray_rr
  input  wire logic         first_i,
  input  wire logic [15:0]  burst_i,
  input  wire logic [15:0]  rounds_i,
  input  wire logic [9:0]   place_i,
  input  wire logic [31:0]  begin_i,
  output logic      [2:0]   next_o,    // choice of spray_rr
  output logic              drawn_o,
  output logic      [2:0]   shorter_o  // choice of shorter_of_two
);

  wire [8*31-1:0] depth;
  genvar p;
  generate
    for (p = 0; p < 8; p = p + 1) begin : g_depth
      assign depth[p*31+:31] = depth_i[p*32+:31];
    end
  endgenerate

  /* verilator lint_off PINCONNECTEMPTY */
  spray_counter #(.CountW(31), .BytesW(16), .SetW(8)) i_counter (
    .clk_i, .rst_ni, .clear_i, .queued_i, .ties_i, .limit_i, .step_i (count_i), .hops_i, .set_i, .bytes_i, .depth_i (depth),
    .draw_i, .none_o (), .onehot_o (), .port_o (least_o)
  );
  spray_rr #(.PlaceW(10), .BurstW(16), .RoundW(16)) i_rr (
    .clk_i, .rst_ni, .clear_i, .first_i, .burst_i, .rounds_i, .step_i (turn_i), .hops_i, .place_i, .begin_i, .draw_i,
    .none_o (), .onehot_o (), .port_o (next_o), .drawn_o
  );
  shorter_of_two #(.DepthW(31)) i_two (
    .set_i (hops_i), .depth_i (depth), .draw_1_i (draw_i), .draw_2_i, .none_o (), .onehot_o (), .port_o (shorter_o)
  );
  /* verilator lint_on PINCONNECTEMPTY */

endmodule

`default_nettype wire
