// SPDX-License-Identifier: MIT OR Apache-2.0
// Ethernet's check sequence (CRC-32), advanced by one byte.
//
// Decision    none.
// State       none: the caller keeps the remainder. It begins as all ones; its complement is sent,
//             lowest byte first; after a frame with a right check sequence it is 0xDEBB20E3.
// Latency     none.
// Source      IEEE 802.3, clause 3.2.9.
// Deviations  none.

`default_nettype none

module fcs_byte (
  input  wire logic [31:0] fcs_i,   // remainder so far
  input  wire logic [7:0]  data_i,  // next byte
  output logic      [31:0] fcs_o    // remainder including that byte
);

  // Bits go lowest first, so the polynomial is mirrored.
  function automatic [31:0] step(input [31:0] fcs, input [7:0] data);
    integer i;
    begin
      step = fcs ^ {24'h0, data};
      for (i = 0; i < 8; i = i + 1) step = {1'b0, step[31:1]} ^ (step[0] ? 32'hedb8_8320 : 32'h0);
    end
  endfunction

  assign fcs_o = step(fcs_i, data_i);

endmodule

`default_nettype wire
