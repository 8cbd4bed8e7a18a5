// SPDX-License-Identifier: MIT OR Apache-2.0
// Probabilistic DIBS: the fuller the queue, the likelier a packet of a long flow is detoured.
//
// Decision    a packet that does not fit is detoured as by detour_pick. A packet that fits,
//             and whose flow has more than favour_i left to send, is detoured with probability
//             (depth_i - start_i) / (full_i - start_i), and stays if no other port is open.
// State       none.
// Latency     none: combinational. One multiplier of DrawW by DepthW bits, whose product
//             is only compared with the depth, in parallel with the choice of the port.
// Source      Zarifis et al., EuroSys 2014, section 7;
//             crates/switch/src/buffer/dibs_probabilistic.rs; the vectors check the equality.
// Deviations  as the Rust decision, whose numbers are assumed. A draw
//             narrower than 32 bits decides as one that ends in zeros.
//
// The Rust decision draws only as needed. For a packet that fits, the first draw decides whether it goes
// early, and the second chooses the port; for one that does not fit, the first draw chooses the port.

`default_nettype none

module detour_probabilistic #(
  parameter NumPorts = 8,   // 2 to 64
  parameter PortW    = 3,   // bits of a port number; 2^PortW >= NumPorts
  parameter DrawW    = 32,  // bits of a draw
  parameter DepthW   = 20,  // bits of a queue's depth
  parameter RankW    = 32   // bits of a rank
) (
  input  wire logic [PortW-1:0]    want_i,    // port the route chose; below NumPorts
  input  wire logic [NumPorts-1:0] fits_i,    // bit p: the packet fits in queue p
  input  wire logic [NumPorts-1:0] switch_i,  // bit p: another switch hangs off port p
  input  wire logic [DepthW-1:0]   depth_i,   // depth of the wanted queue
  input  wire logic [DepthW-1:0]   start_i,   // setting: depth at which early detours begin
  input  wire logic [DepthW-1:0]   full_i,    // setting: depth at which they are certain; above start_i
  input  wire logic [RankW-1:0]    rank_i,    // bytes that the packet's flow has left to send
  input  wire logic [RankW-1:0]    favour_i,  // setting: a packet with at most this left is never detoured early
  input  wire logic [DrawW-1:0]    draw_1_i,  // next draw
  input  wire logic [DrawW-1:0]    draw_2_i,  // the draw after that
  output logic                     drop_o,    // no port has room
  output logic                     detour_o,  // the choice is not the wanted port
  output logic [PortW-1:0]         port_o     // the choice; meaningful when !drop_o
);

  wire [NumPorts-1:0] want_bit  = {{(NumPorts-1){1'b0}}, 1'b1} << want_i;
  wire                want_fits = |(fits_i & want_bit);

  // scale(draw_1, full - start) < depth - start. Both sides are integers: the fraction does not matter.
  wire [DepthW-1:0]       past   = depth_i - start_i;
  wire [DepthW-1:0]       span   = full_i - start_i;
  /* verilator lint_off UNUSEDSIGNAL */
  wire [DrawW+DepthW-1:0] chance = {{DepthW{1'b0}}, draw_1_i} * {{DrawW{1'b0}}, span};
  /* verilator lint_on UNUSEDSIGNAL */
  wire early = want_fits && rank_i > favour_i && depth_i > start_i && chance[DrawW+:DepthW] < past;

  wire             none;
  wire [PortW-1:0] elsewhere;

  pick_uniform #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(DrawW)) i_pick (
    .set_i    (fits_i & switch_i & ~want_bit),
    .draw_i   (want_fits ? draw_2_i : draw_1_i),
    .none_o   (none),
    /* verilator lint_off PINCONNECTEMPTY */
    .onehot_o (),
    /* verilator lint_on PINCONNECTEMPTY */
    .port_o   (elsewhere)
  );

  assign drop_o   = !want_fits && none;
  assign detour_o = (early || !want_fits) && !none;
  assign port_o   = detour_o ? elsewhere : want_i;

`ifdef FORMAL
  // Not the laws of detour_laws.svh: this policy may leave a port that fits.
  wire [NumPorts-1:0] choice = {{(NumPorts-1){1'b0}}, 1'b1} << port_o;

  always_comb begin
    assume (want_i < NumPorts);
    if (!drop_o) begin
      a_port_of_this_switch: assert (port_o < NumPorts);
      never_to_a_full_queue: assert ((choice & ~fits_i) == 0);
    end
    if (detour_o) begin
      never_to_a_host:         assert ((choice & ~switch_i) == 0);
      a_detour_goes_elsewhere: assert (port_o != want_i);
    end
    drop_only_when_nothing_is_open: assert (drop_o == (!want_fits && (fits_i & switch_i) == 0));
    not_both:                       assert (!(drop_o && detour_o));
    the_favoured_stay:              assert (!(want_fits && rank_i <= favour_i && detour_o));
    short_queues_keep:              assert (!(want_fits && depth_i <= start_i && detour_o));
  end
`endif

endmodule

`default_nettype wire
