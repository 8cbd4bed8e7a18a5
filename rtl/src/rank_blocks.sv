// SPDX-License-Identifier: MIT OR Apache-2.0
// Vertigo's queue for many places: as rank_queue, in a few cycles and with about three times the root of its comparators.
//
// Decision    as rank_queue: the smallest rank is at the head and the largest at the tail; of
//             equal ranks the earliest is nearer to the head. A push without room is ignored.
// State       Blocks blocks of up to 2 * Half - 1 places, each sorted, in a memory. In registers the order
//             of the blocks: for each its smallest rank and its number. An arrival, while it is inserted.
// Latency     a pop 1 cycle, a push 2, both together 3 (pop first); if a block splits
//             a push takes one more, which is at most one push in Half. Head and tail
//             are always visible, and stay those before a push until it ends.
// Source      Shrivastav, SIGCOMM 2019 (PIEO): sorted lists in memory and pointers to
//             them, in order. Abdous et al., CoNEXT 2021, section 3.2, for the other end.
// Deviations  PIEO removes elements from anywhere, keeps no two neighbours half full and moves elements
//             between them. Here packets leave only at the ends, so a full block splits into halves and
//             blocks need no neighbour: each except the first and the last has Half or more.
//
// A block splits only when it is full and one more packet comes. With every block in use, it then has at
// least 2 * Half - 1 packets, all but two of the others have Half and those two have one: more than Entries
// - 1, if (Blocks - 1) * Half + 1 >= Entries. So a queue with room always has a block to split into.

`default_nettype none
`include "expect.svh"

