// SPDX-License-Identifier: MIT OR Apache-2.0
// Quanta of weighted processor sharing: of the classes that wait, the one with the
// largest weighted number of flows gets the quantum, the others their share of it.
//
// Decision    share = max(flows, 1) times weight; quantum of a class = quantum_i times share / the largest share
//             of those that wait, rounded down, and at least a byte. All inputs are those of the cycle of start_i.
// State       the computation under way; the quanta stay until the next start_i.
// Latency     FlowsW + QuantumW + 1 cycles after start_i. One bit a cycle: no multiplier and no
//             divider. The remainder is never above three times the divisor, so a digit is 0, 1 or 2.
// Source      MulBuff (Mushtaq et al., SIGCOMM 2014), section 2; `weight` in crates/switch/src/sched/wps.rs
//             and `part` in crates/switch/src/sched/drr.rs; the vectors check the equality.
// Deviations  Rust reads the flows at the instant a round begins. A switch that starts this cell when a packet leaves or flows
//             change, and does not wait for it, uses quanta of some cycles before. `drr` keeps its laws with any quanta.

`default_nettype none

module drr_quanta #(
  parameter NumClasses = 8,
  parameter FlowsW     = 13,  // bits of a flow count
  parameter WeightW    = 14,  // bits of an operator's weight
  parameter QuantumW   = 11,  // bits of a quantum
  parameter LeftW      = 4    // bits of a number of steps; 2^LeftW > FlowsW and > QuantumW
) (
  input  wire logic                           clk_i,      // clock
  input  wire logic                           rst_ni,     // reset, active low, synchronous
  input  wire logic                           start_i,    // load the inputs below; ends a computation under way
  input  wire logic [NumClasses-1:0]          waits_i,    // bit c: a packet of class c waits
  input  wire logic [NumClasses*FlowsW-1:0]   flows_i,    // flows in each class, class 0 lowest
  input  wire logic [NumClasses*WeightW-1:0]  weight_i,   // weight of one flow of each class; not 0
  input  wire logic [QuantumW-1:0]            quantum_i,  // quantum of the class with the most; not 0
  output logic                                busy_o,     // the computation is under way
  output logic      [NumClasses*QuantumW-1:0] quantum_o   // quantum of each class that waited; 1 for the others
);

  localparam ShareW = FlowsW + WeightW;
  localparam [1:0] Done = 2'd0, Multiply = 2'd1, Most = 2'd2, Divide = 2'd3;

  reg [1:0]            phase_q;
  reg [LeftW-1:0]      left_q;    // steps of this phase after this one
  reg [NumClasses-1:0] waits_q;
  reg [QuantumW-1:0]   bits_q;    // bits of the quantum, the next at the top
  reg [ShareW-1:0]     most_q;

  wire                 last = left_q == {LeftW{1'b0}};
  wire [ShareW-1:0]    most [0:NumClasses];
  assign most[0] = {{(ShareW-1){1'b0}}, 1'b1};

  genvar c;
  generate
    for (c = 0; c < NumClasses; c = c + 1) begin : g_class
      reg [FlowsW-1:0]   flows_q;  // bits of the flow count, the next at the top
      reg [WeightW-1:0]  weight_q;
      reg [ShareW-1:0]   share_q;
      reg [ShareW-1:0]   rest_q;   // remainder, below most_q
      reg [QuantumW-1:0] part_q;

      assign most[c+1] = waits_q[c] && share_q > most[c] ? share_q : most[c];

      wire [FlowsW-1:0] flows = flows_i[c*FlowsW+:FlowsW];
      wire [ShareW+1:0] sum   = {1'b0, rest_q, 1'b0} + {2'b00, bits_q[QuantumW-1] ? share_q : {ShareW{1'b0}}};
      wire              two   = sum >= {1'b0, most_q, 1'b0};
      wire              one   = sum >= {2'b00, most_q};
      /* verilator lint_off UNUSEDSIGNAL */
      wire [ShareW+1:0] rest  = two ? sum - {1'b0, most_q, 1'b0} : one ? sum - {2'b00, most_q} : sum;
      /* verilator lint_on UNUSEDSIGNAL */
      wire [QuantumW-1:0] digit = {{(QuantumW-2){1'b0}}, two, one && !two};

      always_ff @(posedge clk_i) begin
        if (start_i) begin
          flows_q  <= flows == {FlowsW{1'b0}} ? {{(FlowsW-1){1'b0}}, 1'b1} : flows;
          weight_q <= weight_i[c*WeightW+:WeightW];
          share_q  <= {ShareW{1'b0}};
        end else if (phase_q == Multiply) begin
          share_q <= (share_q << 1) + (flows_q[FlowsW-1] ? {{FlowsW{1'b0}}, weight_q} : {ShareW{1'b0}});
          flows_q <= flows_q << 1;
        end else if (phase_q == Most) begin
          if (!waits_q[c]) share_q <= {ShareW{1'b0}};
          rest_q <= {ShareW{1'b0}};
        end else if (phase_q == Divide) rest_q <= rest[ShareW-1:0];
        if (!rst_ni || phase_q == Most) part_q <= {QuantumW{1'b0}};
        else if (phase_q == Divide) part_q <= (part_q << 1) + digit;
      end

      assign quantum_o[c*QuantumW+:QuantumW] = part_q == {QuantumW{1'b0}} ? {{(QuantumW-1){1'b0}}, 1'b1} : part_q;
    end
  endgenerate

  assign busy_o = phase_q != Done;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) phase_q <= Done;
    else if (start_i) phase_q <= Multiply;
    else if (phase_q == Most) phase_q <= Divide;
    else if (last) phase_q <= phase_q == Multiply ? Most : Done;
    if (start_i) left_q <= FlowsW[LeftW-1:0] - 1'b1;
    else if (phase_q == Most) left_q <= QuantumW[LeftW-1:0] - 1'b1;
    else left_q <= left_q - 1'b1;
    if (start_i) waits_q <= waits_i;
    if (phase_q == Most) most_q <= most[NumClasses];
    if (start_i) bits_q <= quantum_i;
    else if (phase_q == Divide) bits_q <= bits_q << 1;
  end

`ifdef FORMAL
  reg past_q = 1'b0;  // there was a clock edge before this one
  always_ff @(posedge clk_i) past_q <= 1'b1;

  // Any class, as it was when the computation began.
  localparam WideW = ShareW + QuantumW + 1;
  reg                  f_begun_q;
  reg [QuantumW-1:0]   f_quantum_q;
  wire [NumClasses-1:0] f_lost, f_grown, f_wrong, f_astray, f_beyond, f_apart, f_largest, f_is_most, f_empty, f_weightless;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_begun_q <= 1'b0;
    else if (start_i) f_begun_q <= 1'b1;
    if (start_i) f_quantum_q <= quantum_i;
  end
  wire [LeftW-1:0]   f_ahead = phase_q == Done ? {LeftW{1'b0}} : left_q + 1'b1;  // bits still to come
  wire [QuantumW-1:0] f_seen = phase_q == Done ? f_quantum_q : f_quantum_q >> f_ahead;
  generate
    for (c = 0; c < NumClasses; c = c + 1) begin : g_law
      reg [FlowsW-1:0] f_flows_q;  // flows, at least one
      wire [ShareW-1:0] share = g_class[c].share_q;
      wire [WideW-1:0] whole = f_flows_q * g_class[c].weight_q;
      wire [FlowsW-1:0] begun = f_flows_q >> f_ahead;
      wire [WideW-1:0] ideal = f_seen * share;
      wire [WideW-1:0] got   = g_class[c].part_q * most_q;
      always_ff @(posedge clk_i) if (start_i) f_flows_q <= flows_i[c*FlowsW+:FlowsW] == 0 ? 1 : flows_i[c*FlowsW+:FlowsW];
      // Bit c: the law does not hold for class c.
      assign f_lost[c]    = phase_q == Multiply && (share != begun * g_class[c].weight_q ||
                            g_class[c].flows_q != f_flows_q << (FlowsW - f_ahead));
      assign f_wrong[c]   = phase_q == Most && share != whole;
      assign f_grown[c]   = (phase_q == Divide || phase_q == Done) && (share != (waits_q[c] ? whole : 0) || share > most_q);
      assign f_astray[c]  = (phase_q == Divide || phase_q == Done) && (got + g_class[c].rest_q != ideal || g_class[c].rest_q >= most_q);
      // Output, compared with the ideal.
      wire [QuantumW-1:0] out = quantum_o[c*QuantumW+:QuantumW];
      wire [WideW-1:0]    all = f_quantum_q * share;
      wire [WideW-1:0]    low = out * most_q;
      assign f_beyond[c]  = out == 0 || out > f_quantum_q;
      assign f_apart[c]   = waits_q[c] && (low > all && out != 1 || low + most_q <= all);
      assign f_is_most[c] = waits_q[c] && share == most_q;
      assign f_empty[c]   = f_flows_q == 0 || g_class[c].weight_q == 0;
      assign f_weightless[c] = weight_i[c*WeightW+:WeightW] == 0;
      assign f_largest[c] = waits_q[c] && share == most_q && out != f_quantum_q;
    end
  endgenerate
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (quantum_i != 0 && f_weightless == 0);
    if (past_q && f_begun_q) begin
      flows_and_weights:     assert (f_empty == 0);
      the_most_of_who_waits: assert (phase_q == Multiply || phase_q == Most || waits_q == 0 || f_is_most != 0);
      a_quantum_there_is:    assert (f_quantum_q != 0 && (phase_q == Multiply || phase_q == Most || most_q != 0));
      steps_are_counted:     assert (phase_q == Done || phase_q == Most || left_q < (phase_q == Multiply ? FlowsW : QuantumW));
      bits_as_they_come:     assert (phase_q != Divide || bits_q == f_quantum_q << (QuantumW - f_ahead));
      bits_until_then:       assert (phase_q == Divide || phase_q == Done || bits_q == f_quantum_q);
      flows_times_weight:    assert (f_lost == 0);
      all_of_the_product:    assert (f_wrong == 0);
      none_above_the_most:   assert (f_grown == 0);
      part_and_rest:         assert (f_astray == 0);
      if (!busy_o) begin
        from_a_byte_to_the_quantum: assert (f_beyond == 0);
        its_part_rounded_down:      assert (f_apart == 0);
        the_quantum_for_the_most:   assert (f_largest == 0);
      end
    end
    if (past_q && !f_begun_q) idle_until_then: assert (phase_q == Done);
  end
`endif

endmodule

`default_nettype wire
