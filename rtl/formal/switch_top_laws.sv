// SPDX-License-Identifier: MIT OR Apache-2.0
// The whole switch: each output frame is an input frame, whole and once; each frame leaves or is counted; ready returns.
//
// switch_top_laws is bound to the switch and reads its links and its counts. Bytes 2 and
// 3 of every word, where nothing is rewritten, have the port and the number of its frame
// and its index in it. Any one frame is watched more closely: port f_port, number f_n.
//
// switch_world is its environment: two senders and two receivers, free within AXI4-Stream. Frames have the
// bytes that decide something, and zeros or constants elsewhere, for the solver: IPv4 or not, sound or not,
// a time to live that ends or not, ECN-capable or not, of one word to three, full or not, broken or not.
// They send at most Words words, all of them in the first Window cycles, so that the end of each is seen.

`default_nettype none

module switch_top_laws #(
  parameter NumPorts = 2,
  parameter LinkW    = 512,
  parameter Latency  = 26,   // cycles of an idle switch from a frame's last beat in to its first out, with a margin
  parameter MaxWords = 2     // words of the longest sound frame
) (
  input wire logic                        clk_i,
  input wire logic                        rst_ni,
  input wire logic [NumPorts*LinkW-1:0]   s_axis_tdata_i,
  input wire logic [NumPorts*LinkW/8-1:0] s_axis_tkeep_i,
  input wire logic [NumPorts-1:0]         s_axis_tlast_i,
  input wire logic [NumPorts-1:0]         s_axis_tuser_i,
  input wire logic [NumPorts-1:0]         s_axis_tvalid_i,
  input wire logic [NumPorts-1:0]         s_axis_tready_o,
  input wire logic [NumPorts*LinkW-1:0]   m_axis_tdata_o,
  input wire logic [NumPorts*LinkW/8-1:0] m_axis_tkeep_o,
  input wire logic [NumPorts-1:0]         m_axis_tlast_o,
  input wire logic [NumPorts-1:0]         m_axis_tvalid_o,
  input wire logic [NumPorts-1:0]         m_axis_tready_i,
  input wire logic [NumPorts-1:0]         bad,
  input wire logic [NumPorts-1:0]         malformed,
  input wire logic [NumPorts-1:0]         ttl,
  input wire logic [NumPorts-1:0]         no_entry,
  input wire logic [NumPorts-1:0]         full,
  input wire logic [NumPorts-1:0]         detour_from
);

  localparam CountW = 5;
  localparam TagW   = 6;   // the frame's port, 3 bits of its number, 2 of the word's place

  wire       f_port;
  wire [2:0] f_n;
  any_number #(.Width(4)) i_frame (.number_o({f_port, f_n}));

  reg              f_in_whole;        // the watched frame is in, and sound as far as a link can tell
  reg              f_in_long;         // it has a second word
  reg [LinkW/8-1:0] f_in_keep;        // valid bytes of its last word
  reg              f_begun, f_ended;  // it has begun to leave, and has left
  reg [CountW-1:0] f_came, f_went, f_dropped;
  reg [CountW:0]   f_words;           // words taken since the switch was empty
  reg [6:0]        f_quiet;           // cycles without a word offered, while all outputs accept beats

  reg              detour_seen, full_seen;

  function automatic [CountW-1:0] ones(input [NumPorts-1:0] bits);
    integer i;
    begin
      ones = 0;
      for (i = 0; i < NumPorts; i = i + 1) ones = ones + {{(CountW-1){1'b0}}, bits[i]};
    end
  endfunction

  wire [NumPorts-1:0] f_fire_in  = s_axis_tvalid_i & s_axis_tready_o;
  wire [NumPorts-1:0] f_fire_out = m_axis_tvalid_o & m_axis_tready_i;
  wire [CountW-1:0]   f_inside   = f_came - f_went - f_dropped;
  wire                f_settled  = f_quiet >= Latency + f_words;

  genvar p;
  generate
    for (p = 0; p < NumPorts; p = p + 1) begin : g_port
      wire [TagW-1:0] in_tag  = s_axis_tdata_i[p*LinkW+16 +: TagW];
      wire [TagW-1:0] out_tag = m_axis_tdata_o[p*LinkW+16 +: TagW];
      wire            watched_in  = in_tag[TagW-1:2] == {f_port, f_n};
      wire            watched_out = out_tag[TagW-1:2] == {f_port, f_n};

      reg [TagW-1:0] last_tag;  // tag of the last word that left by this port
      reg            amid;      // more words of its frame follow
      reg [3:0]      next [0:1];  // for each input port, the first frame that may still leave here

      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          amid    <= 1'b0;
          next[0] <= 4'd0;
          next[1] <= 4'd0;
        end else begin
          if (f_fire_out[p]) begin
            amid     <= !m_axis_tlast_o[p];
            last_tag <= out_tag;
            if (amid) begin
              no_word_of_another_between: assert (out_tag[TagW-1:2] == last_tag[TagW-1:2] && out_tag[1:0] == last_tag[1:0] + 1'b1);
            end else begin
              begins_with_its_first_word: assert (out_tag[1:0] == 2'd0);
              in_order_and_never_twice:   assert ({1'b0, out_tag[4:2]} >= next[out_tag[5]]);
              next[out_tag[5]] <= {1'b0, out_tag[4:2]} + 1'b1;
            end
            if (watched_out) begin
              came_before_it_leaves: assert (f_in_whole);
              leaves_once_by_one_port: assert (amid ? f_begun : !f_begun);
              no_word_lost: assert (m_axis_tlast_o[p] == (out_tag[0] == f_in_long) && out_tag[1] == 1'b0);
              no_byte_lost: assert (m_axis_tkeep_o[p*LinkW/8 +: LinkW/8] == (m_axis_tlast_o[p] ? f_in_keep : {LinkW/8{1'b1}}));
            end
          end
        end
      end
    end
  endgenerate

  wire [NumPorts-1:0] f_watched_in, f_watched_out;
  generate
    for (p = 0; p < NumPorts; p = p + 1) begin : g_watched
      assign f_watched_in[p]  = f_fire_in[p] && g_port[p].watched_in;
      assign f_watched_out[p] = f_fire_out[p] && g_port[p].watched_out;
    end
  endgenerate

  integer i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      f_in_whole <= 1'b0;
      f_begun    <= 1'b0;
      f_ended    <= 1'b0;
      f_came     <= 0;
      f_went     <= 0;
      f_dropped  <= 0;
      f_words    <= 0;
      f_quiet    <= 0;
    end else begin
      for (i = 0; i < NumPorts; i = i + 1) begin
        if (f_watched_in[i] && s_axis_tlast_i[i]) begin
          f_in_whole <= !s_axis_tuser_i[i] && s_axis_tdata_i[i*LinkW+17] == 1'b0;
          f_in_long  <= s_axis_tdata_i[i*LinkW+16];
          f_in_keep  <= s_axis_tkeep_i[i*LinkW/8 +: LinkW/8];
        end
        if (f_watched_out[i]) f_begun <= 1'b1;
        if (f_watched_out[i] && m_axis_tlast_o[i]) f_ended <= 1'b1;
      end
      f_came    <= f_came + ones(f_fire_in & s_axis_tlast_i);
      f_went    <= f_went + ones(f_fire_out & m_axis_tlast_o);
      f_dropped <= f_dropped + ones(bad) + ones(malformed) + ones(ttl) + ones(no_entry) + ones(full);
      f_words   <= f_inside == 0 && f_fire_in == 0 ? 0 : f_words + ones(f_fire_in);
      f_quiet   <= s_axis_tvalid_i != 0 || m_axis_tready_i != {NumPorts{1'b1}} ? 0 : f_quiet == 7'd127 ? f_quiet : f_quiet + 1'b1;
      none_leaves_or_counts_twice: assert (f_came >= f_went + f_dropped);
      each_leaves_or_is_counted:   assert (!f_settled || f_inside == 0);
      ready_returns:               assert (!f_settled || s_axis_tready_o == {NumPorts{1'b1}});
      a_long_one_leaves:      cover (f_ended && f_in_long);
      a_detour_leaves:        cover (f_ended && f_went == 2 && detour_seen);
      one_leaves_one_is_full: cover (f_ended && full_seen && f_went == 1);
    end
  end

  always_ff @(posedge clk_i) begin
    detour_seen <= rst_ni && (detour_seen || detour_from != 0);
    full_seen   <= rst_ni && (full_seen || full != 0);
  end

endmodule

bind switch_top switch_top_laws #(.NumPorts(NumPorts), .LinkW(LinkW)) i_laws (.*);

module switch_world #(
  parameter Shared = 0,
  parameter Words  = 4,
  parameter Window = 8
) (
  input wire logic       clk_i,
  input wire logic [1:0] valid_i,   // a word is offered
  input wire logic [1:0] last_i,    // the word ends its frame
  input wire logic [1:0] user_i,    // that frame is broken
  input wire logic [1:0] short_i,   // a last word has 36 bytes, not 64
  input wire logic [1:0] ip_i,      // the frame is IPv4
  input wire logic [1:0] sound_i,   // its version is right
  input wire logic [1:0] ends_i,    // its time to live ends here
  input wire logic [1:0] ecn_i,     // the frame is ECN-capable
  input wire logic [1:0] ready_i    // the receivers accept beats
);

  localparam LinkW = 512;

  wire [1:0] ready;

  reg past_q = 1'b0;  // the reset is over
  always_ff @(posedge clk_i) past_q <= 1'b1;

  reg [5:0] sent, since;  // words taken, cycles since the reset
  always_ff @(posedge clk_i) begin
    sent  <= !past_q ? 6'd0 : sent + (valid_i[0] && ready[0]) + (valid_i[1] && ready[1]);
    since <= !past_q ? 6'd0 : since == 6'd63 ? since : since + 1'b1;
  end
  always_comb begin
    assume (sent + valid_i[0] + valid_i[1] <= Words);
    if (past_q && since >= Window) assume (valid_i == 2'b00);
  end

  wire [2*LinkW-1:0]   data;
  wire [2*LinkW/8-1:0] keep;

  genvar p;
  generate
    for (p = 0; p < 2; p = p + 1) begin : g_sender
      reg [2:0] frame;  // number of the frame, and index of the word in it
      reg [1:0] place;

      always_ff @(posedge clk_i) begin
        if (!past_q) begin
          frame <= 3'd0;
          place <= 2'd0;
        end else if (valid_i[p] && ready[p]) begin
          place <= last_i[p] ? 2'd0 : place + 1'b1;
          if (last_i[p]) frame <= frame + 1'b1;
        end
        // An offered word stays unchanged until it is taken.
        if (past_q && $past(past_q && valid_i[p] && !ready[p])) begin
          assume (valid_i[p] && last_i[p] == $past(last_i[p]) && user_i[p] == $past(user_i[p]) && short_i[p] == $past(short_i[p])
                  && ip_i[p] == $past(ip_i[p]) && sound_i[p] == $past(sound_i[p]) && ends_i[p] == $past(ends_i[p])
                  && ecn_i[p] == $past(ecn_i[p]));
        end
      end

      always_comb begin
        // No frame has more than three words, one too many, and no port sends more frames than a tag can number.
        if (place == 2'd2) assume (last_i[p]);
        if (frame == 3'd7) assume (!valid_i[p]);
      end

      assign keep[p*LinkW/8 +: LinkW/8] = last_i[p] && short_i[p] ? {28'h0, {36{1'b1}}} : {64{1'b1}};
      assign data[p*LinkW +: LinkW] = {
        304'h0,                                       // from byte 26 on
        8'h34, 8'h12,                                 // 24: the checksum, which is not verified
        8'd17,                                        // 23: the protocol
        ends_i[p] ? 8'd1 : 8'd64,                     // 22: the time to live
        32'h0,                                        // 18
        8'd20, 8'd0,                                  // 16: the total length, of a header alone
        {6'h0, 1'b0, ecn_i[p]},                       // 15
        {sound_i[p] ? 4'd4 : 4'd5, 4'd5},             // 14: the version
        8'h00, ip_i[p] ? 8'h08 : 8'h86,               // 12: the Ethertype
        64'h0,                                        // 4
        8'h00, {2'b00, p[0], frame, place},           // 2
        16'h0
      };
    end
  endgenerate

  switch_top #(
    .NumPorts(2), .PortW(1), .LinkW(LinkW), .PathW(512), .InputW(4), .SlotsW(3), .QueueW(Shared != 0 ? 3 : 2), .Shared(Shared),
    .LenW(8), .MinFrame(20), .MaxFrame(128), .IndexW(1), .DrawW(2), .Dibs(1), .Spray(1), .Bytes(0)
  ) i_switch (
    .clk_i            (clk_i),
    .rst_ni           (past_q),
    .s_axis_tdata_i   (data),
    .s_axis_tkeep_i   (keep),
    .s_axis_tlast_i   (last_i),
    .s_axis_tuser_i   (user_i & last_i),
    .s_axis_tvalid_i  (valid_i),
    .s_axis_tready_o  (ready),
    .m_axis_tdata_o   (),
    .m_axis_tkeep_o   (),
    .m_axis_tlast_o   (),
    .m_axis_tvalid_o  (),
    .m_axis_tready_i  (ready_i),
    .s_axil_awaddr_i  (12'h0),
    .s_axil_awvalid_i (1'b0),
    .s_axil_awready_o (),
    .s_axil_wdata_i   (32'h0),
    .s_axil_wstrb_i   (4'h0),
    .s_axil_wvalid_i  (1'b0),
    .s_axil_wready_o  (),
    .s_axil_bresp_o   (),
    .s_axil_bvalid_o  (),
    .s_axil_bready_i  (1'b1),
    .s_axil_araddr_i  (12'h0),
    .s_axil_arvalid_i (1'b0),
    .s_axil_arready_o (),
    .s_axil_rdata_o   (),
    .s_axil_rresp_o   (),
    .s_axil_rvalid_o  (),
    .s_axil_rready_i  (1'b1)
  );

endmodule

`default_nettype wire
