# SPDX-License-Identifier: MIT OR Apache-2.0
"""class_limit: who joins the queue of a class, against the buffer policy `mulbuff`."""

import random

import cocotb
import pytest
from cocotb.triggers import Timer

from bench import reference
from bench.coverage import Coverage
from bench.simulators import EACH, SRC, simulate

SETTINGS = ("grows", "sized", "per_flow", "cap", "product", "long", "marks", "mark_sized", "mark_at")
PACKET = dict(service="class_i", data="data_i", room="room_i", bytes="bytes_i", flows="flows_i", packets="packets_i",
              depth="depth_i")


class Admission:
    """The cell and the policy, with these settings."""

    def __init__(self, dut, words="defaults"):
        self.dut, self.policy = dut, reference.Limits(words)
        self.settings = self.policy.ask().settings
        for name in SETTINGS:
            getattr(dut, f"{name}_i").value = getattr(self.settings, name)

    async def ask(self, **packet):
        """Does it join, and is it marked? What is not named is a packet of 1518 bytes that the port has room for."""
        packet = {**dict.fromkeys(PACKET, 0), "data": 1, "room": 1, "bytes": 1518, **packet}
        expected = self.policy.ask(**packet)
        for name, port in PACKET.items():
            getattr(self.dut, port).value = packet[name]
        await Timer(1, "ns")
        answer = int(self.dut.join_o.value), int(self.dut.mark_o.value)
        assert answer == (expected.join, expected.mark), packet
        return answer


@cocotb.test()
async def directed(dut):
    a = Admission(dut)
    for flows in range(1, 50):
        assert await a.ask(flows=flows, packets=3 * flows - 1) == (1, int(3 * flows - 1 >= 20))
        assert await a.ask(flows=flows, packets=3 * flows) == (0, 0), "three packets a flow"
        assert (int(dut.counted_o.value), int(dut.packets_o.value), int(dut.limit_o.value)) == (1, 3 * flows, 225_000)
    assert await a.ask(flows=0) == (0, 0), "without a flow there is no room"
    assert await a.ask(flows=8191, packets=148, depth=225_000 - 1518) == (1, 1), "up to the cap"
    assert await a.ask(flows=8191, packets=148, depth=225_001 - 1518) == (0, 0)
    assert await a.ask(service=1, depth=25_000 - 1518) == (1, 0), "long flows have the product, whatever their number"
    assert await a.ask(service=1, depth=25_001 - 1518) == (0, 0)
    assert await a.ask(data=0, flows=0, depth=900_000) == (1, 0), "what carries no data goes by the port"
    assert await a.ask(data=0, room=0) == (0, 0)
    a = Admission(dut, "per_flow=4500 B; mark_at=off")
    assert await a.ask(flows=2, packets=90, depth=9_000 - 1518) == (1, 0), "by bytes alone"
    assert await a.ask(flows=2, depth=9_001 - 1518) == (0, 0) and int(dut.limit_o.value) == 9_000
    assert await a.ask(flows=50, depth=225_000 - 1518) == (1, 0)
    assert await a.ask(flows=51, depth=225_001 - 1518) == (0, 0) and int(dut.limit_o.value) == 225_000
    a = Admission(dut, "sizes=static; mark_at=12 kB")
    assert [await a.ask(depth=d) for d in (11_999, 12_000, 223_482, 223_483)] == [(1, 0), (1, 1), (1, 1), (0, 0)]


@cocotb.test()
async def constrained_random(dut):
    rng = random.Random(1)
    cover = Coverage("class_limit", ["joins", "marked", "dropped by packets", "dropped by bytes", "no room at the port",
                                     "no data", "at the limit", "one below", "above the cap", "no flow", "static", "per flow in bytes",
                                     "per flow in packets", "long"])
    for _ in range(60):
        sizes, per_flow = rng.choice(["per-flow", "per-flow", "static"]), rng.choice(["1 pkt", "3 pkt", "1500 B", "4500 B"])
        a = Admission(dut, f"sizes={sizes}; per_flow={per_flow}; total={rng.choice(['50 kB', '250 kB'])}; "
                           f"long={rng.choice([0, 1, 2])}; mark_at={rng.choice(['off', '9 pkt', '12 kB'])}")
        s = a.settings
        for _ in range(60):
            service, flows, bytes_ = rng.randrange(4), rng.choice([0, 1, rng.randrange(60), 8191]), rng.choice([64, 1518])
            most = s.product if service >= s.long else s.cap
            room = s.per_flow * flows
            near = min(most, room) if s.sized and s.grows and service < s.long else most
            depth = rng.choice([0, max(0, near - bytes_ + rng.choice([-1, 0, 1])), rng.randrange(300_000)])
            packets = min(4095, rng.choice([0, rng.randrange(200), max(0, room + rng.choice([-1, 0, 1]))]))
            data, there = rng.random() < 0.9, rng.random() < 0.9
            joins, marked = await a.ask(service=service, flows=flows, bytes=bytes_, depth=depth, packets=packets, data=data, room=there)
            full = depth + bytes_ > near
            cover.hit_if(**{"joins": joins, "marked": marked, "no room at the port": not there, "no data": not data, "no flow": flows == 0,
                            "dropped by bytes": there and not joins and full, "dropped by packets": there and not joins and not full,
                            "at the limit": joins and data and depth + bytes_ == near, "above the cap": s.grows and s.sized and room > s.cap,
                            "one below": s.grows and not s.sized and joins and data and service < s.long and packets == room - 1,
                            "static": not s.grows, "per flow in bytes": s.grows and s.sized,
                            "per flow in packets": s.grows and not s.sized, "long": service >= s.long})
    cover.require(dut._log)


@pytest.mark.parametrize("sim", EACH)
def test_class_limit(sim):
    simulate(sim, "class_limit", "test_class_limit", {}, [SRC / "class_limit.sv"], reference.env())
