# SPDX-License-Identifier: MIT OR Apache-2.0
"""detour_allow: which ports a packet may be detoured to."""

import random

import cocotb
import pytest
from cocotb.triggers import Timer

from bench import reference
from bench.coverage import Coverage
from bench.detours import width
from bench.simulators import EACH, SRC, simulate


async def ask(dut, switch, ingress, barred, detours, most):
    dut.switch_i.value, dut.ingress_i.value, dut.ingress_barred_i.value = switch, ingress, int(barred)
    dut.detours_i.value, dut.max_detours_i.value = detours, most
    await Timer(1, "ns")
    return int(dut.spent_o.value), int(dut.candidates_o.value)


@cocotb.test()
async def directed(dut):
    assert await ask(dut, 0b1110, 1, False, 9, 0) == (0, 0b1110), "no limit, and it may go back"
    assert await ask(dut, 0b1110, 1, True, 9, 0) == (0, 0b1100), "not back"
    assert await ask(dut, 0b1110, 0, True, 9, 0) == (0, 0b1110), "it came from a host"
    assert await ask(dut, 0b1110, 1, False, 2, 3) == (0, 0b1110), "once more"
    assert await ask(dut, 0b1110, 1, False, 3, 3) == (1, 0), "often enough"
    assert await ask(dut, 0b1110, 1, False, 255, 255) == (1, 0)


@cocotb.test()
async def rows_of_the_vectors(dut):
    n, rng = len(dut.switch_i), random.Random(1)
    cover = Coverage("detour_allow", ["barred", "allowed", "spent", "unlimited"])
    for v in reference.vectors("dibs", 4000):
        barred = v.ingress != 2**32 - 1 and not v.ingress_allowed
        ingress = v.ingress if v.ingress < n else rng.randrange(n)
        spent, candidates = await ask(dut, v.to_switch, ingress, barred, v.detours, v.max_detours)
        assert candidates == (0 if spent else v.candidates)
        assert spent == int(v.max_detours != 0 and v.detours >= v.max_detours)
        assert not v.spent or spent
        cover.hit_if(barred=barred and not spent, allowed=not barred, spent=spent, unlimited=v.max_detours == 0)
    cover.require(dut._log)


@pytest.mark.parametrize("sim", EACH)
def test_detour_allow(sim):
    simulate(sim, "detour_allow", "test_detour_allow", {"NumPorts": 8, "PortW": width(8)},
             [SRC / "detour_allow.sv"], reference.env())
