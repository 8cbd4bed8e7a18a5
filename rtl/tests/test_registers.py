# SPDX-License-Identifier: MIT OR Apache-2.0
"""The registers as registers/sidestep_switch.rdl describes them, held against the switch that has them.

The description is compiled for the build under test and walked: what each register holds after reset, which bits can be
written and read, what is refused, and that nothing else is there. The same on switch_top and, where many builds are
cheap, on switch_registers alone, whose ports also show what cannot be read back and where each counter stands.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from bench.models import place
from bench.mutants import mutated
from bench.registers import EVERY, regmap, registers
from bench.simulators import BOTH, BUILD, EACH, RTL, SRC, simulate
from bench.switch import BUFFER, KEY_HIGH, KEY_LOW, KEY_PORTS, TABLE_WRITE, Switch

PARAMETERS = json.loads(os.environ.get("PARAMETERS", "{}"))
ONES, SPACE = 0xFFFF_FFFF, 0x1000
if "DESCRIPTION" in os.environ:
    # One with something wrong in it.
    regmap.RDL = Path(os.environ["DESCRIPTION"])
    regmap.compiled.cache_clear()
    regmap.elaborated.cache_clear()


class Cell:
    """switch_registers alone, its bus named as that of the whole switch."""

    read, write = Switch.read, Switch.write

    class Bus:
        def __init__(self, dut):
            self.dut = dut
            self.s_axil_wstrb_i = SimpleNamespace()   # not looked at: the cell has none

        def __getattr__(self, name):
            return getattr(self.dut, name.removeprefix("s_axil_"))

    def __init__(self, dut):
        self.dut = Cell.Bus(dut)

    async def start(self):
        d = self.dut.dut
        d.rst_ni.value = 0
        for name in ("awaddr_i", "awvalid_i", "wdata_i", "wvalid_i", "bready_i", "araddr_i", "arvalid_i", "rready_i", *COUNTED.values(),
                     "frames_i", "bytes_in_i", "bytes_out_i"):
            getattr(d, name).value = 0
        cocotb.start_soon(Clock(d.clk_i, 8, "ns").start())
        for _ in range(4):
            await FallingEdge(d.clk_i)
        d.rst_ni.value = 1
        await FallingEdge(d.clk_i)


# What each counter counts, at the ports of the cell; the other three are numbers.
COUNTED = {name: f"{name.lower()}_i" for name in ("IN", "OUT", "BAD", "MALFORMED", "TTL", "NO_ENTRY", "FULL", "DETOUR_FROM", "DETOUR_TO",
                                                    "MARK", "EVICTED")}


async def started(dut):
    b = Cell(dut) if dut._name == "switch_registers" else Switch(dut, None)
    await b.start()
    return b, registers(**PARAMETERS)


def at_reset(register):
    """What is read after reset."""
    return register.reset & register.bits("r") if register.bits("r") else 0


def stored(register, word, before):
    """What is read of a register after this word is written to it, if `before` was read before."""
    if register.access != "rw":
        return before
    if register.choice and not any(word & register.choice == register.chooses(n) for n in range(32) if register.choices >> n & 1):
        return before
    kept = word & register.bits("w")
    for field in register.fields:
        # The field reaches from bit 0 to some bit, and the number is the whole word.
        if field.saturates and word >> field.width:
            assert field.low == 0 and len(register.fields) == 1
            kept = field.mask
    return kept


def words(register):
    """To be written: each bit alone and each but one; with every choice where there is one."""
    bits = [0, ONES, *(1 << n for n in range(32)), *(ONES ^ 1 << n for n in range(32)), 0x5A5A_A5A5]
    chosen = [register.chooses(n) for n in range(1 << register.choice.bit_count())]
    return [word & ~register.choice | choice for choice in chosen for word in bits]


def by_address(map_):
    return {address: register for register in map_.values() for address in register.addresses()}


@cocotb.test()
async def each_address_reads_what_is_there_after_reset(dut):
    b, map_ = await started(dut)
    known = by_address(map_)
    for address in range(0, SPACE, 4):
        expected = at_reset(known[address]) if address in known else 0
        assert await b.read(address) == expected, f"{known[address].name if address in known else 'nothing'} at {address:#x}"
    for register in map_.values():
        # The two lowest bits of an address count for nothing.
        assert await b.read(register.address + 3) == at_reset(register), register.name


@cocotb.test()
async def what_is_no_register_ignores_writes(dut):
    b, map_ = await started(dut)
    known = by_address(map_)
    for address in range(0, SPACE, 4):
        if address not in known or known[address].access == "r":
            await b.write(address, ONES)
    for address in range(0, SPACE, 4):
        expected = at_reset(known[address]) if address in known else 0
        assert await b.read(address) == expected, f"{address:#x} after writes where there is nothing to write"


@cocotb.test()
async def the_bits_that_can_be_written_are_read_back_and_choices_that_are_none_refused(dut):
    b, map_ = await started(dut)
    seen = {register.name: at_reset(register) for register in map_.values()}
    settings = [register for register in map_.values() if "w" in register.access]
    refused = 0
    for register in settings:
        for word in words(register):
            expected = stored(register, word, seen[register.name])
            refused += bool(register.choice) and expected == seen[register.name] != word & register.bits("w")
            await b.write(register.address, word)
            found = await b.read(register.address)
            assert found == expected, f"{register.name}: {word:#010x} written, {found:#010x} read, expected {expected:#010x}"
            seen[register.name] = found
        # And no other has moved.
        for other in settings:
            assert await b.read(other.address) == seen[other.name], f"{other.name} after writes to {register.name}"
    assert refused > 0, "every build refuses a policy"


@cocotb.test()
async def what_cannot_be_read_back_has_its_effect(dut):
    """switch_registers alone: SEED, the key and the place of an entry, at its ports."""
    b, map_ = await started(dut)
    at, ports = map_["TABLE_WRITE"].fields[0].mask, map_["KEY_PORTS"].fields[0].mask
    shown = {
        "SEED": [(dut.seed_o, 0, ONES)],
        "KEY_LOW": [(dut.table_addr_o, 0, ONES)],
        "KEY_HIGH": [(dut.table_addr_o, 32, 0xFFFF), (dut.table_ip_o, 0, 1 << 16), (dut.table_used_o, 0, 1 << 31)],
        "KEY_PORTS": [(dut.table_group_o, 0, ports)],
        "TABLE_WRITE": [(dut.table_at_o, 0, at)],
    }
    assert shown.keys() == {register.name for register in map_.values() if register.access == "w"}
    strobes = {"seed_we_o": "SEED", "table_we_o": "TABLE_WRITE", "route_we_o": "ROUTE"}
    seen = []

    async def watch():
        while True:
            await FallingEdge(dut.clk_i)
            seen.extend(name for strobe, name in strobes.items() if int(getattr(dut, strobe).value))

    for name in shown:
        if map_[name].reset is not None:
            assert all(int(output.value) == 0 for output, _, _ in shown[name]), f"{name} after reset"
    cocotb.start_soon(watch())
    for register in map_.values():
        if "w" in register.access and register.name not in shown:
            await b.write(register.address, 0)
    for name, outputs in shown.items():
        assert map_[name].bits("w") == sum(mask for _, _, mask in outputs), name
        for word in words(map_[name]):
            await b.write(map_[name].address, word)
            for output, shift, mask in outputs:
                low = (mask & -mask).bit_length() - 1
                assert int(output.value) >> shift & mask >> low == (word & mask) >> low, f"{name}: {word:#x}"
    every = len(words(map_["SEED"]))
    expected = {"SEED": every, "TABLE_WRITE": every, "ROUTE": int("ROUTE" in map_)}
    assert {name: seen.count(name) for name in strobes.values()} == expected


@cocotb.test()
async def each_counter_stands_where_it_is_said(dut):
    """switch_registers alone: every event of every port as often as no other."""
    b, map_ = await started(dut)
    counters = {name.split(".")[1]: register for name, register in map_.items() if register.ports}
    ports, len_w = PARAMETERS.get("NumPorts", 4), PARAMETERS.get("LenW", 11)
    words_w = PARAMETERS.get("QueueW", 11) + 1
    times = {(name, p): 1 + p + ports * c for c, name in enumerate(COUNTED) for p in range(ports)}
    numbers = {"QUEUED": (dut.frames_i, words_w, 300), "BYTES_IN": (dut.bytes_in_i, len_w, 400), "BYTES_OUT": (dut.bytes_out_i, len_w, 500)}
    assert counters.keys() <= COUNTED.keys() | numbers.keys()
    for name, (signal, width, first) in numbers.items():
        signal.value = sum(first + p << width * p for p in range(ports))
        if name != "QUEUED":
            await FallingEdge(dut.clk_i)
            signal.value = 0
    for n in range(max(times.values())):
        for name, signal in COUNTED.items():
            getattr(dut, signal).value = sum(1 << p for p in range(ports) if n < times[name, p])
        await FallingEdge(dut.clk_i)
    for signal in COUNTED.values():
        getattr(dut, signal).value = 0
    for _ in range(3):
        await FallingEdge(dut.clk_i)
    for name, register in counters.items():
        expected = [times[name, p] if name in COUNTED else numbers[name][2] + p for p in range(ports)]
        assert [await b.read(address) for address in register.addresses()] == expected, name


WALK = ["each_address_reads_what_is_there_after_reset", "what_is_no_register_ignores_writes",
        "the_bits_that_can_be_written_are_read_back_and_choices_that_are_none_refused"]
ALONE = [*WALK, "what_cannot_be_read_back_has_its_effect", "each_counter_stands_where_it_is_said"]

# By the parameters of switch_top. EARLY and RANK are in no build together.
BUILDS = {
    "default": {},
    "every-buffer": dict(Dibs=3, NumPorts=6, PortW=3, LinkW=8),
    "ranked": dict(Ranked=1, Dibs=0, LinkW=16, QueueW=14, MaxFrame=1521),
    "bare": dict(Dibs=0, Spray=0, Bytes=0, Shared=1, NumPorts=2, PortW=1, QueueW=8, IndexW=4),
    "first-open": dict(Dibs=2, NumPorts=16, PortW=4, LinkW=128, PathW=512),
}
QUICK = ["every-buffer", "ranked"]


def of_the_cell(build):
    """The same build by the parameters of switch_registers."""
    own = re.findall(r"^  parameter (\w+)", (SRC / "switch_registers.sv").read_text(), re.M)
    parameters = {name: value for name, value in build.items() if name in own}
    return {**parameters, "WordsW": build.get("QueueW", 11) + 1}


@pytest.mark.parametrize("build", [build if build in QUICK else pytest.param(build, marks=pytest.mark.slow) for build in BUILDS])
@pytest.mark.parametrize("sim", EACH)
def test_registers_alone(sim, build):
    alone(sim, BUILDS[build])


def alone(sim, build, folder=SRC, tests=ALONE, **more):
    simulate(sim, "switch_registers", "test_registers", of_the_cell(build), sources=[folder / "switch_registers.sv"],
             env={"PARAMETERS": json.dumps(build), **more.pop("env", {})}, tests=tests, **more)


RESET, NOTHING, WRITTEN, HIDDEN, PLACES = ALONE

# What is wrong, where, what it is instead of what, the build and the test that must see it.
MUTANTS = [
    ("a reset", "sv", "alpha_o        <= 3'd4;", "alpha_o        <= 3'd5;", "ranked", RESET),
    ("a bit of BUFFER that is not kept", "sv", "32'h0000_3f37", "32'h0000_3f27", "every-buffer", WRITTEN),
    ("a bit of RANK too many", "sv", "32'h0000_0133", "32'h0000_0173", "ranked", WRITTEN),
    ("EARLY is written elsewhere", "sv", "at_q[16] &&", "at_q[1] &&", "every-buffer", WRITTEN),
    ("RANK is read elsewhere", "sv", "10'h011: high", "10'h012: high", "ranked", RESET),
    ("a route that there is none of", "sv", "wdata_q[7] && wdata_q[1:0] != 2'd0", "wdata_q[7] && wdata_q[1:0] == 2'd3", "every-buffer", WRITTEN),
    ("a policy that there is none of", "sv", "wdata_q[2:0] <= 3'd5", "wdata_q[2:0] <= 3'd6", "every-buffer", WRITTEN),
    ("tags that there are none of", "sv", " && wdata_q[1:0] != 2'd3)", ")", "ranked", WRITTEN),
    ("limits wrap around", "sv", "|number[31:WordsW]", "1'b0", "every-buffer", WRITTEN),
    ("two counters change places", "sv", "detour_to_i, detour_from_i,", "detour_from_i, detour_to_i,", "ranked", PLACES),
    ("evictions at 12", "sv", "Counters + 3 &&", "Counters + 2 &&", "ranked", PLACES),
    ("an entry counts by another bit", "sv", "{wdata_q[31], wdata_q[16:0]}", "{wdata_q[30], wdata_q[16:0]}", "every-buffer", HIDDEN),
    ("BUFFER begins the draws", "sv", "seed_we_o  <= rst_ni && at_q[10]", "seed_we_o  <= rst_ni && at_q[11]",
     "every-buffer", HIDDEN),
    ("a key that can be read", "sv", "default: high = 32'h0;", "10'h00c: high = key_low_q;\n      default: high = 32'h0;", "every-buffer", WRITTEN),
    ("registers stand twice", "sv", "case (raddr_q)", "case (raddr_q & 10'h1ff)", "every-buffer", RESET),
    ("what is read takes writes", "sv", "if (at_q[7]) alpha_o <= wdata_q[2:0];", "if (at_q[7]) alpha_o <= wdata_q[2:0];\n      if (at_q[1]) alpha_o <= 3'd0;", "ranked",
     NOTHING),
    ("another reset is described", "rdl", "VALUE[2:0] = 4;", "VALUE[2:0] = 5;", "ranked", RESET),
    ("a field is described elsewhere", "rdl", "BOOST[5:4]", "BOOST[6:5]", "ranked", RESET),
    ("a bit that nobody sees is described elsewhere", "rdl", "USED[31:31]", "USED[30:30]", "every-buffer", HIDDEN),
    ("a register is described elsewhere", "rdl", "EARLY @ 0x040", "EARLY @ 0x048", "every-buffer", WRITTEN),
    ("a counter is described elsewhere", "rdl", "EVICTED[NumPorts] @ 0x340", "EVICTED[NumPorts] @ 0x380", "ranked", PLACES),
    ("a choice is described that is refused", "rdl", "? 0x3F :", "? 0x7F :", "every-buffer", WRITTEN),
    ("a choice that is taken is described as refused", "rdl", "? 0x41 :", "? 0x40 :", "ranked", WRITTEN),
    ("SEED is described as to be read", "rdl", "field {sw = w; desc = \"writing begins", "field {desc = \"writing begins", "every-buffer", HIDDEN),
    ("a register of all builds is described", "rdl", "ispresent = Ranked != 0;\n    choice ", "choice ", "every-buffer", RESET),
]
QUICK_MUTANTS = ["a bit of BUFFER that is not kept", "another reset is described"]


def test_each_wrong_thing_changes_one_place():
    """So that none is made of words that are there no longer: most run in the long run alone."""
    texts = {"sv": (SRC / "switch_registers.sv").read_text(), "rdl": regmap.RDL.read_text()}
    assert not [name for name, kind, before, *_ in MUTANTS if texts[kind].count(before) != 1]


@pytest.mark.parametrize("name, kind, before, after, build, test",
                         [pytest.param(*m, id=m[0], marks=[] if m[0] in QUICK_MUTANTS else [pytest.mark.slow]) for m in MUTANTS])
def test_what_is_wrong_is_seen(name, kind, before, after, build, test):
    if kind == "sv":
        folder, env = mutated(f"registers {name}", "switch_registers", before, after), {}
    else:
        folder, env = SRC, {"DESCRIPTION": BUILD / "mutants" / f"{name.replace(' ', '-')}.rdl"}
        env["DESCRIPTION"].parent.mkdir(parents=True, exist_ok=True)
        env["DESCRIPTION"].write_text(regmap.RDL.read_text().replace(before, after))
    results = lambda: list((BUILD / "icarus").glob(f"switch_registers-*-{name.replace(' ', '-')}/*.xml"))
    for old in results():
        old.unlink()
    with pytest.raises(SystemExit):
        alone("icarus", BUILDS[build], folder, [test], env=env, label=name.replace(" ", "-"))
    # It was the test that failed, not the build or the description.
    [result] = results()
    assert "AssertionError" in result.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("build", ["every-buffer", "ranked", "bare"])
@pytest.mark.parametrize("sim", BOTH)
def test_registers_of_the_switch(sim, build):
    simulate(sim, "switch_top", "test_registers", BUILDS[build], env={"PARAMETERS": json.dumps(BUILDS[build])}, tests=WALK)


def test_the_description_has_the_parameters_of_the_switch():
    own = {name: int(value) for name, value in re.findall(r"^  parameter (\w+) *= (\d+)", (SRC / "switch_top.sv").read_text(), re.M)}
    assert regmap.defaults().items() <= own.items()
    assert own.keys() == regmap.defaults().keys() | regmap.OTHERS


def test_the_header_and_the_tables_are_those_of_the_description():
    done = subprocess.run([sys.executable, RTL / "registers" / "make.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


STRICT = ["-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror", f"-I{RTL / 'registers'}"]
LANGUAGES = [("c", "c99"), ("c", "c11"), ("c++", "c++98"), ("c++", "c++17")]


@pytest.fixture(scope="module")
def example():
    [text] = re.findall(r"<!-- run by: rtl/tests/test_registers.py -->\n```c\n(.*?)```", (RTL / "switch.md").read_text(), re.S)
    return text


def compiled(language, standard, text, output, *more):
    """Compiles and links it."""
    done = subprocess.run(["c++" if language == "c++" else "cc", f"-std={standard}", *STRICT, "-x", language, "-", "-o", output, *more],
                          input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("language, standard", LANGUAGES)
def test_the_header_is_read_without_warnings_and_has_every_number(language, standard, tmp_path):
    """Every macro is used once, and says what the description does."""
    checks = []
    for register in registers(**EVERY).values():
        name = f"SIDESTEP_SWITCH_{register.name.replace('.', '_')}"
        if register.ports:
            checks += [(f"{name}_ADDR({p})", address) for p, address in enumerate(register.addresses())]
            continue
        checks.append((f"{name}_ADDR", register.address))
        for f in register.fields:
            top = f.mask >> f.low
            checks += [(f"{name}_{f.name}_MASK", f.mask), (f"{name}_{f.name}({top}u)", f.mask), (f"{name}_{f.name}_GET(0xFFFFFFFFu)", top),
                       (f"{name}_{f.name}_GET(1u << {name}_{f.name}_SHIFT)", 1), (f"{name}_{f.name}({0xFFFF_FFFF}u)", f.mask)]
            checks += [(f"{name}_{f.name}_{c.upper()}", number) for c, _, _, number in f.values]
    text = '#include "sidestep_switch.h"\nint main(void)\n{\n' + "".join(
        f"  if ({said} != {number}u) return {n % 255 + 1};\n" for n, (said, number) in enumerate(checks)) + "  return 0;\n}\n"
    compiled(language, standard, text, tmp_path / "all")
    assert len(checks) > 300 and subprocess.run([tmp_path / "all"]).returncode == 0
    # Where a macro gives a reset, every build has that one.
    for name, number in re.findall(r"#define SIDESTEP_SWITCH_(\w+)_RESET (0x\w+)u", (RTL / "registers" / "sidestep_switch.h").read_text()):
        for build in BUILDS.values():
            map_ = registers(**build)
            assert name not in map_ or map_[name].reset == int(number, 16), name


@pytest.mark.parametrize("language, standard", [("c", "c99"), ("c++", "c++17")])
def test_the_example_in_c_fills_the_table_and_sets_the_policy(language, standard, example, tmp_path):
    main = """
