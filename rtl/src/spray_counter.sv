// SPDX-License-Identifier: MIT OR Apache-2.0
// Spraying by counters: every packet takes the hop over which the fewest bytes were sent.
//
// Decision    of hops_i the port with the lowest counter, or with queued_i the lowest depth_i. Of equal
//             ones, by ties_i: 0 the lowest port above the one that the set took last, else the lowest;
//             1 the lowest; 2 the scale(draw_i)-th. Then the counter of that port grows by bytes_i.
// State       a counter of CountW bits for each port; for each of 2^SetW sets of hops the port behind
//             the one taken last. A packet with one hop changes nothing, nor does one without step_i.
// Range       no counter exceeds limit_i, before or after: if one would, all fall by the count it had,
//             or to 0. All hops of the packet had at least that count, so their differences stay exact.
// Latency     none: combinational. The effect of a packet is visible in the next cycle.
// Source      Dixit et al., Purdue TR 2011 (PLTS), section III-A2; `least`, `least_drawn` and
//             `count` in crates/switch/src/route/spray_counter.rs; the vectors check the equality.
// Deviations  a turn is stored as a port; the policy stores an index among the hops of its set. Both agree as
//             long as sets have distinct numbers; two sets of one number share a turn. limit_i is below 2^CountW.

`default_nettype none

module spray_counter #(
  parameter NumPorts = 8,   // 2 to 64
  parameter PortW    = 3,   // bits of a port number; 2^PortW >= NumPorts
  parameter CountW   = 20,  // bits of a counter; 20 hold the limit of 1 MB
  parameter BytesW   = 12,  // bits of a packet's bytes; at most CountW
  parameter SetW     = 4,   // 2^SetW sets of hops
  parameter DrawW    = 32   // bits of a draw
) (
  input  wire logic                       clk_i,     // clock
  input  wire logic                       rst_ni,    // reset, active low, synchronous
  // Settings; they change only in a cycle of clear_i or after it.
  input  wire logic                       clear_i,   // clear all memory; has priority over step_i
  input  wire logic                       queued_i,  // compare depth_i, and count nothing
  input  wire logic [1:0]                 ties_i,    // 0: turn; 2: random; else first
  input  wire logic [CountW-1:0]          limit_i,   // limit of a counter; not 0
  // Packet.
  input  wire logic                       step_i,    // a packet takes the choice
  input  wire logic [NumPorts-1:0]        hops_i,    // ports that the packet may take
  input  wire logic [SetW-1:0]            set_i,     // number of that set of ports
  input  wire logic [BytesW-1:0]          bytes_i,   // bytes of link time of the packet
  input  wire logic [NumPorts*CountW-1:0] depth_i,   // bytes in each queue, port 0 lowest; with queued_i
  input  wire logic [DrawW-1:0]           draw_i,    // one random draw; with ties_i 2
  output logic                            none_o,    // there is no hop
  output logic      [NumPorts-1:0]        onehot_o,  // the choice, one bit; 0 when none_o
  output logic      [PortW-1:0]           port_o     // the choice; 0 when none_o
);

  localparam [1:0] Turn = 2'd0, Random = 2'd2;

  wire [NumPorts-1:0] several_above = hops_i & (hops_i - 1'b1);
  wire                several       = several_above != {NumPorts{1'b0}};

  // Lowest counter.
  reg  [CountW-1:0]   count_q [0:NumPorts-1];
  wire [CountW-1:0]   load    [0:NumPorts-1];
  wire [NumPorts-1:0] beaten;  // bit p: a hop has a lower counter

  genvar p, q;
  generate
    for (p = 0; p < NumPorts; p = p + 1) begin : g_port
      assign load[p] = queued_i ? depth_i[p*CountW+:CountW] : count_q[p];
      wire [NumPorts-1:0] less;  // bit q: port q is a hop and has a lower counter
      for (q = 0; q < NumPorts; q = q + 1) begin : g_other
        assign less[q] = hops_i[q] && load[q] < load[p];
      end
      assign beaten[p] = less != {NumPorts{1'b0}};
    end
  endgenerate

  wire [NumPorts-1:0] least = hops_i & ~beaten;

  // Tie-break.
  reg  [PortW:0]          from_q [0:(1<<SetW)-1];  // port behind the one taken last
  reg  [(1<<SetW)-1:0]    known_q;                 // bit s: set s has taken one
  wire [PortW:0]          from   = ties_i == Turn && known_q[set_i] ? from_q[set_i] : {(PortW+1){1'b0}};
  wire [NumPorts-1:0]     above  = least & ({NumPorts{1'b1}} << from);
  wire [NumPorts-1:0]     order  = above != {NumPorts{1'b0}} ? above : least;
  wire [NumPorts-1:0]     drawn;

  pick_uniform #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(DrawW)) i_pick (
    .set_i    (least),
    .draw_i   (draw_i),
    .none_o   (none_o),
    .onehot_o (drawn),
    /* verilator lint_off PINCONNECTEMPTY */
    .port_o   ()
    /* verilator lint_on PINCONNECTEMPTY */
  );

  assign onehot_o = ties_i == Random ? drawn : order & (~order + 1'b1);

  // Choice as a number, and the count it had.
  wire [PortW-1:0]  number [0:NumPorts];
  wire [CountW-1:0] had    [0:NumPorts];
  assign number[0] = {PortW{1'b0}};
  assign had[0]    = {CountW{1'b0}};
  generate
    for (p = 0; p < NumPorts; p = p + 1) begin : g_choice
      assign number[p+1] = number[p] | (onehot_o[p] ? p[PortW-1:0] : {PortW{1'b0}});
      assign had[p+1]    = had[p] | (onehot_o[p] ? count_q[p] : {CountW{1'b0}});
    end
  endgenerate

  assign port_o = number[NumPorts];

  // Changes.
  wire [CountW-1:0]   wide   = {{(CountW-BytesW){1'b0}}, bytes_i};
  wire [CountW-1:0]   bytes  = wide < limit_i ? wide : limit_i;
  wire                counts = step_i && several && !queued_i;
  wire [NumPorts-1:0] over;  // bit p: the counter of port p would exceed the limit
  wire                rebase = (over & onehot_o) != {NumPorts{1'b0}};

  generate
    for (p = 0; p < NumPorts; p = p + 1) begin : g_count
      wire [CountW:0]   sum  = {1'b0, count_q[p]} + {1'b0, bytes};
      wire [CountW-1:0] left = count_q[p] - had[NumPorts];
      assign over[p] = sum > {1'b0, limit_i};
      always_ff @(posedge clk_i) begin
        if (!rst_ni || clear_i) count_q[p] <= {CountW{1'b0}};
        else if (counts) begin
          if (rebase) count_q[p] <= onehot_o[p] ? bytes : count_q[p] < had[NumPorts] ? {CountW{1'b0}} : left;
          else if (onehot_o[p]) count_q[p] <= sum[CountW-1:0];
        end
      end
    end
  endgenerate

  wire turns = step_i && several && ties_i == Turn;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) known_q <= {(1<<SetW){1'b0}};
    else if (turns) known_q[set_i] <= 1'b1;
    if (turns) from_q[set_i] <= {1'b0, port_o} + 1'b1;
  end

`ifdef FORMAL
  reg past_q = 1'b0;  // there was a clock edge before this one
  always_ff @(posedge clk_i) past_q <= 1'b1;

  (* anyconst *) wire [PortW-1:0] f_a;  // any two ports
  (* anyconst *) wire [PortW-1:0] f_b;
  (* anyconst *) wire [SetW-1:0] f_set;  // any set
  wire [PortW:0] f_from = from_q[f_set];
  wire [NumPorts-1:0] f_bit_a = {{(NumPorts-1){1'b0}}, 1'b1} << f_a;
  wire [NumPorts-1:0] f_bit_b = {{(NumPorts-1){1'b0}}, 1'b1} << f_b;
  wire [CountW-1:0]   f_count_a = count_q[f_a];
  wire [CountW-1:0]   f_count_b = count_q[f_b];
  wire [NumPorts-1:0] f_high;           // bit p: a counter above the limit
  generate
    for (p = 0; p < NumPorts; p = p + 1) begin : g_law
      assign f_high[p] = count_q[p] > limit_i;
    end
  endgenerate

  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (limit_i != 0);
    assume (f_a < NumPorts && f_b < NumPorts && f_a != f_b);
    one_hop:                 assert ((onehot_o & (onehot_o - 1'b1)) == 0 && (onehot_o & ~hops_i) == 0);
    whenever_there_is_one:   assert (none_o == (hops_i == 0) && none_o == (onehot_o == 0));
    number_and_bit:          assert (none_o ? port_o == 0 : onehot_o == {{(NumPorts-1){1'b0}}, 1'b1} << port_o);
    no_hop_has_less:         assert ((onehot_o & beaten) == 0);
    the_lowest_where_first:  assert (ties_i == Turn || ties_i == Random || (onehot_o - 1'b1 & least) == 0 || none_o);
    if (past_q && !clear_i) no_counter_above_the_limit: assert (f_high == 0);
  end

  always_ff @(posedge clk_i) begin
    if (past_q && $past(rst_ni) && !$past(clear_i) && !clear_i) begin
      assume (limit_i == $past(limit_i) && ties_i == $past(ties_i) && queued_i == $past(queued_i));
    end
    if (past_q && (!$past(rst_ni) || $past(clear_i))) cleared: assert (f_count_a == 0 && known_q == 0);
    if (past_q && $past(rst_ni) && !$past(clear_i)) begin
      if ($past(!step_i || (hops_i & (hops_i - 1'b1)) == 0)) begin
        one_hop_changes_nothing: assert (f_count_a == $past(f_count_a) && known_q == $past(known_q) && f_from == $past(f_from));
      end
      if ($past(queued_i)) queues_are_not_counted: assert (f_count_a == $past(f_count_a));
      if ($past(counts)) begin
        // Both are hops, and neither was chosen.
        if (($past(hops_i & ~onehot_o) & f_bit_a) != 0 && ($past(hops_i & ~onehot_o) & f_bit_b) != 0) begin
          others_stay_as_far_apart: assert (f_count_a - f_count_b == $past(f_count_a - f_count_b));
        end
        // The first was chosen, the second is another hop.
        if (($past(onehot_o) & f_bit_a) != 0 && ($past(hops_i) & f_bit_b) != 0) begin
          the_choice_is_its_bytes_ahead: assert (f_count_a - f_count_b == $past(f_count_a - f_count_b + bytes));
        end
        if (($past(onehot_o) & f_bit_a) == 0) others_never_grow: assert (f_count_a <= $past(f_count_a));
      end
      if ($past(turns) && $past(set_i) == f_set) begin
        the_turn_is_behind_it: assert (known_q[f_set] && from_q[f_set] == $past({1'b0, port_o} + 1'b1));
      end
    end
  end
`endif

endmodule

`default_nettype wire
