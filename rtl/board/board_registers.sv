// SPDX-License-Identifier: MIT OR Apache-2.0
// Counters of the board besides the switch's, on AXI4-Lite: read only.
//
//   0x000        ID     0x554C5833, "ULX3"
//   0x004        UART   commands that were not done: wrong check, stopped half-way, no stop bit
//   0x010 + 4p   CLOCK  REF_CLK of port p in kHz, as measured in the last window of 16 ms; 0 in the first
//   0x040 + 4p   FCS    frames of port p with a wrong FCS
//   0x080 + 4p   LOST   frames of port p that lost bytes, as the switch held the port back
//   0x0C0 + 4p   UNDER  frames to port p that ended with a wrong FCS, as a byte came too late
//
// Decision    none.
// State       counters of 32 bits, which wrap around; edges of REF_CLK / 16 in this window and in the last.
// Latency     a read answers 2 cycles after its address.
// Source      none.
// Deviations  writes are answered OKAY and change nothing; other addresses read as 0.
//
// Events come from the ports' clocks as bits that toggle, at most once a frame: never twice in three cycles of this clock.

`default_nettype none

module board_registers #(
  parameter Window = 400_000  // cycles of a window: 16 ms
) (
  input  wire logic        clk_i,     // clock
  input  wire logic        rst_ni,    // reset, active low, synchronous
  input  wire logic [3:0]  beat_i,    // bit p: REF_CLK p divided by 16
  input  wire logic [3:0]  fcs_i,     // toggle with each event, in REF_CLK p
  input  wire logic [3:0]  lost_i,
  input  wire logic [3:0]  under_i,
  input  wire logic        bad_i,     // a command was not executed
  output logic      [3:0]  alive_o,   // REF_CLK p ran in the last window
  input  wire logic        awvalid_i, // AXI4-Lite: a write address is offered
  output logic             awready_o, // write address is taken, with the data
  input  wire logic        wvalid_i,  // write data is offered
  output logic             wready_o,  // write data is taken, with the address
  output logic             bvalid_o,  // a write response is offered
  input  wire logic        bready_i,  // the write response is taken
  input  wire logic [7:0]  araddr_i,  // read address
  input  wire logic        arvalid_i, // read address is offered
  output logic             arready_o, // read address is taken
  output logic      [31:0] rdata_o,   // read data
  output logic             rvalid_o,  // read data is offered
  input  wire logic        rready_i   // read data is taken
);

  localparam WindowW = $clog2(Window);
  localparam [WindowW-1:0] Last = Window - 1;

  // Two flip-flops for each bit, and a third to detect a toggle.
  (* ASYNC_REG = "TRUE" *) reg [15:0] turns_meta_q, turns_sync_q;
  reg [15:0] turns_q;

  always_ff @(posedge clk_i) begin
    turns_meta_q <= {under_i, lost_i, fcs_i, beat_i};
    turns_sync_q <= turns_meta_q;
    turns_q      <= turns_sync_q;
  end

  wire [15:0] turned = turns_q ^ turns_sync_q;

  reg [WindowW-1:0] at_q;
  reg [31:0]        bad_q;

  always_ff @(posedge clk_i) begin
    at_q <= !rst_ni || at_q == Last ? {WindowW{1'b0}} : at_q + 1'b1;
    if (!rst_ni) bad_q <= 32'h0;
    else if (bad_i) bad_q <= bad_q + 1'b1;
  end

  wire [511:0] numbers;  // 16 registers of 32 bits: clocks, FCS, lost, under

  genvar p, c;
  generate
    for (p = 0; p < 4; p = p + 1) begin : g_port
      // One count a period of REF_CLK / 16: at its rising edge only.
      reg [19:0] edges_q, last_q;
      wire       rose = turned[p] && turns_sync_q[p];
      always_ff @(posedge clk_i) begin
        edges_q <= !rst_ni || at_q == Last ? 20'h0 : edges_q + {19'h0, rose};
        if (!rst_ni) last_q <= 20'h0;
        else if (at_q == Last) last_q <= edges_q + {19'h0, rose};
        alive_o[p] <= last_q != 20'h0;
      end
      assign numbers[32*p +: 32] = {12'h0, last_q};

      for (c = 1; c < 4; c = c + 1) begin : g_count
        reg [31:0] number_q;
        always_ff @(posedge clk_i) begin
          if (!rst_ni) number_q <= 32'h0;
          else if (turned[4*c+p]) number_q <= number_q + 1'b1;
        end
        assign numbers[32*(4*c+p) +: 32] = number_q;
      end
    end
  endgenerate

  reg [31:0] value;
  always_comb begin
    case (araddr_i[7:2])
      6'h00: value = 32'h554c_5833;
      6'h01: value = bad_q;
      6'h04, 6'h05, 6'h06, 6'h07: value = numbers[{2'd0, araddr_i[3:2], 5'd0} +: 32];
      default: value = araddr_i[5:4] == 2'd0 && araddr_i[7:6] != 2'd0 ? numbers[{araddr_i[7:6], araddr_i[3:2], 5'd0} +: 32] : 32'h0;
    endcase
  end

  /* verilator lint_off UNUSEDSIGNAL */
  wire [1:0] low = araddr_i[1:0];  // registers are whole words
  /* verilator lint_on UNUSEDSIGNAL */

  wire write = awvalid_i && wvalid_i && !awready_o && !bvalid_o;
  wire read  = arvalid_i && !arready_o && !rvalid_o;

  always_ff @(posedge clk_i) begin
    awready_o <= rst_ni && write;
    bvalid_o  <= rst_ni && (awready_o || (bvalid_o && !bready_i));
    arready_o <= rst_ni && read;
    rvalid_o  <= rst_ni && (arready_o || (rvalid_o && !rready_i));
    if (read) rdata_o <= value;
  end

  assign wready_o = awready_o;

endmodule

`default_nettype wire
