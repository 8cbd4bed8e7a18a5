# SPDX-License-Identifier: MIT OR Apache-2.0
"""The board: the MAC against zlib's CRC-32, registers by UART as the host's tool writes them, noise, and the whole top with four
clocks that are not quite the same."""

import random
import re
import shutil
import subprocess
import sys

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

from bench.models import ethernet, ipv4, place, sent
from bench.rmii import GAP, Uart, decoded, fcs, wire
from bench.simulators import EACH, RTL, SRC, simulate
from test_lint import MEANT, slang, verible

BOARD = RTL / "board"
sys.path.insert(0, str(BOARD))
import build
import switch as host

SOURCES = [*sorted(SRC.glob("*.sv")), *sorted(BOARD.glob("*.sv"))]
BENCH = RTL / "tests" / "bench" / "board.sv"
LOOP = RTL / "tests" / "bench" / "loop.sv"
DIVIDER = 8        # cycles a bit of the UART in simulations
QUIET = 400        # cycles of silence; a byte has 80


def random_bytes(rng, size):
    return bytes(rng.randrange(256) for _ in range(size))


# The receiver.

class Receiver:
    """rmii_receive, what it is given and what it gives: (frame, broken) each."""

    def __init__(self, dut):
        self.dut, self.frames, self.now, self.ready = dut, [], b"", 1

    async def start(self, in_carrier=False):
        d = self.dut
        d.rst_ni.value, d.crs_dv_i.value, d.rxd_i.value, d.m_tready_i.value = 0, int(in_carrier), 1, 1
        cocotb.start_soon(Clock(d.clk_i, 20, "ns").start())
        for _ in range(4):
            await FallingEdge(d.clk_i)
        d.rst_ni.value = 1
        cocotb.start_soon(self.watch())

    async def watch(self):
        d = self.dut
        while True:
            d.m_tready_i.value = self.ready
            if int(d.m_tvalid_o.value) and self.ready:
                self.now += bytes([int(d.m_tdata_o.value)])
                if int(d.m_tlast_o.value):
                    self.frames.append((self.now, int(d.m_tuser_o.value)))
                    self.now = b""
                else:
                    assert not int(d.m_tuser_o.value)
            await FallingEdge(d.clk_i)

    async def give(self, pairs, gap=GAP):
        d = self.dut
        for dv, bits in [*pairs, *[(0, 0)] * gap]:
            d.crs_dv_i.value, d.rxd_i.value = dv, bits
            await FallingEdge(d.clk_i)


@cocotb.test()
async def frames_come_whole_and_wrong_ones_are_told(dut):
    rng = random.Random(cocotb.RANDOM_SEED)
    r = Receiver(dut)
    await r.start()
    expected, wrong = [], 0
    for n in range(40):
        frame = random_bytes(rng, rng.choice([1, 2, 5, 60, 61, 64, 300]))
        check = None
        if rng.random() < 0.3:
            check = bytearray(fcs(frame))
            check[rng.randrange(4)] ^= 1 << rng.randrange(8)
            wrong += 1
        expected.append((frame, int(check is not None)))
        # An odd count of di-bits too many: the second of a nibble must be low, or it is a nibble.
        await r.give(wire(frame, check, preamble=rng.choice([7, 7, 6, 3]), silent=rng.randrange(6), toggling=rng.choice([0, 0, 1, 2, 5]),
                          dribble=rng.choice([0, 0, 0, 1, 2, 3])), gap=rng.choice([GAP, GAP - 4, 20]))
    assert r.frames == expected
    assert int(dut.fcs_o.value) == wrong % 2 and wrong > 3 and not int(dut.lost_o.value)


@cocotb.test()
async def what_is_no_frame_is_left_out(dut):
    """The rest of a frame after reset, a false carrier, a preamble without its end, an FCS and nothing before it."""
    r = Receiver(dut)
    await r.start(in_carrier=True)
    frame = bytes(range(60))
    await r.give(wire(frame, silent=0)[7:])
    assert r.frames == [] and r.now == b""
    for pairs in ([(1, 2)] * 40 + wire(frame)[3:], [(1, 1)] * 20, [(1, 1)] * 8 + [(1, 2)] + [(1, 3)] * 40, wire(b""), wire(b"", check=b"\x12\x34")):
        await r.give(pairs)
        assert r.frames == [] and r.now == b"", pairs[:12]
    await r.give(wire(frame))
    assert r.frames == [(frame, 0)]


