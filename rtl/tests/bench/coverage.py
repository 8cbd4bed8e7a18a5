# SPDX-License-Identifier: MIT OR Apache-2.0
"""Functional coverage: what a test set out to see, counted, reported, and required."""

import os
from collections import Counter
from pathlib import Path


class Coverage:
    """Bins by name, each of which must occur. Crosses are bins whose names are tuples."""

    def __init__(self, cell, bins):
        self.cell, self.bins, self.seen = cell, list(bins), Counter()

    def hit(self, *names):
        """These occurred."""
        for name in names:
            self.seen[name] += 1

    def hit_if(self, **conditions):
        """Those occurred whose condition holds."""
        self.hit(*(name for name, holds in conditions.items() if holds))

    @property
    def reached(self):
        """How many bins occurred."""
        return sum(self.seen[name] > 0 for name in self.bins)

    def report(self):
        """A line for each bin."""
        name = lambda b: " x ".join(map(str, b)) if isinstance(b, tuple) else str(b)
        lines = [f"{self.cell}: {self.reached} of {len(self.bins)} bins reached"]
        lines += [f"  {self.seen[b]:8d}  {name(b)}" for b in self.bins]
        return "\n".join(lines)

    def require(self, log):
        """Reports, to the log and into the build folder, and fails unless every bin occurred."""
        log.info(self.report())
        Path(f"coverage-{self.cell}-{os.environ.get('COCOTB_TEST_MODULES', 'test')}.txt").write_text(self.report() + "\n")
        missed = [b for b in self.bins if not self.seen[b]]
        assert not missed, f"never seen: {missed}"
