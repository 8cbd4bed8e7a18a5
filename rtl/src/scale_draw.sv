// SPDX-License-Identifier: MIT OR Apache-2.0
// Scales a draw to every number of ports from which a choice may be made.
//
// Decision    places_o[n] = floor(draw_i * n / 2^DrawW), for n from 0 to NumPorts.
// State       none.
// Latency     none: combinational. A switch with a fast clock keeps places_o in registers between
//             two decisions (detour_decision does), and pick_uniform uses them unchanged.
// Source      scale() in crates/types.
// Deviations  none.
//
// No multiplier: one adder for each odd n.

`default_nettype none

module scale_draw #(
  parameter NumPorts = 8,  // 2 to 64
  parameter PortW    = 3,  // bits of a port number; 2^PortW >= NumPorts
  parameter DrawW    = 32  // bits of a draw
) (
  input  wire logic [DrawW-1:0]              draw_i,   // one random draw
  output logic [(NumPorts+1)*PortW-1:0]      places_o  // place n in bits n*PortW and up
);

  localparam WideW = DrawW + PortW + 1;  // draw * NumPorts

  genvar n;
  generate
    // times[n]: n times the draw.
    wire [WideW-1:0] times [0:NumPorts];
    assign times[0] = {WideW{1'b0}};
    assign times[1] = {{(PortW+1){1'b0}}, draw_i};
    for (n = 2; n <= NumPorts; n = n + 1) begin : g_times
      if (n % 2 == 0) begin : g_even
        assign times[n] = times[n/2] << 1;
      end else if ((n & (n + 1)) == 0) begin : g_before_power
        assign times[n] = (times[1] << $clog2(n + 1)) - times[1];
      end else begin : g_odd
        assign times[n] = times[n-1] + times[1];
      end
    end
    for (n = 0; n <= NumPorts; n = n + 1) begin : g_place
      assign places_o[n*PortW +: PortW] = times[n][DrawW+:PortW];
    end
  endgenerate

endmodule

`default_nettype wire
