"""Plot of queues over time, as a heat map."""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal

from sidestep.errors import ScenarioError
from sidestep.plot._data import Data, Heat, Width
from sidestep.plot._source import Case, Source, cases

ADVICE = (
    'set `occupancy` of `[probe]` to the instants to see: `occupancy = ["0.1 ms", "0.2 ms"]` in the file, or'
    " scenario.with_({'probe.occupancy': sidestep.plot.instants(5, 50)}) for 50 instants within 5 ms"
)


def instants(end_ms: float, count: int) -> str:
    """Returns `count` instants from `end_ms` / `count` to `end_ms`, evenly spaced, as `probe.occupancy` reads them.

    `end_ms`: milliseconds. Raises ScenarioError for no instants, or an end that is not after the beginning.
    """
    if count < 1 or not end_ms > 0:
        said = f"expected at least one instant after 0 ms, got {count} until {end_ms} ms"
        raise ScenarioError.of_call(said, "count", expected="at least one instant after 0 ms", got=f"{count} until {end_ms} ms")
    # A time has whole picoseconds; a nanosecond is fine enough for instants.
    return ", ".join(f"{round(end_ms * 1e6 * i / count)} ns" for i in range(1, count + 1))


def queues(
    results: Source,
    *,
    by: Literal["port", "switch"] = "port",
    seed: int | None = None,
    schemes: Sequence[str] | None = None,
    most: int = 16,
    width: Width = "column",
) -> Data:
    """Draws the packets queued at each port, or in each switch, over time: a panel a scheme.

    `results`: a Result with occupancy probed. `by`: a row for each "port", or for each "switch", its ports together.
    `seed`: the run; default: the first. `most`: rows, those with the longest queues; the same in every panel.

    Raises ScenarioError without probes, with the key to set. Source: `[probe]` in docs/reference/metrics.md.
    """
    (case,) = cases(results, None, schemes)
    if case.swept:
        said = "a sweep's points are drawn one at a time: run the point that you want to see alone"
        raise ScenarioError.of_call(said, "results", expected="the result of one scenario", got="a sweep's")
    taken = _taken(case, seed)
    names = _names(case, by)
    sums = {scheme: _summed(instants_of, names) for scheme, instants_of in taken.items()}
    peak: dict[str, int] = {}
    for grid in sums.values():
        for row in grid.values():
            for name, packets in row.items():
                peak[name] = max(peak.get(name, 0), packets)
    rows = [name for name in dict.fromkeys(names.values()) if peak.get(name, 0) > 0]
    rows = [name for name in rows if name in set(sorted(rows, key=lambda name: -peak[name])[:most])]
    if not rows:
        said = "no queue held a packet at the instants probed: choose others in `occupancy` of `[probe]`"
        raise ScenarioError.of_call(said, "probe.occupancy", expected="instants at which packets are queued", got="others")
    heat = [
        Heat(scheme, rows, [at / 1e9 for at in grid], [[grid[at].get(name, 0) for at in grid] for name in rows])
        for scheme, grid in sums.items()
    ]
    left = sum(value > 0 for value in peak.values()) - len(rows)
    which = f"seed {_seed(case, seed)}"
    several = {"port": "ports", "switch": "switches"}[by] if left > 1 else by
    note = f"{which}; {left} more {several} with shorter queues" if left else which
    return Data("heat", "simulated time (ms)", by, heat=heat, z="queued (packets)", note=note, width=width)


def _seed(case: Case, seed: int | None) -> int:
    known = sorted({own for of in case.schemes.values() for own in of["seeds"]})
    if seed is not None and seed not in known:
        raise ScenarioError.none_of(f"no seed {seed} in the result", "seed", seed, known)
    return known[0] if seed is None else seed


def _taken(case: Case, seed: int | None) -> dict[str, dict[int, list[int]]]:
    """Returns by scheme and instant, in picoseconds, the packets before each link."""
    path = case.source.path / "probes.json"
    wanted = _seed(case, seed)
    runs: list[Mapping[str, Any]] = json.loads(path.read_text())["runs"] if path.exists() else []
    taken = {
        run["scheme"]: {noted["at_ps"]: noted["packets"] for noted in run["occupancy"]}
        for run in runs
        if run["scheme"] in case.schemes and run["seed"] == wanted and run.get("occupancy")
    }
    if not taken:
        said = f"no queue lengths in {case.source.path}: {ADVICE}"
        raise ScenarioError.of_call(said, "probe.occupancy", expected="instants, as of plot.instants", got="none")
    return {scheme: taken[scheme] for scheme in case.schemes if scheme in taken}


def _names(case: Case, by: str) -> dict[int, str]:
    """Returns by link its port or switch; the hosts' ports are left out. Switches are in the order of their links."""
    read = case.source.table("ports").to_dict(["link", "from", "to"])
    rows = zip(read["link"], read["from"], read["to"], strict=True)
    named = {link: (start, end) for link, start, end in rows if not start.startswith("host ")}
    ordered = sorted(named.items(), key=lambda item: (_place(item[1][0]), item[0]))
    return {link: f"{start} → {end}" if by == "port" else start for link, (start, end) in ordered}


def _place(name: str) -> list[tuple[int, str]]:
    """Sorts `edge 0.10` behind `edge 0.9`."""
    words = name.replace(".", " ").split()
    return [(int(word), "") if word.isdigit() else (-1, word) for word in words]


def _summed(grid: Mapping[int, Sequence[int]], names: Mapping[int, str]) -> dict[int, dict[str, int]]:
    out: dict[int, dict[str, int]] = {}
    for at in sorted(grid):
        row: dict[str, int] = {}
        for link, name in names.items():
            row[name] = row.get(name, 0) + grid[at][link]
        out[at] = row
    return out


def edges(columns: Sequence[float]) -> list[float]:
    """Returns the borders of the cells of these instants: in the middle between two."""
    if len(columns) == 1:
        return [0.0, columns[0] * 2]
    middles = [(a + b) / 2 for a, b in pairwise(columns)]
    first, last = columns[0], columns[-1]
    return [max(first - (middles[0] - first), 0.0), *middles, last + (last - middles[-1])]
