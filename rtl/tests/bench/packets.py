# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the switches of a simulated network decide, and the hardware that is given the same, one packet after the other.

The rows are those of rtl/reference/examples/packet_by_packet.rs. Hardware and simulator are aligned by order and not by time:
an output sends as many frames as left that queue in the simulator since the decision before, and is held otherwise; only then
does the next frame end, before which a switch that stores frames whole does nothing with it. So every queue holds as many frames
at each decision as it did in the simulator, which is asked as well. A draw is what SEED was last told.
"""

import os
import subprocess
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from cocotb.triggers import FallingEdge

from .reference import ROOT
from .switch import SEED, known

PATIENCE = 5000   # cycles; a long frame takes 190 beats of 64 bits, and all that is in a queue may have to leave


@dataclass
class Row:
    """One decision."""

    switch: int
    ingress: int
    wanted: int
    verdict: str     # queued, detoured, full or ttl
    port: int        # which queue it joins; None of a drop
    marked: bool     # now, and not before
    draw: int        # None: nothing was drawn
    depths: list     # frames in each queue before it; none where nobody looked
    left: list       # how many have left each since the decision before
    frame: bytes = field(repr=False)
    out: bytes = field(repr=False)   # as it leaves


def run(scenario, sets, to):
    """Has the simulator and the software switch run the scenario with these settings; writes the rows into a file."""
    program = ["cargo", "run", "--release", "--quiet", "--locked", "-p", "sidestep-rtl-reference", "--example", "packet_by_packet", "--"]
    told = subprocess.run([*program, str(scenario), *sets], cwd=ROOT, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    Path(to).write_text(told.stdout)


def read(path):
    """For each switch its ports, the set of those that lead to switches, and its rows."""
    whole = lambda head, size: bytes.fromhex(head) + bytes(int(size) - len(head) // 2) if head else None
    number = lambda text: int(text) if text else None
    switches = []
    for line in Path(path).read_text().splitlines():
        if line.startswith("switch,"):
            _, _, ports, to_switch = line.split(",")
            switches.append((int(ports), int(to_switch), []))
            continue
        switch, ingress, wanted, verdict, port, marked, draw, depths, left, size, frame, out = line.split(",")
        switches[-1][2].append(Row(int(switch), int(ingress), int(wanted), verdict, number(port), marked == "1", number(draw),
                                   [int(n) for n in depths.split()], [int(n) for n in left.split()], whole(frame, size), whole(out, size)))
    return switches


class Replay:
    """A switch (bench/switch.py) whose frames come one by one and leave when they are told to."""

    def __init__(self, switch):
        self.b, self.dut = switch, switch.dut
        self.driven = {}   # what each input was told last
        self.queues = [deque() for _ in range(switch.ports)]   # what must leave by each port, in that order
        self.partial = [bytearray() for _ in range(switch.ports)]
        self.counts = {name: [0] * switch.ports for name in (
            "in", "out", "ttl", "full", "detour_from", "detour_to", "mark", "bytes_in", "bytes_out")}

    def drive(self, signal, value):
        """Tells an input what it has not been told yet: most cycles change little."""
        if self.driven.get(signal._name) != value:
            self.driven[signal._name] = signal.value = value

    def leaving(self, due):
        """Lets outputs send of which frames are due; what they send at the next edge is held against what must leave."""
        b, d = self.b, self.dut
        ready = sum(1 << p for p in range(b.ports) if due[p])
        self.drive(d.m_axis_tready_i, ready)
        moves = ready and int(d.m_axis_tvalid_o.value) & ready
        if not moves:
            return
        words, keeps, lasts = (known(v.value, moves, b.ports) for v in (d.m_axis_tdata_o, d.m_axis_tkeep_o, d.m_axis_tlast_o))
        for p in range(b.ports):
            if moves >> p & 1:
                kept = (keeps >> p * b.link & b.keep_mask).bit_length()
                self.partial[p] += (words >> p * 8 * b.link & b.word_mask).to_bytes(b.link, "little")[:kept]
                if lasts >> p & 1:
                    due[p] -= 1
                    frame, expected = bytes(self.partial[p]), self.queues[p].popleft()
                    assert frame == expected, f"port {p} sent {frame[:54].hex()} of {len(frame)} bytes, expected {expected[:54].hex()} of {len(expected)}"
                    self.partial[p].clear()
                    self.counts["out"][p] += 1
                    self.counts["bytes_out"][p] += len(frame)

    async def packet(self, row):
        """Brings the queues to where they stood, then the frame. The verdict, the port, whether it is marked, the queues before."""
        b, d = self.b, self.dut
        if row.draw is not None:
            assert row.draw, "an LFSR has no state of zeros"
            await b.write(SEED, row.draw)
        await self.send(row.frame, row.ingress, list(row.left) or [0] * b.ports)
        for _ in range(PATIENCE):
            took = int(d.take_room.value)
            if took:
                depths = self.depths()
            await FallingEdge(d.clk_i)
            # What is counted stands in registers a cycle after the verdict.
            full, ttl = int(d.full.value), int(d.ttl.value)
            if took or full or ttl:
                break
        else:
            raise AssertionError(f"nothing became of it in {PATIENCE} cycles")
        detour, mark = int(d.detour_to.value), int(d.mark.value)
        if not took:
            assert not detour and not mark and not (full and ttl)
            return "full" if full else "ttl", None, False, self.depths()
        assert took.bit_count() == 1 and not full and not ttl and detour in (0, took) and mark in (0, took)
        return "detoured" if detour else "queued", took.bit_length() - 1, mark != 0, depths

    async def send(self, frame, ingress, due):
        """Beats of a frame, the last of which waits for what must leave before it."""
        b, d = self.b, self.dut
        beats = [frame[at:at + b.link] for at in range(0, len(frame), b.link)]
        sent = 0
        for _ in range(PATIENCE):
            self.leaving(due)
            offers = sent < len(beats) - 1 or not any(due)
            self.drive(d.s_axis_tvalid_i, offers << ingress)
            if offers:
                self.drive(d.s_axis_tdata_i, int.from_bytes(beats[sent], "little") << ingress * 8 * b.link)
                self.drive(d.s_axis_tkeep_i, (1 << len(beats[sent])) - 1 << ingress * b.link)
                self.drive(d.s_axis_tlast_i, (sent == len(beats) - 1) << ingress)
                sent += int(d.s_axis_tready_o.value) >> ingress & 1
            await FallingEdge(d.clk_i)
            if sent == len(beats):
                self.drive(d.s_axis_tvalid_i, 0)
                self.drive(d.m_axis_tready_i, 0)
                return
        raise AssertionError(f"{sent} of {len(beats)} beats taken, and {due} frames have not left, in {PATIENCE} cycles")

    def depths(self):
        """Frames in each queue now."""
        words = int(self.dut.queued.value)
        width = len(self.dut.queued) // self.b.ports
        return [words >> p * width & (1 << width) - 1 for p in range(self.b.ports)]

    async def decide(self, row):
        """A row: all of it must be as the simulator and the software switch had it."""
        got = await self.packet(row)
        expected = row.verdict, row.port, row.marked, row.depths or got[3]
        assert got == expected, f"{row}: expected {expected}, got {got}"
        count = lambda name, port, n=1: self.counts[name].__setitem__(port, self.counts[name][port] + n)
        count("in", row.ingress)
        count("bytes_in", row.ingress, len(row.frame))
        if row.verdict == "ttl":
            count("ttl", row.ingress)
        if row.verdict == "full":
            count("full", row.wanted)
        if row.verdict == "detoured":
            count("detour_from", row.wanted)
            count("detour_to", row.port)
        if row.marked:
            count("mark", row.port)
        if row.port is not None:
            self.queues[row.port].append(row.out)

    async def end(self):
        """All that waits leaves; then the switch has counted what the simulator decided."""
        due = [len(queue) for queue in self.queues]
        for _ in range(PATIENCE):
            self.leaving(due)
            await FallingEdge(self.dut.clk_i)
            if not any(due):
                break
        self.drive(self.dut.m_axis_tready_i, 0)
        assert not any(self.queues) and not any(self.partial), "frames that never left"
        counted = await self.b.counters()
        expected = {name: self.counts.get(name, [0] * self.b.ports) for name in counted}
        assert counted == expected, f"expected {expected}, counted {counted}"
