# SPDX-License-Identifier: MIT OR Apache-2.0
"""Has the block RAMs of an ECP5 netlist use their own output registers, where the design has registers right behind them.

A block RAM of an ECP5 answers after 5.6 ns (speed grade 6), and from its output register after a good nanosecond. Yosys maps a memory
without that register, and so `ram_fifo`'s and `forward_table`'s stand beside it as flip-flops. Where every output of a block RAM
goes to flip-flops alone, all on its clock and under one enable, without a reset, these are that register: they go, and the block RAM drives what they drove,
with their enable. The netlist does the same as before in every cycle; tests/test_gates.py simulates it.
"""


def _readers(cells):
    """Who reads each net: (cell, pin) by net."""
    readers = {}
    for name, cell in cells.items():
        for pin, nets in cell["connections"].items():
            if cell["port_directions"][pin] == "input":
                for net in nets:
                    readers.setdefault(net, []).append((name, pin))
    return readers


def _register_behind(cells, readers, ports, ram):
    """The flip-flops behind this block RAM by output pin, and their enable; None where they are not its output register."""
    found, enables = {}, set()
    for pin, nets in ram["connections"].items():
        if not pin.startswith("DO"):
            continue
        behind = [at for net in nets for at in readers.get(net, [])]
        if not behind:
            continue
        if len(behind) != 1 or nets[0] in ports or not _is_plain(cells[behind[0][0]], behind[0][1], ram):
            return None
        name = behind[0][0]
        found[pin] = name
        enables.add(_enable(cells[name]))
    return (found, enables.pop()) if found and len(enables) == 1 else None


def _is_plain(cell, pin, ram):
    """Is it a flip-flop that takes the block RAM's output as it is, at the rising edge of its clock, and begins with 0?"""
    if cell["type"] != "TRELLIS_FF" or pin not in ("DI", "M"):
        return False
    of, to = cell["parameters"], cell["connections"]
    return (to["CLK"] == ram["connections"]["CLKB"] and of.get("CLKMUX", "CLK") == "CLK"
            and of.get("REGSET", "RESET") == "RESET" and of.get("LSRMUX", "LSR") == "LSR" and to.get("LSR", ["0"]) == ["0"]
            and _cemux(cell) in ("1", "CE"))


def _cemux(cell):
    """Yosys puts a space behind a string that could be taken for a number."""
    return cell["parameters"].get("CEMUX", "CE").strip()


def _enable(cell):
    return "1" if _cemux(cell) == "1" else cell["connections"].get("CE", ["1"])[0]


def fold(netlist, top):
    """Does so with every block RAM of module `top` where it can; says how many block RAMs and flip-flops that were."""
    module = netlist["modules"][top]
    cells = module["cells"]
    readers = _readers(cells)
    ports = {net for port in module["ports"].values() for net in port["bits"]}
    rams = [cell for cell in cells.values() if cell["type"] == "DP16KD" and cell["parameters"].get("REGMODE_B", "NOREG") == "NOREG"]
    gone, folded = 0, 0
    for ram in rams:
        behind = _register_behind(cells, readers, ports, ram)
        if not behind:
            continue
        registers, enable = behind
        for pin, name in registers.items():
            ram["connections"][pin] = cells.pop(name)["connections"]["Q"]
        # A word of 36 bits is read by the pins of both ports, and so has the registers of both.
        for port in "AB" if int(ram["parameters"]["DATA_WIDTH_A"], 2) == 36 else "B":
            ram["parameters"][f"REGMODE_{port}"] = "OUTREG"
            ram["connections"][f"OCE{port}"] = [enable]
        gone, folded = gone + len(registers), folded + 1
    return folded, gone
