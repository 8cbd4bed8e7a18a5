"""Build backend for pip and `python -m build`: maturin, with the files beside `python/` in the source distribution.

maturin packs the crates that the package is built from, and refuses files beside python/. The files that these crates
read when they are built (schemes, profiles, scenarios, figures and distributions) are added here. `kinds.py` is
generated from the built module and added to a wheel. The same sources give the same bytes. A build says what it does and
how long that takes, because pip shows nothing of it.
"""

import base64
import gzip
import hashlib
import io
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import maturin
from maturin import (
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
SHIPPED = ("data", "experiments", "profiles", "scenarios", "schemes")
KINDS = "sidestep/kinds.py"
LICENCES = ("LICENSE-APACHE", "LICENSE-MIT")


# Seconds between two lines about a build that goes on.
EVERY = 30


def _tell(line: str) -> None:
    """Prints a line on the terminal, because pip hides what a backend prints; without a terminal on standard error."""
    text = f"\n  sidestep: {line}\n"
    try:
        with Path("/dev/tty").open("w") as terminal:
            terminal.write(text)
    except OSError:
        print(text, end="", file=sys.stderr, flush=True)


@contextmanager
def _told() -> Iterator[None]:
    """Says that the compiler begins, how long that takes, that it goes on, and when it ended."""
    began, over = time.monotonic(), threading.Event()

    def passed() -> str:
        minutes, seconds = divmod(round(time.monotonic() - began), 60)
        return f"{minutes} min {seconds:02d} s"

    def go_on() -> None:
        while not over.wait(EVERY):
            _tell(f"still compiling after {passed()}")

    _tell("compiling the simulator with cargo, some three minutes on two cores (`pip install -v` shows them)")
    beside = threading.Thread(target=go_on, daemon=True)
    beside.start()
    try:
        yield
    finally:
        over.set()
        beside.join()
    _tell(f"compiled in {passed()}")


def build_wheel(wheel_directory: str, config_settings: dict | None = None, metadata_directory: str | None = None) -> str:
    """Builds the wheel with `kinds.py` in it."""
    with _told():
        name: str = maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    wheel = Path(wheel_directory) / name
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as place:
        archive.extractall(place)
        text = _generated(Path(place) / "sidestep")
        held = {member: archive.read(member) for member in archive.infolist() if member.filename != KINDS}
    digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        beside = next(member for member in held if member.filename == "sidestep/__init__.py")
        kinds = zipfile.ZipInfo(KINDS, beside.date_time)
        kinds.external_attr, kinds.compress_type = beside.external_attr, zipfile.ZIP_DEFLATED
        archive.writestr(kinds, text)
        for member, said in held.items():
            if member.filename.endswith(".dist-info/RECORD"):
                rows = [row for row in said.decode().splitlines() if not row.startswith(f"{KINDS},")]
                said = "\n".join([f"{KINDS},sha256={digest},{len(text)}", *rows, ""]).encode()
            archive.writestr(member, said)
    return name


def build_editable(wheel_directory: str, config_settings: dict | None = None, metadata_directory: str | None = None) -> str:
    """Builds the link to this folder, with `kinds.py` in it."""
    with _told():
        name: str = maturin.build_editable(wheel_directory, config_settings, metadata_directory)
    _generated(OWN.parent / "sidestep")
    return name


def _generated(package: Path) -> bytes:
    """Returns `kinds.py`, as the built package in this folder writes it."""
    subprocess.run([sys.executable, "-P", str(package / "_generate.py")], check=True)
    return (package / "kinds.py").read_bytes()


def build_sdist(sdist_directory: str, config_settings: dict[str, str] | None = None) -> str:
    """Builds the source distribution with the shipped files in it."""
    name: str = maturin.build_sdist(sdist_directory, config_settings)
    packed = Path(sdist_directory) / name
    top = packed.name.removesuffix(".tar.gz")
    with tarfile.open(packed) as archive:
        members = [(member.name, archive.extractfile(member)) for member in archive.getmembers()]
        held = {name: file.read() for name, file in members if file is not None and not name.endswith(KINDS)}
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
    """Returns the folder of the shipped files: beside `python/` of a checkout, beside this folder in a source distribution."""
    for root in (OWN.parent, OWN.parent.parent):
        if all((root / folder).is_dir() for folder in SHIPPED):
            return root
    raise SystemExit(f"expected {', '.join(SHIPPED)} beside {OWN.parent}: the package is built of them")


def _shipped(root: Path) -> Iterator[str]:
    """Yields the shipped files: in a checkout those under version control."""
    command = ["git", "ls-files", "-z", "--", *SHIPPED, *LICENCES]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        yield from (name for name in listed.stdout.split("\0") if name)
        return
    for part in (*SHIPPED, *LICENCES):
        place = root / part
        files = place.rglob("*") if place.is_dir() else [place]
        yield from (str(file.relative_to(root)) for file in sorted(files) if file.is_file())
