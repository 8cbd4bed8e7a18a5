// SPDX-License-Identifier: MIT OR Apache-2.0
// Fields of a frame that the lookup needs: Ethernet, IPv4, TCP and UDP.
//
// Decision    with Tags 1 a tag of Vertigo is skipped, between Ethernet and IP (tags_i 1) or as the first
//             option of the IPv4 header (2); rank_o is its number, shifted down by boost_i bits for each
//             retransmission. Without a tag: 0 if there is no data (ARP, TCP without payload), else the largest
//             rank. malformed_o: an EtherType of IPv4, but too short for a header, not version 4, a header of
//             less than 20 bytes, or a total length shorter than its header or longer than the frame.
// State       first 38 bytes of the frame that passes, in beats; with Tags 1 the first 48.
// Latency     the fields are valid in head_o's cycle, which follows the beat
//             with byte 37 (with Tags byte 47), or the frame's last beat.
// Source      docs/how-to/softswitch.md (Tags) for the bytes of tags; RFC 894, RFC 791 section 3.1, RFC 1812 section 5.2.2; NetFPGA's output port lookup.
// Deviations  a frame with a VLAN tag, or of another EtherType, is not an IPv4 frame: it is looked up by its MAC
//             address and not changed. The header's checksum is not verified; RFC 1624 keeps a wrong one wrong. Ports
//             are used for TCP and UDP without options and fragments; else they are 0. A malformed tag counts as
//             none; the software switch refuses its frame. A packet whose options hide the TCP length counts as data.