@cocotb.test()
async def a_queue_that_is_full_breaks_the_frame_and_no_other(dut):
    r = Receiver(dut)
    await r.start()
    first, second, third, fourth = (bytes([n] * 64) for n in range(4))

    async def stall(after, cycles):
        for _ in range(after):
            await FallingEdge(dut.clk_i)
        r.ready = 0
        for _ in range(cycles):
            await FallingEdge(dut.clk_i)
        r.ready = 1

    cocotb.start_soon(stall(160, 40))
    await r.give(wire(first))
    assert r.frames[0][1] == 1 and r.frames[0][0] != first and int(dut.lost_o.value) == 1
    await r.give(wire(second))
    # It stalls from within the third frame to within the fourth, of which nothing comes.
    cocotb.start_soon(stall(160, 350))
    await r.give(wire(third))
    await r.give(wire(fourth))
    assert int(dut.lost_o.value) == 1
    await r.give(wire(second))
    assert [r.frames[1], r.frames[3]] == [(second, 0)] * 2 and r.frames[2][1] == 1 and len(r.frames) == 4, r.frames
    assert int(dut.fcs_o.value) == 0


# The transmitter.

class Transmitter:
    """rmii_transmit: bytes with waits before them, and every cycle of what comes out."""

    def __init__(self, dut):
        self.dut, self.cycles = dut, []

    async def start(self):
        d = self.dut
        d.rst_ni.value, d.s_tvalid_i.value = 0, 0
        cocotb.start_soon(Clock(d.clk_i, 20, "ns").start())
        for _ in range(4):
            await FallingEdge(d.clk_i)
        d.rst_ni.value = 1
        cocotb.start_soon(self.watch())

    async def watch(self):
        while True:
            self.cycles.append((int(self.dut.tx_en_o.value), int(self.dut.txd_o.value)))
            await FallingEdge(self.dut.clk_i)

    async def give(self, frame, late=None):
        """A frame; before byte `late` the source waits for 20 cycles too long."""
        d = self.dut
        for at, byte in enumerate(frame):
            if at == late:
                d.s_tvalid_i.value = 0
                for _ in range(20):
                    await FallingEdge(d.clk_i)
            d.s_tdata_i.value, d.s_tlast_i.value, d.s_tvalid_i.value = byte, int(at == len(frame) - 1), 1
            await Timer(1, "ns")
            while not int(d.s_tready_o.value):
                await FallingEdge(d.clk_i)
            await FallingEdge(d.clk_i)
        d.s_tvalid_i.value = 0

    async def rest(self):
        for _ in range(300):
            await FallingEdge(self.dut.clk_i)


@cocotb.test()
async def frames_leave_with_their_fcs_and_a_gap_of_96_bits(dut):
    rng = random.Random(cocotb.RANDOM_SEED)
    t = Transmitter(dut)
    await t.start()
    frames = [random_bytes(rng, rng.choice([1, 2, 60, 61, 200])) for _ in range(25)]
    for frame in frames:
        await t.give(frame)
    await t.rest()
    came = decoded(t.cycles)
    assert [(f, c) for f, c, _ in came] == [(f, fcs(f)) for f in frames]
    assert {gap for _, _, gap in came[1:]} == {GAP}, [gap for _, _, gap in came]
    assert int(dut.under_o.value) == 0


@cocotb.test()
async def a_late_byte_ends_its_frame_with_a_wrong_fcs(dut):
    t = Transmitter(dut)
    await t.start()
    frame, after = bytes(range(100, 180)), bytes(range(64))
    for n, late in enumerate((1, 40, 79), 1):
        await t.give(frame, late)
        assert int(dut.under_o.value) == n % 2
        await t.give(after)
    await t.rest()
    came = decoded(t.cycles)
    assert len(came) == 6 and all(gap >= GAP for _, _, gap in came)
    for (cut, wrong, _), (whole, right, _), late in zip(came[::2], came[1::2], (1, 40, 79)):
        assert cut == frame[:late] and wrong == bytes(255 ^ b for b in fcs(cut)), (cut.hex(), wrong.hex())
        assert whole == after and right == fcs(after)


# Registers by UART.

