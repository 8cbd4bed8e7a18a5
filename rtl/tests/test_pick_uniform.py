# SPDX-License-Identifier: MIT OR Apache-2.0
"""pick_uniform: every set and every draw of a small cell, counted."""

from collections import Counter

import cocotb
import pytest
from cocotb.triggers import Timer

from bench import reference
from bench.coverage import Coverage
from bench.detours import width
from bench.models import bits
from bench.simulators import EACH, SRC, simulate


@cocotb.test()
async def every_set_and_every_draw(dut):
    n, draw_w = len(dut.set_i), len(dut.draw_i)
    cover = Coverage(f"pick_uniform_{n}", [("ports in the set", k) for k in range(n + 1)])
    for mask in range(1 << n):
        ports, chosen = bits(mask), Counter()
        dut.set_i.value = mask
        for draw in range(1 << draw_w):
            dut.draw_i.value = draw
            await Timer(1, "ns")
            none, onehot, port = int(dut.none_o.value), int(dut.onehot_o.value), int(dut.port_o.value)
            # No port has the number n, so the Rust decision always picks.
            expected = reference.dibs(n, mask, mask, draw << (32 - draw_w))
            assert (none, onehot, port) == ((1, 0, 0) if expected is None else (0, 1 << expected, expected))
            chosen[port] += not none
        for port in ports:
            assert abs(chosen[port] - (1 << draw_w) / len(ports)) < 1, (mask, chosen)
        cover.hit(("ports in the set", len(ports)))
    cover.require(dut._log)


@pytest.mark.parametrize("ports, draw_w", [(2, 8), (4, 8), (5, 6)])
@pytest.mark.parametrize("sim", EACH)
def test_pick_uniform(sim, ports, draw_w):
    simulate(sim, "pick_uniform", "test_pick_uniform", {"NumPorts": ports, "PortW": width(ports), "DrawW": draw_w},
             [SRC / "scale_draw.sv", SRC / "pick_uniform.sv"], reference.env())
