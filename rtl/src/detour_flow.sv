// SPDX-License-Identifier: MIT OR Apache-2.0
// Flow-based DIBS: all detours of a flow use the same port while it has room.
//
// Decision    want_i if the packet fits there, else the first port in
//             order_i that fits and may be detoured to; else drop.
// State       none; the flow's order comes from flow_order.
// Latency     none: combinational, two levels of AND and OR for each row and one priority encoder.
// Source      Zarifis et al., EuroSys 2014, section 7, "Flow-based detouring"; `pick`
//             in crates/switch/src/buffer/dibs_flow.rs; the vectors check the equality.
// Deviations  none.

`default_nettype none

module detour_flow #(
  parameter NumPorts = 8,  // 2 to 64
  parameter PortW    = 3   // bits of a port number; 2^PortW >= NumPorts
) (
  input  wire logic [PortW-1:0]             want_i,    // port the route chose; below NumPorts
  input  wire logic [NumPorts-1:0]          fits_i,    // bit p: the packet fits in queue p
  input  wire logic [NumPorts-1:0]          switch_i,  // bit p: a detour to port p is allowed; all such ports are in order_i
  input  wire logic [NumPorts*NumPorts-1:0] order_i,   // row k: the port to try k-th, one bit or none; row 0 lowest
  output logic                              drop_o,    // no port has room
  output logic                              detour_o,  // the choice is not the wanted port
  output logic [PortW-1:0]                  port_o     // the choice; meaningful when !drop_o
);

  wire want_fits = |(fits_i & ({{(NumPorts-1){1'b0}}, 1'b1} << want_i));
  wire [NumPorts-1:0] open = fits_i & switch_i;

  // hit[k]: the k-th port is open. The first hit decides.
  wire [NumPorts-1:0] hit;
  wire [NumPorts-1:0] first = hit & (~hit + 1'b1);
  wire [NumPorts-1:0] choice [0:NumPorts];
  wire [PortW-1:0]    number [0:NumPorts];
  assign choice[0] = {NumPorts{1'b0}};
  assign number[0] = {PortW{1'b0}};

  genvar k;
  generate
    for (k = 0; k < NumPorts; k = k + 1) begin : g_row
      assign hit[k]      = |(order_i[k*NumPorts+:NumPorts] & open);
      assign choice[k+1] = choice[k] | (first[k] ? order_i[k*NumPorts+:NumPorts] : {NumPorts{1'b0}});
    end
    for (k = 0; k < NumPorts; k = k + 1) begin : g_number
      assign number[k+1] = number[k] | (choice[NumPorts][k] ? k[PortW-1:0] : {PortW{1'b0}});
    end
  endgenerate

  assign drop_o   = !want_fits && hit == {NumPorts{1'b0}};
  assign detour_o = !want_fits && hit != {NumPorts{1'b0}};
  assign port_o   = want_fits ? want_i : number[NumPorts];

`ifdef FORMAL
  // Properties that flow_order proves of its output: one port a row, and every port to a switch in a row.
  wire [NumPorts-1:0] listed [0:NumPorts];
  assign listed[0] = {NumPorts{1'b0}};
  generate
    for (k = 0; k < NumPorts; k = k + 1) begin : g_law
      wire [NumPorts-1:0] row = order_i[k*NumPorts+:NumPorts];
      assign listed[k+1] = listed[k] | row;
      always_comb assume ((row & (row - 1'b1)) == 0);
    end
  endgenerate
  always_comb assume ((switch_i & ~listed[NumPorts]) == 0);

  `include "detour_laws.svh"
`endif

endmodule

`default_nettype wire
