"""`python3 -m sidestep run SWEEP --executor EXECUTOR`: the part of `sidestep run --executor` that runs in Python.

Words, output and exit status are the command's: 0 success, 1 the run failed, 2 the input was wrong, 130 interrupted.
"""

import argparse
import json
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from sidestep import _native
from sidestep.errors import ScenarioError, SidestepError
from sidestep.executor_errors import MissingExtra, NoAnswer, OtherVersion, Unwritable
from sidestep.executors import FORMS, Partial
from sidestep.executors._run import Cache, carry_out


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    args = _parser().parse_args(argv)
    warnings.showwarning = _warn
    sets = [*args.set, *([f"seeds={args.seeds}"] if args.seeds else [])]
    cache: Cache = None if args.no_cache else args.cache or True
    try:
        plan = _native.Plan.open(args.scenario, sets, args.quick)
        out = args.out or _default_out(plan.name)
        progress = True if args.progress else None
        path, text = carry_out(plan, args.executor, out, cache, progress, jobs=args.jobs)
    except Partial as stopped:
        if stopped.partial is None:
            _complain("interrupted before any run finished")
        else:
            text = _native.show(stopped.partial, True) if args.all else stopped.text
            _say(stopped.partial, text, as_json=args.json)
        return 130
    except KeyboardInterrupt:
        _complain("interrupted before any run started")
        return 130
    except SidestepError as error:
        for line in [*str(error).splitlines(), *getattr(error, "__notes__", [])]:
            # `--seeds` is passed on as a changed value; messages about that value name `--seeds`.
            _complain(line.replace(f"--set seeds={args.seeds}: seeds:", "--seeds:"))
        return 2 if isinstance(error, ScenarioError | MissingExtra | NoAnswer | OtherVersion | Unwritable) else 1
    _say(path, _native.show(path, True) if args.all else text, as_json=args.json)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m sidestep", description="Make a sweep by an executor.")
    run = parser.add_subparsers(required=True, metavar="run").add_parser("run", description=__doc__)
    run.add_argument("scenario", help="an experiment with [sweep]: a file, or the name of a shipped one")
    run.add_argument("--executor", default="local", help=f"one of {', '.join(FORMS)}")
    run.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change a value")
    run.add_argument("--seeds", help="run these seeds: 1..10, or 1,2,5")
    run.add_argument("--quick", action="store_true", help="apply the file's [quick]")
    run.add_argument("--jobs", type=_positive, help="runs at a time, with an executor on this machine")
    run.add_argument("--out", type=Path, help="the result directory, which must not exist yet")
    run.add_argument("--cache", help="cache of records: a directory or a URL [default: results/.cache]")
    run.add_argument("--no-cache", action="store_true", help="keep no records in a cache")
    run.add_argument("--all", action="store_true", help="print the whole table")
    run.add_argument("--json", action="store_true", help="print the summary as one JSON object and nothing else")
    run.add_argument("--progress", action="store_true", help="report progress even without a terminal")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected at least 1, got {number}")
    return number


def _default_out(name: str) -> Path:
    base = Path("results") / f"{name}-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"
    out, n = base, 2
    while out.exists():
        out, n = base.with_name(f"{base.name}-{n}"), n + 1
    return out


def _say(path: Path, text: str, *, as_json: bool) -> None:
    if as_json:
        summary: dict[str, Any] = json.loads((path / "summary.json").read_text())
        print(json.dumps(summary | {"report": f"{path}/report.html", "result": str(path)}, indent=2, ensure_ascii=False))
    else:
        print(f"{text}\nreport: {path}/report.html\nresult: {path}")


def _complain(line: str) -> None:
    print(f"sidestep: {line}", file=sys.stderr)


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    _complain(str(message))


if __name__ == "__main__":
    sys.exit(main())
