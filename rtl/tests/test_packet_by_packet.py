# SPDX-License-Identifier: MIT OR Apache-2.0
"""The whole switch in the place of every switch of a simulated network: each packet meets the same verdict.

A k=4 fat-tree under an incast (packet_by_packet.toml) is simulated; then the software switch takes the place of each of its
twenty switches, one after the other, and then the hardware. bench/packets.py says how they are aligned.
"""

import json
import os
import random

import cocotb
import pytest
from cocotb.triggers import FallingEdge

from bench.coverage import Coverage
from bench.models import Buffering
from bench.mutants import noticed
from bench.packets import Replay, read, run
from bench.simulators import BUILD, RTL, simulate
from bench.switch import Switch
from test_switch_top import CONFIGS

SCENARIO = RTL / "tests" / "packet_by_packet.toml"

# Packets that take the same time each, so that the fewest frames are the fewest bytes.
SMALL = ["transport.mss=6 B", "transport.recovery=newreno", "workload.query.size=84 B"]


def case(policy, limit, mark_at, *sets, simulated=None, back=True):
    """The register's policy and the simulator's, both limits in frames, whatever else the scenario is told."""
    return dict(policy=policy, limit=limit, mark_at=mark_at, back=back, sets=[
        f"switch.buffer={simulated or policy}", f"switch.capacity={limit} pkt", f"switch.buffer.mark_at={mark_at} pkt", *sets])


CASES = {
    "ecn": case("droptail", 8, 3, simulated="ecn"),
    "dibs": case("dibs", 3, 2),
    "dibs-not-back": case("dibs", 5, 3, "switch.buffer.ingress=false", "seeds=[2]", back=False),
    "dibs-first-open": case("dibs-first-open", 4, 2, "seeds=[3]"),
    "dibs-load-aware": case("dibs-load-aware", 3, 2, *SMALL),
    "dibs-long-frames": case("dibs", 4, 2, "transport.mss=1460 B", "workload.query.size=20 kB"),
}


@cocotb.test()
async def every_packet_meets_the_verdict_that_it_met_in_the_simulator(dut):
    b = Switch(dut, random.Random(1))
    await b.start()
    told = json.loads(os.environ["CASE"])
    detours = told["policy"] != "droptail"
    cover = Coverage("packet_by_packet", [
        "queued", "full", "marked by its queue", "one place is left", *["ttl"] * detours,
        *["detoured", "marked by its detour", "a draw among several"] * detours, *["detoured back"] * (detours and told["back"])])
    decided = 0
    switches = read(os.environ["ROWS"])
    busiest = int(os.environ.get("BUSIEST", "0"))
    if busiest:
        switches = sorted(switches, key=lambda switch: -len(switch[2]))[:busiest]
    for ports, to_switch, rows in switches:
        assert ports == b.ports
        dut.rst_ni.value = 0
        for _ in range(4):
            await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        await b.configure(to_switch=to_switch, go_back=told["back"], match_mac=True, limit_frames=told["limit"],
                          mark_at=told["mark_at"], buffer=Buffering(told["policy"]))
        replay = Replay(b)
        for row in rows:
            # A destination's address names the port as well, so it stays when the switch is another one.
            key = False, int.from_bytes(row.frame[:6], "big")
            if key not in b.s.table.groups:
                await b.learn(*key, 1 << row.wanted)
            await replay.decide(row)
            depth = row.depths[row.wanted] if row.depths else None
            cover.hit(row.verdict)
            cover.hit_if(**{
                "marked by its queue": row.marked and row.verdict == "queued", "marked by its detour": row.marked and row.verdict == "detoured",
                "one place is left": depth == told["limit"] - 1, "detoured back": row.verdict == "detoured" and row.port == row.ingress,
                "a draw among several": row.verdict == "detoured" and sum(
                    to_switch >> p & 1 and n < told["limit"] for p, n in enumerate(row.depths)) > 1})
        await replay.end()
        decided += len(rows)
    dut._log.info(f"{decided} packets")
    if not busiest:
        cover.require(dut._log)


def replayed(name, parameters, sim="verilator", sources=None, label="", busiest=0):
    """Simulates a case, then has the hardware decide the same."""
    rows = BUILD / "packets" / f"{name}.csv"
    rows.parent.mkdir(parents=True, exist_ok=True)
    run(SCENARIO, CASES[name]["sets"], rows)
    simulate(sim, "switch_top", "test_packet_by_packet", parameters, sources=sources, label=label,
             env=dict(ROWS=rows, BUSIEST=busiest, CASE=json.dumps(CASES[name])))


# What is built for the tests of the whole switch as well: in the short run only the first is.
ONE, EVERY = CONFIGS["4-links-64-path-256"], CONFIGS["4-links-64-path-256-every-buffer"]


# The simulator and the software switch behind it are built for this.
@pytest.mark.slow
def test_packet_by_packet():
    """The four switches with the most packets, on the build that detours by detour_pick alone."""
    replayed("dibs", ONE, busiest=4)


@pytest.mark.slow
def test_packet_by_packet_in_every_switch():
    replayed("dibs", ONE)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_packet_by_packet_by_every_policy(name):
    replayed(name, EVERY)


@pytest.mark.slow
def test_the_busiest_switch_on_icarus():
    replayed("dibs", ONE, sim="icarus", busiest=1)


MUTANTS = [
    ("one frame more than in the simulator", "output_queues", "frames_q < limit_frames_i", "frames_q <= limit_frames_i"),
    ("marks a frame later than the simulator", "output_queues", "frames_q >= mark_at_i", "frames_q > mark_at_i"),
    ("the next draw and not this one", "detour_decision", ".draw_i   (places_q)", ".draw_i   (places)"),
]


@pytest.mark.slow
@pytest.mark.parametrize("name, cell, before, after", MUTANTS, ids=[m[0] for m in MUTANTS])
def test_a_switch_that_decides_otherwise_is_noticed(name, cell, before, after):
    with noticed(name, cell, before, after, "switch_top") as (sources, label):
        replayed("dibs", ONE, sim="icarus", sources=sources, label=label, busiest=1)
