// SPDX-License-Identifier: MIT OR Apache-2.0
// Vertigo's queues: a frame waits by its rank, and one that does not fit moves the largest to another queue.
//
// Decision    vertigo_i: that of vertigo_deflect, for each frame that has arrived whole. Else drop-tail: the frame
//             joins its queue or is dropped. A frame, also a moved one, is marked if it joins a queue of mark_at_i
//             frames or more, counted before it joins. Each port sends the waiting frame of the smallest rank, whole.
// State       2^SlotW slots of 2^LongW words, each for one frame; the free slots; for each port a rank_queue of
//             slot numbers, and the slot being sent; two draws, which advance with each frame that does not fit.
// Latency     a frame is decided in the cycle after its last word was written: in that cycle
//             it and its victim are moved, squeezed in or dropped. Only numbers move. From
//             that cycle to the first word at an idle output: 4 to 3 + NumPorts cycles.
// Source      Abdous et al., CoNEXT 2021 (Vertigo), section 3.2. Their queue extends PIEO and takes 4 cycles for an operation.
// Deviations  room is counted in frames: a slot holds the longest. A frame being sent counts, and is never a victim. No port begins a frame in
//             the cycle of a decision. Two words wait at a port and one in it; when its last word is there a frame no longer counts and the
//             next is chosen, so with frames of three words one more is on its way. The draw includes the ingress port, as in the simulator.
//
// One memory answers one port a cycle, in turn: a link has at most PathW / NumPorts bits a cycle, as in shared_queues.
// Decisions are at least two cycles apart: a frame has at least two words.

`default_nettype none

module ranked_queues #(
  parameter NumPorts = 4,   // ports; at least 2
  parameter PortW    = 2,   // bits of a port number
  parameter PathW    = 64,  // bits of a word
  parameter SlotW    = 6,   // 2^SlotW frames in all, of which 4 are on their way
  parameter LongW    = 8,   // 2^LongW words in the longest frame
  parameter WordsW   = 12,  // bits of a queue's length
  parameter FillW    = 3,   // bits of the number of bytes in a last word; log2(PathW / 8)
  parameter RankW    = 32   // bits of a rank
) (
  input  wire logic                      clk_i,          // clock
  input  wire logic                      rst_ni,         // reset, active low, synchronous
  // Settings; stable while frames pass, except the seed.
  input  wire logic                      vertigo_i,      // a frame that does not fit moves on; 0: it is dropped
  input  wire logic [NumPorts-1:0]       to_switch_i,    // bit p: a frame may move to port p
  input  wire logic [WordsW-1:0]         limit_frames_i, // frames a queue may hold; more than Places has no effect
  input  wire logic [WordsW-1:0]         mark_at_i,      // frames in a queue from which frames are marked
  input  wire logic                      seed_we_i,      // load a new seed for the draws
  input  wire logic [31:0]               seed_i,         // the seed
  // Words of frames.
  input  wire logic                      valid_i,        // a word comes
  input  wire logic [PathW-1:0]          data_i,         // bytes of the word
  input  wire logic                      last_i,         // last word of a frame
  input  wire logic [FillW-1:0]          fill_i,         // valid bytes of the last word; 0 for all
  input  wire logic [NumPorts-1:0]       dest_i,         // wanted queue, one bit; as the next four on its last word
  input  wire logic [RankW-1:0]          rank_i,         // rank of the frame: the smallest leaves first
  input  wire logic                      able_i,         // the frame is ECN-capable and not marked
  input  wire logic                      inner_i,        // the IPv4 header is at byte 21, not 14
  input  wire logic [15:0]               checksum_i,     // checksum of the header with a mark
  // Fronts of the queues.
  output logic      [NumPorts-1:0]       valid_o,        // bit p: queue p has a word
  output logic      [NumPorts*PathW-1:0] data_o,         // bytes of the word
  output logic      [NumPorts-1:0]       last_o,         // last word of a frame
  output logic      [NumPorts*FillW-1:0] fill_o,         // valid bytes of the last word; 0 for all
  input  wire logic [NumPorts-1:0]       pop_i,          // the word is taken
  output logic      [NumPorts*WordsW-1:0] frames_o,      // frames in each queue
  // Counts: one frame each, on the bit of the named port, a cycle after the decision.
  output logic      [NumPorts-1:0]       full_o,         // dropped on arrival, by wanted port
  output logic      [NumPorts-1:0]       evicted_o,      // dropped after waiting, by the port it waited at
  output logic      [NumPorts-1:0]       detour_from_o,  // moved, by the port it wanted or waited at
  output logic      [NumPorts-1:0]       detour_to_o,    // moved, by the port chosen
  output logic      [NumPorts-1:0]       mark_o          // marks, by the port chosen
);

  localparam Slots  = 1 << SlotW;
  localparam Places = (Slots - 4) / NumPorts;  // frames that may wait at a port, the one being sent included
  localparam CountW = $clog2(Places + 1);
  localparam WordW  = PathW + FillW + 1;
  localparam DataW  = SlotW + 2;               // slot, ECN-capable and unmarked, marked
  localparam Bytes  = PathW / 8;

`ifdef FORMAL
  (* anyconst *) wire [SlotW-1:0] f_one;  // any slot
  reg                f_past_q = 1'b0;     // there was a clock edge before this one
  reg [LongW:0]      f_words_q;           // words of the frame being written
  wire [NumPorts-1:0] f_in, f_sent;
