# SPDX-License-Identifier: MIT OR Apache-2.0
"""The cells against the Rust decisions in C++, and that a cell with one thing wrong does not pass."""

import sys

import pytest

from bench.mutants import mutated
from bench.simulators import RTL

sys.path.insert(0, str(RTL / "conformance"))
import conform

BENCHES = [("dibs_variants", 10), ("vertigo", 7), ("spray", 6), ("mulbuff", 10), ("draws", 2)]


@pytest.fixture(scope="module")
def library():
    return conform.reference()


@pytest.mark.slow
@pytest.mark.parametrize("bench, lines", BENCHES)
def test_a_million_vectors_of_each_cell_agree(library, bench, lines):
    agree(library, bench, lines, 1_000_000)


# Built sooner, since it runs for a moment.
@pytest.mark.parametrize("bench, lines", BENCHES)
def test_some_vectors_of_each_cell_agree(library, bench, lines):
    agree(library, bench, lines, 50_000, label="-short", optimize="-O1" if bench == "draws" else "-O0")


def agree(library, bench, lines, count, label="", optimize="-O2"):
    agreed, said = conform.run(conform.build(bench, library, label=label, optimize=optimize), count, 1)
    print(said)
    assert agreed and said.count(", 0 mismatches") == len(said.splitlines()) == lines


