// SPDX-License-Identifier: MIT OR Apache-2.0
// Frames from one clock to another: async_fifo, and no half of a frame as a whole one when either side is reset.
//
// Decision    which beats of a torn frame are passed: those that were; then an end that says so.
// State       that of async_fifo; on each side whether a frame is open and whether it is torn.
// Latency     that of async_fifo. A beat in each cycle of the slower clock.
// Source      none.
// Deviations  what was offered by async_fifo and not taken is withdrawn as the writer is reset: the first beat of a frame may go
//             so, which AXI4-Stream does not allow; a later one is replaced by the end of its frame. Of that end m_tdata_o says
//             nothing, and changes while the end waits once the next frame is there.
//
// A reset of either side loses what is in here. Who is reset begins with the beginning of a frame. The other side:
// - The reader, with a frame open, sends one beat more for it, with tlast and tuser: the frame is broken.
// - The writer, with a frame open, takes the rest of it and throws it away. Its next frame waits until both run.

`default_nettype none

module frame_crossing #(
  parameter LinkW = 64,  // bits of a beat; 8 or more
  parameter AddrW = 4    // 2^AddrW beats
) (
  input  wire logic               s_clk_i,    // clock of who sends
  input  wire logic               s_rst_ni,   // its reset, active low, synchronous
  input  wire logic [LinkW-1:0]   s_tdata_i,  // AXI4-Stream in: bytes
  input  wire logic [LinkW/8-1:0] s_tkeep_i,  // which of them count
  input  wire logic               s_tlast_i,  // the last beat of a frame
  input  wire logic               s_tuser_i,  // with tlast: the frame is broken
  input  wire logic               s_tvalid_i, // a beat is offered
  output logic                    s_tready_o, // and taken
  input  wire logic               m_clk_i,    // clock of who receives
  input  wire logic               m_rst_ni,   // its reset, active low, synchronous
  output logic      [LinkW-1:0]   m_tdata_o,  // AXI4-Stream out: the same
  output logic      [LinkW/8-1:0] m_tkeep_o,
  output logic                    m_tlast_o,
  output logic                    m_tuser_o,  // with tlast: the frame is broken, or torn by a reset
  output logic                    m_tvalid_o,
  input  wire logic               m_tready_i
);

  localparam LinkB = LinkW / 8;

  wire             room, s_up, valid, last, user, m_up;
  wire [LinkW-1:0] data;
  wire [LinkB-1:0] keep;

  // Who sends.
  reg  s_open_q;  // a beat was taken that was not the last
  reg  s_torn_q;  // and what came of it is lost
  wire s_torn = s_open_q && (s_torn_q || !s_up);
  wire s_beat = s_tvalid_i && s_tready_o;

  assign s_tready_o = room || s_torn;

  always_ff @(posedge s_clk_i) begin
    if (!s_rst_ni) begin
      s_open_q <= 1'b0;
      s_torn_q <= 1'b0;
    end else begin
      if (s_beat) s_open_q <= !s_tlast_i;
      s_torn_q <= s_torn && !(s_beat && s_tlast_i);
    end
  end

  // Who receives.
  reg  m_open_q, m_torn_q;
  wire m_torn = m_open_q && (m_torn_q || !m_up);
  wire m_beat = m_tvalid_o && m_tready_i;

  assign m_tvalid_o = valid || m_torn;
  assign m_tdata_o  = data;
  assign m_tkeep_o  = m_torn ? {{(LinkB-1){1'b0}}, 1'b1} : keep;
  assign m_tlast_o  = m_torn || last;
  assign m_tuser_o  = m_torn || user;

  always_ff @(posedge m_clk_i) begin
    if (!m_rst_ni) begin
      m_open_q <= 1'b0;
      m_torn_q <= 1'b0;
    end else begin
      if (m_beat) m_open_q <= !m_tlast_o;
      m_torn_q <= m_torn && !m_beat;
    end
  end

  async_fifo #(.Width(LinkW + LinkB + 2), .AddrW(AddrW)) i_fifo (
    .w_clk_i   (s_clk_i),
    .w_rst_ni  (s_rst_ni),
    .w_valid_i (s_tvalid_i && !s_torn),
    .w_data_i  ({s_tuser_i, s_tlast_i, s_tkeep_i, s_tdata_i}),
    .w_ready_o (room),
    .w_up_o    (s_up),
    .r_clk_i   (m_clk_i),
    .r_rst_ni  (m_rst_ni),
    .r_valid_o (valid),
    .r_data_o  ({user, last, keep, data}),
    .r_up_o    (m_up),
    .r_ready_i (m_tready_i && !m_torn)
  );

endmodule

`default_nettype wire
