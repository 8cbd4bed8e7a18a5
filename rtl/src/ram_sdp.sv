// SPDX-License-Identifier: MIT OR Apache-2.0
// Memory with one write port and one read port, on one clock.
//
// Latency     rdata_o holds the word of raddr_i in the cycle after re_i.
// State       words; all zeros before the first write, and unchanged by a reset.
// Deviations  a word read in the cycle in which it is written is not defined: block RAM of
//             different makers differs there. A simulation mixes bits of the old and the new word,
//             so that a test detects any cell that depends on it; no cell of this switch does.

`default_nettype none

module ram_sdp #(
  parameter Width = 72,  // bits of a word
  parameter AddrW = 9    // bits of an address
) (
  input  wire logic             clk_i,    // clock
  input  wire logic             we_i,     // write wdata_i to waddr_i
  input  wire logic [AddrW-1:0] waddr_i,  // write address
  input  wire logic [Width-1:0] wdata_i,  // word to write
  input  wire logic             re_i,     // read raddr_i
  input  wire logic [AddrW-1:0] raddr_i,  // read address
  output logic      [Width-1:0] rdata_o   // word read last
);

  (* ram_style = "block", no_rw_check *)
  reg [Width-1:0] mem [0:(1<<AddrW)-1];

  integer i;
  initial begin
    for (i = 0; i < (1 << AddrW); i = i + 1) mem[i] = {Width{1'b0}};
  end

`ifdef SYNTHESIS
  `define SIDESTEP_RAM_IS_READ
`elsif FORMAL
  `define SIDESTEP_RAM_IS_READ
`endif
`ifdef SIDESTEP_RAM_IS_READ
  always_ff @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
    if (re_i) rdata_o <= mem[raddr_i];
  end
`else
  localparam [2*Width-1:0] Pairs = {Width{2'b10}};
  localparam [Width-1:0]   Old   = Pairs[Width-1:0];  // bits taken from the old word

  always_ff @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
    if (re_i) rdata_o <= we_i && waddr_i == raddr_i ? mem[raddr_i] & Old | wdata_i & ~Old : mem[raddr_i];
  end
`endif

endmodule

`default_nettype wire
