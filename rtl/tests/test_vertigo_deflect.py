# SPDX-License-Identifier: MIT OR Apache-2.0
"""vertigo_deflect: victim and target against the buffer policy `vertigo`."""

import random

import cocotb
import pytest
from cocotb.triggers import Timer

from bench import reference
from bench.coverage import Coverage
from bench.detours import width
from bench.simulators import EACH, SRC, simulate

PORTS, DEPTH_W, RANK_W = 8, 20, 32
OUTPUTS = {"enqueue": "enqueue_o", "evict": "evict_o", "moved": "move_o", "target": "target_o",
           "squeeze": "squeeze_o", "lost": "lost_o"}


async def ask(dut, rank, want, loads, switch, draws):
    dut.rank_i.value, dut.want_i.value, dut.switch_i.value = rank, want, switch
    dut.draw_1_i.value, dut.draw_2_i.value = draws
    dut.fits_i.value = sum(fits << p for p, (_, fits, _) in enumerate(loads))
    dut.depth_i.value = sum(depth << (DEPTH_W * p) for p, (depth, _, _) in enumerate(loads))
    dut.tail_i.value = sum(tail << (RANK_W * p) for p, (_, _, tail) in enumerate(loads))
    await Timer(1, "ns")
    return {name: int(getattr(dut, port).value) for name, port in OUTPUTS.items()}


@cocotb.test()
async def directed(dut):
    room, full = (5, 1, 0), (64, 0, 500)
    loads = [full, room, (4, 1, 0), (64, 0, 700)] + [full] * (PORTS - 4)
    nothing = dict.fromkeys(OUTPUTS, 0)
    assert await ask(dut, 9, 1, loads, 0xFF, (0, 0)) == nothing | {"enqueue": 1}
    evicts = nothing | {"enqueue": 1, "evict": 1, "moved": 1, "target": 2}
    assert await ask(dut, 499, 0, loads, 0b0110, (0, 0)) == evicts, "the tail goes to the less loaded"
    itself = nothing | {"moved": 1, "target": 2}
    assert await ask(dut, 500, 0, loads, 0b0110, (0, 0)) == itself, "of equal ranks the newcomer"
    squeezes = nothing | {"moved": 1, "target": 3, "squeeze": 1}
    assert await ask(dut, 600, 0, loads, 0b1001, (2**32 - 1, 0)) == squeezes, "a larger tail must go"
    assert await ask(dut, 600, 0, loads, 0b1001, (0, 0)) == nothing | {"lost": 1}, "the victim is the largest"
    assert await ask(dut, 600, 0, loads, 0, (0, 0)) == nothing | {"lost": 1}, "no port to a switch"
    assert await ask(dut, 600, 0, loads, 0b0010, (0, 0)) == nothing | {"moved": 1, "target": 1}, "one will do"


@cocotb.test()
async def constrained_random(dut):
    rng = random.Random(1)
    cover = Coverage("vertigo_deflect", ["fits", "evicts", "newcomer goes", "ranks equal", "no candidate", "one candidate",
                                         "loads equal", "squeezes", "lost", "evicted and lost", "back to its own queue"]
                     + [("target", p) for p in range(PORTS)])
    for _ in range(6000):
        ranks, levels = 1 << rng.randrange(33), 1 << rng.randrange(DEPTH_W)
        loads = [(rng.randrange(levels), int(rng.random() < 0.4), rng.randrange(ranks)) for _ in range(PORTS)]
        rank, want = rng.randrange(ranks), rng.randrange(PORTS)
        switch = rng.choice([0, 0xFF, 1 << rng.randrange(PORTS), rng.getrandbits(PORTS), rng.getrandbits(PORTS)])
        expected, draws = reference.deflect(rank, want, loads, switch, rng.getrandbits(64))
        answer = await ask(dut, rank, want, loads, switch, draws)
        seen = answer if answer["moved"] else answer | {"target": 0}
        assert seen == expected, (rank, want, loads, switch, draws)
        stays, others = loads[want][1], bin(switch).count("1")
        cover.hit_if(**{
            "fits": stays, "evicts": answer["evict"], "newcomer goes": answer["moved"] and not answer["evict"],
            "ranks equal": not stays and rank == loads[want][2], "no candidate": not stays and not switch,
            "one candidate": answer["moved"] and others == 1, "loads equal": answer["moved"] and levels == 1,
            "squeezes": answer["squeeze"], "lost": answer["lost"], "evicted and lost": answer["evict"] and answer["lost"],
            "back to its own queue": answer["lost"] and switch >> want & 1 and answer["target"] == want})
        if answer["moved"]:
            cover.hit(("target", answer["target"]))
    cover.require(dut._log)


@cocotb.test()
async def of_two_equally_loaded_ports_each_is_taken_half_the_time(dut):
    rng, taken = random.Random(3), [0, 0]
    loads = [(64, 0, 1)] + [(7, 1, 0)] * (PORTS - 1)
    for _ in range(2000):
        answer = await ask(dut, 5, 0, loads, 0b0110, (rng.getrandbits(32), rng.getrandbits(32)))
        taken[answer["target"] - 1] += 1
    # 1000 expected, standard deviation 22.
    assert 890 < taken[0] < 1110, taken


@pytest.mark.parametrize("sim", EACH)
def test_vertigo_deflect(sim):
    simulate(sim, "vertigo_deflect", "test_vertigo_deflect", {"NumPorts": PORTS, "PortW": width(PORTS)},
             [SRC / "scale_draw.sv", SRC / "pick_uniform.sv", SRC / "shorter_of_two.sv", SRC / "vertigo_deflect.sv"], reference.env())
