// SPDX-License-Identifier: MIT OR Apache-2.0
// Queue for each port: frames wait here, whole or not at all.
//
// Decision    a frame fits in queue p if the queue holds fewer frames than limit_frames_i and its
//             words, added to the queue's, are at most limit_words_i (and the memory's size).
// State       for each port a memory of 2^AddrW words, and the frames and
//             words for which room is reserved and which are not yet sent.
// Latency     3 cycles from a word written to the same word at the output.
// Source      output queues of NetFPGA; tail drop, decided before the first word (Zarifis
//             et al., EuroSys 2014, section 5.1: "a bitmap of available output ports").
// Deviations  bytes are counted in words of the path, the unit in which a frame uses
//             the memory: 8 bytes at 64 bits. A frame counts until its last word leaves
//             for the port, as in crates/switch except for the beats of that word.
//
// A query for room comes ahead of the words: fits_o answers ask_words_i two cycles later, and the frame takes the room in
// that cycle or not at all. Two answers are computed, for the case that the previous frame takes room in p and for the case
// that it does not; its decision (take_i) selects one, so no answer is stale. For the clock, the largest queue into which
// the frame fits is computed in the first of the two cycles; the second compares. With Apart, a decision reaches the counts
// through a register: then frames of one word must not follow each other. Without Apart, a decision can be made every cycle.
// frames of one word must not follow each other. Without, a decision can be made every cycle.

