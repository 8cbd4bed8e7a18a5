// SPDX-License-Identifier: MIT OR Apache-2.0
// Counts the flows of a class: a table of the flows that are active, and of those that have ended.
//
// Decision    `see` (a packet of the flow has come) makes its flow active; `join` (the packet joins the queue, to
//             wait there with data_i) counts waiting packets; `leave` (it has left) subtracts it. A flow whose last
//             packet has come ends when none of its packets waits. `age` forgets flows that have been silent for
//             silence_i: all active ones, unless a packet of theirs waits, which restarts their silence; of ended
//             flows, in the order in which they ended, up to the first that has not been silent for so long. A full
//             table replaces the flow that ended first by a new one; if none has ended, the new flow is left out.
// State       for each of 2^PlaceW places a flow's key, the time of its last packet, how many packets wait, whether
//             it ends, whether it is active, and how many flows ended before it; the number of active flows.
// Latency     one operation a cycle; its effect is visible in the next cycle. A packet that
//             comes takes three operations, age, see and join, and one that leaves takes one.
// Range       time may wrap around: silence is measured correctly as long as time
//             advances by less than 2^TimeW - 2 * silence_i from one `age` to the next.
// Source      none: crates/switch/src/sched/flows/exact.rs; the vectors check the equality. MulBuff
//             says that buffers follow flows that come and depart, and not how a switch detects them.
// Deviations  Rust finds a place by a hash and links places by age. Here every place compares its key, so that there is no
//             search: a table of some dozens of places, not of 4096. With equal sizes both count the same, full or not.

