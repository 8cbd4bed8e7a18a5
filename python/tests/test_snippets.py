"""The table of snippets, by Python: `crates/cli/tests/snippets.rs` has the same by the command."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import sidestep
from sidestep import Scenario

TABLE = Path(__file__).parents[2] / "conformance/snippets/table.toml"
SNIPPETS = tomllib.loads(TABLE.read_text())["snippet"]


def hashes(scenario: Scenario) -> dict[str, str]:
    return {f"{scheme} {seed}": digits for (scheme, seed), digits in sidestep.run(scenario).hashes.items()}


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: snippet["name"])
def test_a_snippet_comes_to_its_hashes_by_each_way(snippet: dict[str, Any], tmp_path: Path) -> None:
    sets = dict(change.split("=", 1) for change in snippet["set"])
    text = snippet.get("toml")
    if text is None:
        ways = [Scenario.load(snippet["scenario"]).with_(sets)]
    else:
        file = tmp_path / "snippet.toml"
        file.write_text(text)
        ways = [Scenario.load(file).with_(sets), Scenario.from_toml(text).with_(sets)]
    if "python" in snippet:
        made = eval(snippet["python"].strip(), {"ss": sidestep})
        ways.append(made)
        assert Scenario.from_toml(made.to_toml()) == made
    for way in ways:
        assert hashes(way) == snippet["hashes"]
