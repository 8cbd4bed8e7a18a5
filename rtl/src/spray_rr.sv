// SPDX-License-Identifier: MIT OR Apache-2.0
// Spraying in turn: the packets of a place take the hops one after the other.
//
// Decision    of hops_i, in rising order, the hop at the pointer of place_i; then the pointer advances by the stride,
//             after burst_i packets. A new place begins at hop 0 with first_i, else at the scale(begin_i)-th. After
//             rounds_i rounds, start and stride are drawn anew, by draw_i; with rounds_i 0 never.
// State       for each of 2^PlaceW places a pointer, the stride, and the rest of a burst, a round
//             and an order. A packet with one hop changes nothing, nor does one without step_i.
// Range       a pointer is below the number of hops for which it was set, and counts as 0 if there are fewer now.
// Latency     none: combinational. The effect of a packet is visible in the next cycle.
// Source      Dixit et al., Purdue TR 2011 (PLTS), section III-A3; `pick`, `next`, `step` and
//             `order` in crates/switch/src/route/spray_rr.rs; the vectors check the equality.
// Deviations  the place of a packet is computed before: the policy mixes flow or destination with
//             its salt by multiplications of 64 bits, and derives the draw begin_i in the same way.

`default_nettype none

module spray_rr #(
  parameter NumPorts = 8,   // 2 to 16
  parameter PortW    = 3,   // bits of a port number; 2^PortW >= NumPorts
  parameter PlaceW   = 6,   // 2^PlaceW places
  parameter BurstW   = 8,   // bits of a burst's packets
  parameter RoundW   = 8,   // bits of a number of rounds
  parameter BeginW   = 32,  // bits of begin_i
  parameter DrawW    = 32   // bits of a draw; 16 to 32
) (
  input  wire logic                clk_i,     // clock
  input  wire logic                rst_ni,    // reset, active low, synchronous
  // Settings; they change only in a cycle of clear_i or after it.
  input  wire logic                clear_i,   // clear all memory; has priority over step_i
  input  wire logic                first_i,   // new places begin at the first hop
  input  wire logic [BurstW-1:0]   burst_i,   // packets a turn; 0 counts as 1
  input  wire logic [RoundW-1:0]   rounds_i,  // rounds in one order; 0: orders never change
  // Packet.
  input  wire logic                step_i,    // a packet takes the choice
  input  wire logic [NumPorts-1:0] hops_i,    // ports that the packet may take
  input  wire logic [PlaceW-1:0]   place_i,   // place of the packet
  input  wire logic [BeginW-1:0]   begin_i,   // start of its place if it is new, as a draw
  input  wire logic [DrawW-1:0]    draw_i,    // one random draw
  output logic                     none_o,    // there is no hop
  output logic      [NumPorts-1:0] onehot_o,  // the choice, one bit; 0 when none_o
  output logic      [PortW-1:0]    port_o,    // the choice; 0 when none_o
  output logic                     drawn_o    // this packet, if it steps, uses the draw
);

  localparam ManyW = PortW + 1;  // bits of a number of hops
  localparam WordW = 2*PortW + 2*ManyW + BurstW + RoundW;

  // Content of a place: pointer, stride, the number of hops they are for, and the rest.
  (* ram_style = "distributed" *)
  reg [WordW-1:0]        words [0:(1<<PlaceW)-1];
  reg [(1<<PlaceW)-1:0]  known_q;  // bit p: place p has been used

  wire              known = known_q[place_i];
  wire [PortW-1:0]  pointer, stride;
  wire [ManyW-1:0]  many_was, turns_was;
  wire [BurstW-1:0] packets_was;
  wire [RoundW-1:0] rounds_was;
  assign {pointer, stride, many_was, turns_was, packets_was, rounds_was} = words[place_i];

  // below[p][k]: k hops are below port p. One bit of each is set.
  wire [NumPorts:0] below [0:NumPorts];
  wire [ManyW-1:0]  number_of [0:NumPorts];
  assign below[0]     = {{NumPorts{1'b0}}, 1'b1};
  assign number_of[0] = {ManyW{1'b0}};
  genvar p, n, k;
  generate
    for (p = 0; p < NumPorts; p = p + 1) begin : g_below
      assign below[p+1]     = hops_i[p] ? below[p] << 1 : below[p];
      assign number_of[p+1] = number_of[p] | (below[NumPorts][p+1] ? p[ManyW-1:0] + 1'b1 : {ManyW{1'b0}});
    end
  endgenerate
  wire [NumPorts:0] is_many = below[NumPorts];      // bit n: there are n hops
  wire [ManyW-1:0]  many    = number_of[NumPorts];
  wire              several = !is_many[0] && !is_many[1];

  // Start of a new place and of a new order, for every number of hops.
  wire [(NumPorts+1)*PortW-1:0] begins, draws;
  scale_draw #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(BeginW)) i_begin (.draw_i (begin_i), .places_o (begins));
  scale_draw #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(DrawW)) i_draw (.draw_i (draw_i), .places_o (draws));

  // The strides that meet each of n hops once, and the one selected by the draw's low bits.
  /* verilator lint_off UNUSEDSIGNAL */
  wire [(NumPorts+1)*PortW-1:0] whiches;  // only for numbers of strides that occur
  /* verilator lint_on UNUSEDSIGNAL */
  scale_draw #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(16)) i_which (.draw_i (draw_i[15:0]), .places_o (whiches));

  function automatic integer coprime(input integer a, input integer b);
    integer d;
    begin
      coprime = 1;
      for (d = 2; d <= b; d = d + 1) if (a % d == 0 && b % d == 0) coprime = 0;
    end
  endfunction

  // Number of strides for `hops` hops below `end_`.
  function automatic integer strides(input integer hops, input integer end_);
    integer s;
    begin
      strides = 0;
      for (s = 1; s < end_; s = s + 1) strides = strides + coprime(s, hops);
    end
  endfunction

  wire [PortW-1:0] begin_by [0:NumPorts+1];  // joined over the numbers of hops
  wire [PortW-1:0] start_by [0:NumPorts+1];
  wire [PortW-1:0] new_by   [0:NumPorts+1];
  assign begin_by[0] = {PortW{1'b0}};
  assign start_by[0] = {PortW{1'b0}};
  assign new_by[0]   = {PortW{1'b0}};
  generate
    for (n = 0; n <= NumPorts; n = n + 1) begin : g_many
      assign begin_by[n+1] = begin_by[n] | ({PortW{is_many[n]}} & begins[n*PortW+:PortW]);
      assign start_by[n+1] = start_by[n] | ({PortW{is_many[n]}} & draws[n*PortW+:PortW]);
      localparam Strides = strides(n, n);
      wire [PortW-1:0] named [0:n];
      assign named[0] = {PortW{1'b0}};
      for (k = 0; k < n; k = k + 1) begin : g_stride
        localparam Place = strides(n, k);
        if (k > 0 && coprime(k, n) == 1) begin : g_one
          assign named[k+1] = named[k] | (whiches[Strides*PortW+:PortW] == Place[PortW-1:0] ? k[PortW-1:0] : {PortW{1'b0}});
        end else begin : g_none
          assign named[k+1] = named[k];
        end
      end
      assign new_by[n+1] = new_by[n] | ({PortW{is_many[n]}} & named[n]);
    end
  endgenerate

  // Choice.
  wire [PortW-1:0] at = !known ? (first_i ? {PortW{1'b0}} : begin_by[NumPorts+1])
                      : {1'b0, pointer} < many ? pointer : {PortW{1'b0}};
  wire [NumPorts:0] wanted = {{NumPorts{1'b0}}, 1'b1} << at;
  wire [PortW-1:0]  number [0:NumPorts];
  assign number[0] = {PortW{1'b0}};
  generate
    for (p = 0; p < NumPorts; p = p + 1) begin : g_choice
      assign onehot_o[p]  = hops_i[p] && |(below[p] & wanted);
      assign number[p+1]  = number[p] | (onehot_o[p] ? p[PortW-1:0] : {PortW{1'b0}});
    end
  endgenerate

  assign none_o = is_many[0];
  assign port_o = number[NumPorts];

  // Changes. A place that is new, or had another number of hops, has the order of the ports.
  wire              same     = known && many_was == many;
  wire [PortW-1:0]  stride_d = same ? stride : {{(PortW-1){1'b0}}, 1'b1};
  wire [ManyW-1:0]  turns    = !known || turns_was > many ? many : turns_was;
  wire [RoundW-1:0] rounds   = known ? rounds_was : rounds_i;
  wire [BurstW:0]   packets  = (known ? {1'b0, packets_was} : {(BurstW+1){1'b0}}) + 1'b1;

  wire              stays   = packets < {1'b0, burst_i};
  wire              over    = !stays && turns == {{(ManyW-1){1'b0}}, 1'b1};  // the round is over
  wire [RoundW-1:0] left    = over && rounds != {RoundW{1'b0}} ? rounds - 1'b1 : rounds;
  wire              shuffle = over && rounds_i != {RoundW{1'b0}} && left == {RoundW{1'b0}};
  wire [ManyW-1:0]  to      = {1'b0, at} + {1'b0, stride_d};
  /* verilator lint_off UNUSEDSIGNAL */
  wire [ManyW-1:0]  wrapped = to - many;  // below many
  /* verilator lint_on UNUSEDSIGNAL */

  wire [PortW-1:0]  pointer_n = stays ? at : shuffle ? start_by[NumPorts+1] : to < many ? to[PortW-1:0] : wrapped[PortW-1:0];
  wire [PortW-1:0]  stride_n  = shuffle ? new_by[NumPorts+1] : stride_d;
  wire [ManyW-1:0]  turns_n   = stays ? turns : over ? many : turns - 1'b1;
  wire [BurstW-1:0] packets_n = stays ? packets[BurstW-1:0] : {BurstW{1'b0}};
  wire [RoundW-1:0] rounds_n  = shuffle ? rounds_i : left;

  wire write = step_i && several;
  assign drawn_o = several && shuffle;

  always_ff @(posedge clk_i) begin
    if (write) words[place_i] <= {pointer_n, stride_n, many, turns_n, packets_n, rounds_n};
    if (!rst_ni || clear_i) known_q <= {(1<<PlaceW){1'b0}};
    else if (write) known_q[place_i] <= 1'b1;
  end

`ifdef FORMAL
  reg past_q = 1'b0;  // there was a clock edge before this one
  always_ff @(posedge clk_i) past_q <= 1'b1;

  // Any place.
  (* anyconst *) wire [PlaceW-1:0] f_place;
  wire              f_known = known_q[f_place];
  wire [PortW-1:0]  f_pointer, f_stride;
  wire [ManyW-1:0]  f_many, f_turns;
  wire [BurstW-1:0] f_packets;
  wire [RoundW-1:0] f_rounds;
  assign {f_pointer, f_stride, f_many, f_turns, f_packets, f_rounds} = words[f_place];

  // The stride has no divisor in common with the number of hops.
  wire [NumPorts*NumPorts+NumPorts:0] f_coprime;
  generate
    for (n = 0; n <= NumPorts; n = n + 1) begin : g_law
      for (k = 0; k < NumPorts; k = k + 1) begin : g_stride
        if (k > 0 && k < n && coprime(k, n) == 1) begin : g_may
          assign f_coprime[n*NumPorts+k] = 1'b1;
        end else begin : g_may_not
          assign f_coprime[n*NumPorts+k] = 1'b0;
        end
      end
    end
  endgenerate
  assign f_coprime[NumPorts*NumPorts+NumPorts] = 1'b0;

  always_comb begin
    if (!past_q) assume (!rst_ni);
    one_hop:               assert ((onehot_o & (onehot_o - 1'b1)) == 0 && (onehot_o & ~hops_i) == 0);
    whenever_there_is_one: assert (none_o == (hops_i == 0) && none_o == (onehot_o == 0));
    number_and_bit:        assert (none_o ? port_o == 0 : onehot_o == {{(NumPorts-1){1'b0}}, 1'b1} << port_o);
    if (past_q && f_known && !clear_i) begin
      as_many_as_there_can_be:  assert (f_many >= 2 && f_many <= NumPorts);
      the_pointer_is_in_range:  assert ({1'b0, f_pointer} < f_many);
      a_round_meets_each_once:  assert ({1'b0, f_stride} < f_many && f_coprime[f_many*NumPorts+f_stride]);
      as_many_turns_as_hops:    assert (f_turns >= 1 && f_turns <= f_many);
      a_burst_does_not_grow:    assert (f_packets == 0 || f_packets < burst_i);
      nor_do_rounds:            assert (f_rounds <= rounds_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (past_q && $past(rst_ni) && !$past(clear_i) && !clear_i) begin
      assume (burst_i == $past(burst_i) && rounds_i == $past(rounds_i) && first_i == $past(first_i));
    end
    if (past_q && (!$past(rst_ni) || $past(clear_i))) cleared: assert (!f_known);
    if (past_q && $past(rst_ni) && !$past(clear_i)) begin
      if ($past(!step_i || (hops_i & (hops_i - 1'b1)) == 0 || place_i != f_place)) begin
        one_hop_changes_nothing: assert (f_known == $past(f_known) && (!f_known || {f_pointer, f_stride, f_many, f_turns, f_packets,
                                         f_rounds} == $past({f_pointer, f_stride, f_many, f_turns, f_packets, f_rounds})));
      end
      if ($past(write) && $past(place_i) == f_place) begin
        it_is_known_then:       assert (f_known && f_many == $past(many));
        it_stays_in_a_burst:    assert (!$past(stays) || f_pointer == $past(at));
        the_next_is_another:    assert ($past(stays) || $past(shuffle) || f_pointer != $past(at));
      end
    end
  end
`endif

endmodule

`default_nettype wire
