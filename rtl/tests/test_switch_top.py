# SPDX-License-Identifier: MIT OR Apache-2.0
"""The whole switch: nothing lost, doubled, mixed up or sent where it must not go.

Frames carry a number in their last 8 bytes, by which the scoreboard knows them again. The scoreboard is bench/scoreboard.py.
"""

import os
import random
import sys

import cocotb
import pytest
from cocotb.triggers import ClockCycles, FallingEdge

from bench.coverage import Coverage
from bench.models import Buffering, Spraying, can_mark, ethernet, ipv4, route
from bench.simulators import BOTH, simulate
from bench.switch import BUFFER, EARLY, ROUTE, Switch
from bench.traffic import random_frame, random_spraying, tcp, udp64

SHARED = os.environ.get("SHARED", "0") == "1"
DIBS = int(os.environ.get("DIBS", "1"))
SPRAY = int(os.environ.get("SPRAY", "1"))
BYTES = int(os.environ.get("BYTES", "1"))
HOST = 0x0A00_0000   # host h is reached by port h mod ports


def by_tail(frame):
    """The number in a frame's last 8 bytes, which no switch changes."""
    return int.from_bytes(frame[-8:], "big")


def numbered(frame, n):
    return frame[:-8] + n.to_bytes(8, "big")


async def started(dut, **settings):
    b = Switch(dut, random.Random(cocotb.RANDOM_SEED), number=by_tail)
    await b.start()
    await b.configure(**settings)
    return b


async def hosts_behind_ports(b, count=None):
    for h in range(count or b.ports):
        await b.learn(True, HOST + h, 1 << h % b.ports)


async def settle(b):
    """The counters, once nothing moves; and that they agree with what was seen."""
    await b.run()
    c = await b.counters()
    drops = {k: sum(c[k]) for k in ("bad", "malformed", "ttl", "no_entry", "full")}
    assert sum(c["in"]) == sum(c["out"]) + sum(drops.values()), "frames in = frames out + drops"
    assert c["out"] == b.frames_out and sum(c["queued"]) == 0
    for way, seen in (("bytes_in", b.bytes_in), ("bytes_out", b.bytes_out)):
        assert c[way] == (seen if BYTES else [0] * b.ports), (way, c[way], seen)
    board = b.board
    assert sum(c["in"]) - drops["bad"] == board.came
    for reason in ("malformed", "ttl", "no_entry"):
        assert c[reason] == [board.dropped_for_sure[reason, p] for p in range(b.ports)], reason
    assert len(board.open) == drops["malformed"] + drops["ttl"] + drops["no_entry"] + drops["full"]
    sprayed_lost = sum(1 for _, _, r in board.open.values() if r.hops & (r.hops - 1))
    more = sum(c["detour_from"]) - sum(board.detours.values())
    assert sum(c["detour_to"]) == sum(c["detour_from"]) and board.sprayed_elsewhere <= more <= board.sprayed
    for p in range(b.ports):
        known = [sum(n for (a, _), n in board.detours.items() if a == p), sum(n for (_, z), n in board.detours.items() if z == p),
                 sum(1 for _, _, r in board.open.values() if r.hops == 1 << p)]
        found = [c["detour_from"][p], c["detour_to"][p], c["full"][p]]
        # Of a sprayed frame nobody outside knows the port it wanted.
        spare = [more, more, sprayed_lost]
        assert all(k <= f <= k + s for k, f, s in zip(known, found, spare)), "counted where it wanted to go"
        assert c["mark"][p] == board.marks[p], (c["mark"], board.marks)
    return c


