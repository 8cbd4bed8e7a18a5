// The table and the hash as they might be at their worst: any answer in any cycle.
//
// What wanted_port and output_port_lookup keep whatever they say needs no more of them, and is proved much faster.

module forward_table #(parameter NumPorts = 4, parameter IndexW = 8) (
  input  logic clk_i, ip_i, input logic [47:0] addr_i,
  output logic hit_o, output logic [NumPorts-1:0] group_o,
  input  logic write_i, input logic [IndexW:0] write_at_i, input logic write_used_i, write_ip_i,
  input  logic [47:0] write_addr_i, input logic [NumPorts-1:0] write_group_i
);
  (* anyseq *) wire free_hit;
  (* anyseq *) wire [NumPorts-1:0] free_group;
  assign hit_o   = free_hit;
  assign group_o = free_group;
endmodule

module flow_hash (
  input  logic clk_i, input logic [31:0] salt_i, src_i, dst_i, input logic [7:0] proto_i, input logic [31:0] ports_i,
  output logic [15:0] hash_o
);
  (* anyseq *) wire [15:0] free_hash;
  assign hash_o = free_hash;
endmodule