class Device:
    """uart_registers and registers that answer by their address."""

    def __init__(self, dut):
        self.dut, self.regs, self.log, self.bad = dut, {}, [], 0

    async def start(self):
        d = self.dut
        for name in ("rst_ni", "m_axil_awready_i", "m_axil_wready_i", "m_axil_bvalid_i", "m_axil_arready_i", "m_axil_rvalid_i"):
            getattr(d, name).value = 0
        self.uart = Uart(d.rx_i, d.tx_o, 40 * DIVIDER)
        cocotb.start_soon(Clock(d.clk_i, 40, "ns").start())
        for _ in range(4):
            await FallingEdge(d.clk_i)
        d.rst_ni.value = 1
        cocotb.start_soon(self.serve())
        cocotb.start_soon(self.count())

    async def count(self):
        while True:
            self.bad += int(self.dut.bad_o.value)
            await FallingEdge(self.dut.clk_i)

    async def serve(self):
        d = self.dut
        while True:
            await FallingEdge(d.clk_i)
            if int(d.m_axil_awvalid_o.value):
                assert int(d.m_axil_wvalid_o.value)
                at, value = int(d.m_axil_awaddr_o.value), int(d.m_axil_wdata_o.value)
                self.regs[at] = value
                self.log.append((at, value))
                await self.handshake(d.m_axil_awready_i, d.m_axil_wready_i)
                await FallingEdge(d.clk_i)
                await self.handshake(d.m_axil_bvalid_i)
            elif int(d.m_axil_arvalid_o.value):
                at = int(d.m_axil_araddr_o.value)
                self.log.append((at, None))
                await self.handshake(d.m_axil_arready_i)
                d.m_axil_rdata_i.value = self.regs.get(at, 0xDEAD_0000 | at)
                await self.handshake(d.m_axil_rvalid_i)

    async def handshake(self, *signals):
        for value in (1, 0):
            for signal in signals:
                signal.value = value
            if value:
                await FallingEdge(self.dut.clk_i)

    async def access(self, address, value=None):
        return await accessed(self.uart, address, value)

    async def quiet(self):
        await Timer(40 * (QUIET + 100), "ns")


async def accessed(uart, address, value=None):
    """One try of the host's tool: its bytes, and what it reads from the answer."""
    data, size = host.command(address, value)
    hears = cocotb.start_soon(uart.hear(size))
    await uart.say(data)
    return host.answered(data, await hears)


@cocotb.test()
async def registers_are_written_and_read(dut):
    rng = random.Random(cocotb.RANDOM_SEED)
    b = Device(dut)
    await b.start()
    for _ in range(12):
        at, value = rng.randrange(1 << 16), rng.getrandbits(32)
        assert await b.access(at, value) is None
        assert await b.access(at) == value
        assert b.log[-2:] == [(at, value), (at, None)]
    assert await b.access(0x1234) == b.regs.get(0x1234, 0xDEAD_1234) and b.bad == 0


@cocotb.test()
async def noise_does_nothing_and_is_over_after_silence(dut):
    """Whatever came: no access that nobody asked for, and after the time of silence the next command is done."""
    rng = random.Random(cocotb.RANDOM_SEED)
    b = Device(dut)
    await b.start()
    for n in range(20):
        data, _ = host.command(rng.randrange(1 << 16), rng.choice([None, rng.getrandbits(32)]))
        kind = n % 5
        if kind == 0:      # a bit is turned over
            data = bytearray(data)
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            await b.uart.say(data)
        elif kind == 1:    # the rest is missing
            await b.uart.say(data[:rng.randrange(1, len(data))])
        elif kind == 2:    # a letter too many before it
            await b.uart.say(b"W" + data)
        elif kind == 3:    # any bytes at all
            await b.uart.say(random_bytes(rng, 12))
        else:              # short pulses, and a line that is held low
            for _ in range(20):
                dut.rx_i.value = 0
                await Timer(rng.choice([10, 50, 100]), "ns")
                dut.rx_i.value = 1
                await Timer(rng.choice([40, 200, 700]), "ns")
            dut.rx_i.value = 0
            await Timer(40 * DIVIDER * 30, "ns")
            dut.rx_i.value = 1
        await b.quiet()
        await b.quiet()
        assert b.log == [], (n, b.log)
        assert await b.access(0x10 + n, n) is None and b.log == [(0x10 + n, n)], n
        b.log.clear()
    assert b.bad >= 8


