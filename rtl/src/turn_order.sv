// SPDX-License-Identifier: MIT OR Apache-2.0
// Order in which a flow tries the ports, combinational: from a first port, upwards or downwards.
//
// Decision    the first is the scale(hash_i without its lowest bit)-th port; the others
//             follow it upwards if that bit is 0, else downwards, wrapping around.
// State       none.
// Latency     none: combinational.
// Source      none; replaces flow_order, which takes 145 cycles, where frames come faster than that.
// Deviations  2 * NumPorts orders, where the policy `dibs-flow` has every one: the port that follows
//             a full port in the order of one flow follows it for half of the flows that begin there.

`default_nettype none

module turn_order #(
  parameter NumPorts = 8,   // 2 to 64
  parameter PortW    = 3,   // bits of a port number; 2^PortW >= NumPorts
  parameter HashW    = 12   // bits of hash_i; at least 2
) (
  input  wire logic [HashW-1:0]             hash_i,  // hash of the flow
  output logic      [NumPorts*NumPorts-1:0] order_o  // row k: the port to try k-th, one bit; row 0 lowest
);

  /* verilator lint_off UNUSEDSIGNAL */
  wire [(NumPorts+1)*PortW-1:0] places;  // only the last place is used
  /* verilator lint_on UNUSEDSIGNAL */
  scale_draw #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(HashW - 1)) i_first (
    .draw_i   (hash_i[HashW-1:1]),
    .places_o (places)
  );
  wire [NumPorts-1:0] first = {{(NumPorts-1){1'b0}}, 1'b1} << places[NumPorts*PortW +: PortW];

  assign order_o[NumPorts-1:0] = first;
  genvar k;
  generate
    for (k = 1; k < NumPorts; k = k + 1) begin : g_row
      wire [NumPorts-1:0] last = order_o[(k-1)*NumPorts +: NumPorts];
      assign order_o[k*NumPorts +: NumPorts] = hash_i[0] ? {last[0], last[NumPorts-1:1]} : {last[NumPorts-2:0], last[NumPorts-1]};
    end
  endgenerate

`ifdef FORMAL
  wire [NumPorts-1:0] listed [0:NumPorts];
  wire [NumPorts-1:0] one;
  assign listed[0] = {NumPorts{1'b0}};
  generate
    for (k = 0; k < NumPorts; k = k + 1) begin : g_law
      wire [NumPorts-1:0] row = order_o[k*NumPorts+:NumPorts];
      assign listed[k+1] = listed[k] | row;
      assign one[k] = (row & (row - 1'b1)) == 0;
    end
  endgenerate
  always_comb every_port_once: assert (&one && listed[NumPorts] == {NumPorts{1'b1}});
`endif

endmodule

`default_nettype wire
