// SPDX-License-Identifier: MIT OR Apache-2.0
// Load-aware DIBS: the detour goes to the neighbour with the shortest queue.
//
// Decision    want_i if the packet fits there, else the port with the shortest queue of those that
//             fit and lead to a switch, of several equal ones the scale(draw_i)-th; else drop.
// State       none.
// Latency     none: combinational. All pairs of queues are compared in parallel, so the
//             logic depth grows with the logarithm of NumPorts and the area with its square.
// Source      Zarifis et al., EuroSys 2014, section 7; `pick` in
//             crates/switch/src/buffer/dibs_load_aware.rs; the vectors check the equality.
// Deviations  as the Rust decision: depth_i may have any unit, and the vectors use
//             bytes. A draw narrower than 32 bits decides as one that ends in zeros.

`default_nettype none

module detour_load_aware #(
  parameter NumPorts = 8,   // 2 to 64
  parameter PortW    = 3,   // bits of a port number; 2^PortW >= NumPorts
  parameter DrawW    = 32,  // bits of a draw
  parameter DepthW   = 20   // bits of a queue's depth
) (
  input  wire logic [PortW-1:0]           want_i,    // port the route chose; below NumPorts
  input  wire logic [NumPorts-1:0]        fits_i,    // bit p: the packet fits in queue p
  input  wire logic [NumPorts-1:0]        switch_i,  // bit p: another switch hangs off port p
  input  wire logic [NumPorts*DepthW-1:0] depth_i,   // depth of each queue, port 0 lowest
  input  wire logic [DrawW-1:0]           draw_i,    // one random draw
  output logic                            drop_o,    // no port has room
  output logic                            detour_o,  // the choice is not the wanted port
  output logic [PortW-1:0]                port_o     // the choice; meaningful when !drop_o
);

  wire [NumPorts-1:0] open = fits_i & switch_i;
  wire [NumPorts-1:0] beaten;  // bit p: an open port has a shorter queue

  genvar p, q;
  generate
    for (p = 0; p < NumPorts; p = p + 1) begin : g_port
      wire [NumPorts-1:0] less;  // bit q: port q is open and has a shorter queue
      for (q = 0; q < NumPorts; q = q + 1) begin : g_other
        assign less[q] = open[q] && depth_i[q*DepthW+:DepthW] < depth_i[p*DepthW+:DepthW];
      end
      assign beaten[p] = less != {NumPorts{1'b0}};
    end
  endgenerate

  wire want_fits = |(fits_i & ({{(NumPorts-1){1'b0}}, 1'b1} << want_i));

  wire             none;
  wire [PortW-1:0] elsewhere;

  pick_uniform #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(DrawW)) i_pick (
    .set_i    (open & ~beaten),
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

  always_comb if (detour_o) no_open_port_holds_less: assert ((law_choice & beaten) == 0);
`endif

endmodule

`default_nettype wire
