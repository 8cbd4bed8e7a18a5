// SPDX-License-Identifier: MIT OR Apache-2.0
// Arbiter of the frames that enter the path: round robin, whole frames, no bubble.
//
// Decision    of the ports with a waiting frame, the first after the port served last.
// State       port being served, length of its frame and remaining bytes; one word in the output register.
// Latency     1 cycle from frame_i to the choice, 1 more to the first word at the output.
// Source      NetFPGA's input arbiter (Zarifis et al., EuroSys 2014, section 5.1).
// Deviations  the next frame is chosen in the cycle that sends the last word of this one, so
//             that frames of one word leave one a cycle. The length identifies the last word,
//             for the clock: the memory's output comes late, and the choice has a long path.

`default_nettype none

module input_arbiter #(
  parameter NumPorts = 4,   // ports
  parameter PortW    = 2,   // bits of a port number
  parameter PathW    = 64,  // bits of a word
  parameter LenW     = 11   // bits of a length in bytes
) (
  input  wire logic                      clk_i,      // clock
  input  wire logic                      rst_ni,     // reset, active low, synchronous
  input  wire logic [NumPorts-1:0]       frame_i,    // bit p: a whole frame waits at port p
  input  wire logic [NumPorts*LenW-1:0]  len_i,      // length of each port's frame in bytes
  output logic      [NumPorts-1:0]       take_o,     // bit p: the frame of port p is chosen
  input  wire logic [NumPorts*PathW-1:0] word_i,     // next word of the frame chosen last
  output logic      [NumPorts-1:0]       pop_o,      // the word is taken
  output logic      [PathW-1:0]          m_tdata_o,  // AXI4-Stream out: a word
  output logic                           m_tlast_o,  // last word of a frame
  output logic      [LenW-1:0]           m_tlen_o,   // length of the frame in bytes, on all of its words
  output logic      [PortW-1:0]          m_tport_o,  // ingress port, on all words of the frame
  output logic                           m_tvalid_o, // a word is offered
  input  wire logic                      m_tready_i  // the word is taken
);

  reg                busy_q;
  reg [PortW-1:0]    port_q;
  reg [NumPorts-1:0] serve_q;  // port_q as one bit
  reg [NumPorts-1:0] later_q;  // ports after port_q
  reg [LenW-1:0]     len_q;
  reg [LenW-1:0]     rest_q;   // bytes of the frame not sent yet

  localparam PathB = PathW / 8;

  reg [PathW-1:0] data_q;
  reg [LenW-1:0]  out_len_q;
  reg [PortW-1:0] out_port_q;
  reg             last_q, valid_q;

  wire free   = !valid_q || m_tready_i;
  wire send   = busy_q && free;
  wire last   = rest_q <= PathB[LenW-1:0];
  wire choose = !busy_q || (send && last);

  // The first waiting port after the one served last, or else the first waiting port.
  wire [NumPorts-1:0] after = frame_i & later_q;
  wire [NumPorts-1:0] from  = after == {NumPorts{1'b0}} ? frame_i : after;
  wire [NumPorts-1:0] first = from & (~from + 1'b1);

  reg [PathW-1:0] word;
  reg [LenW-1:0]  first_len;
  reg [PortW-1:0] first_port;
  integer p;
  always_comb begin
    word       = {PathW{1'b0}};
    first_len  = {LenW{1'b0}};
    first_port = {PortW{1'b0}};
    for (p = 0; p < NumPorts; p = p + 1) begin
      word       = word | ({PathW{serve_q[p]}} & word_i[p*PathW +: PathW]);
      first_len  = first_len | ({LenW{first[p]}} & len_i[p*LenW +: LenW]);
      first_port = first_port | ({PortW{first[p]}} & p[PortW-1:0]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      port_q  <= {PortW{1'b0}};
      serve_q <= {{(NumPorts-1){1'b0}}, 1'b1};
      later_q <= {{(NumPorts-1){1'b1}}, 1'b0};
      valid_q <= 1'b0;
    end else begin
      if (choose) begin
        busy_q <= |frame_i;
        if (|frame_i) begin
          port_q  <= first_port;
          serve_q <= first;
          later_q <= ~(first | (first - 1'b1));
          len_q   <= first_len;
        end
      end
      rest_q <= choose ? first_len : send ? rest_q - PathB[LenW-1:0] : rest_q;
      if (free) valid_q <= busy_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (free) begin
      data_q     <= word;
      last_q     <= last;
      out_len_q  <= len_q;
      out_port_q <= port_q;
    end
  end

  assign take_o     = choose ? first : {NumPorts{1'b0}};
  assign pop_o      = send ? serve_q : {NumPorts{1'b0}};
  assign m_tdata_o  = data_q;
  assign m_tlast_o  = last_q;
  assign m_tlen_o   = out_len_q;
  assign m_tport_o  = out_port_q;
  assign m_tvalid_o = valid_q;

`ifdef FORMAL
  // Each port sends words with a sequence number in the low bits and the port in the high bits; a
  // frame has as many words as its length requires, which is a law of input_buffer. The output must
  // have each port's words in order, none missing, and a frame of one port before anything of another.
  reg past_q = 1'b0;
  always_ff @(posedge clk_i) past_q <= 1'b1;
  always_comb if (!past_q) assume (!rst_ni);

  localparam TagW = PathW - PortW;
  reg [TagW-1:0] f_sent [0:NumPorts-1];   // words popped from each port
  reg [TagW-1:0] f_seen [0:NumPorts-1];   // words of each port that have come out
  reg            f_inside;                // a frame has begun at the output
  reg [PortW-1:0] f_port;                 // port of that frame
  reg [LenW-1:0]  f_bytes;                // bytes of its words that have come out
  wire [PortW-1:0] f_out_port = m_tdata_o[PathW-1 -: PortW];
  integer f;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (f = 0; f < NumPorts; f = f + 1) begin
        f_sent[f] <= {TagW{1'b0}};
        f_seen[f] <= {TagW{1'b0}};
      end
      f_inside <= 1'b0;
      f_bytes  <= {LenW{1'b0}};
    end else begin
      for (f = 0; f < NumPorts; f = f + 1) if (pop_o[f]) f_sent[f] <= f_sent[f] + 1'b1;
      if (m_tvalid_o && m_tready_i) begin
        in_order_and_none_missing: assert (m_tdata_o[TagW-1:0] == f_seen[f_out_port]);
        the_port_is_named:         assert (m_tport_o == f_out_port);
        not_interleaved:           assert (!f_inside || f_port == f_out_port);
        f_seen[f_out_port] <= f_seen[f_out_port] + 1'b1;
        // Within one frame: not_interleaved proves that it is one.
        as_many_words_as_the_length_says: assert ((f_inside && f_port != f_out_port)
                                                  || (f_bytes < m_tlen_o && m_tlast_o == ({1'b0, f_bytes} + PathB >= {1'b0, m_tlen_o})));
        f_inside <= !m_tlast_o;
        f_bytes  <= m_tlast_o ? {LenW{1'b0}} : f_bytes + PathB[LenW-1:0];
        f_port   <= f_out_port;
      end
    end
  end
  always_comb begin
    for (f = 0; f < NumPorts; f = f + 1) assume (word_i[f*PathW +: PathW] == {f[PortW-1:0], f_sent[f]});
    if (past_q) one_port_at_a_time: assert ((pop_o & (pop_o - 1'b1)) == 0 && (take_o & (take_o - 1'b1)) == 0);
    // A frame that waits while nothing is sent, or while the last word of another is sent, goes next.
    if (past_q && rst_ni && |frame_i && (!busy_q || (free && last))) no_idle_cycle_between_frames: assert (take_o != 0);
    taken_only_if_it_waits: assert ((take_o & ~frame_i) == 0);
  end
  always_ff @(posedge clk_i) begin
    // A frame waits until it is taken, and its length is not 0.
    for (f = 0; f < NumPorts; f = f + 1) begin
      if (frame_i[f]) assume (len_i[f*LenW +: LenW] != {LenW{1'b0}});
      if (past_q && $past(rst_ni) && $past(frame_i[f] && !take_o[f])) assume (frame_i[f] && len_i[f*LenW +: LenW] == $past(len_i[f*LenW +: LenW]));
    end
    if (past_q && $past(rst_ni) && rst_ni && $past(m_tvalid_o && !m_tready_i)) begin
      still_there: assert (m_tvalid_o);
      unchanged:   assert (m_tdata_o == $past(m_tdata_o) && m_tlast_o == $past(m_tlast_o)
                           && m_tlen_o == $past(m_tlen_o) && m_tport_o == $past(m_tport_o));
    end
    no_bubble: assert (!(past_q && $past(rst_ni) && rst_ni && $past(busy_q && free)) || m_tvalid_o);
    two_ports_out: cover (past_q && rst_ni && f_seen[0] > 2 && f_seen[1] > 2);
  end
`endif

endmodule

`default_nettype wire
