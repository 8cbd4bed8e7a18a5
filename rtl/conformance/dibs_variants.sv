// SPDX-License-Identifier: MIT OR Apache-2.0
// Every cell that detours, for switches of 4 to 8 ports, driven by one vector. For a test bench only.
//
// The cells are those of rtl/src, unchanged. This adds the cells that a switch has beside them:
// the ports to which a packet may be detoured (detour_allow), and the flow's order (flow_order).

`default_nettype none

module dibs_variants (
  input  wire logic         clk_i,       // clock, for flow_order only
  input  wire logic         rst_ni,      // reset, active low
  input  wire logic         start_i,     // start the flow's order
  input  wire logic [3:0]   ports_i,     // ports of the switch, 4 to 8
  input  wire logic [2:0]   want_i,      // wanted port; the rest as in the vectors
  input  wire logic [7:0]   fits_i,
  input  wire logic [7:0]   switch_i,
  input  wire logic [2:0]   ingress_i,
  input  wire logic         barred_i,
  input  wire logic [7:0]   detours_i,
  input  wire logic [7:0]   max_detours_i,
  input  wire logic [31:0]  draw_1_i,
  input  wire logic [31:0]  draw_2_i,
  input  wire logic [159:0] bytes_i,     // 20 bits a port
  input  wire logic [19:0]  depth_i,     // depth of the wanted queue, in the unit of start_i
  input  wire logic [19:0]  start_level_i,
  input  wire logic [19:0]  full_level_i,
  input  wire logic [31:0]  rank_i,
  input  wire logic [31:0]  favour_i,
  input  wire logic [63:0]  salt_i,
  input  wire logic [31:0]  hash_i,
  output logic              ready_o,     // the flow's order is complete
  output logic              spent_o,     // no further detour of the packet is allowed
  output logic [7:0]        candidates_o,
  input  wire logic [2:0]   policy_i,    // policy of detour_choice
  output logic [24:0]       answer_o,    // 5 bits a variant: drop, detour, port; in the order of the registry
  output logic [4:0]        choice_o     // answer of detour_choice
);

  wire [24:0] answer [4:8];
  wire [8:4]  spent, ready;
  wire [7:0]  candidates [4:8];
  wire [4:0]  choice [4:8];

  genvar n;
  generate
    for (n = 4; n <= 8; n = n + 1) begin : g_ports
      localparam W = n == 4 ? 2 : 3;
      wire [4:0]   drop, detour;
      wire [W-1:0] port [0:4];
      wire [n*n-1:0] order;

      detour_allow #(.NumPorts(n), .PortW(W)) i_allow (
        .switch_i (switch_i[n-1:0]), .ingress_i (ingress_i[W-1:0]), .ingress_barred_i (barred_i),
        .detours_i, .max_detours_i, .spent_o (spent[n]), .candidates_o (candidates[n][n-1:0])
      );
      if (n < 8) begin : g_none
        assign candidates[n][7:n] = '0;
      end

      detour_pick #(.NumPorts(n), .PortW(W)) i_dibs (
        .want_i (want_i[W-1:0]), .fits_i (fits_i[n-1:0]), .switch_i (candidates[n][n-1:0]), .draw_i (draw_1_i),
        .drop_o (drop[0]), .detour_o (detour[0]), .port_o (port[0])
      );
      detour_load_aware #(.NumPorts(n), .PortW(W), .DepthW(20)) i_load_aware (
        .want_i (want_i[W-1:0]), .fits_i (fits_i[n-1:0]), .switch_i (candidates[n][n-1:0]), .draw_i (draw_1_i),
        .depth_i (bytes_i[20*n-1:0]),
        .drop_o (drop[1]), .detour_o (detour[1]), .port_o (port[1])
      );
      flow_order #(.NumPorts(n), .PortW(W), .DigitW(64)) i_order (
        .clk_i, .rst_ni, .start_i, .salt_i, .hash_i, .switch_i (switch_i[n-1:0]),
        .valid_o (ready[n]), .order_o (order)
      );
      detour_flow #(.NumPorts(n), .PortW(W)) i_flow (
        .want_i (want_i[W-1:0]), .fits_i (fits_i[n-1:0]), .switch_i (candidates[n][n-1:0]), .order_i (order),
        .drop_o (drop[2]), .detour_o (detour[2]), .port_o (port[2])
      );
      detour_probabilistic #(.NumPorts(n), .PortW(W), .DepthW(20)) i_probabilistic (
        .want_i (want_i[W-1:0]), .fits_i (fits_i[n-1:0]), .switch_i (candidates[n][n-1:0]),
        .depth_i, .start_i (start_level_i), .full_i (full_level_i), .rank_i, .favour_i, .draw_1_i, .draw_2_i,
        .drop_o (drop[3]), .detour_o (detour[3]), .port_o (port[3])
      );
      detour_first_open #(.NumPorts(n), .PortW(W)) i_first_open (
        .want_i (want_i[W-1:0]), .fits_i (fits_i[n-1:0]), .switch_i (candidates[n][n-1:0]), .draw_i (draw_1_i),
        .drop_o (drop[4]), .detour_o (detour[4]), .port_o (port[4])
      );
      wire         drop_of_choice, detour_of_choice;
      wire [W-1:0] port_of_choice;
      detour_choice #(.NumPorts(n), .PortW(W), .DepthW(20)) i_choice (
        .policy_i, .want_i (want_i[W-1:0]), .fits_i (fits_i[n-1:0]), .switch_i (candidates[n][n-1:0]),
        .depth_i (bytes_i[20*n-1:0]), .order_i (order), .line_i (depth_i), .start_i (start_level_i), .full_i (full_level_i),
        .rank_i, .favour_i, .draw_1_i, .draw_2_i,
        .drop_o (drop_of_choice), .detour_o (detour_of_choice), .port_o (port_of_choice)
      );
      wire [2:0] wide_choice = {{(3-W){1'b0}}, port_of_choice};
      assign choice[n] = {drop_of_choice, detour_of_choice, wide_choice};
      genvar v;
      for (v = 0; v < 5; v = v + 1) begin : g_answer
        wire [2:0] wide = {{(3-W){1'b0}}, port[v]};
        assign answer[n][5*v+:5] = {drop[v], detour[v], wide};
      end
    end
  endgenerate

  assign ready_o      = ready[ports_i];
  assign spent_o      = spent[ports_i];
  assign candidates_o = candidates[ports_i];
  assign answer_o     = answer[ports_i];
  assign choice_o     = choice[ports_i];

endmodule

`default_nettype wire
