"""Twins in Python of policies in Rust: the same rows, the same runs."""

from __future__ import annotations

from bisect import insort_right

import sidestep as ss

Size = tuple[int, str]
DEFAULT: Size = (20, "pkt")
MASK = (1 << 64) - 1


def reaches(packets: int, size: int, level: Size | None) -> bool:
    """Is a queue of so many packets and bytes at least so deep?"""
    if level is None:
        return False
    return (packets if level[1] == "pkt" else size) >= level[0]


class Dibs(ss.Buffer):
    def __init__(
        self,
        switch: ss.Switch,
        mark_at: Size | None = DEFAULT,
        ingress: bool = True,
        mark_detours: bool = True,
        max_detours: int | None = None,
    ) -> None:
        super().__init__(switch)
        self.mark_at, self.ingress = mark_at, ingress
        self.mark_detours, self.max_detours = mark_detours, max_detours

    def admit(self, packet: ss.Packet, want: ss.Want, queues: ss.Queues, rng: ss.RandomStream) -> ss.Verdict:
        if want.fits:
            return ss.enqueue(mark=reaches(want.packets, want.bytes, self.mark_at))
        if self.max_detours is not None and packet.detours >= self.max_detours:
            return ss.drop("detours")
        allowed = set(queues.to_switch)
        if not self.ingress:
            allowed.discard(-1 if queues.ingress is None else queues.ingress)
        ports = [port for port in queues.open(packet) if port in allowed]
        place = rng.draw() * len(ports) >> 32
        if not ports:
            return ss.drop()
        joined = queues.depth(ports[place])
        mark = self.mark_detours or reaches(joined.packets, joined.bytes, self.mark_at)
        return ss.detour(ports[place], mark=mark)


def mix64(x: int) -> int:
    """splitmix64's output function of `x` plus its increment."""
    z = x + 0x9E3779B97F4A7C15 & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


class SprayRandom(ss.Route):
    def __init__(self, switch: ss.Switch, acks: str = "spray") -> None:
        super().__init__(switch)
        self.acks = acks

    def pick(self, packet: ss.Packet, hops: ss.Hops, queues: ss.Queues, rng: ss.RandomStream) -> int:
        if len(hops) == 1:
            return hops[0]
        if self.acks == "ecmp" and not packet.carries_data:
            mixed = mix64(self.switch.salt ^ packet.hash)
            return hops[(mixed >> 32) * len(hops) >> 32]
        return hops[rng.scaled(len(hops))]


class Priority(ss.Sched):
    """Packets without data first."""

    passes = True

    def __init__(self, switch: ss.Switch) -> None:
        super().__init__(switch)
        self.classes: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])

    def push(self, packet: ss.Packet, handle: int) -> None:
        self.classes[packet.carries_data].append((handle, packet.wire_bytes))

    def pop(self) -> int | None:
        waiting = self.classes[0] or self.classes[1]
        return waiting.pop(0)[0] if waiting else None

    def each_held(self) -> list[int]:
        return [handle for waiting in self.classes for handle, _ in waiting]

    def queue(self, service: int) -> tuple[int, int, int] | None:
        if service > 1:
            return None
        waiting = self.classes[service]
        return len(waiting), sum(wire for _, wire in waiting), 0


class Srpt(ss.Sched):
    """The smallest rank first, the largest out."""

    passes = True

    def __init__(self, switch: ss.Switch) -> None:
        super().__init__(switch)
        self.waiting: list[tuple[int, int, int]] = []

    def push(self, packet: ss.Packet, handle: int) -> None:
        insort_right(
            self.waiting,
            (packet.rank, handle, packet.wire_bytes),
            key=lambda one: one[0],
        )

    def pop(self) -> int | None:
        return self.waiting.pop(0)[1] if self.waiting else None

    def worst(self) -> int | None:
        return self.waiting[-1][0] if self.waiting else None

    def evict(self) -> int | None:
        return self.waiting.pop()[1] if self.waiting else None

    def each_worst(self) -> list[tuple[int, int]]:
        return [(rank, wire) for rank, _, wire in reversed(self.waiting)]

    def each_held(self) -> list[int]:
        return [handle for _, handle, _ in self.waiting]
