# SPDX-License-Identifier: MIT OR Apache-2.0
"""sidestep_switch.rdl as plain values: the registers that a build of the switch has.

    registers(Dibs=3)["BUFFER"].reset

The parameters are those of switch_top; what is not given has its default.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from systemrdl import RDLCompiler
from systemrdl.node import FieldNode, RegNode

RDL = Path(__file__).with_name("sidestep_switch.rdl")

# All that any build has, with the widest fields: no switch can be built so, as `Dibs` 3 and `Ranked` 1 exclude each other.
EVERY = dict(NumPorts=16, QueueW=30, IndexW=8, Dibs=3, Spray=1, Bytes=1, Ranked=1)

# Parameters of switch_top that no register depends on: they may be given, and say nothing.
OTHERS = {"PortW", "InputW", "SlotsW", "LenW", "MinFrame", "MaxFrame", "DrawW"}


@dataclass(frozen=True)
class Field:
    name: str
    low: int
    high: int
    access: str      # "rw", "r" or "w"
    reset: int       # None: has none
    values: tuple    # of an enumeration: (name in C, name in prose, description or None, number)
    desc: str
    saturates: bool

    @property
    def width(self):
        return self.high - self.low + 1

    @property
    def mask(self):
        return ((1 << self.width) - 1) << self.low


@dataclass(frozen=True)
class Register:
    name: str        # of a counter with its regfile: COUNTER.IN
    address: int     # of port 0
    ports: int       # None: there is one, not one for each port
    stride: int      # bytes from port to port
    fields: tuple
    desc: str
    choice: int      # bits that choose, 0: none do
    choices: int     # bit n: choosing n is taken

    def bits(self, access):
        """Bits that can be read ("r") or written ("w")."""
        return sum(f.mask for f in self.fields if access in f.access)

    @property
    def access(self):
        return "".join(way for way in "rw" if self.bits(way))

    @property
    def reset(self):
        """What it holds after reset; None where that is undefined."""
        if any(f.reset is None for f in self.fields):
            return None
        return sum(f.reset << f.low for f in self.fields)

    def addresses(self):
        return [self.address + self.stride * p for p in range(self.ports or 1)]

    def chooses(self, number):
        """The word whose bits that choose are this number, and whose others are 0."""
        word = 0
        for bit in (b for b in range(32) if self.choice >> b & 1):
            word |= (number & 1) << bit
            number >>= 1
        return word


@cache
def compiled():
    compiler = RDLCompiler()
    compiler.compile_file(str(RDL))
    return compiler


def field(node):
    encode = node.get_property("encode")
    values = tuple((v.name, v.rdl_name or v.name, v.rdl_desc, v.value) for v in encode) if encode else ()
    access = ("r" if node.is_sw_readable else "") + ("w" if node.is_sw_writable else "")
    return Field(node.inst_name, node.low, node.high, access, node.get_property("reset"), values, node.get_property("desc") or "",
                 bool(node.get_property("saturates", default=False)))


def defaults():
    """The parameters and their defaults."""
    return {parameter.name: parameter.get_value() for parameter in compiled().elaborate().top.inst.parameters}


def registers(**parameters):
    """By name, in the order of addresses."""
    return dict(elaborated(**{name: value for name, value in parameters.items() if name not in OTHERS}))


@cache
def elaborated(**parameters):
    top = compiled().elaborate(parameters=parameters).top
    found = []
    for node in top.descendants(unroll=False):
        if isinstance(node, RegNode):
            first = next(node.unrolled())
            found.append(Register(
                ".".join(node.get_path_segments(array_suffix="", empty_array_suffix="")[1:]), first.absolute_address,
                node.array_dimensions[0] if node.is_array else None, node.array_stride if node.is_array else 4,
                tuple(field(child) for child in node.children() if isinstance(child, FieldNode)), node.get_property("desc") or "",
                node.get_property("choice", default=0), node.get_property("choices", default=0)))
    return {register.name: register for register in sorted(found, key=lambda r: r.address)}
