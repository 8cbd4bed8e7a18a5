# SPDX-License-Identifier: MIT OR Apache-2.0
"""switch_clocks under test: Switch with a clock of its own, and a reset, for each port's links.

Each port's link is looked at and driven as its own clock falls.
"""

import cocotb
from cocotb.triggers import FallingEdge, Timer
from cocotb.utils import get_sim_time

from .switch import STUCK, Switch

CORE = 8000   # ps


def field(handle, p, width):
    """One port's bits of a vector, of which those of other ports may be X."""
    text = str(handle.value)
    return int(text[len(text) - width * (p + 1):len(text) - width * p], 2)


class ClockedSwitch(Switch):
    """The device with clocks of these periods in ps, which jitter and so drift against each other."""

    def __init__(self, dut, rng, periods, number):
        super().__init__(dut, rng, number=number)
        self.period = list(periods)
        self.clocks = self.resets = self.ready = 0
        self.lines = {"tdata": 0, "tkeep": 0, "tlast": 0, "tuser": 0, "tvalid": 0}
        self.within = [False] * self.ports      # a frame in has begun and not ended
        self.reset_for = [0] * self.ports       # cycles of reset to come
        self.was_reset = [False] * self.ports
        self.torn = [0] * self.ports            # frames out that ended with tuser
        self.bubbles = [0] * self.ports         # cycles within a frame out without a beat, though it was ready for one
        self.moved = 0
        self.running = False                    # links end their first reset

    async def start(self):
        d = self.dut
        d.port_clk_i.value = d.port_rst_ni.value = 0
        for p in range(self.ports):
            cocotb.start_soon(self.link_of(p))
        await super().start()
        self.running = True
        await self.core_cycles(60)

    async def core_cycles(self, cycles):
        await Timer(cycles * CORE, "ps")

    async def core_reset(self, cycles):
        await FallingEdge(self.dut.clk_i)
        self.dut.rst_ni.value = 0
        for _ in range(cycles):
            await FallingEdge(self.dut.clk_i)
        self.dut.rst_ni.value = 1

    async def link_of(self, p):
        d, bit = self.dut, 1 << p
        while True:
            period = self.period[p]
            await Timer(period // 2 + self.rng.choice((-11, 0, 11)), "ps")
            self.clocks |= bit
            d.port_clk_i.value = self.clocks
            await Timer(period - period // 2, "ps")
            self.clocks &= ~bit
            d.port_clk_i.value = self.clocks
            self.link_falls(p)

    def drive(self, name, p, width, value):
        mask = (1 << width) - 1 << p * width
        new = self.lines[name] & ~mask | int(value) << p * width
        if new != self.lines[name]:
            self.lines[name] = new
            getattr(self.dut, f"s_axis_{name}_i").value = new

    def link_falls(self, p):
        d, bit, n = self.dut, 1 << p, self.link
        if self.reset_for[p]:
            self.reset_for[p] -= 1
            self.was_reset[p] = True
            # A link in reset forgets the frames it is in.
            if self.within[p] or self.offers[p]:
                last = self.offers[p] and self.offers[p][2]
                while not last:
                    last = self.beats[p].popleft()[2]
            self.offers[p], self.within[p] = None, False
            self.partial[p].clear()
            self.held.pop(p, None)
            self.drive("tvalid", p, 1, 0)
            self.resets &= ~bit
            d.port_rst_ni.value = self.resets
            return
        if not self.resets & bit and self.running:
            self.resets |= bit
            d.port_rst_ni.value = self.resets
        if not self.running:
            return
        # In.
        if self.offers[p] is None:
            if self.beats[p] and (not self.idle[p] or self.rng.random() >= self.idle[p]):
                word, keep, last, user = self.offers[p] = self.beats[p].popleft()
                self.drive("tdata", p, 8 * n, word)
                self.drive("tkeep", p, n, keep)
                self.drive("tlast", p, 1, last)
                self.drive("tuser", p, 1, user)
            self.drive("tvalid", p, 1, self.offers[p] is not None)
        if self.offers[p] is not None:
            if field(d.s_axis_tready_o, p, 1):
                self.within[p] = not self.offers[p][2]
                self.offers[p] = None
                self.moved = get_sim_time("ps")
            else:
                self.tready_low[p] += 1
        # Out.
        ready = not self.stall[p] or self.rng.random() >= self.stall[p]
        new = self.ready & ~bit | bit * ready
        if new != self.ready:
            d.m_axis_tready_i.value = self.ready = new
        if not field(d.m_axis_tvalid_o, p, 1):
            assert p not in self.held, "a beat was taken back"
            self.bubbles[p] += bool(ready and self.partial[p])
            return
        self.moved = get_sim_time("ps")
        beat = [field(handle, p, width) for handle, width in
                ((d.m_axis_tdata_o, 8 * n), (d.m_axis_tkeep_o, n), (d.m_axis_tlast_o, 1), (d.m_axis_tuser_o, 1))]
        if p in self.held:
            assert self.held.pop(p) == beat, "a beat changed while it waited"
        if not ready:
            self.held[p] = beat
            return
        word, kept, last, user = beat
        self.partial[p] += word.to_bytes(n, "little")
        if not last:
            assert kept == self.keep_mask, "a partial beat that is not the last"
        elif user:
            self.torn[p] += 1
            self.partial[p].clear()
        else:
            size = kept.bit_length()
            assert kept == (1 << size) - 1 and size, "tkeep has a hole"
            frame = bytes(self.partial[p][:len(self.partial[p]) - n + size])
            self.partial[p].clear()
            self.frames_out[p] += 1
            self.bytes_out[p] += len(frame)
            self.board.seen(frame, p)

    async def run(self, quiet=2500, cycles=None):
        """Until all is sent and nothing has moved for `quiet` cycles of the core; or for `cycles`."""
        if cycles is not None:
            await self.core_cycles(cycles)
            return
        while True:
            await self.core_cycles(100)
            still = (get_sim_time("ps") - self.moved) / CORE
            waits = any(self.beats) or any(self.offers)
            assert not waits or still < STUCK, f"nothing has moved for {STUCK} cycles"
            if not waits and still > quiet:
                break
        await FallingEdge(self.dut.clk_i)
        assert not any(self.partial), "a frame without its end"