`default_nettype none

module header_parse #(
  parameter PortW = 2,   // bits of a port number
  parameter PathW = 64,  // bits of a word; 64 to 512
  parameter LenW  = 11,  // bits of a length in bytes
  parameter Tags  = 0    // 1: tags and ranks
) (
  input  wire logic             clk_i,       // clock
  input  wire logic             rst_ni,      // reset, active low, synchronous
  input  wire logic             fire_i,      // a word passes
  input  wire logic [PathW-1:0] data_i,      // the word, the first byte lowest
  input  wire logic             last_i,      // last word of its frame
  input  wire logic [LenW-1:0]  len_i,       // bytes of the frame
  input  wire logic [PortW-1:0] port_i,      // ingress port
  /* verilator lint_off UNUSEDSIGNAL */
  input  wire logic [1:0]       tags_i,      // with Tags 1, place of a tag: 1 between Ethernet and IP, 2 in IPv4; 0 none
  input  wire logic [1:0]       boost_i,     // with Tags 1: bits by which a rank is shifted for each retransmission
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                  head_o,      // the fields below are those of a new frame
  output logic      [LenW-1:0]  len_o,       // length of the frame in bytes
  output logic      [PortW-1:0] port_o,      // ingress port
  output logic      [47:0]      dmac_o,      // destination address of Ethernet
  output logic                  ip_o,        // the frame is a sound IPv4 packet
  output logic                  malformed_o, // the EtherType is IPv4, but the packet is not sound
  output logic      [1:0]       ecn_o,       // the ECN field
  output logic      [5:0]       dscp_o,      // the class of service
  output logic      [7:0]       ttl_o,       // time to live
  output logic      [15:0]      checksum_o,  // checksum of the IPv4 header
  output logic      [31:0]      src_o,       // IPv4 source
  output logic      [31:0]      dst_o,       // IPv4 destination
  output logic      [7:0]       proto_o,     // IPv4 protocol
  output logic      [15:0]      total_o,     // bytes of the IPv4 packet
  output logic      [31:0]      ports_o,     // source and destination port, or 0
  output logic                  inner_o,     // the IPv4 header is at byte 21, not 14
  output logic      [31:0]      rank_o       // rank of the frame; 0 without Tags
);

  localparam Bytes  = PathW / 8;
  localparam Reach  = Tags != 0 ? 48 : 38;
  localparam Beats  = (Reach + Bytes - 1) / Bytes;  // words with a relevant byte
  localparam BeatW  = $clog2(Beats + 1);
  localparam EndW   = Beats - 1;

  /* verilator lint_off UNUSEDSIGNAL */
  reg [Beats*PathW-1:0] bytes_q;
  /* verilator lint_on UNUSEDSIGNAL */
  reg [BeatW-1:0]       beat_q;   // number of the next word; Beats when the header has passed
  reg                   head_q;
  reg [LenW-1:0]        len_q;
  reg [PortW-1:0]       port_q;

  wire in_header = beat_q != Beats[BeatW-1:0];
  wire complete  = fire_i && in_header && (last_i || beat_q == EndW[BeatW-1:0]);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beat_q <= {BeatW{1'b0}};
      head_q <= 1'b0;
    end else begin
      head_q <= complete;
      if (fire_i) beat_q <= last_i ? {BeatW{1'b0}} : in_header ? beat_q + 1'b1 : beat_q;
    end
  end

  genvar b;
  generate
    for (b = 0; b < Beats; b = b + 1) begin : g_beat
      always_ff @(posedge clk_i) begin
        if (fire_i && beat_q == b[BeatW-1:0]) bytes_q[b*PathW +: PathW] <= data_i;
      end
    end
  endgenerate

  always_ff @(posedge clk_i) begin
    if (complete) begin
      len_q  <= len_i;
      port_q <= port_i;
    end
  end

  // Frame without a tag between Ethernet and IP, and its length.
  localparam ViewW = 38 * 8;
  wire [ViewW-1:0] view;
  wire [LenW-1:0]  view_len;

  // Frame as 16-bit numbers, big-endian.
  wire [15:0] half [0:18];
  wire [15:0] ethertype = half[6];
  wire [7:0]  version   = view[14*8 +: 8];
  wire [15:0] total     = half[8];
  wire [15:0] fragment  = half[10];
  wire        ipv4      = ethertype == 16'h0800;
  wire        no_header = view_len < 34;
  wire        no_ihl    = version[7:4] != 4'd4 || version[3:0] < 4'd5;
  wire [16:0] needs     = {1'b0, total} + 17'd14;
  wire        no_body   = total < {10'd0, version[3:0], 2'b00} || needs > {{(17-LenW){1'b0}}, view_len};
  wire        has_ports = version[3:0] == 4'd5 && view_len >= 38 && (fragment & 16'h3fff) == 16'h0
                          && (proto_o == 8'd6 || proto_o == 8'd17);

  genvar h;
  generate
    for (h = 0; h < 19; h = h + 1) begin : g_half
      assign half[h] = {view[h*16 +: 8], view[h*16+8 +: 8]};
    end

    if (Tags != 0) begin : g_tags
      localparam [15:0] Tag = 16'h88b5;   // Ethertype of the tag
      localparam [LenW-1:0] Between = 7;  // bytes of the tag, with the Ethertype behind it
      localparam [7:0]  Option = 8'd158;  // type of the tag as an option

      wire between = tags_i == 2'd1 && {bytes_q[12*8 +: 8], bytes_q[13*8 +: 8]} == Tag;
      wire option  = tags_i == 2'd2 && ipv4 && version[3:0] >= 4'd7 && bytes_q[34*8 +: 8] == Option && bytes_q[35*8 +: 8] == 8'd7
                     && bytes_q[41*8 +: 8] == 8'd1;
      /* verilator lint_off UNUSEDSIGNAL */
      wire [39:0] tag = between ? {bytes_q[14*8 +: 8], bytes_q[15*8 +: 8], bytes_q[16*8 +: 8], bytes_q[17*8 +: 8], bytes_q[18*8 +: 8]}
                                : {bytes_q[36*8 +: 8], bytes_q[37*8 +: 8], bytes_q[38*8 +: 8], bytes_q[39*8 +: 8], bytes_q[40*8 +: 8]};
      /* verilator lint_on UNUSEDSIGNAL */
      wire [5:0]  shift = {2'b00, tag[7:4]} * {4'h0, boost_i};
      // TCP packet whose header fills it; byte 46 has the length of the TCP header.
      wire bare = ipv4 && version[3:0] == 4'd5 && (fragment & 16'h3fff) == 16'h0 && proto_o == 8'd6
                  && total == 16'd20 + {10'h0, bytes_q[46*8+4 +: 4], 2'b00};

      assign view     = between ? {bytes_q[19*8 +: ViewW-96], bytes_q[95:0]} : bytes_q[ViewW-1:0];
      assign view_len = between ? len_q - Between : len_q;
      assign inner_o  = between;
      assign rank_o   = tags_i == 2'd0 ? 32'h0 : between || option ? tag[39:8] >> shift
                      : bare || ethertype == 16'h0806 ? 32'h0 : 32'hffff_ffff;
    end else begin : g_no_tags
      assign view     = bytes_q[ViewW-1:0];
      assign view_len = len_q;
      assign inner_o  = 1'b0;
      assign rank_o   = 32'h0;
    end
  endgenerate

  assign head_o      = head_q;
  assign len_o       = len_q;
  assign port_o      = port_q;
  assign dmac_o      = {half[0], half[1], half[2]};
  assign malformed_o = ipv4 && (no_header || no_ihl || no_body);
  assign ip_o        = ipv4;
  assign ecn_o       = view[15*8 +: 2];
  assign dscp_o      = view[15*8+2 +: 6];
  assign ttl_o       = view[22*8 +: 8];
  assign proto_o     = view[23*8 +: 8];
  assign total_o     = total;
  assign checksum_o  = half[12];
  assign src_o       = {half[13], half[14]};
  assign dst_o       = {half[15], half[16]};
  assign ports_o     = has_ports ? {half[17], half[18]} : 32'h0;

endmodule

`default_nettype wire
