// SPDX-License-Identifier: MIT OR Apache-2.0
// Checksum of an IPv4 header whose time to live falls by one, and which may be marked.
//
// Decision    by RFC 1624, HC' = ~(~HC + ~m + m') over the words that change: a
//             hop subtracts 0x0100 from its word; a mark adds the difference to 3.
// State       sum of one frame.
// Latency     1 cycle, one frame a cycle. The carry is added back behind the register.
// Source      RFC 1624, equation 3.
// Deviations  none. A wrong checksum stays wrong.

`default_nettype none

module checksum_update (
  input  wire logic        clk_i,       // clock
  input  wire logic [15:0] checksum_i,  // checksum of the header as it came
  input  wire logic [1:0]  ecn_i,       // ECN field as it came
  input  wire logic        mark_i,      // the ECN field becomes 3
  output logic      [15:0] checksum_o   // checksum of the header as it leaves, a cycle later
);

  reg [16:0] sum_q;

  always_ff @(posedge clk_i) begin
    sum_q <= {1'b0, ~checksum_i} + 17'h0feff + {15'h0, mark_i ? ~ecn_i : 2'b00};
  end

  assign checksum_o = ~(sum_q[15:0] + {15'h0, sum_q[16]});

`ifdef FORMAL
  // Any header: the word with the time to live, and the sum of all others except the checksum,
  // which is never 0. The receiver's sum over all of it is 0xffff if the checksum is right.
  (* anyseq *) wire [15:0] f_ttl, f_others;

  function automatic [15:0] plus(input [15:0] a, input [15:0] b);
    reg [16:0] sum;
    begin
      sum  = {1'b0, a} + {1'b0, b};
      plus = sum[15:0] + {15'h0, sum[16]};
    end
  endfunction

  reg        past_q = 1'b0;  // there was a clock edge before this one
  reg        f_right_q;      // the checksum was right as it came
  reg [15:0] f_rest_q;       // the receiver's sum as it leaves, without the checksum

  wire [15:0] f_raised = mark_i ? 16'd3 - {14'h0, ecn_i} : 16'd0;  // what a mark adds to its word

  always_ff @(posedge clk_i) begin
    past_q    <= 1'b1;
    f_right_q <= plus(plus(f_others, f_ttl), checksum_i) == 16'hffff;
    f_rest_q  <= plus(plus(f_others, f_raised), f_ttl - 16'h0100);
  end

  always_comb begin
    assume (f_others != 16'h0);
    assume (f_ttl[15:8] != 8'd0);
    if (past_q) right_if_it_was_right: assert ((plus(f_rest_q, checksum_o) == 16'hffff) == f_right_q);
  end
`endif

endmodule

`default_nettype wire
