// SPDX-License-Identifier: MIT OR Apache-2.0
// All policies that detour, and drop-tail: a register selects one.
//
// Decision    policy_i 0: the wanted port if the packet fits, else a drop; 1: detour_pick; 2:
//             detour_first_open; 3: detour_load_aware; 4: detour_flow; 5: detour_probabilistic; else as 0.
// State       none.
// Latency     none: combinational. The five cells work in parallel.
// Source      Zarifis et al., EuroSys 2014, sections 2 and 7; the vectors check each cell alone and here.
// Deviations  those of the cells. All use draw_1_i; detour_probabilistic uses draw_2_i too.

`default_nettype none

module detour_choice #(
  parameter NumPorts = 8,   // 2 to 64
  parameter PortW    = 3,   // bits of a port number; 2^PortW >= NumPorts
  parameter DrawW    = 32,  // bits of a draw
  parameter DepthW   = 20,  // bits of a queue's depth
  parameter RankW    = 32   // bits of a rank
) (
  input  wire logic [2:0]                   policy_i,  // policy
  input  wire logic [PortW-1:0]             want_i,    // port the route chose; below NumPorts
  input  wire logic [NumPorts-1:0]          fits_i,    // bit p: the packet fits in queue p
  input  wire logic [NumPorts-1:0]          switch_i,  // bit p: a detour to port p is allowed
  input  wire logic [NumPorts*DepthW-1:0]   depth_i,   // depth of each queue, port 0 lowest; with policy 3
  input  wire logic [NumPorts*NumPorts-1:0] order_i,   // row k: the port that the flow tries k-th; with policy 4
  input  wire logic [DepthW-1:0]            line_i,    // depth of the wanted queue; with policy 5, as the rest
  input  wire logic [DepthW-1:0]            start_i,   // depth at which early detours begin
  input  wire logic [DepthW-1:0]            full_i,    // depth at which they are certain; if not above start_i there are none
  input  wire logic [RankW-1:0]             rank_i,    // bytes that the packet's flow has left to send
  input  wire logic [RankW-1:0]             favour_i,  // a packet with at most this left is never detoured early
  input  wire logic [DrawW-1:0]             draw_1_i,  // next draw
  input  wire logic [DrawW-1:0]             draw_2_i,  // the draw after that
  output logic                              drop_o,    // no port has room
  output logic                              detour_o,  // the choice is not the wanted port
  output logic [PortW-1:0]                  port_o     // the choice; meaningful when !drop_o
);

  localparam [2:0] Uniform = 3'd1, FirstOpen = 3'd2, LoadAware = 3'd3, Flow = 3'd4, Probabilistic = 3'd5;

  wire             want_fits = |(fits_i & ({{(NumPorts-1){1'b0}}, 1'b1} << want_i));
  wire [5:1]       drop, detour;
  wire [PortW-1:0] port [1:5];

  detour_pick #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(DrawW)) i_uniform (
    .want_i (want_i), .fits_i (fits_i), .switch_i (switch_i), .draw_i (draw_1_i),
    .drop_o (drop[1]), .detour_o (detour[1]), .port_o (port[1])
  );
  detour_first_open #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(DrawW)) i_first_open (
    .want_i (want_i), .fits_i (fits_i), .switch_i (switch_i), .draw_i (draw_1_i),
    .drop_o (drop[2]), .detour_o (detour[2]), .port_o (port[2])
  );
  detour_load_aware #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(DrawW), .DepthW(DepthW)) i_load_aware (
    .want_i (want_i), .fits_i (fits_i), .switch_i (switch_i), .depth_i (depth_i), .draw_i (draw_1_i),
    .drop_o (drop[3]), .detour_o (detour[3]), .port_o (port[3])
  );
  detour_flow #(.NumPorts(NumPorts), .PortW(PortW)) i_flow (
    .want_i (want_i), .fits_i (fits_i), .switch_i (switch_i), .order_i (order_i),
    .drop_o (drop[4]), .detour_o (detour[4]), .port_o (port[4])
  );

  // Invalid settings disable early detours, and keep detours of packets that do not fit.
  wire                early = full_i > start_i;
  wire [DepthW-1:0]   start = early ? start_i : {{(DepthW-1){1'b1}}, 1'b0};
  wire [DepthW-1:0]   full  = early ? full_i : {DepthW{1'b1}};

  detour_probabilistic #(
    .NumPorts(NumPorts), .PortW(PortW), .DrawW(DrawW), .DepthW(DepthW), .RankW(RankW)
  ) i_probabilistic (
    .want_i (want_i), .fits_i (fits_i), .switch_i (switch_i), .depth_i (line_i), .start_i (start), .full_i (full),
    .rank_i (rank_i), .favour_i (early ? favour_i : {RankW{1'b1}}), .draw_1_i (draw_1_i), .draw_2_i (draw_2_i),
    .drop_o (drop[5]), .detour_o (detour[5]), .port_o (port[5])
  );

  always_comb begin
    case (policy_i)
      Uniform:       {drop_o, detour_o, port_o} = {drop[1], detour[1], port[1]};
      FirstOpen:     {drop_o, detour_o, port_o} = {drop[2], detour[2], port[2]};
      LoadAware:     {drop_o, detour_o, port_o} = {drop[3], detour[3], port[3]};
      Flow:          {drop_o, detour_o, port_o} = {drop[4], detour[4], port[4]};
      Probabilistic: {drop_o, detour_o, port_o} = {drop[5], detour[5], port[5]};
      default:       {drop_o, detour_o, port_o} = {!want_fits, 1'b0, want_i};
    endcase
  end

`ifdef FORMAL
  wire [NumPorts-1:0] listed [0:NumPorts];
  wire [NumPorts-1:0] one;
  assign listed[0] = {NumPorts{1'b0}};
  genvar k;
  generate
    for (k = 0; k < NumPorts; k = k + 1) begin : g_law
      wire [NumPorts-1:0] row = order_i[k*NumPorts+:NumPorts];
      assign listed[k+1] = listed[k] | row;
      assign one[k] = (row & (row - 1'b1)) == 0;
    end
  endgenerate
  wire rows_are_ports = &one && listed[NumPorts] == {NumPorts{1'b1}};
  wire [NumPorts-1:0] choice = {{(NumPorts-1){1'b0}}, 1'b1} << port_o;

  always_comb begin
    assume (want_i < NumPorts);
    // As output_port_lookup provides it: every port in a row.
    assume (rows_are_ports);
    if (!drop_o) begin
      a_port_of_this_switch: assert (port_o < NumPorts);
      never_to_a_full_queue: assert ((choice & ~fits_i) == 0);
    end
    if (detour_o) begin
      never_to_a_host:          assert ((choice & ~switch_i) == 0);
      a_detour_goes_elsewhere:  assert (port_o != want_i);
      no_detours_by_drop_tail:  assert (policy_i >= 1 && policy_i <= 5);
      early_by_one_policy_alone: assert (!want_fits || (policy_i == Probabilistic && early && line_i > start_i && rank_i > favour_i));
    end
    // The laws above leave two policies room to differ: the outcome is that of the selected policy.
    if (policy_i >= 1 && policy_i <= 5)
      as_the_named_policy: assert ({drop_o, detour_o, port_o} == {drop[policy_i], detour[policy_i], port[policy_i]});
    not_both:              assert (!(drop_o && detour_o));
    drop_only_what_does_not_fit: assert (!drop_o || !want_fits);
    drop_when_nothing_is_open: assert (policy_i == 0 || policy_i > 5 || drop_o == (!want_fits && (fits_i & switch_i) == 0));
  end
`endif

endmodule

`default_nettype wire