module rank_blocks #(
  parameter Entries = 64,  // places guaranteed, at least 2
  parameter CountW  = 7,   // bits of a count; 2^CountW > Entries
  parameter RankW   = 32,  // bits of a rank
  parameter DataW   = 16,  // bits of a packet's data, such as its address
  parameter Half    = 5,   // places of half a block, at least 2; about half the root of Entries
  parameter Blocks  = 14,  // blocks, at least 2; (Blocks - 1) * Half + 1 >= Entries
  parameter IdW     = 4    // bits of a block's number; 2^IdW >= Blocks
) (
  input  wire logic              clk_i,        // clock
  input  wire logic              rst_ni,       // reset, active low, synchronous: empty
  input  wire logic              push_i,       // push a packet
  input  wire logic [RankW-1:0]  rank_i,       // rank of the packet
  input  wire logic [DataW-1:0]  data_i,       // data of the packet
  output logic                   idle_o,       // operations are accepted in this cycle
  output logic                   ready_o,      // idle, and there is room, or pop_i makes some; else a push is ignored
  input  wire logic              pop_i,        // pop a packet, while idle; no effect on an empty queue
  input  wire logic              largest_i,    // pop from the tail, not the head
  output logic                   valid_o,      // a packet waits: the four outputs below are valid
  output logic      [RankW-1:0]  head_rank_o,  // smallest rank
  output logic      [DataW-1:0]  head_data_o,  // data of the earliest packet with that rank
  output logic      [RankW-1:0]  tail_rank_o,  // largest rank
  output logic      [DataW-1:0]  tail_data_o,  // data of the latest packet with that rank
  output logic      [CountW-1:0] count_o       // packets waiting; a push counts when it ends
);

  generate
    `EXPECT(g_blocks, Half >= 2 && Blocks >= 2 && Blocks <= 1 << IdW, "rank_blocks: Half and Blocks must be 2 at least, and IdW hold Blocks")
    `EXPECT(g_places, (Blocks - 1) * Half + 1 >= Entries && Entries < 1 << CountW,
            "rank_blocks: (Blocks - 1) * Half + 1 must be Entries at least, and CountW hold Entries")
  endgenerate

  localparam WordW  = RankW + DataW;
  localparam Places = 2 * Half - 1;  // places of a block

  localparam [1:0] Idle = 2'd0, Choose = 2'd1, Insert = 2'd2, Finish = 2'd3;
  reg [1:0]        state_q;
  reg [WordW-1:0]  arrival_q;
  reg [CountW-1:0] count_q;

  // Order of the blocks. Position 0 is the first; used blocks come before free ones.
  wire             used [0:Blocks];    // the block holds packets
  wire [RankW-1:0] low  [0:Blocks-1];  // smallest rank in the block
  wire [IdW-1:0]   id   [0:Blocks-1];  // number of the block
  assign used[Blocks] = 1'b0;

  wire idle     = state_q == Idle;
  wire pop      = idle && pop_i && used[0];
  wire pop_head = pop && !largest_i;
  wire pop_tail = pop && largest_i;
  wire push     = push_i && ready_o;

  // Block that takes the arrival: the last that begins with no larger rank, or the first.
  wire [RankW-1:0] asked = idle ? rank_i : arrival_q[WordW-1-:RankW];
  wire [Blocks:0] until_it;  // bit i: position i is that block or before it
  wire [IdW-1:0]  chosen;    // number of that block
  wire [IdW-1:0]  last_id;   // number of the last block in use
  assign until_it[0]      = 1'b1;
  assign until_it[Blocks] = 1'b0;

  genvar i, b;
  generate
    for (i = 1; i < Blocks; i = i + 1) begin : g_until
      assign until_it[i] = used[i] && low[i] <= asked;
    end
    for (b = 0; b < IdW; b = b + 1) begin : g_id_bit
      wire [Blocks-1:0] of_chosen, of_last;
      for (i = 0; i < Blocks; i = i + 1) begin : g_of
        assign of_chosen[i] = until_it[i] && !until_it[i+1] && id[i][b];
        assign of_last[i]   = used[i] && !used[i+1] && id[i][b];
      end
      assign chosen[b]  = |of_chosen;
      assign last_id[b] = |of_last;
    end
  endgenerate
  wire [IdW-1:0] free_id = id[Blocks-1];  // a free block stands last

  reg [Blocks-1:0] until_q;  // until_it, at the time of the choice
  reg [IdW-1:0]  at_q;     // number of that block
  reg            empty_q;  // the block and so the queue are empty

  // Block that changes: sorted words, of which the first ones are held.
  localparam RowW = Places * (WordW + 1);
  (* ram_style = "distributed" *)
  reg [RowW-1:0] rows [0:Blocks-1];
  wire [IdW-1:0]  at  = !idle ? at_q : largest_i ? last_id : id[0];
  wire [RowW-1:0] row = rows[at];
  wire            held [0:Places];
  wire            ahead [0:Places+1];    // [i+1]: place i is held by a packet that stays ahead of the arrival
  wire [WordW-1:0] word [0:Places];
  wire [WordW-1:0] grown [0:Places];     // words including the arrival; a full block has one too many
  wire [WordW-1:0] new_word [0:Places-1];
  wire [Places-1:0] new_held, behind;    // bit i of the latter: place i is held by a packet behind the arrival
  wire [WordW-1:0] new_tail;             // last word but one
  wire [RowW-1:0]  new_row;

  wire full   = held[Places-1];
  wire splits = state_q == Finish || (state_q == Insert && full);
  wire done   = state_q == Finish || (state_q == Insert && !full);

  assign held[Places]    = 1'b0;
  assign word[Places]    = {WordW{1'b0}};
  assign ahead[0]        = 1'b1;
  assign ahead[Places+1] = 1'b0;
  assign grown[Places]   = ahead[Places] ? arrival_q : word[Places-1];

  generate
    for (i = 0; i < Places; i = i + 1) begin : g_place
      assign held[i]    = row[i*(WordW+1)] && !(!idle && empty_q);
      assign word[i]    = row[i*(WordW+1)+1 +: WordW];
      assign ahead[i+1] = held[i] && word[i][WordW-1-:RankW] <= arrival_q[WordW-1-:RankW];
      assign behind[i]  = held[i] && !ahead[i+1];
      assign grown[i]   = ahead[i+1] ? word[i] : ahead[i] ? arrival_q : word[i == 0 ? 0 : i-1];

      wire upper = state_q == Insert && full;
      assign new_word[i] = idle ? (largest_i ? word[i] : word[i+1])
                         : upper && i < Half ? grown[i < Half ? Half + i : 0] : grown[i];
      assign new_held[i] = idle ? held[i+1] : splits ? i < Half : (i == 0 || held[i == 0 ? 0 : i-1]);
      assign new_row[i*(WordW+1) +: WordW+1] = {new_word[i], new_held[i]};
    end
    for (b = 0; b < WordW; b = b + 1) begin : g_tail_bit
      wire [Places-2:0] there;
      for (i = 0; i < Places - 1; i = i + 1) begin : g_of
        assign there[i] = held[i+1] && !held[i+2] && word[i][b];
      end
      assign new_tail[b] = |there;
    end
  endgenerate

  // A full block's upper half goes to a free block first, while the block itself is unchanged.
  wire [IdW-1:0] write_at = state_q == Insert && full ? free_id : at;
  wire           write    = pop || state_q == Insert || state_q == Finish;

  // Data of each block's first place and of its last packet, to be read in parallel with the row.
  (* ram_style = "distributed" *)
  reg [DataW-1:0] firsts [0:Blocks-1];
  (* ram_style = "distributed" *)
  reg [WordW-1:0] lasts [0:Blocks-1];
  wire [WordW-1:0] last_word = idle ? new_tail : state_q == Finish ? grown[Half-1] : full ? grown[Places] : arrival_q;
  wire             last_new  = pop_tail || splits || (state_q == Insert && behind == {Places{1'b0}});

  always_ff @(posedge clk_i) begin
    if (write) begin
      rows[write_at]   <= new_row;
      firsts[write_at] <= new_word[0][DataW-1:0];
    end
    if (last_new) lasts[write_at] <= last_word;
  end

  wire emptied = pop && !held[1];
  wire opened  = state_q == Finish;  // a new block stands behind the one that took the arrival

  generate
    for (i = 0; i < Blocks; i = i + 1) begin : g_block
      reg             used_q;
      reg [RankW-1:0] low_q;
      reg [IdW-1:0]   id_q;
      assign used[i] = used_q;
      assign low[i]  = low_q;
      assign id[i]   = id_q;

      if (i == 0) begin : g_first
        always_ff @(posedge clk_i) begin
          if (!rst_ni) used_q <= 1'b0;
          else if (emptied) used_q <= used[1];
          else if (done) used_q <= 1'b1;
          if (pop_head) low_q <= emptied ? low[1] : word[1][WordW-1-:RankW];
          else if (done && !ahead[1]) low_q <= arrival_q[WordW-1-:RankW];
        end
      end else begin : g_other
        always_ff @(posedge clk_i) begin
          if (!rst_ni) used_q <= 1'b0;
          else if (emptied) used_q <= used[i+1];
          else if (opened && !until_q[i]) used_q <= used[i-1];
          if (pop_head && emptied) low_q <= low[i == Blocks-1 ? i : i+1];
          else if (opened && !until_q[i]) low_q <= until_q[i-1] ? grown[Half][WordW-1-:RankW] : low[i-1];
        end
      end

      always_ff @(posedge clk_i) begin
        if (!rst_ni) id_q <= i[IdW-1:0];
        else if (pop_head && emptied) id_q <= id[i == Blocks-1 ? 0 : i+1];
        else if (opened && !until_q[i]) id_q <= until_q[i == 0 ? 0 : i-1] ? free_id : id[i == 0 ? 0 : i-1];
      end
    end
  endgenerate

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= Idle;
    else case (state_q)
      Idle:    state_q <= !push ? Idle : pop ? Choose : Insert;
      Choose:  state_q <= Insert;
      Insert:  state_q <= full ? Finish : Idle;
      default: state_q <= Idle;
    endcase
    if (!rst_ni) count_q <= {CountW{1'b0}};
    else if (pop) count_q <= count_q - 1'b1;
    else if (done) count_q <= count_q + 1'b1;
    if (idle) arrival_q <= {rank_i, data_i};
    if (idle || state_q == Choose) begin
      until_q <= until_it[Blocks-1:0];
      at_q    <= chosen;
      empty_q <= !used[0];
    end
  end

  wire [WordW-1:0] tail = lasts[last_id];
  assign idle_o      = idle;
  assign ready_o     = idle && (count_q != Entries[CountW-1:0] || pop_i);
  assign valid_o     = used[0];
  assign head_rank_o = used[0] ? low[0] : {RankW{1'b0}};
  assign head_data_o = used[0] ? firsts[id[0]] : {DataW{1'b0}};
  assign tail_rank_o = used[0] ? tail[WordW-1-:RankW] : {RankW{1'b0}};
  assign tail_data_o = used[0] ? tail[DataW-1:0] : {DataW{1'b0}};
  assign count_o     = count_q;

`ifdef FORMAL
  `include "rank_arrivals.svh"

  wire arrives = !idle && arrival_q[DataW-1:0] == one;

  // Bit p * Places + i of each: place i of the block in position p breaks that law.
  localparam All = Blocks * Places;
  wire [All-1:0] here, holds;  // the place holds the watched packet; holds any packet
  wire [All-1:0] gap, newer, mixed_up, unordered, smaller, larger;
  // Bit p of each: the block in position p does.
  wire [Blocks-1:0] is_used, begins, follows, low_wrong, first_wrong, last_wrong, few, wrong_until, twice, is_at;
  generate
    for (i = 0; i < Blocks; i = i + 1) begin : g_law
      wire [RowW-1:0]  its  = rows[id[i]];
      wire [WordW-1:0] last = lasts[id[i]];
      wire [Places:0]   of_held;
      wire [WordW-1:0]  of_word [0:Places];
      wire [Places-1:0] not_last;
      assign of_held[Places] = 1'b0;
      assign of_word[Places] = {WordW{1'b0}};
      for (b = 0; b < Places; b = b + 1) begin : g_of
        assign of_held[b]  = used[i] && its[b*(WordW+1)];
        assign of_word[b]  = its[b*(WordW+1)+1 +: WordW];
        assign not_last[b] = of_held[b] && !of_held[b+1] && of_word[b] != last;

        assign holds[i*Places+b]     = of_held[b];
        assign here[i*Places+b]      = of_held[b] && of_word[b][DataW-1:0] == one;
        assign gap[i*Places+b]       = !of_held[b] && of_held[b+1];
        assign newer[i*Places+b]     = of_held[b] && of_word[b][DataW-1:0] >= arrivals_q - !idle;
        assign mixed_up[i*Places+b]  = here[i*Places+b] && of_word[b][WordW-1-:RankW] != its_rank_q;
        assign unordered[i*Places+b] = of_held[b+1] && of_word[b] >= of_word[b+1];  // by rank, then by arrival
        assign smaller[i*Places+b]   = of_held[b] && of_word[b][WordW-1-:RankW] < head_rank_o;
        assign larger[i*Places+b]    = of_held[b] && of_word[b][WordW-1-:RankW] > tail_rank_o;
      end
      assign is_used[i]     = used[i];
      assign begins[i]      = used[i] && !of_held[0];
      assign low_wrong[i]   = used[i] && of_word[0][WordW-1-:RankW] != low[i];
      assign first_wrong[i] = used[i] && firsts[id[i]] != of_word[0][DataW-1:0];
      assign last_wrong[i]  = not_last != 0;
      assign few[i]         = i > 0 && used[i+1] && !of_held[Half-1];
      assign follows[i]     = used[i+1] && last >= {low[i == Blocks-1 ? i : i+1], firsts[id[i == Blocks-1 ? i : i+1]]};
      assign wrong_until[i] = until_q[i] != (i == 0 || used[i] && low[i] <= arrival_q[WordW-1-:RankW]);
      assign is_at[i]       = until_q[i] && !(i < Blocks-1 && until_q[i == Blocks-1 ? i : i+1]) && id[i] == at_q;
      wire [Blocks-1:0] same;
      for (b = 0; b < Blocks; b = b + 1) begin : g_same
        assign same[b] = b != i && id[b] == id[i];
      end
      assign twice[i] = same != 0 || id[i] >= Blocks;
    end
  endgenerate

  integer k;
  reg [CountW:0] many;
  always_comb begin
    many = {(CountW+1){1'b0}};
    for (k = 0; k < All; k = k + 1) many = many + holds[k];
  end

  // Upper half of a block that splits, as stored in the free block.
  wire [RowW-1:0] upper_row = rows[free_id];
  wire [Places-1:0] upper_wrong;
  generate
    for (i = 0; i < Places; i = i + 1) begin : g_upper
      assign upper_wrong[i] = upper_row[i*(WordW+1)] != (i < Half)
                           || i < Half && upper_row[i*(WordW+1)+1 +: WordW] != grown[i < Half ? Half + i : 0];
    end
  endgenerate

  always_comb if (past_q) begin
    no_gaps:              assert (gap == 0 && begins == 0 && (is_used & (is_used + 1'b1)) == 0);
    none_from_nowhere:    assert (newer == 0);
    its_rank_is_its_own:  assert (mixed_up == 0 && !(arrives && arrival_q[WordW-1-:RankW] != its_rank_q));
    order_and_ties:       assert (unordered == 0 && follows == 0);
    head_is_smallest:     assert (smaller == 0);
    tail_is_largest:      assert (larger == 0);
    none_lost:            assert (inside_q == (here != 0 || arrives));
    none_doubled:         assert ((here & (here - 1'b1)) == 0);
    counted:              assert (many == count_o && count_o <= Entries);
    full_refuses:         assert (ready_o == (idle && (count_o != Entries[CountW-1:0] || pop_i)));
    valid_when_not_empty: assert (valid_o == (count_o != 0));
    bounds_are_the_blocks: assert (low_wrong == 0 && first_wrong == 0 && last_wrong == 0);
    each_block_once:      assert (twice == 0);
    half_full:            assert (few == 0);
    if (!idle) begin
      room_for_it:        assert (count_o < Entries);
      it_is_the_newest:   assert (arrivals_q != 0 && arrival_q[DataW-1:0] == arrivals_q - 1'b1);
    end
    if (state_q == Insert || state_q == Finish) begin
      its_block:          assert (wrong_until == 0 && is_at != 0 && empty_q == !used[0]);
      a_block_to_split_into: assert (!full || !used[Blocks-1]);
    end
    if (state_q == Finish) begin
      upper_half:         assert (full && upper_wrong == 0 && lasts[free_id] == grown[Places] && firsts[free_id] == grown[Half][DataW-1:0]);
    end
  end
  always_ff @(posedge clk_i) if (past_q && rst_ni) begin
    cover_full:     cover (idle && count_o == Entries[CountW-1:0]);
    cover_replaced: cover (idle && count_o == Entries[CountW-1:0] && push && pop_tail);
    cover_split:    cover (state_q == Finish && until_q[1]);
    cover_all_used: cover (used[Blocks-1]);
    cover_emptied:  cover ($past(valid_o) && !valid_o && $past(rst_ni) && $past(used[1], 2));
  end
`endif

endmodule

`default_nettype wire
