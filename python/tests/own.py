"""Runs of texts with schemes of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sidestep as ss


def run_text(
    text: str, policies: Sequence[ss.Scheme | ss.Plugin], *, out: Path, sets: Sequence[str] = (), **how: Any
) -> ss.Result:
    """Runs what stands in `text`, changed by `sets` (`key=value` each), and these schemes beside it."""
    scenario = ss.Scenario.from_toml(text, name="scenario.toml").with_(dict(one.split("=", 1) for one in sets))
    return ss.run(scenario, policies=policies, out=out, **how)
