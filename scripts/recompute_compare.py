"""What agrees, what differs, and what no Parquet file has."""
import math
import sys
from collections import defaultdict

# What no Parquet file has: where it stands in a summary, and why.
REASONS = {
    "cpu_s": "a clock's; manifest.json has it",
    "interrupted": "of a stopped run: a flow that it had not come to hand over looks like one that waits",
    "unmeasured": "not measured, so null in both",
}


class Comparison:
    """What agreed, what did not, and what cannot be recomputed."""

    def __init__(self):
        self.agreed, self.differ, self.left = 0, [], defaultdict(list)
        # Schemes of which a run was stopped before every flow was handed over.
        self.stopped = set()

    def is_stopped(self, place):
        return ".samples" not in place and any(place.startswith(f"{scheme}.") for scheme in self.stopped)

    def skip(self, reason, place):
        self.left[reason].append(place)

    def leaf(self, place, said, ours):
        numbers = isinstance(said, (int, float)) and isinstance(ours, (int, float))
        if numbers and not isinstance(said, bool) and not isinstance(ours, bool):
            # t is printed to six decimals in the program, and of more than 31 seeds right to four.
            near = 1e-4 if ".ci" in place else 1e-9
            same = math.isclose(said, ours, rel_tol=near, abs_tol=1e-12)
        else:
            same = said == ours and isinstance(said, bool) == isinstance(ours, bool)
        if same:
            self.agreed += 1
        else:
            self.differ.append(f"{place}: {said!r}, recomputed {ours!r}")

    def walk(self, place, said, ours, unmeasured=False):
        if isinstance(said, dict) and isinstance(ours, dict):
            for key in {**said, **ours}:
                at = f"{place}.{key}"
                if key in ("n", "completed_share") and self.is_stopped(place) and not at.endswith((".qct_ms.n", ".qct_ms.completed_share")):
                    self.skip("interrupted", at)
                elif key in said and key in ours:
                    self.walk(at, said[key], ours[key], unmeasured)
                elif key == "cpu_s" or key == "hops_per_cpu_s":
                    self.skip("cpu_s", at)
                elif key == "not_told" or unmeasured and said.get(key) is None:
                    self.skip("unmeasured", at)
                else:
                    self.differ.append(f"{at}: {'not in the tables' if key in said else 'not in summary.json'}")
        elif isinstance(said, list) and isinstance(ours, list):
            if len(said) != len(ours):
                self.differ.append(f"{place}: {len(said)} values, recomputed {len(ours)}")
            for i, (one, other) in enumerate(zip(said, ours)):
                self.walk(f"{place}[{i}]", one, other, unmeasured)
        elif unmeasured and said is None:
            self.skip("unmeasured", place)
        else:
            self.leaf(place, said, ours)

    def report(self, name):
        kept = ", ".join(f"{len(v):,} {REASONS[k]} (as {v[0]})" for k, v in self.left.items())
        for line in self.differ[:20]:
            print(f"{name}: {line}", file=sys.stderr)
        if len(self.differ) > 20:
            print(f"{name}: and {len(self.differ) - 20} more", file=sys.stderr)
        print(f"{name}: {self.agreed:,} values agree, {len(self.differ):,} differ" + (f"; not recomputed: {kept}" if kept else ""))
        return not self.differ
