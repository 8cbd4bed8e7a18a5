// SPDX-License-Identifier: MIT OR Apache-2.0
// Short queue in the memory of LUTs: the oldest word can be read in the cycle after it came.
//
// Decision    none: first in, first out, one word a cycle without a bubble.
// State       2^DepthW words, one counter for words that came and one for words that left.
// Latency     a word pushed in cycle t is in data_o in t+1 if none is before it.
// Source      none: the usual queue, whose pointers have one bit more than its addresses.
//
// A push requires room, a pop requires a word; count_o and valid_o report both.

`default_nettype none

module lutram_fifo #(
  parameter Width  = 64,  // bits of a word
  parameter DepthW = 5    // 2^DepthW words
) (
  input  wire logic             clk_i,    // clock
  input  wire logic             rst_ni,   // reset, active low, synchronous
  input  wire logic             push_i,   // add data_i; only while count_o is below 2^DepthW
  input  wire logic [Width-1:0] data_i,   // the word
  input  wire logic             pop_i,    // take data_o; only while valid_o
  output logic                  valid_o,  // data_o holds a word
  output logic      [Width-1:0] data_o,   // oldest word
  output logic      [DepthW:0]  count_o   // words held
);

  (* ram_style = "distributed" *)
  reg [Width-1:0] words [0:(1<<DepthW)-1];
  reg [DepthW:0]  in_q, out_q;
  reg             valid_q;  // in_q differs from out_q, as a register for the clock

  wire [DepthW:0] next = out_q + 1'b1;

  always_ff @(posedge clk_i) begin
    if (push_i) words[in_q[DepthW-1:0]] <= data_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      in_q    <= {(DepthW+1){1'b0}};
      out_q   <= {(DepthW+1){1'b0}};
      valid_q <= 1'b0;
    end else begin
      if (push_i) in_q <= in_q + 1'b1;
      if (pop_i) out_q <= next;
      valid_q <= push_i || (valid_q && !(pop_i && next == in_q));
    end
  end

  assign valid_o = valid_q;
  assign data_o  = words[out_q[DepthW-1:0]];
  assign count_o = in_q - out_q;

`ifdef FORMAL
  reg past_q = 1'b0;  // there was a clock edge before this one
  always_ff @(posedge clk_i) past_q <= 1'b1;
  always_comb begin
    if (past_q) begin
      never_more_than_fit:  assert (count_o <= (1 << DepthW));
      nothing_from_nowhere: assert (!pop_i || valid_o);
      holds_what_it_says:   assert (valid_q == (in_q != out_q));
    end
  end
`endif

endmodule

`default_nettype wire
