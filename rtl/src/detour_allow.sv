// SPDX-License-Identifier: MIT OR Apache-2.0
// Where a packet may be detoured to, full or not.
//
// Decision    every port that leads to a switch, without the one the packet came in by where that is
//             barred; none at all once it was detoured as often as is allowed.
// State       none.
// Latency     none: combinational, and known before the queues are looked at.
// Source      `Detours::open` in crates/switch/src/buffer/detour.rs; its settings `ingress` and
//             `max_detours` are not in the paper, which leaves loops to the time to live.
// Deviations  none.

`default_nettype none

module detour_allow #(
  parameter NumPorts = 8,  // 2 to 64
  parameter PortW    = 3   // bits of a port number; 2^PortW >= NumPorts
) (
  input  wire logic [NumPorts-1:0] switch_i,          // bit p: another switch hangs off port p
  input  wire logic [PortW-1:0]    ingress_i,         // port the packet came in by
  input  wire logic                ingress_barred_i,  // it may not leave by that one
  input  wire logic [7:0]          detours_i,         // how often it was detoured
  input  wire logic [7:0]          max_detours_i,     // how often it may be; 0 for any number
  output logic                     spent_o,           // it may be detoured no more
  output logic [NumPorts-1:0]      candidates_o       // the mask for switch_i of a detour cell
);

  wire [NumPorts-1:0] barred = ingress_barred_i ? {{(NumPorts-1){1'b0}}, 1'b1} << ingress_i : {NumPorts{1'b0}};

  assign spent_o      = max_detours_i != 8'd0 && detours_i >= max_detours_i;
  assign candidates_o = spent_o ? {NumPorts{1'b0}} : switch_i & ~barred;

`ifdef FORMAL
  always_comb begin
    only_switches:  assert ((candidates_o & ~switch_i) == 0);
    never_back:     assert (!ingress_barred_i || ((candidates_o >> ingress_i) & 1'b1) == 0);
    never_too_many: assert (max_detours_i == 0 || detours_i < max_detours_i || candidates_o == 0);
    others_stay:    assert (spent_o || (switch_i & ~candidates_o & ~barred) == 0);
  end
`endif

endmodule

`default_nettype wire
