// SPDX-License-Identifier: MIT OR Apache-2.0
// One memory for all ports, with dynamic thresholds: the ports of output_queues, over a pool.
//
// Decision    a frame fits in queue p if the queue holds fewer frames than
//             limit_frames_i, fewer words than alpha times the free ones, and the frame
//             is no longer than the free words. alpha = 2^(alpha_i - 4): 1/16 to 8.
// State       2^AddrW words, each with the address of the next one in its queue;
//             the free addresses; for each queue its first and last word.
// Latency     from a word written to the same word at the output: 4 to 3 + NumPorts cycles.
// Source      Choudhury and Hahne, IEEE/ACM Trans. Networking 6(2), 1998; Capacity::Shared of
//             crates/switch; Zarifis et al., EuroSys 2014, section 5.5.2.
// Deviations  the threshold uses the free words a cycle ago: one decision late if
//             decisions come in two successive cycles (only with a path of 512 bits);
//             the count of free words is always exact. There is no limit_words_i.
//
// One memory answers one port a cycle, in turn: a link has at most PathW / NumPorts bits
// a cycle. A queue always owns the place of its next word, which costs NumPorts words of
// the memory; so that word and the address of the one after it are written at once.

`default_nettype none

module shared_queues #(
  parameter NumPorts = 4,   // ports; at least 2
  parameter PathW    = 64,  // bits of a word
  parameter AddrW    = 13,  // 2^AddrW words in all
  parameter WordsW   = 14,  // bits of a queue's length; at least AddrW + 1
  parameter FillW    = 3,   // bits of the number of bytes in a last word; log2(PathW / 8)
  parameter Apart    = 1    // 1: two decisions are at least 2 cycles apart; 0: they may follow each other
) (
  input  wire logic                      clk_i,          // clock
  input  wire logic                      rst_ni,         // reset, active low, synchronous
  input  wire logic [WordsW-1:0]         limit_frames_i, // frames a queue may hold
  input  wire logic [WordsW-1:0]         mark_at_i,      // frames in a queue from which frames are marked
  input  wire logic [2:0]                alpha_i,        // alpha = 2^(alpha_i - 4)
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

  localparam WordW = PathW + FillW + 1;
  localparam Room = (1 << AddrW) - NumPorts;

`ifdef FORMAL
  reg f_past_q = 1'b0;  // there was a clock edge before this one
