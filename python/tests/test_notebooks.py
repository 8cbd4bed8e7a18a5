"""Every notebook runs from its first cell to its last, in a folder of its own, and is kept without outputs."""

import os
from pathlib import Path
from typing import Any

import pytest

import sidestep as ss

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")
pytest.importorskip("altair")

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))


def name(path: Path) -> str:
    return path.stem


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["first-incast", "own-policy", "own-trace"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_a_notebook_is_kept_without_outputs(path: Path) -> None:
    book = nbformat.read(path, 4)
    nbformat.validate(book)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    assert code
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
    assert book.cells[0].source.startswith("# ")


# The documents run them in `make test` (scripts/docs.sh): once is enough there.
@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_a_notebook_runs_and_shows_tables_and_pictures(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The kernel finds the package that is tested.
    package = str(Path(ss.__file__).parent.parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")])))
    # Nothing of it depends on a person's settings.
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "jupyter"))
    book = nbformat.read(path, 4)
    # No limit by the clock: a loaded machine takes its time.
    nbclient.NotebookClient(
        book, timeout=None, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    shown = [shows(output) for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
    pages = [page for page in shown if page]
    assert sum("<svg" in page for page in pages) >= 3
    assert sum("<table" in page for page in pages) >= 1
    assert not [output for cell in book.cells for output in cell.get("outputs", ()) if output.output_type == "stream"]


def shows(output: Any) -> str:
    return str(output.get("data", {}).get("text/html", ""))
