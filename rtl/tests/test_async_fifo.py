# SPDX-License-Identifier: MIT OR Apache-2.0
"""Words across two clocks of any ratio: in order, none lost or doubled; and what a reset of one side does."""

import random
from collections import deque

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge, Timer

from bench.simulators import BOTH, SRC, simulate

WIDTH = 12
# Periods of the writer and of the reader in ps: equal, near each other, 0.4, 2.5, and far from each other.
PERIODS = [(8000, 8000), (8000, 8017), (8000, 7983), (8000, 3217), (3217, 8000), (8000, 19937), (1000, 29000), (29000, 1000)]


class Ends:
    """Drives both sides; each word that is written while both run must come out, in order."""

    def __init__(self, dut, seed):
        self.dut, self.rng = dut, random.Random(seed)
        self.period = {"w": 8000, "r": 8000}
        self.sent, self.written, self.read = 0, deque(), 0
        self.offer, self.take = 1.0, 1.0      # the chance in each cycle
        self.cycles = {"w": 0, "r": 0}
        self.up = {"w": 0, "r": 0}
        self.strict = True                    # no reset has been: every word must come
        dut.w_valid_i.value = dut.r_ready_i.value = 0
        dut.w_rst_ni.value = dut.r_rst_ni.value = 0
        for side in "wr":
            cocotb.start_soon(self.clock(side))
        cocotb.start_soon(self.write())
        cocotb.start_soon(self.reader())

    async def clock(self, side):
        pin = getattr(self.dut, f"{side}_clk_i")
        pin.value = 0
        while True:
            period = self.period[side]
            half = period // 2
            await Timer(half + self.rng.choice((-7, 0, 7)), "ps")
            pin.value = 1
            await Timer(period - half, "ps")
            pin.value = 0

    async def write(self):
        d, valid = self.dut, False
        while True:
            await RisingEdge(d.w_clk_i)
            self.cycles["w"] += 1
            # The values that this edge takes stand until this task writes new ones.
            await ReadOnly()
            was_ready, up = self.w_was
            self.up["w"] = up
            if valid and was_ready:
                self.written.append(self.sent)
                self.sent += 1
                valid = False
            self.w_was = (int(d.w_ready_o.value), int(d.w_up_o.value))
            await Timer(1, "ps")
            if not valid and self.rng.random() < self.offer:
                valid = True
                d.w_data_i.value = self.sent % (1 << WIDTH)
            d.w_valid_i.value = int(valid)

    w_was = (0, 0)
    r_was = (0, 0, 0)

    async def reader(self):
        d, ready = self.dut, False
        while True:
            await RisingEdge(d.r_clk_i)
            self.cycles["r"] += 1
            await ReadOnly()
            valid, data, up = self.r_was
            self.up["r"] = up
            if valid and ready:
                while not self.strict and self.written and self.written[0] % (1 << WIDTH) != data:
                    self.written.popleft()  # lost by a reset
                assert self.written, f"{data} came from nowhere"
                assert self.written[0] % (1 << WIDTH) == data, f"{data} came, {self.written[0]} is next"
                self.written.popleft()
                self.read += 1
            assert not int(d.r_valid_o.value) or int(d.r_up_o.value)
            if self.strict and valid and not ready:
                assert int(d.r_valid_o.value) and int(d.r_data_o.value) == data, "a word changed while it waited"
            self.r_was = (int(d.r_valid_o.value), int(d.r_data_o.value) if int(d.r_valid_o.value) else 0, int(d.r_up_o.value))
            await Timer(1, "ps")
            ready = self.rng.random() < self.take
            d.r_ready_i.value = int(ready)

    async def slow(self, cycles):
        """So many cycles of the slower clock."""
        await Timer(cycles * max(self.period.values()), "ps")

    async def begin(self):
        await self.slow(4)
        self.dut.w_rst_ni.value = self.dut.r_rst_ni.value = 1
        await self.slow(16)
        assert self.up == {"w": 1, "r": 1}

    async def drain(self):
        self.offer, self.take = 0, 1
        await self.slow(60)
        assert not self.written, f"{len(self.written)} words never came"