@cocotb.test()
async def registers_read_back_and_name_the_build(dut):
    b = await started(dut)
    assert await b.read(0x00) == 0x5349_4445
    build = await b.read(0x04)
    assert build >> 16 & 0xFF == b.ports and build >> 8 & 0xFF == b.link and build & 0xFF == int(os.environ["PATH_W"]) // 8
    assert build >> 27 & 1 == SPRAY and build >> 25 & 3 == DIBS and bool(build >> 24 & 1) == SHARED
    full = (1 << b.ports) - 1
    for address, value in ((0x08, full & 0b1010), (0x0C, 0b10), (0x10, 37), (0x14, 12345), (0x18, 5), (0x1C, 3), (0x20, 0xDEAD_BEEF)):
        await b.write(address, value)
        assert await b.read(address) == value
    assert await b.read(0x24) == 0, "the flow's hash"
    await b.write(0x24, 0xFF01_3C4B)
    assert await b.read(0x24) == (0xFF01_3C4B if SPRAY else 0)
    await b.write(0x24, 0x81)
    assert await b.read(0x24) == (0xFF01_3C4B if SPRAY else 0), "a route that there is none of"
    # A policy that there is none of is refused; the one after reset is that of the build.
    assert await b.read(BUFFER) == (1 if DIBS == 3 else DIBS)
    for value, kept in ((0x2A15, DIBS == 3), (0x2A16, False), (0x2A17, False), (DIBS % 3 | 0x20, True)):
        before = await b.read(BUFFER)
        await b.write(BUFFER, value)
        known = 0x3F37 if DIBS == 3 else 0x37 if DIBS else 7
        assert await b.read(BUFFER) == (value & known if kept else before), hex(value)
    await b.write(EARLY, 0x0014_0003)
    assert await b.read(EARLY) == (0x0014_0003 if DIBS == 3 else 0)
    assert await b.read(0x3FC) == 0 and await b.read(0x7C0) == 0
    assert all(n == 0 for row in (await b.counters()).values() for n in row)


@cocotb.test()
async def address_and_data_come_in_any_order_and_answers_wait(dut):
    """AXI-Lite: either may be there first, and who asked may be slow to hear."""
    b = await started(dut)

    async def until(signal):
        for _ in range(50):
            if int(signal.value):
                return
            await FallingEdge(dut.clk_i)
        raise AssertionError(f"{signal._name} stays low")

    for value, address_waits, data_waits, answer_waits in [(1, 0, 7, 0), (2, 7, 0, 0), (3, 0, 0, 9), (0xABCD, 3, 5, 4)]:
        dut.s_axil_bready_i.value = 0
        dut.s_axil_awaddr_i.value, dut.s_axil_wdata_i.value, dut.s_axil_wstrb_i.value = 0x20, value, 15
        for cycle in range(max(address_waits, data_waits) + 1):
            dut.s_axil_awvalid_i.value, dut.s_axil_wvalid_i.value = cycle >= address_waits, cycle >= data_waits
            if cycle < max(address_waits, data_waits):
                assert not int(dut.s_axil_awready_o.value) and not int(dut.s_axil_wready_o.value), "half a write was taken"
                await FallingEdge(dut.clk_i)
        await until(dut.s_axil_awready_o)
        assert int(dut.s_axil_wready_o.value)
        await FallingEdge(dut.clk_i)
        dut.s_axil_awvalid_i.value = dut.s_axil_wvalid_i.value = 0
        await until(dut.s_axil_bvalid_o)
        for _ in range(answer_waits):
            await FallingEdge(dut.clk_i)
            assert int(dut.s_axil_bvalid_o.value), "the answer went unheard"
        dut.s_axil_bready_i.value = 1
        await FallingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        assert not int(dut.s_axil_bvalid_o.value), "one answer for one write"
        # Read back, and hear it late.
        dut.s_axil_araddr_i.value, dut.s_axil_arvalid_i.value, dut.s_axil_rready_i.value = 0x20, 1, 0
        await until(dut.s_axil_arready_o)
        await FallingEdge(dut.clk_i)
        dut.s_axil_arvalid_i.value = 0
        await until(dut.s_axil_rvalid_o)
        for _ in range(answer_waits + 1):
            assert int(dut.s_axil_rvalid_o.value) and int(dut.s_axil_rdata_o.value) == value
            await FallingEdge(dut.clk_i)
        dut.s_axil_rready_i.value = 1
        await FallingEdge(dut.clk_i)
        assert not int(dut.s_axil_rvalid_o.value), "one answer for one read"


@cocotb.test()
async def one_frame_goes_through_and_its_latency_is_known(dut):
    b = await started(dut)
    await hosts_behind_ports(b)
    b.send(udp64(1, HOST + 1, 0), 0)
    await b.run()
    c = await settle(b)
    assert c["in"][0] == c["out"][1] == 1
    latency = b.first_out - b.last_in
    dut._log.info(f"RESULT switch_latency_cycles={latency} from the last beat in to the first beat out")
    expected = int(os.environ.get("LATENCY", "0"))
    assert not expected or latency == expected, latency


