// SPDX-License-Identifier: MIT OR Apache-2.0
// Random draws: a linear-feedback shift register of maximal length that leaps.
//
// Decision    one draw of DrawW bits: the upper bits of the state.
// State       Width bits, never all zero. Galois form, shifting right: a step is
//             state = (state >> 1) ^ (state[0] ? Taps : 0), and step_i takes Leap
//             steps in one cycle, so that successive draws share no shifted bits.
// Latency     none: draw_o is the state in a register; the next draw is there in the cycle after step_i.
// Period      2^Width - 1 draws: Taps is a primitive polynomial and Leap has no factor in common with
//             the period. Default: x^32 + x^22 + x^2 + x + 1. A 16-bit one: Width 16, Taps 16'hB400
//             (x^16 + x^14 + x^13 + x^11 + 1), Leap 16.
// Source      the draw of crates/switch; the paper does not describe how its
//             FPGA draws. rtl/reference/src/lfsr.rs is a bit-exact model.
// Deviations  the simulator draws from xoshiro256++. A draw of all zeros comes
//             once less often than every other, or never if DrawW is Width.

`default_nettype none

module lfsr #(
  parameter             Width = 32,            // bits of the state
  parameter [Width-1:0] Taps  = 32'h8020_0003, // feedback polynomial without its constant term
  parameter [Width-1:0] Seed  = 32'h5EED_0001, // state after reset; not 0
  parameter             DrawW = 32,            // bits of a draw; at most Width
  parameter             Leap  = 32             // steps from one draw to the next
) (
  input  wire logic             clk_i,      // clock
  input  wire logic             rst_ni,     // reset, active low, synchronous
  input  wire logic             seed_we_i,  // load seed_i; has priority over step_i
  input  wire logic [Width-1:0] seed_i,     // new state; Seed is loaded in place of 0
  input  wire logic             step_i,     // the draw was used: advance to the next
  output logic      [DrawW-1:0] draw_o      // current draw
);

  reg  [Width-1:0] state_q, state_d;
  wire [Width-1:0] leapt;

  // State Leap steps after `from`.
  function automatic [Width-1:0] leap(input [Width-1:0] from);
    integer i;
    begin
      leap = from;
      for (i = 0; i < Leap; i = i + 1) leap = (leap >> 1) ^ (leap % 2 == 1 ? Taps : {Width{1'b0}});
    end
  endfunction

  // A leap is linear: each bit `to` of the state after a leap is an XOR of some bits of the state. The bits
  // are computed beforehand, so that a leap is one shallow tree of XORs a bit, not Leap of them in a row.
  function automatic [Width-1:0] parents(input integer to);
    integer j;
    reg [Width-1:0] after;
    begin
      for (j = 0; j < Width; j = j + 1) begin
        after = leap({{(Width-1){1'b0}}, 1'b1} << j);
        after = after >> to;
        parents[j] = after % 2 == 1;
      end
    end
  endfunction

  genvar b;
  generate
    for (b = 0; b < Width; b = b + 1) begin : g_leap
      localparam [Width-1:0] Parents = parents(b);
      assign leapt[b] = ^(state_q & Parents);
    end
  endgenerate

  always_comb begin
    state_d = state_q;
    if (seed_we_i) state_d = seed_i == {Width{1'b0}} ? Seed : seed_i;
    else if (step_i) state_d = leapt;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= Seed;
    else state_q <= state_d;
  end

  assign draw_o = state_q[Width-1-:DrawW];

`ifdef FORMAL
  reg past_q = 1'b0;  // there was a clock edge before this one
  always_ff @(posedge clk_i) past_q <= 1'b1;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    else never_stuck: assert (state_q != {Width{1'b0}});
  end
  always_ff @(posedge clk_i) begin
    if (past_q && $past(rst_ni) && !$past(seed_we_i) && !$past(step_i)) begin
      still_unless_stepped: assert (draw_o == $past(draw_o));
    end
    if (past_q && $past(rst_ni) && !$past(seed_we_i) && $past(step_i) && Leap < (1 << Width) - 1) begin
      moves_when_stepped: assert (state_q != $past(state_q));
    end
  end
`endif

endmodule

`default_nettype wire
