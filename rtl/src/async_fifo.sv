// SPDX-License-Identifier: MIT OR Apache-2.0
// Queue from one clock to another: written by w_clk_i, read by r_clk_i, whatever their relation.
//
// Decision    none: first in, first out, one word a cycle of the slower clock if AddrW is 4 or more.
// State       2^AddrW words and one in r_data_o; each side's pointer, in binary and in Gray code; whether each side runs.
// Latency     a word taken at an edge of w_clk_i is in r_data_o after the third or fourth edge of
//             r_clk_i from there; the freed place returns to the writer after as many edges of w_clk_i.
// Source      C. Cummings, Simulation and Synthesis Techniques for Asynchronous FIFO Design, SNUG 2002: pointers cross in Gray
//             code, in which one bit changes at a time, through two flip-flops. The restart of both sides is not from there.
// Deviations  outputs are registers. Reset is synchronous in each side, and a reset of one side only is allowed:
//
// **Reset of one side, of any length, resets both.** The words in the queue are lost: r_valid_o falls although its word may
// not have been taken, w_ready_o falls, and both sides report it by w_up_o and r_up_o. Each side holds its pointer until the
// other no longer reads it, then both begin at 0. They run again some cycles of each clock after the last reset has ended;
// no word written from then on is lost. While one side is held in reset, or its clock stops, w_ready_o stays or falls low.
//
// For tools: the names of the registers that capture signals of the other clock end in _meta_q, those of the
// registers behind them in _sync_q; both are marked ASYNC_REG. Constrain all paths to _meta_q, and from the memory to
// r_data_o, to at most a period of the clock they come from, by data only (set_max_delay -datapath_only): the bits of
// a pointer must not be skewed by more than that. Nothing else crosses: tests/test_clock_crossings.py checks it.

`default_nettype none
`include "expect.svh"

module async_fifo #(
  parameter Width = 8,  // bits of a word
  parameter AddrW = 4,  // 2^AddrW words; 2 or more
  parameter Block = 0   // 1: in block RAM; 0: in the memory of LUTs
) (
  input  wire logic             w_clk_i,    // clock of the writer
  input  wire logic             w_rst_ni,   // reset of that clock, active low, synchronous
  input  wire logic             w_valid_i,  // a word is offered
  input  wire logic [Width-1:0] w_data_i,   // the word
  output logic                  w_ready_o,  // the word is taken
  output logic                  w_up_o,     // both sides run; when this falls, words have been lost
  input  wire logic             r_clk_i,    // clock of the reader
  input  wire logic             r_rst_ni,   // reset of that clock, active low, synchronous
  output logic                  r_valid_o,  // r_data_o holds a word
  output logic      [Width-1:0] r_data_o,   // oldest word
  output logic                  r_up_o,     // both sides run; when this falls, words have been lost
  input  wire logic             r_ready_i   // the word is taken
);

  generate
    `EXPECT(g_addr, AddrW >= 2, "async_fifo: AddrW must be 2 or more")
  endgenerate

  function automatic [AddrW:0] gray(input [AddrW:0] binary);
    gray = binary ^ (binary >> 1);
  endfunction

  // Registers of each side, and what the other side sees of them.
  reg [AddrW:0] w_at_q, w_gray_q;  // next word to write
  reg [AddrW:0] r_at_q, r_gray_q;  // next word to read
  reg           w_run_q, r_run_q;  // the writer leads, the reader follows: neither moves before the other has
  reg           w_ask_q, r_ask_q;  // there was a reset, and the two sides have not both stopped since

  (* ASYNC_REG = "TRUE" *) reg [AddrW:0] w_gray_meta_q, w_gray_sync_q;  // in r_clk_i
  (* ASYNC_REG = "TRUE" *) reg           w_run_meta_q,  w_run_sync_q;
  (* ASYNC_REG = "TRUE" *) reg [AddrW:0] r_gray_meta_q, r_gray_sync_q;  // in w_clk_i
  (* ASYNC_REG = "TRUE" *) reg           r_run_meta_q,  r_run_sync_q;
  (* ASYNC_REG = "TRUE" *) reg           r_ask_meta_q,  r_ask_sync_q;

  // The same signals at the far ends of the wires. A proof lets each bit arrive at its own time.
  wire [AddrW:0] w_gray_far, r_gray_far;
  wire           w_run_far, r_run_far, r_ask_far;
`ifndef FORMAL
  assign {w_gray_far, w_run_far}            = {w_gray_q, w_run_q};
  assign {r_gray_far, r_run_far, r_ask_far} = {r_gray_q, r_run_q, r_ask_q};