`default_nettype none

module output_queues #(
  parameter NumPorts = 4,   // ports
  parameter PathW    = 64,  // bits of a word
  parameter AddrW    = 11,  // 2^AddrW words for each port
  parameter WordsW   = 12,  // bits of a queue's length; at least AddrW + 1
  parameter FillW    = 3,   // bits of the number of bytes in a last word; log2(PathW / 8)
  parameter Apart    = 1    // 1: two decisions are at least 2 cycles apart; 0: they may follow each other
) (
  input  wire logic                      clk_i,          // clock
  input  wire logic                      rst_ni,         // reset, active low, synchronous
  input  wire logic [WordsW-1:0]         limit_frames_i, // frames a queue may hold
  input  wire logic [WordsW-1:0]         limit_words_i,  // words a queue may hold
  input  wire logic [WordsW-1:0]         mark_at_i,      // frames in a queue from which frames are marked
  // Room.
  input  wire logic [WordsW-1:0]         ask_words_i,    // words of the frame to be decided
                                                         // two cycles later
  output logic      [NumPorts-1:0]       fits_o,         // at that time, bit p: the frame fits in queue p
  output logic      [NumPorts-1:0]       reach_o,        // at that time, bit p: queue p is long enough to mark
  input  wire logic [NumPorts-1:0]       take_i,         // at that time, one bit: the frame takes the room
  // Words of frames that took room, in the order of the frames.
  input  wire logic                      valid_i,        // a word comes
  input  wire logic [PathW-1:0]          data_i,         // bytes of the word
  input  wire logic                      last_i,         // last word of a frame
  input  wire logic [FillW-1:0]          fill_i,         // valid bytes of the last word; 0 for all
  input  wire logic [NumPorts-1:0]       dest_i,         // queue of the frame, one bit
  // Fronts of the queues.
  output logic      [NumPorts-1:0]       valid_o,        // bit p: queue p has a word
  output logic      [NumPorts*PathW-1:0] data_o,         // bytes of the word
  output logic      [NumPorts-1:0]       last_o,         // last word of a frame
  output logic      [NumPorts*FillW-1:0] fill_o,         // valid bytes of the last word; 0 for all
  input  wire logic [NumPorts-1:0]       pop_i,          // the word is taken
  output logic      [NumPorts*WordsW-1:0] frames_o       // frames in each queue
);

  localparam [WordsW-1:0] Words = 1 << AddrW;

  // At most the size of the memory.
  reg [WordsW-1:0] limit_words_q;
  always_ff @(posedge clk_i) limit_words_q <= limit_words_i > Words ? Words : limit_words_i;

  // A queue with at most slack words has room for the frame; with at most slack2, if the
  // frame of the cycle before also takes its room there. Below zero: no queue has room.
  reg        [WordsW-1:0] ask1_q, ask2_q, ask3_q;
  reg signed [WordsW+1:0] slack_q, slack2_q;

  wire signed [WordsW+1:0] slack = $signed({2'b00, limit_words_q}) - $signed({2'b00, ask_words_i});

  always_ff @(posedge clk_i) begin
    ask1_q   <= ask_words_i;
    ask2_q   <= ask1_q;
    slack_q  <= slack;
    slack2_q <= slack - $signed({2'b00, Apart != 0 ? ask2_q : ask1_q});
    ask3_q   <= ask2_q;
  end

  // If decisions are apart, they reach the counts a cycle later, from a register.
  reg  [NumPorts-1:0] take_q;
  wire [NumPorts-1:0] take       = Apart != 0 ? take_q : take_i;
  wire [WordsW-1:0]   take_words = Apart != 0 ? ask3_q : ask2_q;

  always_ff @(posedge clk_i) take_q <= rst_ni ? take_i : {NumPorts{1'b0}};

  genvar p;
  generate
    for (p = 0; p < NumPorts; p = p + 1) begin : g_queue
      reg [WordsW-1:0] frames_q, words_q;  // frames and words promised and not yet sent
      reg [WordsW-1:0] next_q;             // frames_q + 1
      reg              fits_q, reach_q;
      reg              sent_q, sent_last_q;

      wire signed [WordsW+1:0] long = $signed({2'b00, words_q});

      wire fits_if_not  = frames_q < limit_frames_i && long <= slack_q;
      wire fits_if      = next_q < limit_frames_i && long <= slack2_q;
      wire reach_if_not = frames_q >= mark_at_i;
      wire reach_if     = next_q >= mark_at_i;

      wire [WordsW-1:0] words_if_not = words_q - {{(WordsW-1){1'b0}}, sent_q};
      wire [WordsW-1:0] words_if     = words_q + take_words - {{(WordsW-1){1'b0}}, sent_q};
      wire [WordsW-1:0] frames_if_not = frames_q - {{(WordsW-1){1'b0}}, sent_last_q};
      wire [WordsW-1:0] frames_if     = frames_q + {{(WordsW-1){1'b0}}, !sent_last_q};
      wire [WordsW-1:0] next_if_not   = next_q - {{(WordsW-1){1'b0}}, sent_last_q};
      wire [WordsW-1:0] next_if       = next_q + {{(WordsW-1){1'b0}}, !sent_last_q};

      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          frames_q    <= {WordsW{1'b0}};
          next_q      <= {{(WordsW-1){1'b0}}, 1'b1};
          words_q     <= {WordsW{1'b0}};
          sent_q      <= 1'b0;
          sent_last_q <= 1'b0;
          fits_q      <= 1'b0;
          reach_q     <= 1'b0;
        end else begin
          frames_q    <= take[p] ? frames_if : frames_if_not;
          next_q      <= take[p] ? next_if : next_if_not;
          words_q     <= take[p] ? words_if : words_if_not;
          sent_q      <= pop_i[p];
          sent_last_q <= pop_i[p] && last_o[p];
          fits_q      <= take[p] ? fits_if : fits_if_not;
          reach_q     <= take[p] ? reach_if : reach_if_not;
        end
      end

      assign fits_o[p]  = fits_q;
      assign reach_o[p] = reach_q;
      assign frames_o[p*WordsW +: WordsW] = frames_q;

      reg [AddrW:0] tail_q;
      wire write = valid_i && dest_i[p];

      always_ff @(posedge clk_i) begin
        if (!rst_ni) tail_q <= {(AddrW+1){1'b0}};
        else if (write) tail_q <= tail_q + 1'b1;
      end

      /* verilator lint_off UNUSEDSIGNAL */
      wire [AddrW:0] head;
      /* verilator lint_on UNUSEDSIGNAL */
`ifdef FORMAL
      wire [1:0] f_front;
