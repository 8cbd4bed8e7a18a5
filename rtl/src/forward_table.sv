// SPDX-License-Identifier: MIT OR Apache-2.0
// Forwarding table: the ports on shortest paths to an address.
//
// Decision    exact match of a key (an IPv4 host, or a MAC address) in two banks; returns the group
//             of ports of the bank that matches, and the entry's place, which is unique to its key.
// State       two banks of 2^IndexW entries: used, key, group. Empty when
//             the device is configured; a reset keeps them. A lookup of
//             an entry in the cycle of its write returns the new entry.
// Latency     5 cycles, one key a cycle.
// Source      Zarifis et al., EuroSys 2014, section 3 (forwarding
//             tables, ECMP) and 5.1 (the entry is a bitmap of ports).
// Deviations  a hash table with two places for a key, not a CAM: the writer picks the place, as Table of
//             rtl/tests/bench/models.py does (bank 0's place, or bank 1's, or it moves an entry that is there).

`default_nettype none

module forward_table #(
  parameter NumPorts = 4,  // ports
  parameter IndexW   = 8   // 2^IndexW entries in each bank; 4 to 8
) (
  input  wire logic                clk_i,          // clock
  input  wire logic                ip_i,           // the key is an IPv4 address
  input  wire logic [47:0]         addr_i,         // address; IPv4 in the low 32 bits, zeros above
  output logic                     hit_o,          // 5 cycles later: there is an entry
  output logic      [NumPorts-1:0] group_o,        // ports of the entry
  output logic      [IndexW:0]     at_o,           // place of the entry, as in write_at_i
  input  wire logic                write_i,        // write an entry
  input  wire logic [IndexW:0]     write_at_i,     // bank in the top bit, place in the bank below
  input  wire logic                write_used_i,   // the entry is used; 0 removes it
  input  wire logic                write_ip_i,     // the entry's key is an IPv4 address
  input  wire logic [47:0]         write_addr_i,   // address of the entry
  input  wire logic [NumPorts-1:0] write_group_i   // ports of the entry
);

  localparam EntryW = 1 + 1 + 48 + NumPorts;

  // Places of a key: the bytes folded into one, unchanged and each rotated by its number.
  function automatic [IndexW-1:0] place(input bank, input ip, input [47:0] addr);
    integer i;
    reg [7:0] fold;
    reg [7:0] turned;
    begin
      fold = {8{ip}} & 8'h5a;
      for (i = 0; i < 6; i = i + 1) begin
        turned = addr[i*8 +: 8];
        if (bank) turned = (turned << (i + 1)) | (turned >> (7 - i));
        fold = fold ^ turned;
      end
      place = fold[IndexW-1:0];
    end
  endfunction

  reg [IndexW-1:0] place0_q, place1_q, place0_2q, place1_2q, place0_3q, place1_3q;
  reg              ip1_q, ip2_q, ip3_q;
  reg [47:0]       addr1_q, addr2_q, addr3_q;

  always_ff @(posedge clk_i) begin
    place0_q <= place(1'b0, ip_i, addr_i);
    place1_q <= place(1'b1, ip_i, addr_i);
    {ip1_q, addr1_q} <= {ip_i, addr_i};
    {ip2_q, addr2_q} <= {ip1_q, addr1_q};
    {ip3_q, addr3_q} <= {ip2_q, addr2_q};
    {place0_2q, place1_2q} <= {place0_q, place1_q};
    {place0_3q, place1_3q} <= {place0_2q, place1_2q};
  end

  wire [EntryW-1:0] write_entry = {write_used_i, write_ip_i, write_addr_i, write_group_i};
  wire [EntryW-1:0] entry0, entry1;

  ram_sdp #(.Width(EntryW), .AddrW(IndexW)) i_bank0 (
    .clk_i   (clk_i),
    .we_i    (write_i && !write_at_i[IndexW]),
    .waddr_i (write_at_i[IndexW-1:0]),
    .wdata_i (write_entry),
    .re_i    (1'b1),
    .raddr_i (place0_q),
    .rdata_o (entry0)
  );

  ram_sdp #(.Width(EntryW), .AddrW(IndexW)) i_bank1 (
    .clk_i   (clk_i),
    .we_i    (write_i && write_at_i[IndexW]),
    .waddr_i (write_at_i[IndexW-1:0]),
    .wdata_i (write_entry),
    .re_i    (1'b1),
    .raddr_i (place1_q),
    .rdata_o (entry1)
  );

  // If a bank was read in the cycle in which that word was written, the written word is used. The choice is made a cycle later,
  // so that nothing stands between the memories and the registers behind them: a block RAM has such a register built in.
  reg                met0_q, met1_q, met0_2q, met1_2q;
  reg [EntryW-1:0]   written_q;
  reg [NumPorts-1:0] written_2q;
  reg [EntryW-1:0]   entry0_q, entry1_q;

  always_ff @(posedge clk_i) begin
    met0_q     <= write_i && write_at_i == {1'b0, place0_q};
    met1_q     <= write_i && write_at_i == {1'b1, place1_q};
    written_q  <= write_entry;
    met0_2q    <= met0_q;
    met1_2q    <= met1_q;
    written_2q <= written_q[NumPorts-1:0];
    entry0_q   <= entry0;
    entry1_q   <= entry1;
  end

  // Used, kind and address are compared in parts; a cycle later the parts are combined.
  localparam KeyW  = EntryW - NumPorts;
  localparam PartW = 8;
  localparam Parts = (KeyW + PartW - 1) / PartW;

  wire [KeyW-1:0] key = {1'b1, ip3_q, addr3_q};
  wire [KeyW-1:0] other0 = entry0_q[EntryW-1:NumPorts] ^ key;
  wire [KeyW-1:0] other1 = entry1_q[EntryW-1:NumPorts] ^ key;

  reg                hit_written_q, hit_written_2q, met0_3q, met1_3q, hit_q;
  reg [Parts-1:0]    like0_q, like1_q;
  reg [NumPorts-1:0] group0_q, group1_q, group_q;
  reg [IndexW-1:0]   place0_4q, place1_4q;
  reg [IndexW:0]     at_q;

  wire hit0 = met0_3q ? hit_written_2q : &like0_q;
  wire hit1 = met1_3q ? hit_written_2q : &like1_q;

  integer i;
  always_ff @(posedge clk_i) begin
    hit_written_q  <= written_q[EntryW-1:NumPorts] == {1'b1, ip2_q, addr2_q};
    hit_written_2q <= hit_written_q;
    {met0_3q, met1_3q} <= {met0_2q, met1_2q};
    for (i = 0; i < Parts; i = i + 1) begin
      like0_q[i] <= (other0 >> (i * PartW) & {{(KeyW-PartW){1'b0}}, {PartW{1'b1}}}) == {KeyW{1'b0}};
      like1_q[i] <= (other1 >> (i * PartW) & {{(KeyW-PartW){1'b0}}, {PartW{1'b1}}}) == {KeyW{1'b0}};
    end
    group0_q <= met0_2q ? written_2q : entry0_q[NumPorts-1:0];
    group1_q <= met1_2q ? written_2q : entry1_q[NumPorts-1:0];
    {place0_4q, place1_4q} <= {place0_3q, place1_3q};
    hit_q    <= hit0 || hit1;
    group_q  <= ({NumPorts{hit0}} & group0_q) | ({NumPorts{hit1}} & group1_q);
    at_q     <= {hit1, hit1 ? place1_4q : place0_4q};
  end

  assign hit_o   = hit_q;
  assign group_o = group_q;
  assign at_o    = at_q;

endmodule

`default_nettype wire
