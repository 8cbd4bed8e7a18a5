// SPDX-License-Identifier: MIT OR Apache-2.0
// What becomes of a frame: a queue, marked or not, or a drop and its reason.
//
// Decision    dropped when malformed, when its time to live ends, when its destination leads nowhere,
//             when no queue will take it; the first that holds counts. Else to the queue that
//             detour_decision chooses. Marked, where it can be, when it is detoured or when the queue
//             it wanted is long.
// State       the draw of detour_decision.
// Latency     take_o none: the queues count the frame in while it decides. Verdict and counts stand in
//             registers a cycle later.
// Source      Zarifis et al., EuroSys 2014, section 5.3 (a queue of K packets marks; so do all
//             detours); RFC 3168 for what can be marked, RFC 1812 for the time to live.
// Deviations  a detoured frame is marked by its detour and by the queue it wanted; the queue it goes
//             to does not mark it a second time.

`default_nettype none

module frame_verdict #(
  parameter NumPorts = 4,   // ports; 2 to 16
  parameter PortW    = 2,   // bits of a port number
  parameter WordsW   = 12,  // bits of a queue's length
  parameter DrawW    = 32,  // bits of a draw
  parameter Dibs     = 1    // 1: detours by detour_pick; 2: by detour_first_open; 3: as buffer_i says; 0: none
) (
  input  wire logic                clk_i,          // clock
  input  wire logic                rst_ni,         // reset, active low, synchronous
  input  wire logic                seed_we_i,      // take a new seed for the draws
  input  wire logic [31:0]         seed_i,         // the seed
  // The frame that decides now.
  input  wire logic                valid_i,        // there is one
  input  wire logic                malformed_i,    // it says it is IPv4 and is not sound
  input  wire logic                ttl_i,          // its time to live ends here
  input  wire logic                no_entry_i,     // its destination leads nowhere
  input  wire logic                ip_i,           // it is an IPv4 packet
  input  wire logic [1:0]          ecn_i,          // its ECN field
  input  wire logic [NumPorts-1:0] ingress_i,      // the port it came in by, one bit
  input  wire logic [NumPorts-1:0] want_i,         // the port it wants, one bit
  input  wire logic [PortW-1:0]    want_port_i,    // the same, as a number
  input  wire logic [NumPorts-1:0] allowed_i,      // bit p: it may be detoured to port p
  // The queues.
  input  wire logic [NumPorts-1:0] fits_i,         // bit p: it fits in queue p
  input  wire logic [NumPorts-1:0] reach_i,        // bit p: queue p is so long that it marks
  input  wire logic [NumPorts*WordsW-1:0] depth_i, // frames in each queue now, port 0 lowest
  input  wire logic [5:0]          rank_i,         // its class of service; 0 where it has none
  input  wire logic [11:0]         hash_i,         // of its flow
  input  wire logic [31:0]         buffer_i,       // register BUFFER; with Dibs 3, as the three above and EARLY
  input  wire logic [31:0]         early_i,        // register EARLY
  output logic      [NumPorts-1:0] take_o,         // bit p: it takes the room in queue p
  // Its verdict, a cycle later.
  output logic                     drop_o,         // it is dropped
  output logic                     mark_o,         // it leaves with the mark of congestion
  output logic      [NumPorts-1:0] dest_o,         // its queue, one bit; meaningful when !drop_o
  // Counts, a cycle later: one frame each, on the bit of the port named.
  output logic      [NumPorts-1:0] malformed_o,    // dropped: by the port it came in
  output logic      [NumPorts-1:0] ttl_o,          // dropped: by the port it came in
  output logic      [NumPorts-1:0] no_entry_o,     // dropped: by the port it came in
  output logic      [NumPorts-1:0] full_o,         // dropped: by the port it wanted
  output logic      [NumPorts-1:0] detour_from_o,  // detoured: by the port it wanted
  output logic      [NumPorts-1:0] detour_to_o,    // detoured: by the port it goes to
  output logic      [NumPorts-1:0] marked_o        // marked now, not before: by the port it goes to
);

  wire alive = valid_i && !malformed_i && !ttl_i && !no_entry_i;

  wire                full, detour;
  wire [NumPorts-1:0] choice;

  detour_decision #(.NumPorts(NumPorts), .PortW(PortW), .WordsW(WordsW), .DrawW(DrawW), .Dibs(Dibs)) i_decision (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .seed_we_i   (seed_we_i),
    .seed_i      (seed_i),
    .alive_i     (alive),
    .want_i      (want_i),
    .want_port_i (want_port_i),
    .fits_i      (fits_i),
    .allowed_i   (allowed_i),
    .depth_i     (depth_i),
    .rank_i      (rank_i),
    .hash_i      (hash_i),
    .buffer_i    (buffer_i),
    .early_i     (early_i),
    .full_o      (full),
    .detour_o    (detour),
    .choice_o    (choice)
  );

  wire keep = alive && !full;
  wire mark = detour || |(want_i & reach_i);

  assign take_o = keep ? choice : {NumPorts{1'b0}};

  reg                drop_q, mark_q;
  reg [NumPorts-1:0] dest_q;

  always_ff @(posedge clk_i) begin
    drop_q <= !keep;
    dest_q <= choice;
    mark_q <= mark && ip_i && ecn_i != 2'b00;

    malformed_o   <= ingress_i & {NumPorts{rst_ni && valid_i && malformed_i}};
    ttl_o         <= ingress_i & {NumPorts{rst_ni && valid_i && !malformed_i && ttl_i}};
    no_entry_o    <= ingress_i & {NumPorts{rst_ni && valid_i && !malformed_i && !ttl_i && no_entry_i}};
    full_o        <= want_i & {NumPorts{rst_ni && alive && full}};
    detour_from_o <= want_i & {NumPorts{rst_ni && alive && detour}};
    detour_to_o   <= choice & {NumPorts{rst_ni && alive && detour}};
    marked_o      <= choice & {NumPorts{rst_ni && keep && mark && ip_i && ecn_i != 2'b00 && ecn_i != 2'b11}};
  end

  assign drop_o = drop_q;
  assign mark_o = mark_q;
  assign dest_o = dest_q;

`ifdef FORMAL
  reg past_q = 1'b0;  // there was a clock edge before this one
  always_ff @(posedge clk_i) past_q <= 1'b1;

  // What a register may say else: no detours at all, or some of what would fit.
  wire       f_detours = Dibs == 3 ? buffer_i[2:0] != 3'd0 && buffer_i[2:0] <= 3'd5 : Dibs != 0;
  wire       f_early   = Dibs == 3 && buffer_i[2:0] == 3'd5 && early_i[31:16] > early_i[15:0] && rank_i > buffer_i[13:8];
  wire [4:0] f_reasons = {|malformed_o, |ttl_o, |no_entry_o, |full_o, !drop_o};

  always_comb begin
    // What wanted_port and the lookup keep.
    if (!past_q) assume (!rst_ni);
    assume (ingress_i != 0 && (ingress_i & (ingress_i - 1'b1)) == 0);
    assume (!valid_i || no_entry_i || (want_port_i < NumPorts && want_i == {{(NumPorts-1){1'b0}}, 1'b1} << want_port_i));
    if (past_q) begin
      room_is_taken_once:                 assert ((take_o & (take_o - 1'b1)) == 0);
      room_is_taken_where_the_frame_fits: assert ((take_o & ~fits_i) == 0);
      no_room_for_what_is_dropped_anyway: assert (take_o == 0 || alive);
      the_wanted_port_where_it_fits:      assert (!alive || (want_i & fits_i) == 0 || take_o == want_i || f_early);
      elsewhere_only_where_it_may:        assert ((take_o & ~want_i & ~allowed_i) == 0);
      dropped_only_when_nothing_is_open:  assert (!alive || take_o != 0 || (fits_i & (want_i | (f_detours ? allowed_i : 0))) == 0);
    end
  end

  always_ff @(posedge clk_i) begin
    // No frame decides in the cycle after a reset.
    if (past_q && !$past(rst_ni)) assume (!valid_i);
    if (past_q && $past(rst_ni)) begin
      if ($past(valid_i)) begin
        one_fate:                   assert (f_reasons != 0 && (f_reasons & (f_reasons - 1'b1)) == 0);
        kept_where_room_was_taken:  assert (drop_o ? $past(take_o) == 0 : dest_o == $past(take_o));
        malformed_counts_first:     assert (!$past(malformed_i) || malformed_o == $past(ingress_i));
        a_detour_has_two_ends:      assert ((detour_from_o == 0) == (detour_to_o == 0));
        a_detour_is_what_went_elsewhere:
          assert ((detour_to_o != 0) == (!drop_o && dest_o != $past(want_i)));
        a_detour_is_marked_where_it_can_be:
          assert (detour_to_o == 0 || !$past(ip_i) || $past(ecn_i) == 2'b00 || mark_o);
        only_what_can_be_marked:    assert (!mark_o || ($past(ip_i) && $past(ecn_i) != 2'b00));
        a_mark_is_counted_once:     assert (marked_o == (!drop_o && mark_o && $past(ecn_i) != 2'b11 ? dest_o : 0));
      end else begin
        nothing_is_counted_twice:   assert ({malformed_o, ttl_o, no_entry_o, full_o, detour_from_o, detour_to_o, marked_o} == 0);
      end
    end
  end
`endif

endmodule

`default_nettype wire
