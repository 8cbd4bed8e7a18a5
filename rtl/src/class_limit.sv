// SPDX-License-Identifier: MIT OR Apache-2.0
// Limits of MulBuff's queues by class: as long as their flows need.
//
// Decision    a packet with data joins if the port has room and the queue of its class is below its limit; else
//             it is dropped. The limit of a queue of long flows is product_i bytes, of short flows cap_i; with
//             grows_i also per_flow_i packets for each of its flows, or at most that many bytes for each with
//             sized_i. From mark_at_i on, the packet is marked. A packet without data joins if the port has room.
// State       none. Flows are counted before: flows_i includes this packet.
// Latency     none: combinational, with one multiplier of FlowsW by PerFlowW bits.
// Source      Mushtaq et al., SIGCOMM 2014 (MulBuff), section 2; `Limit::of`, `Limit::fits` and
//             `admit` in crates/switch/src/buffer/mulbuff.rs; the vectors check the equality.
// Deviations  cap_i is the policy's `total` less its `product`, computed when they are set. The
//             queue of the packet's class, and its flows, are chosen before (`flow_count`).

`default_nettype none

module class_limit #(
  parameter ClassW   = 3,   // bits of a class
  parameter BytesW   = 20,  // bits of a queue's bytes
  parameter PacketsW = 12,  // bits of a queue's packets
  parameter SizeW    = 11,  // bits of a packet's bytes; at most BytesW
  parameter FlowsW   = 13,  // bits of a flow count
  parameter PerFlowW = 13   // bits of per_flow_i
) (
  // Settings.
  input  wire logic                grows_i,     // the limit of short flows depends on their number
  input  wire logic                sized_i,     // per_flow_i is in bytes; else in packets
  input  wire logic [PerFlowW-1:0] per_flow_i,  // room for each flow
  input  wire logic [BytesW-1:0]   cap_i,       // capacity of a queue of short flows, in bytes
  input  wire logic [BytesW-1:0]   product_i,   // capacity of a queue of long flows, in bytes
  input  wire logic [ClassW:0]     long_i,      // first class of long flows
  input  wire logic                marks_i,     // packets are marked
  input  wire logic                mark_sized_i, // mark_at_i is in bytes; else in packets
  input  wire logic [BytesW-1:0]   mark_at_i,   // depth from which packets are marked
  // Packet, and the queue of its class.
  input  wire logic [ClassW-1:0]   class_i,     // class of service set by the packet's host
  input  wire logic                data_i,      // the packet carries data
  input  wire logic                room_i,      // the port has room for the packet
  input  wire logic [SizeW-1:0]    bytes_i,     // bytes of buffer of the packet
  input  wire logic [FlowsW-1:0]   flows_i,     // flows in the class, the packet's own included
  input  wire logic [PacketsW-1:0] packets_i,   // packets waiting in the class
  input  wire logic [BytesW-1:0]   depth_i,     // bytes of buffer of those packets
  output logic                     join_o,      // the packet joins; else it is dropped
  output logic                     mark_o,      // the packet is marked if ECN-capable; only with join_o
  output logic      [BytesW-1:0]   limit_o,     // capacity of the queue in bytes
  output logic                     counted_o,   // the capacity is also limited in packets: packets_o
  output logic      [FlowsW+PerFlowW-1:0] packets_o // capacity of the queue in packets; only with counted_o
);

  localparam ProductW = FlowsW + PerFlowW;
  // Both sides of a comparison are extended to the wider one, plus one bit for a sum.
  localparam WideW = (ProductW > BytesW ? ProductW : BytesW) > PacketsW ? (ProductW > BytesW ? ProductW : BytesW) + 1 : PacketsW + 1;

  function automatic [WideW-1:0] wide(input [WideW-1:0] number);
    wide = number;
  endfunction

  // All comparisons below are of `wide` numbers; the limit is the smaller of two.
  /* verilator lint_off WIDTH */
  wire                is_long = {1'b0, class_i} >= long_i;
  wire                grows   = grows_i && !is_long;
  wire [BytesW-1:0]   cap     = is_long ? product_i : cap_i;
  wire [ProductW-1:0] room    = {{FlowsW{1'b0}}, per_flow_i} * {{PerFlowW{1'b0}}, flows_i};
  wire                below   = wide(room) < wide(cap);

  assign limit_o   = grows && sized_i && below ? room : cap;
  assign counted_o = grows && !sized_i;
  assign packets_o = room;

  wire few   = !counted_o || wide(packets_i) < wide(room);
  wire fits = wide(depth_i) + wide(bytes_i) <= wide(limit_o);

  assign join_o = room_i && (!data_i || few && fits);
  assign mark_o = join_o && data_i && marks_i && (mark_sized_i ? depth_i >= mark_at_i : wide(packets_i) >= wide(mark_at_i));
  /* verilator lint_on WIDTH */

`ifdef FORMAL
  // True for a class of long flows; bytes waiting together with the packet.
  wire            f_long  = class_i >= long_i;
  wire [BytesW:0] f_after = depth_i + bytes_i;
  always_comb begin
    never_above_the_cap:         assert (limit_o <= (f_long ? product_i : cap_i));
    short_below_their_cap:       assert (f_long || limit_o <= cap_i);
    long_have_the_product:       assert (!f_long || limit_o == product_i && !counted_o);
    static_ones_have_the_cap:    assert (grows_i || limit_o == (f_long ? product_i : cap_i) && !counted_o);
    never_below_zero:            assert (packets_o >= (flows_i == 0 ? 0 : per_flow_i) && (flows_i != 0 || packets_o == 0));
    without_a_flow_there_is_none: assert (!grows_i || f_long || flows_i != 0 || !join_o || !data_i || sized_i && bytes_i == 0 && depth_i == 0);
    by_flows_until_the_cap:      assert (!grows_i || f_long || !sized_i || limit_o == (room > cap_i ? cap_i : room));
    // A packet that joins fits: the queue with it never exceeds the limit, whatever the limit was before.
    what_joins_fits:             assert (!join_o || !data_i || f_after <= limit_o && (!counted_o || packets_i < packets_o));
    never_above_the_cap_with_it: assert (!join_o || !data_i || f_after <= (f_long ? product_i : cap_i));
    only_where_the_port_has_room: assert (!join_o || room_i);
    dropped_for_a_reason:        assert (join_o || !room_i || data_i && (f_after > limit_o || counted_o && packets_i >= packets_o));
    no_data_by_the_port_alone:   assert (data_i || join_o == room_i);
    a_mark_is_of_data_that_joins: assert (!mark_o || join_o && data_i && marks_i);
    a_mark_from_there_on:        assert (!(join_o && data_i && marks_i) || mark_o == (mark_sized_i ? depth_i >= mark_at_i : packets_i >= mark_at_i));
  end
`endif

endmodule

`default_nettype wire
