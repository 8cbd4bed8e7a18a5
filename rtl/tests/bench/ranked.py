# SPDX-License-Identifier: MIT OR Apache-2.0
"""Vertigo's queues in Python: what a test expects of ranked_queues. Written from its head, not from its code."""

from collections import Counter
from dataclasses import dataclass

from .models import Lfsr, bits, nth


@dataclass
class Waiting:
    """A frame in a queue."""

    rank: int
    number: int
    able: bool      # it can be marked
    marked: bool = False


class Ranked:
    """Queues by rank, of which each port sends one frame at a time."""

    def __init__(self, ports, places, seed=0):
        self.ports, self.places = ports, places
        self.vertigo, self.to_switch, self.limit, self.mark_at = True, 0, 1 << 30, 1 << 30
        self.queues = [[] for _ in range(ports)]
        self.sending = [None] * ports
        self.draws = Lfsr(seed), Lfsr(reset=0x5EED_0002)
        self.counted = Counter()
        self.happened = Counter()   # what a test asks to see

    def depth(self, p):
        return len(self.queues[p]) + (self.sending[p] is not None)

    def fits(self, p):
        return self.depth(p) < min(self.limit, self.places)

    def join(self, p, frame, mark):
        if mark and frame.able:
            frame.able, frame.marked = False, True
            self.counted["mark", p] += 1
        at = next((k for k, other in enumerate(self.queues[p]) if other.rank > frame.rank), len(self.queues[p]))
        self.queues[p].insert(at, frame)

    def arrive(self, frame, want):
        """Decides about a frame that has come whole."""
        fits, depth = [self.fits(p) for p in range(self.ports)], [self.depth(p) for p in range(self.ports)]
        reach = [d >= self.mark_at for d in depth]
        if fits[want]:
            self.join(want, frame, reach[want])
            self.happened["fits"] += 1
            return
        if not self.vertigo:
            self.counted["full", want] += 1
            self.happened["dropped by drop-tail"] += 1
            return
        one, two = (d.state for d in self.draws)
        for draws in self.draws:
            draws.step()
        victim, evicts = frame, self.queues[want] and self.queues[want][-1].rank > frame.rank
        tails = [q[-1].rank if q else 0 for q in self.queues]
        if evicts:
            victim = self.queues[want].pop()
            self.join(want, frame, reach[want])
            self.happened["evicts"] += 1
        first = nth(self.to_switch, one, 32)
        target = first
        if first is not None and self.to_switch & ~(1 << first):
            second = nth(self.to_switch & ~(1 << first), two, 32)
            target = second if depth[second] < depth[first] else first
        if target is not None and (fits[target] or tails[target] > victim.rank):
            if not fits[target]:
                self.queues[target].pop()
                self.counted["evicted", target] += 1
                self.happened["squeezes"] += 1
            self.happened["is moved from a queue that marks to one that does not"] += victim.able and reach[want] and not reach[target]
            self.join(target, victim, reach[target])
            self.counted["detour_from", want] += 1
            self.counted["detour_to", target] += 1
            self.happened["moves what waited" if evicts else "moves what came"] += 1
            self.happened["moves to port", target] += 1
        else:
            self.counted["evicted" if evicts else "full", want] += 1
            self.happened["drops what waited" if evicts else "drops what came"] += 1

    def start(self):
        """Each idle port begins the first of its queue."""
        for p in range(self.ports):
            if self.sending[p] is None and self.queues[p]:
                self.sending[p] = self.queues[p].pop(0)

    def rest(self, p):
        """The frames that are still to leave by a port, in order."""
        return [f for f in [self.sending[p], *self.queues[p]] if f]
