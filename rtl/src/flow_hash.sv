// SPDX-License-Identifier: MIT OR Apache-2.0
// Hash of a flow, different on every switch: 16 bits from the 5-tuple and a salt.
//
// Decision    four rounds of add, rotate and xor; one round a cycle.
// State       rounds under way.
// Latency     4 cycles, one flow a cycle.
// Source      RFC 2992 requires a hash of the flow; the salt is that of route/ecmp.rs, for the same reason:
//             with the same hash at every tier, all flows that meet at a switch leave it the same way.
// Deviations  crates/switch mixes by 64-bit multiplications (mix64). This cell uses additions
//             instead: a hash that is linear in the salt, such as a CRC, would not undo polarisation.

`default_nettype none

module flow_hash (
  input  wire logic        clk_i,    // clock
  input  wire logic [31:0] salt_i,   // salt of the switch; stable while frames pass
  input  wire logic [31:0] src_i,    // IPv4 source
  input  wire logic [31:0] dst_i,    // IPv4 destination
  input  wire logic [7:0]  proto_i,  // IPv4 protocol
  input  wire logic [31:0] ports_i,  // source and destination port
  output logic      [15:0] hash_o    // hash, 4 cycles later
);

  reg [31:0] x1_q, y1_q, x2_q, y2_q, x3_q, y3_q;
  reg [15:0] hash_q;

  wire [31:0] sum4 = x3_q + {y3_q[20:0], y3_q[31:21]};

  always_ff @(posedge clk_i) begin
    x1_q   <= src_i + salt_i;
    y1_q   <= dst_i + (ports_i ^ {proto_i, 24'h0});
    x2_q   <= x1_q + {y1_q[18:0], y1_q[31:19]};
    y2_q   <= x1_q ^ {y1_q[24:0], y1_q[31:25]};
    x3_q   <= x2_q + {y2_q[14:0], y2_q[31:15]};
    y3_q   <= x2_q ^ {y2_q[20:0], y2_q[31:21]};
    hash_q <= sum4[31:16] ^ sum4[15:0];
  end

  assign hash_o = hash_q;

endmodule

`default_nettype wire
