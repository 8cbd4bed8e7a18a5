// SPDX-License-Identifier: MIT OR Apache-2.0
// Worst case of the registers and the draws, for the proof of the whole switch: any settings, which
// stay, and any draw in any cycle. Counted events go to the laws instead (switch_top_laws.sv).

module switch_registers #(
  parameter NumPorts = 4, parameter LinkW = 64, parameter PathW = 64, parameter WordsW = 12, parameter IndexW = 8,
  parameter Dibs = 1, parameter Spray = 1, parameter LenW = 11, parameter Bytes = 1, parameter Shared = 0, parameter Ranked = 0
) (
  input  logic clk_i, rst_ni, input logic [11:0] awaddr_i, input logic awvalid_i, output logic awready_o,
  input  logic [31:0] wdata_i, input logic wvalid_i, output logic wready_o, output logic [1:0] bresp_o, output logic bvalid_o,
  input  logic bready_i, input logic [11:0] araddr_i, input logic arvalid_i, output logic arready_o,
  output logic [31:0] rdata_o, output logic [1:0] rresp_o, output logic rvalid_o, input logic rready_i,
  output logic [NumPorts-1:0] to_switch_o, output logic go_back_o, match_mac_o,
  output logic [WordsW-1:0] limit_frames_o, limit_words_o, mark_at_o, output logic [2:0] alpha_o,
  output logic [31:0] salt_o, buffer_o, early_o, rank_o, output logic route_we_o, output logic [31:0] route_o,
  output logic seed_we_o, output logic [31:0] seed_o, output logic table_we_o, output logic [IndexW:0] table_at_o,
  output logic table_used_o, table_ip_o, output logic [47:0] table_addr_o, output logic [NumPorts-1:0] table_group_o,
  input  logic [NumPorts-1:0] in_i, out_i, bad_i, malformed_i, ttl_i, no_entry_i, full_i, detour_from_i, detour_to_i, mark_i, evicted_i,
  input  logic [NumPorts*WordsW-1:0] frames_i, input logic [NumPorts*LenW-1:0] bytes_in_i, bytes_out_i
);
  (* anyconst *) wire [NumPorts-1:0] free_to_switch;
  (* anyconst *) wire free_go_back, free_match_mac;
  (* anyconst *) wire [WordsW-1:0] free_limit_frames, free_limit_words, free_mark_at;
  (* anyconst *) wire [2:0] free_alpha;
  (* anyconst *) wire [31:0] free_buffer;
  assign to_switch_o    = free_to_switch;
  assign go_back_o      = free_go_back;
  assign match_mac_o    = free_match_mac;
  assign limit_frames_o = free_limit_frames;
  assign limit_words_o  = free_limit_words;
  assign mark_at_o      = free_mark_at;
  assign alpha_o        = free_alpha;
  assign buffer_o       = free_buffer;
  // For the table, the hash, the routes and the draws, whose answers are free already.
  assign {salt_o, early_o, rank_o, route_we_o, route_o, seed_we_o, seed_o, table_we_o, table_used_o, table_ip_o, table_addr_o} = 0;
  assign table_at_o    = {(IndexW+1){1'b0}};
  assign table_group_o = {NumPorts{1'b0}};
  // No reads or writes.
  assign {awready_o, wready_o, bresp_o, bvalid_o, arready_o, rdata_o, rresp_o, rvalid_o} = 0;
endmodule

module lfsr #(parameter Width = 32, parameter [Width-1:0] Taps = 32'h8020_0003, parameter [Width-1:0] Seed = 32'h5EED_0001, parameter DrawW = 32, parameter Leap = 32) (
  input  logic clk_i, rst_ni, seed_we_i, input logic [Width-1:0] seed_i, input logic step_i, output logic [DrawW-1:0] draw_o
);
  (* anyseq *) wire [DrawW-1:0] free_draw;
  assign draw_o = free_draw;
endmodule
