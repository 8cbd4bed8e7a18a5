# SPDX-License-Identifier: MIT OR Apache-2.0
"""RMII and UART as the board's tests drive and see them."""

import zlib

from cocotb.triggers import FallingEdge, First, Timer

GAP = 48   # cycles of REF_CLK: 96 bits


def fcs(frame):
    return zlib.crc32(frame).to_bytes(4, "little")


def dibits(data):
    return [byte >> shift & 3 for byte in data for shift in (0, 2, 4, 6)]


def wire(frame, check=None, preamble=7, silent=3, toggling=0, dribble=0):
    """CRS_DV and RXD in each cycle of a frame. `silent` cycles of carrier come before data; in the last `toggling` nibbles the
    carrier has gone; `dribble` di-bits are too many at the end."""
    data = dibits(b"\x55" * preamble + b"\xd5" + frame + (fcs(frame) if check is None else check)) + [2] * dribble
    pairs = [(1, 0)] * silent + [(1, bits) for bits in data]
    whole = len(pairs) - dribble
    for nibble in range(toggling):
        pairs[whole - 2 * (nibble + 1)] = (0, pairs[whole - 2 * (nibble + 1)][1])
    return pairs


def decoded(cycles):
    """Frames in the cycles of a transmitter, (TX_EN, TXD) each: [(frame, FCS, cycles of gap before it)]."""
    frames, now, gap = [], [], 0
    for enabled, bits in [*cycles, (0, 0)]:
        if enabled:
            now.append(bits)
            continue
        if now:
            assert len(now) % 4 == 0, f"{len(now)} di-bits are no whole bytes"
            data = bytes(sum(now[at + k] << 2 * k for k in range(4)) for at in range(0, len(now), 4))
            assert data[:8] == b"\x55" * 7 + b"\xd5", data[:8].hex()
            frames.append((data[8:-4], data[-4:], gap))
            now, gap = [], 0
        gap += 1
    return frames


class Uart:
    """A host's end of a UART: `rx` is what the device hears, `tx` what it says."""

    def __init__(self, rx, tx, bit_ns):
        self.rx, self.tx, self.bit = rx, tx, bit_ns
        rx.value = 1

    async def say(self, data, stop=1):
        for byte in data:
            for level in [0, *[byte >> i & 1 for i in range(8)], stop]:
                self.rx.value = level
                await Timer(self.bit, "ns")
            self.rx.value = 1

    async def hear(self, count, wait_ns=100_000):
        """Up to so many bytes; fewer when the line is silent for `wait_ns`."""
        came = b""
        while len(came) < count:
            if int(self.tx.value):
                timer = Timer(wait_ns, "ns")
                if await First(FallingEdge(self.tx), timer) is timer:
                    break
            await Timer(self.bit / 2, "ns")
            assert int(self.tx.value) == 0, "start bit"
            byte = 0
            for i in range(8):
                await Timer(self.bit, "ns")
                byte |= int(self.tx.value) << i
            await Timer(self.bit, "ns")
            assert int(self.tx.value) == 1, "stop bit"
            came += bytes([byte])
        return came
