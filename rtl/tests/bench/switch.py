# SPDX-License-Identifier: MIT OR Apache-2.0
"""A whole switch under test: links that idle and stall, registers, and a scoreboard (scoreboard.py).

Everything is looked at and driven at the falling edge. All outputs come from registers, so what is
seen there is what the next rising edge moves: no simulator can disagree about it.
"""

from collections import deque

from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

import cocotb

from .models import Buffering, Settings, Spraying
from .registers import EVERY, registers
from .scoreboard import Scoreboard

STUCK = 20_000   # cycles; four full input buffers of frames that are dropped take 2048

# Addresses are the same in every build.
MAP = registers(**EVERY)
TO_SWITCH, CONTROL, LIMIT_FRAMES, LIMIT_BYTES, MARK_AT, ALPHA, SALT, ROUTE, SEED, BUFFER, KEY_LOW, KEY_HIGH, KEY_PORTS, TABLE_WRITE, EARLY, RANK = (
    MAP[name].address for name in (
        "TO_SWITCH", "CONTROL", "LIMIT_FRAMES", "LIMIT_BYTES", "MARK_AT", "ALPHA", "SALT", "ROUTE", "SEED", "BUFFER", "KEY_LOW", "KEY_HIGH",
        "KEY_PORTS", "TABLE_WRITE", "EARLY", "RANK"))
COUNTERS = {name.removeprefix("COUNTER.").lower(): register.addresses() for name, register in MAP.items() if name.startswith("COUNTER.")}


def known(value, valid, ports):
    """A vector over the ports as a number; what a port offers must be known, what it does not may be X."""
    # `is_resolvable` looks at each bit by itself: that took longer than the whole switch.
    text = str(value)
    try:
        return int(text, 2)
    except ValueError:
        pass
    width = len(text) // ports
    fields = [text[len(text) - width * (p + 1):len(text) - width * p] for p in range(ports)]
    return sum(int(field, 2) << width * p for p, field in enumerate(fields) if valid >> p & 1)