MUTANTS = [
    # What is wrong, the bench, the cell, the words, the wrong words, who must notice.
    ("the second half of the draw", "dibs_variants", "scale_draw", "times[n][DrawW+:PortW]", "times[n][DrawW-1+:PortW]",
     "dibs"),
    ("hosts are detours", "dibs_variants", "detour_pick", "(fits_i & switch_i)", "(fits_i)", "dibs"),
    ("from the port after the drawn one", "dibs_variants", "detour_first_open", "open & ({NumPorts{1'b1}} << start)",
     "open & ({NumPorts{1'b1}} << start << 1)", "dibs-first-open"),
    ("ties count as less", "dibs_variants", "detour_load_aware",
     "depth_i[q*DepthW+:DepthW] < depth_i[p*DepthW+:DepthW]",
     "(depth_i[q*DepthW+:DepthW] < depth_i[p*DepthW+:DepthW] || (q < p && "
     "depth_i[q*DepthW+:DepthW] == depth_i[p*DepthW+:DepthW]))", "dibs-load-aware"),
    ("a digit of a constant", "dibs_variants", "flow_order", "94d0_49bb_1331_11eb", "94d0_49bb_1331_11ea", "dibs-flow"),
    ("the last of the order", "dibs_variants", "detour_flow", "hit & (~hit + 1'b1)", "hit & ~(hit >> 1)", "dibs-flow"),
    ("at most is less than", "dibs_variants", "detour_probabilistic", "rank_i > favour_i", "rank_i >= favour_i",
     "dibs-probabilistic"),
    ("once too often", "dibs_variants", "detour_allow", "detours_i >= max_detours_i", "detours_i > max_detours_i", "dibs"),
    ("the last of equals goes first", "vertigo", "rank_queue", "<= rank_i && !(pop_tail", "< rank_i && !(pop_tail",
     "rank_queue"),
    ("the block before that of its equals", "vertigo", "rank_blocks", "used[i] && low[i] <= asked", "used[i] && low[i] < asked", "rank_blocks"),
    ("a block that splits too early", "vertigo", "rank_blocks", "wire full   = held[Places-1];", "wire full   = held[Places-2];",
     "rank_blocks of 1024"),
    ("another policy by the register", "dibs_variants", "detour_choice", "LoadAware = 3'd3, Flow = 3'd4", "LoadAware = 3'd4, Flow = 3'd3",
     "detour_choice dibs-flow"),
    ("a tie evicts", "vertigo", "vertigo_deflect", "want_tail > rank_i;", "want_tail >= rank_i;", "vertigo_deflect"),
    ("the arrival is the victim", "vertigo", "vertigo_deflect", "larger ? want_tail : rank_i", "rank_i",
     "vertigo_deflect"),
    ("a tie is squeezed out", "vertigo", "vertigo_deflect", "target_tail > victim;", "target_tail >= victim;",
     "vertigo_deflect buffer/vertigo"),
    ("the fuller of two", "vertigo", "shorter_of_two", "second_depth < first_depth", "second_depth > first_depth",
     "vertigo_deflect buffer/vertigo"),
    ("the longer of two", "spray", "shorter_of_two", "second_depth < first_depth", "second_depth > first_depth",
     "shorter_of_two route/power-of-two"),
    ("the second is the first", "spray", "shorter_of_two", "set_i & ~first_bit", "set_i", "shorter_of_two of our own"),
    ("a full counter is not rebased", "spray", "spray_counter", "sum > {1'b0, limit_i}", "sum > {1'b1, limit_i}",
     "spray_counter route/spray-counter"),
    ("ties go to the one that was taken", "spray", "spray_counter", "{1'b0, port_o} + 1'b1;", "{1'b0, port_o};",
     "spray_counter route/spray-counter"),
    ("one hop counts as well", "spray", "spray_counter", "step_i && several && !queued_i", "step_i && !queued_i",
     "spray_counter of our own"),
    ("below the base goes round", "spray", "spray_counter", "count_q[p] < had[NumPorts] ? {CountW{1'b0}} : left", "left",
     "spray_counter of our own"),
    ("a pointer too far stays there", "spray", "spray_rr", "{1'b0, pointer} < many ? pointer : {PortW{1'b0}}", "pointer",
     "spray_rr route/spray-rr"),
    ("a packet less in each turn", "spray", "spray_rr", "packets < {1'b0, burst_i}", "packets + 1'b1 < {1'b0, burst_i}",
     "spray_rr route/spray-rr"),
    ("the stride is always one", "spray", "spray_rr", "= shuffle ? new_by[NumPorts+1] : stride_d;", "= stride_d;",
     "spray_rr of our own"),
    ("the turns begin with the last", "mulbuff", "drr", "covers & (~covers + 1'b1)", "covers & ~(covers >> 1) & ~(covers >> 2)",
     "drr sched/wps"),
    ("parts are of all and not of those that wait", "mulbuff", "drr_quanta", "waits_q[c] && share_q > most[c]", "share_q > most[c]",
     "drr of our own by wps"),
    ("an end is no end", "mulbuff", "flow_count", "if (ends_i) ends_q[p] <= 1'b1;", "", "flow_count sched/wps"),
    ("a full table forgets another", "mulbuff", "flow_count", "order_q == {PlaceW{1'b0}};", "order_q == ended_many[PlaceW-1:0] - 1'b1;",
     "flow_count of our own by ps"),
    ("a connection ends with the one before", "mulbuff", "flow_count", "at[p] && opens_i)", "1'b0)", "flow_count of our own by ps"),
    ("a packet more than flows say", "mulbuff", "class_limit", "wide(packets_i) < wide(room)", "wide(packets_i) <= wide(room)",
     "class_limit buffer/mulbuff"),
    ("a byte less than the cap", "mulbuff", "class_limit", "<= wide(limit_o)", "< wide(limit_o)", "class_limit of our own"),
    ("one step too few", "draws", "lfsr", "i < Leap", "i < Leap - 1", "lfsr"),
]


@pytest.mark.slow
@pytest.mark.parametrize("name, bench, cell, before, after, notices", MUTANTS, ids=[m[0] for m in MUTANTS])
def test_a_cell_with_one_thing_wrong_is_noticed(library, name, bench, cell, before, after, notices):
    notice_a_mutant(library, name, bench, cell, before, after, notices)


def test_one_wrong_cell_is_noticed_in_the_short_run_too(library):
    notice_a_mutant(library, f"{MUTANTS[0][0]} at once", "draws", *MUTANTS[0][2:5], "pick_uniform")


def notice_a_mutant(library, name, bench, cell, before, after, notices):
    folder = mutated(name, cell, before, after)
    program = conform.build(bench, library, folder, f"-{folder.name}", "-O0")
    agreed, said = conform.run(program, 20_000, 1, [notices.split()[-1]] if bench == "dibs_variants" else None)
    line = next(line for line in said.splitlines() if line.startswith(f"{notices}: "))
    assert not agreed and ", 0 mismatches" not in line, said
