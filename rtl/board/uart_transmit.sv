// SPDX-License-Identifier: MIT OR Apache-2.0
// Bytes to a UART: 8 bits, no parity, one stop bit.
//
// Decision    none.
// State       remaining bits of a byte, and the position in a bit.
// Latency     the start bit begins 1 cycle after the byte is taken; the next byte is taken as the stop bit ends.
// Source      none.
// Deviations  none.

`default_nettype none

module uart_transmit #(
  parameter Divider = 25  // cycles a bit
) (
  input  wire logic       clk_i,   // clock
  input  wire logic       rst_ni,  // reset, active low, synchronous
  input  wire logic [7:0] data_i,  // a byte
  input  wire logic       valid_i, // the byte is offered
  output logic            ready_o, // the byte is taken
  output logic            tx_o     // the line
);

  localparam CountW = $clog2(Divider);
  localparam [CountW-1:0] Whole = Divider - 1;

  reg [CountW-1:0] wait_q;
  reg [3:0]        left_q;  // remaining bits
  reg [9:0]        bits_q;  // bits, the next one lowest

  initial bits_q = 10'h3ff;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      left_q <= 4'd0;
      bits_q <= 10'h3ff;
    end else if (left_q == 4'd0) begin
      if (valid_i) begin
        left_q <= 4'd10;
        bits_q <= {1'b1, data_i, 1'b0};
      end
    end else if (wait_q == {CountW{1'b0}}) begin
      left_q <= left_q - 1'b1;
      bits_q <= {1'b1, bits_q[9:1]};
    end
    wait_q <= left_q == 4'd0 || wait_q == {CountW{1'b0}} ? Whole : wait_q - 1'b1;
  end

  assign ready_o = left_q == 4'd0;
  assign tx_o    = bits_q[0];

endmodule

`default_nettype wire
