# SPDX-License-Identifier: MIT OR Apache-2.0
"""What synth/code_coverage.py makes of Verilator's counts."""

import os
import sys

from bench.simulators import RTL, SRC

sys.path.insert(0, str(RTL / "synth"))
import code_coverage as coverage

CELL = "lfsr.sv"


def place(line, what, kind, count, instance="top.a", source=SRC / CELL):
    pairs = {"f": source, "l": line, "n": 3, "t": kind, "page": f"v_{kind}/lfsr", "o": what, "h": instance}
    return "C '" + "".join(f"\x01{name}\x02{value}" for name, value in pairs.items()) + f"' {count}\n"


def counted(folder, *builds):
    paths = []
    for n, places in enumerate(builds):
        paths.append(folder / f"test_{n}.dat")
        paths[-1].write_text("# SystemC::Coverage-3\n" + "".join(places))
    return coverage.counts(paths)


def test_a_place_counts_once_over_instances_and_builds(tmp_path):
    passed = counted(tmp_path, [place(5, "if", "branch", 0), place(5, "else", "branch", 2), place(5, "if", "branch", 0, "top.b")],
                     [place(5, "if", "branch", 1), place(7, "q[0]:0->1", "toggle", 0), place(7, "q[0]:1->0", "toggle", 3)])
    assert {key[3:]: count for key, count in passed.items()} == {
        ("branch", "if"): 1, ("branch", "else"): 2, ("toggle", "q[0]:0->1"): 0, ("toggle", "q[0]:1->0"): 3}
    text, _ = coverage.table(passed, [])
    assert f"| `{CELL}` | 2 of 2 | 100 % | 1 of 2 | 50 % |" in text and "Nothing." in text
    assert "| `drr.sv` | in no build |" in text


def test_what_never_ran_is_listed_with_its_line(tmp_path):
    line = next(n for n, text in enumerate((SRC / CELL).read_text().splitlines(), 1) if text.startswith("module"))
    text, _ = coverage.table(counted(tmp_path, [place(line, "cond_then", "branch", 0)]), ["lfsr-Width16"])
    assert f"| `{CELL}:{line}` | ?: holds | `module lfsr #(` | no counted test |" in text and text.endswith("\n- `lfsr-Width16`\n")


def test_nothing_but_the_cells_is_counted(tmp_path):
    assert not counted(tmp_path, [place(5, "if", "branch", 0, source=RTL / "tests" / "gates" / "dp16kd.sv")])


def test_counts_of_sources_that_changed_since_are_told(tmp_path):
    for name, time in (("a.sv", 10), ("laws.svh", 30), ("test_1.dat", 20), ("test_2.dat", 40)):
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (time, time))
    assert coverage.newer_sources(sorted(tmp_path.glob("*.dat")), tmp_path) == ["laws.svh"]
    assert not coverage.newer_sources([tmp_path / "test_2.dat"], tmp_path)


def test_a_reason_for_what_ran_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(coverage, "REASONS", [("lfsr", "module", "no module runs"), ("drr", "module", "nor does this")])
    line = next(n for n, text in enumerate((SRC / CELL).read_text().splitlines(), 1) if text.startswith("module"))
    text, stale = coverage.table(counted(tmp_path, [place(line, "block", "line", 0)]), [])
    assert "| no module runs |" in text and [cell for cell, *_ in stale] == ["drr"]


def test_every_reason_is_of_a_line_that_there_is():
    assert not [(cell, part) for cell, part, _ in coverage.REASONS if part not in (SRC / f"{cell}.sv").read_text()]
