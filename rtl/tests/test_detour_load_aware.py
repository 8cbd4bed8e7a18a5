# SPDX-License-Identifier: MIT OR Apache-2.0
"""detour_load_aware: the emptiest open neighbour, against the Rust decision."""

import random

import cocotb
import pytest

from bench import reference
from bench.coverage import Coverage
from bench.detours import agrees, ask, bins, expected, note, situations, width
from bench.simulators import EACH, SRC, simulate

DEPTH_W = 20


def packed(depths):
    return sum(depth << (DEPTH_W * port) for port, depth in enumerate(depths))


@cocotb.test()
async def directed(dut):
    n = len(dut.fits_i)
    full = (1 << n) - 1
    depths = [9, 5, 7, 5] + [8] * (n - 4)
    at = {"depth": packed(depths), "want": 0}
    assert (await ask(dut, **at, fits=full, switch=0, draw=0)) == (0, 0, 0), "it fits, so it stays"
    assert (await ask(dut, **at, fits=full & ~1, switch=full, draw=0)) == (0, 1, 1), "the lower of two that hold 5"
    assert (await ask(dut, **at, fits=full & ~1, switch=full, draw=2**31)) == (0, 1, 3), "the higher of the two"
    assert (await ask(dut, **at, fits=0b0100, switch=full, draw=0)) == (0, 1, 2), "the others are full"
    assert (await ask(dut, **at, fits=full & ~1, switch=0b0100, draw=0)) == (0, 1, 2), "the others are hosts"
    assert (await ask(dut, **at, fits=0, switch=full, draw=0))[:2] == (1, 0), "nothing is open"


@cocotb.test()
async def constrained_random(dut):
    n = len(dut.fits_i)
    rng = random.Random(2)
    cover = Coverage(f"detour_load_aware_{n}", bins(n) + ["a tie", "no tie", "a host or full port holds less"])
    for want, fits, switch, draw in situations(n, 6000):
        top = 1 << rng.randrange(1, DEPTH_W + 1)
        depths = [rng.randrange(top) for _ in range(n)]
        answer = await ask(dut, want=want, fits=fits, switch=switch, draw=draw, depth=packed(depths))
        port = reference.load_aware(fits & switch, depths, draw)
        assert agrees(answer, expected(want, fits, port)), (want, fits, switch, draw, depths, answer)
        note(cover, n, want, fits, switch, draw, answer)
        if answer[1]:
            open_ = [depths[p] for p in range(n) if (fits & switch) >> p & 1]
            cover.hit("a tie" if open_.count(min(open_)) > 1 else "no tie")
            cover.hit_if(**{"a host or full port holds less": min(depths) < min(open_)})
    cover.require(dut._log)


@pytest.mark.parametrize("ports", [4, 8])
@pytest.mark.parametrize("sim", EACH)
def test_detour_load_aware(sim, ports):
    simulate(sim, "detour_load_aware", "test_detour_load_aware",
             {"NumPorts": ports, "PortW": width(ports), "DepthW": DEPTH_W},
             [SRC / "scale_draw.sv", SRC / "pick_uniform.sv", SRC / "detour_load_aware.sv"], reference.env())
