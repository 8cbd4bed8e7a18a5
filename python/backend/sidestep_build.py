"""How pip and `python -m build` build the package: by maturin, with what stands beside `python/` in the source distribution.

maturin packs the crates that the package is built of, and refuses what stands beside python/. What they read when they are
built, schemes, scenarios, figures and distributions, is added here. The same sources give the same bytes.
"""

import gzip
import io
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import maturin
from maturin import (
    build_editable,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

OWN = Path(__file__).resolve().parent
SHIPPED = ("data", "experiments", "scenarios", "schemes")
LICENCES = ("LICENSE-APACHE", "LICENSE-MIT")


def build_sdist(sdist_directory: str, config_settings: dict[str, str] | None = None) -> str:
    """The source distribution with the shipped files in it."""
    name: str = maturin.build_sdist(sdist_directory, config_settings)
    packed = Path(sdist_directory) / name
    top = packed.name.removesuffix(".tar.gz")
    with tarfile.open(packed) as archive:
        members = [(member.name, archive.extractfile(member)) for member in archive.getmembers()]
        held = {name: file.read() for name, file in members if file is not None}
    root = _root()
    held.update({f"{top}/{name}": (root / name).read_bytes() for name in _shipped(root)})
    # Beside pyproject.toml, which maturin puts on top.
    held.update({f"{top}/{OWN.name}/{file.name}": file.read_bytes() for file in OWN.glob("*.py")})
    bytes_ = io.BytesIO()
    with tarfile.open(fileobj=bytes_, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, text in sorted(held.items()):
            member = tarfile.TarInfo(path)
            member.size, member.mode = len(text), 0o644
            archive.addfile(member, io.BytesIO(text))
    packed.write_bytes(gzip.compress(bytes_.getvalue(), mtime=0))
    return name


def _root() -> Path:
    """Where the shipped files are: beside `python/` of a checkout, beside this folder in a source distribution."""
    for root in (OWN.parent, OWN.parent.parent):
        if all((root / folder).is_dir() for folder in SHIPPED):
            return root
    raise SystemExit(f"expected {', '.join(SHIPPED)} beside {OWN.parent}: the package is built of them")


def _shipped(root: Path) -> Iterator[str]:
    """The shipped files: of a checkout those that belong to it."""
    command = ["git", "ls-files", "-z", "--", *SHIPPED, *LICENCES]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        yield from (name for name in listed.stdout.split("\0") if name)
        return
    for part in (*SHIPPED, *LICENCES):
        place = root / part
        files = place.rglob("*") if place.is_dir() else [place]
        yield from (str(file.relative_to(root)) for file in sorted(files) if file.is_file())
