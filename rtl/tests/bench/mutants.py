# SPDX-License-Identifier: MIT OR Apache-2.0
"""Cells with one thing wrong, in a copy. The sources stay clean."""

import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.simulators import BUILD, SRC


def mutated(name, cell, before, after):
    """A folder with all the cells, of which `cell` has `after` in the place of `before`."""
    folder = BUILD / "mutants" / name.replace(" ", "-")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(SRC, folder)
    path = Path(folder) / f"{cell}.sv"
    text = path.read_text()
    assert text.count(before) == 1, f"{cell} has {before!r} {text.count(before)} times"
    path.write_text(text.replace(before, after))
    return folder


@contextmanager
def noticed(name, cell, before, after, top):
    """The sources and the label for a simulation of `top` on Icarus within, in which a test must fail, and not the build."""
    folder, label = mutated(name, cell, before, after), name.replace(" ", "-")

    def results():
        return list((BUILD / "icarus").glob(f"{top}-*{label}/*.xml"))

    for old in results():
        old.unlink()
    with pytest.raises((AssertionError, SystemExit, RuntimeError)):
        yield sorted(folder.glob("*.sv")), label
    [result] = results()
    assert "<failure" in result.read_text()
