"""Runs of scenarios and figures, written to result directories."""

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
from sidestep.policy import Scheme, several
from sidestep.progress import HowFar, Progress, Watcher
from sidestep.results import Reproduction, Result, TemporaryPlace
from sidestep.scenario import Scenario, ScenarioLike, scenario_of

__all__ = ["Cache", "How", "Seeds", "Tell", "carry_out", "interruptible", "reproduce", "run", "source_of"]

Seeds: TypeAlias = "int | str | Iterable[int] | None"
"""Seeds: one, a range as `"1..5"`, several; None leaves those of the scenario."""

Cache: TypeAlias = "bool | str | os.PathLike[str] | None"
"""Place of finished runs between calls: a directory; True for the command's (`results/.cache`); None for no cache."""

Tell: TypeAlias = "Callable[[HowFar], object] | None"
Left: TypeAlias = "tuple[Path, BaseException | None]"
Made = TypeVar("Made", bound="Result | Reproduction | Any")


class How(TypedDict):
    """Options of a call, as the native half reads them."""

    out: Path
    jobs: int
    cache: Path | None
    force: bool


@contextmanager
def interruptible() -> Iterator[None]:
    """Gives a KeyboardInterrupt before the first run its `partial` as well: None."""
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
    policies: Sequence[Scheme | Plugin] | Scheme | Plugin = (),
    trace_packets: str | None = None,
    record: bool = False,
    record_window: str | None = None,
    record_flows: str | None = None,
    threads: int | Literal["auto"] | None = None,
    force: bool = False,
    progress: Progress = None,
) -> Result:
    """Runs every scheme of a scenario with every seed.

    `policies` are schemes with your own policies (`sidestep.Scheme`, or the result of `sidestep.load_plugin`), which
    run beside those of the scenario.

    - `out`: result directory, which must be empty or new; without it a temporary one, removed with the last reference
      to the result
    - `jobs`: number of runs at a time; default: one per core, or one for every `threads` cores
    - `trace_packets`: packets whose paths are kept, as `"detours>=8"`
    - `record`: leaves a recording of each run in `recordings/`, of the time `record_window` (`"2 ms..12 ms"`) and with
      the windows of the flows `record_flows`, as `sidestep run --record` does
    - `threads`: threads of each run, for a large run; use `jobs` for many. The bytes of the result are the same for any
      number. `"auto"` takes as many as are useful, and warns if that is one
    - `force`: starts runs even if they are estimated not to fit into memory
    - `progress`: see `sidestep.progress`

    The GIL is released. Ctrl-C stops the runs and raises `KeyboardInterrupt`, whose `partial` is the Result of the
    finished part, or None if no run had begun.

    Raises `ScenarioError` for an invalid scenario or call, `RunError` when the simulation fails, `PolicyError` when one
    of your policies fails, `ResultError` when the results cannot be written. Nothing half-written remains then.
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
        path, interrupt, said = _native.run(source, how, trace_packets, tell, several(policies), recording, words)
        remarks.extend(said)
        return path, interrupt

    made = carry_out(Result, work, out=out, jobs=jobs, cache=cache, force=force, progress=progress)
    for remark in remarks:
        # The warning is for the caller; `interruptible` stands between.
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
    """Runs figures of papers and compares the papers' claims with the results.

    `what` names a figure (`"dibs/fig08"`) or a paper (`"dibs"`); `quick` uses the short version that each figure
    defines. All other arguments are those of `run`. Unlike the command this also runs figures that take hours, since
    `what` names them.
    """

    def work(how: How, tell: Tell) -> Left:
        return _native.reproduce(what, quick, how, tell)

    return carry_out(Reproduction, work, out=out, jobs=jobs, cache=cache, force=force, progress=progress)


def source_of(scenario: ScenarioLike, seeds: Seeds = None, *, quick: bool = False) -> _native.Source:
    """Returns the input of the native half: the scenario with its changes, and these seeds."""
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
    """Prepares the result directory and does the `work`; after an interruption passes on the finished part."""
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
    """Returns the number of threads of a run."""
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