@cocotb.test()
async def a_detoured_frame_takes_not_a_cycle_longer(dut):
    b = await started(dut, to_switch=0b1100 & (1 << b_ports(dut)) - 1, limit_frames=1)
    await hosts_behind_ports(b)
    b.send(udp64(1, HOST + 1, 0), 0)
    await b.run()
    straight = b.first_out - b.last_in
    b.stall[1] = 1.0
    b.send(udp64(1, HOST + 1, 1, size=1000), 0)   # fills the queue of port 1; a word of it is in the port itself
    await b.run(cycles=2500)
    assert (await b.counters())["queued"][1] == 1
    b.frames_out = [0] * b.ports
    elsewhere = [p for p in range(b.ports) if p != 1]
    b.first_of = [None] * b.ports
    b.send(udp64(1, HOST + 1, 2), 0)
    await b.run(cycles=1000)
    c = await b.counters()
    assert sum(b.frames_out[p] for p in elsewhere) == c["detour_from"][1] == (1 if DIBS else 0)
    if DIBS:
        # The shared memory answers the ports in turn: a frame may wait for its port's.
        turn = b.ports - 1 if SHARED else 0
        took = min(b.first_of[p] for p in elsewhere if b.first_of[p]) - b.last_in
        assert abs(took - straight) <= turn, (took, straight)


@cocotb.test()
async def bad_frames_are_counted_and_leave_no_trace(dut):
    b = await started(dut)
    await hosts_behind_ports(b)
    good = udp64(1, HOST + 1, 0)
    n = 0
    for port in range(b.ports):
        for make in (lambda f: (f, True), lambda f: (f[:59], False), lambda f: (f + bytes(1519 - len(f)), False),
                     lambda f: (f + bytes(4000), False), lambda f: (f[:1], False)):
            frame, broken = make(good)
            b.send(frame, port, broken=broken, sound=False)
            b.send(numbered(good, n := n + 1), port)
    c = await settle(b)
    assert c["bad"] == [5] * b.ports and sum(c["out"]) == 5 * b.ports


@cocotb.test()
async def a_malformed_frame_without_an_end_stops_no_port(dut):
    """Beats that carry little or nothing: by their bytes such a frame stays short for ever."""
    b = await started(dut)
    await hosts_behind_ports(b)
    good = udp64(1, HOST + 1, 0)
    beats = 5000   # more than a buffer of 512 words of 64 bits holds of a link of 8
    n = 0
    for port in range(b.ports):
        for keep in (0, 1 if b.link > 1 else 0):
            b.beats[port].extend([(0, keep, False, False)] * beats + [(0, keep, True, False)])
            b.send(numbered(good, n := n + 1), port)
    c = await settle(b)
    assert c["bad"] == [2] * b.ports and sum(c["out"]) == 2 * b.ports


@cocotb.test()
async def a_header_longer_than_its_packet_is_malformed(dut):
    """RFC 1812 section 5.2.2: such a packet is dropped, and one that is all header is not."""
    b = await started(dut)
    await hosts_behind_ports(b)
    for total in (20, 27, 28):
        packet = ipv4(1, HOST + 1, bytes(26) + b"\0" * 7 + bytes([total]), options=bytes(8), total=total)
        b.send(ethernet(0x02AA_0000_0000, packet), 0)
    c = await settle(b)
    assert c["malformed"][0] == 2 and sum(c["out"]) == 1


@cocotb.test()
async def an_entry_that_is_written_under_traffic_leads_somewhere(dut):
    """Its ports change with every write, and no frame finds a mix of both."""
    b = await started(dut)
    await hosts_behind_ports(b)

    async def rewrite():
        while True:
            for mask in (0b10, 0b100):
                await b.learn(True, HOST + 1, mask)
                await ClockCycles(dut.clk_i, 1 + b.rng.randrange(4))

    writer = cocotb.start_soon(rewrite())
    frames = 1500
    for n in range(frames):
        b.send(udp64(n, HOST + 1, n), n % b.ports, sound=False)
    b.gap, b.idle = 12 + 48 // b.link, [0.3] * b.ports   # no more comes than two ports take, over links of any width
    b.board = None   # where a frame goes is a matter of cycles
    await b.run()
    writer.cancel()
    c = await b.counters()
    assert sum(c["no_entry"]) == 0 and sum(c["out"]) == frames, c
    assert c["out"][1] > frames // 10 and c["out"][2] > frames // 10, "both were written while frames came"


