# SPDX-License-Identifier: MIT OR Apache-2.0
"""rank_queue: Vertigo's queue against the scheduler `srpt`, one operation and more in every cycle."""

import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from bench import reference
from bench.coverage import Coverage
from bench.simulators import EACH, SRC, simulate

SMALLEST, LARGEST = reference.POP, reference.EVICT


class Queue:
    """The cell and the scheduler, in step."""

    def __init__(self, dut):
        self.dut, self.places = dut, int(dut.Entries.value)
        self.model = reference.RankQueue(self.places)
        self.count, self.ranks = 0, {}

    async def start(self):
        d = self.dut
        cocotb.start_soon(Clock(d.clk_i, 8, "ns").start())
        d.rst_ni.value, d.push_i.value, d.pop_i.value = 0, 0, 0
        d.rank_i.value, d.data_i.value, d.largest_i.value = 0, 0, 0
        for _ in range(2):
            await FallingEdge(d.clk_i)
        d.rst_ni.value = 1

    async def cycle(self, pop=0, push=None):
        """One cycle, compared; returns the head's and the tail's (rank, data)."""
        d = self.dut
        d.pop_i.value, d.largest_i.value = int(pop != 0), int(pop == LARGEST)
        d.push_i.value = int(push is not None)
        d.rank_i.value, d.data_i.value = push or (0, 0)
        await ReadOnly()
        assert int(d.ready_o.value) == int(self.count < self.places or pop != 0)
        leaves = self.ends()[pop == LARGEST][1] if pop and self.count else None
        await FallingEdge(d.clk_i)
        out, self.count, worst = self.model.step(pop or reference.NONE, push)
        assert leaves == out, (pop, push)
        if push:
            self.ranks[push[1]] = push[0]
        head, tail = self.ends()
        assert (int(d.count_o.value), int(d.valid_o.value)) == (self.count, int(self.count > 0)), (pop, push)
        assert tail[0] == worst and head[0] <= worst, (pop, push)
        if self.count:
            assert all(rank == self.ranks[data] for rank, data in (head, tail)), "its rank is its own"
        else:
            assert head == tail == (0, 0)
        return head, tail

    def ends(self):
        d = self.dut
        return [(int(d.head_rank_o.value), int(d.head_data_o.value)), (int(d.tail_rank_o.value), int(d.tail_data_o.value))]


@cocotb.test()
async def directed(dut):
    q = Queue(dut)
    await q.start()
    await FallingEdge(dut.clk_i)
    assert int(dut.valid_o.value) == 0
    await q.cycle(SMALLEST)  # of an empty queue nothing
    for rank, data in [(5, 1), (3, 2), (5, 3), (9, 4), (3, 5)]:
        await q.cycle(push=(rank, data))
    assert await q.cycle() == ((3, 2), (9, 4)), "of equal ranks the first to come is at the head"
    assert await q.cycle(LARGEST) == ((3, 2), (5, 3)), "and the last to come at the tail"
    assert await q.cycle(SMALLEST, (4, 6)) == ((3, 5), (5, 3)), "out and in, in one cycle"
    assert await q.cycle(LARGEST, (5, 7)) == ((3, 5), (5, 7)), "in the place of its equal"
    assert await q.cycle(SMALLEST, (0, 8)) == ((0, 8), (5, 7)), "a new head in the place of the old"
    for k in range(q.places):
        await q.cycle(push=(7, 100 + k))
    assert q.count == q.places, "pushes beyond the last place are not taken"
    await q.cycle(LARGEST, (1, 9))
    assert q.count == q.places, "but in the place of another they are"
    drained = []
    while q.count:
        drained.append(int(dut.head_rank_o.value))
        await q.cycle(SMALLEST)
    assert drained == sorted(drained) and len(drained) == q.places


@cocotb.test()
async def constrained_random(dut):
    q, rng = Queue(dut), random.Random(1)
    operations = ["nothing", "push", "smallest", "largest", "smallest and push", "largest and push"]
    states = ["empty", "one", "some", "full"]
    cover = Coverage("rank_queue", [(o, s) for o in operations for s in states] + ["equal ranks", "all ranks"])
    await q.start()
    fill, ranks = 0.5, 8
    for step in range(6000):
        if step % 150 == 0:
            fill, ranks = rng.choice([0.2, 0.5, 0.9]), rng.choice([2, 8, 1 << 16])
        pop = 0 if rng.random() < 0.4 else rng.choice([SMALLEST, LARGEST])
        push = (rng.randrange(ranks), step & 0xFFFF) if rng.random() < fill else None
        state = "empty" if not q.count else "one" if q.count == 1 else "full" if q.count == q.places else "some"
        name = ["", "smallest", "largest"][pop]
        cover.hit((" and ".join(filter(None, [name, "push" if push else ""])) or "nothing", state))
        head, tail = await q.cycle(pop, push)
        cover.hit_if(**{"equal ranks": q.count > 1 and head[0] == tail[0], "all ranks": ranks == 1 << 16})
    cover.require(dut._log)


@pytest.mark.parametrize("places", [8, 64])
@pytest.mark.parametrize("sim", EACH)
def test_rank_queue(sim, places):
    simulate(sim, "rank_queue", "test_rank_queue", {"Entries": places, "CountW": places.bit_length(), "RankW": 16},
             [SRC / "rank_queue.sv"], reference.env())
