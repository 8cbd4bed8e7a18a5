// SPDX-License-Identifier: MIT OR Apache-2.0
// Word of a frame as it leaves: rewrites the bytes of the IPv4 header in it.
//
// Decision    none: a lower time to live, the new checksum, and with mark_i ECN 3. At most 32 bytes are examined.
// State       none.
// Latency     none: combinational.
// Source      RFC 791 section 3.1 for the places of the fields.
// Deviations  none.

`default_nettype none

module header_word #(
  parameter PathW = 64,  // bits of a word; 64 to 512
  parameter BeatW = 3,   // bits of the word's number
  parameter At    = 14   // first byte of the header in the frame
) (
  input  wire logic [PathW-1:0] word_i,      // word as it came, the first byte lowest
  input  wire logic [BeatW-1:0] beat_i,      // number of the word in the frame, saturated
  input  wire logic             mark_i,      // the ECN field becomes 3
  input  wire logic [15:0]      checksum_i,  // checksum of the header as it leaves
  output logic      [PathW-1:0] word_o       // word as it leaves
);

  localparam Bytes    = PathW / 8;
  localparam Tos      = At + 1;
  localparam Ttl      = At + 8;
  localparam High     = At + 10;
  localparam Low      = At + 11;
  localparam TosBeat  = Tos / Bytes;
  localparam TtlBeat  = Ttl / Bytes;
  localparam HighBeat = High / Bytes;
  localparam LowBeat  = Low / Bytes;

  always_comb begin
    word_o = word_i;
    if (beat_i == TosBeat[BeatW-1:0] && mark_i) word_o[(Tos%Bytes)*8 +: 2] = 2'b11;
    if (beat_i == TtlBeat[BeatW-1:0]) word_o[(Ttl%Bytes)*8 +: 8] = word_i[(Ttl%Bytes)*8 +: 8] - 8'd1;
    if (beat_i == HighBeat[BeatW-1:0]) word_o[(High%Bytes)*8 +: 8] = checksum_i[15:8];
    if (beat_i == LowBeat[BeatW-1:0]) word_o[(Low%Bytes)*8 +: 8] = checksum_i[7:0];
  end

endmodule

`default_nettype wire
