// SPDX-License-Identifier: MIT OR Apache-2.0
// Top of the board with a pin for each clock, which a test can drive.

`default_nettype none

module board #(
  parameter Divider = 8,
  parameter Quiet   = 2000,
  parameter Window  = 4000,
  parameter Dibs    = 3,
  parameter Spray   = 1
) (
  input  wire logic       clk_i,
  input  wire logic       fire1_i,
  input  wire logic       uart_i,
  output logic            uart_o,
  output logic      [7:0] led_o,
  input  wire logic       ref0_i,
  input  wire logic       ref1_i,
  input  wire logic       ref2_i,
  input  wire logic       ref3_i,
  input  wire logic [3:0] crs_dv_i,
  input  wire logic [7:0] rxd_i,
  output logic      [3:0] tx_en_o,
  output logic      [7:0] txd_o
);

  /* verilator lint_off UNUSEDSIGNAL */
  wire wifi;
  /* verilator lint_on UNUSEDSIGNAL */

  ulx3s_switch #(.Divider(Divider), .Quiet(Quiet), .Window(Window), .Dibs(Dibs), .Spray(Spray), .QueueW(9)) i_top (
    .clk_25mhz_i(clk_i), .fire1_i(fire1_i), .uart_i(uart_i), .uart_o(uart_o), .led_o(led_o), .wifi_en_o(wifi),
    .ref_clk_i({ref3_i, ref2_i, ref1_i, ref0_i}), .crs_dv_i(crs_dv_i), .rxd_i(rxd_i), .tx_en_o(tx_en_o), .txd_o(txd_o)
  );

endmodule

`default_nettype wire
