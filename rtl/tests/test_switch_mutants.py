# SPDX-License-Identifier: MIT OR Apache-2.0
"""That the switch's tests would notice: each breaks one thing in one cell, and one test must fail."""

import pytest

from bench.mutants import noticed
from bench.simulators import SRC, simulate
import test_conformance
import test_frame_crossing
import test_packet_by_packet
import test_proofs
from test_switch_top import environment

LOOKUP = ("output_port_lookup", "test_output_port_lookup", dict(PathW=64), ["random_frames_meet_their_verdicts"])
RATE = ("output_port_lookup", "test_output_port_lookup", dict(PathW=64), ["latency_and_rate_are_what_the_head_says"])
RANKS = ("ranked_queues", "test_ranked_queues", dict(NumPorts=2, PortW=1, PathW=128, FillW=4, SlotW=4, LongW=4))
RANKED, MOVING = (*RANKS, ["every_decision_is_the_models"]), (*RANKS, ["nothing_is_lost_while_outputs_move"])
SMALL = dict(LinkW=64, PathW=256, QueueW=9)


def switch(test, **parameters):
    return ("switch_top", "test_switch_top", {**SMALL, **parameters}, [test])


INCAST = "incast_overflows_a_queue_and_every_frame_is_accounted_for"
WHOLE = "a_frame_that_fits_nowhere_is_dropped_whole"
LIMITS = "limits_of_bytes_hold"
BAD = "bad_frames_are_counted_and_leave_no_trace"
NO_GAP = "small_frames_without_any_gap_lose_nothing_and_fill_the_path"

MUTANTS = [
    ("a wrong checksum", "checksum_update", "17'h0feff", "17'h0fefe", LOOKUP),
    ("a mark the checksum does not know", "checksum_update", "{15'h0, mark_i ? ~ecn_i : 2'b00}", "17'h0", LOOKUP),
    ("marks who cannot be marked", "frame_verdict", "mark && ip_i && ecn_i != 2'b00;", "mark && ip_i;", LOOKUP),
    ("always the same draw", "detour_decision", ".step_i    (next),\n        .draw_o    (draw)", ".step_i    (1'b0),\n        .draw_o    (draw)", LOOKUP),
    ("lives one hop too long", "lookup_decide", "ip_i && ttl_i <= 8'd1", "ip_i && ttl_i == 8'd0", LOOKUP),
    ("goes back where it must not", "lookup_decide", "to_switch_i & ~ingress_q[6]", "to_switch_i", LOOKUP),
    ("reads ports of fragments", "header_parse", "view_len >= 38 && (fragment & 16'h3fff) == 16'h0", "view_len >= 38", LOOKUP),
    ("a hash without its salt", "flow_hash", "src_i + salt_i", "src_i", LOOKUP),
    ("one bank of the table", "forward_table", "hit0 || hit1", "hit0", LOOKUP),
    ("counts what is so short", "spray_choice", "valid_i && !ack_i && route", "valid_i && route", LOOKUP),
    ("a frame without time to live takes a turn", "lookup_decide", "valid_q[6] && !malformed_q[6] && !ttl_q[6]",
     "valid_q[6] && !malformed_q[6]", LOOKUP),
    ("a bubble after each frame", "frame_rewrite", "assign pop = out_free &&",
     "assign pop = !(out_valid_q && out_last_q) && out_free &&", RATE),
    ("keeps bad frames", "input_buffer", "if (frame && !sound) write_q <= commit_q;\n      else if (store)",
     "if (store)", switch(BAD)),
    ("mixes frames", "input_arbiter", "(send && last);", "send;", switch(INCAST)),
    ("waits between frames", "input_arbiter", "!busy_q || (send && last)", "!busy_q", switch(NO_GAP)),
    ("queues without an end", "output_queues", "long <= slack_q", "1'b1", switch(LIMITS)),
    ("one frame too many", "output_queues", "frames_q < limit_frames_i", "frames_q <= limit_frames_i", switch(WHOLE)),
    ("one byte too many", "output_port", "b <= {", "b <= 1 + {", switch(INCAST)),
    ("a lost address", "shared_queues", "if (reading_q[p]) head_q <= answer_next;", "if (reading_q[p]) head_q <= head_q + 1'b1;",
     switch(INCAST, Shared=1, QueueW=10, LinkW=32, PathW=256)),
    ("a slot that never comes back", "ranked_queues", "if (lost_one) free_q[lost_slot] <= 1'b1;", "", MOVING),
    ("the slot of the wrong frame comes back", "ranked_queues", "squeezes ? squeezed_data[SlotW-1:0] : victim", "victim", MOVING),
    ("a port begins while one decides", "ranked_queues", "!sending_q[p] && !decide_q;", "!sending_q[p];", MOVING),
    ("a mark by another queue", "ranked_queues", "marked(victim, mark_target)", "marked(victim, mark_want)", RANKED),
    ("a mark with half of its checksum", "ranked_queues", "== header + 11)", "== header + 12)", RANKED),
    ("a header in the wrong place", "ranked_queues", "header_inner ? 32'd21 : 32'd14", "32'd14", RANKED),
    ("what is sent takes no place", "ranked_queues", " + {{(WordsW-1){1'b0}}, sending_q[p]}", "", RANKED),
    ("the victim by the rank of the arrival", "ranked_queues", "leaves ? evicted_rank : rank_q", "rank_q", RANKED),
    ("a victim is counted as an arrival", "ranked_queues", "drops && !leaves}", "drops}", RANKED),
    ("always the same two", "ranked_queues", "wire             next_draw = decide_q", "wire             next_draw = 1'b0 && decide_q", RANKED),
    ("memory that never comes back", "shared_queues", "if (free_one) freed_q <= freed_q + 1'b1;", "",
     switch(NO_GAP, Shared=1, QueueW=8)),
]


def test_each_mutant_and_each_bug_changes_one_place():
    """So that none is made of words that a cell no longer has: those run in the long run alone."""
    changes = ([(name, cell, before) for name, cell, before, *_ in MUTANTS]
               + [(f"bug {name}", cell, before) for name, cell, before, *_ in test_proofs.BUGS]
               + [(name, cell, before) for name, _, cell, before, *_ in test_conformance.MUTANTS]
               + [(name, cell, before) for name, cell, before, _ in test_packet_by_packet.MUTANTS]
               + [(name, "frame_crossing", before) for name, before, _ in test_frame_crossing.MUTANTS])
    assert not [(name, cell) for name, cell, before in changes if (SRC / f"{cell}.sv").read_text().count(before) != 1]
    assert len(changes) > 150 and len({name for name, _, _ in changes}) == len(changes), "each has a folder of its own"


@pytest.mark.slow
@pytest.mark.parametrize("name, cell, before, after, run", MUTANTS, ids=[m[0] for m in MUTANTS])
def test_a_broken_cell_is_noticed(name, cell, before, after, run):
    top, module, parameters, tests = run
    with noticed(name, cell, before, after, top) as (sources, label):
        simulate("icarus", top, module, parameters, sources=sources, tests=tests, label=label,
                 env=environment(parameters, ROUNDS=12 if top == "output_port_lookup" else 1, FRAMES=400, SLOT_W=parameters.get("SlotW", 0)))