`endif

  // Free slots; the lowest of them a cycle ago, which suffices as long as no frame begins again.
  reg  [Slots-1:0] free_q;
  reg  [SlotW-1:0] next_q, slot_q;
  reg              begun_q;                    // slot_q is being written
  reg  [LongW-1:0] at_q;                       // next word of the slot
  wire [SlotW-1:0] slot  = begun_q ? slot_q : next_q;
  wire             begin_one = valid_i && !begun_q;
  wire             ends  = valid_i && last_i;
  wire             lost_one, sent_one;         // a slot is freed: of a frame that is dropped, or was sent
  wire [SlotW-1:0] lost_slot, sent_slot;

  reg [SlotW-1:0] lowest;
  integer s;
  always_comb begin
    lowest = {SlotW{1'b0}};
    for (s = Slots - 1; s >= 0; s = s - 1) if (free_q[s]) lowest = s[SlotW-1:0];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      free_q  <= {Slots{1'b1}};
      next_q  <= {SlotW{1'b0}};
      begun_q <= 1'b0;
      at_q    <= {LongW{1'b0}};
    end else begin
      next_q <= lowest;
      if (begin_one) free_q[next_q] <= 1'b0;
      if (lost_one) free_q[lost_slot] <= 1'b1;
      if (sent_one) free_q[sent_slot] <= 1'b1;
      if (valid_i) begin
        begun_q <= !last_i;
        at_q    <= last_i ? {LongW{1'b0}} : at_q + 1'b1;
      end
    end
    if (begin_one) slot_q <= next_q;
  end

  // Frame to be decided now.
  reg                decide_q, able_q;
  reg [NumPorts-1:0] want_q;
  reg [RankW-1:0]    rank_q;
  reg [SlotW-1:0]    came_q;

  always_ff @(posedge clk_i) begin
    decide_q <= rst_ni && ends;
    want_q   <= dest_i;
    rank_q   <= rank_i;
    able_q   <= able_i;
    came_q   <= slot;
  end

  // Current queues.
  wire [NumPorts-1:0]        waits, fits, reach;
  wire [NumPorts*WordsW-1:0] depth;
  wire [NumPorts*RankW-1:0]  tails;
  wire [DataW-1:0]           tail_data [0:NumPorts-1];
  wire [DataW-1:0]           head_data [0:NumPorts-1];
  reg  [NumPorts-1:0]        sending_q;        // bit p: port p sends a frame

  // Two draws for each frame that does not fit, as in detour_decision with Dibs 3.
  wire [31:0]      draw_1, draw_2;
  wire             enqueue, evict, move, squeeze, lost;
  wire [PortW-1:0] target_port;
  wire             want_fits = (want_q & fits) != {NumPorts{1'b0}};
  wire             next_draw = decide_q && vertigo_i && !want_fits;
  reg  [PortW-1:0] want_port;
  integer w;
  always_comb begin
    want_port = {PortW{1'b0}};
    for (w = 0; w < NumPorts; w = w + 1) if (want_q[w]) want_port = w[PortW-1:0];
  end

  lfsr i_draw_1 (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .seed_we_i (seed_we_i),
    .seed_i    (seed_i),
    .step_i    (next_draw),
    .draw_o    (draw_1)
  );

  lfsr #(.Seed(32'h5eed_0002)) i_draw_2 (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .seed_we_i (seed_we_i),
    .seed_i    ({seed_i[15:0], ~seed_i[31:16]}),
    .step_i    (next_draw),
    .draw_o    (draw_2)
  );

  vertigo_deflect #(
    .NumPorts(NumPorts), .PortW(PortW), .RankW(RankW), .DepthW(WordsW), .DrawW(32)
  ) i_deflect (
    .rank_i    (rank_q),
    .want_i    (want_port),
    .fits_i    (fits),
    .switch_i  (to_switch_i),
    .depth_i   (depth),
    .tail_i    (tails),
    .draw_1_i  (draw_1),
    .draw_2_i  (draw_2),
    .enqueue_o (enqueue),
    .evict_o   (evict),
    .move_o    (move),
    .target_o  (target_port),
    .squeeze_o (squeeze),
    .lost_o    (lost)
  );

  // Changes of the queues. Never two to one queue: a queue that evicts a packet never takes back one of equal rank.
  wire [NumPorts-1:0] one    = {{(NumPorts-1){1'b0}}, 1'b1};
  wire [NumPorts-1:0] target = one << target_port;
  wire                joins  = decide_q && (vertigo_i ? enqueue : want_fits);
  wire                leaves = decide_q && vertigo_i && evict;           // a waiting frame leaves
  wire                moves  = decide_q && vertigo_i && move;
  wire                squeezes = decide_q && vertigo_i && squeeze;
  wire                drops  = decide_q && (vertigo_i ? lost : !want_fits);

  wire [NumPorts-1:0] push_want   = want_q & {NumPorts{joins}};
  wire [NumPorts-1:0] push_target = target & {NumPorts{moves}};
  wire [NumPorts-1:0] out_want    = want_q & {NumPorts{leaves}};
  wire [NumPorts-1:0] out_target  = target & {NumPorts{squeezes}};

  reg [DataW-1:0] evicted_data, squeezed_data;
  reg [RankW-1:0] evicted_rank;
  integer v;
  always_comb begin
    evicted_data  = {DataW{1'b0}};
    evicted_rank  = {RankW{1'b0}};
    squeezed_data = {DataW{1'b0}};
    for (v = 0; v < NumPorts; v = v + 1) begin
      evicted_data  = evicted_data | ({DataW{want_q[v]}} & tail_data[v]);
      evicted_rank  = evicted_rank | ({RankW{want_q[v]}} & tails[v*RankW +: RankW]);
      squeezed_data = squeezed_data | ({DataW{target[v]}} & tail_data[v]);
    end
  end

  wire             mark_want   = (want_q & reach) != {NumPorts{1'b0}};
  wire             mark_target = (target & reach) != {NumPorts{1'b0}};
  wire [DataW-1:0] arrival     = {1'b0, able_q, came_q};
  wire [DataW-1:0] victim      = leaves ? evicted_data : arrival;
  wire [RankW-1:0] victim_rank = leaves ? evicted_rank : rank_q;

  // Bits of a frame's data: SlotW + 1, it is marked; SlotW, it is ECN-capable and not marked.
  function automatic [DataW-1:0] marked(input [DataW-1:0] data, input mark);
    marked = mark && data[SlotW] ? {2'b10, data[SlotW-1:0]} : data;
  endfunction

  assign lost_one  = drops || squeezes;
  assign lost_slot = squeezes ? squeezed_data[SlotW-1:0] : victim[SlotW-1:0];

  always_ff @(posedge clk_i) begin
    full_o        <= want_q & {NumPorts{rst_ni && drops && !leaves}};
    evicted_o     <= (want_q & {NumPorts{rst_ni && drops && leaves}}) | (out_target & {NumPorts{rst_ni}});
    detour_from_o <= want_q & {NumPorts{rst_ni && moves}};
    detour_to_o   <= push_target & {NumPorts{rst_ni}};
    mark_o        <= (push_want & {NumPorts{rst_ni && mark_want && able_q}})
                   | (push_target & {NumPorts{rst_ni && mark_target && victim[SlotW]}});
  end

  // Memory. In turn, each port may read the next word of the frame that it sends.
  reg  [NumPorts-1:0]       turn_q;      // port whose turn it is, one bit
  reg  [NumPorts-1:0]       reading_q;   // port whose word the memory outputs
  reg  [SlotW-1:0]          read_slot_q;
  reg  [LongW-1:0]          read_at_q;
  reg                       read_mark_q;
  wire [NumPorts-1:0]       can_read;
  wire [NumPorts-1:0]       read = turn_q & can_read;
  wire [SlotW-1:0]          slot_of [0:NumPorts-1];
  wire [LongW-1:0]          at_of   [0:NumPorts-1];
  wire [NumPorts-1:0]       mark_of;
  wire [WordW-1:0]          answer;
  wire                      header_inner;
  wire [15:0]               header_checksum;

  reg [SlotW-1:0] read_slot;
  reg [LongW-1:0] read_at;
  integer q;
  always_comb begin
    read_slot = {SlotW{1'b0}};
    read_at   = {LongW{1'b0}};
    for (q = 0; q < NumPorts; q = q + 1) begin
      read_slot = read_slot | ({SlotW{turn_q[q]}} & slot_of[q]);
      read_at   = read_at | ({LongW{turn_q[q]}} & at_of[q]);
    end
  end

  ram_sdp #(.Width(WordW), .AddrW(SlotW + LongW)) i_memory (
    .clk_i   (clk_i),
    .we_i    (valid_i),
    .waddr_i ({slot, at_q}),
    .wdata_i ({last_i, fill_i, data_i}),
    .re_i    (|read),
    .raddr_i ({read_slot, read_at}),
    .rdata_o (answer)
  );

  // Place of the header, and its checksum with a mark.
  ram_sdp #(.Width(17), .AddrW(SlotW)) i_headers (
    .clk_i   (clk_i),
    .we_i    (ends),
    .waddr_i (slot),
    .wdata_i ({inner_i, checksum_i}),
    .re_i    (|read),
    .raddr_i (read_slot),
    .rdata_o ({header_inner, header_checksum})
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      turn_q    <= {{(NumPorts-1){1'b0}}, 1'b1};
      reading_q <= {NumPorts{1'b0}};
    end else begin
      turn_q    <= {turn_q[NumPorts-2:0], turn_q[NumPorts-1]};
      reading_q <= read;
    end
    read_slot_q <= read_slot;
    read_at_q   <= read_at;
    read_mark_q <= |(turn_q & mark_of);
  end

  // The mark, and its checksum.
  wire                   answer_last = answer[WordW-1];
  wire [PathW-1:0]       answer_data = answer[PathW-1:0];
  wire [31:0]            first_byte  = {{(32-LongW){1'b0}}, read_at_q} << $clog2(Bytes);  // number of this word's first byte in the frame
  wire [31:0]            header      = header_inner ? 32'd21 : 32'd14;
  reg  [PathW-1:0]       rewritten;
  integer b;
  always_comb begin
    rewritten = answer_data;
    for (b = 0; b < Bytes; b = b + 1) begin
      if (read_mark_q && first_byte + b == header + 1)  rewritten[b*8 +: 2] = 2'b11;
      if (read_mark_q && first_byte + b == header + 10) rewritten[b*8 +: 8] = header_checksum[15:8];
      if (read_mark_q && first_byte + b == header + 11) rewritten[b*8 +: 8] = header_checksum[7:0];
    end
  end

  assign sent_one  = |reading_q && answer_last;
  assign sent_slot = read_slot_q;

  genvar p;
  generate
    for (p = 0; p < NumPorts; p = p + 1) begin : g_queue
      wire [CountW-1:0] count;
      wire              pop_head = waits[p] && !sending_q[p] && !decide_q;

      rank_queue #(.Entries(Places), .CountW(CountW), .RankW(RankW), .DataW(DataW)) i_ranks (
        .clk_i       (clk_i),
        .rst_ni      (rst_ni),
        .push_i      (push_want[p] || push_target[p]),
        .rank_i      (push_want[p] ? rank_q : victim_rank),
        .data_i      (push_want[p] ? marked(arrival, mark_want) : marked(victim, mark_target)),
        /* verilator lint_off PINCONNECTEMPTY */
        .ready_o     (),
        .head_rank_o (),
        /* verilator lint_on PINCONNECTEMPTY */
        .pop_i       (out_want[p] || out_target[p] || pop_head),
        .largest_i   (decide_q),
        .valid_o     (waits[p]),
        .head_data_o (head_data[p]),
        .tail_rank_o (tails[p*RankW +: RankW]),
        .tail_data_o (tail_data[p]),
        .count_o     (count)
      );

      wire [WordsW-1:0] frames = {{(WordsW-CountW){1'b0}}, count} + {{(WordsW-1){1'b0}}, sending_q[p]};
      assign depth[p*WordsW +: WordsW] = frames;
      assign fits[p]  = frames < limit_frames_i && frames < Places[WordsW-1:0];
      assign reach[p] = frames >= mark_at_i;

      // Frame being sent.
      reg [SlotW-1:0] slot_sent_q;
      reg [LongW-1:0] at_sent_q;
      reg             mark_sent_q;

      always_ff @(posedge clk_i) begin
        if (!rst_ni) sending_q[p] <= 1'b0;
        else if (pop_head) sending_q[p] <= 1'b1;
        else if (reading_q[p] && answer_last) sending_q[p] <= 1'b0;
        if (pop_head) begin
          slot_sent_q <= head_data[p][SlotW-1:0];
          mark_sent_q <= head_data[p][SlotW+1];
          at_sent_q   <= {LongW{1'b0}};
        end else if (read[p]) begin
          at_sent_q   <= at_sent_q + 1'b1;
        end
      end

      assign slot_of[p] = slot_sent_q;
      assign at_of[p]   = at_sent_q;
      assign mark_of[p] = mark_sent_q;

      // Two words wait at the port, so that a link takes one in each of its turns.
      reg [WordW-1:0] front_q, second_q;
      reg             front_valid_q, second_valid_q;

      wire step = !front_valid_q || pop_i[p];

      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          front_valid_q  <= 1'b0;
          second_valid_q <= 1'b0;
        end else begin
          if (step) front_valid_q <= second_valid_q;
          second_valid_q <= reading_q[p] || (second_valid_q && !step);
        end
      end

      always_ff @(posedge clk_i) begin
        if (step) front_q <= second_q;
        if (reading_q[p]) second_q <= {answer[WordW-1:PathW], rewritten};
      end

      // A turn comes again after the answer of the last one: no read is under way now.
      assign can_read[p] = sending_q[p] && (!second_valid_q || step);

`ifdef FORMAL
      // Is the slot f_one in this queue, as far as its inputs and outputs show?
      reg f_in_q;
      wire push_p = push_want[p] || push_target[p];
      wire [SlotW-1:0] f_pushed = push_want[p] ? arrival[SlotW-1:0] : victim[SlotW-1:0];
      wire [SlotW-1:0] f_popped = decide_q ? tail_data[p][SlotW-1:0] : head_data[p][SlotW-1:0];
      wire f_pops = (out_want[p] || out_target[p] || pop_head) && waits[p];
      always_ff @(posedge clk_i) begin
        if (!rst_ni) f_in_q <= 1'b0;
        else if (push_p && f_pushed == f_one) f_in_q <= 1'b1;
        else if (f_pops && f_popped == f_one) f_in_q <= 1'b0;
      end
      assign f_in[p]   = f_in_q;
      assign f_sent[p] = sending_q[p] && slot_sent_q == f_one;
      always_comb begin
        if (f_past_q) begin
          assume (!pop_i[p] || valid_o[p]);
          // Never more frames than places; never two pushes or two pops in one cycle; a push has room.
          assert (frames <= Places);
          assert (!(push_want[p] && push_target[p]) && !(out_want[p] && out_target[p]));
          assert (!push_p || count < Places || f_pops);
        end
      end
