// SPDX-License-Identifier: MIT OR Apache-2.0
// Frames from one clock to another: async_fifo, and no part of a frame passes as a whole one when either side is reset.
//
// Decision    beats of a torn frame: those that had passed stay; then an end that marks it as broken.
// State       that of async_fifo; on each side whether a frame is open and whether it is torn.
// Latency     that of async_fifo. A beat in each cycle of the slower clock.
// Source      none.
// Deviations  a beat that async_fifo offered but that was not taken is withdrawn when the writer is reset. This may withdraw
//             the first beat of a frame, which AXI4-Stream does not allow; a later beat is replaced by the end of its frame.
//             m_tdata_o of that end is meaningless, and changes while the end waits once the next frame is there.
//
// A reset of either side loses the content. The side that is reset begins with the start of a frame. The other side:
// - The reader, with a frame open, receives one more beat for it, with tlast and tuser: the frame is broken.
// - The writer, with a frame open, has the rest of it taken and dropped. Its next frame waits until both sides run.

`default_nettype none

module frame_crossing #(
  parameter LinkW = 64,  // bits of a beat; 8 or more
  parameter AddrW = 4    // 2^AddrW beats
) (
  input  wire logic               s_clk_i,    // clock of the sender
  input  wire logic               s_rst_ni,   // reset of that clock, active low, synchronous
  input  wire logic [LinkW-1:0]   s_tdata_i,  // AXI4-Stream in: bytes
  input  wire logic [LinkW/8-1:0] s_tkeep_i,  // valid bytes
  input  wire logic               s_tlast_i,  // the last beat of a frame
  input  wire logic               s_tuser_i,  // with tlast: the frame is broken
  input  wire logic               s_tvalid_i, // a beat is offered
  output logic                    s_tready_o, // the beat is taken
  input  wire logic               m_clk_i,    // clock of the receiver
  input  wire logic               m_rst_ni,   // reset of that clock, active low, synchronous
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

  // Sender.
  reg  s_open_q;  // a beat was taken that was not the last
  reg  s_torn_q;  // the frame's earlier beats are lost
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

  // Receiver.
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
