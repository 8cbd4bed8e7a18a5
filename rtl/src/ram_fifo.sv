// SPDX-License-Identifier: MIT OR Apache-2.0
// Reading half of a queue in block RAM: the oldest word always waits in a register.
//
// Decision    none: first in, first out, one word a cycle without a bubble.
// State       read pointer, word in the memory's output, word in the register behind
//             it, and one more word that was there when the reader did not take it.
// Latency     a word that becomes readable (tail_i moves past it) in cycle t is in data_o in t+2.
// Source      none: the usual first-word fall-through, and a skid buffer. Both are there for the clock: without the
//             register, a block RAM of an ECP5 takes most of 6 ns to answer. Whether the reader takes a word is
//             known so late that it must not reach the memories of a queue, which lie far apart, in the same cycle.
//
// The writer owns the write pointer, so that it may write a frame and withdraw
// it before it moves tail_i (input_buffer does), and it must not overrun head_o.

`default_nettype none

module ram_fifo #(
  parameter Width = 72,  // bits of a word
  parameter AddrW = 9    // bits of an address
) (
  input  wire logic             clk_i,    // clock
  input  wire logic             rst_ni,   // reset, active low, synchronous
  input  wire logic             we_i,     // write wdata_i to waddr_i
  input  wire logic [AddrW-1:0] waddr_i,  // write address
  input  wire logic [Width-1:0] wdata_i,  // word to write
  input  wire logic [AddrW:0]   tail_i,   // words before this one may be read
  output logic      [AddrW:0]   head_o,   // next word to be read from the memory
  output logic                  valid_o,  // data_o holds a word
  output logic      [Width-1:0] data_o,   // oldest word
`ifdef FORMAL
  output logic      [1:0]       front_o,  // words that have left the memory and wait
`endif
  input  wire logic             pop_i     // take the word; only while valid_o
);

  reg [AddrW:0]   head_q;
  reg             read_q;   // the memory's output holds a word
  reg             reg_q;    // data_q holds a word
  reg [Width-1:0] data_q;
  reg             skid_q;   // skid_data_q holds a word, which is then the older one
  reg [Width-1:0] skid_data_q;

  wire [Width-1:0] rdata;
  wire move = !reg_q || !skid_q;  // data_q is free, or its word leaves it: to the reader, or to the skid buffer
  wire next = !read_q || move;    // the memory's output is free
  wire read = next && head_q != tail_i;

  ram_sdp #(.Width(Width), .AddrW(AddrW)) i_ram (
    .clk_i   (clk_i),
    .we_i    (we_i),
    .waddr_i (waddr_i),
    .wdata_i (wdata_i),
    .re_i    (next),  // with nothing to read, the output is ignored
    .raddr_i (head_q[AddrW-1:0]),
    .rdata_o (rdata)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q <= {(AddrW+1){1'b0}};
      read_q <= 1'b0;
      reg_q  <= 1'b0;
      skid_q <= 1'b0;
    end else begin
      if (read) head_q <= head_q + 1'b1;
      read_q <= read || (read_q && !move);
      if (move) reg_q <= read_q;
      skid_q <= (skid_q || reg_q) && !pop_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (move) data_q <= rdata;
    if (!skid_q) skid_data_q <= data_q;
  end

`ifdef FORMAL
  assign front_o = {1'b0, read_q} + {1'b0, reg_q} + {1'b0, skid_q};
`endif
  assign head_o  = head_q;
  assign valid_o = reg_q || skid_q;
  assign data_o  = skid_q ? skid_data_q : data_q;

endmodule

`default_nettype wire