int main(int argc, char **argv)
{
    static uint32_t regs[1024];
    int refused = detour(regs);
    regs[0] = 0x53494445u;
    if (!refused || detour(regs) || argc != 4) return 1;
    learn(regs, (uint32_t)strtoul(argv[1], 0, 0), (unsigned)strtoul(argv[2], 0, 0), (uint32_t)strtoul(argv[3], 0, 0));
    for (int n = 0; n < 1024; n++) if (regs[n]) printf("%d %u\\n", 4 * n, (unsigned)regs[n]);
    return 0;
}
"""
    compiled(language, standard, "#include <stdio.h>\n#include <stdlib.h>\n" + example + main, tmp_path / "example")
    for ip in (0x0A00_0001, 0x0A4D_0005, 0xC0A8_FE81):
        for bank in (0, 1):
            told = subprocess.run([tmp_path / "example", str(ip), str(bank), "4"], capture_output=True, text=True, check=True).stdout
            found = {int(address): int(word) for address, word in map(str.split, told.splitlines())}
            at = place(bank, True, ip, 8)
            assert found == {0: 0x5349_4445, BUFFER: 0x13, KEY_LOW: ip, KEY_HIGH: 0x8001_0000, KEY_PORTS: 4, TABLE_WRITE: bank << 8 | at}, told