@cocotb.test()
async def every_ratio_of_clocks(dut):
    e = Ends(dut, 1)
    await e.begin()
    for w, r in PERIODS:
        e.period = {"w": w, "r": r}
        for e.offer, e.take in ((1, 1), (0.5, 1), (1, 0.4), (0.2, 0.2)):
            before, e.strict = e.read, True
            await e.slow(150)
            assert e.read > before + 20
        await e.drain()
        assert e.sent == e.read


@cocotb.test()
async def a_word_in_each_cycle_of_the_slower_clock(dut):
    e = Ends(dut, 2)
    await e.begin()
    for w, r in PERIODS:
        e.period = {"w": w, "r": r}
        e.offer = e.take = 1
        await e.slow(40)
        slower = "w" if e.period["w"] > e.period["r"] else "r"
        before = e.read, e.cycles[slower]
        await e.slow(200)
        words, cycles = e.read - before[0], e.cycles[slower] - before[1]
        dut._log.info(f"writer {e.period['w']} ps, reader {e.period['r']} ps: {words} words in {cycles} cycles of the slower clock")
        assert words >= cycles - 2
    await e.drain()


@cocotb.test()
async def resets_of_either_side_lose_words_and_nothing_else(dut):
    """Short ones, long ones, of both, again before both run; afterwards each word comes."""
    e = Ends(dut, 3)
    await e.begin()
    for round_ in range(20):
        e.period = dict(zip("wr", e.rng.choice(PERIODS)))
        e.offer, e.take, e.strict = 0.7, e.rng.choice((0.2, 0.7, 1)), False
        await e.slow(e.rng.randrange(5, 40))
        for _ in range(e.rng.randrange(1, 4)):
            sides = e.rng.choice(("w", "r", "wr"))
            for side in sides:
                getattr(dut, f"{side}_rst_ni").value = 0
            await Timer(e.rng.choice((1, 1, 2, 5, 20)) * max(e.period[s] for s in sides) + 1, "ps")
            for side in sides:
                getattr(dut, f"{side}_rst_ni").value = 1
            await Timer(e.rng.randrange(1, 12) * e.rng.choice((e.period["w"], e.period["r"])), "ps")
        await e.slow(20)
        assert e.up == {"w": 1, "r": 1}, f"round {round_}"
        # What was written before may be lost; what is written now is not.
        e.offer, e.take = 0, 1
        await e.slow(60)
        e.written.clear()
        e.strict, e.offer, e.take = True, 0.8, 0.8
        before = e.sent
        await e.slow(60)
        await e.drain()
        assert e.sent > before + 20


@cocotb.test()
async def one_side_in_reset_holds_both(dut):
    e = Ends(dut, 4)
    await e.begin()
    for side in "wr":
        e.strict = False
        await e.slow(20)
        getattr(dut, f"{side}_rst_ni").value = 0
        await e.slow(16)
        assert e.up == {"w": 0, "r": 0}
        before = e.sent, e.read
        await e.slow(50)
        assert (e.sent, e.read) == before and e.up == {"w": 0, "r": 0}
        e.written.clear()
        getattr(dut, f"{side}_rst_ni").value = 1
        e.strict = True
        await e.slow(50)
        assert e.up == {"w": 1, "r": 1} and e.read > before[1] + 10
    await e.drain()


@pytest.mark.parametrize("sim, block", [("icarus", 0), *(pytest.param(s, b, marks=pytest.mark.slow) for s in BOTH for b in (0, 1)
                                                        if (s, b) != ("icarus", 0))])
def test_async_fifo(sim, block):
    simulate(sim, "async_fifo", "test_async_fifo", {"Width": WIDTH, "AddrW": 4, "Block": block},
             sources=[SRC / "async_fifo.sv"])
