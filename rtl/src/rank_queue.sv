// SPDX-License-Identifier: MIT OR Apache-2.0
// Vertigo's queue: in by rank, out at either end, one operation a cycle.
//
// Decision    the smallest rank is at the head and the largest at the tail; of equal
//             ranks the earliest is nearer to the head. A push without room is ignored.
// State       Entries places, sorted from 0 up: valid, rank and data of each; the number of packets.
// Latency     one cycle. Head and tail are always visible; a push and a pop from either end
//             may come in every cycle, also together, and the next cycle shows the outcome.
//             Pop acts first: a full queue accepts a push in place of the popped packet.
// Source      Abdous et al., CoNEXT 2021, section 3.2. Their queue extends PIEO, keeps 64
//             elements in block memory and takes 4 cycles for an operation (section 4.5).
// Deviations  room is counted in packets, one to a place. A larger arrival that needs the room
//             of several small packets takes one eviction a cycle, requested from outside.
//
// A systolic array: every place compares the arriving rank with its own in the same
// cycle, and then keeps its packet, takes it from the place before or behind, or takes
// the arrival. That costs a comparator for each place; in exchange there is no search.

`default_nettype none

module rank_queue #(
  parameter Entries = 64,  // places, at least 2
  parameter CountW  = 7,   // bits of a count; 2^CountW > Entries
  parameter RankW   = 32,  // bits of a rank
  parameter DataW   = 16   // bits of a packet's data, such as its address
) (
  input  wire logic              clk_i,        // clock
  input  wire logic              rst_ni,       // reset, active low, synchronous: empty
  input  wire logic              push_i,       // push a packet
  input  wire logic [RankW-1:0]  rank_i,       // rank of the packet
  input  wire logic [DataW-1:0]  data_i,       // data of the packet
  output logic                   ready_o,      // there is room, or pop_i makes some; else a push is ignored
  input  wire logic              pop_i,        // pop a packet; no effect on an empty queue
  input  wire logic              largest_i,    // pop from the tail, not the head
  output logic                   valid_o,      // a packet waits: the four outputs below are valid
  output logic      [RankW-1:0]  head_rank_o,  // smallest rank
  output logic      [DataW-1:0]  head_data_o,  // data of the earliest packet with that rank
  output logic      [RankW-1:0]  tail_rank_o,  // largest rank
  output logic      [DataW-1:0]  tail_data_o,  // data of the latest packet with that rank
  output logic      [CountW-1:0] count_o       // packets waiting
);

  localparam WordW = RankW + DataW;

  // Place i is [i+1]; [0] and [Entries+1] stand for the positions before the first and behind the last.
  wire             held  [0:Entries+1];  // the place holds a packet
  wire [WordW-1:0] word  [0:Entries+1];  // rank and data
  wire             ahead [0:Entries+1];  // the place holds a packet that stays, and stays ahead of the arrival
  wire [Entries:1] last;                 // bit i: place i is the last that holds a packet
  wire [WordW-1:0] tail;

  assign held[0]  = 1'b1;
  assign ahead[0] = 1'b1;
  assign word[0]  = {WordW{1'b0}};
  assign held[Entries+1]  = 1'b0;
  assign ahead[Entries+1] = 1'b0;
  assign word[Entries+1]  = {WordW{1'b0}};

  wire pop      = pop_i && held[1];
  wire pop_head = pop && !largest_i;
  wire pop_tail = pop && largest_i;
  wire push     = push_i && ready_o;

  wire [WordW-1:0] arrival = {rank_i, data_i};

  genvar i;
  generate
    for (i = 1; i <= Entries; i = i + 1) begin : g_place
      reg             held_q;
      reg [WordW-1:0] word_q;

      assign held[i] = held_q;
      assign word[i] = word_q;

      assign last[i]  = held_q && !held[i+1];
      assign ahead[i] = held_q && word_q[WordW-1-:RankW] <= rank_i && !(pop_tail && last[i]);

      // Source of this place's word. When the head leaves, all packets move up by one.
      wire stays   = pop_head ? !push || ahead[i+1] : !push || ahead[i];
      wire arrives = pop_head ? (i == 1 || ahead[i]) : ahead[i-1];

      always_ff @(posedge clk_i) begin
        if (!rst_ni) held_q <= 1'b0;
        else if (push && !pop) held_q <= held[i-1];
        else if (pop && !push) held_q <= held[i+1];
        if (stays)        word_q <= pop_head ? word[i+1] : word_q;
        else if (arrives) word_q <= arrival;
        else              word_q <= pop_head ? word_q : word[i-1];
      end
    end
  endgenerate

  // Bit by bit, as one wide OR: a chain of so many words is too deep for some tools.
  genvar b;
  generate
    for (b = 0; b < WordW; b = b + 1) begin : g_tail
      wire [Entries:1] there;
      for (i = 1; i <= Entries; i = i + 1) begin : g_of
        assign there[i] = last[i] && word[i][b];
      end
      assign tail[b] = |there;
    end
  endgenerate

  reg [CountW-1:0] count_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_q <= {CountW{1'b0}};
    else if (push && !pop) count_q <= count_q + 1'b1;
    else if (pop && !push) count_q <= count_q - 1'b1;
  end

  assign ready_o     = !held[Entries] || pop_i;
  assign valid_o     = held[1];
  assign head_rank_o = held[1] ? word[1][WordW-1-:RankW] : {RankW{1'b0}};
  assign head_data_o = held[1] ? word[1][DataW-1:0] : {DataW{1'b0}};
  assign tail_rank_o = tail[WordW-1-:RankW];
  assign tail_data_o = tail[DataW-1:0];
  assign count_o     = count_q;

`ifdef FORMAL
  `include "rank_arrivals.svh"

  // Bit i of each: place i breaks that law.
  wire [Entries:1]  gap, newer, mixed_up, unordered, unfair, smaller, larger;
  wire [Entries:1]  here, holds;  // bit i: place i holds the watched packet; holds any packet
  generate
    for (i = 1; i <= Entries; i = i + 1) begin : g_law
      wire [RankW-1:0] rank = word[i][WordW-1-:RankW];
      wire [RankW-1:0] next = word[i+1][WordW-1-:RankW];
      assign here[i]      = held[i] && word[i][DataW-1:0] == one;
      assign holds[i]     = held[i];
      assign gap[i]       = !held[i-1] && held[i];
      assign newer[i]     = held[i] && word[i][DataW-1:0] >= arrivals_q;
      assign mixed_up[i]  = here[i] && rank != its_rank_q;
      assign unordered[i] = held[i+1] && rank > next;
      assign unfair[i]    = held[i+1] && rank == next && word[i][DataW-1:0] >= word[i+1][DataW-1:0];
      assign smaller[i]   = held[i] && rank < head_rank_o;
      assign larger[i]    = held[i] && rank > tail_rank_o;
    end
  endgenerate
  always_comb if (past_q) begin
    no_gaps:                assert (gap == 0);
    none_from_nowhere:      assert (newer == 0);
    its_rank_is_its_own:    assert (mixed_up == 0);
    order:                  assert (unordered == 0);
    ties_first_come:        assert (unfair == 0);
    head_is_smallest:       assert (smaller == 0);
    tail_is_largest:        assert (larger == 0);
    none_lost:              assert (inside_q == (here != 0));
    none_doubled:           assert ((here & (here - 1'b1)) == 0);
    counted:                assert (count_o <= Entries && holds == ~({Entries{1'b1}} << count_o));
    full_refuses:           assert (ready_o == (count_o != Entries[CountW-1:0] || pop_i));
    valid_when_not_empty:   assert (valid_o == (count_o != 0));
  end
  always_ff @(posedge clk_i) if (past_q && rst_ni) begin
    cover_full:     cover (count_o == Entries[CountW-1:0]);
    cover_replaced: cover (count_o == Entries[CountW-1:0] && push && pop_tail);
    cover_emptied:  cover ($past(valid_o) && !valid_o && $past(rst_ni));
  end
`endif

endmodule

`default_nettype wire
