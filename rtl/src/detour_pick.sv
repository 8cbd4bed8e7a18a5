// SPDX-License-Identifier: MIT OR Apache-2.0
// DIBS: the wanted port, or a detour to a random open port, or a drop.
//
// Decision    want_i if the packet fits there, else the scale(draw_i)-th of the ports
//             that fit and lead to a switch, each with equal probability; else drop.
// State       none.
// Latency     none: combinational. The choice is made in parallel with the test of the wanted queue.
// Source      Zarifis et al., EuroSys 2014, sections 2 and 5.1; `pick` in
//             crates/switch/src/buffer/dibs.rs; the vectors check the equality.
// Deviations  none. `draw_i` has 32 bits, as in the Rust decision. A narrower one
//             decides as the 32-bit draw that begins with its bits and ends in zeros.
//
// switch_i is the mask of candidates: a packet is not detoured to its ingress port,
// or detoured too often, if the mask leaves those ports out (detour_allow does that).

`default_nettype none

module detour_pick #(
  parameter NumPorts = 8,  // 2 to 64
  parameter PortW    = 3,  // bits of a port number; 2^PortW >= NumPorts
  parameter DrawW    = 32, // bits of a draw
  parameter Scaled   = 0   // 1: draw_i is the output of scale_draw, DrawW is (NumPorts + 1) * PortW
) (
  input  wire logic [PortW-1:0]    want_i,    // port the route chose; below NumPorts
  input  wire logic [NumPorts-1:0] fits_i,    // bit p: the packet fits in queue p
  input  wire logic [NumPorts-1:0] switch_i,  // bit p: another switch hangs off port p
  input  wire logic [DrawW-1:0]    draw_i,    // one random draw
  output logic                     drop_o,    // no port has room
  output logic                     detour_o,  // the choice is not the wanted port
  output logic [PortW-1:0]         port_o     // the choice; meaningful when !drop_o
);

  wire want_fits = |(fits_i & ({{(NumPorts-1){1'b0}}, 1'b1} << want_i));

  wire                none;
  wire [PortW-1:0]    elsewhere;

  pick_uniform #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(DrawW), .Scaled(Scaled)) i_pick (
    .set_i    (fits_i & switch_i),
    .draw_i   (draw_i),
    .none_o   (none),
    /* verilator lint_off PINCONNECTEMPTY */
    .onehot_o (),
    /* verilator lint_on PINCONNECTEMPTY */
    .port_o   (elsewhere)
  );

  assign drop_o   = !want_fits && none;
  assign detour_o = !want_fits && !none;
  assign port_o   = want_fits ? want_i : elsewhere;

`ifdef FORMAL
  `include "detour_laws.svh"
`endif

  // An invalid configuration is not built. The check stands last, as netlists name cells by their lines.
  `include "expect.svh"
  generate
    `EXPECT(g_ports, NumPorts >= 2 && NumPorts <= 64, "detour_pick: NumPorts must be from 2 to 64")
    `EXPECT(g_port_w, NumPorts <= 1 << PortW, "detour_pick: PortW has too few bits for NumPorts")
    `EXPECT(g_scaled, Scaled == 0 || Scaled == 1, "detour_pick: Scaled must be 0 or 1")
    `EXPECT(g_draw, DrawW >= 1 && DrawW <= 32 || Scaled == 1, "detour_pick: DrawW must be from 1 to 32")
    `EXPECT(g_made, Scaled == 0 || DrawW == (NumPorts + 1) * PortW, "detour_pick: with Scaled 1 DrawW must be (NumPorts + 1) * PortW")
  endgenerate

endmodule

`default_nettype wire
