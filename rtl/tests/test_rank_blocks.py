# SPDX-License-Identifier: MIT OR Apache-2.0
"""rank_blocks: the queue of many places against the scheduler `srpt`, and how many cycles each operation takes."""

import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from bench import reference
from bench.coverage import Coverage
from bench.simulators import EACH, SRC, simulate

SMALLEST, LARGEST = reference.POP, reference.EVICT
# Places, and the blocks for them: half a block, blocks, bits of their number.
SHAPES = {6: (2, 4, 2), 64: (5, 14, 4), 256: (9, 30, 5), 1024: (17, 62, 6)}


class Queue:
    """The cell and the scheduler, in step."""

    def __init__(self, dut):
        self.dut, self.places = dut, int(dut.Entries.value)
        self.model = reference.RankQueue(self.places)
        self.count, self.ranks, self.split = 0, {}, False

    async def start(self):
        d = self.dut
        cocotb.start_soon(Clock(d.clk_i, 8, "ns").start())
        d.rst_ni.value, d.push_i.value, d.pop_i.value = 0, 0, 0
        d.rank_i.value, d.data_i.value, d.largest_i.value = 0, 0, 0
        for _ in range(2):
            await FallingEdge(d.clk_i)
        d.rst_ni.value = 1

    async def operate(self, pop=0, push=None, insist=False):
        """One operation, compared when it ends; returns the head's and the tail's (rank, data). With `insist` it is asked
        for again in the cycles in which the cell is busy, in which it must not be looked at."""
        d = self.dut
        d.pop_i.value, d.largest_i.value = int(pop != 0), int(pop == LARGEST)
        d.push_i.value = int(push is not None)
        d.rank_i.value, d.data_i.value = push or (0, 0)
        await ReadOnly()
        taken = int(self.count < self.places or pop != 0)
        assert (int(d.idle_o.value), int(d.ready_o.value)) == (1, taken)
        leaves = self.ends()[pop == LARGEST][1] if pop and self.count else None
        popped = int(leaves is not None)
        before = self.count - popped
        pushed = push is not None and taken
        await FallingEdge(d.clk_i)
        if not insist:
            d.push_i.value, d.pop_i.value = 0, 0
        out, self.count, worst = self.model.step(pop or reference.NONE, push)
        assert leaves == out, (pop, push)
        cycles = 1
        while not int(d.idle_o.value):
            assert int(d.ready_o.value) == 0 and int(d.count_o.value) == before
            await FallingEdge(d.clk_i)
            cycles += 1
        d.push_i.value, d.pop_i.value = 0, 0
        if pushed:
            self.ranks[push[1]] = push[0]
            self.split = cycles == 3 + popped
            assert self.split or cycles == 2 + popped, cycles
        else:
            self.split = False
            assert cycles == 1
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

    async def drain(self, end):
        """All that waits, by one end; the scheduler says whether each is the right one."""
        while self.count:
            await self.operate(end)


@cocotb.test()
async def directed(dut):
    q = Queue(dut)
    await q.start()
    await FallingEdge(dut.clk_i)
    assert int(dut.valid_o.value) == 0
    await q.operate(SMALLEST)  # of an empty queue nothing
    for rank, data in [(5, 1), (3, 2), (5, 3), (9, 4), (3, 5)]:
        await q.operate(push=(rank, data))
    assert await q.operate() == ((3, 2), (9, 4)), "of equal ranks the first to come is at the head"
    assert await q.operate(LARGEST) == ((3, 2), (5, 3)), "and the last to come at the tail"
    assert await q.operate(SMALLEST, (4, 6)) == ((3, 5), (5, 3)), "out and in, one after the other"
    assert await q.operate(LARGEST, (5, 7)) == ((3, 5), (5, 7)), "in the place of its equal"
    assert await q.operate(SMALLEST, (0, 8)) == ((0, 8), (5, 7)), "a new head in the place of the old"
    await q.drain(SMALLEST)


