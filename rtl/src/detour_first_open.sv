// SPDX-License-Identifier: MIT OR Apache-2.0
// First-open DIBS: the cheapest detour, one rotating priority encoder.
//
// Decision    want_i if the packet fits there, else the first port that fits and leads
//             to a switch, searched upwards and around from a drawn port; else drop.
// State       none.
// Latency     none: combinational.
// Source      a cheaper form of Zarifis et al., EuroSys 2014, section 2; `pick` in
//             crates/switch/src/buffer/dibs_first_open.rs; the vectors check the equality.
// Deviations  not uniform: a port that follows closed ports, or ports to hosts, also receives their
//             share. A draw narrower than 32 bits decides as the 32-bit draw that begins with its
//             bits and ends in zeros. If NumPorts is a power of two, only the top PortW bits matter.

`default_nettype none

module detour_first_open #(
  parameter NumPorts = 8,  // 2 to 64
  parameter PortW    = 3,  // bits of a port number; 2^PortW >= NumPorts
  parameter DrawW    = 32  // bits of a draw
) (
  input  wire logic [PortW-1:0]    want_i,    // port the route chose; below NumPorts
  input  wire logic [NumPorts-1:0] fits_i,    // bit p: the packet fits in queue p
  input  wire logic [NumPorts-1:0] switch_i,  // bit p: another switch hangs off port p
  /* verilator lint_off UNUSEDSIGNAL */
  input  wire logic [DrawW-1:0]    draw_i,    // one random draw
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                     drop_o,    // no port has room
  output logic                     detour_o,  // the choice is not the wanted port
  output logic [PortW-1:0]         port_o     // the choice; meaningful when !drop_o
);

  wire want_fits = |(fits_i & ({{(NumPorts-1){1'b0}}, 1'b1} << want_i));
  wire [NumPorts-1:0] open = fits_i & switch_i;

  // scale(draw, NumPorts): the port to begin with. The lower bits of draw and product are unused.
  wire [PortW-1:0] start;
  /* verilator lint_off UNUSEDSIGNAL */
  generate
    if (NumPorts == 1 << PortW) begin : g_top_bits
      assign start = draw_i[DrawW-1-:PortW];
    end else begin : g_product
      wire [DrawW+PortW-1:0] product = {{PortW{1'b0}}, draw_i} * NumPorts;
      assign start = product[DrawW+:PortW];
    end
  endgenerate
  /* verilator lint_on UNUSEDSIGNAL */

  // The lowest open port from `start` on, or else the lowest open port.
  wire [NumPorts-1:0] after  = open & ({NumPorts{1'b1}} << start);
  wire [NumPorts-1:0] from   = after == {NumPorts{1'b0}} ? open : after;
  wire [NumPorts-1:0] lowest = from & (~from + 1'b1);

  genvar p;
  generate
    wire [PortW-1:0] number [0:NumPorts];
    assign number[0] = {PortW{1'b0}};
    for (p = 0; p < NumPorts; p = p + 1) begin : g_number
      assign number[p+1] = number[p] | (lowest[p] ? p[PortW-1:0] : {PortW{1'b0}});
    end
  endgenerate

  assign drop_o   = !want_fits && open == {NumPorts{1'b0}};
  assign detour_o = !want_fits && open != {NumPorts{1'b0}};
  assign port_o   = want_fits ? want_i : number[NumPorts];

`ifdef FORMAL
  `include "detour_laws.svh"
`endif

endmodule

`default_nettype wire
