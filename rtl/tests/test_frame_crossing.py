# SPDX-License-Identifier: MIT OR Apache-2.0
"""Frames across two clocks of any ratio, and resets of any length of either side or of both: no half of one for a whole one.

Each beat carries the number of its frame and its own, so that a beat says where it belongs.
"""

import random

import cocotb
import pytest
from cocotb.triggers import FallingEdge, Timer
from cocotb.utils import get_sim_time

from bench.mutants import noticed
from bench.simulators import EACH, simulate

LINK = 4              # bytes of a beat
FULL = (1 << LINK) - 1
PERIODS = [(8000, 8000), (8000, 8017), (8000, 7983), (8000, 3217), (3217, 8000), (8000, 19937), (2000, 29000), (29000, 2000)]
LENGTHS = (1, 1, 2, 3, 8, 20)   # cycles of a reset
# Cycles of the slower clock after which both sides run again, and what is taken then comes.
SETTLED = 40


class Ends:
    """Drives both sides, each looked at and driven as its own clock falls; a reset makes an end forget the frame it is in."""

    def __init__(self, dut, seed):
        self.dut, self.rng = dut, random.Random(seed)
        self.period = {"s": 8000, "m": 8000}
        self.reset_for = {"s": 4, "m": 4}     # cycles of reset to come
        self.hold = {"s": False, "m": False}  # in reset until told
        self.idle, self.stall = 0.0, 0.0
        self.sending = False                  # new frames begin
        self.number = 0
        self.frame = None                     # what is being sent: (number, beats, broken)
        self.at = 0                           # its beat that is offered next, or is
        self.offered = False
        self.sent = {}                        # by number: [beats, broken, it must come]
        self.open = []                        # beats of the frame that is coming
        self.last_number = -1
        self.held = None
        self.whole, self.torn, self.began_torn, self.given_up = 0, 0, 0, 0
        self.reader_was_reset = -1e12
        dut.s_tvalid_i.value = dut.m_tready_i.value = 0
        dut.s_rst_ni.value = dut.m_rst_ni.value = 0
        for side, end in (("s", self.sender), ("m", self.receiver)):
            cocotb.start_soon(self.clock(side, end))

    async def clock(self, side, end):
        pin, reset = getattr(self.dut, f"{side}_clk_i"), getattr(self.dut, f"{side}_rst_ni")
        pin.value = 0
        await Timer(1 + self.rng.randrange(4000), "ps")
        while True:
            period = self.period[side]
            await Timer(period // 2 + self.rng.choice((-7, 0, 7)), "ps")
            pin.value = 1
            await Timer(period - period // 2, "ps")
            pin.value = 0
            in_reset = bool(self.reset_for[side] or self.hold[side])
            if self.reset_for[side]:
                self.reset_for[side] -= 1
            reset.value = int(not in_reset)
            end(in_reset)

    def may_be_lost(self):
        for what in self.sent.values():
            what[2] = False

    def sender(self, in_reset):
        d = self.dut
        if in_reset:
            self.may_be_lost()
            self.frame, self.offered = None, False
            d.s_tvalid_i.value = 0
            return
        if self.frame is None and self.sending:
            self.frame = (self.number, self.rng.choice((1, 2, 3, 10, 40)), self.rng.random() < 0.1)
            self.at = 0
            self.number += 1
        if self.frame and not self.offered and self.rng.random() >= self.idle:
            number, beats, broken = self.frame
            last = self.at == beats - 1
            d.s_tdata_i.value = number % 65536 << 16 | self.at
            d.s_tkeep_i.value = 0b111 if last else FULL
            d.s_tlast_i.value, d.s_tuser_i.value = int(last), int(last and broken)
            self.offered = True
        d.s_tvalid_i.value = int(self.offered)
        if self.offered and int(d.s_tready_o.value):
            number, beats, broken = self.frame
            if self.at == 0:
                # The sender does not know at once that the receiver was reset.
                knows = get_sim_time("ps") - self.reader_was_reset > SETTLED * max(self.period.values())
                self.sent[number] = [beats, broken, knows]
            self.offered = False
            self.at += 1
            if self.at == beats:
                self.frame = None

    def receiver(self, in_reset):
        d = self.dut
        if in_reset:
            self.reader_was_reset = get_sim_time("ps")
            self.may_be_lost()
            self.open, self.held = [], None
            return
        ready = self.rng.random() >= self.stall
        d.m_tready_i.value = int(ready)
        if not int(d.m_tvalid_o.value):
            assert not (self.held and self.open), "a beat within a frame was taken back"
            self.held = None
            return
        beat = data, keep, last, user = tuple(int(d_.value) for d_ in (d.m_tdata_o, d.m_tkeep_o, d.m_tlast_o, d.m_tuser_o))
        # What waits stays, or is replaced by the end that says torn, or as the first of a frame by that of a later one.
        torn = last and user and keep == 1
        if self.held and self.open and self.held != beat:
            assert torn, f"{self.held} became {beat} while it waited"
        self.held = None if ready else beat
        if not ready:
            return
        if torn:
            assert self.open, "an end of no frame"
            self.torn += 1
            number = self.open[0][0]
            assert number in self.sent and not self.sent[number][2], f"{number} was torn by no reset"
            self.open = []
            return
        self.open.append((data >> 16, data & 65535))
        number = self.open[0][0]
        assert self.open == [(number, n) for n in range(len(self.open))], f"beats of no frame: {self.open[-3:]}"
        assert number in self.sent and number > self.last_number, f"{number} comes out of order"
        beats, broken, _ = self.sent[number]
        assert last == (len(self.open) == beats) and keep == (0b111 if last else FULL), f"beat {self.open[-1]} of {beats}"
        if last:
            assert user == broken
            missing = [n for n, what in self.sent.items() if n < number and what[2]]
            assert not missing, f"{missing} never came"
            self.sent = {n: what for n, what in self.sent.items() if n > number}
            self.whole, self.last_number, self.open = self.whole + 1, number, []

    async def slow(self, cycles):
        await Timer(round(cycles * max(self.period.values())), "ps")

    async def settle(self):
        """Nothing new is sent; what was begun ends and comes; and then frames come that are sent now."""
        self.sending, self.idle, self.stall = False, 0.0, 0.0
        await self.slow(SETTLED + 100)
        assert self.frame is None, "the sender stands still"
        assert not self.open, "a frame without its end"
        assert not any(what[2] for what in self.sent.values()), "a frame never came"
        self.sent = {}
        before, torn = self.whole, self.torn
        self.sending = True
        await self.slow(60)
        self.sending = False
        await self.slow(SETTLED + 60)
        assert self.frame is None and not self.sent and not self.open and self.whole > before, "after it every frame comes"
        assert self.torn == torn


@cocotb.test()
async def frames_cross_whole(dut):
    e = Ends(dut, 1)
    await e.slow(SETTLED)
    for periods in PERIODS:
        e.period = dict(zip("sm", periods))
        await e.settle()
        for idle, stall in ((0, 0), (0.5, 0), (0, 0.6), (0.3, 0.3)):
            e.idle, e.stall, e.sending = idle, stall, True
            await e.slow(120)
        await e.settle()
    assert e.torn == 0 and e.whole > 300


@cocotb.test()
async def resets_of_any_length_tear_no_frame_unsaid(dut):
    """Of either side, of both, one within another; afterwards each frame comes."""
    e = Ends(dut, 2)
    await e.slow(SETTLED)
    for round_ in range(120):
        e.period = dict(zip("sm", e.rng.choice(PERIODS)))
        e.idle, e.stall, e.sending = e.rng.choice((0, 0, 0.4)), e.rng.choice((0, 0.3, 0.8)), True
        await e.slow(e.rng.randrange(5, 60))
        for _ in range(e.rng.randrange(1, 4)):
            for side in e.rng.choice(("s", "m", "sm")):
                e.reset_for[side] = e.rng.choice(LENGTHS)
            await Timer(e.rng.randrange(1, 30) * e.rng.choice(list(e.period.values())), "ps")
            if e.rng.random() < 0.3:
                await e.slow(e.rng.randrange(1, 60))
        await e.settle()
    dut._log.info(f"{e.whole} frames came whole, {e.torn} were torn")
    assert e.torn > 20 and e.whole > 500


@cocotb.test()
async def one_reset_at_any_beat(dut):
    """Each length at each place of a long frame, where nothing else happens."""
    e = Ends(dut, 3)
    await e.slow(SETTLED)
    for side in "sm":
        for length in sorted(set(LENGTHS)):
            for wait in range(8, 44, 5):
                e.stall, e.sending = 0.5 * (wait % 2), True
                await e.slow(wait)
                e.reset_for[side] = length
                await e.slow(length + e.rng.randrange(1, 6))
                await e.settle()
    assert e.torn > 5


@cocotb.test()
async def a_torn_frame_waits_for_a_receiver_that_stands_still(dut):
    """The sender is reset and has begun anew before the receiver takes another beat: what is torn still ends so."""
    e = Ends(dut, 4)
    await e.slow(SETTLED)
    for length in sorted(set(LENGTHS)):
        seen = e.torn
        while e.torn == seen:
            e.idle, e.stall, e.sending = 0, 0.0, True
            while len(e.open) < 2:
                await FallingEdge(dut.m_clk_i)
            e.stall = 1.0
            await e.slow(3)
            e.reset_for["s"] = length
            await e.slow(length + SETTLED)
            await e.settle()


@cocotb.test()
async def one_side_in_reset_loses_nothing_of_what_comes_later(dut):
    """The sender begins as it likes while the receiver is still held; no frame that it began then is lost in part."""
    e = Ends(dut, 5)
    await e.slow(SETTLED)
    for side in "smsm":
        e.sending = True
        await e.slow(30)
        e.hold[side] = True
        await e.slow(SETTLED)
        before = e.whole
        await e.slow(30)
        assert e.whole == before
        e.hold[side] = False
        await e.settle()


MUTANTS = [
    ("a torn frame that looks sound", "m_torn || user", "user"),
    ("an end forgotten", "m_torn || last;", "last;"),
    ("a torn frame with the bytes of another", "m_torn ? {{(LinkB-1){1'b0}}, 1'b1} : keep", "keep"),
    ("the rest of a frame as one of its own", "wire s_torn = s_open_q && (s_torn_q || !s_up);", "wire s_torn = 1'b0;"),
    ("the rest is thrown away until both run", "s_torn_q <= s_torn && !(s_beat && s_tlast_i);", "s_torn_q <= 1'b0;"),
    ("torn until both run", "m_torn_q <= m_torn && !m_beat;", "m_torn_q <= 1'b0;"),
    ("a beat of the next frame for the end", "m_tready_i && !m_torn)", "m_tready_i)"),
    ("what is thrown away crosses", "s_tvalid_i && !s_torn)", "s_tvalid_i)"),
    ("a sender reset throws a frame away", "s_open_q <= 1'b0;", "s_open_q <= s_open_q;"),
    ("a receiver reset ends a frame", "m_open_q <= 1'b0;", "m_open_q <= m_open_q;"),
]


BUILT = {"LinkW": 8 * LINK, "AddrW": 4}


@pytest.mark.parametrize("sim", EACH)
def test_frame_crossing(sim):
    simulate(sim, "frame_crossing", "test_frame_crossing", BUILT)


@pytest.mark.slow
@pytest.mark.parametrize("name, before, after", MUTANTS, ids=[m[0] for m in MUTANTS])
def test_a_broken_crossing_is_noticed(name, before, after):
    with noticed(name, "frame_crossing", before, after, "frame_crossing") as (sources, label):
        simulate("icarus", "frame_crossing", "test_frame_crossing", BUILT, sources=sources, label=label)