`endif

      assign valid_o[p] = front_valid_q;
      assign {last_o[p], fill_o[p*FillW +: FillW], data_o[p*PathW +: PathW]} = front_q;
    end
  endgenerate

  assign frames_o = depth;

`ifdef FORMAL
  integer f;
  reg [3:0] f_places;
  always_comb begin
    f_places = {3'h0, free_q[f_one]} + {3'h0, begun_q && slot_q == f_one} + {3'h0, decide_q && came_q == f_one};
    for (f = 0; f < NumPorts; f = f + 1) f_places = f_places + {3'h0, f_in[f]} + {3'h0, f_sent[f]};
  end

  always_ff @(posedge clk_i) begin
    f_past_q <= 1'b1;
    if (!rst_ni) f_words_q <= 0;
    else if (valid_i) f_words_q <= last_i ? 0 : f_words_q + 1'b1;
  end
  always_comb begin
    if (!f_past_q) assume (!rst_ni);
    assume (dest_i != 0 && (dest_i & (dest_i - 1'b1)) == 0);
    // Frames have at least two words and at most those of a slot.
    if (valid_i && f_words_q == 0) assume (!last_i);
    if (valid_i && f_words_q == (1 << LongW) - 1) assume (last_i);
    if (f_past_q) begin
      a_frame_begins_in_a_free_slot: assert (!begin_one || free_q[next_q]);
      each_slot_is_in_one_place:     assert (f_places == 1);
    end
  end
  always_ff @(posedge clk_i) if (f_past_q && rst_ni) begin
    cover_moved:    cover (leaves && moves);
    cover_squeezed: cover (squeezes);
    cover_sent:     cover (sent_one && lost_one);
  end
`endif

endmodule

`default_nettype wire
