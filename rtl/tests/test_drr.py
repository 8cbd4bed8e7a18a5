# SPDX-License-Identifier: MIT OR Apache-2.0
"""drr and drr_quanta: classes in turn, against the schedulers `ps` and `wps`."""

import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from bench import reference
from bench.coverage import Coverage
from bench.detours import width
from bench.simulators import EACH, SRC, simulate

HEAD_W, QUANTUM_W, FLOWS_W, WEIGHT_W = 11, 12, 5, 4


class Queues:
    """The cell with queues in front of it, and the scheduler, in step. Quanta are those of `wps`."""

    def __init__(self, dut):
        self.dut, self.classes = dut, len(dut.waits_i)

    async def start(self):
        d = self.dut
        cocotb.start_soon(Clock(d.clk_i, 8, "ns").start())
        d.step_i.value = d.waits_i.value = d.last_i.value = d.head_i.value = d.quantum_i.value = 0

    async def renew(self, words="defaults", name="wps"):
        """Nothing waits, and nothing is remembered."""
        self.sched = reference.Classed(name, f"classes={self.classes}; {words}")
        self.queues, self.flows, self.number = [[] for _ in range(self.classes)], [0] * self.classes, 0
        self.dut.rst_ni.value = self.dut.step_i.value = 0
        await FallingEdge(self.dut.clk_i)
        self.dut.rst_ni.value = 1
        self.settings = self.sched.step(reference.POP).settings

    def push(self, class_, wire, flow=0, ends=False):
        """A packet of so many bytes, of a flow of its class."""
        step = self.sched.step(reference.PUSH, step=self.number, service=class_, wire=wire, key=flow, ends=ends)
        self.queues[class_].append((self.number, wire))
        self.number, self.flows = self.number + 1, list(step.flows)

    def quanta(self):
        """Those of the classes that wait, as a round begins now."""
        weigh = lambda c: max(self.flows[c], 1) * self.settings.weights[c] if self.settings.weights[0] else 1
        waiting = [c for c in range(self.classes) if self.queues[c]]
        most = max(map(weigh, waiting), default=1)
        return [max(1, self.settings.quantum * weigh(c) // most) if c in waiting else 0 for c in range(self.classes)]

    async def pop(self):
        """The class of the packet that leaves, None when none waits; and how many rounds began."""
        d, rounds = self.dut, 0
        expected = self.sched.step(reference.POP)
        d.waits_i.value = sum(bool(q) << c for c, q in enumerate(self.queues))
        d.last_i.value = sum((len(q) == 1) << c for c, q in enumerate(self.queues))
        d.head_i.value = sum((q[0][1] if q else 0) << c * HEAD_W for c, q in enumerate(self.queues))
        d.quantum_i.value = sum(q << c * QUANTUM_W for c, q in enumerate(self.quanta()))
        d.step_i.value = 1
        await ReadOnly()
        while int(d.round_o.value):
            assert not int(d.take_o.value) and int(d.onehot_o.value) == 0
            rounds += 1
            await FallingEdge(d.clk_i)
            await ReadOnly()
        class_ = int(d.class_o.value) if int(d.take_o.value) else None
        assert class_ is None or int(d.onehot_o.value) == 1 << class_
        left = self.queues[class_].pop(0)[0] if class_ is not None else reference.NONE
        assert left == expected.answer, (left, expected.answer)
        await FallingEdge(d.clk_i)
        d.step_i.value, self.flows = 0, list(expected.flows)
        return class_, rounds


@cocotb.test()
async def directed(dut):
    q = Queues(dut)
    await q.start()
    await q.renew("quantum=1000 B; weights=1", "wps")
    assert await q.pop() == (None, 0), "none waits"
    for _ in range(3):
        q.push(0, 600), q.push(1, 600)
    assert [await q.pop() for _ in range(6)] == [(0, 1), (1, 0), (0, 1), (0, 0), (1, 0), (1, 0)]
    assert await q.pop() == (None, 0)
    await q.renew("quantum=1000 B")
    q.push(0, 100), q.push(1, 900), q.push(1, 900)
    assert await q.pop() == (0, 1)
    q.push(0, 1100)
    assert [await q.pop() for _ in range(3)] == [(1, 0), (1, 1), (0, 1)], "it kept nothing, and had its turn"
    await q.renew("quantum=84 B")
    q.push(1, 1538)
    assert await q.pop() == (1, 19), "a large packet takes rounds"
    # A flow that leaves takes its part along: class 1 is given half a packet, then a whole one.
    await q.renew()
    for flow in range(2):
        q.push(0, 1538, flow, ends=True)
    for _ in range(3):
        q.push(1, 1538, 9)
    assert [(await q.pop())[0] for _ in range(5)] == [0, 0, 1, 1, 1]


@cocotb.test()
async def constrained_random(dut):
    q, rng = Queues(dut), random.Random(1)
    n = q.classes
    cover = Coverage(f"drr_{n}", ["weights", "equal", "no packet", "empties", "keeps its turn", "a round", "several rounds", "waits in between",
                                  *[("class", c) for c in range(n)], *[("waiting", k) for k in range(1, n + 1)]])
    await q.start()
    for round_ in range(40):
        name = rng.choice(["ps", "wps"])
        quantum = rng.choice(["84 B", "700 B", "1538 B", "4 kB"])
        await q.renew(f"quantum={quantum}" + ("; weights=4 1" if name == "wps" else ""), name)
        cover.hit("weights" if name == "wps" else "equal")
        some, before = rng.sample(range(n), rng.randrange(1, n + 1)), None
        for step in range(120):
            if rng.random() < (0.7 if step % 60 < 30 else 0.2):
                q.push(rng.choice(some), rng.choice([84, 1538, rng.randrange(84, 1539)]), rng.randrange(4), rng.random() < 0.2)
                continue
            if rng.random() < 0.1:
                await FallingEdge(q.dut.clk_i)
                cover.hit("waits in between")
            waiting = sum(map(bool, q.queues))
            class_, rounds = await q.pop()
            cover.hit(("waiting", waiting), ("class", class_))
            cover.hit_if(**{"no packet": class_ is None, "a round": rounds == 1, "several rounds": rounds > 1,
                            "empties": class_ is not None and not q.queues[class_],
                            "keeps its turn": class_ is not None and class_ == before and not rounds and waiting > 1})
            before = class_
    cover.require(dut._log)


@cocotb.test()
async def quanta(dut):
    rng, n = random.Random(2), len(dut.waits_i)
    cover = Coverage(f"drr_quanta_{n}", ["a byte at the least", "the quantum", "a part", "no flow", "begun anew", "none waits"])
    cocotb.start_soon(Clock(dut.clk_i, 8, "ns").start())
    dut.rst_ni.value = dut.start_i.value = 0
    await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    for _ in range(300):
        flows = [rng.choice([0, 1, 2, rng.randrange(1 << FLOWS_W)]) for _ in range(n)]
        weights = [rng.choice([1, 1, rng.randrange(1, 1 << WEIGHT_W)]) for _ in range(n)]
        waits, quantum = rng.randrange(1 << n), rng.choice([84, 1538, rng.randrange(1, 1 << QUANTUM_W)])
        for name, numbers, bits in (("flows_i", flows, FLOWS_W), ("weight_i", weights, WEIGHT_W)):
            getattr(dut, name).value = sum(v << c * bits for c, v in enumerate(numbers))
        dut.waits_i.value, dut.quantum_i.value, dut.start_i.value = waits, quantum, 1
        if rng.random() < 0.2:
            for _ in range(rng.randrange(1, FLOWS_W + QUANTUM_W)):
                await FallingEdge(dut.clk_i)
                dut.start_i.value = 0
            dut.start_i.value = 1
            cover.hit("begun anew")
        await FallingEdge(dut.clk_i)
        dut.start_i.value, cycles = 0, 0
        while int(dut.busy_o.value):
            await FallingEdge(dut.clk_i)
            cycles += 1
        assert cycles == FLOWS_W + QUANTUM_W + 1
        shares = [max(f, 1) * w for f, w in zip(flows, weights)]
        waiting = [c for c in range(n) if waits >> c & 1]
        most = max((shares[c] for c in waiting), default=1)
        for c in range(n):
            expected = max(1, quantum * shares[c] // most) if c in waiting else 1
            assert int(dut.quantum_o.value) >> c * QUANTUM_W & (1 << QUANTUM_W) - 1 == expected
            cover.hit_if(**{"a byte at the least": c in waiting and quantum * shares[c] < most, "the quantum": expected == quantum,
                            "a part": 1 < expected < quantum, "no flow": flows[c] == 0 and c in waiting, "none waits": not waiting})
    cover.require(dut._log)


@pytest.mark.parametrize("classes", [2, 8])
@pytest.mark.parametrize("sim", EACH)
def test_drr(sim, classes):
    simulate(sim, "drr", "test_drr",
             {"NumClasses": classes, "ClassW": width(classes), "HeadW": HEAD_W, "QuantumW": QUANTUM_W,
              "DeficitW": QUANTUM_W + 1},
             [SRC / "drr.sv"], reference.env(), tests=["directed", "constrained_random"])


@pytest.mark.parametrize("classes", [2, 8])
@pytest.mark.parametrize("sim", EACH)
def test_drr_quanta(sim, classes):
    simulate(sim, "drr_quanta", "test_drr",
             {"NumClasses": classes, "FlowsW": FLOWS_W, "WeightW": WEIGHT_W, "QuantumW": QUANTUM_W},
             [SRC / "drr_quanta.sv"], tests=["quanta"])
