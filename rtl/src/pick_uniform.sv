// SPDX-License-Identifier: MIT OR Apache-2.0
// One port of a set, each with equal probability.
//
// Decision    of the n ports in set_i, the floor(draw_i * n / 2^DrawW)-th in rising order.
// State       none.
// Latency     none: combinational.
// Source      Zarifis et al., EuroSys 2014, section 2: "a random port"; scale()
//             in crates/types and PortSet::nth; the vectors check the equality.
// Deviations  none. With a DrawW of 32 it is the Rust decision bit for bit. A narrower
//             draw decides as the 32-bit draw that begins with its bits and ends in zeros.
//
// No multiplier: the place for every possible n is computed in parallel with the count, by one
// adder for each odd n, so that a draw from a register is ready before the slower port masks
// are. Counts are one-hot, so that no carry chain stands between the masks and the choice.

`default_nettype none

module pick_uniform #(
  parameter NumPorts = 8,  // 2 to 64
  parameter PortW    = 3,  // bits of a port number; 2^PortW >= NumPorts
  parameter DrawW    = 32, // bits of a draw
  parameter Scaled   = 0   // 1: draw_i is the output of scale_draw, DrawW is (NumPorts + 1) * PortW
) (
  input  wire logic [NumPorts-1:0] set_i,     // the ports to choose from
  input  wire logic [DrawW-1:0]    draw_i,    // one random draw
  output logic                     none_o,    // the set is empty
  output logic [NumPorts-1:0]      onehot_o,  // the choice, one bit; 0 when none_o
  output logic [PortW-1:0]         port_o     // the choice; 0 when none_o
);

  genvar n, p;
  generate
    // place[n]: scale(draw, n), if n ports are in the set.
    wire [PortW-1:0]              place [0:NumPorts];
    wire [(NumPorts+1)*PortW-1:0] places;
    if (Scaled != 0) begin : g_scaled
      assign places = draw_i;
    end else begin : g_scale
      scale_draw #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(DrawW)) i_scale (
        .draw_i   (draw_i),
        .places_o (places)
      );
    end
    for (n = 0; n <= NumPorts; n = n + 1) begin : g_place
      assign place[n] = places[n*PortW +: PortW];
    end

    // below[p][k]: k ports of the set are below p. One bit of each is set.
    wire [NumPorts:0] below [0:NumPorts];
    assign below[0] = {{NumPorts{1'b0}}, 1'b1};
    for (p = 0; p < NumPorts; p = p + 1) begin : g_below
      assign below[p+1] = set_i[p] ? below[p] << 1 : below[p];
    end

    // Place for the actual count, and its bit.
    wire [PortW-1:0] index [0:NumPorts+1];
    assign index[0] = {PortW{1'b0}};
    for (n = 0; n <= NumPorts; n = n + 1) begin : g_index
      assign index[n+1] = index[n] | ({PortW{below[NumPorts][n]}} & place[n]);
    end
    wire [NumPorts:0] wanted = {{NumPorts{1'b0}}, 1'b1} << index[NumPorts+1];

    // Port of the set with that many below it.
    wire [PortW-1:0] number [0:NumPorts];
    assign number[0] = {PortW{1'b0}};
    for (p = 0; p < NumPorts; p = p + 1) begin : g_choice
      assign onehot_o[p] = set_i[p] && |(below[p] & wanted);
      assign number[p+1] = number[p] | (onehot_o[p] ? p[PortW-1:0] : {PortW{1'b0}});
    end
  endgenerate

  assign none_o = set_i == {NumPorts{1'b0}};
  assign port_o = number[NumPorts];

`ifdef FORMAL
  always_comb begin
    one_hot_or_empty: assert ((onehot_o & (onehot_o - 1'b1)) == 0);
    of_the_set:       assert ((onehot_o & ~set_i) == 0);
    whenever_any:     assert (none_o == (onehot_o == 0));
    number_and_bit:   assert (none_o ? port_o == 0 : onehot_o == {{(NumPorts-1){1'b0}}, 1'b1} << port_o);
  end
`endif

endmodule

`default_nettype wire
