# SPDX-License-Identifier: MIT OR Apache-2.0
"""Parameters that make no sense end the build, and say what was expected."""

import subprocess

import pytest

from bench.simulators import SRC

WRONG = [
    # Parameters, what is said.
    ({"NumPorts": 17, "PortW": 5}, "NumPorts must be from 2 to 16"),
    ({"NumPorts": 8, "PortW": 2}, "PortW has too few bits for NumPorts"),
    ({"PathW": 1024}, "PathW must be 64, 128, 256 or 512"),
    ({"LinkW": 24}, "LinkW must be a power of two from 8 to PathW"),
    ({"LinkW": 128}, "LinkW must be a power of two from 8 to PathW"),
    ({"MaxFrame": 9018}, "LenW must hold MaxFrame"),
    # It built, and a legal frame of 5,000 bytes stopped its port.
    ({"MaxFrame": 9018, "LenW": 14}, "two frames of MaxFrame"),
    ({"MinFrame": 2000}, "MinFrame must be from 1 to MaxFrame"),
    ({"SlotsW": 2}, "SlotsW must be 3 at least"),
    ({"QueueW": 7}, "must hold a frame of MaxFrame"),
    ({"Dibs": 4}, "Dibs must be from 0 to 3"),
    ({"Dibs": 3, "QueueW": 16}, "with Dibs 3 QueueW must be 15 at most"),
    ({"Spray": 2}, "Spray, Shared and Bytes must be 0 or 1"),
    ({"Ranked": 1}, "with Ranked 1 Dibs and Shared must be 0"),
    ({"Ranked": 1, "Dibs": 0, "LinkW": 8, "PathW": 512, "QueueW": 12}, "the shortest frame must have two words"),
    ({"Ranked": 1, "Dibs": 0, "LinkW": 8}, "two of the longest frames for each port"),
    ({"Ranked": 1, "Dibs": 0, "LinkW": 32, "QueueW": 14}, "all links together must fit the path"),
    ({"Bytes": 2}, "Spray, Shared and Bytes must be 0 or 1"),
]

WRONG_PICK = [
    ({"NumPorts": 1}, "NumPorts must be from 2 to 64"),
    ({"NumPorts": 65, "PortW": 7}, "NumPorts must be from 2 to 64"),
    ({"PortW": 2}, "PortW has too few bits for NumPorts"),
    ({"DrawW": 33}, "DrawW must be from 1 to 32"),
    ({"Scaled": 1}, "with Scaled 1 DrawW must be (NumPorts + 1) * PortW"),
    ({"Scaled": 2}, "Scaled must be 0 or 1"),
]


RIGHT = [{}, {"MaxFrame": 9018, "LenW": 14, "InputW": 12}, {"NumPorts": 16, "PortW": 4},
         {"Ranked": 1, "Dibs": 0, "LinkW": 16, "QueueW": 14, "MaxFrame": 1521}]

RIGHT_PICK = [{}, {"NumPorts": 4, "PortW": 2, "DrawW": 16}, {"NumPorts": 64, "PortW": 6}, {"Scaled": 1, "DrawW": 27}]


def lint(top, parameters):
    """What Verilator says of a module with these parameters; its words and its status."""
    named = [f"-G{name}={value}" for name, value in parameters.items()]
    args = ["verilator", "--lint-only", f"-I{SRC}", "--top-module", top, *named]
    done = subprocess.run([*args, *sorted(map(str, SRC.glob("*.sv")))], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def of_both(switch, pick):
    """Cases with the module in front that they are of, and what each is called."""
    cases = [("switch_top", *case) for case in switch] + [("detour_pick", *case) for case in pick]
    return {"argvalues": cases, "ids": ["-".join([top, *(f"{k}{v}" for k, v in parameters.items())]) for top, parameters, *_ in cases]}


@pytest.mark.parametrize("top, parameters, says", **of_both(WRONG, WRONG_PICK))
def test_what_makes_no_sense_is_not_built(top, parameters, says):
    status, said = lint(top, parameters)
    assert status != 0 and says in said, said[-2000:]


@pytest.mark.parametrize("top, parameters", **of_both([(p,) for p in RIGHT], [(p,) for p in RIGHT_PICK]))
def test_what_makes_sense_is(top, parameters):
    status, said = lint(top, parameters)
    assert status == 0, said[-2000:]
