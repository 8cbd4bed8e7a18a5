"""Running: scenarios and figures, into result directories."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar

from sidestep import _native
from sidestep._native import Plugin
from sidestep.errors import ScenarioError, check_jobs
from sidestep.policy import Scheme
from sidestep.progress import HowFar, Progress, Watcher
from sidestep.results import Reproduction, Result, TemporaryPlace
from sidestep.scenario import Scenario, ScenarioLike, scenario_of

__all__ = ["Cache", "How", "Seeds", "Tell", "carry_out", "interruptible", "reproduce", "run", "source_of"]

Seeds: TypeAlias = "int | str | Iterable[int] | None"
"""Which seeds: one, a range as `"1..5"`, several; None leaves those of the scenario."""

Cache: TypeAlias = "bool | str | os.PathLike[str] | None"
"""Where finished runs are kept between calls: a directory; True for the command's (`results/.cache`); None keeps none."""

Tell: TypeAlias = "Callable[[HowFar], object] | None"
Left: TypeAlias = "tuple[Path, BaseException | None]"
Made = TypeVar("Made", bound="Result | Reproduction | Any")


class How(TypedDict):
    """How a call is carried out, as the native half takes it."""

    out: Path
    jobs: int
    cache: Path | None
    force: bool


@contextmanager
def interruptible() -> Iterator[None]:
    """Gives a KeyboardInterrupt that comes before anything did its `partial` as well: None."""
    try:
        yield
    except KeyboardInterrupt as interrupt:
        if not hasattr(interrupt, "partial"):
            interrupt.partial = None  # type: ignore[attr-defined]
        raise


@interruptible()
def run(
    scenario: ScenarioLike,
    *,
    seeds: Seeds = None,
    quick: bool = False,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    cache: Cache = None,
    policies: Sequence[Scheme | Plugin] = (),
    trace_packets: str | None = None,
    record: bool = False,
    record_window: str | None = None,
    record_flows: str | None = None,
    threads: int | Literal["auto"] | None = None,
    force: bool = False,
    progress: Progress = None,
) -> Result:
    """Runs every scheme of a scenario with every seed.

    `policies` are schemes with policies of your own (`sidestep.Scheme`, or what `sidestep.load_plugin` loads), which run beside
    those of the scenario.

    `out` is the result directory, which must not hold anything; without it a temporary one, which is removed when nobody
    has the result any more. `jobs` runs are made at a time: one per core unless given, or one for as many cores as
    `threads`. `trace_packets` keeps paths of
    packets, as `"detours>=8"`. `record` leaves a recording of each run in `recordings/`, of the time `record_window`
    (`"2 ms..12 ms"`) and with the windows of the flows `record_flows`, as `sidestep run --record` does. `threads` are those
    of each run, which has the same bytes on any number: for one that is large, as `jobs` are for many; `"auto"` takes as
    many as are worth it, and warns why where that is one. `force` runs also
    what is estimated not to fit into memory. `progress`: see `sidestep.progress`.

    The GIL is released. Ctrl-C ends the runs where they are and raises `KeyboardInterrupt`, whose `partial` is the Result
    of what there is, or None where no run had begun.

    Raises `ScenarioError` for what is wrong with the scenario or the call, `RunError` when the simulation itself fails,
    `PolicyError` when a policy of your own does,
    `ResultError` when the results cannot be written; nothing half-written is left then.
    """
    source = source_of(scenario, seeds, quick=quick)
    if not record and (record_window or record_flows):
        said = "record: expected True with record_window or record_flows, got False"
        raise ScenarioError.of_call(said, "record", expected="True", got="False")
    recording = {"window": record_window, "flows": record_flows} if record else None
    asked = _threads(threads)
    if jobs is None and isinstance(asked, int):
        jobs = max(1, _jobs(None) // asked)
    remarks: list[str] = []

    def work(how: How, tell: Tell) -> Left:
        words = None if asked is None else str(asked)
        path, interrupt, said = _native.run(source, how, trace_packets, tell, policies, recording, words)
        remarks.extend(said)
        return path, interrupt

    made = carry_out(Result, work, out=out, jobs=jobs, cache=cache, force=force, progress=progress)
    for remark in remarks:
        # Of whoever called: `interruptible` stands between.
        warnings.warn(remark, stacklevel=3)
    return made


@interruptible()
def reproduce(
    what: str,
    *,
    quick: bool = False,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    cache: Cache = None,
    force: bool = False,
    progress: Progress = None,
) -> Reproduction:
    """Runs figures of papers and holds what the papers claim against what comes out.

    `what` names a figure (`"dibs/fig08"`) or a paper (`"dibs"`); `quick` runs the first look that each figure defines.
    Everything else is as for `run`. Unlike the command it also runs what takes hours: `what` names it.
    """

    def work(how: How, tell: Tell) -> Left:
        return _native.reproduce(what, quick, how, tell)

    return carry_out(Reproduction, work, out=out, jobs=jobs, cache=cache, force=force, progress=progress)


def source_of(scenario: ScenarioLike, seeds: Seeds = None, *, quick: bool = False) -> _native.Source:
    """What the native half reads: the scenario with its changes, and these seeds."""
    sets = [] if seeds is None else [f"seeds={_seeds(seeds)}"]
    made: Scenario = scenario_of(scenario)
    return made._source(quick=quick, sets=sets)


def carry_out(
    kind: type[Made],
    work: Callable[[How, Tell], Left],
    *,
    out: str | os.PathLike[str] | None,
    jobs: int | None,
    cache: Cache,
    force: bool,
    progress: Progress,
) -> Made:
    """Makes room for a result, does the `work`, and hands on what interrupted it with what there is."""
    holder = TemporaryPlace() if out is None else None
    how = How(
        out=holder.path / "result" if holder is not None else Path(os.fspath(out or "")),
        jobs=_jobs(jobs),
        cache=_cache(cache),
        force=force,
    )
    with Watcher(progress) as watcher:
        path, interrupt = work(how, watcher.tell)
    made = kind(path, _holder=holder)
    if interrupt is not None:
        interrupt.partial = made  # type: ignore[attr-defined]
        raise interrupt
    return made


def _seeds(seeds: int | str | Iterable[int]) -> str:
    if isinstance(seeds, int | str):
        return str(seeds)
    return ", ".join(str(int(seed)) for seed in seeds)


def _jobs(jobs: int | None) -> int:
    if jobs is None:
        return len(os.sched_getaffinity(0))
    check_jobs(jobs)
    return jobs


def _threads(threads: object) -> int | Literal["auto"] | None:
    """How many threads a run has."""
    if threads is None or threads == "auto":
        return threads
    if isinstance(threads, int) and not isinstance(threads, bool) and threads >= 1:
        return threads
    expected = '"auto" or a number from 1 up'
    raise ScenarioError.of_call(f"threads: expected {expected}, got {threads!r}", "threads", expected=expected, got=threads)


def _cache(cache: Cache) -> Path | None:
    if cache is True:
        return Path("results/.cache")
    if isinstance(cache, str) and "://" in cache:
        said = f"cache: expected a directory, got {cache!r}: a URL needs executor= of sidestep.sweep"
        raise ScenarioError.of_call(said, "cache", expected="a directory", got=cache)
    return Path(cache) if cache else None
