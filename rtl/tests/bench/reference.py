# SPDX-License-Identifier: MIT OR Apache-2.0
"""The Rust decisions, loaded into the test: rtl/reference by its C ABI."""

import ctypes as c
import os
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
VARIABLE = "SIDESTEP_RTL_REFERENCE"

ENQUEUE, DETOUR, DROP = 0, 1, 2
PUSH, POP, EVICT, SEE, NONE = 0, 1, 2, 3, 2**32 - 1
DATA, ACK, SYN = 0, 1, 2


class Vector(c.Structure):
    """A row of `sidestep vectors`; rtl/reference/src/vectors.rs says what its fields are."""

    _fields_ = [("salt", c.c_uint64)] + [(name, c.c_uint32) for name in (
        "ports", "want", "fits", "to_switch", "candidates", "ingress")] + [
        ("packets", c.c_uint32 * 8), ("bytes", c.c_uint32 * 8)] + [(name, c.c_uint32) for name in (
            "rank", "hash", "detours", "draw_1", "draw_2", "draws_taken", "max_detours", "ingress_allowed", "mark_at",
            "mark_in_bytes", "start", "full", "line_in_bytes", "favour", "verdict", "port", "mark", "spent")]


class View(c.Structure):
    """What a cycle of a rank queue gave, and how it stands."""

    _fields_ = [(name, c.c_uint32) for name in ("out", "waiting", "worst")]


class Load(c.Structure):
    """A queue as Vertigo's deflection sees it."""

    _fields_ = [("depth", c.c_uint32), ("fits", c.c_uint32), ("tail", c.c_uint32)]


class Deflection(c.Structure):
    """What the buffer policy `vertigo` does with an arrival and its victim."""

    _fields_ = [(name, c.c_uint32) for name in ("enqueue", "evict", "moved", "target", "squeeze", "lost")]


class SpraySettings(c.Structure):
    """What a route that sprays is set to."""

    _fields_ = [(name, c.c_uint32) for name in ("queued", "ties", "limit", "first", "burst", "rounds")]


class Hop(c.Structure):
    """A packet and the port that it takes; rtl/reference/src/spray.rs says what its fields are."""

    _fields_ = [(name, c.c_uint32) for name in (
        "step", "ports", "hops", "set", "prefix", "dst", "hash", "bare", "bytes")] + [
        ("depth", c.c_uint32 * 8), ("settings", SpraySettings)] + [(name, c.c_uint32) for name in (
            "ecmp", "place", "begin", "draw", "draw_2", "port")]


class ClassSettings(c.Structure):
    """What a scheduler of classes is set to."""

    _fields_ = [("silence", c.c_uint64), ("classes", c.c_uint32), ("quantum", c.c_uint32), ("weights", c.c_uint32 * 8),
                ("exact", c.c_uint32), ("places", c.c_uint32)]


class ClassStep(c.Structure):
    """An operation on the classes of a port; rtl/reference/src/classes.rs says what its fields are."""

    _fields_ = [("now", c.c_uint64), ("key", c.c_uint64), ("settings", ClassSettings)] + [(name, c.c_uint32) for name in (
        "step", "operation", "kind", "service", "wire", "ends", "klass", "answer")] + [
        (name, c.c_uint32 * 8) for name in ("packets", "bytes", "flows")]


class LimitSettings(c.Structure):
    """What the buffer policy `mulbuff` is set to."""

    _fields_ = [(name, c.c_uint32) for name in (
        "grows", "sized", "per_flow", "cap", "product", "long", "marks", "mark_sized", "mark_at")]


class Limited(c.Structure):
    """A packet, the queue of its class and what becomes of it; rtl/reference/src/limits.rs says what its fields are."""

    _fields_ = [("settings", LimitSettings)] + [(name, c.c_uint32) for name in (
        "service", "data", "room", "bytes", "flows", "packets", "depth", "join", "mark")]


