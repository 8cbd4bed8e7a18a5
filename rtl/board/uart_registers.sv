// SPDX-License-Identifier: MIT OR Apache-2.0
// Registers by UART: commands become accesses of AXI4-Lite.
//
//   write   'W' address[2] data[4] check[2]   answer  'w' check[2]
//   read    'R' address[2] check[2]           answer  'r' data[4] check[2]
//
// Numbers go highest byte first. The check is CRC-16 (polynomial 0x1021, from 0xFFFF) of the command before it. The check of
// an answer covers the command, without its check, and the answer before it: so the answer to another command is invalid.
//
// Decision    a command is not executed, not answered and counted if its check is wrong, if it stops for Quiet cycles or if a stop bit is
//             missing. Input is then ignored until the line was quiet for so long, so that the rest of a command is not taken for another.
// State       one command; input is ignored until it is answered.
// Latency     of a read: the answer begins 6 cycles after the end of the command, plus the register's latency.
// Source      none.
// Deviations  none.

`default_nettype none

module uart_registers #(
  parameter Divider = 25,      // cycles a bit
  parameter Quiet   = 250_000  // cycles of silence that end a command
) (
  input  wire logic        clk_i,            // clock
  input  wire logic        rst_ni,           // reset, active low, synchronous
  input  wire logic        rx_i,             // UART in
  output logic             tx_o,             // UART out
  output logic             bad_o,            // count: a command was not executed
  output logic      [15:0] m_axil_awaddr_o,  // AXI4-Lite: write address
  output logic             m_axil_awvalid_o, // write address is offered
  input  wire logic        m_axil_awready_i, // write address is taken
  output logic      [31:0] m_axil_wdata_o,   // write data
  output logic             m_axil_wvalid_o,  // write data is offered
  input  wire logic        m_axil_wready_i,  // write data is taken
  input  wire logic        m_axil_bvalid_i,  // a write response is offered
  output logic             m_axil_bready_o,  // the write response is taken
  output logic      [15:0] m_axil_araddr_o,  // read address
  output logic             m_axil_arvalid_o, // read address is offered
  input  wire logic        m_axil_arready_i, // read address is taken
  input  wire logic [31:0] m_axil_rdata_i,   // read data
  input  wire logic        m_axil_rvalid_i,  // read data is offered
  output logic             m_axil_rready_o   // read data is taken
);

  localparam [2:0] Command = 3'd0, Body = 3'd1, Check = 3'd2, Access = 3'd3, Answer = 3'd4, Deaf = 3'd5;
  localparam QuietW = $clog2(Quiet + 1);
  localparam [QuietW-1:0] Silence = Quiet;

  function automatic [15:0] step(input [15:0] crc, input [7:0] data);
    integer i;
    begin
      step = crc ^ {data, 8'h00};
      for (i = 0; i < 8; i = i + 1) step = {step[14:0], 1'b0} ^ (step[15] ? 16'h1021 : 16'h0);
    end
  endfunction

  wire [7:0] heard;
  wire       hears, broken, idle, free;

  uart_receive #(.Divider(Divider)) i_receive (
    .clk_i(clk_i), .rst_ni(rst_ni), .rx_i(rx_i), .data_o(heard), .valid_o(hears), .error_o(broken), .idle_o(idle)
  );

  reg [2:0]        state_q;
  reg              write_q;  // the command is a write
  reg [2:0]        left_q;   // bytes to come, or to send before the check
  reg [15:0]       addr_q, crc_q;
  reg [31:0]       data_q;
  reg              high_q;   // the high byte of a check is next
  reg              right_q;  // the check was right so far
  reg [QuietW-1:0] quiet_q;  // cycles of silence so far
  reg              done_q;   // the last byte of the answer is sent
  reg              aw_q, w_q, ar_q;

  wire [7:0] check  = high_q ? crc_q[15:8] : crc_q[7:0];
  wire       silent = quiet_q == Silence;
  wire       amid = state_q == Body || state_q == Check;
  wire       wrong  = amid && (silent || broken || (hears && state_q == Check && !high_q && !(right_q && heard == check)));

  // Bytes sent: the letter, data, the check.
  reg        letter_q;
  wire [7:0] letter = write_q ? "w" : "r";
  wire [7:0] said   = letter_q ? letter : left_q != 3'd0 ? data_q[31:24] : check;
  wire       says   = state_q == Answer && !done_q && free;

  uart_transmit #(.Divider(Divider)) i_transmit (
    .clk_i(clk_i), .rst_ni(rst_ni), .data_i(said), .valid_i(state_q == Answer && !done_q), .ready_o(free), .tx_o(tx_o)
  );

  always_ff @(posedge clk_i) begin
    quiet_q <= hears || !idle || (!amid && state_q != Deaf) ? {QuietW{1'b0}} : silent ? quiet_q : quiet_q + 1'b1;
    bad_o   <= rst_ni && wrong;
    if (!rst_ni) begin
      state_q <= Command;
      quiet_q <= {QuietW{1'b0}};
      {aw_q, w_q, ar_q} <= 3'b000;
    end else if (wrong) begin
      state_q <= Deaf;
    end else begin
      case (state_q)
        Command: begin
          high_q   <= 1'b1;
          right_q  <= 1'b1;
          letter_q <= 1'b1;
          done_q   <= 1'b0;
          if (hears && (heard == "W" || heard == "R")) begin
            state_q <= Body;
            write_q <= heard == "W";
            left_q  <= heard == "W" ? 3'd6 : 3'd2;
            crc_q   <= step(16'hffff, heard);
          end
        end
        Body: if (hears) begin
          crc_q  <= step(crc_q, heard);
          left_q <= left_q - 1'b1;
          {addr_q, data_q} <= write_q ? {addr_q[7:0], data_q, heard} : {addr_q[7:0], heard, data_q};
          if (left_q == 3'd1) state_q <= Check;
        end
        Check: if (hears) begin
          high_q  <= !high_q;
          right_q <= heard == check;
          if (!high_q) begin
            state_q <= Access;
            {aw_q, w_q, ar_q} <= {write_q, write_q, !write_q};
            left_q  <= write_q ? 3'd0 : 3'd4;
          end
        end
        Access: begin
          if (m_axil_awready_i) aw_q <= 1'b0;
          if (m_axil_wready_i)  w_q  <= 1'b0;
          if (m_axil_arready_i) ar_q <= 1'b0;
          if (!write_q && m_axil_rvalid_i) data_q <= m_axil_rdata_i;
          if (write_q ? m_axil_bvalid_i : m_axil_rvalid_i) state_q <= Answer;
        end
        Answer: if (says) begin
          letter_q <= 1'b0;
          if (letter_q || left_q != 3'd0) crc_q <= step(crc_q, said);
          if (!letter_q) begin
            data_q <= {data_q[23:0], 8'h00};
            if (left_q != 3'd0) left_q <= left_q - 1'b1;
            else begin
              high_q <= !high_q;
              done_q <= !high_q;
            end
          end
        end else if (done_q && free) state_q <= Command;
        default: if (silent) state_q <= Command;
      endcase
    end
  end

  assign m_axil_awaddr_o  = addr_q;
  assign m_axil_araddr_o  = addr_q;
  assign m_axil_wdata_o   = data_q;
  assign m_axil_awvalid_o = aw_q;
  assign m_axil_wvalid_o  = w_q;
  assign m_axil_arvalid_o = ar_q;
  assign m_axil_bready_o  = state_q == Access;
  assign m_axil_rready_o  = state_q == Access;

endmodule

`default_nettype wire
