# SPDX-License-Identifier: MIT OR Apache-2.0
"""detour_flow: the first open port in a flow's order, against the Rust decision."""

import random

import cocotb
import pytest

from bench import reference
from bench.coverage import Coverage
from bench.detours import agrees, ask, bins, expected, note, situations, width
from bench.simulators import EACH, SRC, simulate


def rows(order, ports):
    return sum(1 << (ports * k + port) for k, port in enumerate(order))


@cocotb.test()
async def directed(dut):
    n = len(dut.fits_i)
    full = (1 << n) - 1
    at = {"want": 0, "order": rows([3, 1, 2], n), "switch": 0b1110}
    assert (await ask(dut, **at, fits=full)) == (0, 0, 0), "it fits, so it stays"
    assert (await ask(dut, **at, fits=full & ~1)) == (0, 1, 3), "the first in the order"
    assert (await ask(dut, **at, fits=0b0110)) == (0, 1, 1), "the second, when the first is full"
    assert (await ask(dut, **at, fits=0b0100)) == (0, 1, 2), "the third"
    assert (await ask(dut, **at, fits=0))[:2] == (1, 0), "nothing is open"
    assert (await ask(dut, **at | {"switch": 0b0110}, fits=0b1110)) == (0, 1, 1), "the first is barred"


@cocotb.test()
async def constrained_random(dut):
    n = len(dut.fits_i)
    rng = random.Random(2)
    ranks = [("took row", k) for k in range(n - 1)]
    plain = [b for b in bins(n) if not str(b).endswith("draw")]
    cover = Coverage(f"detour_flow_{n}", plain + ranks + ["one barred"])
    for want, fits, switch, hash_ in situations(n, 6000):
        salt = rng.getrandbits(64)
        barred = 1 << rng.randrange(n) if rng.random() < 0.2 else 0
        order = reference.flow_order(switch, salt, hash_)
        candidates = switch & ~barred
        answer = await ask(dut, want=want, fits=fits, switch=candidates, order=rows(order, n))
        port = reference.flow(switch, fits & candidates, salt, hash_)
        assert agrees(answer, expected(want, fits, port)), (want, fits, switch, order, answer)
        note(cover, n, want, fits, candidates, 1, answer)
        if answer[1]:
            cover.hit(("took row", order.index(answer[2])))
            cover.hit_if(**{"one barred": switch & barred})
    cover.require(dut._log)


@pytest.mark.parametrize("ports", [4, 8])
@pytest.mark.parametrize("sim", EACH)
def test_detour_flow(sim, ports):
    simulate(sim, "detour_flow", "test_detour_flow", {"NumPorts": ports, "PortW": width(ports)},
             [SRC / "detour_flow.sv"], reference.env())