@cache
def built():
    """The shared library, built by cargo. For the test's own process, not the simulator's."""
    subprocess.run(["cargo", "build", "--release", "--quiet", "--locked", "-p", "sidestep-rtl-reference"],
                   cwd=ROOT, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / "release" / "libsidestep_rtl_reference.so"


def env():
    """What the simulator's process must know to load it."""
    return {VARIABLE: built()}


@cache
def library():
    """The library, with the types of its functions."""
    lib = c.CDLL(os.environ[VARIABLE])
    u16, u32, u64, pointer = c.c_uint16, c.c_uint32, c.c_uint64, c.c_void_p
    for name, result, arguments in [
        ("pick_dibs", c.c_int32, [u16, u64, u64, u32]),
        ("pick_first_open", c.c_int32, [u64, u16, u32]),
        ("pick_load_aware", c.c_int32, [u64, pointer, u16, u32]),
        ("pick_flow", c.c_int32, [u64, u64, u64, u32]),
        ("lfsr_next", u64, [u64, u64, u32]),
        ("vectors_open", pointer, [c.c_char_p, u64]),
        ("vectors_next", None, [pointer, pointer]),
        ("vectors_close", None, [pointer]),
        ("queue_open", pointer, [u32]),
        ("queue_step", None, [pointer, u32, u32, u32, u32, pointer]),
        ("queue_close", None, [pointer]),
        ("spray_open", pointer, [c.c_char_p, c.c_char_p, u64, u64]),
        ("spray_step", None, [pointer, pointer]),
        ("spray_close", None, [pointer]),
        ("classed_open", pointer, [c.c_char_p, c.c_char_p]),
        ("classed_step", None, [pointer, pointer]),
        ("classed_close", None, [pointer]),
        ("limits_open", pointer, [c.c_char_p]),
        ("limits_ask", None, [pointer, pointer]),
        ("limits_close", None, [pointer]),
        ("deflect", None, [u32, u16, pointer, u16, u64, u64, pointer, pointer]),
    ]:
        function = getattr(lib, "sidestep_" + name)
        function.restype, function.argtypes = result, arguments
    return lib


def dibs(want, fits, to_switch, draw):
    """The port, or None for a drop."""
    port = library().sidestep_pick_dibs(want, fits, to_switch, draw)
    return None if port < 0 else port


def first_open(open_, ports, draw):
    """The same, of a packet that does not fit."""
    port = library().sidestep_pick_first_open(open_, ports, draw)
    return None if port < 0 else port


def load_aware(open_, bytes_, draw):
    """The same; `bytes_` is a list with every port's."""
    port = library().sidestep_pick_load_aware(open_, (c.c_uint32 * len(bytes_))(*bytes_), len(bytes_), draw)
    return None if port < 0 else port


def flow(to_switch, open_, salt, hash_):
    """The same, for a flow."""
    port = library().sidestep_pick_flow(to_switch, open_, salt, hash_)
    return None if port < 0 else port


def flow_order(to_switch, salt, hash_):
    """All ports to switches, in the order that a flow tries them."""
    order, left = [], to_switch
    while left:
        order.append(flow(to_switch, left, salt, hash_))
        left &= ~(1 << order[-1])
    return order


def vectors(name, count, seed=1):
    """Rows of `sidestep vectors`."""
    rows, row = library().sidestep_vectors_open(name.encode(), seed), Vector()
    for _ in range(count):
        library().sidestep_vectors_next(rows, c.byref(row))
        yield row
    library().sidestep_vectors_close(rows)


class RankQueue:
    """The scheduler `srpt` in so many places."""

    def __init__(self, places):
        self.queue = library().sidestep_queue_open(places)

    def step(self, leaves=NONE, push=None):
        """One cycle: POP or EVICT one; push (rank, data). What came out, how many wait, the worst rank."""
        view, (rank, data) = View(), push or (0, 0)
        library().sidestep_queue_step(self.queue, leaves, push is not None, rank, data, c.byref(view))
        return None if view.out == NONE else view.out, view.waiting, view.worst


def deflect(rank, want, loads, switch, seed):
    """The buffer policy `vertigo`, and the two draws that it has; loads are (depth, fits, tail rank)."""
    answer, draws = Deflection(), (c.c_uint32 * 2)()
    library().sidestep_deflect(rank, want, (Load * len(loads))(*(Load(*load) for load in loads)), len(loads),
                               switch, seed, c.byref(answer), draws)
    return {name: getattr(answer, name) for name, _ in Deflection._fields_}, tuple(draws)


class Spray:
    """A route that sprays, with the settings of a row of its vectors, on a switch of 8 ports."""

    def __init__(self, name, words, salt=0, seed=1):
        self.route = library().sidestep_spray_open(name.encode(), words.encode(), salt, seed)
        assert self.route, f"{name} refuses {words}"

    def step(self, depth=(), **packet):
        """A packet, of which only what is named differs from 0, and the port that it takes."""
        hop = Hop(depth=(c.c_uint32 * 8)(*depth), **packet)
        library().sidestep_spray_step(self.route, c.byref(hop))
        return hop


class Classed:
    """The scheduler `ps` or `wps`, with the settings of a row of its vectors."""

    def __init__(self, name, words="defaults"):
        self.classed = library().sidestep_classed_open(name.encode(), words.encode())
        assert self.classed, f"{name} refuses {words}"

    def step(self, operation, **packet):
        """One operation; of the packet only what is named differs from 0. How the classes are then."""
        step = ClassStep(operation=operation, **packet)
        library().sidestep_classed_step(self.classed, c.byref(step))
        return step


class Limits:
    """The buffer policy `mulbuff`, with the settings of a row of its vectors."""

    def __init__(self, words="defaults"):
        self.limits = library().sidestep_limits_open(words.encode())
        assert self.limits, f"mulbuff refuses {words}"

    def ask(self, **packet):
        """A packet and the queue of its class, of which only what is named differs from 0, and what becomes of it."""
        asked = Limited(**packet)
        library().sidestep_limits_ask(self.limits, c.byref(asked))
        return asked
