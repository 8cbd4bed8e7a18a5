# SPDX-License-Identifier: MIT OR Apache-2.0
"""The lookup alone: every frame's port, drop, detour, mark and bytes. bench/lookup.py predicts them."""

import os

import cocotb
import pytest

from bench.lookup import started
from bench.models import Buffering, Spraying, bits, checksum_ok, ethernet, sent
from bench.simulators import BOTH, simulate
from bench.traffic import random_buffering, random_frame, random_host, random_mac, random_spraying, tcp, udp64


@cocotb.test()
async def a_full_queue_detours_marks_and_keeps_the_checksum_right(dut):
    b = await started(dut)
    await b.learn(True, 0x0A00_0001, 0b0001)
    frame = udp64(0x0A01_0000, 0x0A00_0001, 7, ecn=2)
    words = -(-len(frame) // b.path_bytes)
    b.room[words] = (0b1100, 0)
    for _ in range(20):
        b.send(frame, 1)
    await b.run()
    dibs = b.s.dibs
    assert b.frames_out == (20 if dibs else 0)
    assert sum(n for (what, _), n in b.counted.items() if what == "detour_from") == (20 if dibs else 0)
    assert b.counted["full", 0] == (0 if dibs else 20)
    assert checksum_ok(sent(frame, True))


@cocotb.test()
async def the_ways_to_be_dropped_are_told_apart(dut):
    b = await started(dut)
    good = udp64(0x0A01_0000, 0x0A00_0003, 1)
    b.room[-(-len(good) // b.path_bytes)] = ((1 << b.ports) - 1, 0)
    b.send(good, 0)
    b.send(udp64(0x0A01_0000, 0x0A00_0003, 2, ttl=1), 1)
    b.send(udp64(0x0A01_0000, 0x0B00_0000, 3), 2)
    b.send(good[:14] + b"\x65" + good[15:], 3)
    await b.run()
    assert (b.frames_out, b.counted["ttl", 1], b.counted["no_entry", 2], b.counted["malformed", 3]) == (1, 1, 1, 1)


@cocotb.test()
async def no_frame_goes_back_where_that_is_forbidden(dut):
    b = await started(dut)
    await b.learn(True, 0x0A00_0001, 0b0001)
    frame = udp64(0x0A01_0000, 0x0A00_0001, 7)
    b.room[-(-len(frame) // b.path_bytes)] = (0b0110, 0)
    b.set(go_back=False)
    for _ in range(10):
        b.send(frame, 1)
    await b.run()
    assert b.counted["detour_to", 1] == 0 and b.counted["detour_to", 2] == (10 if b.s.dibs else 0)


@cocotb.test()
async def latency_and_rate_are_what_the_head_says(dut):
    b = await started(dut)
    frame = udp64(0x0A01_0000, 0x0A00_0001, 7)
    words = -(-len(frame) // b.path_bytes)
    b.room[words] = ((1 << b.ports) - 1, 0)
    for _ in range(200):
        b.send(frame, 1)
    await b.run()
    latency = b.first_out - b.first_in
    head = -(-38 // b.path_bytes)
    dut._log.info(f"RESULT latency_cycles={latency} path_bits={8 * b.path_bytes} dibs={int(b.s.dibs)}")
    assert latency == head + 11, latency
    assert b.last_in - b.first_in + 1 == 200 * words, "a cycle was lost"


async def every_bin_on_purpose(b):
    """A scene for each thing that can happen to a frame, so that no luck is needed to see it."""
    full = (1 << b.ports) - 1
    mac = 0x02AA_0000_0000
    udp = lambda dst, dscp=0, ecn=2: udp64(0x0A01_0000, dst, 1, ecn=ecn, dscp=dscp)
    arp = ethernet(mac, bytes(50), 0x0806)
    words = -(-64 // b.path_bytes)

    async def scene(frames, fits=full, reach=0, depth=None, buffering=None, port=1, **settings):
        b.set(**{"to_switch": full, "go_back": True, "match_mac": False, **settings})
        b.room[words] = (fits, reach)
        b.buffer(buffering or Buffering("dibs" if b.s.dibs != 3 else "droptail"), depth or [0] * b.ports)
        for frame in frames:
            b.send(frame, port)
        await b.run()

    await b.seed(1)
    if b.sprays:
        await b.route(Spraying())
    await b.learn(False, mac, 0b01)
    for p in range(b.ports):
        await b.learn(True, 0x0A00_0000 + p, 1 << p, bank=p % 2)
    to = [udp(0x0A00_0000 + p) for p in range(b.ports)]
    # Where there is room; and where a header says no.
    await scene([*to, arp, udp(0x0B00_0000), udp64(1, 0x0A00_0000, 1, ttl=1), to[0][:14] + b"\x65" + to[0][15:]])
    await scene([udp(0x0A00_0000, ecn=ecn) for ecn in range(4)], reach=full)
    await scene([to[0]], match_mac=True)
    # Where there is none, by each policy; and where the wanted port alone has none.
    for policy in Buffering.POLICIES if b.s.dibs == 3 else ["dibs"]:
        await scene([to[0], arp], fits=0, buffering=Buffering(policy))
        await scene([to[0], arp], fits=full & ~1, buffering=Buffering(policy))
        await scene([to[0]], fits=full & ~1, buffering=Buffering(policy), go_back=False)
        await scene([arp], fits=full & ~1, buffering=Buffering(policy, plain=2))
    if b.s.dibs == 3:
        early = Buffering("dibs-probabilistic", favour=8, start=2, full=4)
        await scene([udp(0x0A00_0000, dscp=dscp) for dscp in (8, 9)], depth=[4] * b.ports, buffering=early)
    # A group of all ports, by each route.
    await b.learn(True, 0x0A00_0000, full)
    for kind in Spraying.KINDS if b.sprays else []:
        await b.route(Spraying(kind, first=True, ack_bytes=60))
        await scene([udp(0x0A00_0000)] * 2 * b.ports + [tcp(0x0A01_0000, 0x0A00_0000, 0)])
    if not b.sprays:
        await scene([udp(0x0A00_0000)])


@cocotb.test()
async def random_frames_meet_their_verdicts(dut):
    b = await started(dut)
    full = (1 << b.ports) - 1
    await every_bin_on_purpose(b)
    b.cover.require(dut._log)
    for round_ in range(int(os.environ.get("ROUNDS", "18"))):
        b.idle, b.stall = b.rng.choice([(0, 0), (0.5, 0), (0, 0.5), (0.3, 0.3), (0.1, 0.9)])
        b.set(to_switch=b.rng.randrange(full + 1), go_back=b.rng.random() < 0.7,
              match_mac=round_ % 3 == 1, salt=b.rng.randrange(1 << 32))
        if b.sprays:
            await b.route(random_spraying(b.rng, kind=Spraying.KINDS[round_ % 5]))
        b.room.clear()
        buffering, depth = random_buffering(b.rng, b.ports, Buffering.POLICIES[round_ % 6] if b.s.dibs == 3 else "dibs")
        b.buffer(buffering, depth)
        await b.seed(b.rng.choice([0, b.rng.randrange(1 << 32)]))
        await b.learn(True, random_host(b.rng), b.rng.randrange(full + 1))
        await b.learn(False, random_mac(b.rng), b.rng.randrange(full + 1))
        for _ in range(50):
            b.send(random_frame(b.rng, longest=400 if b.path_bytes < 32 else 1518), b.rng.randrange(b.ports))
        await b.run()
    b.cover.require(dut._log)   # with what was drawn, for the report


@cocotb.test(skip=os.environ.get("SPRAY", "1") == "0")
async def every_route_takes_the_port_that_it_says_frame_by_frame(dut):
    """Two flows to one group, and long enough that a counter passes its limit."""
    b = await started(dut)
    group = 0b1011 if b.ports == 4 else 0b1011_0110
    await b.learn(True, 0x0A00_0001, group)
    frames = [udp64(0x0A01_0000 + n % 2, 0x0A00_0001, n, size=(64, 400)[n % 3 == 0]) for n in range(60)]
    for size in (64, 400):
        b.room[-(-size // b.path_bytes)] = ((1 << b.ports) - 1, 0)
    hops = bits(group)
    for spraying in (Spraying("ecmp"), Spraying("random"), *(Spraying("counter", ties=ties) for ties in Spraying.TIES),
                     Spraying("power"), *(Spraying("rr", per=per, first=first) for per in Spraying.PER for first in (False, True)),
                     Spraying("rr", burst=3), Spraying("rr", rounds=2), Spraying("rr", burst=2, rounds=1)):
        await b.route(spraying)
        took = []
        for frame in frames:
            b.send(frame, 1)
            took.append(b.expected[-1][1])
        await b.run()   # holds every frame's port against the model
        if spraying.kind == "ecmp":
            assert len(set(took[0::2])) == len(set(took[1::2])) == 1
        elif spraying.kind == "counter":
            loads = [sum(len(f) + 24 for f, p in zip(frames, took) if p == hop) for hop in hops]
            assert max(loads) - min(loads) <= 424, loads
        elif spraying == Spraying("rr", per="switch", first=True):
            assert took == [hops[n % len(hops)] for n in range(len(took))]
        elif spraying == Spraying("rr", per="flow", first=True):
            assert took == [hops[n // 2 % len(hops)] for n in range(len(took))], "the two march in step"
        elif spraying == Spraying("rr", burst=3):
            assert all(len(set(took[flow + 6 * k:flow + 6 * k + 6:2])) == 1 for flow in (0, 1) for k in range(10))
        else:
            assert set(took) == set(hops)


CONFIGS = {
    "4-ports-64": dict(PathW=64),
    "4-ports-64-without-dibs": dict(PathW=64, Dibs=0),
    "4-ports-64-first-open": dict(PathW=64, Dibs=2),
    "4-ports-64-every-buffer": dict(PathW=64, Dibs=3),
    "8-ports-128-every-buffer": dict(NumPorts=8, PortW=3, PathW=128, Dibs=3),
    "4-ports-64-without-spraying": dict(PathW=64, Spray=0),
    "4-ports-128": dict(PathW=128),
    "4-ports-256": dict(PathW=256),
    "8-ports-512": dict(NumPorts=8, PortW=3, PathW=512),
    "8-ports-512-without-dibs": dict(NumPorts=8, PortW=3, PathW=512, Dibs=0),
}


# On Icarus the narrowest and the widest path; in the short run the one that the paper's switch has.
RUNS = [pytest.param(config, sim, marks=[] if config == "4-ports-64" else [pytest.mark.slow])
        for config in CONFIGS for sim in BOTH
        if sim == "verilator" or config in ("4-ports-64", "4-ports-64-without-dibs", "4-ports-64-every-buffer", "8-ports-512")]


@pytest.mark.parametrize("config, sim", RUNS)
def test_output_port_lookup(config, sim):
    parameters = CONFIGS[config]
    simulate(sim, "output_port_lookup", "test_output_port_lookup", parameters,
             env={"DIBS": parameters.get("Dibs", 1), "SPRAY": parameters.get("Spray", 1)})