@cocotb.test()
async def incast_overflows_a_queue_and_every_frame_is_accounted_for(dut):
    """All ports send to host 0, which reads slowly. Ports 2 and up lead to switches."""
    full = (1 << b_ports(dut)) - 1
    for to_switch in (full & ~0b11, 0):
        b = await started(dut, to_switch=to_switch, limit_frames=20, mark_at=8, salt=5)
        await hosts_behind_ports(b)
        b.credit[0] = 5
        for n in range(100 * b.ports):
            b.send(udp64(n, HOST, n, size=b.rng.randrange(64, 200)), n % b.ports)
        c = await settle(b)
        dut._log.info(f"incast, switches at {to_switch:#x}: {c}")
        assert c["mark"][0] > 0, "the queue of 20 never reached 8"
        if to_switch and DIBS:
            assert sum(c["detour_to"][2:]) == c["detour_from"][0] > 0 and c["detour_to"][:2] == [0, 0]
        else:
            assert sum(c["detour_to"]) == 0 and c["full"][0] > 0


@cocotb.test()
async def the_register_chooses_what_becomes_of_a_frame_that_does_not_fit(dut):
    """All ports send to host 0, which reads slowly; the others lead to switches, of which port 1 is deep already."""
    full = (1 << b_ports(dut)) - 1
    for policy in Buffering.POLICIES:
        early = policy == "dibs-probabilistic"
        b = await started(dut, to_switch=full & ~1, limit_frames=1000 if early else 4, salt=5,
                          buffer=Buffering(policy, favour=8, start=2, full=4) if early else Buffering(policy))
        await hosts_behind_ports(b)
        b.stall[0] = 0.9
        b.stall[1] = 1.0
        for n in range(2):
            b.send(udp64(n, HOST + 1, n), 2)
        await b.run(cycles=1500)
        frames = 30 * b.ports
        for n in range(2, 2 + frames):
            # One flow from each port; of one in three it is said that it is short.
            b.send(udp64(n % b.ports, HOST, n, dscp=(10, 10, 3)[n % 3]), n % b.ports)
        await b.run(cycles=cycles_for(b, 2 * 30, 64) + 2000)
        b.stall[1] = 0.0
        c = await settle(b)
        dut._log.info(f"{policy}: {c}")
        if policy == "droptail":
            assert c["full"][0] > 0 and sum(c["detour_to"]) == 0
        else:
            assert c["detour_from"][0] > frames // 10
        if policy == "dibs-load-aware":
            assert c["detour_to"][1] < min(c["detour_to"][2:]), "the deepest takes least"
        if policy in ("dibs", "dibs-first-open"):
            assert min(c["detour_to"][1:]) > 0
        if early:
            assert sum(c["full"]) == 0 and c["out"][0] >= frames // 3, "the favoured stay"


@cocotb.test()
async def a_frame_that_is_no_ip_is_detoured_no_more_than_it_may_be(dut):
    """Port 1 leads to a host and port 2 to a switch; so does port 3, where a detour may go."""
    for plain, from_host, from_switch in ((0, True, True), (1, True, False), (2, False, False), (3, False, False)):
        b = await started(dut, to_switch=0b1100, limit_frames=1, buffer=Buffering(Buffering.POLICIES[1 if DIBS == 3 else DIBS], plain=plain))
        await hosts_behind_ports(b)
        await b.learn(False, 0x02BB_0000_0000, 1)
        b.stall[0] = 1.0
        b.send(udp64(1, HOST, 0, size=1000), 1)   # fills the queue of port 0
        await b.run(cycles=2500)
        for n, port in enumerate((1, 2)):
            b.send(numbered(ethernet(0x02BB_0000_0000, bytes(60), 0x0806), 10 + n), port)
            await b.run(cycles=600)
            b.send(udp64(1, HOST, 20 + n), port)
            await b.run(cycles=600)
        b.stall[0] = 0.0
        c = await settle(b)
        assert c["detour_from"][0] == 2 + from_host + from_switch and c["full"][0] == 2 - from_host - from_switch, (plain, c)


