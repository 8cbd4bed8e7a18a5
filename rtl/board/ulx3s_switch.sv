// SPDX-License-Identifier: MIT OR Apache-2.0
// The switch on a ULX3S: four RMII PHYs at 100 Mbps, registers by the board's UART.
//
// Decision    none. Addresses 0x0000 to 0x0FFF are the switch's (rtl/switch.md), those from 0x1000 on board_registers'.
// State       that of its cells; a reset of 16 cycles after configuration and while FIRE1 is pressed; LEDs that stay on for 42 ms.
// Latency     that of rmii_port, switch_top and rmii_port.
// Source      none.
// Deviations  the switch runs at the board's 25 MHz: a byte a cycle is twice what a link of 100 Mbps
//             carries, and a word of 8 bytes a cycle four times what all four links carry. No PLL.
//
// LEDs: 0 to 3, a frame came or left by port p; 4 to 7, port p has its REF_CLK.

`default_nettype none

module ulx3s_switch #(
  parameter Divider = 25,       // cycles a bit of the UART: 1 Mbaud
  parameter Quiet   = 250_000,  // cycles of silence that end a command: 10 ms
  parameter Window  = 400_000,  // cycles in which REF_CLKs are counted: 16 ms
  parameter Dibs    = 3,        // parameters of switch_top, as those that follow
  parameter Spray   = 1,
  parameter QueueW  = 11        // 2^QueueW words in each output queue: 12 fits a 45F, 13 an 85F
) (
  input  wire logic       clk_25mhz_i,  // the board's oscillator
  input  wire logic       fire1_i,      // button FIRE1: reset while pressed
  input  wire logic       uart_i,       // UART from the host
  output logic            uart_o,       // UART to the host
  output logic      [7:0] led_o,        // LEDs
  output logic            wifi_en_o,    // low: the ESP32, which shares pins with port 2, is off
  input  wire logic [3:0] ref_clk_i,    // REF_CLK of the ports' PHYs, 50 MHz each
  input  wire logic [3:0] crs_dv_i,     // CRS_DV
  input  wire logic [7:0] rxd_i,        // RXD, two bits a port
  output logic      [3:0] tx_en_o,      // TX_EN
  output logic      [7:0] txd_o         // TXD, two bits a port
);

  localparam Ports = 4;

  wire clk = clk_25mhz_i;
  assign wifi_en_o = 1'b0;

  // Reset.
  (* ASYNC_REG = "TRUE" *) reg fire_meta_q, fire_sync_q;
  reg [4:0] wake_q;
  initial wake_q = 5'd0;
  wire rst_n = wake_q[4];

  always_ff @(posedge clk) begin
    {fire_sync_q, fire_meta_q} <= {fire_meta_q, fire1_i};
    if (fire_sync_q) wake_q <= 5'd0;
    else if (!wake_q[4]) wake_q <= wake_q + 1'b1;
  end

  // Links.
  wire [8*Ports-1:0] in_data, out_data;
  wire [Ports-1:0]   in_last, in_user, in_valid, in_ready, out_last, out_valid, out_ready;
  wire [Ports-1:0]   beat, fcs, lost, under, alive;
  /* verilator lint_off UNUSEDSIGNAL */
  wire [Ports-1:0]   out_keep;  // beats of one byte are whole
  wire [1:0]         bresp, rresp;
  /* verilator lint_on UNUSEDSIGNAL */

  genvar p;
  generate
    for (p = 0; p < Ports; p = p + 1) begin : g_port
      rmii_port i_port (
        .clk_i      (clk),
        .rst_ni     (rst_n),
        .m_tdata_o  (in_data[8*p +: 8]),
        .m_tlast_o  (in_last[p]),
        .m_tuser_o  (in_user[p]),
        .m_tvalid_o (in_valid[p]),
        .m_tready_i (in_ready[p]),
        .s_tdata_i  (out_data[8*p +: 8]),
        .s_tlast_i  (out_last[p]),
        .s_tvalid_i (out_valid[p]),
        .s_tready_o (out_ready[p]),
        .ref_clk_i  (ref_clk_i[p]),
        .crs_dv_i   (crs_dv_i[p]),
        .rxd_i      (rxd_i[2*p +: 2]),
        .tx_en_o    (tx_en_o[p]),
        .txd_o      (txd_o[2*p +: 2]),
        .beat_o     (beat[p]),
        .fcs_o      (fcs[p]),
        .lost_o     (lost[p]),
        .under_o    (under[p])
      );

      reg [19:0] glow_q;
      reg        moved_q;
      always_ff @(posedge clk) begin
        moved_q <= (in_valid[p] && in_ready[p] && in_last[p]) || (out_valid[p] && out_ready[p] && out_last[p]);
        if (!rst_n) glow_q <= 20'h0;
        else if (moved_q) glow_q <= 20'hfffff;
        else if (glow_q != 20'h0) glow_q <= glow_q - 1'b1;
      end
      assign led_o[p] = glow_q != 20'h0;
    end
  endgenerate

  assign led_o[7:4] = alive;

  // Registers: one access at a time, so an answer is that of the addressed slave.
  wire [15:0] awaddr, araddr;
  wire [31:0] wdata, rdata_switch, rdata_board;
  wire        awvalid, wvalid, arvalid, bready, rready, bad;
  wire        write_board = awaddr[15:12] != 4'h0;
  wire        read_board  = araddr[15:12] != 4'h0;
  wire [1:0]  awready, wready, bvalid, arready, rvalid;  // 0: the switch's; 1: the board's

  uart_registers #(.Divider(Divider), .Quiet(Quiet)) i_uart (
    .clk_i            (clk),
    .rst_ni           (rst_n),
    .rx_i             (uart_i),
    .tx_o             (uart_o),
    .bad_o            (bad),
    .m_axil_awaddr_o  (awaddr),
    .m_axil_awvalid_o (awvalid),
    .m_axil_awready_i (|awready),
    .m_axil_wdata_o   (wdata),
    .m_axil_wvalid_o  (wvalid),
    .m_axil_wready_i  (|wready),
    .m_axil_bvalid_i  (|bvalid),
    .m_axil_bready_o  (bready),
    .m_axil_araddr_o  (araddr),
    .m_axil_arvalid_o (arvalid),
    .m_axil_arready_i (|arready),
    .m_axil_rdata_i   (read_board ? rdata_board : rdata_switch),
    .m_axil_rvalid_i  (|rvalid),
    .m_axil_rready_o  (rready)
  );

  board_registers #(.Window(Window)) i_board (
    .clk_i     (clk),
    .rst_ni    (rst_n),
    .beat_i    (beat),
    .fcs_i     (fcs),
    .lost_i    (lost),
    .under_i   (under),
    .bad_i     (bad),
    .alive_o   (alive),
    .awvalid_i (awvalid && write_board),
    .awready_o (awready[1]),
    .wvalid_i  (wvalid && write_board),
    .wready_o  (wready[1]),
    .bvalid_o  (bvalid[1]),
    .bready_i  (bready),
    .araddr_i  (araddr[11:8] == 4'h0 ? araddr[7:0] : 8'hff),
    .arvalid_i (arvalid && read_board),
    .arready_o (arready[1]),
    .rdata_o   (rdata_board),
    .rvalid_o  (rvalid[1]),
    .rready_i  (rready)
  );

  switch_top #(.NumPorts(Ports), .PortW(2), .LinkW(8), .PathW(64), .QueueW(QueueW), .Dibs(Dibs), .Spray(Spray)) i_switch (
    .clk_i            (clk),
    .rst_ni           (rst_n),
    .s_axis_tdata_i   (in_data),
    .s_axis_tkeep_i   ({Ports{1'b1}}),
    .s_axis_tlast_i   (in_last),
    .s_axis_tuser_i   (in_user),
    .s_axis_tvalid_i  (in_valid),
    .s_axis_tready_o  (in_ready),
    .m_axis_tdata_o   (out_data),
    .m_axis_tkeep_o   (out_keep),
    .m_axis_tlast_o   (out_last),
    .m_axis_tvalid_o  (out_valid),
    .m_axis_tready_i  (out_ready),
    .s_axil_awaddr_i  (awaddr[11:0]),
    .s_axil_awvalid_i (awvalid && !write_board),
    .s_axil_awready_o (awready[0]),
    .s_axil_wdata_i   (wdata),
    .s_axil_wstrb_i   (4'hf),
    .s_axil_wvalid_i  (wvalid && !write_board),
    .s_axil_wready_o  (wready[0]),
    .s_axil_bresp_o   (bresp),
    .s_axil_bvalid_o  (bvalid[0]),
    .s_axil_bready_i  (bready),
    .s_axil_araddr_i  (araddr[11:0]),
    .s_axil_arvalid_i (arvalid && !read_board),
    .s_axil_arready_o (arready[0]),
    .s_axil_rdata_o   (rdata_switch),
    .s_axil_rresp_o   (rresp),
    .s_axil_rvalid_o  (rvalid[0]),
    .s_axil_rready_i  (rready)
  );

endmodule

`default_nettype wire