class Switch:
    """The device, its links and its registers."""

    SHORTEST, LONGEST = 60, 1518   # bytes of a sound frame

    def __init__(self, dut, rng, ports=None, scoreboard=None, number=None):
        self.dut, self.rng = dut, rng
        self.ports = len(dut.m_axis_tvalid_o)
        self.link = len(dut.m_axis_tdata_o) // self.ports // 8
        self.s = Settings(ports=self.ports)
        self.board = Scoreboard(self.s, number) if number else None
        self.beats = [deque() for _ in range(self.ports)]    # (data, keep, last, user)
        self.idle = [0.0] * self.ports       # chance of a cycle without a beat, when none is offered
        self.stall = [0.0] * self.ports      # chance that an output is not ready
        self.credit = [None] * self.ports    # cycles between beats out: a slow link; None for each cycle
        self.gap = 0                         # cycles between frames in
        self.every = 1                       # cycles a beat takes on a link in: a slow link
        self.wait = [0] * self.ports
        self.wait_out = [0] * self.ports
        self.partial = [bytearray() for _ in range(self.ports)]
        self.offering = 0
        self.offers = [None] * self.ports
        self.held = {}
        self.cycle = 0
        self.tready_low = [0] * self.ports   # cycles in which an offered beat was not taken
        self.frames_out = [0] * self.ports
        self.bytes_in, self.bytes_out = [0] * self.ports, [0] * self.ports   # of sound frames; of all that left
        self.first_of = [None] * self.ports  # the cycle in which each port first offered a beat
        self.last_in = self.first_out = self.last_out = self.first_in = None
        self.word_mask = (1 << 8 * self.link) - 1
        self.keep_mask = (1 << self.link) - 1

    async def start(self):
        d = self.dut
        d.rst_ni.value = 0
        for name in ("s_axis_tdata_i", "s_axis_tkeep_i", "s_axis_tlast_i", "s_axis_tuser_i", "s_axis_tvalid_i",
                     "m_axis_tready_i", "s_axil_awaddr_i", "s_axil_awvalid_i", "s_axil_wdata_i", "s_axil_wstrb_i",
                     "s_axil_wvalid_i", "s_axil_bready_i", "s_axil_araddr_i", "s_axil_arvalid_i", "s_axil_rready_i"):
            getattr(d, name).value = 0
        cocotb.start_soon(Clock(d.clk_i, 8, "ns").start())
        for _ in range(4):
            await FallingEdge(d.clk_i)
        d.rst_ni.value = 1
        for _ in range(4):
            await FallingEdge(d.clk_i)

    # Registers.

    async def write(self, address, value):
        d = self.dut
        d.s_axil_awaddr_i.value, d.s_axil_wdata_i.value, d.s_axil_wstrb_i.value = address, value, 15
        d.s_axil_awvalid_i.value = d.s_axil_wvalid_i.value = 1
        d.s_axil_bready_i.value = 1
        while not int(d.s_axil_awready_o.value):
            await FallingEdge(d.clk_i)
        await FallingEdge(d.clk_i)
        d.s_axil_awvalid_i.value = d.s_axil_wvalid_i.value = 0
        while not int(d.s_axil_bvalid_o.value):
            await FallingEdge(d.clk_i)
        await FallingEdge(d.clk_i)

    async def read(self, address):
        d = self.dut
        d.s_axil_araddr_i.value, d.s_axil_arvalid_i.value, d.s_axil_rready_i.value = address, 1, 1
        while not int(d.s_axil_arready_o.value):
            await FallingEdge(d.clk_i)
        await FallingEdge(d.clk_i)
        d.s_axil_arvalid_i.value = 0
        while not int(d.s_axil_rvalid_o.value):
            await FallingEdge(d.clk_i)
        value = int(d.s_axil_rdata_o.value)
        await FallingEdge(d.clk_i)
        return value

    async def counters(self):
        """All of them, by name: a list over the ports."""
        return {name: [await self.read(address) for address in addresses[:self.ports]] for name, addresses in COUNTERS.items()}

    async def configure(self, to_switch=0, salt=0, go_back=True, match_mac=False, limit_frames=None,
                        limit_bytes=None, mark_at=None, alpha=None, seed=None, route=None, buffer=None):
        s = self.s
        s.to_switch, s.salt, s.go_back, s.match_mac = to_switch, salt, go_back, match_mac
        s.route, s.buffer = route or Spraying(), buffer or Buffering()
        await self.write(TO_SWITCH, to_switch)
        await self.write(CONTROL, int(go_back) | int(match_mac) << 1)
        await self.write(SALT, salt)
        for address, value in ((LIMIT_FRAMES, limit_frames), (LIMIT_BYTES, limit_bytes), (MARK_AT, mark_at),
                               (ALPHA, alpha), (SEED, seed), (ROUTE, route and route.word),
                               (BUFFER, buffer and buffer.word), (EARLY, buffer and buffer.early)):
            if value is not None:
                await self.write(address, value)

    async def learn(self, ip, addr, mask):
        for bank, place, is_ip, key, group in self.s.table.add(ip, addr, mask):
            await self.write(KEY_LOW, key & 0xFFFF_FFFF)
            await self.write(KEY_HIGH, 1 << 31 | int(is_ip) << 16 | key >> 32)
            await self.write(KEY_PORTS, group)
            await self.write(TABLE_WRITE, bank << self.s.table.index_w | place)

    # Frames.

    def send(self, frame, port, broken=False, sound=True):
        """Queues a frame at a link. With `sound` the scoreboard expects it to be routed."""
        n = self.link
        end = len(frame)
        beats = self.beats[port]
        for at in range(0, end, n):
            chunk = frame[at:at + n]
            last = at + n >= end
            beats.append((int.from_bytes(chunk, "little"), (1 << len(chunk)) - 1, last, broken and last))
        if not broken and self.SHORTEST <= end <= self.LONGEST:
            self.bytes_in[port] += end
        if self.board and sound and not broken:
            self.board.offered(frame, port)

    async def run(self, quiet=2500, cycles=None):
        """Until all is sent and nothing has moved for `quiet` cycles; or for `cycles`.

        Four full input buffers of frames that are dropped move nothing for 2048 cycles.
        """
        d, rng, ports, link = self.dut, self.rng, self.ports, self.link
        # A handle is looked up by its name each time it is asked for.
        in_data, in_keep, in_last, in_user, in_valid = d.s_axis_tdata_i, d.s_axis_tkeep_i, d.s_axis_tlast_i, d.s_axis_tuser_i, d.s_axis_tvalid_i
        out_ready = d.m_axis_tready_i
        every_port = range(ports)
        all_ready = (1 << ports) - 1
        was_ready = None
        easy_out = not any(self.stall) and not any(c is not None for c in self.credit)
        if easy_out:
            out_ready.value = all_ready
        bits = 8 * link
        data = keep = last = user = valid = 0
        for p in every_port:
            if self.offers[p]:
                w, k, e, u = self.offers[p]
                data |= w << p * bits
                keep |= k << p * link
                last |= e << p
                user |= u << p
                valid |= 1 << p
        was_beside = None
        edge = FallingEdge(d.clk_i)
        tready, tvalid, tdata = d.s_axis_tready_o, d.m_axis_tvalid_o, d.m_axis_tdata_o
        tlast, tkeep = d.m_axis_tlast_o, d.m_axis_tkeep_o
        end = None if cycles is None else self.cycle + cycles
        idle_for = stuck_for = 0
        while True:
            self.cycle += 1
            stuck_for += 1
            assert stuck_for < STUCK, f"a beat has been offered and none moved for {STUCK} cycles"
            # Offer.
            changed = False
            for p in every_port:
                if not valid >> p & 1:
                    if self.wait[p]:
                        self.wait[p] -= 1
                    elif self.beats[p] and (not self.idle[p] or rng.random() >= self.idle[p]):
                        offer = self.offers[p] = self.beats[p].popleft()
                        data = data & ~(self.word_mask << p * bits) | offer[0] << p * bits
                        keep = keep & ~(self.keep_mask << p * link) | offer[1] << p * link
                        last = last & ~(1 << p) | offer[2] << p
                        user = user & ~(1 << p) | offer[3] << p
                        valid |= 1 << p
                        changed = True
            if changed:
                in_data.value = data
                if (keep, last, user) != was_beside:
                    in_keep.value, in_last.value, in_user.value = was_beside = keep, last, user
            if valid != self.offering:
                in_valid.value = valid
                self.offering = valid
            # What the next edge takes.
            if valid:
                idle_for = 0
                if self.first_in is None:
                    self.first_in = self.cycle
                taken = int(tready.value)
                for p in every_port:
                    if valid >> p & 1:
                        if taken >> p & 1:
                            stuck_for = 0
                            valid &= ~(1 << p)
                            self.last_in = self.cycle
                            self.wait[p] = self.every - 1 + (self.gap if self.offers[p][2] else 0)
                            self.offers[p] = None
                        else:
                            self.tready_low[p] += 1
            else:
                idle_for += 1
                stuck_for = 0
            # What comes out.
            if easy_out:
                ready = all_ready
            else:
                ready = 0
                for p in every_port:
                    if self.credit[p] is not None:
                        if self.wait_out[p]:
                            self.wait_out[p] -= 1
                            continue
                    if rng.random() >= self.stall[p]:
                        ready |= 1 << p
                if ready != was_ready:
                    out_ready.value = was_ready = ready
            out = int(tvalid.value)
            if out:
                idle_for = stuck_for = 0
                words, keeps, lasts = (known(v.value, out, ports) for v in (tdata, tkeep, tlast))
                if self.first_out is None:
                    self.first_out = self.cycle
                for p in every_port:
                    if not out >> p & 1:
                        continue
                    if self.first_of[p] is None:
                        self.first_of[p] = self.cycle
                    word = words >> p * bits & self.word_mask
                    kept = keeps >> p * link & self.keep_mask
                    ends = lasts >> p & 1
                    if p in self.held:
                        assert self.held.pop(p) == (word, kept, ends), "a beat changed while it waited"
                    if not ready >> p & 1:
                        self.held[p] = (word, kept, ends)
                        continue
                    self.last_out = self.cycle
                    if self.credit[p] is not None:
                        self.wait_out[p] = self.credit[p]
                    self.partial[p] += word.to_bytes(link, "little")
                    if ends:
                        size = kept.bit_length()
                        assert kept == (1 << size) - 1 and size, "tkeep has a hole"
                        frame = bytes(self.partial[p][:len(self.partial[p]) - link + size])
                        self.partial[p] = bytearray()
                        self.frames_out[p] += 1
                        self.bytes_out[p] += len(frame)
                        if self.board:
                            self.board.seen(frame, p)
                    else:
                        assert kept == self.keep_mask, "a partial beat that is not the last"
            assert all(out >> p & 1 for p in self.held), "a beat was taken back"
            if end is not None and self.cycle >= end:
                await edge
                return
            if idle_for > quiet and not any(self.beats):
                await edge
                break
            await edge
        assert not any(self.partial), "a frame without its end"
