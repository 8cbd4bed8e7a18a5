// SPDX-License-Identifier: MIT OR Apache-2.0
// switch_top with a separate clock and reset for each port's links.
//
// Decision    none: each link, in and out, crosses to the core's clock by a frame_crossing.
// State       that of switch_top and of 2 * NumPorts crossings.
// Latency     that of switch_top; and into the core three or four of its cycles, out of it as many of the port's.
// Rate        a beat in each cycle of the slower of both clocks. For a MAC's requirements: rtl/switch.md, "A clock for each port".
// Source      none.
// Deviations  none.

`default_nettype none

module switch_clocks #(
  parameter NumPorts = 4,     // ports; 4 or 8 are tested
  parameter PortW    = 2,     // bits of a port number
  parameter LinkW    = 64,    // bits of a beat of a link; 8 to PathW
  parameter PathW    = 64,    // bits of a word of the path; 64 to 512
  parameter InputW   = 9,     // 2^InputW words in each input buffer
  parameter SlotsW   = 6,     // 2^SlotsW frames in each input buffer
  parameter QueueW   = 11,    // 2^QueueW words in each output queue, or in the pool of all
  parameter Shared   = 0,     // 1: one pool with dynamic thresholds
  parameter LenW     = 11,    // bits of a length in bytes
  parameter MinFrame = 60,    // shortest sound frame, bytes without FCS
  parameter MaxFrame = 1518,  // longest sound frame, bytes without FCS
  parameter IndexW   = 8,     // 2 * 2^IndexW entries in the forwarding table
  parameter DrawW    = 32,    // bits of a draw
  parameter Dibs     = 1,     // 1: detours; 2: to the first open port; 3: as in BUFFER; 0: none
  parameter Spray    = 1,     // 1: ROUTE selects how a port of a group is chosen; 0: by hash only
  parameter Bytes    = 1,     // 1: counters of bytes as well as of frames
  parameter Ranked   = 0,     // 1: queues by rank, and vertigo; with Dibs 0 and Shared 0
  parameter CrossW   = 4      // 2^CrossW beats cross each port's clock at once, each way; 3 or more
) (
  input  wire logic                        clk_i,            // clock of the core and of the registers
  input  wire logic                        rst_ni,           // reset of that clock, active low, synchronous
  input  wire logic [NumPorts-1:0]         port_clk_i,       // clock of each port's links, in and out
  input  wire logic [NumPorts-1:0]         port_rst_ni,      // reset of each port's links, active low, synchronous to its clock
  // Links, port 0 in the lowest bits, each on its own clock.
  input  wire logic [NumPorts*LinkW-1:0]   s_axis_tdata_i,   // AXI4-Stream in: bytes, the first one lowest
  input  wire logic [NumPorts*LinkW/8-1:0] s_axis_tkeep_i,   // valid bytes; all, except in the last beat
  input  wire logic [NumPorts-1:0]         s_axis_tlast_i,   // the last beat of a frame
  input  wire logic [NumPorts-1:0]         s_axis_tuser_i,   // with tlast: the frame is broken
  input  wire logic [NumPorts-1:0]         s_axis_tvalid_i,  // a beat is offered
  output logic      [NumPorts-1:0]         s_axis_tready_o,  // the beat is taken
  output logic      [NumPorts*LinkW-1:0]   m_axis_tdata_o,   // AXI4-Stream out: bytes, the first one lowest
  output logic      [NumPorts*LinkW/8-1:0] m_axis_tkeep_o,   // valid bytes; all, except in the last beat
  output logic      [NumPorts-1:0]         m_axis_tlast_o,   // the last beat of a frame
  output logic      [NumPorts-1:0]         m_axis_tuser_o,   // with tlast: torn by a reset of the core; must not be sent as sound
  output logic      [NumPorts-1:0]         m_axis_tvalid_o,  // a beat is offered
  input  wire logic [NumPorts-1:0]         m_axis_tready_i,  // the beat is taken
  // Settings and counters, AXI4-Lite, on the core's clock.
  input  wire logic [11:0]                 s_axil_awaddr_i,  // write address
  input  wire logic                        s_axil_awvalid_i, // write address is offered
  output logic                             s_axil_awready_o, // write address is taken
  input  wire logic [31:0]                 s_axil_wdata_i,   // write data
  input  wire logic [3:0]                  s_axil_wstrb_i,   // ignored
  input  wire logic                        s_axil_wvalid_i,  // write data is offered
  output logic                             s_axil_wready_o,  // write data is taken
  output logic      [1:0]                  s_axil_bresp_o,   // always OKAY
  output logic                             s_axil_bvalid_o,  // a write response is offered
  input  wire logic                        s_axil_bready_i,  // the write response is taken
  input  wire logic [11:0]                 s_axil_araddr_i,  // read address
  input  wire logic                        s_axil_arvalid_i, // read address is offered
  output logic                             s_axil_arready_o, // read address is taken
  output logic      [31:0]                 s_axil_rdata_o,   // read data
  output logic      [1:0]                  s_axil_rresp_o,   // always OKAY
  output logic                             s_axil_rvalid_o,  // read data is offered
  input  wire logic                        s_axil_rready_i   // read data is taken
);

  wire [NumPorts*LinkW-1:0]   in_tdata, out_tdata;
  wire [NumPorts*LinkW/8-1:0] in_tkeep, out_tkeep;
  wire [NumPorts-1:0]         in_tlast, in_tuser, in_tvalid, in_tready, out_tlast, out_tvalid, out_tready;

  genvar p;
  generate
    for (p = 0; p < NumPorts; p = p + 1) begin : g_port
      frame_crossing #(.LinkW(LinkW), .AddrW(CrossW)) i_in (
        .s_clk_i    (port_clk_i[p]),
        .s_rst_ni   (port_rst_ni[p]),
        .s_tdata_i  (s_axis_tdata_i[p*LinkW +: LinkW]),
        .s_tkeep_i  (s_axis_tkeep_i[p*LinkW/8 +: LinkW/8]),
        .s_tlast_i  (s_axis_tlast_i[p]),
        .s_tuser_i  (s_axis_tuser_i[p]),
        .s_tvalid_i (s_axis_tvalid_i[p]),
        .s_tready_o (s_axis_tready_o[p]),
        .m_clk_i    (clk_i),
        .m_rst_ni   (rst_ni),
        .m_tdata_o  (in_tdata[p*LinkW +: LinkW]),
        .m_tkeep_o  (in_tkeep[p*LinkW/8 +: LinkW/8]),
        .m_tlast_o  (in_tlast[p]),
        .m_tuser_o  (in_tuser[p]),
        .m_tvalid_o (in_tvalid[p]),
        .m_tready_i (in_tready[p])
      );

      frame_crossing #(.LinkW(LinkW), .AddrW(CrossW)) i_out (
        .s_clk_i    (clk_i),
        .s_rst_ni   (rst_ni),
        .s_tdata_i  (out_tdata[p*LinkW +: LinkW]),
        .s_tkeep_i  (out_tkeep[p*LinkW/8 +: LinkW/8]),
        .s_tlast_i  (out_tlast[p]),
        .s_tuser_i  (1'b0),
        .s_tvalid_i (out_tvalid[p]),
        .s_tready_o (out_tready[p]),
        .m_clk_i    (port_clk_i[p]),
        .m_rst_ni   (port_rst_ni[p]),
        .m_tdata_o  (m_axis_tdata_o[p*LinkW +: LinkW]),
        .m_tkeep_o  (m_axis_tkeep_o[p*LinkW/8 +: LinkW/8]),
        .m_tlast_o  (m_axis_tlast_o[p]),
        .m_tuser_o  (m_axis_tuser_o[p]),
        .m_tvalid_o (m_axis_tvalid_o[p]),
        .m_tready_i (m_axis_tready_i[p])
      );
    end
  endgenerate

  switch_top #(
    .NumPorts(NumPorts), .PortW(PortW), .LinkW(LinkW), .PathW(PathW), .InputW(InputW), .SlotsW(SlotsW), .QueueW(QueueW), .Shared(Shared),
    .LenW(LenW), .MinFrame(MinFrame), .MaxFrame(MaxFrame), .IndexW(IndexW), .DrawW(DrawW), .Dibs(Dibs), .Spray(Spray), .Bytes(Bytes), .Ranked(Ranked)
  ) i_switch (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .s_axis_tdata_i   (in_tdata),
    .s_axis_tkeep_i   (in_tkeep),
    .s_axis_tlast_i   (in_tlast),
    .s_axis_tuser_i   (in_tuser),
    .s_axis_tvalid_i  (in_tvalid),
    .s_axis_tready_o  (in_tready),
    .m_axis_tdata_o   (out_tdata),
    .m_axis_tkeep_o   (out_tkeep),
    .m_axis_tlast_o   (out_tlast),
    .m_axis_tvalid_o  (out_tvalid),
    .m_axis_tready_i  (out_tready),
    .s_axil_awaddr_i  (s_axil_awaddr_i),
    .s_axil_awvalid_i (s_axil_awvalid_i),
    .s_axil_awready_o (s_axil_awready_o),
    .s_axil_wdata_i   (s_axil_wdata_i),
    .s_axil_wstrb_i   (s_axil_wstrb_i),
    .s_axil_wvalid_i  (s_axil_wvalid_i),
    .s_axil_wready_o  (s_axil_wready_o),
    .s_axil_bresp_o   (s_axil_bresp_o),
    .s_axil_bvalid_o  (s_axil_bvalid_o),
    .s_axil_bready_i  (s_axil_bready_i),
    .s_axil_araddr_i  (s_axil_araddr_i),
    .s_axil_arvalid_i (s_axil_arvalid_i),
    .s_axil_arready_o (s_axil_arready_o),
    .s_axil_rdata_o   (s_axil_rdata_o),
    .s_axil_rresp_o   (s_axil_rresp_o),
    .s_axil_rvalid_o  (s_axil_rvalid_o),
    .s_axil_rready_i  (s_axil_rready_i)
  );

endmodule

`default_nettype wire
