#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""The switch on the board, from the host: registers, the forwarding table, counters, by the board's UART.

    python3 rtl/board/switch.py --port /dev/ttyUSB0 status
    python3 rtl/board/switch.py --port /dev/ttyUSB0 read LIMIT_FRAMES
    python3 rtl/board/switch.py --port /dev/ttyUSB0 write TO_SWITCH 0b1100
    python3 rtl/board/switch.py --port /dev/ttyUSB0 table hosts.txt
    python3 rtl/board/switch.py --port /dev/ttyUSB0 counters

A table has a line for each address, IPv4 or MAC, and its ports: `10.0.0.1 0` or `02:00:00:00:00:05 2,3`; `#` begins a comment. It is written over
what is there, and every other place is emptied. Needs pyserial for the line itself, nothing else.
"""

import argparse
import ipaddress
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from bench.models import Table

BAUD = 1_000_000
QUIET = 0.010    # seconds of silence after which the board listens again, whatever came before
ANSWER = 0.1     # seconds for an answer; a USB bridge holds bytes back for 16 ms
TRIES = 4
PORTS = 4
INDEX_W = 8      # of the forwarding table: 2 * 2^INDEX_W places
BOARD = 0x1000   # where the board's own registers begin

REGISTERS = {
    "ID": 0x00, "BUILD": 0x04, "TO_SWITCH": 0x08, "CONTROL": 0x0C, "LIMIT_FRAMES": 0x10, "LIMIT_BYTES": 0x14, "MARK_AT": 0x18,
    "ALPHA": 0x1C, "SALT": 0x20, "ROUTE": 0x24, "SEED": 0x28, "BUFFER": 0x2C, "KEY_LOW": 0x30, "KEY_HIGH": 0x34, "KEY_PORTS": 0x38,
    "TABLE_WRITE": 0x3C, "EARLY": 0x40, "RANK": 0x44, "BOARD_ID": BOARD, "UART": BOARD + 0x04,
} | {f"CLOCK{p}": BOARD + 0x10 + 4 * p for p in range(PORTS)}

# By name, for each port: the register of port 0, and bytes to the next port's.
COUNTERS = {name: 0x400 + 0x40 * c for c, name in enumerate(
    ["in", "out", "bad", "malformed", "ttl", "no_entry", "full", "detour_from", "detour_to", "mark", "queued", "bytes_in", "bytes_out"])}
COUNTERS |= {"fcs": BOARD + 0x40, "lost": BOARD + 0x80, "under": BOARD + 0xC0}

ID, BOARD_ID = 0x5349_4445, 0x554C_5833


class Refused(Exception):
    """What a user can put right: what, where, expected, got."""


def crc16(data, crc=0xFFFF):
    """CRC-16 with the polynomial 0x1021."""
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ (0x1021 if crc & 0x8000 else 0)) & 0xFFFF
    return crc


def command(address, value=None):
    """The bytes that write `value` there, or read it, and how many bytes answer them."""
    body = bytes([b"RW"[value is not None]]) + address.to_bytes(2, "big") + (b"" if value is None else value.to_bytes(4, "big"))
    return body + crc16(body).to_bytes(2, "big"), 7 if value is None else 3


def answered(sent, came):
    """What an answer says to a command: the value, or None for a write."""
    letter = sent[:1].lower()
    expected = 7 if letter == b"r" else 3
    if len(came) != expected:
        raise Refused(f"answer: {came.hex() or 'nothing'}, expected {expected} bytes, got {len(came)}")
    crc = crc16(sent[:-2] + came[:-2])
    if came[:1] != letter or int.from_bytes(came[-2:], "big") != crc:
        raise Refused(f"answer: {came.hex()}, expected {letter.decode()!r} first and check {crc:04x} last")
    return int.from_bytes(came[1:5], "big") if letter == b"r" else None


class Line:
    """Registers behind a serial line: anything with write, read and reset_input_buffer, as pyserial's."""

    def __init__(self, serial, sleep=time.sleep):
        self.serial, self.sleep = serial, sleep

    def access(self, address, value=None):
        sent, size = command(address, value)
        for turn in range(TRIES):
            if turn:
                self.sleep(3 * QUIET)
            self.serial.reset_input_buffer()
            self.serial.write(sent)
            try:
                return answered(sent, self.serial.read(size))
            except Refused as why:
                last = why
        what = "read" if value is None else "write"
        raise Refused(f"{what} of 0x{address:04x}: no right answer in {TRIES} tries; the last {last}")

    def write(self, address, value):
        self.access(address, value)

    def read(self, address):
        return self.access(address)


def opened(path):
    try:
        import serial
    except ImportError:
        raise Refused("pyserial is not installed, which opens the line: pip install pyserial") from None
    try:
        line = serial.Serial(path, BAUD, timeout=ANSWER)
    except (OSError, ValueError) as why:
        raise Refused(f"{path}: {why}; expected the board's serial port") from None
    try:
        line.set_low_latency_mode(True)   # Linux: the bridge passes bytes on at once
    except (AttributeError, OSError, ValueError, NotImplementedError):
        pass
    return Line(line)


def address_of(name):
    """Of a register by its name, or a number."""
    if name.upper() in REGISTERS:
        return REGISTERS[name.upper()]
    if found := re.fullmatch(r"(\w+?)\[(\d+)\]", name):
        counter, port = found[1].lower(), int(found[2])
        if counter in COUNTERS and port < PORTS:
            return COUNTERS[counter] + 4 * port
    try:
        at = int(name, 0)
    except ValueError:
        at = -1
    if not 0 <= at <= 0xFFFF:
        raise Refused(f"register {name!r} is unknown; expected one of {', '.join(REGISTERS)}, COUNTER[PORT] such as in[0], or 0 to 0xffff")
    return at


