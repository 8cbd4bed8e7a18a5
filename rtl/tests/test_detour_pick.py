# SPDX-License-Identifier: MIT OR Apache-2.0
"""detour_pick: DIBS's decision against the Rust one, on two simulators."""

import cocotb
import pytest

from bench import reference
from bench.coverage import Coverage
from bench.detours import agrees, ask, bins, expected, note, situations, width
from bench.simulators import BOTH, SRC, simulate


@cocotb.test()
async def directed(dut):
    n = len(dut.fits_i)
    full = (1 << n) - 1
    assert (await ask(dut, want=1, fits=full, switch=0, draw=0)) == (0, 0, 1), "it fits, so it stays"
    assert (await ask(dut, want=1, fits=0, switch=full, draw=0))[:2] == (1, 0), "everything is full"
    assert (await ask(dut, want=1, fits=full & ~2, switch=0, draw=0))[:2] == (1, 0), "the open ones are hosts"
    assert (await ask(dut, want=1, fits=full & ~2, switch=full, draw=0)) == (0, 1, 0), "the lowest draw, the lowest"
    assert (await ask(dut, want=1, fits=full & ~2, switch=full, draw=2**32 - 1)) == (0, 1, n - 1), "and the highest"
    assert (await ask(dut, want=0, fits=0b110, switch=0b1111, draw=2**31 - 1)) == (0, 1, 1), "below the half"
    assert (await ask(dut, want=0, fits=0b110, switch=0b1111, draw=2**31)) == (0, 1, 2), "from the half on"


@cocotb.test()
async def constrained_random(dut):
    n = len(dut.fits_i)
    cover = Coverage(f"detour_pick_{n}", bins(n))
    for want, fits, switch, draw in situations(n, 6000):
        answer = await ask(dut, want=want, fits=fits, switch=switch, draw=draw)
        port = reference.dibs(want, fits, switch, draw)
        assert agrees(answer, expected(want, fits, port)), (want, fits, switch, draw, answer)
        note(cover, n, want, fits, switch, draw, answer)
    cover.require(dut._log)


@pytest.mark.parametrize("sim, ports", [(sim, 8) for sim in BOTH] + [
    ("icarus", 4), pytest.param("verilator", 4, marks=pytest.mark.slow)])
def test_detour_pick(sim, ports):
    simulate(sim, "detour_pick", "test_detour_pick", {"NumPorts": ports, "PortW": width(ports)},
             [SRC / "scale_draw.sv", SRC / "pick_uniform.sv", SRC / "detour_pick.sv"], reference.env())
