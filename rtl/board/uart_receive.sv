// SPDX-License-Identifier: MIT OR Apache-2.0
// Bytes from a UART: 8 bits, no parity, one stop bit.
//
// Decision    a bit is the majority of three samples around its middle; a start bit that has ended by its middle is ignored.
// State       two flip-flops and three samples of the line; the number of the bit, and the position in it.
// Latency     a byte is there 4 cycles after the middle of its stop bit.
// Source      none.
// Deviations  none.

`default_nettype none
`include "expect.svh"

module uart_receive #(
  parameter Divider = 25  // cycles a bit
) (
  input  wire logic       clk_i,   // clock
  input  wire logic       rst_ni,  // reset, active low, synchronous
  input  wire logic       rx_i,    // the line
  output logic      [7:0] data_o,  // received byte, with valid_o
  output logic            valid_o, // a byte was received
  output logic            error_o, // a byte without its stop bit was received
  output logic            idle_o   // the line is high and no byte is under way
);

  generate
    `EXPECT(g_divider, Divider >= 8, "uart_receive: Divider must be 8 or more")
  endgenerate

  localparam CountW = $clog2(Divider);
  localparam [CountW-1:0] Whole = Divider - 1;
  localparam [CountW-1:0] Half  = Divider / 2;

  (* ASYNC_REG = "TRUE" *) reg rx_meta_q, rx_sync_q;
  reg [2:0]        seen_q;
  reg              busy_q;
  reg [CountW-1:0] wait_q;
  reg [3:0]        bit_q;   // 0: start; 1 to 8; 9: stop
  reg [7:0]        data_q;

  wire level = (seen_q[0] && seen_q[1]) || (seen_q[0] && seen_q[2]) || (seen_q[1] && seen_q[2]);
  wire now   = busy_q && wait_q == {CountW{1'b0}};

  always_ff @(posedge clk_i) begin
    {rx_sync_q, rx_meta_q} <= {rx_meta_q, rx_i};
    seen_q  <= rst_ni ? {seen_q[1:0], rx_sync_q} : 3'b111;
    valid_o <= rst_ni && now && bit_q == 4'd9 && level;
    error_o <= rst_ni && now && bit_q == 4'd9 && !level;
    if (!rst_ni) busy_q <= 1'b0;
    else if (!busy_q) busy_q <= !seen_q[0] && seen_q[1];
    else if (now && (bit_q == 4'd9 || (bit_q == 4'd0 && level))) busy_q <= 1'b0;
    if (!busy_q) begin
      wait_q <= Half;
      bit_q  <= 4'd0;
    end else if (now) begin
      wait_q <= Whole;
      bit_q  <= bit_q + 1'b1;
      if (bit_q != 4'd9) data_q <= {level, data_q[7:1]};
    end else wait_q <= wait_q - 1'b1;
  end

  assign data_o = data_q;
  assign idle_o = !busy_q && level;

endmodule

`default_nettype wire
