# SPDX-License-Identifier: MIT OR Apache-2.0
"""The switch with a clock for each port: each frame once, whole and in order whatever the clocks; and resets of one side."""

import os
import random

import cocotb
import pytest

from bench.clocks import CORE, ClockedSwitch
from bench.simulators import BOTH, simulate
from bench.traffic import random_frame, udp64
from test_switch_top import HOST, by_tail, hosts_behind_ports, numbered, settle

SIZE = int(os.environ.get("FRAMES", "40"))   # frames at each port in a round
# Periods to the core's: near it on both sides, 0.4 and 2.5 of its frequency.
NEAR = (1.003, 0.997, 0.4, 2.5)
LENGTHS = (1, 1, 2, 3, 8, 20, 30)   # cycles of a reset, each of its own clock


async def started(dut, ratios=NEAR, **settings):
    b = ClockedSwitch(dut, random.Random(cocotb.RANDOM_SEED), [round(CORE * r) for r in ratios], by_tail)
    await b.start()
    await b.configure(**settings)
    return b


@cocotb.test()
async def random_traffic_is_conserved(dut):
    """With detours, stalls, frames that are bad: the same accounts as of one clock."""
    b = await started(dut, to_switch=0b1110, limit_frames=6, mark_at=3, seed=5)
    rng = b.rng
    for h in range(24):
        await b.learn(True, HOST + h, rng.randrange(1, 16))
        await b.learn(False, 0x02AA_0000_0000 + h, rng.randrange(1, 16))
    n = 0
    for round_, stall in enumerate((0, 0.5, 0.8)):
        b.period = [round(CORE * r) for r in (NEAR, NEAR[::-1], (1, 1, 0.61, 1.73))[round_]]
        b.stall = [stall * (p == round_) for p in range(b.ports)]
        b.idle = [rng.choice([0, 0.3]) for _ in range(b.ports)]
        for _ in range(SIZE * b.ports):
            port = rng.randrange(b.ports)
            frame = random_frame(rng, longest=rng.choice([100, 300, 1518]))
            if rng.random() < 0.05:
                b.send(frame, port, broken=True)
            b.send(numbered(frame, n), port)
            n += 1
        await b.run(cycles=200)
    c = await settle(b)
    assert sum(c["bad"]) and sum(c["detour_to"]) and sum(c["out"]) > SIZE * b.ports and not any(b.torn)


