// SPDX-License-Identifier: MIT OR Apache-2.0
// Verdict on a frame: a queue, marked or not, or a drop and its reason.
//
// Decision    dropped if malformed, if its time to live ends, if there is no route
//             to its destination, or if no queue has room; the first reason counts.
//             Else sent to the queue that detour_decision chooses. Marked, if
//             ECN-capable, when it is detoured or when the queue it wanted is long.
// State       the draw of detour_decision.
// Latency     take_o none: the queues count the frame while it decides.
//             Verdict and counts are in registers a cycle later.
// Source      Zarifis et al., EuroSys 2014, section 5.3 (a queue of K packets marks; so do all
//             detours); RFC 3168 for the packets that can be marked, RFC 1812 for the time to live.
// Deviations  a detoured frame is marked by its detour and by the queue
//             it wanted; the queue that it joins does not mark it again.

`default_nettype none

module frame_verdict #(
  parameter NumPorts = 4,   // ports; 2 to 16
  parameter PortW    = 2,   // bits of a port number
  parameter WordsW   = 12,  // bits of a queue's length
  parameter DrawW    = 32,  // bits of a draw
  parameter Dibs     = 1    // 1: detours by detour_pick; 2: by detour_first_open; 3: as selected by buffer_i; 0: none
) (
  input  wire logic                clk_i,          // clock
  input  wire logic                rst_ni,         // reset, active low, synchronous
  input  wire logic                seed_we_i,      // load a new seed for the draws
  input  wire logic [31:0]         seed_i,         // the seed
  // Frame that decides now.
  input  wire logic                valid_i,        // a frame is there
  input  wire logic                malformed_i,    // the EtherType is IPv4, but the packet is not sound
  input  wire logic                ttl_i,          // the time to live ends here
  input  wire logic                no_entry_i,     // there is no route to the destination
  input  wire logic                ip_i,           // the frame is an IPv4 packet
  input  wire logic [1:0]          ecn_i,          // the ECN field
  input  wire logic [NumPorts-1:0] ingress_i,      // ingress port, one bit
  input  wire logic [NumPorts-1:0] want_i,         // wanted port, one bit
  input  wire logic [PortW-1:0]    want_port_i,    // wanted port, as a number
  input  wire logic [NumPorts-1:0] allowed_i,      // bit p: a detour to port p is allowed
  // Queues.
  input  wire logic [NumPorts-1:0] fits_i,         // bit p: the frame fits in queue p
  input  wire logic [NumPorts-1:0] reach_i,        // bit p: queue p is long enough to mark
  input  wire logic [NumPorts*WordsW-1:0] depth_i, // frames in each queue now, port 0 lowest
  input  wire logic [5:0]          rank_i,         // class of service; 0 if it has none
  input  wire logic [11:0]         hash_i,         // hash of the flow
  input  wire logic [31:0]         buffer_i,       // register BUFFER; with Dibs 3, as the three above and EARLY
  input  wire logic [31:0]         early_i,        // register EARLY
  output logic      [NumPorts-1:0] take_o,         // bit p: the frame takes room in queue p
  // Verdict, a cycle later.
  output logic                     drop_o,         // the frame is dropped
  output logic                     mark_o,         // the frame leaves with a congestion mark
  output logic      [NumPorts-1:0] dest_o,         // queue of the frame, one bit; meaningful when !drop_o
  // Counts, a cycle later: one frame each, on the bit of the port named.
  output logic      [NumPorts-1:0] malformed_o,    // drops, by ingress port
  output logic      [NumPorts-1:0] ttl_o,          // drops, by ingress port
  output logic      [NumPorts-1:0] no_entry_o,     // drops, by ingress port
  output logic      [NumPorts-1:0] full_o,         // drops, by wanted port
  output logic      [NumPorts-1:0] detour_from_o,  // detours, by wanted port
  output logic      [NumPorts-1:0] detour_to_o,    // detours, by the port chosen
  output logic      [NumPorts-1:0] marked_o        // marked here, not before, by the port chosen
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

  // A register may instead select no detours, or detours of some frames that would fit.
  wire       f_detours = Dibs == 3 ? buffer_i[2:0] != 3'd0 && buffer_i[2:0] <= 3'd5 : Dibs != 0;
  wire       f_early   = Dibs == 3 && buffer_i[2:0] == 3'd5 && early_i[31:16] > early_i[15:0] && rank_i > buffer_i[13:8];
  wire [4:0] f_reasons = {|malformed_o, |ttl_o, |no_entry_o, |full_o, !drop_o};

  always_comb begin
    // Properties that wanted_port and the lookup guarantee.
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
