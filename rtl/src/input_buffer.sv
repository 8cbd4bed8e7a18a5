// SPDX-License-Identifier: MIT OR Apache-2.0
// Input buffer of a port: whole, sound frames wait here with their lengths.
//
// Decision    a frame is kept if it ends without error, is MinFrame to MaxFrame bytes long and
//             only its last beat is partial; else its words are withdrawn and it counts as bad.
// State       one memory of 2^AddrW words of the path; the lengths of the frames in it.
// Latency     from the last beat of a frame to frame_o: 5 cycles (it is stored whole first).
// Source      NetFPGA's receive queues, on which the design of Zarifis et al., EuroSys 2014,
//             section 5.1 builds; they too pass the length to the lookup ahead of the first beat.
// Deviations  a full port lowers tready instead of losing frames: no frame is lost here. A frame that is already
//             bad is not stored further, so that a frame without an end cannot fill the memory and stop its port.
//
// The link may be narrower than the path: beats are gathered into words, lowest bytes
// first. Words of the path have no tkeep: the length gives the valid bytes of the last one.

`default_nettype none

module input_buffer #(
  parameter LinkW    = 64,    // bits of a beat of the link; 8 to PathW
  parameter PathW    = 64,    // bits of a word of the path
  parameter AddrW    = 9,     // 2^AddrW words; at least two frames of MaxFrame bytes
  parameter FrameW   = 6,     // 2^FrameW frames at most
  parameter LenW     = 11,    // bits of a length in bytes
  parameter MinFrame = 60,    // shortest sound frame, bytes without FCS
  parameter MaxFrame = 1518   // longest sound frame, bytes without FCS
) (
  input  wire logic               clk_i,      // clock
  input  wire logic               rst_ni,     // reset, active low, synchronous
  input  wire logic [LinkW-1:0]   s_tdata_i,  // AXI4-Stream in: bytes, the first one lowest
  input  wire logic [LinkW/8-1:0] s_tkeep_i,  // valid bytes; all, except in the last beat
  input  wire logic               s_tlast_i,  // the last beat of a frame
  input  wire logic               s_tuser_i,  // with tlast: the frame is broken (its FCS was wrong)
  input  wire logic               s_tvalid_i, // a beat is offered
  output logic                    s_tready_o, // the beat is taken
  output logic                    frame_o,    // a whole frame waits
  output logic      [LenW-1:0]    len_o,      // length of the frame in bytes
  input  wire logic               take_i,     // the frame is chosen: its words are popped from the next cycle on
  output logic                    valid_o,    // word_o holds a word
  output logic      [PathW-1:0]   word_o,     // next word of the frame chosen last
  output logic                    last_o,     // word_o is the frame's last word
  input  wire logic               pop_i,      // the word is taken
  output logic                    in_o,       // count: a frame came, sound or not
  output logic                    bad_o,      // count: that frame was bad
  output logic      [LenW-1:0]    in_bytes_o  // count: bytes of a sound frame, else 0
);

  localparam Lanes    = PathW / LinkW;
  localparam LaneW    = Lanes > 1 ? $clog2(Lanes) : 1;
  localparam LinkB    = LinkW / 8;
  localparam CountW   = $clog2(LinkB + 1);
  localparam LastLane = Lanes - 1;

  // Beats, one cycle after the link. A beat goes to its lane, the lowest lane first.
  reg              beat_q, last_q, error_q, partial_q;
  reg [CountW-1:0] bytes_q;
  reg [LaneW-1:0]  lane_q, next_lane_q;
  reg [PathW-1:0]  word_q;
  reg              ready_q;

  wire beat = s_tvalid_i && ready_q;

  function automatic [CountW-1:0] ones(input [LinkB-1:0] keep);
    integer i;
    begin
      ones = {CountW{1'b0}};
      for (i = 0; i < LinkB; i = i + 1) if (keep[i]) ones = ones + 1'b1;
    end
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beat_q      <= 1'b0;
      next_lane_q <= {LaneW{1'b0}};
    end else begin
      beat_q <= beat;
      if (beat) next_lane_q <= (s_tlast_i || next_lane_q == LastLane[LaneW-1:0]) ? {LaneW{1'b0}} : next_lane_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (beat) begin
      last_q    <= s_tlast_i;
      error_q   <= s_tlast_i && s_tuser_i;
      // A frame with holes in tkeep, or with a partial beat before the last, is bad.
      partial_q <= (s_tkeep_i & (s_tkeep_i + 1'b1)) != {LinkB{1'b0}} || !s_tkeep_i[0]
                   || (!s_tlast_i && s_tkeep_i != {LinkB{1'b1}});
      bytes_q   <= ones(s_tkeep_i);
      lane_q    <= next_lane_q;
    end
  end

  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      always_ff @(posedge clk_i) begin
        if (beat && next_lane_q == l[LaneW-1:0]) word_q[l*LinkW +: LinkW] <= s_tdata_i;
      end
    end
  endgenerate

  // Words, one cycle later, with the length of the frame so far.
  reg              word2_q, last2_q;
  reg [PathW-1:0]  data2_q;
  reg [LenW-1:0]   len_q;
  reg              first_q;   // the next beat begins a frame
  reg              broken_q;  // the frame is bad already
  reg              too_long_q, short_q;  // len_q is more than MaxFrame, less than MinFrame

  wire broken = partial_q || error_q || (!first_q && broken_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      word2_q <= 1'b0;
      first_q <= 1'b1;
    end else begin
      word2_q <= beat_q && (last_q || lane_q == LastLane[LaneW-1:0]);
      if (beat_q) first_q <= last_q;
    end
  end

  // For the clock, the length is compared while it is added up, and not with the last word.
  wire [LenW-1:0] sum = len_q + {{(LenW-CountW){1'b0}}, bytes_q};

  always_ff @(posedge clk_i) begin
    data2_q <= word_q;
    last2_q <= last_q;
    if (beat_q) begin
      broken_q   <= broken;
      too_long_q <= !first_q && (too_long_q || {{(32-LenW){1'b0}}, sum} > MaxFrame);
      short_q    <= first_q ? {{(32-CountW){1'b0}}, bytes_q} < MinFrame : {{(32-LenW){1'b0}}, sum} < MinFrame;
      // A length that is too long is kept unchanged, so that it cannot wrap around.
      if (first_q)          len_q <= {{(LenW-CountW){1'b0}}, bytes_q};
      else if (!too_long_q) len_q <= sum;
    end
  end

  // The frame is judged with its last word. Surplus words are not written.
  reg [AddrW:0]  write_q;     // next word to write
  reg [AddrW:0]  commit_q;    // words before this one belong to whole frames

  wire           frame    = word2_q && last2_q;
  wire           sound    = frame && !broken_q && !too_long_q && !short_q;
  wire           store    = word2_q && !too_long_q && !broken_q;
  wire [AddrW:0] after    = write_q + 1'b1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q  <= {(AddrW+1){1'b0}};
      commit_q <= {(AddrW+1){1'b0}};
    end else begin
      if (frame && !sound) write_q <= commit_q;
      else if (store)      write_q <= after;
      if (sound) commit_q <= after;
    end
  end

  // Lengths of whole frames.
  (* ram_style = "distributed" *)
  reg [LenW-1:0] lens [0:(1<<FrameW)-1];
  reg [FrameW:0] lens_write_q, lens_read_q, lens_seen_q;

  always_ff @(posedge clk_i) begin
    if (sound) lens[lens_write_q[FrameW-1:0]] <= len_q;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      lens_write_q <= {(FrameW+1){1'b0}};
      lens_read_q  <= {(FrameW+1){1'b0}};
      lens_seen_q  <= {(FrameW+1){1'b0}};
    end else begin
      if (sound) lens_write_q <= lens_write_q + 1'b1;
      lens_seen_q <= lens_write_q;  // a cycle later, when the first word is in the reader's register
      if (take_i) lens_read_q <= lens_read_q + 1'b1;
    end
  end

  // For the clock, a register tells whether a frame waits: it is an input of the next choice, which is made late.
  reg            some_q;
  reg [FrameW:0] lens_next_q;  // lens_read_q + 1
  wire           more = lens_write_q != lens_seen_q;
  wire           one  = lens_next_q == lens_seen_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      some_q      <= 1'b0;
      lens_next_q <= {{FrameW{1'b0}}, 1'b1};
    end else begin
      some_q <= more || (some_q && !(take_i && one));
      if (take_i) lens_next_q <= lens_next_q + 1'b1;
    end
  end

  assign frame_o = some_q;
  assign len_o   = lens[lens_read_q[FrameW-1:0]];

  wire [AddrW:0] head;

  ram_fifo #(.Width(PathW + 1), .AddrW(AddrW)) i_words (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .we_i    (store),
    .waddr_i (write_q[AddrW-1:0]),
    .wdata_i ({last2_q, data2_q}),
    .tail_i  (commit_q),
    .head_o  (head),
    .valid_o (valid_o),
    .data_o  ({last_o, word_o}),
    .pop_i   (pop_i)
  );

  // Room for data under way: three beats, each a word and a frame.
  wire [AddrW:0]  used_words  = write_q - head;
  wire [FrameW:0] used_frames = lens_write_q - lens_read_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) ready_q <= 1'b0;
    else ready_q <= used_words < (1 << AddrW) - 5 && used_frames < (1 << FrameW) - 5;
  end

  assign s_tready_o = ready_q;

  always_ff @(posedge clk_i) begin
    in_o  <= rst_ni && frame;
    bad_o <= rst_ni && frame && !sound;
    in_bytes_o <= rst_ni && sound ? len_q : {LenW{1'b0}};
  end

`ifdef FORMAL
  localparam PathB = PathW / 8;
  localparam Most  = (MaxFrame + PathB - 1) / PathB;  // words of the longest frame

  reg past_q = 1'b0;  // there was a clock edge before this one
  always_ff @(posedge clk_i) past_q <= 1'b1;

  // No whole frame waits, and no beat is on its way in.
  wire      f_idle = commit_q == head && lens_write_q == lens_read_q && !beat_q && !word2_q && !s_tvalid_i;
  reg [1:0] f_idle_q;
  always_ff @(posedge clk_i) f_idle_q <= !rst_ni || !f_idle ? 2'd0 : f_idle_q == 2'd3 ? 2'd3 : f_idle_q + 1'b1;

  wire [AddrW:0] f_unfinished = write_q - commit_q;

  // The neighbour takes a frame when it has all the words of the one before, and pops no others.
  reg            f_open;    // a frame is taken, and not all of its words are
  reg [LenW-1:0] f_len;     // length of that frame in bytes
  reg [AddrW:0]  f_popped;  // words of that frame that are taken
  always_ff @(posedge clk_i) begin
    if (!rst_ni) f_open <= 1'b0;
    else f_open <= take_i || (f_open && !(pop_i && last_o));
    if (take_i) f_len <= len_o;
    f_popped <= take_i ? {(AddrW+1){1'b0}} : f_popped + {{AddrW{1'b0}}, pop_i};
  end

  // Lane of the beat that entered len_q last, and the registers that belong to it.
  reg  [LaneW-1:0] f_lane_q;
  always_ff @(posedge clk_i) if (beat_q) f_lane_q <= lane_q;
  wire [LaneW-1:0] f_lane_after = f_lane_q == LastLane[LaneW-1:0] ? {LaneW{1'b0}} : f_lane_q + 1'b1;
  wire [FrameW:0]  f_unseen = lens_write_q - lens_seen_q;
  wire             f_judged = word2_q && last2_q;       // the frame's last word is there
  wire [31:0]      f_stored = PathB * f_unfinished;     // bytes of the words that are stored of the frame
  wire [31:0]      f_bytes  = len_q;
  wire [31:0]      f_lanes  = LinkB * (f_lane_q + 1);   // bytes of the word being gathered, if its last beat were full

  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (!take_i || frame_o);
`ifdef WORDS
    assume (!take_i || !f_open || (pop_i && last_o));
    assume (!pop_i || f_open);
    if (past_q && rst_ni) begin
      a_word_waits_for_who_took_a_frame: assert (!f_open || valid_o);
      as_many_words_as_the_length_says:  assert (!pop_i || last_o == (PathB * (f_popped + 1) >= f_len));
    end
`endif
    if (past_q && rst_ni) begin
      unfinished_frames_are_no_longer_than_whole_ones: assert (f_unfinished <= Most[AddrW:0]);
      ready_returns:                                   assert (f_idle_q < 2'd2 || s_tready_o);
      // Unread words and lengths are never overwritten: all data under way has a place.
      a_place_for_each_word:   assert ({1'b0, used_words} + word2_q + beat_q + ready_q <= (1 << AddrW) - 2);
      a_place_for_each_length: assert ({1'b0, used_frames} + f_judged + (beat_q && last_q) + ready_q <= (1 << FrameW) - 2);
      // Invariants that make these hold for any number of cycles.
      whole_ones_are_written:  assert ({1'b0, f_unfinished} <= used_words);
      some_wait_as_pointers_say: assert (some_q == (lens_seen_q != lens_read_q) && lens_next_q == (lens_read_q + 1'b1));
      lengths_are_seen_later:  assert (f_unseen <= 1 && lens_seen_q - lens_read_q <= used_frames);
      beats_are_no_longer:     assert (!beat_q || bytes_q <= LinkB);
      only_last_beats_are_partial: assert (!beat_q || partial_q || (bytes_q != 0 && (last_q || bytes_q == LinkB)));
      lanes_there_are: assert ((!beat_q || lane_q <= LastLane[LaneW-1:0]) && ((first_q && !f_judged) || f_lane_q <= LastLane[LaneW-1:0]));
      lanes_in_order: assert (next_lane_q == (beat_q ? (last_q || lane_q == LastLane[LaneW-1:0] ? {LaneW{1'b0}} : lane_q + 1'b1)
                                              : first_q ? {LaneW{1'b0}} : f_lane_after));
      a_beat_in_its_lane: assert (!beat_q || lane_q == (first_q ? {LaneW{1'b0}} : f_lane_after));
      a_last_word_ends_the_frame: assert (!f_judged || first_q);
      a_word_is_full_or_last: assert (!word2_q || last2_q || (!first_q && f_lane_q == LastLane[LaneW-1:0]));
      nothing_of_no_frame: assert (!first_q || f_judged || f_unfinished == 0);
      if (!first_q || f_judged) begin
        compared_as_added_up: assert (too_long_q == (f_bytes > MaxFrame) && (too_long_q || short_q == (f_bytes < MinFrame)));
      end
      if ((!first_q || f_judged) && !broken_q) begin
        if (!too_long_q && f_judged) the_length_with_the_last_word: assert (f_bytes > f_stored + f_lanes - LinkB && f_bytes <= f_stored + f_lanes);
        if (!too_long_q && !f_judged && (word2_q || f_lane_q != LastLane[LaneW-1:0])) the_length_up_to_here: assert (f_bytes == f_stored + f_lanes);
        if (!too_long_q && !word2_q && f_lane_q == LastLane[LaneW-1:0]) the_length_of_whole_words: assert (f_bytes == f_stored);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (past_q && rst_ni) begin
      a_frame_is_kept:             cover (sound);
      a_bad_one_is_taken_back:     cover (frame && !sound && f_unfinished != 0);
      an_endless_one_is_not_stored: cover (f_unfinished != 0 && word2_q && !store && !last2_q);
    end
  end
`endif

endmodule

`default_nettype wire
