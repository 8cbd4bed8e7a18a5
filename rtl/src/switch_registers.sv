// SPDX-License-Identifier: MIT OR Apache-2.0
// Settings and counters on AXI4-Lite: 32-bit registers, one access at a time.
//
// Decision    none. The map is in rtl/switch.md, generated from rtl/registers/sidestep_switch.rdl;
//             tests/test_registers.py checks this file against it.
// State       the settings; for each port ten counters of frames, eleven with Ranked, and with Bytes two of bytes, all of
//             32 bits, which wrap around.
// Latency     a write takes effect 3 cycles after both its address and its
//             data are there; a read answers 3 cycles after its address.
// Source      none.
// Deviations  wstrb is ignored: registers are written whole. An address without
//             a register reads as 0 and ignores writes; no access is refused.

`default_nettype none

module switch_registers #(
  parameter NumPorts = 4,   // ports; 2 to 16
  parameter LinkW    = 64,  // bits of a beat of a link, to be read
  parameter PathW    = 64,  // bits of a word of the path
  parameter WordsW   = 12,  // bits of a queue's length in words
  parameter IndexW   = 8,   // bits of an index of the forwarding table
  parameter Dibs     = 1,   // reported in a register
  parameter Spray    = 1,   // reported in a register
  parameter LenW     = 11,  // bits of a length in bytes
  parameter Bytes    = 1,   // 1: counters of bytes
  parameter Shared   = 0,   // reported in a register
  parameter Ranked   = 0    // reported in a register; 1: register RANK
) (
  input  wire logic                        clk_i,           // clock
  input  wire logic                        rst_ni,          // reset, active low, synchronous
  /* verilator lint_off UNUSEDSIGNAL */
  input  wire logic [11:0]                 awaddr_i,        // AXI4-Lite write address
  /* verilator lint_on UNUSEDSIGNAL */
  input  wire logic                        awvalid_i,       // write address is offered
  output logic                             awready_o,       // write address is taken, with the data
  input  wire logic [31:0]                 wdata_i,         // write data
  input  wire logic                        wvalid_i,        // write data is offered
  output logic                             wready_o,        // write data is taken, with the address
  output logic      [1:0]                  bresp_o,         // always OKAY
  output logic                             bvalid_o,        // a write response is offered
  input  wire logic                        bready_i,        // the write response is taken
  /* verilator lint_off UNUSEDSIGNAL */
  input  wire logic [11:0]                 araddr_i,        // AXI4-Lite read address
  /* verilator lint_on UNUSEDSIGNAL */
  input  wire logic                        arvalid_i,       // read address is offered
  output logic                             arready_o,       // read address is taken
  output logic      [31:0]                 rdata_o,         // read data
  output logic      [1:0]                  rresp_o,         // always OKAY
  output logic                             rvalid_o,        // read data is offered
  input  wire logic                        rready_i,        // read data is taken
  // Settings.
  output logic      [NumPorts-1:0]         to_switch_o,     // bit p: another switch hangs off port p
  output logic                             go_back_o,       // a detour may leave by the ingress port
  output logic                             match_mac_o,     // IPv4 packets are looked up by MAC address
  output logic      [WordsW-1:0]           limit_frames_o,  // frames a queue may hold
  output logic      [WordsW-1:0]           limit_words_o,   // words a queue may hold
  output logic      [WordsW-1:0]           mark_at_o,       // frames in a queue from which frames are marked
  output logic      [2:0]                  alpha_o,         // alpha of dynamic thresholds
  output logic      [31:0]                 salt_o,          // salt of the flow hash
  output logic      [31:0]                 buffer_o,        // policy for frames that do not fit
  output logic      [31:0]                 early_o,         // depth from which frames that fit are detoured
  output logic      [31:0]                 rank_o,          // place of tags, and their use
  output logic                             route_we_o,      // the memory of the route is cleared
  output logic      [31:0]                 route_o,         // choice of a port of a group
  output logic                             seed_we_o,       // the draws begin anew
  output logic      [31:0]                 seed_o,          // with this seed
  output logic                             table_we_o,      // an entry of the forwarding table is written
  output logic      [IndexW:0]             table_at_o,      // place of the entry
  output logic                             table_used_o,    // the entry is used
  output logic                             table_ip_o,      // the entry's key is an IPv4 address
  output logic      [47:0]                 table_addr_o,    // address of the entry
  output logic      [NumPorts-1:0]         table_group_o,   // ports of the entry
  // Counted events, one bit for each port, and values read unchanged.
  input  wire logic [NumPorts-1:0]         in_i,            // frames that came
  input  wire logic [NumPorts-1:0]         out_i,           // frames that left
  input  wire logic [NumPorts-1:0]         bad_i,           // dropped: broken, too short or too long
  input  wire logic [NumPorts-1:0]         malformed_i,     // dropped: no sound IPv4 header
  input  wire logic [NumPorts-1:0]         ttl_i,           // dropped: time to live
  input  wire logic [NumPorts-1:0]         no_entry_i,      // dropped: no route to the destination
  input  wire logic [NumPorts-1:0]         full_i,          // dropped: no queue has room
  input  wire logic [NumPorts-1:0]         detour_from_i,   // detoured away
  input  wire logic [NumPorts-1:0]         detour_to_i,     // detoured to here
  input  wire logic [NumPorts-1:0]         mark_i,          // marked
  /* verilator lint_off UNUSEDSIGNAL */
  input  wire logic [NumPorts-1:0]         evicted_i,       // dropped: after waiting; with Ranked 1
  /* verilator lint_on UNUSEDSIGNAL */
  input  wire logic [NumPorts*WordsW-1:0]  frames_i,        // frames in each queue
  /* verilator lint_off UNUSEDSIGNAL */
  input  wire logic [NumPorts*LenW-1:0]    bytes_in_i,      // bytes of sound frames that came
  input  wire logic [NumPorts*LenW-1:0]    bytes_out_i      // bytes that left
  /* verilator lint_on UNUSEDSIGNAL */
);

  localparam Counters = 10;
  localparam ByteW    = $clog2(PathW / 8);

  // Writes.
  reg        write_q, write_2q, bvalid_q;
  /* verilator lint_off UNUSEDSIGNAL */
  reg [17:0] at_q;      // the register that is written, one bit; the first two are read-only
  /* verilator lint_on UNUSEDSIGNAL */
  reg [9:0]  waddr_q;
  reg [31:0] wdata_q;

  wire accept_write = awvalid_i && wvalid_i && !write_q && !write_2q && !bvalid_q && !awready_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      awready_o <= 1'b0;
      write_q   <= 1'b0;
      write_2q  <= 1'b0;
      bvalid_q  <= 1'b0;
    end else begin
      awready_o <= accept_write;
      write_q   <= accept_write;
      write_2q  <= write_q;
      if (write_2q) bvalid_q <= 1'b1;
      else if (bready_i) bvalid_q <= 1'b0;
    end
  end

  integer a;
  always_ff @(posedge clk_i) begin
    if (accept_write) waddr_q <= awaddr_i[11:2];
    if (accept_write) wdata_q <= wdata_i;
    // The decoding has its own cycle, as the registers lie far apart.
    for (a = 0; a < 18; a = a + 1) at_q[a] <= rst_ni && write_q && waddr_q == a[9:0];
  end

  assign wready_o = awready_o;
  assign bvalid_o = bvalid_q;
  assign bresp_o  = 2'b00;
  assign rresp_o  = 2'b00;

  // Limits in frames and words that no queue can reach are cut to the largest representable.
  function automatic [WordsW-1:0] cut(input [31:0] number);
    cut = |number[31:WordsW] ? {WordsW{1'b1}} : number[WordsW-1:0];
  endfunction

  // BUFFER: bits with a meaning, and its reset value: the only policy, or detours to a uniform choice.
  localparam [31:0] Known = Ranked != 0 ? 32'h0000_0007 : Dibs == 3 ? 32'h0000_3f37 : Dibs != 0 ? 32'h0000_0037 : 32'h0000_0007;
  localparam [31:0] First = Ranked != 0 ? 32'd6 : Dibs == 3 ? 32'd1 : Dibs;
  localparam [31:0] Ranks = 32'h0000_0133;  // bits of RANK with a meaning

  reg [31:0] buffer_q;
  assign buffer_o = buffer_q;

  reg [31:0] limit_bytes_q, key_low_q;
  reg [16:0] key_high_q;
  reg        key_used_q;

  always_ff @(posedge clk_i) begin
    route_we_o <= rst_ni && at_q[9];
    seed_we_o  <= rst_ni && at_q[10];
    table_we_o <= rst_ni && at_q[15];
    if (!rst_ni) begin
      to_switch_o    <= {NumPorts{1'b0}};
      go_back_o      <= 1'b1;
      match_mac_o    <= 1'b0;
      limit_frames_o <= {WordsW{1'b1}};
      limit_bytes_q  <= 32'hffff_ffff;
      mark_at_o      <= {WordsW{1'b1}};
      alpha_o        <= 3'd4;
      salt_o         <= 32'h0;
      route_o        <= 32'h0;
      buffer_q       <= First;
      early_o        <= 32'h0;
      rank_o         <= Ranked != 0 ? 32'h0000_0111 : 32'h0;
      key_low_q      <= 32'h0;
      key_high_q     <= 17'h0;
      key_used_q     <= 1'b0;
      table_group_o  <= {NumPorts{1'b0}};
    end else begin
      if (at_q[2]) to_switch_o <= wdata_q[NumPorts-1:0];
      if (at_q[3]) {match_mac_o, go_back_o} <= wdata_q[1:0];
      if (at_q[4]) limit_frames_o <= cut(wdata_q);
      if (at_q[5]) limit_bytes_q <= wdata_q;
      if (at_q[6]) mark_at_o <= cut(wdata_q);
      if (at_q[7]) alpha_o <= wdata_q[2:0];
      if (at_q[8]) salt_o <= wdata_q;
      // Bits 7 and 1:0 are the route; there are five routes.
      if (at_q[9] && Spray != 0 && !(wdata_q[7] && wdata_q[1:0] != 2'd0)) route_o <= wdata_q;
      // An unknown policy is refused, with the rest of the word.
      if (at_q[11] && (Ranked != 0 ? wdata_q[2:0] == 3'd0 || wdata_q[2:0] == 3'd6 : Dibs == 3 ? wdata_q[2:0] <= 3'd5
                       : wdata_q[2:0] == First[2:0])) buffer_q <= wdata_q & Known;
      if (at_q[12]) key_low_q <= wdata_q;
      if (at_q[13]) {key_used_q, key_high_q} <= {wdata_q[31], wdata_q[16:0]};
      if (at_q[14]) table_group_o <= wdata_q[NumPorts-1:0];
      if (at_q[16] && Dibs == 3) early_o <= wdata_q;
      if (at_q[17] && Ranked != 0 && wdata_q[1:0] != 2'd3) rank_o <= wdata_q & Ranks;
    end
    if (at_q[10]) seed_o <= wdata_q;
    if (at_q[15]) table_at_o <= wdata_q[IndexW:0];
    limit_words_o <= cut({{ByteW{1'b0}}, limit_bytes_q[31:ByteW]});
  end

  assign table_used_o = key_used_q;
  assign table_ip_o   = key_high_q[16];
  assign table_addr_o = {key_high_q[15:0], key_low_q};

  // Counters.
  wire [Counters*NumPorts-1:0] counts = {mark_i, detour_to_i, detour_from_i, full_i, no_entry_i,
                                         ttl_i, malformed_i, bad_i, out_i, in_i};
  wire [32*16*16-1:0] numbers;  // counter, port

  genvar c, p;
  generate
    for (c = 0; c < 16; c = c + 1) begin : g_counter
      for (p = 0; p < 16; p = p + 1) begin : g_port
        if ((c < Counters || (c == Counters + 3 && Ranked != 0)) && p < NumPorts) begin : g_count
          wire count = c < Counters ? counts[(c%Counters)*NumPorts+p] : evicted_i[p];
          reg [31:0] number_q;
          reg        count_q;
          always_ff @(posedge clk_i) begin
            if (!rst_ni) begin
              number_q <= 32'h0;
              count_q  <= 1'b0;
            end else begin
              count_q <= count;
              if (count_q) number_q <= number_q + 1'b1;
            end
          end
          assign numbers[32*(c*16+p) +: 32] = number_q;
        end else if (c == Counters && p < NumPorts) begin : g_depth
          assign numbers[32*(c*16+p) +: 32] = {{(32-WordsW){1'b0}}, frames_i[p*WordsW +: WordsW]};
        end else if ((c == Counters + 1 || c == Counters + 2) && p < NumPorts && Bytes != 0) begin : g_bytes
          reg  [31:0]     number_q;
          reg  [LenW-1:0] more_q;
          wire [LenW-1:0] more = c == Counters + 1 ? bytes_in_i[p*LenW +: LenW] : bytes_out_i[p*LenW +: LenW];
          always_ff @(posedge clk_i) begin
            if (!rst_ni) begin
              number_q <= 32'h0;
              more_q   <= {LenW{1'b0}};
            end else begin
              more_q   <= more;
              number_q <= number_q + {{(32-LenW){1'b0}}, more_q};
            end
          end
          assign numbers[32*(c*16+p) +: 32] = number_q;
        end else begin : g_none
          assign numbers[32*(c*16+p) +: 32] = 32'h0;
        end
      end
    end
  endgenerate

  // Reads, in steps: address, then the port, then the counter.
  reg              read_q, port_q, busy_q, rvalid_q;
  reg [9:0]        raddr_q;
  reg [32*16-1:0]  of_port_q;
  reg [31:0]       low, low_q, high, high_q, rdata_q;  // settings at the first eight addresses, and at later ones

  wire accept_read = arvalid_i && !busy_q;

  // In two halves, one a cycle.
  always_comb begin
    case (raddr_q[2:0])
      3'd0: low = 32'h5349_4445;  // "SIDE"
      3'd1: low = {3'h0, Ranked[0], Spray[0], Dibs[1:0], Shared[0], NumPorts[7:0], LinkW[10:3], PathW[10:3]};
      3'd2: low = {{(32-NumPorts){1'b0}}, to_switch_o};
      3'd3: low = {30'h0, match_mac_o, go_back_o};
      3'd4: low = {{(32-WordsW){1'b0}}, limit_frames_o};
      3'd5: low = limit_bytes_q;
      3'd6: low = {{(32-WordsW){1'b0}}, mark_at_o};
      default: low = {29'h0, alpha_o};
    endcase
    case (raddr_q)
      10'h008: high = salt_o;
      10'h009: high = route_o;
      10'h00b: high = buffer_q;
      10'h010: high = early_o;
      10'h011: high = rank_o;
      default: high = 32'h0;
    endcase
  end

  integer k;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      arready_o <= 1'b0;
      busy_q    <= 1'b0;
      read_q    <= 1'b0;
      port_q    <= 1'b0;
      rvalid_q  <= 1'b0;
    end else begin
      arready_o <= accept_read;
      read_q    <= accept_read;
      port_q    <= read_q;
      if (port_q) rvalid_q <= 1'b1;
      else if (rready_i) rvalid_q <= 1'b0;
      if (accept_read) busy_q <= 1'b1;
      else if (rvalid_q && rready_i) busy_q <= 1'b0;
    end
    if (accept_read) raddr_q <= araddr_i[11:2];
    low_q  <= low;
    high_q <= high;
    for (k = 0; k < 16; k = k + 1) of_port_q[32*k +: 32] <= numbers[{k[3:0], raddr_q[3:0], 5'd0} +: 32];
    if (port_q) rdata_q <= raddr_q[9:8] == 2'b01 ? of_port_q[{raddr_q[7:4], 5'd0} +: 32] : raddr_q[9:3] == 7'd0 ? low_q : high_q;
  end

  assign rvalid_o = rvalid_q;
  assign rdata_o  = rdata_q;

endmodule

`default_nettype wire
