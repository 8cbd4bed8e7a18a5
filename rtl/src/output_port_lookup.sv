// SPDX-License-Identifier: MIT OR Apache-2.0
// Queue that a frame joins, and changes to it: route, detour, mark, time to live.
//
// Decision    none: header_parse reads the header, lookup_decide decides
//             about the frame, frame_rewrite changes or removes it.
// State       frames under way; the draw.
// Latency     from a frame's first word to the same word at the output, without stalls:
//             ceil(38 / bytes of a word) + 11 cycles, with detours and without. One word a cycle.
// Source      Zarifis et al., EuroSys 2014, section 5.1: NetFPGA's output
//             port lookup, which gets a bitmap of the queues with room.
// Deviations  the paper's bitmap means "not full"; fits_i means "this frame fits".
//
// The queues reserve room in the cycle of the decision (take_o), long before the
// words arrive. So the queues never stall the words, and no frame is stored in part.
//
// ask_words_o belongs to the frame that decides two cycles later: lookup_decide.
// Laws of the whole cell are bound from outside: rtl/formal/output_port_lookup_laws.sv.

`default_nettype none

module output_port_lookup #(
  parameter NumPorts = 4,   // ports; 2 to 16
  parameter PortW    = 2,   // bits of a port number
  parameter PathW    = 64,  // bits of a word; 64 to 512
  parameter LenW     = 11,  // bits of a length in bytes
  parameter WordsW   = 12,  // bits of a queue's length in words
  parameter IndexW   = 8,   // bits of an index of the forwarding table
  parameter DrawW    = 32,  // bits of a draw
  parameter Dibs     = 1,   // 1: detours by detour_pick; 2: by detour_first_open; 3: as selected by buffer_i; 0: none
  parameter Spray    = 1,   // 1: route_i selects how a port of a group is chosen; 0: by hash, for comparison
  parameter Tags     = 0    // 1: tags and ranks of Vertigo
) (
  input  wire logic                clk_i,          // clock
  input  wire logic                rst_ni,         // reset, active low, synchronous
  // Frames in.
  input  wire logic [PathW-1:0]    s_tdata_i,      // AXI4-Stream in: a word, the first byte lowest
  input  wire logic                s_tlast_i,      // last word of a frame
  input  wire logic [LenW-1:0]     s_tlen_i,       // length of the frame in bytes, on all of its words
  input  wire logic [PortW-1:0]    s_tport_i,      // ingress port, on all words of the frame
  input  wire logic                s_tvalid_i,     // a word is offered
  output logic                     s_tready_o,     // the word is taken
  // Frames out, without dropped ones.
  output logic      [PathW-1:0]    m_tdata_o,      // AXI4-Stream out: a word
  output logic                     m_tlast_o,      // last word of a frame
  output logic      [LenW-1:0]     m_tlen_o,       // length of the frame in bytes, on all of its words
  output logic      [NumPorts-1:0] m_tdest_o,      // queue of the frame, one bit, on all of its words
  output logic                     m_tinner_o,     // with Tags 1, as the next three: the IPv4 header is at byte 21
  output logic      [31:0]         m_trank_o,      // rank of the frame
  output logic                     m_table_o,      // the frame is ECN-capable and not marked
  output logic      [15:0]         m_tsum_o,       // checksum of the header with a mark
  output logic                     m_tvalid_o,     // a word is offered
  input  wire logic                m_tready_i,     // the word is taken
  // Queues.
  output logic      [WordsW-1:0]   ask_words_o,    // words of the frame that decides two cycles later
  input  wire logic [NumPorts-1:0] fits_i,         // bit p: the frame that decides now fits in queue p
  input  wire logic [NumPorts-1:0] reach_i,        // bit p: queue p is long enough to mark
  input  wire logic [NumPorts*WordsW-1:0] depth_i, // frames in each queue now, port 0 lowest
  output logic      [NumPorts-1:0] take_o,         // bit p: the frame takes room in queue p
  // Settings; stable while frames pass, except those of the table and the seed.
  input  wire logic [NumPorts-1:0] to_switch_i,    // bit p: another switch hangs off port p
  input  wire logic                go_back_i,      // a frame may be detoured to its ingress port
  input  wire logic [31:0]         buffer_i,       // register BUFFER: policy for frames that do not fit
  input  wire logic [31:0]         early_i,        // register EARLY: depth from which frames that fit are detoured
  input  wire logic                match_mac_i,    // look up IPv4 packets by MAC address too
  input  wire logic [1:0]          tags_i,         // with Tags 1, place of a tag: 1 between Ethernet and IP, 2 in IPv4; 0 none
  input  wire logic [1:0]          boost_i,        // with Tags 1: bits by which a rank is shifted for each retransmission
  input  wire logic [31:0]         salt_i,         // salt of the flow hash
  input  wire logic                route_we_i,     // clear the memory of the route
  input  wire logic [31:0]         route_i,        // register ROUTE: choice of a port of a group
  input  wire logic                seed_we_i,      // load a new seed for the draws
  input  wire logic [31:0]         seed_i,         // the seed
  input  wire logic                table_we_i,     // write an entry of the forwarding table
  input  wire logic [IndexW:0]     table_at_i,     // place of the entry
  input  wire logic                table_used_i,   // the entry is used
  input  wire logic                table_ip_i,     // the entry's key is an IPv4 address
  input  wire logic [47:0]         table_addr_i,   // address of the entry
  input  wire logic [NumPorts-1:0] table_group_i,  // ports of the entry
  // Counts: one frame each, on the bit of the named port.
  output logic      [NumPorts-1:0] malformed_o,    // drops, by ingress port
  output logic      [NumPorts-1:0] ttl_o,          // drops, by ingress port
  output logic      [NumPorts-1:0] no_entry_o,     // drops, by ingress port
  output logic      [NumPorts-1:0] full_o,         // drops, by wanted port
  output logic      [NumPorts-1:0] detour_from_o,  // detours, by wanted port
  output logic      [NumPorts-1:0] detour_to_o,    // detours, by the port chosen
  output logic      [NumPorts-1:0] mark_o          // marks, by the port chosen
);

  // Fields of a new frame.
  wire             fire = s_tvalid_i && s_tready_o;
  wire             head, malformed, ip, inner;
  wire [LenW-1:0]  len;
  wire [PortW-1:0] port;
  wire [47:0]      dmac;
  wire [1:0]       ecn;
  wire [5:0]       dscp;
  wire [7:0]       ttl, proto;
  wire [15:0]      checksum, total;
  wire [31:0]      src, dst, ports, rank;

  header_parse #(.PortW(PortW), .PathW(PathW), .LenW(LenW), .Tags(Tags)) i_parse (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .fire_i      (fire),
    .data_i      (s_tdata_i),
    .last_i      (s_tlast_i),
    .len_i       (s_tlen_i),
    .port_i      (s_tport_i),
    .head_o      (head),
    .len_o       (len),
    .port_o      (port),
    .dmac_o      (dmac),
    .ip_o        (ip),
    .malformed_o (malformed),
    .ecn_o       (ecn),
    .dscp_o      (dscp),
    .ttl_o       (ttl),
    .checksum_o  (checksum),
    .src_o       (src),
    .dst_o       (dst),
    .proto_o     (proto),
    .total_o     (total),
    .ports_o     (ports),
    .inner_o     (inner),
    .rank_o      (rank),
    .tags_i      (tags_i),
    .boost_i     (boost_i)
  );

  // Verdict.
  wire                verdict, drop, verdict_ip, verdict_mark;
  wire [NumPorts-1:0] dest;
  wire [15:0]         new_checksum;
  wire [LenW-1:0]     verdict_len;
  wire                verdict_inner, verdict_able;
  wire [31:0]         verdict_rank;
  wire [15:0]         verdict_sum;

  lookup_decide #(
    .NumPorts(NumPorts), .PortW(PortW), .PathW(PathW), .LenW(LenW), .WordsW(WordsW),
    .IndexW(IndexW), .DrawW(DrawW), .Dibs(Dibs), .Spray(Spray), .Tags(Tags)
  ) i_decide (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .head_i        (head),
    .len_i         (len),
    .port_i        (port),
    .dmac_i        (dmac),
    .ip_i          (ip),
    .malformed_i   (malformed),
    .ecn_i         (ecn),
    .dscp_i        (dscp),
    .ttl_i         (ttl),
    .checksum_i    (checksum),
    .src_i         (src),
    .dst_i         (dst),
    .proto_i       (proto),
    .total_i       (total),
    .ports_i       (ports),
    .inner_i       (inner),
    .rank_i        (rank),
    .verdict_o     (verdict),
    .drop_o        (drop),
    .frame_ip_o    (verdict_ip),
    .frame_mark_o  (verdict_mark),
    .dest_o        (dest),
    .checksum_o    (new_checksum),
    .len_o         (verdict_len),
    .inner_o       (verdict_inner),
    .rank_o        (verdict_rank),
    .able_o        (verdict_able),
    .marked_sum_o  (verdict_sum),
    .ask_words_o   (ask_words_o),
    .fits_i        (fits_i),
    .reach_i       (reach_i),
    .depth_i       (depth_i),
    .take_o        (take_o),
    .to_switch_i   (to_switch_i),
    .go_back_i     (go_back_i),
    .buffer_i      (buffer_i),
    .early_i       (early_i),
    .match_mac_i   (match_mac_i),
    .salt_i        (salt_i),
    .route_we_i    (route_we_i),
    .route_i       (route_i),
    .seed_we_i     (seed_we_i),
    .seed_i        (seed_i),
    .table_we_i    (table_we_i),
    .table_at_i    (table_at_i),
    .table_used_i  (table_used_i),
    .table_ip_i    (table_ip_i),
    .table_addr_i  (table_addr_i),
    .table_group_i (table_group_i),
    .malformed_o   (malformed_o),
    .ttl_o         (ttl_o),
    .no_entry_o    (no_entry_o),
    .full_o        (full_o),
    .detour_from_o (detour_from_o),
    .detour_to_o   (detour_to_o),
    .mark_o        (mark_o)
  );

  // Words of all frames, from the first word to the verdict and out.
  frame_rewrite #(.NumPorts(NumPorts), .PathW(PathW), .LenW(LenW), .Tags(Tags), .MetaW(49)) i_rewrite (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .s_tdata_i  (s_tdata_i),
    .s_tlast_i  (s_tlast_i),
    .s_tvalid_i (s_tvalid_i),
    .s_tready_o (s_tready_o),
    .verdict_i  (verdict),
    .drop_i     (drop),
    .ip_i       (verdict_ip),
    .mark_i     (verdict_mark),
    .dest_i     (dest),
    .checksum_i (new_checksum),
    .len_i      (verdict_len),
    .inner_i    (verdict_inner),
    .meta_i     ({verdict_rank, verdict_able, verdict_sum}),
    .m_tdata_o  (m_tdata_o),
    .m_tlast_o  (m_tlast_o),
    .m_tlen_o   (m_tlen_o),
    .m_tdest_o  (m_tdest_o),
    .m_tinner_o (m_tinner_o),
    .m_tmeta_o  ({m_trank_o, m_table_o, m_tsum_o}),
    .m_tvalid_o (m_tvalid_o),
    .m_tready_i (m_tready_i)
  );

endmodule

`default_nettype wire
