// SPDX-License-Identifier: MIT OR Apache-2.0
// Cells of MulBuff, in parallel, for one C++ bench. For a test bench only.

`default_nettype none

module mulbuff (
  input  wire logic         clk_i,      // clock
  input  wire logic         rst_ni,     // reset of all cells, active low
  // drr and drr_quanta, with 8 classes
  input  wire logic         step_i,
  input  wire logic [7:0]   waits_i,
  input  wire logic [7:0]   last_i,
  input  wire logic [127:0] head_i,     // 16 bits a class
  input  wire logic         equal_i,    // every class has the quantum; else those of drr_quanta
  input  wire logic [21:0]  quantum_i,
  input  wire logic         start_i,
  input  wire logic [127:0] flows_i,    // 16 bits a class
  input  wire logic [127:0] weight_i,   // 16 bits a class, of which 14 are used
  output logic              busy_o,
  output logic              take_o,
  output logic              round_o,
  output logic      [2:0]   class_o,
  // flow_count: for each of 4 classes a table of 2 and one of 16 places
  input  wire logic         table_i,    // table to use
  input  wire logic [1:0]   of_i,       // class
  input  wire logic         age_i,      // of all classes
  input  wire logic         see_i,
  input  wire logic         join_i,
  input  wire logic         leave_i,
  input  wire logic [63:0]  silence_i,
  input  wire logic [63:0]  now_i,
  input  wire logic [63:0]  key_i,
  input  wire logic         opens_i,
  input  wire logic         data_i,
  input  wire logic         ends_i,
  input  wire logic [3:0]   seat_i,
  output logic              seated_o,
  output logic      [3:0]   seat_o,
  output logic      [31:0]  counts_o,   // 8 bits a class
  // class_limit
  input  wire logic         grows_i,
  input  wire logic         sized_i,
  input  wire logic [15:0]  per_flow_i,
  input  wire logic [23:0]  cap_i,
  input  wire logic [23:0]  product_i,
  input  wire logic [3:0]   long_i,
  input  wire logic         marks_i,
  input  wire logic         mark_sized_i,
  input  wire logic [23:0]  mark_at_i,
  input  wire logic [2:0]   service_i,
  input  wire logic         carries_i,
  input  wire logic         room_i,
  input  wire logic [15:0]  bytes_i,
  input  wire logic [15:0]  in_i,       // flows of the class
  input  wire logic [15:0]  packets_i,
  input  wire logic [23:0]  depth_i,
  output logic              join_o,
  output logic              mark_o
);

  wire [8*14-1:0] weight;
  wire [8*22-1:0] quanta;
  genvar c;
  generate
    for (c = 0; c < 8; c = c + 1) begin : g_weight
      assign weight[c*14+:14] = weight_i[c*16+:14];
    end
  endgenerate

  drr_quanta #(.FlowsW(16), .QuantumW(22), .LeftW(5)) i_quanta (
    .clk_i, .rst_ni, .start_i, .waits_i, .flows_i, .weight_i (weight), .quantum_i, .busy_o, .quantum_o (quanta)
  );

  /* verilator lint_off PINCONNECTEMPTY */
  drr #(.HeadW(16), .QuantumW(22), .DeficitW(23)) i_drr (
    .clk_i, .rst_ni, .step_i, .waits_i, .last_i, .head_i, .quantum_i (equal_i ? {8{quantum_i}} : quanta), .take_o, .round_o,
    .onehot_o (), .class_o
  );
  /* verilator lint_on PINCONNECTEMPTY */

  wire [3:0]  seated [0:1];
  wire [15:0] seats  [0:1];
  wire [31:0] counts [0:1];
  genvar t;
  generate
    for (t = 0; t < 2; t = t + 1) begin : g_table
      localparam PlaceW = t == 1 ? 4 : 1;
      for (c = 0; c < 4; c = c + 1) begin : g_class
        wire this_one = table_i == t && of_i == c;
        wire [PlaceW-1:0] seat;
        wire [PlaceW:0]   flows;
        assign seats[t][c*4+:4]  = seat;
        assign counts[t][c*8+:8] = flows;
        flow_count #(.PlaceW(PlaceW), .KeyW(64), .TimeW(64)) i_count (
          .clk_i, .rst_ni, .silence_i, .age_i (age_i && table_i == t), .see_i (see_i && this_one), .join_i (join_i && this_one),
          .leave_i (leave_i && this_one), .now_i, .key_i, .opens_i, .data_i, .ends_i, .seat_i (seat_i[PlaceW-1:0]),
          .seated_o (seated[t][c]), .seat_o (seat), .flows_o (flows)
        );
      end
    end
  endgenerate
  assign seated_o = seated[table_i][of_i];
  assign seat_o   = seats[table_i][of_i*4+:4];
  assign counts_o = counts[table_i];

  /* verilator lint_off PINCONNECTEMPTY */
  class_limit #(.BytesW(24), .PacketsW(16), .SizeW(16), .FlowsW(16), .PerFlowW(16)) i_limit (
    .grows_i, .sized_i, .per_flow_i, .cap_i, .product_i, .long_i, .marks_i, .mark_sized_i, .mark_at_i, .class_i (service_i),
    .data_i (carries_i), .room_i, .bytes_i, .flows_i (in_i), .packets_i, .depth_i, .join_o, .mark_o, .limit_o (), .counted_o (),
    .packets_o ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

endmodule

`default_nettype wire