`default_nettype none

module flow_count #(
  parameter PlaceW = 4,   // 2^PlaceW places
  parameter KeyW   = 32,  // bits of a flow's key: the hash of its 5-tuple
  parameter TimeW  = 24,  // bits of a time
  parameter WaitW  = 12   // bits of how many packets of a flow wait
) (
  input  wire logic              clk_i,      // clock
  input  wire logic              rst_ni,     // reset, active low, synchronous: empty
  // Settings.
  input  wire logic [TimeW-1:0]  silence_i,  // a flow that is silent for so long is removed; not 0
  // One of these operations in a cycle.
  input  wire logic              age_i,      // time advances
  input  wire logic              see_i,      // a packet has come
  input  wire logic              join_i,     // it joins; directly after its see_i
  input  wire logic              leave_i,    // a packet leaves
  // Operands.
  input  wire logic [TimeW-1:0]  now_i,      // current time; with age_i and see_i
  input  wire logic [KeyW-1:0]   key_i,      // key of the flow; with see_i and join_i
  input  wire logic              opens_i,    // the first packet of a new flow; with see_i
  input  wire logic              data_i,     // the packet will wait and leave; else it only signals the end of the flow; with join_i
  input  wire logic              ends_i,     // last packet of the flow; with join_i
  input  wire logic [PlaceW-1:0] seat_i,     // value of seat_o at its join; with leave_i, for packets with seated_o
  output logic                   seated_o,   // with join_i and data_i: the flow is in the table
  output logic      [PlaceW-1:0] seat_o,     // place of the flow; only with seated_o
  output logic      [PlaceW:0]   flows_o     // number of active flows
);

  localparam Places = 1 << PlaceW;

  reg  [Places-1:0] known_q;  // bit p: place p has a flow
  reg  [Places-1:0] in_q;     // bit p: the flow is active
  reg  [Places-1:0] ends_q;   // bit p: the flow's last packet has come
  reg  [PlaceW:0]   flows_q;
  assign flows_o = flows_q;

  wire [Places-1:0] here;      // bit p: key_i is the key of its flow
  wire [Places-1:0] silent;    // bit p: its flow has been silent for silence_i
  wire [Places-1:0] waits;     // bit p: a packet of its flow waits
  wire [Places-1:0] stays;     // bit k: the k-th flow to end has not been silent for silence_i
  wire [Places-1:0] of_stays  [0:Places];
  wire [PlaceW-1:0] number    [0:Places];
  wire [PlaceW:0]   ended_sum [0:Places];  // flows that have ended
  wire [PlaceW:0]   gone_sum  [0:Places];  // active flows that are forgotten now
  wire [PlaceW-1:0] order_at  [0:Places];  // flows that ended before the one that becomes active
  assign of_stays[0]  = {Places{1'b0}};
  assign number[0]    = {PlaceW{1'b0}};
  assign ended_sum[0] = {(PlaceW+1){1'b0}};
  assign gone_sum[0]  = {(PlaceW+1){1'b0}};
  assign order_at[0]  = {PlaceW{1'b0}};

  // Place of a new flow: a free one, else that of the flow which ended first.
  wire [Places-1:0] ended = known_q & ~in_q;
  wire [Places-1:0] first;                          // bit p: its flow ended first
  wire [Places-1:0] free  = ~known_q;
  wire              found = here != {Places{1'b0}};
  wire [Places-1:0] place = found ? here : free != {Places{1'b0}} ? free & (~free + 1'b1) : first;

  wire [Places-1:0] at     = leave_i ? {{(Places-1){1'b0}}, 1'b1} << seat_i : see_i ? place : here;
  wire [Places-1:0] ends   = ends_q | (join_i && ends_i ? here : {Places{1'b0}});
  wire [Places-1:0] none   = ~waits;                // after this operation, at its place
  wire              may    = join_i && !data_i && ends_i || leave_i;
  wire [Places-1:0] parts  = may ? at & ends & in_q & none : {Places{1'b0}};  // the flow ends now
  wire [Places-1:0] comes  = see_i ? at & ~in_q : {Places{1'b0}};             // the flow becomes active now
  wire              back   = (comes & ended) != {Places{1'b0}};               // and had ended before

  assign seated_o = join_i && data_i && found;
  assign seat_o   = number[Places];

  // Ended flows are forgotten from the first on, up to one that stays.
  wire [Places-1:0] barred;  // bit k: ended flow k or one before it stays
  wire [PlaceW:0]   ended_many = ended_sum[Places];

  // Number of ended flows that are forgotten.
  wire [PlaceW:0] passed [0:Places];
  assign passed[0] = {(PlaceW+1){1'b0}};

  genvar p;
  generate
    for (p = 0; p < Places; p = p + 1) begin : g_place
      reg [KeyW-1:0]   key_q;
      reg [TimeW-1:0]  seen_q;
      reg [WaitW-1:0]  waits_q;
      reg [PlaceW-1:0] order_q;  // known flows that ended before it; only of an ended flow

      wire [TimeW-1:0] age = now_i - seen_q;
      assign here[p]   = known_q[p] && key_q == key_i;
      assign silent[p] = known_q[p] && age >= silence_i;
      assign waits[p]  = leave_i ? waits_q != {{(WaitW-1){1'b0}}, 1'b1} : waits_q != {WaitW{1'b0}};
      assign first[p]  = ended[p] && order_q == {PlaceW{1'b0}};

      assign of_stays[p+1]  = of_stays[p] | (ended[p] && !silent[p] ? {{(Places-1){1'b0}}, 1'b1} << order_q : {Places{1'b0}});
      assign number[p+1]    = number[p] | (here[p] ? p[PlaceW-1:0] : {PlaceW{1'b0}});
      assign ended_sum[p+1] = ended_sum[p] + {{PlaceW{1'b0}}, ended[p]};
      assign gone_sum[p+1]  = gone_sum[p] + {{PlaceW{1'b0}}, in_q[p] && silent[p] && waits_q == {WaitW{1'b0}}};
      assign order_at[p+1]  = order_at[p] | (comes[p] && ended[p] ? order_q : {PlaceW{1'b0}});

      assign barred[p]   = (stays & ({Places{1'b1}} >> (Places - 1 - p))) != {Places{1'b0}};
      assign passed[p+1] = passed[p] + {{PlaceW{1'b0}}, p[PlaceW:0] < ended_many && !barred[p]};

      wire fades = age_i && known_q[p] && (in_q[p] ? silent[p] && waits_q == {WaitW{1'b0}} : !barred[order_q]);
      wire waits_on = age_i && in_q[p] && silent[p] && waits_q != {WaitW{1'b0}};

      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          known_q[p] <= 1'b0;
          in_q[p]    <= 1'b0;
        end else begin
          if (comes[p]) known_q[p] <= 1'b1;
          else if (fades) known_q[p] <= 1'b0;
          if (comes[p]) in_q[p] <= 1'b1;
          else if (fades || parts[p]) in_q[p] <= 1'b0;
        end
        if (see_i && at[p] && !here[p]) begin
          key_q     <= key_i;
          waits_q   <= {WaitW{1'b0}};
          ends_q[p] <= 1'b0;
        end else if (see_i && at[p] && opens_i) ends_q[p] <= 1'b0;
        else if (join_i && at[p]) begin
          if (data_i) waits_q <= waits_q + 1'b1;
          if (ends_i) ends_q[p] <= 1'b1;
        end else if (leave_i && at[p]) waits_q <= waits_q - 1'b1;
        if (see_i && at[p] || waits_on) seen_q <= now_i;
        if (parts[p]) order_q <= ended_many[PlaceW-1:0];
        else if (age_i) order_q <= order_q - passed[Places][PlaceW-1:0];
        else if (back && order_q > order_at[Places]) order_q <= order_q - 1'b1;
      end
    end
  endgenerate

  assign stays = of_stays[Places];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) flows_q <= {(PlaceW+1){1'b0}};
    else if (age_i) flows_q <= flows_q - gone_sum[Places];
    else if (comes != {Places{1'b0}}) flows_q <= flows_q + 1'b1;
    else if (parts != {Places{1'b0}}) flows_q <= flows_q - 1'b1;
  end

`ifdef FORMAL
  reg past_q = 1'b0;  // there was a clock edge before this one
  always_ff @(posedge clk_i) past_q <= 1'b1;

  // Any one flow, and its history: how many of its packets joined and have not left.
  (* anyconst *) wire [KeyW-1:0] f_key;
  (* anyconst *) wire [PlaceW-1:0] f_a;  // any two places
  (* anyconst *) wire [PlaceW-1:0] f_b;
  wire [KeyW-1:0]   f_key_of   [0:Places-1];
  wire [TimeW-1:0]  f_seen_of  [0:Places-1];
  wire [WaitW-1:0]  f_waits_of [0:Places-1];
  wire [PlaceW-1:0] f_order_of [0:Places-1];
  wire [Places-1:0] f_one;       // bit p: place p has the flow
  wire [Places-1:0] f_twice;     // bit p: a place before p has the same flow
  wire [Places-1:0] f_out_waits; // bit p: a packet waits there although the flow is not active
  wire [PlaceW:0]   f_in [0:Places];
  wire [WaitW-1:0]  f_held [0:Places];
  wire [Places-1:0] f_row [0:Places];  // bit k: a flow ended as number k
  wire [Places-1:0] f_beyond    = {Places{1'b1}} << ended_many;
  wire [Places-1:0] f_whole_row = ~f_beyond;
  assign f_row[0] = 0;
  assign f_in[0] = 0;
  assign f_held[0] = 0;
  genvar q;
  generate
    for (p = 0; p < Places; p = p + 1) begin : g_law
      assign f_key_of[p]   = g_place[p].key_q;
      assign f_seen_of[p]  = g_place[p].seen_q;
      assign f_waits_of[p] = g_place[p].waits_q;
      assign f_order_of[p] = g_place[p].order_q;
      assign f_one[p]      = known_q[p] && g_place[p].key_q == f_key;
      wire [Places:0] same;
      for (q = 0; q < Places; q = q + 1) begin : g_before
        assign same[q] = q < p && known_q[p] && known_q[q] && g_place[q].key_q == g_place[p].key_q;
      end
      assign same[Places]  = 1'b0;
      assign f_twice[p]    = same != 0;
      assign f_out_waits[p] = known_q[p] && !in_q[p] && g_place[p].waits_q != 0;
      assign f_row[p+1]    = f_row[p] | (ended[p] ? {{(Places-1){1'b0}}, 1'b1} << g_place[p].order_q : 0);
      assign f_in[p+1]     = f_in[p] + (known_q[p] && in_q[p]);
      assign f_held[p+1]   = f_held[p] | (f_one[p] ? g_place[p].waits_q : 0);
    end
  endgenerate
  reg  [WaitW-1:0] f_waits_q;
  wire             f_its_seat = leave_i && f_one[seat_i];
  wire             f_is_in    = (f_one & in_q) != 0;
  wire             f_accepted = see_i && key_i == f_key && (f_one != 0 || free != 0 || ended != 0);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_waits_q <= 0;
    else if (seated_o && key_i == f_key) f_waits_q <= f_waits_q + 1'b1;
    else if (f_its_seat) f_waits_q <= f_waits_q - 1'b1;
  end

  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (f_a != f_b && silence_i != 0);
    assume (age_i + see_i + join_i + leave_i <= 1);
    // A packet that leaves has joined, and the count of waiting packets does not overflow. One that joins was just seen.
    assume (!leave_i || known_q[seat_i] && f_waits_of[seat_i] != 0);
    assume (!(join_i && data_i) || (here & in_q) == here);
    assume (!(join_i && data_i) || !found || f_waits_of[seat_o] != {WaitW{1'b1}});
    if (past_q) begin
      the_count_is_of_the_table: assert (flows_o == f_in[Places]);
      who_counts_is_known:       assert ((in_q & ~known_q) == 0);
      once_in_the_table:         assert (f_twice == 0);
      who_waits_counts:          assert (f_out_waits == 0);
      who_ended_is_in_a_row:     assert (f_row[Places] == f_whole_row);
      what_waits_is_counted:     assert (f_waits_q == f_held[Places]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (past_q && !$past(rst_ni)) empty_at_first: assert (flows_o == 0 && known_q == 0);
    if (past_q && $past(rst_ni)) begin
      if ($past(f_accepted)) in_from_its_first_packet: assert (f_is_in);
      if ($past(see_i && key_i == f_key) && !$past(f_accepted)) left_out_only_where_all_count: assert (flows_o == Places && !f_is_in);
      if ($past(f_is_in) && !f_is_in) begin
        out_by_its_last_or_silence: assert ($past(f_waits_q) == 0 && $past(age_i) || f_waits_q == 0 && $past(leave_i || join_i && ends_i));
      end
      if ($past(age_i && in_q[f_a] && f_waits_of[f_a] == 0)) begin
        silence_and_no_more: assert (in_q[f_a] == ($past(now_i) - $past(f_seen_of[f_a]) < $past(silence_i)));
      end
      if ($past(!age_i && !see_i && !leave_i && !join_i)) nothing_changes_unasked: assert ($stable(flows_q) && $stable(known_q) && $stable(in_q));
      if ($past(age_i)) begin
        none_comes_by_time: assert (flows_o <= $past(flows_o) && (known_q & ~$past(known_q)) == 0);
        // The flow that ended first is forgotten first.
        first_come_first_gone: assert (!($past(ended[f_a] && ended[f_b]) && $past(f_order_of[f_a] < f_order_of[f_b])) || known_q[f_b] || !known_q[f_a]);
      end
    end
  end
`endif

endmodule

`default_nettype wire
