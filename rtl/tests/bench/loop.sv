// SPDX-License-Identifier: MIT OR Apache-2.0
// RMII port in a loop: frames that arrive at the switch's side leave by it again.

`default_nettype none

module loop (
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  input  wire logic       ref_clk_i,
  input  wire logic       crs_dv_i,
  input  wire logic [1:0] rxd_i,
  output logic            tx_en_o,
  output logic      [1:0] txd_o,
  output logic            user_o,
  output logic      [3:0] turns_o
);

  wire [7:0] data;
  wire       last, valid, ready;

  rmii_port i_port (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .m_tdata_o(data), .m_tlast_o(last), .m_tuser_o(user_o), .m_tvalid_o(valid), .m_tready_i(ready),
    .s_tdata_i(data), .s_tlast_i(last), .s_tvalid_i(valid), .s_tready_o(ready),
    .ref_clk_i(ref_clk_i), .crs_dv_i(crs_dv_i), .rxd_i(rxd_i), .tx_en_o(tx_en_o), .txd_o(txd_o),
    .beat_o(turns_o[3]), .fcs_o(turns_o[2]), .lost_o(turns_o[1]), .under_o(turns_o[0])
  );

endmodule

`default_nettype wire