@cocotb.test()
async def the_rest_of_a_wrong_command_is_not_taken_for_one(dut):
    """A whole sound command behind a broken one, without silence between them: nobody knows where it begins."""
    b = Device(dut)
    await b.start()
    broken = bytearray(host.command(8, 1)[0])
    broken[3] ^= 1
    await b.uart.say(bytes(broken) + host.command(8, 2)[0])
    await b.quiet()
    assert b.log == [] and b.bad == 1
    # A byte without its stop bit ends a command, though all the others make a sound one.
    data = host.command(8, 3)[0]
    await b.uart.say(data[:3])
    await b.uart.say(b"\x5a", stop=0)
    await Timer(40 * DIVIDER, "ns")
    await b.uart.say(data[3:])
    await b.quiet()
    assert b.log == [] and b.bad == 2
    await b.access(8, 4)
    assert b.regs == {8: 4}


# A port: the MAC and its queues between two clocks.

@cocotb.test()
async def frames_cross_both_clocks_and_a_reset_leaves_no_rest(dut):
    rng = random.Random(cocotb.RANDOM_SEED)
    dut.rst_ni.value, dut.crs_dv_i.value, dut.rxd_i.value = 0, 0, 0
    cycles = []
    cocotb.start_soon(Clock(dut.clk_i, 40_000, "ps").start())
    cocotb.start_soon(Clock(dut.ref_clk_i, 20_004, "ps").start())
    await Timer(1, "us")
    dut.rst_ni.value = 1
    await Timer(2, "us")

    async def watch():
        while True:
            await FallingEdge(dut.ref_clk_i)
            cycles.append((int(dut.tx_en_o.value), int(dut.txd_o.value)))

    async def give(pairs):
        for dv, bits in [*pairs, *[(0, 0)] * GAP]:
            dut.crs_dv_i.value, dut.rxd_i.value = dv, bits
            await FallingEdge(dut.ref_clk_i)

    watching = cocotb.start_soon(watch())
    frames = [random_bytes(rng, rng.choice([60, 61, 64, 150])) for _ in range(8)]
    for frame in frames:
        await give(wire(frame, silent=0))
    await Timer(10, "us")
    assert [(f, c) for f, c, _ in decoded(cycles)] == [(f, fcs(f)) for f in frames]
    assert int(dut.turns_o.value) & 7 == 0

    # The switch's side is reset while a frame is on its way in and another on its way out.
    watching.cancel()
    task = cocotb.start_soon(give(wire(b"\xd5" * 150)))   # each byte ends as a preamble does
    await Timer(6, "us")
    dut.rst_ni.value = 0
    await Timer(400, "ns")
    dut.rst_ni.value = 1
    await Timer(1, "us")
    cycles.clear()
    cocotb.start_soon(watch())
    await task
    assert not any(enabled for enabled, _ in cycles), "the rest of a frame is none"
    await give(wire(frames[0]))
    await Timer(10, "us")
    assert [(f, c) for f, c, _ in decoded(cycles)] == [(frames[0], fcs(frames[0]))]


# The whole board.

PERIODS = [20_000, 20_002, 19_998, 20_004]   # ps: 0, -100, +100, -200 ppm
WINDOW = 4000   # cycles in which clocks are counted, as in bench/board.sv


