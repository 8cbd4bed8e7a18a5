// SPDX-License-Identifier: MIT OR Apache-2.0
// EXPECT(LABEL, HOLDS, SAYS): an invalid parameter ends the build, with a message of the expected value.
//
// Icarus 11 supports no messages in generate blocks: there the simulation ends before its first cycle.

`ifndef SIDESTEP_EXPECT
`define SIDESTEP_EXPECT

`ifdef __ICARUS__
`define EXPECT(LABEL, HOLDS, SAYS) if (!(HOLDS)) begin : LABEL initial $fatal(1, SAYS); end
`else
`define EXPECT(LABEL, HOLDS, SAYS) if (!(HOLDS)) begin : LABEL $fatal(1, SAYS); end
`endif

`endif
