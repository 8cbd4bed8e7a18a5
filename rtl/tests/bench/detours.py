# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the tests of the cells that detour have in common."""

import random

from cocotb.triggers import Timer

from bench.models import bits


async def ask(dut, **inputs):
    """Sets the inputs, lets the cell settle, returns (drop, detour, port)."""
    for name, value in inputs.items():
        getattr(dut, name + "_i").value = value
    await Timer(1, "ns")
    return int(dut.drop_o.value), int(dut.detour_o.value), int(dut.port_o.value)


def situations(ports, count, seed=1):
    """Random (want, fits, to_switch, draw), with every corner of them often enough."""
    rng = random.Random(seed)
    full = (1 << ports) - 1
    masks = [lambda: 0, lambda: full, lambda: 1 << rng.randrange(ports), lambda: full & ~(1 << rng.randrange(ports))]
    masks += [lambda: rng.getrandbits(ports)] * 5
    draws = [lambda: 0, lambda: 2**32 - 1, lambda: 2**32 // rng.randrange(1, ports + 1) - rng.randrange(2)]
    draws += [lambda: rng.getrandbits(32)] * 4
    for _ in range(count):
        want, fits, switch = rng.randrange(ports), rng.choice(masks)(), rng.choice(masks)()
        if rng.random() < 0.6:
            fits &= ~(1 << want)
        yield want, fits, switch, rng.choice(draws)() & 0xFFFF_FFFF


BINS = ["kept", "detoured", "dropped", "one port open", "all others open", "only hosts open", "lowest draw",
        "highest draw"]


def bins(ports):
    """What must be seen of a cell with so many ports."""
    return BINS + [("detour to", p) for p in range(ports)] + [("wanted", p) for p in range(ports)]


def note(cover, ports, want, fits, switch, draw, answer):
    """Counts one decision."""
    drop, detour, port = answer
    open_ = len(bits(fits & switch))
    cover.hit("dropped" if drop else "detoured" if detour else "kept", ("wanted", want))
    if detour:
        cover.hit(("detour to", port))
    for name, holds in [("one port open", detour and open_ == 1), ("all others open", detour and open_ == ports - 1),
                        ("only hosts open", drop and fits), ("lowest draw", detour and draw == 0),
                        ("highest draw", detour and draw == 2**32 - 1)]:
        if holds:
            cover.hit(name)


def expected(want, fits, elsewhere):
    """(drop, detour, port) of a cell that picks `elsewhere`, or None, when the wanted port is full."""
    if fits >> want & 1:
        return 0, 0, want
    return (1, 0, None) if elsewhere is None else (0, 1, elsewhere)


def agrees(answer, wanted):
    """A drop has no port."""
    return answer[:2] == wanted[:2] and (wanted[2] is None or answer[2] == wanted[2])


def width(ports):
    """Bits of a port number."""
    return max(1, (ports - 1).bit_length())
