// SPDX-License-Identifier: MIT OR Apache-2.0
// Order in which a flow tries the ports of this switch, from its hash.
//
// Decision    a shuffle of the ports in switch_i: each step takes the
//             scale(upper half of the mix)-th of the remaining ports, and mixes
//             again. The first mix is of the switch's salt and the flow's hash.
// State       the mix (64 bits), the remaining ports, the order so far.
// Latency     NumPorts * (2 * 64 / DigitW + 2) + 1 cycles from start_i to the first
//             cycle with valid_o; 145 with 8 ports and the default. One flow at a time.
// Source      Zarifis et al., EuroSys 2014, section 7, "Flow-based detouring"; `pick` in
//             crates/switch/src/buffer/dibs_flow.rs and mix64 in crates/types; the vectors check the equality.
// Deviations  none in the decision. mix64 needs two multiplications of 64 bits for each port, which
//             no switch does in a cycle; here one multiplier of 64 by DigitW bits takes a digit a
//             cycle. The order depends on the header only, and not on anything that changes while
//             the packet waits. So it is computed in parallel with parsing, or kept for each flow,
//             and the decision (detour_flow) stays combinational. At line rate with small frames of
//             ever new flows, a switch needs as many of these cells as frames arrive within the
//             latency; a cheaper hash would serve too, but would not match the simulator's decision.

`default_nettype none

module flow_order #(
  parameter NumPorts = 8,  // 2 to 64
  parameter PortW    = 3,  // bits of a port number; 2^PortW >= NumPorts
  parameter DigitW   = 8   // bits that are multiplied in a cycle; divides 64
) (
  input  wire logic                          clk_i,     // clock
  input  wire logic                          rst_ni,    // reset, active low, synchronous
  input  wire logic                          start_i,   // restart with the four inputs below
  input  wire logic [63:0]                   salt_i,    // salt of the switch
  input  wire logic [31:0]                   hash_i,    // hash of the flow
  input  wire logic [NumPorts-1:0]           switch_i,  // bit p: another switch hangs off port p
  output logic                               valid_o,   // the order is complete
  output logic      [NumPorts*NumPorts-1:0]  order_o    // row k: the port to try k-th, one bit or none; row 0 lowest
);

  localparam [63:0] Step = 64'h9e37_79b9_7f4a_7c15;
  localparam [63:0] C1   = 64'hbf58_476d_1ce4_e5b9;
  localparam [63:0] C2   = 64'h94d0_49bb_1331_11eb;
  localparam Digits = 64 / DigitW;

  // mix64, in steps: First and Second multiply a digit a
  // cycle, Take chooses a port by the mix and begins the next.
  localparam [2:0] Idle = 3'd0, Xor1 = 3'd1, Mul1 = 3'd2, Mul2 = 3'd3, Take = 3'd4;

  reg [2:0]                   phase_q;
  reg [63:0]                  z_q;      // multiplicand, the highest digit first
  reg [63:0]                  sum_q;    // product so far
  reg [6:0]                   digit_q;  // remaining digits
  reg [PortW:0]               row_q;    // finished rows
  reg [NumPorts-1:0]          left_q;   // remaining ports
  reg [NumPorts*NumPorts-1:0] order_q;
  reg                         valid_q;

  wire [63:0] factor = phase_q == Mul1 ? C1 : C2;
  wire [63:0] digit  = z_q >> (64 - DigitW);
  wire [63:0] sum    = (sum_q << DigitW) + digit * factor;
  wire        last   = digit_q == 7'd1;

  wire [63:0] mixed  = sum_q ^ (sum_q >> 31);
  wire [NumPorts-1:0] chosen;

  pick_uniform #(.NumPorts(NumPorts), .PortW(PortW), .DrawW(32)) i_pick (
    .set_i    (left_q),
    .draw_i   (mixed[63:32]),
    /* verilator lint_off PINCONNECTEMPTY */
    .none_o   (),
    .port_o   (),
    /* verilator lint_on PINCONNECTEMPTY */
    .onehot_o (chosen)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      phase_q <= Idle;
      valid_q <= 1'b0;
      z_q     <= 64'd0;
      sum_q   <= 64'd0;
      digit_q <= 7'd0;
      row_q   <= {(PortW+1){1'b0}};
      left_q  <= {NumPorts{1'b0}};
      order_q <= {(NumPorts*NumPorts){1'b0}};
    end else if (start_i) begin
      phase_q <= Xor1;
      valid_q <= 1'b0;
      z_q     <= (~salt_i ^ {32'd0, hash_i}) + Step;
      sum_q   <= 64'd0;
      digit_q <= 7'd0;
      row_q   <= {(PortW+1){1'b0}};
      left_q  <= switch_i;
      order_q <= {(NumPorts*NumPorts){1'b0}};
    end else begin
      case (phase_q)
        Xor1: begin
          z_q     <= z_q ^ (z_q >> 30);
          sum_q   <= 64'd0;
          digit_q <= Digits[6:0];
          phase_q <= Mul1;
        end
        Mul1: begin
          z_q     <= last ? sum ^ (sum >> 27) : z_q << DigitW;
          sum_q   <= last ? 64'd0 : sum;
          digit_q <= last ? Digits[6:0] : digit_q - 7'd1;
          phase_q <= last ? Mul2 : Mul1;
        end
        Mul2: begin
          z_q     <= z_q << DigitW;
          sum_q   <= sum;
          digit_q <= digit_q - 7'd1;
          phase_q <= last ? Take : Mul2;
        end
        Take: begin
          order_q <= {chosen, order_q[NumPorts*NumPorts-1:NumPorts]};
          left_q  <= left_q & ~chosen;
          row_q   <= row_q + 1'b1;
          z_q     <= mixed + Step;
          phase_q <= row_q == NumPorts[PortW:0] - 1'b1 ? Idle : Xor1;
          valid_q <= row_q == NumPorts[PortW:0] - 1'b1;
        end
        default: phase_q <= Idle;
      endcase
    end
  end

  assign valid_o = valid_q;
  assign order_o = order_q;

`ifdef FORMAL
  reg past_q = 1'b0;
  always_ff @(posedge clk_i) past_q <= 1'b1;

  // The ports of the order and the remaining ports make up the switch_i of the start, each once.
  reg  [NumPorts-1:0] began_q;
  wire [NumPorts-1:0] seen  [0:NumPorts];
  wire [NumPorts-1:0] twice [0:NumPorts];
  wire [NumPorts-1:0] several;  // bit k: more than one port in row k
  wire [NumPorts-1:0] early;    // bit k: row k has a port too early
  assign seen[0]  = left_q;
  assign twice[0] = {NumPorts{1'b0}};
  genvar k;
  generate
    for (k = 0; k < NumPorts; k = k + 1) begin : g_row
      wire [NumPorts-1:0] row = order_q[k*NumPorts+:NumPorts];
      assign seen[k+1]  = seen[k] | row;
      assign twice[k+1] = twice[k] | (seen[k] & row);
      assign early[k]   = row != 0 && k + row_q < NumPorts;
      assign several[k] = (row & (row - 1'b1)) != 0;
    end
  endgenerate

  always_ff @(posedge clk_i) if (!rst_ni) began_q <= {NumPorts{1'b0}}; else if (start_i) began_q <= switch_i;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    else begin
      rows_from_above: assert (early == 0);
      as_many_as_rows: assert (row_q < NumPorts || (row_q == NumPorts && phase_q == Idle));
      one_port_a_row:  assert (several == 0);
      every_port_once: assert (seen[NumPorts] == began_q && twice[NumPorts] == 0);
    end
  end
`endif

endmodule

`default_nettype wire