`endif

  // Free addresses: those never used yet, in order, and then those that were freed.
  reg  [AddrW:0]   fresh_q;
  reg  [AddrW:0]   freed_q;      // number of freed addresses
  wire             used_up = fresh_q[AddrW];
  wire [AddrW:0]   unused_head;
  wire             unused_valid;
  wire [AddrW-1:0] recycled;
  wire [AddrW-1:0] next_place = used_up ? recycled : fresh_q[AddrW-1:0];
  wire             free_one;     // an address is freed
  wire [AddrW-1:0] free_addr;

  ram_fifo #(.Width(AddrW), .AddrW(AddrW)) i_free (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .we_i    (free_one),
    .waddr_i (freed_q[AddrW-1:0]),
    .wdata_i (free_addr),
    .tail_i  (freed_q),
    .head_o  (unused_head),
    .valid_o (unused_valid),
    .data_o  (recycled),
    .pop_i   (valid_i && used_up)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fresh_q <= NumPorts[AddrW:0];
      freed_q <= {(AddrW+1){1'b0}};
    end else begin
      if (valid_i && !used_up) fresh_q <= fresh_q + 1'b1;
      if (free_one) freed_q <= freed_q + 1'b1;
    end
  end

  // Memory. In turn, each port may read the first word of its queue.
  reg  [NumPorts-1:0] turn_q;     // port whose turn it is, one bit
  reg  [NumPorts-1:0] reading_q;  // port whose word the memory outputs
  reg  [AddrW-1:0]    read_addr_q;

  wire [NumPorts-1:0]       can_read;
  wire [NumPorts*AddrW-1:0] heads, tails;
  wire [NumPorts-1:0]       read = turn_q & can_read;
  wire [AddrW+WordW-1:0]    answer;
  wire [AddrW-1:0]          answer_next = answer[WordW +: AddrW];

  reg [AddrW-1:0] read_addr, write_addr;
  integer q;
  always_comb begin
    read_addr  = {AddrW{1'b0}};
    write_addr = {AddrW{1'b0}};
    for (q = 0; q < NumPorts; q = q + 1) begin
      read_addr  = read_addr | ({AddrW{turn_q[q]}} & heads[q*AddrW +: AddrW]);
      write_addr = write_addr | ({AddrW{dest_i[q]}} & tails[q*AddrW +: AddrW]);
    end
  end

  ram_sdp #(.Width(AddrW + WordW), .AddrW(AddrW)) i_memory (
    .clk_i   (clk_i),
    .we_i    (valid_i),
    .waddr_i (write_addr),
    .wdata_i ({next_place, last_i, fill_i, data_i}),
    .re_i    (|read),
    .raddr_i (read_addr),
    .rdata_o (answer)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      turn_q    <= {{(NumPorts-1){1'b0}}, 1'b1};
      reading_q <= {NumPorts{1'b0}};
    end else begin
      turn_q    <= {turn_q[NumPorts-2:0], turn_q[NumPorts-1]};
      reading_q <= read;
    end
  end

  always_ff @(posedge clk_i) read_addr_q <= read_addr;

  assign free_one  = |reading_q;
  assign free_addr = read_addr_q;

  // Free words, and the threshold.
  reg [WordsW-1:0]   free_q;
  reg [WordsW-1:0]   ask1_q, ask2_q, ask3_q;  // words of the frames that decide next, now and a cycle ago
  reg [WordsW:0]     pair1_q;         // words of the next frame and the one before it
  reg [WordsW+3:0]   threshold_q;     // alpha times free words, with 4 bits of fraction cut off below
  reg                low_q;           // threshold2_q is below zero
  reg [WordsW+3:0]   threshold2_q;    // rest of the threshold if the frame that decides now takes room
  reg                freed_one_q, freed_two_q, freed_three_q;
  /* verilator lint_off UNUSEDSIGNAL */
  wire [WordsW+7:0]  scaled = {8'h0, free_q} << alpha_i;
  /* verilator lint_on UNUSEDSIGNAL */

  // If decisions are apart, they reach the counts a cycle later, from a register.
  reg  [NumPorts-1:0] take_q;
  wire [NumPorts-1:0] take       = Apart != 0 ? take_q : take_i;
  wire [WordsW-1:0]   take_words = Apart != 0 ? ask3_q : ask2_q;
  wire [WordsW-1:0]   previous   = Apart != 0 ? ask2_q : ask1_q;  // words of the frame before the one in the query

  always_ff @(posedge clk_i) take_q <= rst_ni ? take_i : {NumPorts{1'b0}};

  wire took = |take;
  wire [WordsW+4:0] left = {1'b0, scaled[WordsW+7:4]} - {5'h0, previous};
  wire [WordsW-1:0] free_if_not = free_q + {{(WordsW-1){1'b0}}, freed_three_q};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      free_q        <= Room[WordsW-1:0];
      threshold_q   <= {(WordsW+4){1'b0}};
      threshold2_q  <= {(WordsW+4){1'b0}};
      low_q         <= 1'b1;
      freed_one_q   <= 1'b0;
      freed_two_q   <= 1'b0;
      freed_three_q <= 1'b0;
    end else begin
      freed_one_q   <= free_one;  // counted when the address has reached the front of i_free
      freed_two_q   <= freed_one_q;
      freed_three_q <= freed_two_q;
      free_q        <= took ? free_if_not - take_words : free_if_not;
      threshold_q   <= scaled[WordsW+7:4];
      {low_q, threshold2_q} <= left;
    end
  end

  always_ff @(posedge clk_i) begin
    ask1_q  <= ask_words_i;
    ask2_q  <= ask1_q;
    ask3_q  <= ask2_q;
    pair1_q <= {1'b0, ask_words_i} + {1'b0, previous};
  end

  wire room_if_not = ask1_q <= free_q;
  wire room_if     = pair1_q <= {1'b0, free_q};
  wire room        = took ? room_if : room_if_not;

  genvar p;
  generate
    for (p = 0; p < NumPorts; p = p + 1) begin : g_queue
      reg [WordsW-1:0] frames_q, words_q;  // frames and words promised and not yet sent
      reg              fits_q, reach_q;
      reg              sent_q, sent_last_q;

      wire fits_if_not  = frames_q < limit_frames_i && {4'h0, words_q} < threshold_q;
      wire fits_if      = frames_q + 1'b1 < limit_frames_i && !low_q && {4'h0, words_q} < threshold2_q;
      wire reach_if_not = frames_q >= mark_at_i;
      wire reach_if     = frames_q + 1'b1 >= mark_at_i;

      wire [WordsW-1:0] words_if_not  = words_q - {{(WordsW-1){1'b0}}, sent_q};
      wire [WordsW-1:0] words_if      = words_q + take_words - {{(WordsW-1){1'b0}}, sent_q};
      wire [WordsW-1:0] frames_if_not = frames_q - {{(WordsW-1){1'b0}}, sent_last_q};
      wire [WordsW-1:0] frames_if     = frames_q + {{(WordsW-1){1'b0}}, !sent_last_q};

      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          frames_q    <= {WordsW{1'b0}};
          words_q     <= {WordsW{1'b0}};
          sent_q      <= 1'b0;
          sent_last_q <= 1'b0;
          fits_q      <= 1'b0;
          reach_q     <= 1'b0;
        end else begin
          frames_q    <= take[p] ? frames_if : frames_if_not;
          words_q     <= take[p] ? words_if : words_if_not;
          sent_q      <= pop_i[p];
          sent_last_q <= pop_i[p] && last_o[p];
          fits_q      <= room && (take[p] ? fits_if : fits_if_not);
          reach_q     <= take[p] ? reach_if : reach_if_not;
        end
      end

      assign fits_o[p]  = fits_q;
      assign reach_o[p] = reach_q;
      assign frames_o[p*WordsW +: WordsW] = frames_q;

      // List of the queue's words in the memory.
      reg [AddrW-1:0] head_q, tail_q;
      reg [AddrW:0]   held_q;

      wire write = valid_i && dest_i[p];

      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          head_q <= p[AddrW-1:0];
          tail_q <= p[AddrW-1:0];
          held_q <= {(AddrW+1){1'b0}};
        end else begin
          if (reading_q[p]) head_q <= answer_next;
          if (write) tail_q <= next_place;
          held_q <= held_q + {{AddrW{1'b0}}, write} - {{AddrW{1'b0}}, read[p]};
        end
      end

      assign heads[p*AddrW +: AddrW] = head_q;
      assign tails[p*AddrW +: AddrW] = tail_q;

      // Two words wait at the port, so that a link takes one in each of its turns.
      reg [WordW-1:0] front_q, second_q;
      reg             front_valid_q, second_valid_q;

      wire move = !front_valid_q || pop_i[p];

      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          front_valid_q  <= 1'b0;
          second_valid_q <= 1'b0;
        end else begin
          if (move) front_valid_q <= second_valid_q;
          second_valid_q <= reading_q[p] || (second_valid_q && !move);
        end
      end

      always_ff @(posedge clk_i) begin
        if (move) front_q <= second_q;
        if (reading_q[p]) second_q <= answer[WordW-1:0];
      end

      // A turn comes again after the answer of the last one: no read is under way now. The
      // answer finds the second place empty if it is empty now, or if the front advances.
      assign can_read[p] = held_q != {(AddrW+1){1'b0}} && (!second_valid_q || move);

`ifdef FORMAL
      // Words reserved by take_i and not written yet. The neighbour writes no others.
      reg  [WordsW-1:0] f_owed_q;
      wire [WordsW-1:0] f_held = f_owed_q + held_q + {{(WordsW-1){1'b0}}, reading_q[p]} + {{(WordsW-1){1'b0}}, second_valid_q}
                               + {{(WordsW-1){1'b0}}, front_valid_q} + {{(WordsW-1){1'b0}}, sent_q};
      always_ff @(posedge clk_i) begin
        if (!rst_ni) f_owed_q <= {WordsW{1'b0}};
        else f_owed_q <= f_owed_q + (take[p] ? take_words : {WordsW{1'b0}}) - {{(WordsW-1){1'b0}}, write};
      end

      // The f_n-th word written to the queue is the f_n-th that leaves it.
      (* anyconst *) wire [5:0] f_n;
      reg [5:0]       f_written_q, f_read_q;
      reg [PathW-1:0] f_data_q;
      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          f_written_q <= 6'd0;
          f_read_q    <= 6'd0;
        end else begin
          if (write) f_written_q <= f_written_q + 1'b1;
          if (write && f_written_q == f_n) f_data_q <= data_i;
          if (pop_i[p]) f_read_q <= f_read_q + 1'b1;
          // First in, first out: no word is lost, doubled, overtaken or of another queue.
          if (pop_i[p] && f_read_q == f_n) assert (f_written_q > f_n && data_o[p*PathW +: PathW] == f_data_q);
          // More words have passed through this queue than the memory holds: addresses are reused.
          cover (f_read_q == (1 << AddrW) + 1);
        end
      end

      always_comb begin
        if (write) assume (f_owed_q != 0);
        if (pop_i[p]) assume (valid_o[p]);
        if (take_i[p]) assume (fits_o[p]);
        // Every word is accounted for.
        if (f_past_q && rst_ni) assert (words_q == f_held);
      end
`endif

      assign valid_o[p] = front_valid_q;
      assign {last_o[p], fill_o[p*FillW +: FillW], data_o[p*PathW +: PathW]} = front_q;
    end
  endgenerate

`ifdef FORMAL
  reg [2:0] f_ran_q = 3'd0;  // cycles since the reset, up to 4
  always_ff @(posedge clk_i) begin
    f_past_q <= 1'b1;
    f_ran_q  <= !rst_ni ? 3'd0 : f_ran_q == 3'd4 ? f_ran_q : f_ran_q + 3'd1;
  end
  always_comb begin
    if (!f_past_q) assume (!rst_ni);
    assume ((take_i & (take_i - 1'b1)) == 0 && (dest_i & (dest_i - 1'b1)) == 0 && valid_i == (dest_i != 0));
    assume (take_i == 0 || f_ran_q == 3'd4);
    if (Apart != 0 && take_q != 0) assume (take_i == 0);
    assume (ask_words_i != 0);
    // Reservations are kept: no word comes without a place for the next one.
    if (f_past_q && rst_ni) a_place_for_each_word: assert (!valid_i || !used_up || unused_valid);
  end
`endif

endmodule

`default_nettype wire