`endif

      ram_fifo #(.Width(PathW + FillW + 1), .AddrW(AddrW)) i_words (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .we_i    (write),
        .waddr_i (tail_q[AddrW-1:0]),
        .wdata_i ({last_i, fill_i, data_i}),
        .tail_i  (tail_q),
        .head_o  (head),
        .valid_o (valid_o[p]),
`ifdef FORMAL
        .front_o (f_front),
`endif
        .data_o  ({last_o[p], fill_o[p*FillW +: FillW], data_o[p*PathW +: PathW]}),
        .pop_i   (pop_i[p])
      );

`ifdef FORMAL
      // Words reserved by take_i and not written yet. The neighbour writes no others.
      reg  [WordsW-1:0] f_owed;
      wire [AddrW:0]    f_held = tail_q - head;
      always_ff @(posedge clk_i) begin
        if (!rst_ni) f_owed <= {WordsW{1'b0}};
        else f_owed <= f_owed + (take[p] ? take_words : {WordsW{1'b0}}) - {{(WordsW-1){1'b0}}, write};
      end
      always_comb begin
        if (write) assume (f_owed != 0);
        if (pop_i[p]) assume (valid_o[p]);
        if (take_i[p]) assume (fits_o[p]);
        if (past_q && rst_ni) begin
          // Every word is accounted for.
          assert ({1'b0, words_q} == {1'b0, f_owed} + f_held + f_front + sent_q);
          // No write to a full queue.
          assert (!write || f_held < (1 << AddrW));
          assert (words_q <= Words);
          // A positive answer is true, and a frame that takes room fits.
          if (take[p]) assert ({1'b0, words_q} + take_words <= limit_words_q);
          if (ran_q == 3'd4 && (Apart == 0 || take_q == 0)) assert (!fits_q || {1'b0, words_q} + ask2_q <= limit_words_q);
        end
      end

      // The f_n-th word written to the queue is the f_n-th that leaves it.
      (* anyconst *) wire [5:0] f_n;
      reg [5:0]       f_written, f_read;
      reg [PathW-1:0] f_data;
      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          f_written <= 6'd0;
          f_read    <= 6'd0;
        end else begin
          if (write) f_written <= f_written + 1'b1;
          if (write && f_written == f_n) f_data <= data_i;
          if (pop_i[p]) f_read <= f_read + 1'b1;
`ifdef ORDER
          if (pop_i[p] && f_read == f_n) begin
            // First in, first out: no word is lost, doubled or overtaken.
            assert (f_written > f_n && data_o[p*PathW +: PathW] == f_data);
          end
          cover (f_read == 6'd3);
`endif
        end
      end
`endif
    end
  endgenerate

`ifdef FORMAL
  reg past_q = 1'b0;
  reg [2:0] ran_q = 3'd0;  // cycles since the reset, up to 4
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    ran_q  <= !rst_ni ? 3'd0 : ran_q == 3'd4 ? ran_q : ran_q + 3'd1;
  end
  (* anyconst *) wire [WordsW-1:0] f_limit;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (limit_words_i == f_limit);
    assume ((take_i & (take_i - 1'b1)) == 0 && (dest_i & (dest_i - 1'b1)) == 0);
    assume (take_i == 0 || ran_q == 3'd4);
    if (Apart != 0 && take_q != 0) assume (take_i == 0);
    if (take_i != 0) assume (ask2_q != 0 && ask2_q <= Words);
    if (ran_q == 3'd4) begin
      the_limit_is_held: assert (limit_words_q == (f_limit > Words ? Words : f_limit));
      slack_is_right:    assert (slack_q == $signed({2'b00, limit_words_q}) - $signed({2'b00, ask1_q}));
      slack2_is_right:   assert (slack2_q == slack_q - $signed({2'b00, take_words}));
      asks_are_bounded:  assert (take_q == 0 || (ask3_q != 0 && ask3_q <= Words));
    end
  end
`endif

endmodule

`default_nettype wire
