# SPDX-License-Identifier: MIT OR Apache-2.0
"""flow_count: the flows in a class, against the exact count of the scheduler `wps`."""

import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from bench import reference
from bench.coverage import Coverage
from bench.reference import ACK, DATA, POP, PUSH, SEE, SYN
from bench.simulators import EACH, SRC, simulate

TIME_W, SILENCE = 9, 100  # time goes round often
TICK = 1_000_000  # ps


class Counting:
    """The cell and a scheduler with one class, in step."""

    def __init__(self, dut):
        self.dut, self.places = dut, 1 << len(dut.seat_i)

    async def start(self):
        d = self.dut
        cocotb.start_soon(Clock(d.clk_i, 8, "ns").start())
        for name in ("now_i", "key_i", "opens_i", "data_i", "ends_i", "seat_i", "age_i", "see_i", "join_i", "leave_i"):
            getattr(d, name).value = 0
        d.silence_i.value = SILENCE

    async def renew(self):
        """No flow is known, and nothing waits."""
        self.sched = reference.Classed("wps", f"classes=1; places={self.places}; silence={SILENCE} us; weights=1")
        self.now, self.waiting = 0, []
        self.dut.rst_ni.value = 0
        await FallingEdge(self.dut.clk_i)
        self.dut.rst_ni.value = 1

    async def cycle(self, operation, **inputs):
        """One operation; what the cell says of a seat in that cycle."""
        d = self.dut
        for name, value in inputs.items():
            getattr(d, name).value = value
        operation.value = 1
        await ReadOnly()
        seat = int(d.seat_o.value) if int(d.seated_o.value) else None
        await FallingEdge(d.clk_i)
        operation.value = 0
        return seat

    def agree(self, step):
        """How many flows are in."""
        assert int(self.dut.flows_o.value) == step.flows[0], (int(self.dut.flows_o.value), step.flows[0])
        return step.flows[0]

    async def packet(self, flow, kind=DATA, ends=False, joins=True, pause=0):
        """A packet comes, so much later; how many flows are in."""
        d, brings = self.dut, kind != ACK
        self.now += pause
        step = self.sched.step(PUSH if joins else SEE, now=self.now * TICK, key=flow, kind=kind, ends=ends, wire=1538)
        await self.cycle(d.age_i, now_i=self.now % (1 << TIME_W), key_i=flow, opens_i=int(kind == SYN), data_i=int(brings),
                         ends_i=int(ends))
        if brings:
            await self.cycle(d.see_i)
        if joins:
            seat = await self.cycle(d.join_i) if brings or ends else None
            self.waiting.append(seat)
        return self.agree(step)

    async def leave(self):
        """The packet that waits longest leaves; how many flows are in."""
        step = self.sched.step(POP)
        seat = self.waiting.pop(0)
        if seat is not None:
            await self.cycle(self.dut.leave_i, seat_i=seat)
        return self.agree(step)


@cocotb.test()
async def directed(dut):
    c = Counting(dut)
    await c.start()
    await c.renew()
    assert await c.packet(1, joins=False) == 1, "before anything of it joins"
    assert [await c.packet(1), await c.packet(2), await c.packet(1, ends=True)] == [1, 2, 2]
    assert [await c.leave() for _ in range(3)] == [2, 2, 1], "until its last has left"
    # A repair counts while it waits, and no longer.
    assert [await c.packet(1, pause=9), await c.leave()] == [2, 1]
    assert await c.packet(9, ACK, pause=90, joins=False) == 1, "2 was seen 99 ago"
    assert await c.packet(9, ACK, pause=1, joins=False) == 0
    await c.renew()
    assert [await c.packet(1), await c.packet(7, ACK, pause=1000)] == [1, 1], "it only waits to be sent"
    assert [await c.leave(), await c.leave()] == [1, 1]
    assert await c.packet(1, ACK, ends=True) == 0, "a bare end"
    assert [await c.packet(1, SYN, pause=1), await c.leave(), await c.leave()] == [1, 1, 1], "a new connection"
    # 1 was seen before 2 and ended after it: it is remembered until 2 is forgotten, so a repair of it is one.
    await c.renew()
    assert [await c.packet(1), await c.packet(2, joins=False, pause=50), await c.packet(2, ACK, ends=True, pause=1)] == [1, 2, 1]
    assert [await c.packet(1, ACK, ends=True, pause=9), await c.leave(), await c.leave(), await c.leave()] == [1, 0, 0, 0]
    assert [await c.packet(1, pause=50), await c.leave()] == [1, 0], "silent for 110"
    # A table that is full forgets who has ended, and then leaves new flows out.
    await c.renew()
    for flow in range(c.places):
        assert await c.packet(flow, ends=flow < 1) == flow + 1
    assert await c.packet(90) == c.places, "left out"
    assert await c.leave() == c.places - 1
    assert [await c.packet(91), await c.packet(92)] == [c.places, c.places]
    while c.waiting:
        await c.leave()
    assert await c.packet(0, ACK, pause=SILENCE, joins=False) == 0


@cocotb.test()
async def constrained_random(dut):
    c, rng = Counting(dut), random.Random(1)
    cover = Coverage(f"flow_count_{c.places}", ["a flow comes", "a flow ends", "silent", "several silent", "a bare end", "opens", "left out",
                                                "a repair", "time goes round", "empty", "full", "seen twice"])
    await c.start()
    for round_ in range(40):
        await c.renew()
        flows, pauses, ended = rng.choice([2, c.places, 2 * c.places]), rng.choice([[0, 1, 5], [0, 20, 60], [0, 30, 130]]), set()
        before = 0
        for step in range(150):
            if c.waiting and rng.random() < (0.6 if step % 50 > 25 else 0.3):
                count = await c.leave()
                cover.hit_if(**{"a flow ends": count < before})
            else:
                flow, kind = rng.randrange(flows), rng.choice([DATA] * 6 + [ACK, SYN])
                ends, joins, pause = rng.random() < 0.25, rng.random() < 0.8, rng.choice(pauses)
                round_before = c.now >> TIME_W
                count = await c.packet(flow, kind, ends, joins, pause)
                bare = kind == ACK and ends and joins
                cover.hit_if(**{"a flow comes": count > before, "silent": count < before and not bare, "several silent": count < before - 1,
                                "a bare end": bare and count < before, "opens": kind == SYN, "seen twice": not joins and kind == DATA,
                                "left out": joins and kind != ACK and c.waiting[-1] is None,
                                "a repair": flow in ended and kind == DATA, "time goes round": c.now >> TIME_W != round_before})
                ended |= {flow} if ends else set()
            cover.hit_if(empty=count == 0, full=count == c.places)
            before = count
        # Without packets the count goes back to zero.
        while c.waiting:
            before = await c.leave()
        assert await c.packet(0, ACK, joins=False, pause=SILENCE) == 0
        cover.hit_if(**{"several silent": before > 1})
    cover.require(dut._log)


@pytest.mark.parametrize("place_w", [1, 3])
@pytest.mark.parametrize("sim", EACH)
def test_flow_count(sim, place_w):
    simulate(sim, "flow_count", "test_flow_count", {"PlaceW": place_w, "KeyW": 32, "TimeW": TIME_W},
             [SRC / "flow_count.sv"], reference.env())