class Board:
    def __init__(self, dut):
        self.dut, self.dv, self.rxd = dut, 0, 0
        self.clocks = [dut.ref0_i, dut.ref1_i, dut.ref2_i, dut.ref3_i]
        self.out = [[] for _ in PERIODS]

    async def start(self):
        d = self.dut
        d.fire1_i.value, d.crs_dv_i.value, d.rxd_i.value = 0, 0, 0
        self.uart = Uart(d.uart_i, d.uart_o, 40 * DIVIDER)
        cocotb.start_soon(Clock(d.clk_i, 40_000, "ps").start())
        self.running = [Clock(clock, period, "ps") for clock, period in zip(self.clocks, PERIODS)]
        for clock in self.running:
            clock.start()
        await Timer(3, "us")
        for p in range(4):
            cocotb.start_soon(self.watch(p))

    async def watch(self, p):
        while True:
            await FallingEdge(self.clocks[p])
            self.out[p].append((int(self.dut.tx_en_o.value) >> p & 1, int(self.dut.txd_o.value) >> 2 * p & 3))

    async def give(self, p, pairs, gap=GAP):
        for dv, bits in [*pairs, *[(0, 0)] * gap]:
            self.dv = self.dv & ~(1 << p) | dv << p
            self.rxd = self.rxd & ~(3 << 2 * p) | bits << 2 * p
            self.dut.crs_dv_i.value, self.dut.rxd_i.value = self.dv, self.rxd
            await FallingEdge(self.clocks[p])

    def seen(self):
        """Frames that left since the last time, by port, each with a right FCS."""
        came = [decoded(cycles) for cycles in self.out]
        for cycles in self.out:
            cycles.clear()
        for p, frames in enumerate(came):
            for frame, check, gap in frames[1:]:
                assert gap >= GAP, (p, gap)
            assert all(check == fcs(frame) for frame, check, _ in frames), (p, frames)
        return [[frame for frame, _, _ in frames] for frames in came]

    async def register(self, name, value=None):
        return await accessed(self.uart, host.address_of(name), value)

    async def table(self, text):
        for at, value in host.placed(host.parsed(text), empty=False):
            await accessed(self.uart, at, value)

    async def counters(self, *names):
        return {name: [await accessed(self.uart, host.COUNTERS[name] + 4 * p) for p in range(4)] for name in names}


TABLE = """
10.0.0.1 0    # a host behind each port
10.0.0.2 1
10.0.0.3 2
10.0.0.4 3
02:00:00:00:00:09 1
"""


def to_host(n, size, rng, ttl=64):
    return ethernet(0x02_00_00_00_00_77, ipv4(0x0A00_0063, 0x0A00_0001 + n, random_bytes(rng, size - 34), ttl=ttl))


@cocotb.test()
async def frames_go_where_the_table_says(dut):
    rng = random.Random(cocotb.RANDOM_SEED)
    b = Board(dut)
    await b.start()
    assert await b.register("ID") == host.ID and await b.register("BOARD_ID") == host.BOARD_ID
    # What the clocks are is known when the first window is over.
    await Timer(2 * WINDOW * 40, "ns")
    for p, period in enumerate(PERIODS):
        got, expected = await b.register(f"CLOCK{p}"), WINDOW * 40_000 // (16 * period)
        assert abs(got - expected) <= 1, (p, got, expected)
    assert int(dut.led_o.value) == 0xF0
    # Noise before the table is filled.
    await b.uart.say(b"\x00W\xffW noise")
    await Timer(40 * 2 * QUIET, "ns")
    await b.table(TABLE)
    assert await b.register("UART") == 1

    ip, plain = to_host(1, 64, rng), ethernet(0x02_00_00_00_00_09, random_bytes(rng, 200), ethertype=0x88B6)
    b.seen()
    await b.give(0, wire(ip, toggling=3))
    await b.give(0, wire(plain))
    await Timer(60, "us")
    assert b.seen() == [[], [sent(ip, False), plain], [], []]
    assert int(dut.led_o.value) == 0xF3

    # A wrong FCS, a frame that is too short, an address that nobody has.
    broken = bytearray(fcs(ip))
    broken[2] ^= 0x10
    await b.give(0, wire(ip, bytes(broken)))
    await b.give(0, wire(ip[:50]))
    await b.give(0, wire(to_host(77, 64, rng)))
    await b.give(0, wire(ip))
    await Timer(60, "us")
    assert b.seen() == [[], [sent(ip, False)], [], []]
    c = await b.counters("in", "out", "bad", "no_entry", "fcs", "lost", "under")
    assert c == {"in": [6, 0, 0, 0], "out": [0, 3, 0, 0], "bad": [2, 0, 0, 0], "no_entry": [1, 0, 0, 0], "fcs": [1, 0, 0, 0],
                 "lost": [0] * 4, "under": [0] * 4}


