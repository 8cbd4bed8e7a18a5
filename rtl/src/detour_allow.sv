// SPDX-License-Identifier: MIT OR Apache-2.0
// Ports to which a packet may be detoured, full or not.
//
// Decision    every port that leads to a switch, except the ingress port if that is
//             barred; no port once the packet was detoured as often as is allowed.
// State       none.
// Latency     none: combinational, and known before the queues are read.
// Source      `Detours::open` in crates/switch/src/buffer/detour.rs; the paper has no
//             settings `ingress` and `max_detours`, and leaves loops to the time to live.
// Deviations  none.

`default_nettype none

module detour_allow #(
  parameter NumPorts = 8,  // 2 to 64
  parameter PortW    = 3   // bits of a port number; 2^PortW >= NumPorts
) (
  input  wire logic [NumPorts-1:0] switch_i,          // bit p: another switch hangs off port p
  input  wire logic [PortW-1:0]    ingress_i,         // ingress port
  input  wire logic                ingress_barred_i,  // the packet may not leave by its ingress port
  input  wire logic [7:0]          detours_i,         // number of detours so far
  input  wire logic [7:0]          max_detours_i,     // limit of detours; 0 for no limit
  output logic                     spent_o,           // no further detour is allowed
  output logic [NumPorts-1:0]      candidates_o       // mask for switch_i of a detour cell
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
