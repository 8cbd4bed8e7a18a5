# SPDX-License-Identifier: MIT OR Apache-2.0
"""spray_rr: the hops in turn, against the route `spray-rr`."""

import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from bench import reference
from bench.coverage import Coverage
from bench.detours import width
from bench.simulators import EACH, SRC, simulate

PLACES = 16


class Turns:
    """The cell and the route, in step."""

    def __init__(self, dut):
        self.dut, self.ports = dut, len(dut.hops_i)

    async def start(self):
        d = self.dut
        cocotb.start_soon(Clock(d.clk_i, 8, "ns").start())
        d.rst_ni.value = 0
        for name in ("clear_i", "first_i", "burst_i", "rounds_i", "step_i", "hops_i", "place_i", "begin_i", "draw_i"):
            getattr(d, name).value = 0
        for _ in range(2):
            await FallingEdge(d.clk_i)
        d.rst_ni.value = 1

    async def renew(self, words, seed=1):
        """A route that remembers nothing, with these settings."""
        d, words = self.dut, f"table={PLACES}; {words}"
        self.route = reference.Spray("spray-rr", words, salt=seed, seed=seed)
        settings = reference.Spray("spray-rr", words).step(hops=1).settings
        d.clear_i.value, d.step_i.value = 1, 0
        await FallingEdge(d.clk_i)
        d.clear_i.value, d.first_i.value = 0, settings.first
        d.burst_i.value, d.rounds_i.value = settings.burst, settings.rounds

    async def packet(self, hops, flow=0, step=True):
        """The port that a packet takes, or would take; and whether it draws."""
        d = self.dut
        fields = dict(hops=hops, prefix=flow % PLACES, dst=flow, hash=flow * 0x9E37_79B9 & 0xFFFF_FFFF)
        expected = self.route.step(**fields) if step else None
        d.hops_i.value, d.step_i.value = hops, int(step)
        if expected:
            d.place_i.value, d.begin_i.value, d.draw_i.value = expected.place, expected.begin, expected.draw
        await ReadOnly()
        port, drawn = int(d.port_o.value), int(d.drawn_o.value)
        assert int(d.onehot_o.value) == (1 << port if hops else 0) and int(d.none_o.value) == int(not hops)
        assert not expected or port == expected.port, (fields, port, expected.port)
        await FallingEdge(d.clk_i)
        return port, drawn


@cocotb.test()
async def directed(dut):
    t = Turns(dut)
    await t.start()
    await t.renew("start=first; per=prefix")
    ports = lambda took: [port for port, _ in took]
    assert ports([await t.packet(0b1011) for _ in range(4)]) == [0, 1, 3, 0]
    assert ports([await t.packet(0b1011, flow=1) for _ in range(2)]) == [0, 1], "each place has its own"
    assert ports([await t.packet(0b0100) for _ in range(3)]) == [2] * 3, "one hop moves nothing"
    assert ports([await t.packet(0b1110), await t.packet(0b1110)]) == [2, 3]
    await t.packet(0b1011, step=False)
    assert ports([await t.packet(0b1100)]) == [2], "number 0 again, where there are fewer"
    await t.renew("start=first; burst=2; per=switch")
    assert ports([await t.packet(0b1010, flow=f) for f in (0, 1, 2, 0, 1)]) == [1, 1, 3, 3, 1]
    await t.renew("shuffle=2; per=switch")
    drawn = [(await t.packet(0b1011))[1] for _ in range(18)]
    assert drawn == [0, 0, 0, 0, 0, 1] * 3, "after two rounds of three"
    assert await t.packet(0, step=False) == (0, 0), "no hop"


@cocotb.test()
async def constrained_random(dut):
    t, rng = Turns(dut), random.Random(1)
    n = t.ports
    pers, bursts, shuffles = ["flow", "destination", "prefix", "switch"], [1, 2, 5], ["off", 1, 3]
    cover = Coverage(f"spray_rr_{n}", [*pers, "starts drawn", "starts at the first", "one hop", "not stepped",
                                       *[("burst", b) for b in bursts], *[("shuffle", s) for s in shuffles],
                                       *[("drawn with hops", k) for k in range(2, n + 1)], *[("port", p) for p in range(n)]])
    await t.start()
    for round_ in range(80):
        per, burst, shuffle = pers[round_ % 4], rng.choice(bursts), rng.choice(shuffles)
        start = rng.choice(["drawn", "first"])
        await t.renew(f"per={per}; start={start}; burst={burst}; shuffle={shuffle}", seed=round_)
        some = lambda: sum(1 << p for p in rng.sample(range(n), rng.randrange(1, n + 1)))
        sets = [some() for _ in range(rng.choice([1, 4]))] + [1 << rng.randrange(n)]
        flows = rng.choice([2, 8, 100])
        cover.hit(per, ("burst", burst), ("shuffle", shuffle), "starts drawn" if start == "drawn" else "starts at the first")
        for _ in range(100):
            hops, step = rng.choice(sets), rng.random() < 0.9
            port, drawn = await t.packet(hops, rng.randrange(flows), step)
            cover.hit(("port", port))
            if drawn and step:
                cover.hit(("drawn with hops", bin(hops).count("1")))
            cover.hit_if(**{"one hop": hops & hops - 1 == 0, "not stepped": not step})
    cover.require(dut._log)


@pytest.mark.parametrize("ports", [4, 8])
@pytest.mark.parametrize("sim", EACH)
def test_spray_rr(sim, ports):
    simulate(sim, "spray_rr", "test_spray_rr",
             {"NumPorts": ports, "PortW": width(ports), "PlaceW": PLACES.bit_length() - 1},
             [SRC / "scale_draw.sv", SRC / "spray_rr.sv"], reference.env())