@cocotb.test()
async def every_port_at_line_rate_by_its_own_clock(dut):
    """Each port sends to the next one, back to back: every frame arrives, none has a byte that came too late."""
    rng = random.Random(cocotb.RANDOM_SEED)
    b = Board(dut)
    await b.start()
    await b.table(TABLE)
    sizes = [60] * 20 + [61, 64, 65, 1514, 67, 1518, 60, 777]
    frames = [[to_host((p + 1) % 4, size, rng) for size in sizes] for p in range(4)]
    # The tests before have counted.
    before = await b.counters("in", "out", "fcs", "lost", "under")
    b.seen()

    async def port(p):
        for frame in frames[p]:
            await b.give(p, wire(frame, silent=0, toggling=p))

    for task in [cocotb.start_soon(port(p)) for p in range(4)]:
        await task
    await Timer(250, "us")
    seen = b.seen()
    for p in range(4):
        assert seen[(p + 1) % 4] == [sent(frame, False) for frame in frames[p]], p
    after = await b.counters("in", "out", "fcs", "lost", "under")
    c = {name: [now - then for now, then in zip(after[name], before[name])] for name in after}
    assert c == {"in": [len(sizes)] * 4, "out": [len(sizes)] * 4, "fcs": [0] * 4, "lost": [0] * 4, "under": [0] * 4}


@cocotb.test()
async def reset_and_a_clock_that_stands_leave_no_half_frame(dut):
    rng = random.Random(cocotb.RANDOM_SEED)
    b = Board(dut)
    await b.start()
    await b.table(TABLE)
    long, short = to_host(1, 600, rng), to_host(1, 64, rng)

    # Reset as a frame comes in by port 0 and another leaves by port 1.
    await b.give(0, wire(long))
    task = cocotb.start_soon(b.give(0, wire(long)))
    await Timer(20, "us")
    dut.fire1_i.value = 1
    await Timer(2, "us")
    dut.fire1_i.value = 0
    await task
    await Timer(60, "us")
    assert (await b.counters("in", "out"))["in"] == [0] * 4, "the rest of a frame is none"
    b.out = [[] for _ in PERIODS]   # one that was cut
    await b.give(0, wire(short))
    await Timer(60, "us")
    assert b.seen() == [[], [sent(short, False)], [], []], "the table outlives a reset"

    # The clock of port 0 stands in the middle of a frame, and so does what it brings.
    task = cocotb.start_soon(b.give(0, wire(long)))
    await Timer(20, "us")
    b.running[0].stop()
    await Timer(700, "us")
    assert await b.register("CLOCK0") == 0 and int(dut.led_o.value) >> 4 == 0b1110
    b.running[0].start()
    await task
    await b.give(0, wire(short))
    await Timer(120, "us")
    assert b.seen()[1] == [sent(long, False), sent(short, False)], "nothing was lost, as the data stood too"
    c = await b.counters("bad", "fcs", "lost", "under")
    assert c == {name: [0] * 4 for name in c}


RECEIVER = ["frames_come_whole_and_wrong_ones_are_told", "what_is_no_frame_is_left_out", "a_queue_that_is_full_breaks_the_frame_and_no_other"]
TRANSMITTER = ["frames_leave_with_their_fcs_and_a_gap_of_96_bits", "a_late_byte_ends_its_frame_with_a_wrong_fcs"]
UART = ["registers_are_written_and_read", "noise_does_nothing_and_is_over_after_silence", "the_rest_of_a_wrong_command_is_not_taken_for_one"]
WHOLE = ["frames_go_where_the_table_says", "every_port_at_line_rate_by_its_own_clock", "reset_and_a_clock_that_stands_leave_no_half_frame"]


def parts(*names):
    return [BOARD / f"{name}.sv" for name in names]


@pytest.mark.parametrize("sim", EACH)
def test_the_receiver(sim):
    simulate(sim, "rmii_receive", "test_board", sources=parts("rmii_receive", "fcs_byte"), tests=RECEIVER)


@pytest.mark.parametrize("sim", EACH)
def test_the_transmitter(sim):
    simulate(sim, "rmii_transmit", "test_board", sources=parts("rmii_transmit", "fcs_byte"), tests=TRANSMITTER)


@pytest.mark.parametrize("sim", EACH)
def test_registers_by_uart(sim):
    simulate(sim, "uart_registers", "test_board", {"Divider": DIVIDER, "Quiet": QUIET},
             sources=parts("uart_registers", "uart_receive", "uart_transmit"), tests=UART)


