// SPDX-License-Identifier: MIT OR Apache-2.0
// Environment of a queue by rank, and any one arrival that is followed through it. Included under FORMAL.

  // A packet's data is here the number of its arrival, so that the order of equal ranks and
  // the fate of each packet can be stated. As many packets arrive as the number can count.
  reg             past_q = 1'b0;
  reg [DataW-1:0] arrivals_q;
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) arrivals_q <= {DataW{1'b0}};
    else if (push) arrivals_q <= arrivals_q + 1'b1;
  end
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (data_i == arrivals_q);
    assume (arrivals_q != {DataW{1'b1}});
  end

  // Any one arrival, and its rank: is it inside, as far as its pushes and pops show?
  (* anyconst *) wire [DataW-1:0] one;
  reg             inside_q;
  reg [RankW-1:0] its_rank_q;
  wire enters = push && data_i == one;
  wire leaves = pop_head && head_data_o == one || pop_tail && tail_data_o == one;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) inside_q <= 1'b0;
    else if (enters) inside_q <= 1'b1;
    else if (leaves && inside_q) inside_q <= 1'b0;
    if (enters) its_rank_q <= rank_i;
  end
