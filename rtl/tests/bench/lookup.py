# SPDX-License-Identifier: MIT OR Apache-2.0
"""The lookup under test: its neighbours, and every frame's verdict predicted one by one.

The queues are the test's: room and marks are a fixed table over the words of a frame, given out as
the queues would, two cycles after ask_words_o. So every verdict is known in advance, draws included.
"""

import os
import random
from collections import Counter, deque

from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

import cocotb

from .coverage import Coverage
from .models import Buffering, Chooser, Lfsr, Settings, Spray, Spraying, can_mark, decide, route, sent

REASONS = ["malformed", "ttl", "no_entry"]
COUNTS = [*REASONS, "full", "detour_from", "detour_to", "mark"]


class Lookup:
    """The cell, its neighbours, and what is expected of it."""

    def __init__(self, dut, rng):
        self.dut, self.rng = dut, rng
        self.ports = len(dut.fits_i)
        self.path_bytes = len(dut.s_tdata_i) // 8
        self.s = Settings(ports=self.ports, dibs=int(os.environ.get("DIBS", "1")))
        self.draws = Lfsr(small=self.s.dibs == 2)
        self.chooser = Chooser(self.ports)
        self.depth = [0] * self.ports   # frames in each queue
        self.sprays = os.environ.get("SPRAY", "1") == "1"
        self.spray = Spray(self.ports)
        self.room = {}                 # words of a frame: (fits, reach)
        self.offered = deque()         # words to send: (data, last, len, port)
        self.expected = deque()        # frames to come: (bytes, port)
        self.counted = Counter()       # what the cell has counted, by (name, port)
        self.wanted = Counter()        # what it should have
        kinds = ["IPv4", "other"]
        self.cover = Coverage(f"output_port_lookup_{self.ports}", [
            *[("drop", why) for why in [*REASONS, "full"]],
            *[("keep", kind) for kind in kinds], *[("detour", kind) for kind in kinds if self.s.dibs],
            *[("mark of ECN", ecn) for ecn in range(4)], *[("to port", p) for p in range(self.ports)],
            *["a way back was barred"] * bool(self.s.dibs),
            *["a frame that is no IPv4 was barred"] * bool(self.s.dibs),
            *[("elsewhere by", p) for p in Buffering.POLICIES[1:] if self.s.dibs == 3],
            *[("full by", p) for p in Buffering.POLICIES if self.s.dibs == 3], *["left early", "kept, as it is favoured"] * (self.s.dibs == 3), "looked up by MAC address",
            *[("found in bank", bank) for bank in range(2)],
            *["took another port than its flow's", "was so short that it took its flow's"] * self.sprays,
            *[("of several ports by", kind) for kind in (Spraying.KINDS if self.sprays else ["ecmp"])]])
        self.idle, self.stall = 0.0, 0.0
        self.frame = bytearray()
        self.frames_out = self.cycle = 0
        self.first_in, self.first_out, self.beats_out = None, None, 0
        self.last_in = None

    async def start(self):
        d = self.dut
        d.rst_ni.value = 0
        for name in ("s_tvalid_i", "s_tdata_i", "s_tlast_i", "s_tlen_i", "s_tport_i", "m_tready_i", "fits_i",
                     "reach_i", "depth_i", "buffer_i", "early_i", "to_switch_i", "go_back_i", "match_mac_i", "salt_i", "route_we_i", "route_i", "seed_we_i", "seed_i",
                     "table_we_i", "table_at_i", "table_used_i", "table_ip_i", "table_addr_i", "table_group_i"):
            getattr(d, name).value = 0
        self.buffer(Buffering(), self.depth)   # as after reset
        cocotb.start_soon(Clock(d.clk_i, 8, "ns").start())
        for _ in range(4):
            await FallingEdge(d.clk_i)
        d.rst_ni.value = 1
        await FallingEdge(d.clk_i)

    def set(self, **settings):
        for name, value in settings.items():
            setattr(self.s, name, value)
        d, s = self.dut, self.s
        d.to_switch_i.value, d.go_back_i.value = s.to_switch, int(s.go_back)
        d.match_mac_i.value, d.salt_i.value = int(s.match_mac), s.salt

    def buffer(self, buffering, depth):
        """Another policy, and queues as deep as this."""
        self.s.buffer, self.depth = buffering, depth
        width = len(self.dut.ask_words_o)
        self.dut.buffer_i.value, self.dut.early_i.value = buffering.word, buffering.early
        self.dut.depth_i.value = sum(d << width * p for p, d in enumerate(depth))

    async def route(self, spraying):
        """Another route, which remembers nothing yet."""
        self.s.route = self.spray.route = spraying
        self.spray.forget()
        self.dut.route_i.value, self.dut.route_we_i.value = spraying.word, 1
        await FallingEdge(self.dut.clk_i)
        self.dut.route_we_i.value = 0

    async def learn(self, ip, addr, mask, bank=0):
        d = self.dut
        for bank, place, is_ip, key, group in self.s.table.add(ip, addr, mask, bank):
            d.table_we_i.value, d.table_used_i.value = 1, 1
            d.table_at_i.value = bank << self.s.table.index_w | place
            d.table_ip_i.value, d.table_addr_i.value, d.table_group_i.value = int(is_ip), key, group
            await FallingEdge(d.clk_i)
        d.table_we_i.value = 0
        await FallingEdge(d.clk_i)

    async def seed(self, value):
        self.dut.seed_we_i.value, self.dut.seed_i.value = 1, value
        await FallingEdge(self.dut.clk_i)
        self.dut.seed_we_i.value = 0
        self.draws = Lfsr(value, small=self.s.dibs == 2)
        self.spray.seed(value)
        self.chooser.seed(value)

    def room_for(self, words):
        if words not in self.room:
            full = (1 << self.ports) - 1
            fits = self.rng.choice([full, self.rng.randrange(full + 1), self.rng.randrange(full + 1), 0])
            self.room[words] = (fits, self.rng.randrange(full + 1))
        return self.room[words]

    def send(self, frame, port):
        """Offers a frame, and works out what must become of it."""
        b = self.path_bytes
        words = -(-len(frame) // b)
        for i in range(words):
            chunk = frame[i * b:(i + 1) * b]
            self.offered.append((int.from_bytes(chunk, "little"), i == words - 1, len(frame), port))
        r = route(frame, self.s)
        if r.reason:
            self.wanted[r.reason, port] += 1
            self.cover.hit(("drop", r.reason))
            return
        self.take_a_hop(r, len(frame))
        fits, reach = self.room_for(words)
        allowed = self.s.to_switch if self.s.go_back else self.s.to_switch & ~(1 << port)
        barred = self.s.buffer.bars(r.ip, self.s.to_switch >> port & 1)
        if self.s.dibs:
            self.cover.hit_if(**{"a frame that is no IPv4 was barred": barred and not fits >> r.want & 1 and fits & allowed})
        allowed = 0 if barred else allowed
        if self.s.dibs == 3:
            rank = frame[15] >> 2 if r.ip else 0
            choice, detour = self.chooser.decide(self.s.buffer, r.want, fits, allowed, self.depth, rank, r.hash)
            self.cover.hit(("full by" if choice is None else "elsewhere by" if detour else "kept by", self.s.buffer.policy))
            self.cover.hit_if(**{"left early": detour and fits >> r.want & 1,
                                 "kept, as it is favoured": self.s.buffer.policy == "dibs-probabilistic" and not detour
                                 and fits & allowed and self.depth[r.want] >= self.s.buffer.full > self.s.buffer.start})
        else:
            choice, detour = decide(r.want, fits, allowed, self.draws, self.s.dibs, self.ports)
        if choice is None:
            self.wanted["full", r.want] += 1
            self.cover.hit(("drop", "full"))
            return
        marked = detour or bool(reach >> r.want & 1)
        if detour:
            self.wanted["detour_from", r.want] += 1
            self.wanted["detour_to", choice] += 1
        if marked and can_mark(frame) and frame[15] & 3 != 3:
            self.wanted["mark", choice] += 1
        self.cover.hit(("detour" if detour else "keep", "IPv4" if r.ip else "other"), ("to port", choice))
        self.cover.hit_if(**{"a way back was barred": detour and not self.s.go_back and self.s.to_switch >> port & 1,
                             "looked up by MAC address": r.ip and self.s.match_mac})
        by_ip = r.ip and not self.s.match_mac
        self.cover.hit(("found in bank", self.s.table.bank(by_ip, int.from_bytes(frame[30:34] if by_ip else frame[:6], "big"))))
        if marked and r.ip:
            self.cover.hit(("mark of ECN", frame[15] & 3))
        self.expected.append((sent(frame, marked), choice))

    def take_a_hop(self, r, length):
        """The port that the route gives a frame."""
        by_hash, r.want = r.want, self.spray.pick(r, length, self.depth)
        kind = self.s.route.kind
        several = r.group & (r.group - 1) != 0
        self.cover.hit_if(**{"took another port than its flow's": r.want != by_hash,
                             "was so short that it took its flow's": several and r.acks and kind != "ecmp"})
        if several and not r.acks:
            self.cover.hit(("of several ports by", kind))

    async def run(self, extra=60):
        """Until all is sent and `extra` cycles have passed without a word."""
        d, rng = self.dut, self.rng
        quiet, asked, held = 0, deque([0, 0]), None
        offering = False
        # A handle is looked up by its name each time it is asked for.
        ask_words, counts = d.ask_words_o, [(name, getattr(d, name + "_o")) for name in COUNTS]
        while quiet < extra:
            self.cycle += 1
            fits, reach = self.room_for(asked.popleft())
            d.fits_i.value, d.reach_i.value = fits, reach
            # Before the first frame nothing is asked; Icarus says so with X.
            words = str(ask_words.value)
            asked.append(int(words, 2) if words.strip("01") == "" else 0)
            # In.
            if not offering and self.offered and rng.random() >= self.idle:
                data, last, length, port = self.offered[0]
                d.s_tdata_i.value, d.s_tlast_i.value = data, int(last)
                d.s_tlen_i.value, d.s_tport_i.value, d.s_tvalid_i.value = length, port, 1
                offering = True
                if self.first_in is None:
                    self.first_in = self.cycle
            elif not offering:
                d.s_tvalid_i.value = 0
            if offering and int(d.s_tready_o.value):
                self.offered.popleft()
                self.last_in = self.cycle
                offering = False
            # Out.
            ready = rng.random() >= self.stall
            d.m_tready_i.value = int(ready)
            quiet = 0 if self.offered or offering else quiet + 1
            if int(d.m_tvalid_o.value):
                quiet = 0
                now = (int(d.m_tdata_o.value), int(d.m_tlast_o.value), int(d.m_tdest_o.value), int(d.m_tlen_o.value))
                assert held in (None, now), "a word changed while it waited"
                held = None if ready else now
                if self.first_out is None:
                    self.first_out = self.cycle
                if ready:
                    self.take(*now)
            else:
                assert held is None, "a word was taken back"
            for name, count in counts:
                mask = int(count.value)
                for p in range(self.ports):
                    if mask >> p & 1:
                        self.counted[name, p] += 1
            await FallingEdge(d.clk_i)
        assert not self.frame, "a frame without its end"
        assert not self.expected, f"{len(self.expected)} frames never came"
        assert self.counted == self.wanted, (self.counted - self.wanted, self.wanted - self.counted)

    def take(self, data, last, dest, length):
        self.beats_out += 1
        self.frame += data.to_bytes(self.path_bytes, "little")
        if not last:
            return
        frame, self.frame = bytes(self.frame[:length]), bytearray()
        assert self.expected, "a frame that was dropped, or twice the same"
        wanted, port = self.expected.popleft()
        assert dest == 1 << port, f"to {dest:b}, not to port {port}"
        assert frame == wanted, f"\n{frame.hex()}\n{wanted.hex()}"
        self.frames_out += 1


async def started(dut):
    rng = random.Random(cocotb.RANDOM_SEED)
    bench = Lookup(dut, rng)
    await bench.start()
    full = (1 << bench.ports) - 1
    for host in range(24):
        mask = rng.choice([1 << rng.randrange(bench.ports), rng.randrange(1, full + 1)])
        await bench.learn(True, 0x0A00_0000 + host, mask, bank=host % 2)
        await bench.learn(False, 0x02AA_0000_0000 + host, rng.randrange(1, full + 1), bank=host % 2)
    bench.set(to_switch=full & ~1, salt=rng.randrange(1 << 32))
    return bench
