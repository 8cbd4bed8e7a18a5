// SPDX-License-Identifier: MIT OR Apache-2.0
// Cells that draw, for one C++ bench that counts. For a test bench only.

`default_nettype none

module draws (
  input  wire logic        clk_i,     // clock
  input  wire logic        rst_ni,    // reset, active low
  input  wire logic        seed_we_i, // ports of lfsr
  input  wire logic [31:0] seed_i,
  input  wire logic        step_i,
  output logic [31:0]      draw_o,    // 32 bits
  output logic [15:0]      draw_16_o, // 16 bits
  input  wire logic [7:0]  set_i,     // ports of pick_uniform
  input  wire logic [15:0] draw_i,
  output logic [2:0]       port_o,
  output logic             none_o
);

  lfsr i_32 (.clk_i, .rst_ni, .seed_we_i, .seed_i, .step_i, .draw_o);
  lfsr #(.Width(16), .Taps(16'hB400), .Seed(16'h0001), .DrawW(16), .Leap(16)) i_16 (
    .clk_i, .rst_ni, .seed_we_i, .seed_i (seed_i[15:0]), .step_i, .draw_o (draw_16_o)
  );
  /* verilator lint_off PINCONNECTEMPTY */
  pick_uniform #(.DrawW(16)) i_pick (.set_i, .draw_i, .none_o, .onehot_o (), .port_o);
  /* verilator lint_on PINCONNECTEMPTY */

endmodule

`default_nettype wire
