# SPDX-License-Identifier: MIT OR Apache-2.0
"""The whole switch with queues by rank: tags are read, the smallest leaves first, and nothing is lost uncounted."""

import random

import cocotb
import pytest

from bench.coverage import Coverage
from bench.models import ethernet, ipv4, sent, tagged
from bench.scoreboard import Scoreboard
from bench.simulators import EACH, simulate
from bench.switch import BUFFER, RANK, Switch
from bench.traffic import random_frame, tcp, udp64
from test_switch_top import HOST, by_tail, cycles_for, hosts_behind_ports, numbered

BETWEEN, OPTION = 1, 2
HALF, DEFLECT = 1 << 4, 1 << 8
# Bytes of a frame of more words of 256 bits than stand at a port, so that it is still the one that is sent while the port is held.
LONG = 160


async def started(dut, tags=BETWEEN, vertigo=True, **settings):
    b = Switch(dut, random.Random(cocotb.RANDOM_SEED))
    Switch.LONGEST = 1521
    await b.start()
    await b.configure(**settings)
    b.s.tags = tags
    await b.write(RANK, tags | HALF | DEFLECT)
    await b.write(BUFFER, 6 if vertigo else 0)
    b.board = Scoreboard(b.s, by_tail, by_rank=True)
    return b


async def settle(b):
    """Every frame left or is counted, once."""
    await b.run()
    c = await b.counters()
    drops = {k: sum(c[k]) for k in ("bad", "malformed", "ttl", "no_entry", "full", "evicted")}
    assert sum(c["in"]) == sum(c["out"]) + sum(drops.values()), "frames in = frames out + drops"
    assert c["out"] == b.frames_out and sum(c["queued"]) == 0
    assert len(b.board.open) == sum(drops.values()) - drops["bad"]
    assert sum(c["detour_from"]) == sum(c["detour_to"])
    for reason in ("malformed", "ttl", "no_entry"):
        assert c[reason] == [b.board.dropped_for_sure[reason, p] for p in range(b.ports)], reason
    return c


def option(frame_number, rank, again=0, size=68):
    """A UDP frame to host 0 with its tag in the header of IPv4."""
    tag = bytes([158, 7]) + rank.to_bytes(4, "big") + bytes([again << 4, 1])
    body = bytes(size - 50) + frame_number.to_bytes(8, "big")
    return ethernet(0x02AA_0000_0000, ipv4(0x0A01_0000, HOST, body, ecn=2, options=tag))


@cocotb.test()
async def registers_say_what_this_build_is(dut):
    b = await started(dut)
    assert await b.read(0x04) >> 28 == 1
    for value, kept in ((0, 0), (1, 0), (5, 0), (7, 0), (6, 6), (2, 6)):
        await b.write(BUFFER, value)
        assert await b.read(BUFFER) == kept
    for value, kept in ((0x131, 0x131), (0x133, 0x131), (0x002, 0x002), (0xFFFF_FFFD, 0x131)):
        await b.write(RANK, value)
        assert await b.read(RANK) == kept, hex(value)


@cocotb.test()
async def the_smallest_rank_leaves_first(dut):
    """Port 0 is held; what waits there leaves by rank, and equal ranks as they came."""
    udp = lambda n, size=64: udp64(0x0A01_0000, HOST, n, size=size)
    arp = ethernet(0x02BB_0000_0000, bytes(50), 0x0806)
    for tags, make in ((BETWEEN, lambda n, rank, again=0, size=64: tagged(udp(n, size), rank, again)), (OPTION, option)):
        b = await started(dut, tags=tags)
        await hosts_behind_ports(b)
        await b.learn(False, 0x02BB_0000_0000, 1)
        frames = [make(0, 7, size=LONG), make(1, 3000), make(2, 900), make(3, 3000, 1), udp(4), make(5, 900), numbered(tcp(7, HOST, 0), 6), numbered(arp, 7)]
        order = [0, 6, 7, 2, 5, 3, 1, 4]   # of 3 is half of 3000 left; 4 is data without a tag
        left = []
        b.board.seen = lambda frame, port: left.append((by_tail(frame), frame))
        b.stall[0] = 1.0
        for frame in frames:
            b.send(frame, 1)
        await b.run(cycles=1500)
        assert (await b.counters())["queued"][0] == len(frames) - 1, "a place is the one that is sent's"
        b.stall[0] = 0.0
        await b.run()
        # The first was on its way before any other came; of places there are 7.
        assert [n for n, _ in left] == [n for n in order if n != 4], left
        assert all(frame == sent(frames[n], False) for n, frame in left)


