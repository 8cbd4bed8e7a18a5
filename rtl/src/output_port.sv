// SPDX-License-Identifier: MIT OR Apache-2.0
// Output port: words of the path become beats of the link.
//
// Decision    none.
// State       the word being sent, whose lowest beat is the one offered, and the number of beats that follow.
// Latency     1 cycle. One beat a cycle without a bubble. A word is taken when the last beat of the previous one leaves.
// Source      AXI4-Stream: an offered beat stays unchanged until it is taken.
// Deviations  none.

`default_nettype none

module output_port #(
  parameter LinkW = 64,  // bits of a beat; 8 to PathW
  parameter PathW = 64,  // bits of a word
  parameter FillW = 3,   // log2(PathW / 8)
  parameter CountW = 11  // bits of out_bytes_o; a beat's bytes must fit
) (
  input  wire logic               clk_i,      // clock
  input  wire logic               rst_ni,     // reset, active low, synchronous
  input  wire logic               valid_i,    // a word waits
  input  wire logic [PathW-1:0]   data_i,     // its bytes, the first one lowest
  input  wire logic               last_i,     // last word of a frame
  input  wire logic [FillW-1:0]   fill_i,     // valid bytes of the last word; 0 for all
  output logic                    pop_o,      // the word is taken
  output logic      [LinkW-1:0]   m_tdata_o,  // AXI4-Stream out: a beat
  output logic      [LinkW/8-1:0] m_tkeep_o,  // valid bytes
  output logic                    m_tlast_o,  // last beat of a frame
  output logic                    m_tvalid_o, // a beat is offered
  input  wire logic               m_tready_i, // the beat is taken
  output logic                    out_o,      // count: a frame has left
  output logic      [CountW-1:0]  out_bytes_o // count: bytes that have left
);

  localparam Lanes = PathW / LinkW;
  localparam LaneW = Lanes > 1 ? $clog2(Lanes) : 1;
  localparam LinkB = LinkW / 8;
  localparam LastLane = Lanes - 1;
  localparam [LaneW-1:0] One = 1;
  localparam LaneAt = $clog2(LinkB);  // bits of a position in a beat

  reg [PathW-1:0] word_q;    // the beat that is offered is lowest, later beats above it
  reg [LaneW-1:0] left_q;    // beats of the word that follow it
  reg             end_q;     // no beat of the word follows
  reg             final_q;   // the word is the last of a frame
  reg [LinkB-1:0] mask_q;    // valid bytes of its last beat
  reg [LinkB-1:0] keep_q;
  reg             last_q, valid_q;

  wire [FillW-1:0] at   = fill_i - 1'b1;  // last valid byte
  /* verilator lint_off UNUSEDSIGNAL */
  wire [FillW:0]   lane = {1'b0, at} >> LaneAt;
  /* verilator lint_on UNUSEDSIGNAL */
  wire [FillW-1:0] byte_in_lane = at & (LinkB[FillW-1:0] - 1'b1);
  wire [LaneW-1:0] stop = last_i ? lane[LaneW-1:0] : LastLane[LaneW-1:0];
  wire             one  = stop == {LaneW{1'b0}};

  wire [PathW-1:0] shifted;  // beats that follow
  generate
    if (Lanes > 1) begin : g_beats
      assign shifted = {{LinkW{1'b0}}, word_q[PathW-1:LinkW]};
    end else begin : g_beat
      assign shifted = word_q;
    end
  endgenerate

  // The next word is taken as the last beat of this one leaves.
  wire load = !valid_q || (m_tready_i && end_q);

  reg [LinkB-1:0] mask;
  integer b;
  always_comb begin
    for (b = 0; b < LinkB; b = b + 1) mask[b] = b <= {{(32-FillW){1'b0}}, byte_in_lane};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni)   valid_q <= 1'b0;
    else if (load) valid_q <= valid_i;
  end

  wire next_is_end = left_q == One;

  always_ff @(posedge clk_i) begin
    if (load) begin
      word_q  <= data_i;
      left_q  <= stop;
      end_q   <= one;
      final_q <= last_i;
      mask_q  <= mask;
      last_q  <= last_i && one;
      keep_q  <= last_i && one ? mask : {LinkB{1'b1}};
    end else if (m_tready_i) begin
      word_q <= shifted;
      left_q <= left_q - 1'b1;
      end_q  <= next_is_end;
      last_q <= final_q && next_is_end;
      keep_q <= final_q && next_is_end ? mask_q : {LinkB{1'b1}};
    end
  end

  assign pop_o      = valid_i && load;
  assign m_tdata_o  = word_q[LinkW-1:0];
  assign m_tkeep_o  = keep_q;
  assign m_tlast_o  = last_q;
  assign m_tvalid_o = valid_q;

  always_ff @(posedge clk_i) out_o <= rst_ni && valid_q && m_tready_i && last_q;

  // Valid bytes are the lowest: the highest bit of keep_q gives their number.
  reg [CountW-1:0] bytes;
  integer c;
  always_comb begin
    bytes = {CountW{1'b0}};
    for (c = 0; c < LinkB; c = c + 1) if (keep_q[c]) bytes = c[CountW-1:0] + 1'b1;
  end

  always_ff @(posedge clk_i) out_bytes_o <= rst_ni && valid_q && m_tready_i ? bytes : {CountW{1'b0}};

`ifdef FORMAL
  reg past_q = 1'b0;
  always_ff @(posedge clk_i) past_q <= 1'b1;
  always_comb if (!past_q) assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    // The queue's front stays unchanged until it is taken.
    if (past_q && $past(rst_ni && valid_i && !pop_o)) begin
      assume (valid_i && data_i == $past(data_i) && last_i == $past(last_i) && fill_i == $past(fill_i));
    end
    if (past_q && $past(rst_ni) && rst_ni && $past(m_tvalid_o && !m_tready_i)) begin
      still_there: assert (m_tvalid_o);
      unchanged:   assert (m_tdata_o == $past(m_tdata_o) && m_tkeep_o == $past(m_tkeep_o) && m_tlast_o == $past(m_tlast_o));
    end
    if (past_q && $past(rst_ni) && $past(pop_o)) begin
      taken_only_if_there: assert ($past(valid_i));
    end
    if (past_q && rst_ni && $past(rst_ni) && valid_q) begin
      the_last_beat_is_known: assert (end_q == (left_q == {LaneW{1'b0}}) && left_q <= LastLane[LaneW-1:0]);
      the_end_is_of_the_last: assert (last_q == (final_q && end_q));
      whole_but_at_the_end:   assert (keep_q == (last_q ? mask_q : {LinkB{1'b1}}));
    end
  end
`endif

endmodule

`default_nettype wire