@pytest.mark.parametrize("sim", EACH)
def test_a_port(sim):
    simulate(sim, "loop", "test_board", sources=[*parts("rmii_port", "rmii_receive", "rmii_transmit", "fcs_byte"), SRC / "async_fifo.sv", LOOP],
             tests=["frames_cross_both_clocks_and_a_reset_leaves_no_rest"])


@pytest.mark.slow
def test_the_whole_board():
    simulate("verilator", "board", "test_board", {"Divider": DIVIDER, "Quiet": QUIET, "Dibs": 1, "Spray": 0}, sources=[*SOURCES, BENCH], tests=WHOLE)


# The host's tool, without a board.

class Echo:
    """A serial line with a board behind it that does not hear, or answers wrong, some times first."""

    def __init__(self, *faults):
        self.faults, self.regs, self.came, self.answer = list(faults), {}, [], b""

    def reset_input_buffer(self):
        self.answer = b""

    def write(self, sent):
        self.came.append(sent)
        fault = self.faults.pop(0) if self.faults else None
        at = int.from_bytes(sent[1:3], "big")
        if sent[:1] == b"W":
            self.regs[at] = int.from_bytes(sent[3:7], "big")
        said = b"w" if sent[:1] == b"W" else b"r" + self.regs.get(at, 0).to_bytes(4, "big")
        said += host.crc16(sent[:-2] + said).to_bytes(2, "big")
        self.answer = {None: said, "deaf": b"", "cut": said[:-1], "bit": bytes([said[0] ^ 4]) + said[1:]}[fault]

    def read(self, size):
        return self.answer[:size]


def test_the_tool_asks_again():
    waits = []
    serial = Echo("deaf", "cut", "bit")
    host.Line(serial, waits.append).write(8, 0x1234_5678)
    assert serial.regs == {8: 0x1234_5678} and len(set(serial.came)) == 1 and len(serial.came) == 4
    assert waits == [3 * host.QUIET] * 3
    assert host.Line(serial).read(8) == 0x1234_5678
    with pytest.raises(host.Refused, match=r"read of 0x0008: no right answer in 4 tries; the last answer: nothing, expected 7 bytes, got 0"):
        host.Line(Echo(*["deaf"] * 4), waits.append).read(8)


def test_the_tool_says_what_is_wrong(tmp_path):
    for text, said in (("10.0.0.1", "t:1: expected an address and its ports, got 1"), ("\n10.0.0.256 0", "t:2: address '10.0.0.256': expected IPv4"),
                       ("10.0.0.1 4", "t:1: port '4': expected 0 to 3"), ("10.0.0.1 0\n10.0.0.1 1", "t:2: address 10.0.0.1 is there already")):
        with pytest.raises(host.Refused, match=re.escape(said)):
            host.parsed(text, "t")
    with pytest.raises(host.Refused, match="register 'LIMIT' is unknown; expected one of ID, BUILD"):
        host.address_of("LIMIT")
    with pytest.raises(host.Refused, match="value '-1': expected a number"):
        host.number("-1")
    with pytest.raises(host.Refused, match="no place for entry"):
        host.placed([(True, n, 1) for n in range(520)])
    done = subprocess.run([sys.executable, str(BOARD / "switch.py"), "--port", str(tmp_path / "none"), "read", "ID"], capture_output=True, text=True)
    assert done.returncode == 1 and re.match("error: (pyserial is not installed|.*none: )", done.stderr), done.stderr
    assert [host.address_of(name) for name in ("id", "in[3]", "under[1]", "CLOCK2", "0x3c")] == [0, 0x40C, 0x10C4, 0x1018, 0x3C]


def test_the_tool_puts_entries_where_the_switch_looks():
    entries = host.parsed("".join(f"10.0.{n >> 8}.{n & 255} {n % 4}\n" for n in range(200)) + "02:aa:00:00:00:01 1,2 # two")
    line = host.Line(Echo())
    memory, key = {n: None for n in range(512)} | {7: "old"}, {}
    for at, value in host.placed(entries):
        line.write(at, value)
        key[at] = value
        if at == host.REGISTERS["TABLE_WRITE"]:
            high = key[host.REGISTERS["KEY_HIGH"]]
            memory[value] = (high >> 16 & 1, (high & 0xFFFF) << 32 | key[host.REGISTERS["KEY_LOW"]], key[host.REGISTERS["KEY_PORTS"]]) if high >> 31 else None
    kept = {at: entry for at, entry in memory.items() if entry}
    assert sorted(kept.values()) == sorted((int(ip), address, mask) for ip, address, mask in entries)
    for at, (ip, address, _) in kept.items():
        assert at & 0xFF == place(at >> 8, ip, address, 8)


