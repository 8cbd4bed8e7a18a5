// SPDX-License-Identifier: MIT OR Apache-2.0
// Frames from an RMII PHY at 100 Mbps, full duplex: bytes without preamble and FCS, and whether the FCS was right.
//
// Decision    start of a frame (the first 11 after 01s) and its end (CRS_DV low in the second di-bit of a nibble).
// State       the last five bytes, so that the FCS is removed and the last byte is recognised; the remainder of the FCS.
// Latency     a byte is offered 5 bytes and 3 cycles after its last di-bit is at the pins.
// Source      RMII Specification, revision 1.2: CRS_DV comes without regard to the clock and, once the carrier has gone, is low in
//             the first di-bit of each nibble while the PHY still has data. So only second di-bits tell whether more data comes.
// Deviations  no RX_ER: common modules do not connect it, and the FCS detects errors. 10 Mbps is not supported: such frames are broken.
//
// A byte is lost if the previous one is not yet taken, and the frame ends as broken: a link cannot wait. Di-bits at the end
// that are no whole byte are ignored. An FCS with no byte before it is no frame: nothing is offered and nothing counted.

`default_nettype none

module rmii_receive (
  input  wire logic       clk_i,      // REF_CLK, 50 MHz
  input  wire logic       rst_ni,     // reset, active low, synchronous
  input  wire logic       crs_dv_i,   // CRS_DV
  input  wire logic [1:0] rxd_i,      // RXD
  output logic      [7:0] m_tdata_o,  // AXI4-Stream out: a byte
  output logic            m_tlast_o,  // last byte of a frame
  output logic            m_tuser_o,  // with tlast: the frame is broken
  output logic            m_tvalid_o, // a byte is offered
  input  wire logic       m_tready_i, // the byte is taken
  output logic            fcs_o,      // toggles with each frame whose FCS is wrong
  output logic            lost_o      // toggles with each frame that lost bytes here
);

  localparam [1:0] Skip = 2'd0, Idle = 2'd1, Preamble = 2'd2, Data = 2'd3;
  localparam [31:0] Right = 32'hdebb_20e3;

  reg       early_dv_q, dv_q;
  reg [1:0] early_rxd_q, rxd_q;

  always_ff @(posedge clk_i) begin
    {early_dv_q, early_rxd_q} <= {crs_dv_i, rxd_i};
    {dv_q, rxd_q}             <= {early_dv_q, early_rxd_q};
  end

  reg [1:0]  state_q, dibit_q;
  reg [5:0]  bits_q;    // bits of an incomplete byte, the first ones lowest
  reg [39:0] line_q;    // the last five bytes, the oldest one highest
  reg [2:0]  held_q;    // number of these bytes
  reg [31:0] fcs_q;

  wire [7:0]  data   = {rxd_q, bits_q};
  wire        second = state_q == Data && dibit_q[0];  // second di-bit of a nibble
  wire        whole  = second && dv_q && dibit_q[1];
  wire        ends   = second && !dv_q;
  wire        is_out = held_q == 3'd5;
  wire [31:0] fcs;

  fcs_byte i_fcs (.fcs_i(fcs_q), .data_i(data), .fcs_o(fcs));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= Skip;
    else begin
      case (state_q)
        // Data under way belongs to no frame until the line falls silent.
        Skip:     if (!dv_q) state_q <= Idle;
        Idle:     if (dv_q && rxd_q != 2'b00) state_q <= rxd_q == 2'b01 ? Preamble : Skip;
        Preamble: if (!dv_q) state_q <= Idle;
                  else if (rxd_q != 2'b01) state_q <= rxd_q == 2'b11 ? Data : Skip;
        default:  if (ends) state_q <= Idle;
      endcase
    end
    dibit_q <= state_q == Data ? dibit_q + 1'b1 : 2'd0;
    bits_q  <= {rxd_q, bits_q[5:2]};
    if (state_q != Data) begin
      held_q <= 3'd0;
      fcs_q  <= 32'hffff_ffff;
    end else if (whole) begin
      if (!is_out) held_q <= held_q + 1'b1;
      line_q <= {line_q[31:0], data};
      fcs_q  <= fcs;
    end
  end

  // To the queue, which is never full unless the switch holds this port back.
  reg        valid_q, last_q, user_q;
  reg [7:0]  data_q;
  reg        began_q;  // a byte of this frame is in the queue
  reg        over_q;   // a byte of this frame is not in the queue
  reg        owed_q;   // the queue has a frame without its end

  initial {fcs_o, lost_o} = 2'b00;

  wire taken = !valid_q || m_tready_i;
  wire full  = !taken || owed_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      began_q <= 1'b0;
      over_q  <= 1'b0;
      owed_q  <= 1'b0;
    end else begin
      if (taken) valid_q <= owed_q || (is_out && (whole || ends) && !over_q);
      if (taken) owed_q <= 1'b0;
      if (is_out && whole) begin
        if (full) over_q <= 1'b1;
        else if (!over_q) began_q <= 1'b1;
      end
      if (ends) begin
        began_q <= 1'b0;
        over_q  <= 1'b0;
        if (is_out && (over_q || full) && began_q) owed_q <= 1'b1;
        if (is_out && (over_q || full)) lost_o <= !lost_o;
        if (is_out && fcs_q != Right) fcs_o <= !fcs_o;
      end
    end
    if (taken) begin
      data_q <= line_q[39:32];
      last_q <= owed_q || ends;
      user_q <= owed_q || fcs_q != Right;
    end
  end

  assign m_tdata_o  = data_q;
  assign m_tlast_o  = last_q;
  assign m_tuser_o  = last_q && user_q;
  assign m_tvalid_o = valid_q;

endmodule

`default_nettype wire
