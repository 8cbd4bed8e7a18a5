// SPDX-License-Identifier: MIT OR Apache-2.0
// Deficit round robin among the class queues of a port, with quanta that may change in every round.
//
// Decision    the lowest class whose deficit covers its head packet sends that packet. If
//             there is none, a round begins: every class that waits gets its quantum of
//             that instant. A class that begins to wait takes part from the next round on.
// State       a deficit for each class, cleared when its queue empties. The turn needs no register: a class has had
//             its turn when its deficit no longer covers its packet, and gets no deficit before the next round.
// Latency     none: combinational. The start of a round takes one cycle, in which nothing is
//             sent. If the largest quantum of those that wait covers every packet, no two round
//             starts follow each other; else at most (head - 1) / quantum of them, rounded up.
// Source      Shreedhar and Varghese, SIGCOMM 1995; MulBuff (Mushtaq et al., SIGCOMM 2014) for `ps` and `wps`,
//             which are crates/switch/src/sched/drr.rs with other quanta; the vectors check the equality.
// Deviations  `pop` in Rust starts as many rounds as it needs at once; here each takes a cycle, and a packet
//             that comes meanwhile takes part in later rounds. The quanta are computed before: `drr_quanta`.

`default_nettype none

module drr #(
  parameter NumClasses = 8,   // 2 to 8
  parameter ClassW     = 3,   // bits of a class; 2^ClassW >= NumClasses
  parameter HeadW      = 11,  // bits of a packet's bytes of link time
  parameter QuantumW   = 11,  // bits of a quantum
  parameter DeficitW   = 12   // bits of a deficit; one more than the larger of the two
) (
  input  wire logic                           clk_i,      // clock
  input  wire logic                           rst_ni,     // reset, active low, synchronous
  input  wire logic                           step_i,     // the link takes a packet
  input  wire logic [NumClasses-1:0]          waits_i,    // bit c: a packet of class c waits
  input  wire logic [NumClasses-1:0]          last_i,     // bit c: no packet of class c waits behind its head
  input  wire logic [NumClasses*HeadW-1:0]    head_i,     // bytes of link time of each head, class 0 lowest; not 0; stable until it is sent
  input  wire logic [NumClasses*QuantumW-1:0] quantum_i,  // quantum of each class if a round begins now; 0 counts as 1
  output logic                                take_o,     // the head of the choice leaves
  output logic                                round_o,    // a round begins instead: query again
  output logic      [NumClasses-1:0]          onehot_o,   // the choice, one bit; 0 if a round has to begin
  output logic      [ClassW-1:0]              class_o     // the choice; 0 if there is none
);

  reg  [DeficitW-1:0]   deficit_q [0:NumClasses-1];
  wire [NumClasses-1:0] covers;  // bit c: class c may send
  wire [ClassW-1:0]     number [0:NumClasses];
  assign number[0] = {ClassW{1'b0}};

  assign onehot_o = covers & (~covers + 1'b1);
  assign take_o   = step_i && covers != {NumClasses{1'b0}};
  assign round_o  = step_i && waits_i != {NumClasses{1'b0}} && covers == {NumClasses{1'b0}};

  genvar c;
  generate
    for (c = 0; c < NumClasses; c = c + 1) begin : g_class
      wire [DeficitW-1:0] head    = {{(DeficitW-HeadW){1'b0}}, head_i[c*HeadW+:HeadW]};
      wire [QuantumW-1:0] given   = quantum_i[c*QuantumW+:QuantumW];
      wire [DeficitW-1:0] quantum = {{(DeficitW-QuantumW){1'b0}}, given == {QuantumW{1'b0}} ? {{(QuantumW-1){1'b0}}, 1'b1} : given};

      assign covers[c]   = waits_i[c] && head <= deficit_q[c];
      assign number[c+1] = number[c] | (onehot_o[c] ? c[ClassW-1:0] : {ClassW{1'b0}});

      always_ff @(posedge clk_i) begin
        if (!rst_ni) deficit_q[c] <= {DeficitW{1'b0}};
        else if (round_o && waits_i[c]) deficit_q[c] <= deficit_q[c] + quantum;
        else if (take_o && onehot_o[c]) deficit_q[c] <= last_i[c] ? {DeficitW{1'b0}} : deficit_q[c] - head;
      end
    end
  endgenerate

  assign class_o = number[NumClasses];

`ifdef FORMAL
  reg past_q = 1'b0;  // there was a clock edge before this one
  always_ff @(posedge clk_i) past_q <= 1'b1;

  // The turn, as Rust stores it. Bit c: the turn of class c is not over.
  reg  [NumClasses-1:0] f_turn_q;
  wire [NumClasses-1:0] f_emptied = onehot_o & last_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_turn_q <= {NumClasses{1'b0}};
    else if (round_o) f_turn_q <= {NumClasses{1'b1}};
    else if (take_o) f_turn_q <= (waits_i & ~f_emptied) == 0 ? {NumClasses{1'b0}} : ~(onehot_o - 1'b1) & ~f_emptied;
  end

  // Any class: what the fluid ideal has given it since it began to wait, and what it has sent.
  localparam AccountW = DeficitW + 4;
  (* anyconst *) wire [ClassW-1:0]   f_c;
  (* anyconst *) wire [HeadW-1:0]    f_full;     // largest packet
  (* anyconst *) wire [QuantumW-1:0] f_largest;  // largest quantum
  reg [AccountW-1:0]   f_given_q;   // given in finished rounds, modulo 2^AccountW as the next
  reg [AccountW-1:0]   f_sent_q;
  reg [DeficitW-1:0]   f_gives_q;   // given in the round under way
  reg [DeficitW-1:0]   f_rounds_q;  // rounds begun since the class sent or began to wait
  reg [DeficitW+3:0]   f_budget_q;  // all deficits as the round began
  reg [DeficitW+3:0]   f_packets_q; // packets sent since then
  wire [NumClasses-1:0] f_bit      = {{(NumClasses-1){1'b0}}, 1'b1} << f_c;
  wire [NumClasses-1:0] f_over_with = ~f_turn_q;
  wire                  f_waits    = (waits_i & f_bit) != 0;
  wire                  f_sends    = take_o && onehot_o == f_bit;
  wire                  f_empties  = f_sends && (last_i & f_bit) != 0;
  wire [HeadW-1:0]      f_head     = head_i[f_c*HeadW+:HeadW];
  wire [QuantumW-1:0]   f_asked    = quantum_i[f_c*QuantumW+:QuantumW];
  wire [QuantumW-1:0]   f_quantum  = f_asked == 0 ? 1 : f_asked;
  wire [DeficitW-1:0]   f_deficit  = deficit_q[f_c];

  wire [NumClasses-1:0] f_changed, f_none, f_over, f_idle_left, f_uncovered, f_first;
  wire [DeficitW+3:0]   f_sum [0:NumClasses];
  wire [DeficitW+3:0]   f_more [0:NumClasses];
  reg  [NumClasses-1:0]       f_waits_q, f_took_q;
  reg  [NumClasses*HeadW-1:0] f_head_q;
  assign f_sum[0] = 0;
  assign f_more[0] = 0;
  generate
    for (c = 0; c < NumClasses; c = c + 1) begin : g_law
      wire [HeadW-1:0]    head  = head_i[c*HeadW+:HeadW];
      wire [QuantumW-1:0] asked = quantum_i[c*QuantumW+:QuantumW];
      // Assumption about the queues: a packet stays at the head until it is sent.
      assign f_changed[c]   = f_waits_q[c] && !f_took_q[c] && (!waits_i[c] || head != f_head_q[c*HeadW+:HeadW]);
      assign f_none[c]      = waits_i[c] && (head == 0 || head > f_full) || asked > f_largest;
      assign f_over[c]      = waits_i[c] && !f_turn_q[c] && deficit_q[c] >= head;
      assign f_idle_left[c] = !waits_i[c] && deficit_q[c] != 0;
      assign f_uncovered[c] = take_o && onehot_o[c] && (!waits_i[c] || head > deficit_q[c]);
      assign f_first[c]     = covers[c] && onehot_o > ({{(NumClasses-1){1'b0}}, 1'b1} << c);
      assign f_sum[c+1]     = f_sum[c] + deficit_q[c];
      assign f_more[c+1]    = f_more[c] + deficit_q[c] + (!waits_i[c] ? 0 : asked == 0 ? 1 : asked);
    end
  endgenerate
  // A class that has sent its last packet may wait again at once; one with more packets does.
  reg [NumClasses-1:0] f_more_q;
  always_ff @(posedge clk_i) begin
    f_waits_q <= rst_ni ? waits_i : 0;
    f_took_q  <= take_o ? onehot_o : 0;
    f_more_q  <= rst_ni && take_o ? onehot_o & ~last_i : 0;
    f_head_q  <= head_i;
    if (!rst_ni || f_empties || !f_waits) begin
      f_given_q <= 0;
      f_sent_q  <= 0;
      f_gives_q <= 0;
    end else if (round_o) begin
      f_given_q <= f_given_q + f_gives_q;
      f_gives_q <= f_quantum;
    end else if (f_sends) f_sent_q <= f_sent_q + f_head;
    if (!rst_ni || f_sends || !f_waits) f_rounds_q <= 0;
    else if (round_o) f_rounds_q <= f_rounds_q + 1'b1;
    if (!rst_ni) {f_budget_q, f_packets_q} <= 0;
    else if (round_o) {f_budget_q, f_packets_q} <= {f_more[NumClasses], {(DeficitW+4){1'b0}}};
    else if (take_o) f_packets_q <= f_packets_q + 1'b1;
  end

  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (f_c < NumClasses && f_full != 0 && f_largest != 0);
    assume (f_none == 0);
    if (past_q) assume (f_changed == 0 && (f_more_q & ~waits_i) == 0);
    one_of_two_where_something_waits: assert (!step_i || waits_i == 0 ? !take_o && !round_o : take_o != round_o);
    one_choice:                       assert ((onehot_o & (onehot_o - 1'b1)) == 0 && (onehot_o & ~waits_i) == 0);
    number_and_bit:                   assert (onehot_o == 0 ? class_o == 0 : onehot_o == {{(NumClasses-1){1'b0}}, 1'b1} << class_o);
    the_lowest_that_may:              assert (f_first == 0);
    never_beyond_its_deficit:         assert (f_uncovered == 0);
    if (past_q) begin
      turns_go_up:             assert ((f_over_with & (f_over_with + 1'b1)) == 0);
      nothing_left_of_none:    assert (f_idle_left == 0);
      who_had_its_turn_is_out: assert (f_over == 0 && (onehot_o & ~f_turn_q) == 0);
      // The stated error: the class never sends more than the ideal gave by the end of this
      // round, and never a full packet less than the ideal gave by the end of the last.
      the_deficit_is_the_account: assert (f_given_q + f_gives_q - f_sent_q == {{(AccountW-DeficitW){1'b0}}, f_deficit});
      less_than_a_packet_behind:  assert (!f_waits || f_deficit < f_gives_q + f_full);
      a_quantum_at_the_most:      assert (f_gives_q <= f_largest);
      // No class starves: each round adds at least a byte to what it may send, and ends.
      a_round_is_worth_a_byte:    assert (f_rounds_q <= f_deficit);
      fewer_rounds_than_bytes:    assert (!f_waits || !round_o || f_rounds_q < f_head);
      a_round_ends:               assert ({1'b0, f_packets_q} + {1'b0, f_sum[NumClasses]} <= {1'b0, f_budget_q});
    end
  end

  always_ff @(posedge clk_i) begin
    if (past_q && !$past(rst_ni)) reset_forgets: assert (f_deficit == 0);
    if (past_q && $past(rst_ni)) begin
      if ($past(!take_o && !round_o)) nothing_changes_unasked: assert (f_deficit == $past(f_deficit));
      if ($past(f_sends && !f_empties)) it_pays_for_its_packet: assert (f_deficit == $past(f_deficit) - $past(f_head));
      if ($past(f_empties)) it_keeps_nothing: assert (f_deficit == 0);
      if ($past(round_o && f_waits)) begin
        a_round_gives_its_quantum: assert (f_deficit == $past(f_deficit) + $past(f_quantum));
        if ($past(f_quantum) >= f_head) one_round_is_enough: assert (!round_o);
      end
    end
  end
`endif

endmodule

`default_nettype wire
