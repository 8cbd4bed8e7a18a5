"""The build of the package: what pip's user is told while the compiler works."""

import os
import pty
import subprocess
import sys
from pathlib import Path

BACKEND = Path(__file__).resolve().parent.parent / "backend"

# maturin is replaced: the test is about what is said around it.
BUILD = """
import sys, time, types
hooks = ["get_requires_for_build_editable", "get_requires_for_build_sdist", "get_requires_for_build_wheel",
         "prepare_metadata_for_build_editable", "prepare_metadata_for_build_wheel"]
sys.modules["maturin"] = types.SimpleNamespace(build_editable=lambda *_: time.sleep(0.3) or "a.whl", **dict.fromkeys(hooks))
import sidestep_build
sidestep_build.EVERY = 0.1
sidestep_build._generated = lambda _: b""
sidestep_build.build_editable(".")
"""


def as_pip_does(*, alone: bool = False) -> subprocess.CompletedProcess[str]:
    """Calls the hook as pip does, which keeps all output for itself; `alone` without a terminal."""
    environment = os.environ | {"PYTHONPATH": str(BACKEND)}
    command = [sys.executable, "-c", BUILD]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, start_new_session=alone)


def test_a_build_tells_the_terminal_what_it_does_and_how_long_that_takes() -> None:
    child, terminal = pty.fork()
    if child == 0:
        done = as_pip_does()
        os._exit(done.returncode or int(bool(done.stdout + done.stderr)))
    said = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # Linux ends a terminal without writers so.
            break
        if not part:
            break
        said += part
    assert os.waitpid(child, 0)[1] == 0, said
    text = said.decode()
    assert "sidestep: compiling the simulator with cargo" in text
    assert "three minutes on two cores" in text
    assert "sidestep: still compiling after 0 min 00 s" in text
    assert text.rstrip().endswith("sidestep: compiled in 0 min 00 s")


def test_without_a_terminal_standard_error_is_told() -> None:
    done = as_pip_does(alone=True)
    assert done.returncode == 0, done.stderr
    assert "sidestep: compiling the simulator with cargo" in done.stderr
    assert done.stdout == ""
