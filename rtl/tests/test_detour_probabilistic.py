# SPDX-License-Identifier: MIT OR Apache-2.0
"""detour_probabilistic: early detours, row by row of the vectors."""

import cocotb
import pytest

from bench import reference
from bench.coverage import Coverage
from bench.detours import ask, width
from bench.simulators import EACH, SRC, simulate

PORTS = 8


@cocotb.test()
async def directed(dut):
    line = {"start": 50, "full": 100, "favour": 20_000, "rank": 20_001, "draw_2": 0}
    fits = {"want": 0, "fits": 0xFF, "switch": 0xF0}
    assert (await ask(dut, **line, **fits, depth=50, draw_1=0)) == (0, 0, 0), "not yet begun"
    assert (await ask(dut, **line, **fits, depth=51, draw_1=0)) == (0, 1, 4), "the lowest draw goes"
    assert (await ask(dut, **line, **fits, depth=75, draw_1=2**31 - 1)) == (0, 1, 4), "half of them go"
    assert (await ask(dut, **line, **fits, depth=75, draw_1=2**31)) == (0, 0, 0), "half stay"
    assert (await ask(dut, **line | {"rank": 20_000}, **fits, depth=99, draw_1=0)) == (0, 0, 0), "favoured"
    assert (await ask(dut, **line, **fits | {"switch": 1}, depth=99, draw_1=0)) == (0, 0, 0), "nowhere to go"
    full = {"want": 0, "fits": 0xFE, "switch": 0xF0}
    assert (await ask(dut, **line | {"draw_2": 2**32 - 1}, **full, depth=100, draw_1=0)) == (0, 1, 4), "draws once"
    assert (await ask(dut, **line, **full | {"switch": 1}, depth=100, draw_1=0))[:2] == (1, 0)


@cocotb.test()
async def rows_of_the_vectors(dut):
    cover = Coverage("detour_probabilistic", ["kept", "detoured", "dropped", "early", "favoured", "two draws",
                                              "detoured too often"])
    for v in reference.vectors("dibs-probabilistic", 6000):
        spent = v.max_detours and v.detours >= v.max_detours
        answer = await ask(dut, want=v.want, fits=v.fits, switch=0 if spent else v.candidates, start=v.start,
                           full=v.full, depth=(v.bytes if v.line_in_bytes else v.packets)[v.want], rank=v.rank,
                           favour=v.favour, draw_1=v.draw_1, draw_2=v.draw_2)
        assert answer[:2] == (v.verdict == reference.DROP, v.verdict == reference.DETOUR)
        assert v.verdict == reference.DROP or answer[2] == v.port
        fits = v.fits >> v.want & 1
        cover.hit(["kept", "detoured", "dropped"][v.verdict])
        cover.hit_if(**{"early": answer[1] and fits, "favoured": fits and v.rank <= v.favour,
                        "two draws": v.draws_taken == 2, "detoured too often": spent})
    cover.require(dut._log)


@pytest.mark.parametrize("sim", EACH)
def test_detour_probabilistic(sim):
    simulate(sim, "detour_probabilistic", "test_detour_probabilistic", {"NumPorts": PORTS, "PortW": width(PORTS)},
             [SRC / "scale_draw.sv", SRC / "pick_uniform.sv", SRC / "detour_probabilistic.sv"], reference.env())
