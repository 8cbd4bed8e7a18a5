// SPDX-License-Identifier: MIT OR Apache-2.0
// Block RAM of an ECP5, as far as Yosys uses it for this switch.
//
// State       2048 bytes of 9 bits; all zeros before the first write, and unchanged by a reset.
// Source      the pins as Yosys' map connects them (share/lattice/brams_map_16kd.v). Yosys has a model
//             of every other cell, which the test uses; of this one it has only the list of pins.
// Deviations  written by port A and read by port B, 9 or 36 bits wide, without resets; any other use in a netlist ends the
//             simulation. The output registers are those of synth/output_registers.py. A word read in the cycle in which it is
//             written is not defined: the model mixes bits of the old and the new word, as src/ram_sdp.sv does, but other ones.

`default_nettype none

module DP16KD #(
  parameter DATA_WIDTH_A        = 18,       // bits of a word of port A: 9, or 36 with the pins of both ports
  parameter DATA_WIDTH_B        = 18,       // bits of a word of port B: likewise
  parameter REGMODE_A           = "NOREG",  // no register behind the memory
  parameter REGMODE_B           = "NOREG",
  parameter RESETMODE           = "SYNC",   // unused: the resets are constants
  parameter ASYNC_RESET_RELEASE = "SYNC",
  parameter CSDECODE_A          = "0b000",  // selected if CSA is all zeros
  parameter CSDECODE_B          = "0b000",
  parameter WRITEMODE_A         = "NORMAL", // unused: port A reads nothing
  parameter WRITEMODE_B         = "NORMAL", // unused: port B writes nothing
  parameter CLKAMUX             = "CLKA",   // rising edges
  parameter CLKBMUX             = "CLKB",
  parameter GSR                 = "AUTO"    // unused: nothing requests a global reset
) (
  input  wire DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0,
  input  wire ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0,
  input  wire CEA, OCEA, CLKA, WEA, RSTA, CSA2, CSA1, CSA0,
  output wire DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0,
  input  wire DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0,
  input  wire ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0,
  input  wire CEB, OCEB, CLKB, WEB, RSTB, CSB2, CSB1, CSB0,
  output wire DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0
);

  localparam Wide  = DATA_WIDTH_A == 36;
  localparam Reg   = REGMODE_B == "OUTREG";
  localparam Width = Wide ? 36 : 9;
  localparam Words = Wide ? 512 : 2048;
  localparam AddrW = Wide ? 9 : 11;

  wire [35:0] in = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0,
                    DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
  wire [13:0] write_at = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
  wire [13:0] read_at  = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};

  // Addresses count bits of 16,384, from the left: a wide word does not use the lowest, which select the bytes written.
  wire [AddrW-1:0] to    = write_at[13 -: AddrW];
  wire [AddrW-1:0] from  = read_at[13 -: AddrW];
  wire [3:0]       bytes = {4{CEA && WEA}} & (Wide ? write_at[3:0] : 4'b0001);

  reg [Width-1:0] mem [0:Words-1];
  reg [35:0]      out_q, reg_q;

  integer i, b;
  initial begin
    for (i = 0; i < Words; i = i + 1) mem[i] = {Width{1'b0}};
    out_q = 36'b0;
    reg_q = 36'b0;
    if ((DATA_WIDTH_A != 36 && DATA_WIDTH_A != 9) || DATA_WIDTH_B != DATA_WIDTH_A || (Wide && REGMODE_A != REGMODE_B) || (!Wide && REGMODE_A != "NOREG")
        || CSDECODE_A != "0b000" || CSDECODE_B != "0b000" || CLKAMUX != "CLKA" || CLKBMUX != "CLKB") begin
      $display("dp16kd: a way to use a block RAM that tests/gates/dp16kd.sv knows nothing of: %m");
      $finish;
    end
  end

  always @(posedge CLKA) begin
    for (i = 0; i < Width / 9; i = i + 1) if (bytes[i]) mem[to][9*i +: 9] <= in[9*i +: 9];
  end

  localparam [8:0] New = 9'b101010101;  // bits of a byte taken from the new one

  always @(posedge CLKB) begin
    if (OCEB) reg_q <= out_q;
    for (b = 0; b < Width / 9; b = b + 1) begin
      if (CEB) out_q[9*b +: 9] <= bytes[b] && to == from ? (mem[from][9*b +: 9] & ~New) | (in[9*b +: 9] & New) : mem[from][9*b +: 9];
    end
    // Pins that the map could connect and does not.
    if (WEB !== 1'b0 || RSTB !== 1'b0 || RSTA !== 1'b0 || {CSA2, CSA1, CSA0, CSB2, CSB1, CSB0} !== 6'b0 || (!Reg && OCEB !== 1'b1) || (Wide && OCEA !== OCEB)) begin
      $display("dp16kd: a pin that tests/gates/dp16kd.sv takes for a constant moves: %m");
      $finish;
    end
  end

  wire [35:0] out = Reg ? reg_q : out_q;

  // A narrow word uses the pins of port B; these are the upper half of a wide one.
  wire [17:0] doa = Wide ? out[17:0] : 18'b0;
  wire [17:0] dob = Wide ? out[35:18] : out[17:0];
  assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0} = doa;
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} = dob;

endmodule

`default_nettype wire