@cocotb.test()
async def orders(dut):
    """Every place is filled, in orders that leave blocks as empty as can be, and emptied by either end."""
    q, rng = Queue(dut), random.Random(2)
    # What makes most blocks: it is always the last, the first or the same that splits.
    of = {
        "ascending": lambda k: 10 + k,
        "descending": lambda k: 10 + q.places - k,
        "all equal": lambda k: 7,
        "inwards": lambda k: 10 + k // 2 if k % 2 else 10 + 2 * q.places - k // 2,
        "random": lambda k: rng.randrange(1 << 16),
        "two ranks": lambda k: rng.randrange(2),
    }
    cover = Coverage("rank_blocks-orders", [(order, end) for order in of for end in ("head", "tail")] + ["split", "refused", "replaced"])
    await q.start()
    data = 0
    for order, rank in of.items():
        for end in (SMALLEST, LARGEST):
            for k in range(q.places):
                data = (data + 1) & 0xFFFF
                await q.operate(push=(rank(k), data))
                cover.hit_if(split=q.split)
            assert q.count == q.places
            await q.operate(push=(0, 0xFFFF))
            assert q.count == q.places, "a push beyond the last place is not taken"
            cover.hit("refused")
            for other in (SMALLEST, LARGEST):
                data = (data + 1) & 0xFFFF
                await q.operate(other, (rank(data % q.places), data))
                assert q.count == q.places, "but in the place of another it is"
                cover.hit("replaced")
            await q.drain(end)
            cover.hit((order, "tail" if end == LARGEST else "head"))
    cover.require(dut._log)


@cocotb.test()
async def constrained_random(dut):
    q, rng = Queue(dut), random.Random(1)
    operations = ["nothing", "push", "smallest", "largest", "smallest and push", "largest and push"]
    states = ["empty", "one", "some", "full"]
    cover = Coverage("rank_blocks", [(o, s) for o in operations for s in states] + ["equal ranks", "all ranks", "split", "split beside a pop"])
    await q.start()
    fill, ranks, ends = 0.5, 8, [SMALLEST, LARGEST]
    steps = max(6000, 12 * q.places)
    for step in range(steps):
        if step % 150 == 0:
            # Long enough to fill and to drain the largest, and to stay where it is full or empty.
            phase = step // 150 % 3 if q.places <= 64 else step * 3 // steps
            fill = [rng.choice([0.2, 0.5, 0.9]), 0.95, 0.1][phase if q.places > 64 else 0]
            ranks, ends = rng.choice([2, 8, 1 << 16]), rng.choice([[SMALLEST], [LARGEST], [SMALLEST, LARGEST], [SMALLEST, LARGEST]])
        pop = 0 if rng.random() < (0.8 if fill == 0.95 else 0.4) else rng.choice(ends)
        push = (rng.randrange(ranks), step & 0xFFFF) if rng.random() < fill else None
        state = "empty" if not q.count else "one" if q.count == 1 else "full" if q.count == q.places else "some"
        name = ["", "smallest", "largest"][pop]
        cover.hit((" and ".join(filter(None, [name, "push" if push else ""])) or "nothing", state))
        popped = bool(pop and q.count)
        head, tail = await q.operate(pop, push, insist=rng.random() < 0.5)
        cover.hit_if(**{"equal ranks": q.count > 1 and head[0] == tail[0], "all ranks": ranks == 1 << 16, "split": q.split,
                        "split beside a pop": q.split and popped})
    cover.require(dut._log)


# What takes longer than it is worth in the short run: Verilator's builds, and the largest.
FEW = [pytest.param(places, marks=[pytest.mark.slow] if places > 64 else []) for places in SHAPES]


@pytest.mark.parametrize("places", FEW)
@pytest.mark.parametrize("sim", EACH)
def test_rank_blocks(sim, places):
    half, blocks, bits = SHAPES[places]
    simulate(sim, "rank_blocks", "test_rank_blocks",
             {"Entries": places, "CountW": places.bit_length(), "RankW": 16, "Half": half, "Blocks": blocks, "IdW": bits},
             [SRC / "rank_blocks.sv"], reference.env())