`endif

  always_ff @(posedge r_clk_i) begin
    {w_gray_meta_q, w_run_meta_q} <= {w_gray_far, w_run_far};
    {w_gray_sync_q, w_run_sync_q} <= {w_gray_meta_q, w_run_meta_q};
  end

  always_ff @(posedge w_clk_i) begin
    {r_gray_meta_q, r_run_meta_q, r_ask_meta_q} <= {r_gray_far, r_run_far, r_ask_far};
    {r_gray_sync_q, r_run_sync_q, r_ask_sync_q} <= {r_gray_meta_q, r_run_meta_q, r_ask_meta_q};
  end

  // From any state, a reset of each side leads to a valid one; simulations need initial values before it.
  initial begin
    {w_at_q, w_gray_q, w_gray_meta_q, w_gray_sync_q} = {(4*AddrW+4){1'b0}};
    {r_at_q, r_gray_q, r_gray_meta_q, r_gray_sync_q} = {(4*AddrW+4){1'b0}};
    {w_run_q, w_run_meta_q, w_run_sync_q, r_run_q, r_run_meta_q, r_run_sync_q} = 6'd0;
    {w_ask_q, r_ask_q, r_ask_meta_q, r_ask_sync_q} = 4'd0;
  end

  // Writer.
  reg           w_ready_q, w_up_q;
  reg           w_clean_q;  // the pointer was 0 a cycle ago, and so is 0 at the far end before w_run_q is set
  wire          push    = w_valid_i && w_ready_q;
  wire          w_runs  = w_run_q && r_run_sync_q;
  wire          w_rests = !w_run_q && !r_run_sync_q;  // the reader does not read the pointer
  wire          w_go    = w_rst_ni && w_runs && !w_ask_q && !r_ask_sync_q;
  wire [AddrW:0] w_next = w_at_q + {{AddrW{1'b0}}, push};
  wire [AddrW:0] w_next_gray = gray(w_next);
  // Full: the reader is one round behind, which in Gray code inverts the two highest bits.
  wire          full    = w_next_gray == {~r_gray_sync_q[AddrW:AddrW-1], r_gray_sync_q[AddrW-2:0]};

  initial {w_ready_q, w_up_q, w_clean_q} = 3'b000;

  always_ff @(posedge w_clk_i) begin
    w_ask_q   <= !w_rst_ni || (w_ask_q && !w_rests);
    w_clean_q <= w_rests;
    w_run_q   <= w_runs ? !w_ask_q && !r_ask_sync_q : w_rests ? w_rst_ni && w_clean_q && !r_ask_sync_q : w_run_q;
    w_up_q    <= w_go;
    w_ready_q <= w_go && !full;
    w_at_q    <= w_rests ? {(AddrW+1){1'b0}} : w_next;
    w_gray_q  <= w_rests ? {(AddrW+1){1'b0}} : w_next_gray;
  end

  assign w_ready_o = w_ready_q;
  assign w_up_o    = w_up_q;

  // Reader.
  reg           r_valid_q, r_up_q;
  reg [Width-1:0] r_data_q;
  wire          move   = !r_valid_q || r_ready_i;
  wire          r_go   = r_rst_ni && r_run_q && w_run_sync_q && !r_ask_q;
  wire          fetch  = r_go && move && r_gray_q != w_gray_sync_q;
  wire [AddrW:0] r_next = r_at_q + {{AddrW{1'b0}}, fetch};

  initial {r_valid_q, r_up_q} = 2'b00;

  always_ff @(posedge r_clk_i) begin
    r_ask_q   <= !r_rst_ni || (r_ask_q && (r_run_q || w_run_sync_q));
    r_run_q   <= w_run_sync_q;
    r_up_q    <= r_go;
    r_valid_q <= r_go && (fetch || !move);
    r_at_q    <= !r_run_q ? {(AddrW+1){1'b0}} : r_next;
    r_gray_q  <= !r_run_q ? {(AddrW+1){1'b0}} : gray(r_next);
  end

  assign r_valid_o = r_valid_q;
  assign r_data_o  = r_data_q;
  assign r_up_o    = r_up_q;

  // Memory. A word that is read was written at least two edges of r_clk_i before.
  generate
    if (Block != 0) begin : g_block
      (* ram_style = "block" *)
      reg [Width-1:0] words [0:(1<<AddrW)-1];
      always_ff @(posedge w_clk_i) if (push) words[w_at_q[AddrW-1:0]] <= w_data_i;
      always_ff @(posedge r_clk_i) if (fetch) r_data_q <= words[r_at_q[AddrW-1:0]];
    end else begin : g_luts
      (* ram_style = "distributed" *)
      reg [Width-1:0] words [0:(1<<AddrW)-1];
      always_ff @(posedge w_clk_i) if (push) words[w_at_q[AddrW-1:0]] <= w_data_i;
      always_ff @(posedge r_clk_i) if (fetch) r_data_q <= words[r_at_q[AddrW-1:0]];
    end
  endgenerate

`ifdef FORMAL
  `include "async_fifo_laws.svh"
`endif

endmodule

`default_nettype wire
