# SPDX-License-Identifier: MIT OR Apache-2.0
"""What must come out of a switch for what went in, whichever way it went."""

from collections import Counter

from .models import route, sent


class Scoreboard:
    """Every frame comes out once, whole, by a port it may leave by, and none overtakes its flow.

    Frames carry a number, by which they are known again; `number` finds it in the bytes.
    """

    def __init__(self, settings, number, by_rank=False):
        self.s, self.number = settings, number
        self.by_rank = by_rank               # queues by rank: frames overtake each other, and detours bear no mark
        self.open = {}                       # number: (frame, ingress, Route)
        self.dropped_for_sure = Counter()    # by (reason, ingress)
        self.came = self.left = 0
        self.detours = Counter()             # by (from, to), of frames with one port that they may take
        self.sprayed = self.sprayed_elsewhere = 0   # frames with several; those of them that took none of them
        self.marks = Counter()
        self.order = {}                      # (ingress, egress): last number

    def offered(self, frame, ingress):
        self.came += 1
        r = route(frame, self.s)
        if r.reason:
            self.dropped_for_sure[r.reason, ingress] += 1
        n = self.number(frame)
        assert n not in self.open, "the test numbers a frame twice"
        self.open[n] = (frame, ingress, r)

    def seen(self, frame, port):
        self.left += 1
        n = self.number(frame)
        assert n in self.open, f"a frame that nobody sent, or a second time: {frame.hex()}"
        was, ingress, r = self.open.pop(n)
        assert r.reason is None, f"{r.reason}, and yet it came"
        detour = not r.hops >> port & 1
        assert not detour or self.s.to_switch >> port & 1, "a detour to a host"
        # Which port of its group a sprayed frame wanted is not seen here.
        if r.hops & (r.hops - 1):
            self.sprayed += 1
            self.sprayed_elsewhere += detour
        elif detour:
            self.detours[r.want, port] += 1
        plain, marked = sent(was, False), sent(was, True)
        assert frame in (plain, marked), f"\n{frame.hex()}\n{plain.hex()}\n{marked.hex()}"
        assert self.by_rank or not detour or frame == marked, "a detour without its mark"
        if frame != plain:
            self.marks[port] += 1
        assert self.by_rank or self.order.get((ingress, port), -1) < n, "one frame overtook another on its way"
        self.order[ingress, port] = n
