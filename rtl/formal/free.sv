// SPDX-License-Identifier: MIT OR Apache-2.0
// Worst case of the table, the hash and the choice of another hop: any answer in any cycle.
//
// Properties that wanted_port and output_port_lookup keep for any answers need no more of them, and are proved much faster.

module forward_table #(parameter NumPorts = 4, parameter IndexW = 8) (
  input  logic clk_i, ip_i, input logic [47:0] addr_i,
  output logic hit_o, output logic [NumPorts-1:0] group_o, output logic [IndexW:0] at_o,
  input  logic write_i, input logic [IndexW:0] write_at_i, input logic write_used_i, write_ip_i,
  input  logic [47:0] write_addr_i, input logic [NumPorts-1:0] write_group_i
);
  (* anyseq *) wire free_hit;
  (* anyseq *) wire [NumPorts-1:0] free_group;
  assign hit_o   = free_hit;
  assign group_o = free_group;
  assign at_o    = {(IndexW+1){1'b0}};
endmodule

module flow_hash (
  input  logic clk_i, input logic [31:0] salt_i, src_i, dst_i, input logic [7:0] proto_i, input logic [31:0] ports_i,
  output logic [15:0] hash_o
);
  (* anyseq *) wire [15:0] free_hash;
  assign hash_o = free_hash;
endmodule

// Any hop of the group, which spray_counter and spray_rr are proved to choose, or the one by the hash.
module spray_choice #(parameter NumPorts = 4, parameter PortW = 2, parameter AtW = 9, parameter LenW = 11, parameter DepthW = 12, parameter PlaceW = 6) (
  input  logic clk_i, rst_ni, route_we_i, input logic [31:0] route_i, input logic seed_we_i, input logic [31:0] seed_i,
  input  logic valid_i, ack_i, input logic [LenW-1:0] len_i, input logic [NumPorts-1:0] hops_i,
  input  logic [NumPorts*DepthW-1:0] depth_i, input logic [AtW-1:0] at_i,
  input  logic [15:0] hash_i, input logic [NumPorts-1:0] hop_i, input logic [PortW-1:0] hop_port_i,
  output logic [NumPorts-1:0] hop_o, output logic [PortW-1:0] hop_port_o
);
  (* anyseq *) wire free_other;
  (* anyseq *) wire [PortW-1:0] free_port;
  wire [NumPorts-1:0] free_bit = {{(NumPorts-1){1'b0}}, 1'b1} << free_port;
  wire other = free_other && (free_bit & hops_i) != 0;
  assign hop_o      = other ? free_bit : hop_i;
  assign hop_port_o = other ? free_port : hop_port_i;
endmodule

// Any constant number. A register that keeps its value would do, if no optimization treated it as undefined.
module any_number #(parameter Width = 8) (output logic [Width-1:0] number_o);
  (* anyconst *) wire [Width-1:0] free_number;
  assign number_o = free_number;
endmodule