@cocotb.test()
async def the_register_chooses_how_a_port_of_a_group_is_taken(dut):
    """One flow from port 0 to a host behind all others, then its acknowledgements; then as after reset again."""
    b = await started(dut)
    group = (1 << b.ports) - 2
    ways, n = b.ports - 1, 0
    await b.learn(True, HOST, group)

    async def took(spraying, frames):
        """How many of these left by each port of the group."""
        nonlocal n
        b.s.route = spraying
        await b.write(ROUTE, spraying.word)
        before = list(b.frames_out)
        for frame in frames:
            b.send(numbered(frame, n), 0)
            n += 1
        await b.run(quiet=300)
        return [now - was for now, was in zip(b.frames_out, before)][1:]

    data = [udp64(7, HOST, 0, size=(64, 300)[k % 4 == 0]) for k in range(20 * ways)]
    acks = [tcp(7, HOST, payload=0) for _ in range(6 * ways)]
    by_hash = await took(Spraying(), data)
    assert sorted(by_hash)[-1] == len(data), "one port for the flow"
    assert await took(Spraying("rr"), data) == [20] * ways
    assert await took(Spraying("rr", per="switch", burst=4, first=True), data[:6 * ways]) == [
        len([k for k in range(6 * ways) if k // 4 % ways == way]) for way in range(ways)]
    counted = await took(Spraying("counter", ties="first"), data)
    assert min(counted) > 0 and len(set(await took(Spraying("counter"), acks))) == 1, "equal frames, equal shares"
    drawn = await took(Spraying("random"), data)
    assert all(0 < count < 20 * ways / 2 + 20 for count in drawn), drawn
    for kind in Spraying.KINDS[1:]:
        straight = await took(Spraying(kind, ack_bytes=60), acks)
        assert sorted(straight)[-1] == len(acks), "what is so short takes its flow's port"
        assert min(await took(Spraying(kind, ack_bytes=39), acks)) > 0, "a byte less, and it is sprayed"
    assert await took(Spraying(), data) == by_hash
    await b.write(ROUTE, Spraying("power").word)
    b.s.route = Spraying("power")
    # Port 1 is slow and deep already: of any two ports the other is shorter.
    await b.learn(True, HOST + 1, 0b10)
    b.stall[1], before = 1.0, list(b.frames_out)
    for frame in [udp64(7, HOST + 1, n + k) for k in range(6)] + [numbered(frame, n + 6 + k) for k, frame in enumerate(data)]:
        b.send(frame, 0)
        await b.run(cycles=max(60, 20 + 320 // b.link))   # in by port 0, and out again
    assert (await b.counters())["queued"][1] in (5, 6) and b.frames_out[1] == before[1]
    assert sum(b.frames_out) - sum(before) == len(data)
    b.stall[1] = 0.0
    await settle(b)


@cocotb.test()
async def a_sprayed_incast_loses_nothing_uncounted(dut):
    """All ports send to one group, which reads slowly; detours to the others."""
    for kind in Spraying.KINDS[1:]:
        full = (1 << b_ports(dut)) - 1
        b = await started(dut, to_switch=full & ~1, limit_frames=4, mark_at=2, route=Spraying(kind))
        await b.learn(True, HOST, 0b011)
        b.stall[0] = b.stall[1] = 0.9
        for n in range(60 * b.ports):
            b.send(udp64(n, HOST, n, size=b.rng.randrange(64, 200)), n % b.ports)
        c = await settle(b)
        dut._log.info(f"sprayed incast, {kind}: {c}")
        assert c["out"][0] > 0 and c["out"][1] > 0 and b.board.sprayed > 0


def cycles_for(b, frames, size):
    """Enough for so many frames from all ports but one to come in, over the links and over the path."""
    path = int(os.environ["PATH_W"]) // 8
    return frames * (-(-size // b.link) // (b.ports - 1) + -(-size // path) + 2) + 500


def b_ports(dut):
    return len(dut.m_axis_tvalid_o)


@cocotb.test()
async def a_frame_that_fits_nowhere_is_dropped_whole(dut):
    """Host 0 takes nothing at all, then everything: what was stored comes whole, the rest is counted."""
    b = await started(dut, limit_frames=5)
    await hosts_behind_ports(b)
    b.stall[0] = 1.0
    for n in range(40):
        b.send(udp64(n, HOST, n, size=b.rng.randrange(64, 1500)), 1 + n % (b.ports - 1))
    await b.run(cycles=cycles_for(b, 40, 1500))
    c = await b.counters()
    assert c["queued"][0] == 5 and c["full"][0] == 35, c
    b.stall[0] = 0.0
    c = await settle(b)
    assert c["out"][0] == 5


@cocotb.test()
async def limits_of_bytes_hold(dut):
    """Per-port queues take as many words as the limit says, and no more; a pool as alpha says."""
    b = await started(dut, limit_bytes=4096, alpha=2)
    await hosts_behind_ports(b)
    b.stall[0] = 1.0
    path = int(os.environ["PATH_W"]) // 8
    words = -(-256 // path)
    for n in range(120):
        b.send(udp64(n, HOST, n, size=256), 1 + n % (b.ports - 1))
    await b.run(cycles=cycles_for(b, 120, 256))
    c = await b.counters()
    if SHARED:
        pool = (1 << int(os.environ["QUEUE_W"])) - b.ports
        held, expect = 0, 0
        while held * 4 < pool - held and held + words <= pool:   # depth < free / 4
            held, expect = held + words, expect + 1
    else:
        expect = (4096 // path) // words
    assert c["queued"][0] == expect, (c["queued"], expect)
    b.stall[0] = 0.0
    await settle(b)


@cocotb.test()
async def random_traffic_is_conserved(dut):
    ports = b_ports(dut)
    full = (1 << ports) - 1
    counted = ["out", "bad", "malformed", "ttl", "no_entry", "full", "mark"] + ["detour_from", "detour_to"] * bool(DIBS)
    cover = Coverage(f"switch_top_{ports}", [
        *[("sent", kind) for kind in ("IPv4", "other", "malformed", "ttl", "no_entry", "broken")], "can be marked",
        *[("counted", what) for what in counted], *[("left by port", p) for p in range(ports)],
        *[("route", kind) for kind in (Spraying.KINDS if SPRAY else ["ecmp"])],
        "round with detours allowed", "round with an output stalled"])
    for round_ in range(int(os.environ.get("ROUNDS", "8"))):
        rng = random.Random(cocotb.RANDOM_SEED * 1000 + round_)
        b = Switch(dut, rng, number=by_tail)
        await b.start()
        await b.configure(
            to_switch=rng.randrange(full + 1), salt=rng.randrange(1 << 32), go_back=rng.random() < 0.7,
            match_mac=rng.random() < 0.2, limit_frames=rng.choice([2, 8, 30, 1000]),
            limit_bytes=rng.choice([2000, 6000, 1 << 20]), mark_at=rng.choice([1, 4, 10]),
            alpha=rng.randrange(8), seed=rng.randrange(1 << 32),
            route=random_spraying(rng, Spraying.KINDS[round_ % len(Spraying.KINDS)]) if SPRAY else None)
        if round_ == 0:
            # Not left to draws: detours, short queues that mark at once, and an output that is slow.
            await b.configure(to_switch=full, limit_frames=2, limit_bytes=1 << 20, mark_at=1,
                              route=Spraying(Spraying.KINDS[0]) if SPRAY else None)
        hot = rng.randrange(ports)
        for h in range(24):
            group = 1 << hot if rng.random() < 0.4 else rng.randrange(1, full + 1)
            await b.learn(True, HOST + h, group)
            await b.learn(False, 0x02AA_0000_0000 + h, rng.randrange(1, full + 1))
        for p in range(ports):
            b.idle[p] = rng.choice([0, 0, 0.2, 0.7])
            b.stall[p] = rng.choice([0, 0.2, 0.5, 0.8])
        if round_ == 0:
            b.stall = [0.8] * ports
        for n in range(60 * ports):
            port = rng.randrange(ports)
            # The first of each round are one of each kind.
            frame = random_frame(rng, longest=rng.choice([100, 300, 1518]), kind=n if n < 9 else None)
            if n == 0 or rng.random() < 0.03:
                b.send(frame, port, broken=True)
                cover.hit(("sent", "broken"))
            frame = numbered(frame, n)
            b.send(frame, port)
            r = route(frame, b.s)
            cover.hit(("sent", r.reason or ("IPv4" if r.ip else "other")))
            cover.hit_if(**{"can be marked": can_mark(frame)})
        c = await settle(b)
        cover.hit(("route", b.s.route.kind))
        cover.hit(*(("counted", name) for name, row in c.items() if sum(row)))
        cover.hit(*(("left by port", p) for p in range(ports) if c["out"][p]))
        cover.hit_if(**{"round with detours allowed": b.s.to_switch, "round with an output stalled": any(b.stall)})
    cover.require(dut._log)


@cocotb.test()
async def small_frames_back_to_back_at_line_rate(dut):
    """64-byte frames with 20 bytes of preamble and gap between them, on all ports at once.

    A link of LINE_EVERY cycles a beat. Not one offered beat may wait, and nothing may be lost.
    """
    await back_to_back(dut, int(os.environ.get("FRAMES", "2000")), every=int(os.environ.get("LINE_EVERY", "1")), gap=True)


@cocotb.test()
async def small_frames_without_any_gap_lose_nothing_and_fill_the_path(dut):
    await back_to_back(dut, int(os.environ.get("FRAMES", "2000")), every=1, gap=False)


async def back_to_back(dut, frames, every, gap):
    b = await started(dut, salt=1, to_switch=(1 << b_ports(dut)) - 1)
    await hosts_behind_ports(b)
    path = int(os.environ["PATH_W"]) // 8
    size = 64
    b.every = every
    b.gap = -(-20 // b.link) * every if gap else 0
    # A permutation, in another order for each round: each output is asked for exactly its rate.
    for n in range(frames):
        port, round_ = n % b.ports, n // b.ports
        b.send(udp64(0x0A01_0000 + port, HOST + (port + 1 + round_ % (b.ports - 1)) % b.ports, n, size=size), port)
    await b.run()
    c = await settle(b)
    assert sum(c["out"]) == frames and sum(c["full"]) == 0, c
    words = -(-size // path)
    took = b.last_out - b.first_out + 1
    per_frame = took / frames
    held = sum(b.tready_low)
    name = "line rate" if gap else "no gap"
    dut._log.info(
        f"RESULT {name}: frames={frames} cycles={took} cycles_per_frame={per_frame:.3f} "
        f"path_words_per_frame={words} beats_held_back={held} detours={sum(c['detour_to'])}")
    link_cycles = (-(-size // b.link) + (b.gap // every if gap else 0)) * every / b.ports
    if gap or words <= link_cycles:
        # The links are the limit: not one beat waits.
        assert held == 0, f"{held} beats were held back"
        assert per_frame <= link_cycles * 1.001 + 100 / frames, per_frame
    else:
        # The path is the limit: one word in each cycle, the start and the end apart.
        assert per_frame <= words + 100 / frames, (per_frame, words)


CONFIGS = {
    # As NetFPGA-1G: 8 bits a cycle and port, which is 1 Gbps at 125 MHz, over a path of 64 bits.
    "4x1G-path-64": dict(LinkW=8),
    "4x1G-path-64-without-dibs": dict(LinkW=8, Dibs=0),
    "4x1G-path-64-without-spraying": dict(LinkW=8, Spray=0, Bytes=0),
    "4x1G-first-open": dict(LinkW=8, Dibs=2),
    "4x1G-every-buffer": dict(LinkW=8, Dibs=3),
    "8-links-64-path-512-every-buffer": dict(NumPorts=8, PortW=3, LinkW=64, PathW=512, QueueW=8, InputW=7, Dibs=3),
    "4-links-32-path-128": dict(LinkW=32, PathW=128, QueueW=10),
    "4-links-64-path-64": dict(LinkW=64, PathW=64),
    # Every link 64 bits in each cycle.
    "4-links-64-path-256": dict(LinkW=64, PathW=256, QueueW=9),
    "4-links-64-path-256-every-buffer": dict(LinkW=64, PathW=256, QueueW=9, Dibs=3),
    "4-links-512-path-512": dict(LinkW=512, PathW=512, QueueW=8, InputW=7),
    "8-links-64-path-512": dict(NumPorts=8, PortW=3, LinkW=64, PathW=512, QueueW=8, InputW=7),
    "4x1G-shared": dict(LinkW=8, Shared=1, QueueW=11),
    "8-links-64-path-512-shared": dict(NumPorts=8, PortW=3, LinkW=64, PathW=512, QueueW=10, InputW=7, Shared=1),
}
ON_ICARUS = ["4x1G-path-64", "4-links-64-path-256", "8-links-64-path-512-shared"]
# The parts run in both simulators every time; the whole switch takes Icarus a minute and a half.
QUICK = [("4-links-64-path-256", "verilator")]
RATES = ["small_frames_back_to_back_at_line_rate", "small_frames_without_any_gap_lose_nothing_and_fill_the_path"]
OTHERS = ["registers_read_back_and_name_the_build", "address_and_data_come_in_any_order_and_answers_wait",
          "one_frame_goes_through_and_its_latency_is_known",
          "a_detoured_frame_takes_not_a_cycle_longer", "bad_frames_are_counted_and_leave_no_trace",
          "a_malformed_frame_without_an_end_stops_no_port", "a_header_longer_than_its_packet_is_malformed",
          "an_entry_that_is_written_under_traffic_leads_somewhere",
          "incast_overflows_a_queue_and_every_frame_is_accounted_for", "a_frame_that_fits_nowhere_is_dropped_whole",
          "limits_of_bytes_hold", "the_register_chooses_what_becomes_of_a_frame_that_does_not_fit",
          "a_frame_that_is_no_ip_is_detoured_no_more_than_it_may_be", "the_register_chooses_how_a_port_of_a_group_is_taken",
          "a_sprayed_incast_loses_nothing_uncounted", "random_traffic_is_conserved"]


# What a build must have for a test of it. cocotb's own `skip` says nothing where tests are chosen by name.
NEEDS = {"the_register_chooses_what_becomes_of_a_frame_that_does_not_fit": lambda p: p["Dibs"] == 3,
         "a_frame_that_is_no_ip_is_detoured_no_more_than_it_may_be": lambda p: p["Dibs"] != 0,
         "the_register_chooses_how_a_port_of_a_group_is_taken": lambda p: p["Spray"] == 1,
         "a_sprayed_incast_loses_nothing_uncounted": lambda p: p["Spray"] == 1}


def whole(parameters):
    """All parameters that tests go by, those of a build and for the rest the defaults."""
    return {"PathW": 64, "QueueW": 11, "Shared": 0, "Dibs": 1, "Spray": 1, "Bytes": 1, "LinkW": 64, "NumPorts": 4, **parameters}


def names_for(parameters, names):
    """Those tests that a build has what they need for."""
    return [name for name in names if NEEDS.get(name, lambda _: True)(whole(parameters))]


def environment(parameters, **more):
    p = whole(parameters)
    # A link so slow that all of them fit the path, gap and all, where they are as wide as it.
    return {"PATH_W": p["PathW"], "QUEUE_W": p["QueueW"], "SHARED": p["Shared"], "DIBS": p["Dibs"],
            "SPRAY": p["Spray"], "BYTES": p["Bytes"],
            "LATENCY": 26 if (p["LinkW"], p["PathW"]) == (8, 64) and not p["Shared"] else 0,
            "LINE_EVERY": p["NumPorts"] if p["LinkW"] == p["PathW"] else 1, **more}


RUNS = [pytest.param(config, sim, marks=[] if (config, sim) in QUICK else [pytest.mark.slow])
        for config in CONFIGS for sim in BOTH if sim == "verilator" or config in ON_ICARUS]


@pytest.mark.parametrize("config, sim", RUNS)
def test_switch_top(config, sim):
    parameters = CONFIGS[config]
    # A round for each kind of route at least.
    more = dict(ROUNDS=8, FRAMES=2000) if sim == "verilator" else dict(ROUNDS=len(Spraying.KINDS), FRAMES=400)
    simulate(sim, "switch_top", "test_switch_top", parameters, env=environment(parameters, **more),
             tests=names_for(parameters, OTHERS + RATES))


def test_a_build_runs_what_it_can_pass_and_nothing_else():
    """Names of tests overrule cocotb's `skip`: a build with detours alone once ran what needs the register, and 64 frames were detoured."""
    assert NEEDS.keys() <= set(OTHERS + RATES)
    register = "the_register_chooses_what_becomes_of_a_frame_that_does_not_fit"
    assert register not in names_for(dict(PathW=256), OTHERS) and register in names_for(dict(PathW=256, Dibs=3), OTHERS)
    assert not any(test.skip for test in vars(sys.modules[__name__]).values() if isinstance(test, type(random_traffic_is_conserved)))


# The short run sends 2,000 of them, in test_switch_top.
@pytest.mark.slow
@pytest.mark.parametrize("config", [c for c in CONFIGS if "without" not in c])
def test_a_hundred_thousand_small_frames(config):
    parameters = CONFIGS[config]
    simulate("verilator", "switch_top", "test_switch_top", parameters,
             env=environment(parameters, FRAMES=100_000), tests=RATES)
