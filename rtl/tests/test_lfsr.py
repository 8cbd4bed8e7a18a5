# SPDX-License-Identifier: MIT OR Apache-2.0
"""lfsr: the register against its model, step by step."""

import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from bench import reference
from bench.coverage import Coverage
from bench.simulators import EACH, SRC, simulate


@cocotb.test()
async def every_draw(dut):
    width = len(dut.seed_i)
    taps, first = int(dut.Taps.value), int(dut.Seed.value)
    leap, rng = int(dut.Leap.value), random.Random(1)
    cover = Coverage(f"lfsr_{width}", ["stepped", "stood still", "seeded", "seeded with 0", "seeded and stepped", "reset"])
    cocotb.start_soon(Clock(dut.clk_i, 8, "ns").start())
    dut.rst_ni.value, dut.seed_we_i.value, dut.step_i.value, dut.seed_i.value = 0, 0, 0, 0
    for _ in range(2):
        await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    state = first
    for cycle in range(3000):
        assert int(dut.draw_o.value) == state
        seeds, steps, resets = rng.random() < 0.02, rng.random() < 0.7, rng.random() < 0.005
        seed = 0 if rng.random() < 0.3 else rng.getrandbits(width)
        dut.rst_ni.value = int(not resets)
        dut.seed_we_i.value, dut.step_i.value, dut.seed_i.value = int(seeds), int(steps), seed
        await FallingEdge(dut.clk_i)
        if resets:
            state = first
        elif seeds:
            state = seed or first
        elif steps:
            state = reference.library().sidestep_lfsr_next(state, taps, leap)
        cover.hit_if(**{"stepped": steps and not seeds, "stood still": not steps and not seeds, "seeded": seeds and seed,
                        "seeded with 0": seeds and not seed, "seeded and stepped": seeds and steps, "reset": resets})
    cover.require(dut._log)


@pytest.mark.parametrize("parameters", [
    {},
    {"Width": 16, "Taps": 0xB400, "Seed": 1, "DrawW": 16, "Leap": 16},
], ids=["32-bits", "16-bits"])
@pytest.mark.parametrize("sim", EACH)
def test_lfsr(sim, parameters):
    simulate(sim, "lfsr", "test_lfsr", parameters, [SRC / "lfsr.sv"], reference.env())