# The build.

def test_no_seed_alone_fails_the_build():
    clocks = {"clk": 25.0, "ref[0]": 50.0}
    assert build.too_slow(clocks, [{"clk": 30, "ref[0]": 60}, {"clk": 20, "ref[0]": 70}, {"clk": 26, "ref[0]": 40}]) == []
    [said] = build.too_slow(clocks, [{"clk": 30, "ref[0]": 49}, {"clk": 26, "ref[0]": 70}, {"clk": 26, "ref[0]": 48.7}])
    assert said == "ref[0]: 49.0 MHz, expected 50 as the median of 3 seeds"
    assert build.best(clocks, [{"clk": 30, "ref[0]": 55}, {"clk": 29, "ref[0]": 70}, {"clk": 90, "ref[0]": 40}]) == 1


def test_clocks_are_found_in_what_nextpnr_says():
    said = "Info: Max frequency for clock '$glbnet$ref[0]$TRELLIS_IO_IN': {} MHz (PASS at 50.00 MHz)\n"
    assert build.reached(said.format("20.00") + said.format("71.50"), {"ref[0]": 50.0}) == {"ref[0]": 71.5}
    with pytest.raises(SystemExit, match=r"no frequency for ref\[1\]"):
        build.reached(said.format("71.50"), {"ref[0]": 50.0, "ref[1]": 50.0})


def test_pins_are_the_ones_that_readme_names():
    pins = (BOARD / build.PINS).read_text()
    sites = dict(re.findall(r'^LOCATE COMP "([^"]+)" SITE "(\w+)" ;', pins, re.M))
    top = (BOARD / f"{build.TOP}.sv").read_text()
    wanted = set()
    for width, name in re.findall(r"^  (?:input  wire logic|output logic)\s+(?:\[(\d+):0\])?\s+(\w+),?\s+//", top, re.M):
        wanted |= {f"{name}[{n}]" for n in range(int(width) + 1)} if width else {name}
    assert set(sites) == wanted and len(set(sites.values())) == len(sites) == 41
    assert set(re.findall(r'^IOBUF PORT "([^"]+)" IO_TYPE=LVCMOS33 ', pins, re.M)) == wanted
    assert build.needed(pins) == {"clk_25mhz_i": 25.0, **{f"ref_clk_i[{p}]": 50.0 for p in range(4)}}
    rows = re.findall(r"^\| [\w/]+(?: \(CRS_DV\))? \| (?:REF_CLK )?(?:in|out) \|(.*)\|$", (BOARD / "README.md").read_text(), re.M)
    assert len(rows) == 7
    for p in range(4):
        names = [f"ref_clk_i[{p}]", f"crs_dv_i[{p}]", f"rxd_i[{2 * p}]", f"rxd_i[{2 * p + 1}]", f"tx_en_o[{p}]", f"txd_o[{2 * p}]", f"txd_o[{2 * p + 1}]"]
        for name, row in zip(names, rows):
            header, ball = row.split("|")[p].strip().split(", ")
            assert sites[name] == ball and re.search(rf'"{re.escape(name)}" SITE "{ball}" ;  # {header.lower()}$', pins, re.M), (name, header, ball)


# The sources, as tests/test_lint.py reads those of src/.

def gathered(folder):
    for path in [*SRC.glob("*.sv*"), *BOARD.glob("*.sv")]:
        shutil.copy(path, folder)
    return folder


def test_readers_warn_of_nothing(tmp_path):
    folder = gathered(tmp_path)
    assert slang(folder) == MEANT
    for path in SRC.glob("*.sv"):
        (folder / path.name).unlink()
    assert verible(folder) == (0, "")


@pytest.mark.slow
def test_verilator_warns_of_nothing_in_the_board(tmp_path):
    folder = gathered(tmp_path)
    done = subprocess.run(["verilator", "--lint-only", "-Wall", f"-I{folder}", "--top-module", "ulx3s_switch", *map(str, sorted(folder.glob("*.sv")))],
                          capture_output=True, text=True)
    assert [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("%")] == []
