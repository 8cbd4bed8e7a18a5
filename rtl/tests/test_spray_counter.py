# SPDX-License-Identifier: MIT OR Apache-2.0
"""spray_counter: the hop with the fewest bytes, against the route `spray-counter`."""

import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from bench import reference
from bench.coverage import Coverage
from bench.detours import width
from bench.simulators import EACH, SRC, simulate

COUNT_W = 20
TIES = ["turn", "first", "random"]


class Counter:
    """The cell and the route, in step."""

    def __init__(self, dut):
        self.dut, self.ports = dut, len(dut.hops_i)

    async def start(self):
        d = self.dut
        cocotb.start_soon(Clock(d.clk_i, 8, "ns").start())
        d.rst_ni.value = 0
        for name in ("clear_i", "queued_i", "ties_i", "step_i", "hops_i", "set_i", "bytes_i", "depth_i", "draw_i"):
            getattr(d, name).value = 0
        d.limit_i.value = 1
        for _ in range(2):
            await FallingEdge(d.clk_i)
        d.rst_ni.value = 1

    async def renew(self, words, seed=1):
        """A route that has counted nothing, with these settings."""
        d = self.dut
        self.route = reference.Spray("spray-counter", words, seed=seed)
        settings = reference.Spray("spray-counter", words).step(hops=1).settings
        d.clear_i.value, d.step_i.value = 1, 0
        await FallingEdge(d.clk_i)
        d.clear_i.value, d.queued_i.value = 0, settings.queued
        d.ties_i.value, d.limit_i.value = settings.ties, settings.limit

    async def packet(self, hops, bytes_=1538, depth=(), step=True):
        """The port that a packet takes, or would take."""
        d = self.dut
        expected = self.route.step(hops=hops, set=hops, bytes=bytes_, depth=depth) if step else None
        d.hops_i.value, d.set_i.value, d.bytes_i.value, d.step_i.value = hops, hops, bytes_, int(step)
        d.depth_i.value = sum(b << COUNT_W * p for p, b in enumerate(depth))
        d.draw_i.value = expected.draw if expected else 0
        await ReadOnly()
        port = int(d.port_o.value)
        assert int(d.onehot_o.value) == (1 << port if hops else 0) and int(d.none_o.value) == int(not hops)
        assert not expected or port == expected.port, (hops, bytes_, depth, expected.port)
        await FallingEdge(d.clk_i)
        return port


@cocotb.test()
async def directed(dut):
    c = Counter(dut)
    await c.start()
    await c.renew("defaults")
    assert [await c.packet(0b1011) for _ in range(4)] == [0, 1, 3, 0], "equal ones take turns"
    assert [await c.packet(0b1011, 64) for _ in range(3)] == [1, 3, 1], "the fewest bytes"
    assert [await c.packet(0b0100) for _ in range(9)] == [2] * 9, "with one hop nothing is counted"
    assert await c.packet(0b0110) == 2
    assert await c.packet(0b1011, step=False) == await c.packet(0b1011), "who only looks changes nothing"
    await c.renew("ties=first")
    assert [await c.packet(0b1110) for _ in range(4)] == [1, 2, 3, 1], "nothing is left of what was before"
    await c.renew("by=queued")
    depth = [7, 5, 9, 5]
    assert [await c.packet(0b1111, depth=depth) for _ in range(3)] == [1, 3, 1], "the shortest queues take turns"
    await c.renew("limit=1538 B")
    assert [await c.packet(0b0011) for _ in range(3)] == [0, 1, 0], "the counters fall, and the turn stays"
    assert await c.packet(0, step=False) == 0, "no hop"


@cocotb.test()
async def constrained_random(dut):
    c, rng = Counter(dut), random.Random(1)
    n = c.ports
    cover = Coverage(f"spray_counter_{n}", [*TIES, "by queues", "one hop", "not stepped", "a limit below a packet",
                                            "above a limit", *[("port", p) for p in range(n)],
                                            *[("hops", k) for k in range(1, n + 1)]])
    await c.start()
    for round_ in range(60):
        by, ties, limit = rng.choice(["sent"] * 3 + ["queued"]), TIES[round_ % 3], rng.choice([700, 3000, 64_000, 1_000_000])
        await c.renew(f"by={by}; ties={ties}; limit={limit} B", seed=round_)
        sets = [rng.randrange(1, 1 << n) for _ in range(5)] + [1 << rng.randrange(n), (1 << n) - 1]
        sizes, sent = rng.choice([lambda: 1538, lambda: rng.randrange(84, 1539), lambda: rng.choice([84, 1538])]), 0
        for _ in range(100):
            hops, step, bytes_ = rng.choice(sets), rng.random() < 0.9, sizes()
            port = await c.packet(hops, bytes_, [rng.randrange(4) for _ in range(n)], step)
            sent += bytes_ * step
            cover.hit(ties, ("port", port), ("hops", bin(hops).count("1")))
            cover.hit_if(**{"by queues": by == "queued", "one hop": hops & hops - 1 == 0, "not stepped": not step,
                            "a limit below a packet": by == "sent" and bytes_ > limit,
                            "above a limit": by == "sent" and sent > n * limit})
    cover.require(dut._log)


@pytest.mark.parametrize("ports", [4, 8])
@pytest.mark.parametrize("sim", EACH)
def test_spray_counter(sim, ports):
    simulate(sim, "spray_counter", "test_spray_counter",
             {"NumPorts": ports, "PortW": width(ports), "CountW": COUNT_W, "SetW": ports},
             [SRC / "scale_draw.sv", SRC / "pick_uniform.sv", SRC / "spray_counter.sv"], reference.env())
