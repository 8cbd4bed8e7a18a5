# SPDX-License-Identifier: MIT OR Apache-2.0
"""Makes the C header and the tables of rtl/switch.md from sidestep_switch.rdl.

    python rtl/registers/make.py            says what is stale, and fails
    python rtl/registers/make.py --write    writes it

PeakRDL's exporters are not used. Its C header has no addresses and no enumerations, needs C11, and gives the resets of one build;
its Markdown repeats a register for each port. A table here is for all builds, and stands in switch.md beside the prose about it.
"""

import argparse
import re
import sys
import textwrap
from pathlib import Path

from regmap import EVERY, registers

RTL = Path(__file__).resolve().parents[1]
HEADER, PAGE = Path(__file__).with_name("sidestep_switch.h"), RTL / "switch.md"
PREFIX = "SIDESTEP_SWITCH"

# Registers whose fields have a table of their own in switch.md, and under which heading.
SECTIONS = {"ROUTE": "routes", "BUFFER": "buffers", "RANK": "vertigo"}

# Resets that are the same in all of these are the same in every build.
BUILDS = [dict(), dict(Dibs=0, NumPorts=8, LinkW=8), dict(Dibs=2, QueueW=8, Shared=1), dict(Dibs=3), dict(Dibs=0, Ranked=1, QueueW=14)]


def resets(name):
    """What a register holds after reset in the builds that have it."""
    return [build[name] for build in map(lambda p: registers(**p), BUILDS) if name in build]


def reset(name):
    """The reset that is every build's, or None."""
    numbers = {register.reset for register in resets(name)}
    return numbers.pop() if len(numbers) == 1 else None


def plain(text):
    """Without Markdown's marks and in ASCII, as in a comment of C."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = text.replace("−", "-").replace("2³²", "2^32")
    text = re.sub(r"[`*]", "", text)
    assert text.isascii() and "*/" not in text, text
    return text


def comment(text):
    lines = textwrap.wrap(plain(text), 110)
    return "\n".join(f"{'/*' if n == 0 else '  '} {line}" for n, line in enumerate(lines)) + " */"


def define(name, value):
    return f"#define {PREFIX}_{name} {value}"


def header():
    parts = [
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n"
        + comment("The registers of switch_top, for C99 and C++. Made by rtl/registers/make.py from sidestep_switch.rdl: do not edit. What they "
                  "mean together stands in rtl/switch.md.") + "\n"
        + comment("It serves every build: a register or field that a build lacks reads as 0 and ignores writes, and masks are as wide as the "
                  "widest build has them. X_ADDR is an address in bytes from where the registers begin; X_F(v) is the value v in field F of "
                  "register X, X_F_GET(w) the field in a word w. X_RESET is given where every build has the same."),
        f"#ifndef {PREFIX}_H\n#define {PREFIX}_H\n\n#include <stdint.h>",
    ]
    for register in registers(**EVERY).values():
        name = register.name.replace(".", "_")
        said = [comment(f"{name} ({register.access}): {register.desc}" if register.desc else f"{name} ({register.access})")]
        if register.ports:
            said += [define(f"{name}_ADDR(port)", f"({register.address:#05x}u + {register.stride}u * (uint32_t)(port))")]
        else:
            said += [define(f"{name}_ADDR", f"{register.address:#05x}u")]
        if reset(register.name) is not None and not register.ports:
            said += [define(f"{name}_RESET", f"{reset(register.name):#010x}u")]
        for field in register.fields if not register.ports else ():
            at = f"{name}_{field.name}"
            said += [comment(f"{field.name}: {field.desc}"), define(f"{at}_MASK", f"{field.mask:#010x}u"), define(f"{at}_SHIFT", f"{field.low}"),
                     define(f"{at}(v)", f"((uint32_t)(v) << {field.low} & {field.mask:#010x}u)"),
                     define(f"{at}_GET(w)", f"(((uint32_t)(w) & {field.mask:#010x}u) >> {field.low})")]
            if field.values:
                values = [f"  {PREFIX}_{at}_{c.upper()} = {number}" + ("," if n + 1 < len(field.values) else "")
                          + (f" /* {plain(desc)} */" if desc else "") for n, (c, _, desc, number) in enumerate(field.values)]
                said += [f"enum {PREFIX.lower()}_{at.lower()} {{", *values, "};"]
        parts.append("\n".join(said))
    return "\n\n".join([*parts, f"#endif /* {PREFIX}_H */"]) + "\n"


def bits(field):
    return f"{field.high}:{field.low}" if field.width > 1 else f"{field.low}"


def meaning(register):
    """Of a register, with its fields where there are several and no other table has them."""
    if register.name in SECTIONS:
        return f"{register.desc}: [below](#{SECTIONS[register.name]})"
    if len(register.fields) == 1:
        return register.desc or register.fields[0].desc
    # The highest first, as they are written.
    fields = "; ".join(f"{bits(field)}: {field.desc}" for field in reversed(register.fields))
    return f"{register.desc}; bit {fields}" if register.desc else f"bit {fields}"


def after_reset(register):
    number = reset(register.name)
    if all(one.reset is not None and one.reset == one.bits("w") for one in resets(register.name)) and number != 1:
        return "all ones"
    if register.reset is None:
        return ""
    return "the build's" if number is None else f"{number:#x}" if number > 9 else f"{number}"


def table(head, rows):
    line = lambda row: "|" + "|".join(f" {cell} " if cell else " " for cell in row) + "|"
    return "\n".join([line(head), "|" + "---|" * len(head), *map(line, rows)])


def settings_table():
    found = [register for register in registers(**EVERY).values() if not register.ports]
    return table(("address", "name", "access", "meaning", "after reset"),
                 [(f"0x{register.address:03X}", register.name, register.access, meaning(register), after_reset(register)) for register in found])


def counters_table():
    found = [register for register in registers(**EVERY).values() if register.ports]
    return table(("c", "name", "counts"), [(str((register.address - 0x400) // 0x40), register.name.split(".")[1], register.desc) for register in found])


def fields_table(name):
    register = registers(**EVERY)[name]
    rows = []
    for field in register.fields:
        values = "; ".join(f"{number}: `{said}`" + (f", {desc}" if desc and desc != said else "") for _, said, desc, number in field.values)
        rows.append((bits(field), field.name, field.desc, values))
    return table((f"bits of {name}", "field", "meaning", "values"), rows)


def page(text):
    """switch.md with its tables made anew, each between its two marks."""
    tables = {"registers": settings_table(), "counters": counters_table(), **{f"fields of {name}": fields_table(name) for name in SECTIONS}}
    for name, made in tables.items():
        begin, end = f"<!-- {name}: made by rtl/registers/make.py -->\n", "\n<!-- end of what is made -->"
        assert text.count(begin) == 1, f"{PAGE.name} has {begin!r} {text.count(begin)} times"
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(end)
        text = before + begin + made + end + after
    return text


def made():
    """Each file and what it shall hold."""
    return {HEADER: header(), PAGE: page(PAGE.read_text())}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write what is stale")
    write = parser.parse_args().write
    stale = [path for path, text in made().items() if not path.exists() or path.read_text() != text]
    for path in stale:
        if write:
            path.write_text(made()[path])
        print(f"{path.relative_to(RTL.parent)}: {'written' if write else 'stale: python rtl/registers/make.py --write'}")
    sys.exit(bool(stale) and not write)


if __name__ == "__main__":
    main()
