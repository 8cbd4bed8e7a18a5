// SPDX-License-Identifier: MIT OR Apache-2.0
// RMII port: the MAC in the PHY's clock, and queues to and from the switch's clock.
//
// Decision    none.
// State       that of its cells; the PHY's clock divided by 16.
// Latency     rmii_receive and rmii_transmit, and 3 or 4 cycles of the reader's clock by each async_fifo.
// Source      none.
// Deviations  none.
//
// The MAC is held in reset until both sides of its queue run. So neither a reset of the
// switch nor a clock that starts late or stops makes a partial frame pass for a whole one.

`default_nettype none

module rmii_port (
  input  wire logic       clk_i,      // the switch's clock
  input  wire logic       rst_ni,     // reset of that clock, active low, synchronous
  output logic      [7:0] m_tdata_o,  // to the switch, AXI4-Stream: a byte
  output logic            m_tlast_o,  // last byte of a frame
  output logic            m_tuser_o,  // with tlast: the frame is broken
  output logic            m_tvalid_o, // a byte is offered
  input  wire logic       m_tready_i, // the byte is taken
  input  wire logic [7:0] s_tdata_i,  // from the switch, AXI4-Stream: a byte
  input  wire logic       s_tlast_i,  // last byte of a frame
  input  wire logic       s_tvalid_i, // a byte is offered
  output logic            s_tready_o, // the byte is taken
  input  wire logic       ref_clk_i,  // REF_CLK, 50 MHz, and its signals:
  input  wire logic       crs_dv_i,   // CRS_DV
  input  wire logic [1:0] rxd_i,      // RXD
  output logic            tx_en_o,    // TX_EN
  output logic      [1:0] txd_o,      // TXD
  output logic            beat_o,     // REF_CLK / 16
  output logic            fcs_o,      // toggles: a frame's FCS was wrong
  output logic            lost_o,     // toggles: bytes of a frame were lost on the way in
  output logic            under_o     // toggles: bytes of a frame came too late on the way out
);

  // Configuration leaves the queues at rest, and a reset of the switch's side resets both.
  wire [7:0] in_data, out_data;
  wire       in_last, in_user, in_valid, in_ready, in_up;
  wire       out_last, out_valid, out_ready, out_up;
  /* verilator lint_off UNUSEDSIGNAL */
  wire [1:0] core_up;
  /* verilator lint_on UNUSEDSIGNAL */

  rmii_receive i_receive (
    .clk_i(ref_clk_i), .rst_ni(in_up), .crs_dv_i(crs_dv_i), .rxd_i(rxd_i),
    .m_tdata_o(in_data), .m_tlast_o(in_last), .m_tuser_o(in_user), .m_tvalid_o(in_valid), .m_tready_i(in_ready),
    .fcs_o(fcs_o), .lost_o(lost_o)
  );

  async_fifo #(.Width(10), .AddrW(4)) i_in (
    .w_clk_i(ref_clk_i), .w_rst_ni(1'b1), .w_valid_i(in_valid), .w_data_i({in_user, in_last, in_data}), .w_ready_o(in_ready),
    .w_up_o(in_up),
    .r_clk_i(clk_i), .r_rst_ni(rst_ni), .r_valid_o(m_tvalid_o), .r_data_o({m_tuser_o, m_tlast_o, m_tdata_o}),
    .r_up_o(core_up[0]), .r_ready_i(m_tready_i)
  );

  async_fifo #(.Width(9), .AddrW(4)) i_out (
    .w_clk_i(clk_i), .w_rst_ni(rst_ni), .w_valid_i(s_tvalid_i), .w_data_i({s_tlast_i, s_tdata_i}), .w_ready_o(s_tready_o),
    .w_up_o(core_up[1]),
    .r_clk_i(ref_clk_i), .r_rst_ni(1'b1), .r_valid_o(out_valid), .r_data_o({out_last, out_data}),
    .r_up_o(out_up), .r_ready_i(out_ready)
  );

  rmii_transmit i_transmit (
    .clk_i(ref_clk_i), .rst_ni(out_up), .s_tdata_i(out_data), .s_tlast_i(out_last), .s_tvalid_i(out_valid), .s_tready_o(out_ready),
    .tx_en_o(tx_en_o), .txd_o(txd_o), .under_o(under_o)
  );

  reg [3:0] part_q;
  initial part_q = 4'd0;
  always_ff @(posedge ref_clk_i) part_q <= part_q + 1'b1;
  assign beat_o = part_q[3];

endmodule

`default_nettype wire
