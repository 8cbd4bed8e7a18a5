"""What tests share: scenarios that take milliseconds."""

from __future__ import annotations

import pytest

import sidestep

TINY = """
duration = "1 ms"
drain = "100 ms"
seeds = [1, 2]
schemes = ["dctcp", "dibs"]

[topology]
kind = "fat_tree"
k = 4

[workload.query]
kind = "incast"
degree = 12
size = "20 kB"
"""

# Minutes of simulated time, so that it is stopped and does not end.
ENDLESS = (
    TINY.replace('"1 ms"', '"600 s"')
    + """
[workload.background]
kind = "permutation"
"""
)


@pytest.fixture
def tiny() -> sidestep.Scenario:
    return sidestep.Scenario.from_toml(TINY, name="tiny.toml")
