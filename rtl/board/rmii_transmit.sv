// SPDX-License-Identifier: MIT OR Apache-2.0
// Frames to an RMII PHY at 100 Mbps, full duplex: preamble, bytes, FCS, and a gap of 96 bits.
//
// Decision    none. A byte that is missing at its turn ends the frame with a wrong FCS, and the rest of the frame is dropped.
// State       the byte being sent, the remainder of the FCS.
// Latency     TX_EN rises 2 cycles after the first byte is offered, if the gap is over; the byte itself is taken 31 cycles later.
// Source      IEEE 802.3, clause 3; RMII Specification, revision 1.2.
// Deviations  no padding: the switch has no frame of less than 60 bytes.
//
// The sender must offer the rest of a frame at one byte in four cycles or faster; the 32 cycles of preamble are a head start.

`default_nettype none

module rmii_transmit (
  input  wire logic       clk_i,      // REF_CLK, 50 MHz
  input  wire logic       rst_ni,     // reset, active low, synchronous
  input  wire logic [7:0] s_tdata_i,  // AXI4-Stream in: a byte
  input  wire logic       s_tlast_i,  // last byte of a frame
  input  wire logic       s_tvalid_i, // a byte is offered
  output logic            s_tready_o, // the byte is taken
  output logic            tx_en_o,    // TX_EN
  output logic      [1:0] txd_o,      // TXD
  output logic            under_o     // toggles with each frame that lacked a byte
);

  localparam [2:0] Gap = 3'd0, Preamble = 3'd1, Data = 3'd2, Fcs = 3'd3, Drop = 3'd4;
  localparam [5:0] GapCycles = 6'd48;

  reg [2:0]  state_q;
  reg [5:0]  wait_q;   // remaining cycles of the gap
  reg [1:0]  dibit_q;
  reg [2:0]  count_q;  // bytes of preamble or FCS sent
  reg [7:0]  byte_q;   // rest of the byte, lowest bits first
  reg        last_q, short_q;
  reg [31:0] fcs_q;

  wire        sends    = state_q == Preamble || state_q == Data || state_q == Fcs;
  wire        byte_end = dibit_q == 2'd3;
  wire        fetch    = byte_end && ((state_q == Preamble && count_q == 3'd7) || (state_q == Data && !last_q));
  wire [31:0] fcs;

  fcs_byte i_fcs (.fcs_i(fcs_q), .data_i(s_tdata_i), .fcs_o(fcs));

  initial under_o = 1'b0;

  always_ff @(posedge clk_i) begin
    dibit_q <= sends ? dibit_q + 1'b1 : 2'd0;
    byte_q  <= {2'b00, byte_q[7:2]};
    if (wait_q != 6'd0) wait_q <= wait_q - 1'b1;
    if (!rst_ni) begin
      state_q <= Gap;
      wait_q  <= GapCycles;
      dibit_q <= 2'd0;
    end else begin
      case (state_q)
        Gap: begin
          count_q <= 3'd0;
          fcs_q   <= 32'hffff_ffff;
          byte_q  <= 8'h55;
          short_q <= 1'b0;
          if (wait_q == 6'd0 && s_tvalid_i) state_q <= Preamble;
        end
        Drop: if (s_tvalid_i && s_tlast_i) state_q <= Gap;
        default: begin
          if (byte_end) begin
            count_q <= count_q + 1'b1;
            byte_q  <= state_q == Preamble && count_q == 3'd6 ? 8'hd5 : 8'h55;
            if (fetch && s_tvalid_i) begin
              state_q <= Data;
              byte_q  <= s_tdata_i;
              last_q  <= s_tlast_i;
              fcs_q   <= fcs;
            end else if (fetch || state_q == Data) begin
              // The remainder instead of its complement is wrong in every bit.
              state_q <= Fcs;
              count_q <= 3'd0;
              byte_q  <= fetch ? fcs_q[7:0] : ~fcs_q[7:0];
              fcs_q   <= {8'h0, fcs_q[31:8]};
              short_q <= fetch;
              if (fetch) under_o <= !under_o;
            end else if (state_q == Fcs) begin
              byte_q <= short_q ? fcs_q[7:0] : ~fcs_q[7:0];
              fcs_q  <= {8'h0, fcs_q[31:8]};
              if (count_q == 3'd3) begin
                state_q <= short_q ? Drop : Gap;
                // The cycle that detects a byte is the last of the gap.
                wait_q  <= GapCycles - 6'd1;
              end
            end
          end
        end
      endcase
    end
  end

  assign s_tready_o = fetch || state_q == Drop;

  always_ff @(posedge clk_i) begin
    tx_en_o <= rst_ni && sends;
    txd_o   <= sends ? byte_q[1:0] : 2'b00;
  end

endmodule

`default_nettype wire
