// SPDX-License-Identifier: MIT OR Apache-2.0
// The power of two choices: of two random ports of a set, the one with the shorter queue.
//
// Decision    the first port is pick_uniform's by draw_1_i, the second pick_uniform's of
//             the others by draw_2_i. Of equal queues the first; a single port is taken.
// State       none.
// Latency     none: combinational.
// Source      Abdous et al., CoNEXT 2021 (Vertigo), section 3.2; decides as crates/switch/src/route/power_of_two.rs with two
//             choices and no memory, and as shortest_drawn of crates/switch/src/choices.rs.
// Deviations  none. If two ports are left the policy uses one draw and this cell examines both ports, with the same outcome.

`default_nettype none

module shorter_of_two #(
  parameter NumPorts = 8,   // 2 to 64
  parameter PortW    = 3,   // bits of a port number; 2^PortW >= NumPorts
  parameter DepthW   = 20,  // bits of a queue's depth
  parameter DrawW    = 32   // bits of a draw
) (
  input  wire logic [NumPorts-1:0]        set_i,     // the ports to choose from
  input  wire logic [NumPorts*DepthW-1:0] depth_i,   // depth of each queue, port 0 lowest
  input  wire logic [DrawW-1:0]           draw_1_i,  // one random draw
  input  wire logic [DrawW-1:0]           draw_2_i,  // another random draw
  output logic                            none_o,    // the set is empty
  output logic      [NumPorts-1:0]        onehot_o,  // the choice, one bit; 0 when none_o
  output logic      [PortW-1:0]           port_o     // the choice; 0 when none_o
);

  wire                alone;
  wire [NumPorts-1:0] first_bit, second_bit;
  wire [PortW-1:0]    first, second;
  wire [DepthW-1:0]   first_depth, second_depth;

  pick_uniform #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(DrawW)) i_first (
    .set_i    (set_i),
    .draw_i   (draw_1_i),
    .none_o   (none_o),
    .onehot_o (first_bit),
    .port_o   (first)
  );

  pick_uniform #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(DrawW)) i_second (
    .set_i    (set_i & ~first_bit),
    .draw_i   (draw_2_i),
    .none_o   (alone),
    .onehot_o (second_bit),
    .port_o   (second)
  );

  genvar p;
  generate
    wire [DepthW-1:0] firsts  [0:NumPorts];
    wire [DepthW-1:0] seconds [0:NumPorts];
    assign firsts[0]  = {DepthW{1'b0}};
    assign seconds[0] = {DepthW{1'b0}};
    for (p = 0; p < NumPorts; p = p + 1) begin : g_select
      wire [DepthW-1:0] depth = depth_i[p*DepthW+:DepthW];
      assign firsts[p+1]  = firsts[p]  | (first_bit[p] ? depth : {DepthW{1'b0}});
      assign seconds[p+1] = seconds[p] | (second_bit[p] ? depth : {DepthW{1'b0}});
    end
    assign first_depth  = firsts[NumPorts];
    assign second_depth = seconds[NumPorts];
  endgenerate

  wire take_second = !alone && second_depth < first_depth;

  assign onehot_o = take_second ? second_bit : first_bit;
  assign port_o   = take_second ? second : first;

`ifdef FORMAL
  wire [NumPorts-1:0] others = set_i & ~onehot_o;
  always_comb begin
    one_of_the_set:      assert (none_o ? onehot_o == 0 : onehot_o == {{(NumPorts-1){1'b0}}, 1'b1} << port_o && (onehot_o & ~set_i) == 0);
    two_different_ports: assert ((first_bit & second_bit) == 0);
    whenever_any:        assert (none_o == (set_i == 0) && alone == ((set_i & (set_i - 1'b1)) == 0));
    less_loaded_of_two:  assert (none_o || alone || !(first_depth < depth_i[port_o*DepthW+:DepthW] || second_depth < depth_i[port_o*DepthW+:DepthW]));
    the_first_of_equals: assert (none_o || alone || first_depth != second_depth || onehot_o == first_bit);
  end
`endif

endmodule

`default_nettype wire
