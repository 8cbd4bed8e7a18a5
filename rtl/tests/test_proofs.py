# SPDX-License-Identifier: MIT OR Apache-2.0
"""The proofs of rtl/formal, and that each kind of law is broken by a cell that breaks it."""

import sys

import pytest

from bench.mutants import mutated
from bench.simulators import RTL

sys.path.insert(0, str(RTL / "formal"))
import prove

ALL = [(path, task) for path in sorted(prove.HERE.glob("*.sby")) for task in prove.tasks(path)]


@pytest.mark.slow
@pytest.mark.parametrize("path, task", ALL, ids=[f"{path.stem}-{task}" for path, task in ALL])
def test_it_holds(path, task):
    proof = prove.run(path, task)
    assert proof.result == "PASS", "\n".join(proof.log.splitlines()[-30:])


# Of 8 ports the uniform choice takes ten times as long as the rest together: make rtl proves it.
SHORT = [("detour_pick", "ports_4"), ("detour_pick", "ports_6"), *(("detour_first_open", f"ports_{n}") for n in (4, 6, 8))]


@pytest.mark.parametrize("name, task", SHORT)
def test_the_decisions_laws_hold(name, task):
    # A folder of its own: make rtl proves the same beside it.
    proof = prove.run(prove.HERE / f"{name}.sby", task, label="-short")
    assert proof.result == "PASS", "\n".join(proof.log.splitlines()[-30:])


