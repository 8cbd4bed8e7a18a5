"""What a sweep costs beside its simulations, and what it takes to read a million points.

    python benchmarks/overhead.py points [--points 10000] [--executor local --executor none …] [--jobs 1] [--cache]
    python benchmarks/overhead.py million RESULT [--copies 100]

`points` runs a sweep of tiny points by each executor, in a process of its own, and prints milliseconds a point beyond the
simulation: by processor time of all processes, less that of the simulations; by the clock; and by the clock over `stretch`,
which is how long a second of processor time took on this machine before and after, in as many processes as work at a time (1
where nothing else runs). And the peak memory of the collecting process. The executor `none` is none, as with `sidestep run`;
`--cache` keeps records for later calls. `million` copies `points.parquet` of a result so often as a Parquet dataset, and asks
DuckDB and pyarrow for quantiles over all of it, each in a process of its own.
Times are those of the machine; say its load beside them.
"""

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SWEEP = """
duration = "100 us"
schemes = ["dctcp"]
[topology]
kind = "single_switch"
hosts = 3
[workload.query]
kind = "incast"
degree = 2
[sweep]
"switch.capacity" = [{capacities}]
"workload.query.size" = [{sizes}]
"""


def sweep_of(points: int) -> str:
    """A sweep of about so many points, of which each sends four packets."""
    side = round(points**0.5)
    capacities = ", ".join(f'"{10 + i} pkt"' for i in range(side))
    return SWEEP.format(capacities=capacities, sizes=", ".join(f'"{2000 + i} B"' for i in range(points // side)))


SPIN = """
import time
began, cpu = time.monotonic(), time.process_time()
while time.process_time() - cpu < 0.5:
    pass
print((time.monotonic() - began) / 0.5)
"""


def stretch(jobs: int) -> float:
    """How many seconds by the clock a second of processor time takes now."""
    spinning = [subprocess.Popen([sys.executable, "-c", SPIN], stdout=subprocess.PIPE, text=True) for _ in range(jobs)]
    return sum(float(process.communicate()[0]) for process in spinning) / jobs


def one(executor: str, points: int, out: Path, jobs: int, cache: Path | None) -> None:
    """Runs it in this process, and prints a line of JSON."""
    import sidestep
    from sidestep import executors

    before = stretch(jobs)
    # What they cost is no cost of the sweep.
    spun = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = sweep_of(points)
    if executor == "none":
        scenario = sidestep.Scenario.from_toml(text, name="tiny.toml")
        began = time.monotonic()
        sidestep.sweep(scenario, out=out, jobs=jobs, cache=cache, progress=False)
        wall_s = time.monotonic() - began
    else:
        chosen = executors.choose(executor, jobs)
        began = time.monotonic()
        executors.run(text, "tiny.toml", executor=chosen, out=out, cache=cache, progress=False)
        wall_s = time.monotonic() - began
        chosen.close()
    manifest = json.loads((out / "manifest.json").read_text())
    runs, cpu_s = len(manifest["runs"]), manifest["cpu_s"]
    # Processes that it started are counted once they have ended.
    own, started = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    all_s = own.ru_utime + own.ru_stime + started.ru_utime + started.ru_stime - spun.ru_utime - spun.ru_stime
    beyond_ms = (wall_s - cpu_s / jobs) / runs * 1000
    slower = (before + stretch(jobs)) / 2
    peak = int(re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[0]) / 1024
    line = {
        "executor": executor,
        "points": runs,
        "jobs": jobs,
        "cache": cache is not None,
        "wall_s": round(wall_s, 2),
        "simulated_cpu_s": cpu_s,
        "beyond_cpu_ms": round((all_s - cpu_s) / runs * 1000, 3),
        "beyond_ms": round(beyond_ms, 3),
        "stretch": round(slower, 2),
        "beyond_ms_by_stretch": round(beyond_ms / slower, 3),
        "peak_mib": round(peak),
        "load": round(os.getloadavg()[0], 1),
    }
    print(json.dumps(line), flush=True)


DUCKDB = """
import duckdb, resource, sys, time
duckdb.sql("set memory_limit = '1GB'; set enable_progress_bar = false; set threads = 1")
began = time.monotonic()
rows = duckdb.sql(f"select count(*), sum(packet_hops), quantile_cont(qct_p99_ms, 0.99) from '{sys.argv[1]}/**/points.parquet'")
print("duckdb", rows.fetchall(), f"{time.monotonic() - began:.1f} s",
      f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
"""

PYARROW = """
import pathlib, pyarrow.compute as pc, pyarrow.parquet as pq, resource, sys, time
began = time.monotonic()
rows = hops = 0
for path in pathlib.Path(sys.argv[1]).rglob("points.parquet"):
    table = pq.read_table(path, columns=["packet_hops"], partitioning=None)
    rows, hops = rows + len(table), hops + pc.sum(table["packet_hops"]).as_py()
print("pyarrow, file by file", rows, hops, f"{time.monotonic() - began:.1f} s",
      f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
"""


def million(result: Path, copies: int) -> None:
    """Makes the dataset and reads it."""
    with tempfile.TemporaryDirectory(dir=result.parent) as folder:
        for n in range(copies):
            into = Path(folder) / f"sweep={n}"
            into.mkdir()
            shutil.copyfile(result / "points.parquet", into / "points.parquet")
        size = sum(path.stat().st_size for path in Path(folder).rglob("*.parquet"))
        print(f"{copies} files, {size / 1e6:.0f} MB", flush=True)
        for program in (DUCKDB, PYARROW):
            subprocess.run([sys.executable, "-c", program, folder], check=False)


def main() -> None:
    """Reads the words."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["points", "million", "one"])
    parser.add_argument("result", nargs="?", type=Path)
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--executor", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--cache", action="store_true", help="keeps records beside the result")
    parser.add_argument("--copies", type=int, default=100)
    parser.add_argument("--out", type=Path, help="where results go; kept")
    args = parser.parse_args()
    if args.what == "million":
        million(args.result, args.copies)
        return
    if args.what == "one":
        one(args.executor[0], args.points, args.result, args.jobs, args.result.with_suffix(".records") if args.cache else None)
        return
    with tempfile.TemporaryDirectory() as folder:
        for n, executor in enumerate(args.executor or ["local", "dask"]):
            out = (args.out or Path(folder)) / f"{n}-{executor.partition(':')[0]}"
            words = ["one", str(out), "--executor", executor, "--points", str(args.points), "--jobs", str(args.jobs)]
            subprocess.run([sys.executable, __file__, *words, *(["--cache"] if args.cache else [])], check=True)


if __name__ == "__main__":
    main()
