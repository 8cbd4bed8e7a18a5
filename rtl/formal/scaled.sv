// SPDX-License-Identifier: MIT OR Apache-2.0
// A draw that was scaled ahead decides as the draw itself, so the vectors also cover detour_decision.

module scaled #(parameter NumPorts = 4, parameter PortW = 2, parameter DrawW = 32) (
  input logic [PortW-1:0]    want_i,
  input logic [NumPorts-1:0] fits_i, switch_i,
  input logic [DrawW-1:0]    draw_i
);
  localparam PlacesW = (NumPorts + 1) * PortW;
  wire [PlacesW-1:0] places;
  wire               drop_a, drop_b, detour_a, detour_b;
  wire [PortW-1:0]   port_a, port_b;

  scale_draw #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(DrawW)) i_scale (.draw_i(draw_i), .places_o(places));

  detour_pick #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(DrawW)) i_plain (
    .want_i(want_i), .fits_i(fits_i), .switch_i(switch_i), .draw_i(draw_i),
    .drop_o(drop_a), .detour_o(detour_a), .port_o(port_a));

  detour_pick #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(PlacesW), .Scaled(1)) i_scaled (
    .want_i(want_i), .fits_i(fits_i), .switch_i(switch_i), .draw_i(places),
    .drop_o(drop_b), .detour_o(detour_b), .port_o(port_b));

  always_comb the_same_decision: assert ({drop_a, detour_a, port_a} == {drop_b, detour_b, port_b});
endmodule
