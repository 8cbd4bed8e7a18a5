# SPDX-License-Identifier: MIT OR Apache-2.0
"""ranked_queues: every decision and every frame against the model of bench/ranked.py, which vertigo_deflect's vectors pin."""

import os
import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from bench.coverage import Coverage
from bench.models import sent, tagged
from bench.ranked import Ranked, Waiting
from bench.simulators import EACH, simulate
from bench.traffic import udp64

COUNTS = ["full", "evicted", "detour_from", "detour_to", "mark"]


class Queues:
    """The cell, frames to it, and what comes out of it."""

    def __init__(self, dut, rng):
        self.dut, self.rng = dut, rng
        self.ports = len(dut.valid_o)
        self.bytes = len(dut.data_i) // 8
        self.width = len(dut.limit_frames_i)
        self.slot_w = int(os.environ["SLOT_W"])
        self.model = Ranked(self.ports, ((1 << self.slot_w) - 4) // self.ports)
        self.frames = []                               # by number: (as it came, able, inner)
        self.out = [[] for _ in range(self.ports)]     # frames that left
        self.partial = [bytearray() for _ in range(self.ports)]
        self.counted = {}
        self.ready = 0.0

    async def start(self):
        d = self.dut
        d.rst_ni.value = 0
        for name in ("vertigo_i", "to_switch_i", "limit_frames_i", "mark_at_i", "seed_we_i", "seed_i", "valid_i", "data_i", "last_i",
                     "fill_i", "dest_i", "rank_i", "able_i", "inner_i", "checksum_i", "pop_i"):
            getattr(d, name).value = 0
        cocotb.start_soon(Clock(d.clk_i, 8, "ns").start())
        for _ in range(4):
            await FallingEdge(d.clk_i)
        d.rst_ni.value = 1
        await FallingEdge(d.clk_i)

    def set(self, vertigo=True, to_switch=0, limit=None, mark_at=None):
        d, m, most = self.dut, self.model, (1 << self.width) - 1
        m.vertigo, m.to_switch, m.limit, m.mark_at = vertigo, to_switch, limit or most, most if mark_at is None else mark_at
        d.vertigo_i.value, d.to_switch_i.value, d.limit_frames_i.value, d.mark_at_i.value = int(vertigo), to_switch, m.limit, m.mark_at

    async def cycle(self):
        """One, in which outputs take what they may and counts are taken."""
        d = self.dut
        valid = int(d.valid_o.value)
        pop = sum(1 << p for p in range(self.ports) if valid >> p & 1 and self.rng.random() < self.ready)
        d.pop_i.value = pop
        if pop:
            data, last, fill = (getattr(d, name).value for name in ("data_o", "last_o", "fill_o"))
            bits = 8 * self.bytes
            each = len(d.fill_o) // self.ports
            for p in range(self.ports):
                if pop >> p & 1:
                    text = str(data)
                    word = int(text[len(text) - bits * (p + 1):len(text) - bits * p], 2)
                    text, ends = str(fill), str(last)[-1 - p] == "1"
                    keeps = int(text[len(text) - each * (p + 1):len(text) - each * p], 2) if ends else 0
                    self.partial[p] += word.to_bytes(self.bytes, "little")[:keeps or self.bytes]
                    if ends:
                        self.out[p].append(bytes(self.partial[p]))
                        self.partial[p] = bytearray()
        await FallingEdge(d.clk_i)
        for name in COUNTS:
            mask = int(getattr(d, name + "_o").value)
            for p in range(self.ports):
                if mask >> p & 1:
                    self.counted[name, p] = self.counted.get((name, p), 0) + 1

    async def send(self, rank, want, size=64, ecn=2, inner=False, decided=True, gap=0):
        """A frame that wants a port. With `decided` the model decides as well."""
        d = self.dut
        number = len(self.frames)
        frame = udp64(1, 2, number, ecn=ecn, size=size)
        frame = tagged(frame, rank) if inner else frame
        came, marks = sent(frame, False), sent(frame, True)
        at = (21 if inner else 14) + 10
        able = ecn in (1, 2)
        self.frames.append((came, marks))
        d.dest_i.value, d.rank_i.value, d.able_i.value, d.inner_i.value = 1 << want, rank, int(able), int(inner)
        d.checksum_i.value = int.from_bytes(marks[at:at + 2], "big")
        d.fill_i.value = len(came) % self.bytes
        for k in range(0, len(came), self.bytes):
            d.valid_i.value, d.last_i.value = 1, int(k + self.bytes >= len(came))
            d.data_i.value = int.from_bytes(came[k:k + self.bytes], "little")
            await self.cycle()
            while gap and self.rng.random() < gap:
                d.valid_i.value = 0
                await self.cycle()
        d.valid_i.value = 0
        if decided:
            self.model.arrive(Waiting(rank, number, able), want)
            self.model.start()

    async def drain(self):
        self.ready, quiet = 1.0, 0
        while quiet < 20 * self.ports:
            quiet = 0 if int(self.dut.valid_o.value) else quiet + 1
            await self.cycle()
        assert not any(self.partial), "a frame without its end"
        assert int(self.dut.frames_o.value) == 0


@cocotb.test()
async def every_decision_is_the_models(dut):
    """While no output moves nothing is left to chance: who waits where, marked or not, and in which order they leave."""
    rng = random.Random(cocotb.RANDOM_SEED)
    b = Queues(dut, rng)
    full = (1 << b.ports) - 1
    cover = Coverage(f"ranked_queues_{b.ports}", [
        "fits", "evicts", "squeezes", "moves what came", "moves what waited", "drops what came", "drops what waited", "dropped by drop-tail",
        "is moved from a queue that marks to one that does not", "marked", "a mark that cannot be", "equal ranks", *[("moves to port", p) for p in range(b.ports)], "a tag before its header", "as it came"])
    scenes = [dict(to_switch=full), dict(to_switch=full, mark_at=2), dict(to_switch=full & ~1, limit=3), dict(to_switch=2, limit=2, mark_at=1),
              dict(to_switch=0, limit=3), dict(vertigo=False, to_switch=full, limit=3, mark_at=2), dict(to_switch=full, limit=1),
              dict(to_switch=full & ~1, limit=5, mark_at=4)]
    for number, scene in enumerate(scenes):
        hot = 1 if number == 1 else 0
        await b.start()
        b.model, b.frames, b.counted = Ranked(b.ports, b.model.places), [], {}
        b.out, b.ready = [[] for _ in range(b.ports)], 0.0
        b.set(**scene)
        for n in range(b.ports * b.model.places * 2):
            # At first most to one port, so that it is full while others are not; as all are in the end.
            want = hot if rng.random() < 0.75 and n < b.ports * b.model.places else rng.randrange(b.ports)
            await b.send(rng.choice([0, 5, 5, rng.randrange(1 << 32), rng.randrange(100)]), want, size=rng.choice([64, 64, 80, 129]),
                         ecn=rng.randrange(4), inner=rng.random() < 0.3)
            if rng.random() < 0.3:
                for _ in range(rng.randrange(12)):
                    await b.cycle()
        for _ in range(4):
            await b.cycle()
        depths = int(dut.frames_o.value)
        assert [depths >> b.width * p & (1 << b.width) - 1 for p in range(b.ports)] == [b.model.depth(p) for p in range(b.ports)]
        expected = [b.model.rest(p) for p in range(b.ports)]
        await b.drain()
        for p in range(b.ports):
            assert b.out[p] == [b.frames[f.number][f.marked] for f in expected[p]], p
            ranks = [f.rank for f in expected[p]]
            cover.hit_if(**{"equal ranks": len(set(ranks)) < len(ranks), "marked": any(f.marked for f in expected[p]),
                            "as it came": any(f.able for f in expected[p]),
                            "a mark that cannot be": any(not f.able and not f.marked for f in expected[p]),
                            "a tag before its header": any(f.marked and b.frames[f.number][1][12:14] == b"\x88\xb5" for f in expected[p])})
        assert b.counted == {k: n for k, n in b.model.counted.items() if n}, (b.counted, b.model.counted)
        for what, times in b.model.happened.items():
            cover.hit(*[what] * times)
    cover.require(dut._log)


@cocotb.test()
async def nothing_is_lost_while_outputs_move(dut):
    """Each frame leaves once, whole, or is counted; and the slots all come back: there are many more frames than slots."""
    rng = random.Random(cocotb.RANDOM_SEED + 1)
    b = Queues(dut, rng)
    await b.start()
    b.set(to_switch=(1 << b.ports) - 2, limit=4, mark_at=2)
    b.ready = 0.25
    for _ in range(12 << b.slot_w):
        await b.send(rng.randrange(50), rng.randrange(b.ports), size=rng.choice([64, 64, 65, 200]), ecn=rng.randrange(4),
                     inner=rng.random() < 0.3, decided=False, gap=rng.choice([0, 0, 0.5]))
    await b.drain()
    total = lambda name: sum(n for (what, _), n in b.counted.items() if what == name)
    left = [f for out in b.out for f in out]
    kinds = {frame: n for n, pair in enumerate(b.frames) for frame in pair}
    numbers = [kinds[f] for f in left]
    assert len(set(numbers)) == len(numbers), "twice"
    assert len(left) + total("full") + total("evicted") == len(b.frames) and total("full") and total("evicted")
    assert total("detour_from") == total("detour_to") > 0 and b.counted.get(("detour_to", 0), 0) == 0
    marked = sum(f == b.frames[n][1] != b.frames[n][0] for f, n in zip(left, numbers))
    assert 0 < marked <= total("mark")


CONFIGS = {"4-ports-64": dict(SlotW=5, LongW=5), "2-ports-128": dict(NumPorts=2, PortW=1, PathW=128, FillW=4, SlotW=4, LongW=4)}


# In the short run the smaller of the two.
@pytest.mark.parametrize("config", [pytest.param("4-ports-64", marks=pytest.mark.slow), "2-ports-128"])
@pytest.mark.parametrize("sim", EACH)
def test_ranked_queues(sim, config):
    simulate(sim, "ranked_queues", "test_ranked_queues", CONFIGS[config], env={"SLOT_W": CONFIGS[config]["SlotW"]})
