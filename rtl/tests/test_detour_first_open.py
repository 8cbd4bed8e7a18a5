# SPDX-License-Identifier: MIT OR Apache-2.0
"""detour_first_open: the next open port from a drawn one, against the Rust decision."""

import cocotb
import pytest

from bench import reference
from bench.coverage import Coverage
from bench.detours import agrees, ask, bins, expected, note, situations, width
from bench.simulators import EACH, SRC, simulate


@cocotb.test()
async def directed(dut):
    n = len(dut.fits_i)
    full, step = (1 << n) - 1, 2**32 // n
    assert (await ask(dut, want=0, fits=full, switch=0, draw=0)) == (0, 0, 0), "it fits, so it stays"
    assert (await ask(dut, want=0, fits=0b1000, switch=full, draw=0)) == (0, 1, 3), "the next one up"
    assert (await ask(dut, want=0, fits=0b0110, switch=full, draw=3 * step + n)) == (0, 1, 1), "and around"
    assert (await ask(dut, want=0, fits=0b1010, switch=full, draw=step + n)) == (0, 1, 1), "itself, when it is open"
    assert (await ask(dut, want=0, fits=0b1110, switch=0b0001, draw=0))[:2] == (1, 0), "hosts are no detour"


@cocotb.test()
async def constrained_random(dut):
    n = len(dut.fits_i)
    cover = Coverage(f"detour_first_open_{n}", bins(n) + ["around", "from itself"])
    for want, fits, switch, draw in situations(n, 6000):
        answer = await ask(dut, want=want, fits=fits, switch=switch, draw=draw)
        port = reference.first_open(fits & switch, n, draw)
        assert agrees(answer, expected(want, fits, port)), (want, fits, switch, draw, answer)
        note(cover, n, want, fits, switch, draw, answer)
        start = draw * n >> 32
        cover.hit_if(**{"around": answer[1] and answer[2] < start, "from itself": answer[1] and answer[2] == start})
    cover.require(dut._log)


@pytest.mark.parametrize("ports", [4, 6, 8])
@pytest.mark.parametrize("sim", EACH)
def test_detour_first_open(sim, ports):
    simulate(sim, "detour_first_open", "test_detour_first_open", {"NumPorts": ports, "PortW": width(ports)},
             [SRC / "detour_first_open.sv"], reference.env())