@cocotb.test()
async def what_does_not_fit_moves_to_a_switch_and_is_marked_there(dut):
    b = await started(dut, to_switch=0b1100, limit_frames=3, mark_at=1)
    await hosts_behind_ports(b)
    b.stall[0] = 1.0
    left = []
    b.board.seen = lambda frame, port: left.append((by_tail(frame), port, frame))
    frames = [tagged(udp64(0x0A01_0000, HOST, n, size=64 if n else LONG), rank) for n, rank in enumerate((1, 50, 60, 40, 70))]
    for frame in frames:
        b.send(frame, 1)
        await b.run(cycles=400)
    c = await b.counters()
    # Two wait beside the one on its way: 40 puts out 60, and 70 moves on itself.
    assert c["detour_from"][0] == 2 and sum(c["detour_to"]) == 2 and c["detour_to"][:2] == [0, 0], c
    b.stall[0] = 0.0
    await b.run()
    assert sorted(n for n, port, _ in left if port != 0) == [2, 4]
    assert [n for n, port, _ in left if port == 0] == [0, 3, 1]
    # Those that came to a queue of one or more bear the mark, whichever queue it is, and their checksums are right.
    assert all(frame == sent(frames[n], n != 0 and (port == 0 or n == 2)) for n, port, frame in left), left


@cocotb.test()
async def drop_tail_and_no_deflection_drop(dut):
    for vertigo in (False, True):
        b = await started(dut, vertigo=vertigo, to_switch=0b1110, limit_frames=3)
        await b.write(RANK, BETWEEN)
        await hosts_behind_ports(b)
        b.stall[0] = 1.0
        for n, rank in enumerate((1, 50, 60, 40)):
            b.send(tagged(udp64(0x0A01_0000, HOST, n, size=64 if n else LONG), rank), 1)
        await b.run(cycles=800)
        b.stall[0] = 0.0
        c = await settle(b)
        assert (c["full"][0], c["evicted"][0]) == ((0, 1) if vertigo else (1, 0)) and sum(c["detour_to"]) == 0, c


@cocotb.test()
async def random_traffic_is_conserved(dut):
    cover = Coverage(f"ranked_switch_{len(dut.m_axis_tvalid_o)}", ["out", "bad", "malformed", "ttl", "no_entry", "full", "evicted", "detour_to", "mark"])
    for round_ in range(3):
        b = await started(dut, to_switch=[0b1111, 0b1100, 0][round_], limit_frames=[3, 2, 4][round_], mark_at=2, salt=b_salt(round_))
        rng = b.rng
        for h in range(24):
            await b.learn(True, HOST + h, 1 if rng.random() < 0.5 else rng.randrange(1, 16))
            await b.learn(False, 0x02AA_0000_0000 + h, rng.randrange(1, 16))
        b.stall = [0.85, 0.2, 0.8, 0.0]
        for n in range(160):
            frame = numbered(random_frame(rng, longest=rng.choice([100, 300, 1514]), kind=n if n < 9 else None), n)
            if rng.random() < 0.7:
                frame = tagged(frame, rng.choice([rng.randrange(1 << 32), rng.randrange(3)]), rng.randrange(16))
            if n % 40 == 0:
                b.send(frame, n % b.ports, broken=True)
            b.send(frame, rng.randrange(b.ports))
        c = await settle(b)
        cover.hit(*(name for name, row in c.items() if sum(row)))
    cover.require(dut._log)


def b_salt(round_):
    return 0x9E37_79B9 * (round_ + 1) & 0xFFFF_FFFF


@cocotb.test()
async def small_frames_at_line_rate_wait_for_nothing(dut):
    """64-byte frames on all ports, whose ranks fall so that each is put first: the decisions take no beat of the links."""
    b = await started(dut, to_switch=0b1111, limit_frames=2)
    await hosts_behind_ports(b)
    frames = 400
    b.gap = -(-20 // b.link)
    for n in range(frames):
        b.send(tagged(udp64(0x0A01_0000, HOST + (0 if n % 3 else n % b.ports), n, size=57), 1 << 20 - n % 20), n % b.ports)
    c = await settle(b)
    assert sum(b.tready_low) == 0, "a beat waited"
    assert sum(c["detour_to"]) > frames // 4 and sum(c["full"]) + sum(c["evicted"]) > 0, c
    dut._log.info(f"RESULT ranked line rate: frames={frames} beats_held_back=0 moved={sum(c['detour_to'])} dropped={sum(c['full']) + sum(c['evicted'])}")


CONFIGS = {"4-links-16-path-64": dict(LinkW=16, PathW=64, Dibs=0, Ranked=1, QueueW=13, MaxFrame=1521),
           "4-links-64-path-256": dict(LinkW=64, PathW=256, Dibs=0, Ranked=1, QueueW=11, MaxFrame=1521)}


@pytest.mark.slow
@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("sim", EACH)
def test_ranked_switch(sim, config):
    simulate(sim, "switch_top", "test_ranked_switch", CONFIGS[config], env={"PATH_W": CONFIGS[config]["PathW"]})