def number(text):
    try:
        value = int(text, 0)
    except ValueError:
        value = -1
    if not 0 <= value < 1 << 32:
        raise Refused(f"value {text!r}: expected a number from 0 to 0xffffffff, such as 12, 0x1f or 0b1010")
    return value


def parsed(text, where="table"):
    """Entries of a table: (is IPv4, address, mask of ports)."""
    entries = []
    for n, line in enumerate(text.splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        at = f"{where}:{n}"
        if len(words) != 2:
            raise Refused(f"{at}: expected an address and its ports, got {len(words)} words")
        if re.fullmatch(r"[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}", words[0]):
            key = False, int(words[0].replace(":", ""), 16)
        else:
            try:
                key = True, int(ipaddress.IPv4Address(words[0]))
            except ValueError:
                raise Refused(f"{at}: address {words[0]!r}: expected IPv4 as 10.0.0.1 or MAC as 02:00:00:00:00:01") from None
        mask = 0
        for port in words[1].split(","):
            if not port.isdecimal() or int(port) >= PORTS:
                raise Refused(f"{at}: port {port!r}: expected 0 to {PORTS - 1}, more than one as 1,2")
            mask |= 1 << int(port)
        if key in [entry[:2] for entry in entries]:
            raise Refused(f"{at}: address {words[0]} is there already")
        entries.append((*key, mask))
    return entries


def placed(entries, empty=True):
    """The writes (register's address, value) that make the table these entries; places that stay empty first, if at all."""
    table, at_last = Table(INDEX_W), {}
    for ip, address, mask in entries:
        try:
            for bank, place, is_ip, key, group in table.add(ip, address, mask):
                at_last[bank << INDEX_W | place] = (1 << 31 | int(is_ip) << 16 | key >> 32, key & 0xFFFF_FFFF, group)
        except ValueError:
            raise Refused(f"table: no place for entry {len(table.groups)} of {len(entries)}; of {2 << INDEX_W} places about a half can be used") from None
    writes = []
    if empty:
        writes += [(REGISTERS["KEY_HIGH"], 0)] + [(REGISTERS["TABLE_WRITE"], at) for at in range(2 << INDEX_W) if at not in at_last]
    for at, (high, low, group) in sorted(at_last.items()):
        writes += [(REGISTERS["KEY_LOW"], low), (REGISTERS["KEY_HIGH"], high), (REGISTERS["KEY_PORTS"], group), (REGISTERS["TABLE_WRITE"], at)]
    return writes


def counted(line):
    """All counters: a list over the ports for each name."""
    return {name: [line.read(at + 4 * p) for p in range(PORTS)] for name, at in COUNTERS.items()}


def shown(counters):
    head = f"{'':12}" + "".join(f"{'port ' + str(p):>12}" for p in range(PORTS))
    return "\n".join([head] + [f"{name:12}" + "".join(f"{n:12}" for n in row) for name, row in counters.items()])


def status(line):
    for name, expected in (("ID", ID), ("BOARD_ID", BOARD_ID)):
        if (got := line.read(REGISTERS[name])) != expected:
            raise Refused(f"register {name}: 0x{got:08x}, expected 0x{expected:08x}: another design is on the board")
    build = line.read(REGISTERS["BUILD"])
    said = [f"switch with {build >> 16 & 0xFF} ports of {8 * (build >> 8 & 0xFF)} bits, path of {8 * (build & 0xFF)}; Dibs {build >> 25 & 3}, Spray {build >> 27 & 1}"]
    for p in range(PORTS):
        khz = line.read(REGISTERS[f"CLOCK{p}"])
        said.append(f"port {p}: " + ("no REF_CLK" if not khz else f"REF_CLK {khz / 1000:.3f} MHz" + ("" if abs(khz - 50_000) <= 50 else ", expected 50.000")))
    said.append(f"commands not understood: {line.read(REGISTERS['UART'])}")
    return "\n".join(said)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", required=True, help="the board's serial port, /dev/ttyUSB0 or COM3")
    commands = parser.add_subparsers(dest="what", required=True)
    commands.add_parser("status", help="what is on the board, and its clocks")
    commands.add_parser("counters", help="all counters by port")
    commands.add_parser("read").add_argument("register")
    to_write = commands.add_parser("write")
    to_write.add_argument("register")
    to_write.add_argument("value")
    to_table = commands.add_parser("table", help="fill the forwarding table from a file")
    to_table.add_argument("file")
    asked = parser.parse_args()
    try:
        # What is wrong in the command is said before the line is opened.
        if asked.what in ("read", "write"):
            at = address_of(asked.register)
        if asked.what == "write":
            value = number(asked.value)
        if asked.what == "table":
            try:
                entries = parsed(Path(asked.file).read_text(), asked.file)
            except OSError as why:
                raise Refused(f"{asked.file}: {why.strerror}; expected a table") from None
            writes = placed(entries)
        line = opened(asked.port)
        if asked.what == "status":
            print(status(line))
        elif asked.what == "counters":
            print(shown(counted(line)))
        elif asked.what == "read":
            got = line.read(at)
            print(f"0x{got:08x} {got}")
        elif asked.what == "write":
            line.write(at, value)
        else:
            for where, what in writes:
                line.write(where, what)
            print(f"{len(entries)} entries written")
    except Refused as why:
        print(f"error: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