BUGS = [
    # The bug, the cell, the words, the wrong words, the task of its proof (or of another's), the law that must break.
    ("detours to hosts", "detour_pick", "(fits_i & switch_i)", "(fits_i)", "ports_4", "never_to_a_host"),
    ("detours to full queues", "detour_pick", "(fits_i & switch_i)", "(switch_i)", "ports_4", "never_to_a_full_queue"),
    ("drops what could be detoured", "detour_first_open", "!want_fits && open == {NumPorts{1'b0}}", "!want_fits", "ports_4",
     "drop_only_when_nothing_is_open"),
    ("leaves without need", "detour_flow", "want_fits ? want_i : number[NumPorts]", "number[NumPorts]", "ports_4",
     "the_wanted_port_where_it_fits"),
    ("takes the first not the least", "detour_load_aware", "(open & ~beaten)", "(open)", "ports_4",
     "no_open_port_holds_less"),
    ("the favoured go as well", "detour_probabilistic", "rank_i > favour_i && ", "", "ports_4", "the_favoured_stay"),
    ("goes back", "detour_allow", "switch_i & ~barred", "switch_i", "ports_4", "never_back"),
    ("early whatever the register says", "detour_choice", "early ? favour_i : {RankW{1'b1}}", "favour_i", "ports_4", "early_by_one_policy_alone"),
    ("the port of another policy", "detour_choice", "{drop[3], detour[3], port[3]}", "{drop[3], detour[3], port[2]}", "ports_4", "as_the_named_policy"),
    ("a policy of no number detours", "detour_choice", "default:       {drop_o, detour_o, port_o} = {!want_fits, 1'b0, want_i};",
     "default:       {drop_o, detour_o, port_o} = {drop[1], detour[1], port[1]};", "ports_4", "no_detours_by_drop_tail"),
    ("a turn that meets one port twice", "turn_order", "{last[0], last[NumPorts-1:1]}", "{last[1], last[NumPorts-1:1]}", "ports_4", "every_port_once"),
    ("seeded with nothing", "lfsr", "seed_i == {Width{1'b0}} ? Seed : seed_i", "seed_i", "bits_32", "never_stuck"),
    ("chooses a port twice", "flow_order", "left_q & ~chosen", "left_q", "ports_4", "every_port_once"),
    ("the last of equals goes first", "rank_queue", "<= rank_i && !(pop_tail", "< rank_i && !(pop_tail", "places_8",
     "ties_first_come"),
    ("loses what is pushed beside a pop", "rank_queue", "pop_head ? !push || ahead[i+1] :", "pop_head ? 1'b1 :", "places_8",
     None),
    ("the last of equals goes first, in its block", "rank_blocks", "<= arrival_q[WordW-1-:RankW];\n      assign behind", "< arrival_q[WordW-1-:RankW];\n      assign behind",
     "places_7", None),
    ("the block before that of its equals", "rank_blocks", "used[i] && low[i] <= asked", "used[i] && low[i] < asked", "places_7", None),
    ("a block that splits keeps one too few", "rank_blocks", "splits ? i < Half :", "splits ? i < Half - 1 :", "places_7", None),
    ("a half is lost", "rank_blocks", "state_q == Insert && full ? free_id : at;", "at;", "places_7", None),
    ("a tail that is not the last", "rank_blocks", "(state_q == Insert && behind == {Places{1'b0}})", "(state_q == Insert)", "places_7",
     "bounds_are_the_blocks"),
    ("a head that was the first", "rank_blocks", "done && !ahead[1]", "done && empty_q", "places_7", "bounds_are_the_blocks"),
    ("the block that ran empty has two numbers", "rank_blocks", "id[i == Blocks-1 ? 0 : i+1]", "id[i == Blocks-1 ? i : i+1]", "places_7",
     "each_block_once"),
    ("one place too many", "rank_blocks", "count_q != Entries[CountW-1:0] || pop_i", "1'b1 || pop_i", "places_7", None),
    ("what an empty block held before", "rank_blocks", " && !(!idle && empty_q)", "", "places_7", None),
    ("evicts and forgets", "vertigo_deflect", "!want_fits && !move_o;", "!want_fits && !move_o && !evict_o;", "ports_4",
     "every_packet_somewhere"),
    ("the longer of two", "shorter_of_two", "second_depth < first_depth", "second_depth > first_depth", "ports_4", "less_loaded_of_two"),
    ("the second of equals", "shorter_of_two", "second_depth < first_depth", "second_depth <= first_depth", "ports_4", "the_first_of_equals"),
    ("the number of the first", "shorter_of_two", "port_o   = take_second ? second : first", "port_o   = first", "ports_4", "one_of_the_set"),
    ("a slot that is written is free", "ranked_queues", "if (begin_one) free_q[next_q] <= 1'b0;", "", "bounded", "each_slot_is_in_one_place"),
    ("what is dropped keeps its slot", "ranked_queues", "if (lost_one) free_q[lost_slot] <= 1'b1;", "", "bounded", "each_slot_is_in_one_place"),
    ("an address that nobody wrote", "shared_queues", "if (reading_q[p]) head_q <= answer_next;",
     "if (reading_q[p]) head_q <= head_q + 1'b1;", "bounded", None),
    ("counts without an end", "spray_counter", "if (rebase) count_q", "if (1'b0) count_q", "ports_6", "no_counter_above_the_limit"),
    ("takes one that has more", "spray_counter", "least = hops_i & ~beaten", "least = hops_i", "ports_6", "no_hop_has_less"),
    ("takes what is no hop", "spray_counter", "least = hops_i & ~beaten", "least = ~beaten", "ports_6", "one_hop"),
    ("forgets what was ahead", "spray_counter", "{CountW{1'b0}} : left", "{CountW{1'b0}} : {CountW{1'b0}}", "ports_6",
     None),  # by others_stay_as_far_apart or the_choice_is_its_bytes_ahead, as the ports are that the solver looks at
    ("counts where there is no choice", "spray_counter", "counts = step_i && several && !queued_i",
     "counts = step_i && !queued_i", "ports_6", "one_hop_changes_nothing"),
    ("a turn that stays", "spray_counter", "{1'b0, port_o} + 1'b1;", "{1'b0, port_o};", "ports_6", "the_turn_is_behind_it"),
    ("a pointer out of range", "spray_rr", "to < many ? to[PortW-1:0] : wrapped[PortW-1:0]", "to[PortW-1:0]", "ports_6",
     "the_pointer_is_in_range"),
    ("points where there is no hop", "spray_rr", "{1'b0, pointer} < many ? pointer : {PortW{1'b0}}", "pointer", "ports_6",
     "whenever_there_is_one"),
    ("a stride that misses some", "spray_rr", "if (k > 0 && coprime(k, n) == 1) begin : g_one", "if (k > 0) begin : g_one", "ports_6",
     "a_round_meets_each_once"),
    ("a round too long", "spray_rr", "!known || turns_was > many ? many : turns_was", "!known ? many : turns_was", "ports_6",
     "as_many_turns_as_hops"),
    ("a count by a wrong number", "spray_counter", "onehot_o[p] ? p[PortW-1:0]", "onehot_o[p] ? ~p[PortW-1:0]", "ports_6",
     "number_and_bit"),
    ("no turn after the last", "spray_counter", "order  = above != {NumPorts{1'b0}} ? above : least", "order  = above", "ports_6",
     "whenever_there_is_one"),
    ("the first is the second", "spray_counter", "({NumPorts{1'b1}} << from)", "({NumPorts{1'b1}} << from << 1)", "ports_6",
     "the_lowest_where_first"),
    ("counts the last packet alone", "spray_counter", "count_q[p] <= sum[CountW-1:0]", "count_q[p] <= bytes", "ports_6",
     "the_choice_is_its_bytes_ahead"),
    ("counts where no packet went", "spray_counter", "else if (onehot_o[p]) count_q", "else if (onehot_o[p] || !hops_i[p]) count_q",
     "ports_6", "others_never_grow"),
    ("counts what it forgot", "spray_counter", "if (!rst_ni || clear_i) count_q", "if (!rst_ni) count_q", "ports_6", "cleared"),
    ("counts queues", "spray_counter", "step_i && several && !queued_i", "step_i && several", "ports_6", "queues_are_not_counted"),
    ("stores a frame without an end", "input_buffer", "!too_long_q && !broken_q;", "!too_long_q;", "room",
     "unfinished_frames_are_no_longer_than_whole_ones"),
    ("no place for a word under way", "input_buffer", "(1 << AddrW) - 5", "(1 << AddrW) - 4", "room", "a_place_for_each_word"),
    ("no place for a length under way", "input_buffer", "(1 << FrameW) - 5", "(1 << FrameW) - 4", "room", "a_place_for_each_length"),
    ("a frame before its word is there", "input_buffer", "frame_o = some_q;", "frame_o = some_q || more;", "bounded",
     "a_word_waits_for_who_took_a_frame"),
    ("one taken is all taken", "input_buffer", "!(take_i && one)", "!take_i", "room", "some_wait_as_pointers_say"),
    ("longer than MaxFrame by a beat", "input_buffer", "sum} > MaxFrame);", "len_q} > MaxFrame);", "room", "compared_as_added_up"),
    ("the length of another frame", "input_buffer", "lens[lens_read_q[FrameW-1:0]]", "lens[lens_write_q[FrameW-1:0] - 1'b1]", "bounded",
     "as_many_words_as_the_length_says"),
    # The whole switch, by a law of its links.
    ("takes a broken frame", "input_buffer", "sound    = frame && !broken_q", "sound    = frame", "switch_top:one", "came_before_it_leaves"),
    ("promises no word of a short frame", "lookup_decide", "{1'b0, len_q[4]} + Bytes[LenW:0] - 1'b1", "{1'b0, len_q[4]}", "output_port_lookup:bounded", "a_promise_of_one_word_at_least"),
    ("one hop moves the pointer", "spray_rr", "write = step_i && several", "write = step_i", "ports_6", "as_many_as_there_can_be"),
    ("who only looks moves the pointer", "spray_rr", "write = step_i && several", "write = several", "ports_6",
     "one_hop_changes_nothing"),
    ("takes a turn by what is no hop", "spray_rr", "hops_i[p] && |(below[p] & wanted)", "|(below[p] & wanted)", "ports_6", "one_hop"),
    ("a turn by a wrong number", "spray_rr", "onehot_o[p] ? p[PortW-1:0]", "onehot_o[p] ? ~p[PortW-1:0]", "ports_6", "number_and_bit"),
    ("a turn without an end", "spray_rr", "packets < {1'b0, burst_i}", "packets <= {1'b0, burst_i}", "ports_6",
     "a_burst_does_not_grow"),
    ("rounds without an end", "spray_rr", "known ? rounds_was : rounds_i", "known ? rounds_was : {RoundW{1'b1}}", "ports_6",
     "nor_do_rounds"),
    ("a pointer that is not forgotten", "spray_rr", "if (!rst_ni || clear_i) known_q", "if (!rst_ni) known_q", "ports_6", None),
    ("a pointer that is not kept", "spray_rr", "known_q[place_i] <= 1'b1", "known_q[place_i] <= !over", "ports_6",
     "it_is_known_then"),
    ("a turn that breaks off", "spray_rr", "pointer_n = stays ? at", "pointer_n = stays ? {PortW{1'b0}}", "ports_6",
     "it_stays_in_a_burst"),
    ("the next turn is the same hop's", "spray_rr", "{1'b0, at} + {1'b0, stride_d}", "{1'b0, at} + {1'b0, stride_d} - 1'b1", "ports_6",
     "the_next_is_another"),
    ("keeps a place that begins a burst", "spray_rr", "clear_i) known_q <= {(1<<PlaceW){1'b0}}",
     "clear_i) known_q <= rst_ni && !write && words[0][BurstW+RoundW-1:0] == 0 ? known_q & 1'b1 : {(1<<PlaceW){1'b0}}", "ports_6", "cleared"),
    ("no hop is a hop", "spray_rr", "assign none_o = is_many[0]", "assign none_o = is_many[1]", "ports_6", "whenever_there_is_one"),
    ("draws what is no hop", "spray_choice", ".set_i    (hops_i),\n    .draw_i   (draw),", ".set_i    ({NumPorts{1'b1}}),\n    .draw_i   (draw),", "", "a_hop_of_the_group"),
    ("the number of another route", "spray_choice", "{by_queue, by_queue_port}", "{by_queue, by_turn_port}", "", "one_hop_bit_and_number"),
    ("sprays what shall not be", "spray_choice", "case (ack_i ? Hash : route)", "case (route)", "", "the_flows_where_asked"),
    ("takes a beat back", "output_port", "else if (load) valid_q <= valid_i;", "else valid_q <= valid_i;", "narrow", "still_there"),
    ("mixes frames", "input_arbiter", "(send && last);", "(send && (last || frame_i == ~serve_q));", "bounded", "not_interleaved"),
    ("begins the next frame at once", "input_arbiter", "(send && last);", "send;", "bounded", "as_many_words_as_the_length_says"),
    ("ends a word early", "input_arbiter", "rest_q <= PathB[LenW-1:0]", "rest_q <= PathB[LenW-1:0] + 1'b1", "bounded",
     "as_many_words_as_the_length_says"),
    ("waits between frames", "input_arbiter", "!busy_q || (send && last)", "!busy_q", "bounded", "no_idle_cycle_between_frames"),
    ("a verdict for each word", "frame_rewrite", ".pop_i   (pop && word_last),\n    .valid_o (verdict_valid)", ".pop_i   (pop),\n    .valid_o (verdict_valid)", "output_port_lookup:bounded", None),
    ("takes a word back", "frame_rewrite", "if (out_free) out_valid_q <= pop", "out_valid_q <= pop", "narrow", "still_there"),
    ("what goes with a frame goes before it", "frame_rewrite", "if (out_free) begin\n          out_inner_q", "if (1'b1) begin\n          out_inner_q", "tagged", "unchanged"),
    ("room for a word more than there is", "frame_rewrite", "waiting < Depth - 1 || pop", "waiting < Depth || pop", "narrow", "room_for_what_is_taken"),
    ("an entry without ports", "wanted_port", "!hit || no_port", "!hit", "ports_4", "an_entry_with_ports_leads_somewhere"),
    ("room for what is dropped", "frame_verdict", "keep ? choice", "alive ? choice", "none_4", "room_is_taken_where_the_frame_fits"),
    ("two reasons for one drop", "frame_verdict", "valid_i && !malformed_i && ttl_i", "valid_i && ttl_i", "none_4", "one_fate"),
    ("a detour without its mark", "frame_verdict", "mark = detour || ", "mark = ", "first_open_4", "a_detour_is_marked_where_it_can_be"),
    ("a draw of nothing", "detour_decision", "next = load_q || ", "next = ", "frame_verdict:uniform_6", "room_is_taken_where_the_frame_fits"),
    ("a mark the checksum does not know", "checksum_update", "mark_i ? ~ecn_i : 2'b00", "2'b00", "", "right_if_it_was_right"),
    ("the wrong word", "ram_fifo", ".raddr_i (head_q[AddrW-1:0])", ".raddr_i (head_q[AddrW-1:0] ^ 1'b1)", "output_queues:order", None),
    ("a port too far", "pick_uniform", "onehot_o[p] ? p[PortW-1:0]", "onehot_o[p] ? ~p[PortW-1:0]", "ports_4", "number_and_bit"),
    ("forgets the frame before", "output_queues", "long <= slack2_q", "long <= slack_q", "room", None),
    ("sends more than it may", "drr", "head <= deficit_q[c];", "head <= deficit_q[c] + 1'b1;", "classes_2", "never_beyond_its_deficit"),
    ("the last class goes first", "drr", "covers & (~covers + 1'b1)", "covers & ~(covers >> 1)", "classes_2", "the_lowest_that_may"),
    ("takes the next beat for the last", "output_port", "next_is_end = left_q == One", "next_is_end = left_q == {LaneW{1'b0}}", "narrow", "the_last_beat_is_known"),
    ("keeps what is left as it runs empty", "drr", "last_i[c] ? {DeficitW{1'b0}} : ", "", "classes_2", None),
    ("gives to who does not wait", "drr", "round_o && waits_i[c]", "round_o", "classes_2", None),
    ("a round worth nothing", "drr", "given == {QuantumW{1'b0}} ? {{(QuantumW-1){1'b0}}, 1'b1} : given", "given", "classes_2", None),
    ("a round only when all wait", "drr", "waits_i != {NumClasses{1'b0}} && covers", "waits_i == {NumClasses{1'b1}} && covers", "classes_2",
     "one_of_two_where_something_waits"),
    ("a class by a wrong number", "drr", "onehot_o[c] ? c[ClassW-1:0]", "onehot_o[c] ? ~c[ClassW-1:0]", "classes_2", "number_and_bit"),
    ("pays nothing", "drr", "deficit_q[c] - head;", "deficit_q[c];", "classes_2", None),
    ("gives a round's quantum anew", "drr", "deficit_q[c] <= deficit_q[c] + quantum", "deficit_q[c] <= quantum", "classes_2", None),
    ("a class without a flow has no part", "drr_quanta", "flows == {FlowsW{1'b0}} ? {{(FlowsW-1){1'b0}}, 1'b1} : flows;", "flows;", "classes_4", None),
    ("the most of those that do not wait", "drr_quanta", "waits_q[c] && share_q > most[c]", "share_q > most[c]", "classes_4",
     "the_most_of_who_waits"),
    ("a digit that is never two", "drr_quanta", "two   = sum >= {1'b0, most_q, 1'b0}", "two   = 1'b0 & sum[0]", "classes_4", "part_and_rest"),
    ("nothing instead of a byte", "drr_quanta", "part_q == {QuantumW{1'b0}} ? {{(QuantumW-1){1'b0}}, 1'b1} : part_q", "part_q", "classes_4",
     "from_a_byte_to_the_quantum"),
    ("a bit too few", "drr_quanta", "QuantumW[LeftW-1:0] - 1'b1", "QuantumW[LeftW-1:0] - 2'd2", "classes_4", None),
    ("a limit without a cap", "class_limit", "grows && sized_i && below ? room : cap", "grows && sized_i ? room : cap", "narrow",
     "never_above_the_cap"),
    ("long flows have a limit by their number", "class_limit", "grows_i && !is_long", "grows_i", "narrow", None),
    ("the first of the long is short", "class_limit", "{1'b0, class_i} >= long_i", "{1'b0, class_i} > long_i", "narrow", None),
    ("a packet too many", "class_limit", "wide(packets_i) < wide(room)", "wide(packets_i) <= wide(room)", "narrow", "what_joins_fits"),
    ("a byte too few", "class_limit", "<= wide(limit_o)", "< wide(limit_o)", "narrow", "dropped_for_a_reason"),
    ("room where the port has none", "class_limit", "room_i && (!data_i || few && fits)", "!data_i && room_i || few && fits", "narrow",
     "only_where_the_port_has_room"),
    ("acknowledgements are held to the limit", "class_limit", "(!data_i || few && fits)", "(few && fits)", "narrow", "no_data_by_the_port_alone"),
    ("a mark on what is dropped", "class_limit", "mark_o = join_o && data_i", "mark_o = data_i", "narrow", "a_mark_is_of_data_that_joins"),
    ("a mark a packet late", "class_limit", "wide(packets_i) >= wide(mark_at_i)", "wide(packets_i) > wide(mark_at_i)", "narrow",
     "a_mark_from_there_on"),
    ("a limit that goes round", "class_limit", "assign packets_o = room;", "assign packets_o = flows_i == {FlowsW{1'b0}} ? {ProductW{1'b1}} : room;", "narrow",
     None),
    ("counts a flow with each packet", "flow_count", "see_i ? at & ~in_q :", "see_i ? at :", "places_2", "the_count_is_of_the_table"),
    ("silence that is not counted", "flow_count", "flows_q <= flows_q - gone_sum[Places]", "flows_q <= flows_q", "places_2",
     "the_count_is_of_the_table"),
    ("a flow in two places", "flow_count", "place = found ? here : free", "place = free", "places_2", "once_in_the_table"),
    ("out while something waits", "flow_count", "at & ends & in_q & none", "at & ends & in_q", "places_2", "who_waits_counts"),
    ("silent while something waits", "flow_count", "(in_q[p] ? silent[p] && waits_q == {WaitW{1'b0}}", "(in_q[p] ? silent[p]", "places_2", None),
    ("a silence too long", "flow_count", "age >= silence_i", "age > silence_i", "places_2", "silence_and_no_more"),
    ("out for the last", "flow_count", "free != {Places{1'b0}} ? free & (~free + 1'b1) : first", "{{(Places-1){1'b0}}, 1'b1}", "places_2", None),
    ("the last is forgotten first", "flow_count", "order_q <= order_q - passed[Places][PlaceW-1:0]", "order_q <= order_q", "places_2",
     "who_ended_is_in_a_row"),
    ("whoever ended is forgotten", "flow_count", "silent[p] && waits_q == {WaitW{1'b0}} : !barred[order_q]", "silent[p] && waits_q == {WaitW{1'b0}} : silent[p]",
     "places_2", None),
    ("what ended leaves a gap", "flow_count", "back && order_q > order_at[Places]", "1'b0", "places_2", "who_ended_is_in_a_row"),
    ("what leaves still waits", "flow_count", "else if (leave_i && at[p]) waits_q <= waits_q - 1'b1;", "", "places_2", None),
    ("a pointer that is no Gray code", "async_fifo", "gray = binary ^ (binary >> 1);", "gray = binary;", "words_4", None),
    ("full a word too late", "async_fifo", "gray(w_next);", "gray(w_at_q);", "words_4", None),
    ("never full", "async_fifo", "w_ready_q <= w_go && !full;", "w_ready_q <= w_go;", "words_4", None),
    ("reads what has not come", "async_fifo", "r_gray_q != w_gray_sync_q;", "1'b1;", "words_4", None),
    ("begins anew while it is looked at", "async_fifo", "w_rests = !w_run_q && !r_run_sync_q;", "w_rests = !w_run_q;", "words_4", None),
    ("runs before its pointer has come", "async_fifo", "w_rst_ni && w_clean_q && ", "w_rst_ni && ", "words_4", None),
    ("who looks is counted", "flow_count", "else if (comes != {Places{1'b0}}) flows_q", "else if (see_i) flows_q", "places_2",
     "the_count_is_of_the_table"),
]


@pytest.mark.slow
@pytest.mark.parametrize("name, cell, before, after, task, law", BUGS, ids=[bug[0] for bug in BUGS])
def test_a_seeded_bug_is_caught(name, cell, before, after, task, law):
    catch(name, cell, before, after, task, law)


def test_a_seeded_bug_is_caught_in_the_short_run_too():
    catch(f"{BUGS[0][0]} at once", *BUGS[0][1:])


def catch(name, cell, before, after, task, law):
    noticed_by, _, task = task.rpartition(":")
    proof = prove.run(prove.HERE / f"{noticed_by or cell}.sby", task, mutated(f"bug {name}", cell, before, after),
                      f"-bug-{name.replace(' ', '-')}")
    broken = [line for line in proof.log.splitlines() if "failed assertion" in line or "Assert failed" in line]
    assert proof.result in ("FAIL", "UNKNOWN") and broken, proof.log[-2000:]
    assert law is None or any(law in line for line in broken), broken
