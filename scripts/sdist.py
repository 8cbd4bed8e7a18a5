"""The source distribution of the Python package: python/dist/sidestep-VERSION.tar.gz, which pip builds in any folder.

    sdist.py MATURIN [OUT]

maturin packs the crates that the package is built of, and refuses what stands beside python/. What they read when they are
built, schemes, scenarios, figures and distributions, is added here. The same sources give the same bytes.
"""

import gzip
import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ("data", "experiments", "scenarios", "schemes")
LICENCES = ("LICENSE-APACHE", "LICENSE-MIT")


def main() -> None:
    """Packs, and prints where."""
    out = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "python/dist"
    with tempfile.TemporaryDirectory() as made:
        command = [sys.argv[1], "sdist", "--out", made, "--manifest-path", str(ROOT / "python/Cargo.toml")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"maturin packs nothing:\n{done.stderr}")
        (packed,) = Path(made).glob("*.tar.gz")
        out.mkdir(parents=True, exist_ok=True)
        print(shutil.copyfile(added(packed), out / packed.name))


def added(packed: Path) -> Path:
    """The archive with the shipped files in it."""
    top = packed.name.removesuffix(".tar.gz")
    with tarfile.open(packed) as archive:
        members = [(member, archive.extractfile(member)) for member in archive.getmembers()]
        held = [(member.name, file.read()) for member, file in members if file is not None]
    for name in tracked():
        held.append((f"{top}/{name}", (ROOT / name).read_bytes()))
    bytes_ = io.BytesIO()
    with tarfile.open(fileobj=bytes_, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, text in sorted(held):
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(text), 0o644
            archive.addfile(member, io.BytesIO(text))
    packed.write_bytes(gzip.compress(bytes_.getvalue(), mtime=0))
    return packed


def tracked() -> list[str]:
    """The shipped files that belong to the repository."""
    command = ["git", "ls-files", "-z", "--", *SHIPPED, *LICENCES]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name]


if __name__ == "__main__":
    main()
