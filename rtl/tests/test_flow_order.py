# SPDX-License-Identifier: MIT OR Apache-2.0
"""flow_order: the shuffle of crates/switch, port for port, and its latency."""

import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from bench import reference
from bench.coverage import Coverage
from bench.detours import width
from bench.simulators import EACH, SRC, simulate


async def begun(dut):
    cocotb.start_soon(Clock(dut.clk_i, 8, "ns").start())
    dut.rst_ni.value, dut.start_i.value = 0, 0
    dut.salt_i.value = dut.hash_i.value = dut.switch_i.value = 0
    for _ in range(3):
        await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1


async def order(dut, salt, hash_, switch, give_up=None):
    """The order, and the cycles it took; nothing when given up before."""
    dut.start_i.value, dut.salt_i.value, dut.hash_i.value, dut.switch_i.value = 1, salt, hash_, switch
    await FallingEdge(dut.clk_i)
    dut.start_i.value, dut.salt_i.value, dut.switch_i.value = 0, 0, 0
    cycles = 1
    while not int(dut.valid_o.value):
        if cycles == give_up:
            return None, cycles
        await FallingEdge(dut.clk_i)
        cycles += 1
    n, rows = len(dut.switch_i), int(dut.order_o.value)
    masks = [rows >> (n * k) & ((1 << n) - 1) for k in range(n)]
    return masks, cycles


@cocotb.test()
async def every_order_is_that_of_the_switch(dut):
    await begun(dut)
    n, rng = len(dut.switch_i), random.Random(1)
    digits = 64 // int(dut.DigitW.value)
    cover = Coverage(f"flow_order_{n}", ["all ports", "no port", "one port", "begun anew", "left to stand"]
                     + [("first", p) for p in range(n)])
    for turn in range(150):
        salt, hash_ = rng.getrandbits(64), rng.getrandbits(32)
        switch = [(1 << n) - 1, 0, 1 << rng.randrange(n), *[rng.getrandbits(n)] * 4][turn % 7]
        if turn % 5 == 4:
            none, _ = await order(dut, salt, ~hash_ & 0xFFFF_FFFF, switch, give_up=1 + rng.randrange(20))
            cover.hit_if(**{"begun anew": none is None})
        masks, cycles = await order(dut, salt, hash_, switch)
        assert masks == [1 << p for p in reference.flow_order(switch, salt, hash_)] + [0] * (n - bin(switch).count("1"))
        assert cycles == n * (2 * digits + 2) + 1, "the latency in the head of the cell"
        cover.hit_if(**{"all ports": switch == (1 << n) - 1, "no port": switch == 0,
                        "one port": bin(switch).count("1") == 1})
        given = int(dut.order_o.value)
        for _ in range(turn % 4):
            await FallingEdge(dut.clk_i)
            assert int(dut.valid_o.value) and int(dut.order_o.value) == given, "an order stands until the next is begun"
            cover.hit("left to stand")
        if masks[0]:
            cover.hit(("first", masks[0].bit_length() - 1))
    cover.require(dut._log)


@pytest.mark.parametrize("ports, digit", [(4, 8), (8, 8), (8, 64)])
@pytest.mark.parametrize("sim", EACH)
def test_flow_order(sim, ports, digit):
    simulate(sim, "flow_order", "test_flow_order", {"NumPorts": ports, "PortW": width(ports), "DigitW": digit},
             [SRC / "scale_draw.sv", SRC / "pick_uniform.sv", SRC / "flow_order.sv"], reference.env())
