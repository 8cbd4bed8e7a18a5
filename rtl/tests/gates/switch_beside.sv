// SPDX-License-Identifier: MIT OR Apache-2.0
// The switch as gates, with the RTL in parallel: both have the same inputs, and every output is compared in every cycle.
//
// Decision    none. The outputs are those of the gates (`switch_gates`, a netlist of switch_top), so a bench tests the gates.
// State       that of both, and the number of the cycle.
// Errors      the first difference is reported and ends the simulation, and with it the running test.
//
// A link's data while it offers nothing, and the registers' answers while
// they are not queried, are not compared: the RTL has no reset for them.

`default_nettype none

module switch_beside #(
  parameter NumPorts = 4,     // as in switch_top; the netlist must have the same
  parameter PortW    = 2,
  parameter LinkW    = 8,
  parameter PathW    = 64,
  parameter Dibs     = 1,
  parameter Spray    = 0,
  parameter Bytes    = 0
) (
  input  wire logic                        clk_i,            // clock
  input  wire logic                        rst_ni,           // reset, active low, synchronous
  input  wire logic [NumPorts*LinkW-1:0]   s_axis_tdata_i,   // ports of switch_top, as those that follow
  input  wire logic [NumPorts*LinkW/8-1:0] s_axis_tkeep_i,
  input  wire logic [NumPorts-1:0]         s_axis_tlast_i,
  input  wire logic [NumPorts-1:0]         s_axis_tuser_i,
  input  wire logic [NumPorts-1:0]         s_axis_tvalid_i,
  output logic      [NumPorts-1:0]         s_axis_tready_o,
  output logic      [NumPorts*LinkW-1:0]   m_axis_tdata_o,
  output logic      [NumPorts*LinkW/8-1:0] m_axis_tkeep_o,
  output logic      [NumPorts-1:0]         m_axis_tlast_o,
  output logic      [NumPorts-1:0]         m_axis_tvalid_o,
  input  wire logic [NumPorts-1:0]         m_axis_tready_i,
  input  wire logic [11:0]                 s_axil_awaddr_i,
  input  wire logic                        s_axil_awvalid_i,
  output logic                             s_axil_awready_o,
  input  wire logic [31:0]                 s_axil_wdata_i,
  input  wire logic [3:0]                  s_axil_wstrb_i,
  input  wire logic                        s_axil_wvalid_i,
  output logic                             s_axil_wready_o,
  output logic      [1:0]                  s_axil_bresp_o,
  output logic                             s_axil_bvalid_o,
  input  wire logic                        s_axil_bready_i,
  input  wire logic [11:0]                 s_axil_araddr_i,
  input  wire logic                        s_axil_arvalid_i,
  output logic                             s_axil_arready_o,
  output logic      [31:0]                 s_axil_rdata_o,
  output logic      [1:0]                  s_axil_rresp_o,
  output logic                             s_axil_rvalid_o,
  input  wire logic                        s_axil_rready_i
);

  wire [NumPorts-1:0]         tready, tlast, tvalid;
  wire [NumPorts*LinkW-1:0]   tdata;
  wire [NumPorts*LinkW/8-1:0] tkeep;
  wire                        awready, wready, bvalid, arready, rvalid;
  wire [1:0]                  bresp, rresp;
  wire [31:0]                 rdata;

  switch_gates i_gates (.*);

  switch_top #(
    .NumPorts(NumPorts), .PortW(PortW), .LinkW(LinkW), .PathW(PathW), .Dibs(Dibs), .Spray(Spray), .Bytes(Bytes)
  ) i_rtl (
    .s_axis_tready_o  (tready),
    .m_axis_tdata_o   (tdata),
    .m_axis_tkeep_o   (tkeep),
    .m_axis_tlast_o   (tlast),
    .m_axis_tvalid_o  (tvalid),
    .s_axil_awready_o (awready),
    .s_axil_wready_o  (wready),
    .s_axil_bresp_o   (bresp),
    .s_axil_bvalid_o  (bvalid),
    .s_axil_arready_o (arready),
    .s_axil_rdata_o   (rdata),
    .s_axil_rresp_o   (rresp),
    .s_axil_rvalid_o  (rvalid),
    .*
  );

  // The RTL's valid selects the data to compare: the gates' valid is compared too.
  wire [NumPorts*LinkW-1:0]   data_counts;
  wire [NumPorts*LinkW/8-1:0] keep_counts;

  genvar p;
  generate
    for (p = 0; p < NumPorts; p = p + 1) begin : g_counts
      assign data_counts[p*LinkW +: LinkW]     = {LinkW{tvalid[p]}};
      assign keep_counts[p*LinkW/8 +: LinkW/8] = {(LinkW/8){tvalid[p]}};
    end
  endgenerate

  // Before its first reset the RTL's state is unknown. A bench may also begin a reset at a clock edge, when
  // it reaches the gates late, since it passes through gates itself: both have it after the second edge.
  reg        in_reset_q = 1'b0;
  reg        counts_q   = 1'b0;
  reg [31:0] cycle_q    = 32'd0;

  `define SIDESTEP_SAME(what, is, should) \
    if ((is) !== (should)) begin \
      $display("gates differ in cycle %0d, %s: %h, the RTL %h", cycle_q, what, is, should); \
      $finish; \
    end

  always @(posedge clk_i) begin
    cycle_q <= cycle_q + 1'b1;
    in_reset_q <= !rst_ni;
    if (!rst_ni) counts_q <= in_reset_q;
    if (counts_q) begin
      `SIDESTEP_SAME("s_axis_tready", s_axis_tready_o, tready)
      `SIDESTEP_SAME("m_axis_tvalid", m_axis_tvalid_o, tvalid)
      `SIDESTEP_SAME("m_axis_tlast", m_axis_tlast_o & tvalid, tlast & tvalid)
      `SIDESTEP_SAME("m_axis_tkeep", m_axis_tkeep_o & keep_counts, tkeep & keep_counts)
      `SIDESTEP_SAME("m_axis_tdata", m_axis_tdata_o & data_counts, tdata & data_counts)
      `SIDESTEP_SAME("s_axil_awready", s_axil_awready_o, awready)
      `SIDESTEP_SAME("s_axil_wready", s_axil_wready_o, wready)
      `SIDESTEP_SAME("s_axil_bvalid", s_axil_bvalid_o, bvalid)
      `SIDESTEP_SAME("s_axil_bresp", s_axil_bresp_o & {2{bvalid}}, bresp & {2{bvalid}})
      `SIDESTEP_SAME("s_axil_arready", s_axil_arready_o, arready)
      `SIDESTEP_SAME("s_axil_rvalid", s_axil_rvalid_o, rvalid)
      `SIDESTEP_SAME("s_axil_rresp", s_axil_rresp_o & {2{rvalid}}, rresp & {2{rvalid}})
      `SIDESTEP_SAME("s_axil_rdata", s_axil_rdata_o & {32{rvalid}}, rdata & {32{rvalid}})
    end
  end

endmodule

`default_nettype wire
