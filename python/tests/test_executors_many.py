"""Very many points: what the collecting process holds of each, and results of many sweeps as one dataset."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from executors_help import SWEEP

from sidestep.__main__ import main

ROOT = Path(__file__).parents[2]

CAPACITIES = ("20 pkt", "50 pkt", "100 pkt")

A_POINT_B = 4_500
"""What the collecting process may hold of a tiny point with one scheme and one seed, in bytes: its summary as it is
unpacked, see docs/how-to/scaling.md."""


def sql() -> str:
    """The query that the documents tell of."""
    found = re.search(r"```sql\n(.*?)```", (ROOT / "docs/how-to/scaling.md").read_text(), re.DOTALL)
    assert found is not None
    return found[1].strip().rstrip(";")


@pytest.fixture(scope="module")
def sweeps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `results/` of three sweeps, one for each value of an axis, and one of all values, in `whole/`."""
    place = tmp_path_factory.mktemp("many")
    (place / "sweep.toml").write_text(SWEEP)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        for nth, capacity in enumerate(CAPACITIES):
            words = ["sweep.toml", "--set", f"switch.capacity={capacity}", "--out", f"results/{nth}", "--cache", "records"]
            assert main(["run", *words]) == 0
        assert main(["run", "sweep.toml", "--out", "whole", "--cache", "records"]) == 0
    return place


def test_many_sweeps_with_one_cache_make_each_point_once_and_are_one_dataset(
    sweeps: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    # A sweep of all of them finds each point.
    manifest = json.loads((sweeps / "whole/manifest.json").read_text())
    assert {run["status"] for run in manifest["runs"]} == {"complete, from the cache"}
    monkeypatch.chdir(sweeps)
    columns = '"workload.query.degree", "switch.capacity", scheme, seed, qct_p99_ms, trajectory_hash'
    merged = duckdb.sql(f"select {columns} from 'results/*/points.parquet' order by all").fetchall()
    assert merged == duckdb.sql(f"select {columns} from 'whole/points.parquet' order by all").fetchall()
    assert len(merged) == len(manifest["runs"])
    # What the documents say, as they say it.
    told = duckdb.sql(sql()).fetchall()
    assert sorted(row[0] for row in told) == sorted(CAPACITIES)
    assert all(row[1] > 0 for row in told)


PEAK = """
import pathlib, re
# Not `ru_maxrss`, which a process takes over from the one that started it: these tests hold more than what they start.
def peak_b():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", pathlib.Path("/proc/self/status").read_text())[1]) * 1024
"""
"""The most memory that a process held."""

MERGE = f"""{PEAK}
import duckdb, sys
duckdb.sql("set memory_limit = '200MB'; set threads = 1; set preserve_insertion_order = false; set enable_progress_bar = false")
many = sys.argv[1] + "/*/points.parquet"
rows = duckdb.sql("select count(*), sum(packet_hops) from '" + many + "'").fetchall()[0]
duckdb.sql("copy (select * from '" + many + "') to '" + sys.argv[1] + "/all.parquet' (row_group_size 2048)")
print(*rows, peak_b())
"""


def test_merging_more_files_takes_no_more_memory(sweeps: Path, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    table = pyarrow.read_table(sweeps / "whole/points.parquet")
    import pyarrow as pa

    one = pa.concat_tables([table] * 40)
    peaks = []
    # What DuckDB takes for itself, it has taken by the twelfth.
    for many in (12, 36):
        folder = tmp_path / str(many)
        for nth in range(many):
            (folder / str(nth)).mkdir(parents=True)
            pyarrow.write_table(one, folder / str(nth) / "points.parquet")
        command = [sys.executable, "-c", MERGE, str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        said = done.stdout.split()
        assert int(said[0]) == many * len(one)
        assert pyarrow.read_metadata(folder / "all.parquet").num_rows == many * len(one)
        peaks.append(int(said[2]))
        shutil.rmtree(folder)
    # Held whole, the other 24 would be this much more.
    assert peaks[1] - peaks[0] < 24 * one.nbytes / 2, (peaks, one.nbytes)


COLLECT = f"""{PEAK}
import sys
sys.path.insert(0, sys.argv[1])
from overhead import sweep_of
from sidestep import executors
executors.run(sweep_of(int(sys.argv[2])), "tiny.toml", out=sys.argv[3], progress=False)
print(peak_b())
"""


@pytest.mark.slow
def test_the_collecting_process_holds_little_of_a_point(tmp_path: Path) -> None:
    peaks = []
    for points in (2_000, 10_000):
        command = [sys.executable, "-c", COLLECT, str(ROOT / "python/benchmarks"), str(points), str(tmp_path / str(points))]
        said = subprocess.run(command, capture_output=True, text=True, check=False)
        assert said.returncode == 0, said.stderr
        peaks.append(int(said.stdout))
    each = (peaks[1] - peaks[0]) / 8_000
    print(f"{each:.0f} bytes a point")
    assert each < A_POINT_B, peaks