def all_to_all(b, count, first, size=lambda rng: 64):
    """`count` frames from each port, to every port in turn."""
    for n in range(first, first + count * b.ports, b.ports):
        for p in range(b.ports):
            b.send(numbered(udp64(HOST + 100 + p, HOST + (n // b.ports + p) % b.ports, 0, size=size(b.rng)), n + p), p)
    return first + count * b.ports


@cocotb.test()
async def a_faster_core_gives_a_beat_in_each_cycle_of_the_port(dut):
    """Where no port is faster than the core no beat of a frame waits and none is missing within one, at line rate."""
    b = await started(dut, (1.003, 1.1, 1.73, 2.5))
    await hosts_behind_ports(b)
    # To oneself: no two links to one.
    for n in range(SIZE * b.ports):
        p = n % b.ports
        b.send(numbered(udp64(HOST + 100 + p, HOST + p, 0, size=b.rng.randrange(64, 600)), n), p)
    await settle(b)
    dut._log.info(f"beats held back {b.tready_low}, cycles without a beat within frames {b.bubbles}")
    assert not any(b.tready_low) and not any(b.bubbles)
    # And a port that is faster sees bubbles: this says that they would be seen.
    b.period[0] = round(CORE / 2.5)
    b.send(numbered(udp64(HOST + 100, HOST, 0, size=600), 1 << 40), 0)
    await settle(b)
    assert b.bubbles[0] > 0


@cocotb.test()
async def a_ports_reset_is_its_own(dut):
    """Frames between other ports all come; of its own some are lost, none is passed torn, and the next ones come."""
    b = await started(dut, limit_frames=1000)
    await hosts_behind_ports(b)
    first = 0
    for round_ in range(int(os.environ.get("ROUNDS", "8"))):
        port = round_ % b.ports
        b.was_reset = [False] * b.ports
        first = all_to_all(b, 30, first, lambda rng: rng.choice([64, 200, 700]))
        for _ in range(3):
            await b.run(cycles=b.rng.randrange(40, 300))
            b.reset_for[port] = b.rng.choice(LENGTHS)
        while any(b.beats) or any(b.offers):
            await b.run(cycles=200)
        await b.run()
        assert b.was_reset == [p == port for p in range(b.ports)]
        c = await b.counters()
        assert sum(c["in"]) == sum(c["out"]) + sum(c["bad"]) and sum(c["queued"]) == 0, c
        lost = list(b.board.open.items())
        for n, (frame, ingress, r) in lost:
            assert port in (ingress, r.want), f"{n} from {ingress} to {r.want} lost as {port} was reset"
        # Only that port's own frames are torn, as they come, and what left for it came there or was lost there.
        assert all(not c["bad"][p] or p in [q % b.ports for q in range(round_ + 1)] for p in range(b.ports))
        b.board.open.clear()
        seen = sum(b.frames_out)
        before, first = first, all_to_all(b, 8, first)
        await b.run()
        assert not b.board.open and sum(b.frames_out) == seen + first - before, "after it every frame comes"
        assert not any(b.torn), "only the core's reset tears frames that go out"
    dut._log.info(f"torn as they came: {c['bad']}")
    assert sum(c["bad"]) > 0, "no reset met a frame"


@cocotb.test()
async def a_reset_of_the_core_tears_no_frame_unsaid(dut):
    """The ports keep running: frames that are out in part end with tuser, the rest of frames in is thrown away."""
    b = await started(dut)
    first, torn = 0, 0
    for round_ in range(int(os.environ.get("ROUNDS", "8"))):
        await b.configure(limit_frames=1000)
        await hosts_behind_ports(b)
        first = all_to_all(b, 20, first, lambda rng: rng.choice([64, 600, 1400]))
        await until_a_frame_leaves(b, b.rng.randrange(150, 400))
        await b.core_reset(b.rng.choice(LENGTHS))
        # What is still to come from the links finds an empty configuration and goes nowhere, or where the table says.
        await b.configure(limit_frames=1000)
        await b.run()
        c = await b.counters()
        drops = [sum(c[k]) for k in ("bad", "malformed", "ttl", "no_entry", "full")]
        assert sum(c["bad"]) == sum(c["malformed"]) == 0, "no rest of a frame is taken for one"
        assert sum(c["in"]) == sum(c["out"]) + sum(drops) and sum(c["queued"]) == 0, c
        torn = sum(b.torn)
        b.board.open.clear()
        seen = sum(b.frames_out)
        before, first = first, all_to_all(b, 8, first)
        await b.run()
        assert not b.board.open and sum(b.frames_out) == seen + first - before, "after it every frame comes"
    assert torn > 0, "no reset met a frame"


@cocotb.test()
async def resets_of_all_at_once_leave_every_link_working(dut):
    """The core's and those of ports, of any length, one within another or one after another: then every frame comes."""
    b = await started(dut)
    await hosts_behind_ports(b)
    first = cores = ports = 0
    for _ in range(int(os.environ.get("ROUNDS", "8"))):
        await b.configure(limit_frames=1000)
        first = all_to_all(b, 12, first, lambda rng: rng.choice([64, 600, 1400]))
        await until_a_frame_leaves(b, b.rng.randrange(100, 300))
        for _ in range(b.rng.randrange(1, 4)):
            for p in range(b.ports):
                if b.rng.random() < 0.4:
                    b.reset_for[p] = b.rng.choice(LENGTHS)
                    ports += 1
            await b.run(cycles=b.rng.choice([1, 3, 10, 40]))
            if b.rng.random() < 0.7:
                await b.core_reset(b.rng.choice(LENGTHS))
                cores += 1
            await b.run(cycles=b.rng.choice([1, 3, 10, 100]))
        await b.configure(limit_frames=1000)
        await b.run()
        assert sum((await b.counters())["queued"]) == 0
        b.board.open.clear()
        seen, torn = sum(b.frames_out), sum(b.torn)
        before, first = first, all_to_all(b, 8, first)
        await b.run()
        assert not b.board.open and sum(b.frames_out) == seen + first - before and sum(b.torn) == torn, "after them every frame comes"
    dut._log.info(f"{cores} resets of the core, {ports} of ports, {sum(b.torn)} frames torn as they left")
    assert cores and ports and sum(b.torn)


async def until_a_frame_leaves(b, cycles):
    """So many cycles, and more while no frame is out in part: links of 8 bits take long to bring one in."""
    await b.run(cycles=cycles)
    for _ in range(1000):
        if any(b.partial):
            return
        await b.run(cycles=7)
    raise AssertionError("no frame leaves")


QUICK = dict(LinkW=64, PathW=256, QueueW=9)
CONFIGS = {"4-links-64-path-256": (QUICK, dict(FRAMES=40, ROUNDS=8)),
           # A frame is eight times as many beats here: each port is reset in one round.
           "4x1G-path-64": (dict(LinkW=8), dict(FRAMES=20, ROUNDS=4))}
# A build for Verilator takes minutes, and Icarus some too.
RUNS = [pytest.param(config, sim, marks=pytest.mark.slow) for config in CONFIGS for sim in BOTH]


@pytest.mark.parametrize("config, sim", RUNS)
def test_switch_clocks(config, sim):
    parameters, env = CONFIGS[config]
    simulate(sim, "switch_clocks", "test_switch_clocks", parameters, env=env)
