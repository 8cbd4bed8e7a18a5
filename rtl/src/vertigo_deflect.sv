// SPDX-License-Identifier: MIT OR Apache-2.0
// Vertigo's deflection: the packet that must leave a full queue, and its new port.
//
// Decision    a packet that fits joins its queue. Otherwise the victim is the larger
//             rank of the packet and the queue's tail, of equal ranks the packet. It
//             goes to the less loaded of two different random ports of switch_i. If that
//             queue is full, the largest rank of its tail and the victim is dropped.
// State       none.
// Latency     none: combinational. With rank_queue behind each port all effects
//             of a decision occur in the same cycle: a push with or without a
//             pop of the tail at the wanted port, and the same at the target.
// Source      Abdous et al., CoNEXT 2021, section 3.2; decides as crates/switch/src/buffer/vertigo.rs.
// Deviations  room is counted in packets, so one eviction always makes room for one arrival. The policy
//             may count it in bytes, where one arrival displaces several: a switch of that kind gives each
//             packet the room of the largest, or takes several cycles (rtl/README.md). Depths are those
//             before the packet joins; the policy chooses the victim's queue after it has joined, so the
//             wanted port's depth differs if the two differ in size. As in the policy an equal rank stays,
//             of two equal loads the port drawn first is taken, and a single candidate is taken.

`default_nettype none

module vertigo_deflect #(
  parameter NumPorts = 8,   // 2 to 64
  parameter PortW    = 3,   // bits of a port number; 2^PortW >= NumPorts
  parameter RankW    = 32,  // bits of a rank
  parameter DepthW   = 20,  // bits of a queue's depth
  parameter DrawW    = 32   // bits of a draw
) (
  input  wire logic [RankW-1:0]           rank_i,    // rank of the packet: the smallest leaves first
  input  wire logic [PortW-1:0]           want_i,    // port the route chose; below NumPorts
  input  wire logic [NumPorts-1:0]        fits_i,    // bit p: queue p has room for one more
  input  wire logic [NumPorts-1:0]        switch_i,  // bit p: another switch hangs off port p
  input  wire logic [NumPorts*DepthW-1:0] depth_i,   // depth of each queue, port 0 lowest
  input  wire logic [NumPorts*RankW-1:0]  tail_i,    // rank at each queue's tail; used if the queue is full
  input  wire logic [DrawW-1:0]           draw_1_i,  // one random draw
  input  wire logic [DrawW-1:0]           draw_2_i,  // another random draw
  output logic                            enqueue_o, // the packet joins the queue it wanted
  output logic                            evict_o,   // the tail of that queue leaves it and is the victim
  output logic                            move_o,    // the victim joins the queue of target_o
  output logic      [PortW-1:0]           target_o,  // the port of the victim; meaningful when move_o
  output logic                            squeeze_o, // the tail of the queue of target_o is dropped
  output logic                            lost_o     // the victim is dropped
);

  wire [NumPorts-1:0] one = {{(NumPorts-1){1'b0}}, 1'b1};

  // Victim: the tail of the wanted queue if it ranks worse, else this packet.
  wire             want_fits = |(fits_i & (one << want_i));
  wire [RankW-1:0] want_tail;
  wire             larger = want_tail > rank_i;
  wire [RankW-1:0] victim = larger ? want_tail : rank_i;

  // Target.
  wire                none;
  wire [NumPorts-1:0] target_bit;
  wire [PortW-1:0]    target;

  shorter_of_two #(.NumPorts(NumPorts), .PortW(PortW), .DepthW(DepthW), .DrawW(DrawW)) i_target (
    .set_i    (switch_i),
    .depth_i  (depth_i),
    .draw_1_i (draw_1_i),
    .draw_2_i (draw_2_i),
    .none_o   (none),
    .onehot_o (target_bit),
    .port_o   (target)
  );

  wire                target_fits = |(fits_i & target_bit);
  wire [RankW-1:0]    target_tail;
  wire                room        = target_fits || target_tail > victim;

  genvar p;
  generate
    wire [RankW-1:0]  want_tails   [0:NumPorts];
    wire [RankW-1:0]  target_tails [0:NumPorts];
    assign want_tails[0]   = {RankW{1'b0}};
    assign target_tails[0] = {RankW{1'b0}};
    for (p = 0; p < NumPorts; p = p + 1) begin : g_select
      wire [RankW-1:0] tail = tail_i[p*RankW+:RankW];
      assign want_tails[p+1]   = want_tails[p]   | (want_i == p[PortW-1:0] ? tail : {RankW{1'b0}});
      assign target_tails[p+1] = target_tails[p] | (target_bit[p] ? tail : {RankW{1'b0}});
    end
    assign want_tail    = want_tails[NumPorts];
    assign target_tail  = target_tails[NumPorts];
  endgenerate

  assign enqueue_o = want_fits || larger;
  assign evict_o   = !want_fits && larger;
  assign move_o    = !want_fits && !none && room;
  assign target_o  = want_fits ? {PortW{1'b0}} : target;
  assign squeeze_o = move_o && !target_fits;
  assign lost_o    = !want_fits && !move_o;

`ifdef FORMAL
  wire [NumPorts-1:0] choice = one << target_o;

  always_comb begin
    assume (want_i < NumPorts);
    if (move_o) begin
      a_port_of_this_switch: assert (target_o < NumPorts);
      never_to_a_host:       assert ((choice & ~switch_i) == 0);
      full_only_by_squeezing: assert ((choice & ~fits_i) == 0 || squeeze_o);
    end
    // In: the packet. Out or kept: the packet or the evicted one, each once.
    every_packet_somewhere:   assert (want_fits || (move_o != lost_o));
    room_is_used:             assert (!want_fits || (enqueue_o && !evict_o && !move_o && !lost_o));
    evicts_for_smaller_only:  assert (!evict_o || (enqueue_o && tail_i[want_i*RankW+:RankW] > rank_i));
    one_leaves_for_one:       assert (enqueue_o == (want_fits || evict_o));
    squeezes_larger_only:     assert (!squeeze_o || tail_i[target_o*RankW+:RankW] > victim);
    dropped_only_when_stuck:  assert (!lost_o || switch_i == 0 || (choice & fits_i) == 0);
  end
`endif

endmodule

`default_nettype wire
