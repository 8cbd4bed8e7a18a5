"""The cells in Python: what a test expects of them. Written from their heads, not from their code."""

from dataclasses import dataclass, field

MASK32 = (1 << 32) - 1


def rotl(x, n):
    return ((x << n) | (x >> (32 - n))) & MASK32


def flow_hash(salt, src, dst, proto, ports):
    """16 bits for a flow, as flow_hash.sv."""
    x = (src + salt) & MASK32
    y = (dst + (ports ^ (proto << 24))) & MASK32
    x, y = (x + rotl(y, 13)) & MASK32, x ^ rotl(y, 7)
    x, y = (x + rotl(y, 17)) & MASK32, x ^ rotl(y, 11)
    x = (x + rotl(y, 11)) & MASK32
    return (x >> 16) ^ (x & 0xFFFF)


def bits(mask):
    return [p for p in range(mask.bit_length()) if mask >> p & 1]


def nth(mask, draw, draw_bits):
    """The scale(draw)-th port of a set, or None: pick_uniform.sv."""
    ports = bits(mask)
    return ports[draw * len(ports) >> draw_bits] if ports else None


class Lfsr:
    """The draws of lfsr.sv: with its default parameters, or the small ones of detours to the first open port."""

    def __init__(self, seed=None, small=False):
        self.taps, self.leap, reset, width = (0xB8, 4, 0x5E, 8) if small else (0x8020_0003, 32, 0x5EED_0001, 32)
        self.state = (seed or 0) & ((1 << width) - 1) or reset

    def step(self):
        for _ in range(self.leap):
            self.state = (self.state >> 1) ^ (self.taps if self.state & 1 else 0)


def place(bank, ip, addr, index_w):
    """Where bank `bank` of forward_table.sv keeps a key."""
    fold = 0x5A if ip else 0
    for i in range(6):
        byte = addr >> (8 * i) & 0xFF
        if bank:
            byte = ((byte << (i + 1)) | (byte >> (7 - i))) & 0xFF
        fold ^= byte
    return fold & ((1 << index_w) - 1)


class Table:
    """The forwarding table, and where its entries go: cuckoo hashing over the two banks."""

    def __init__(self, index_w):
        self.index_w = index_w
        self.groups = {}   # (ip, addr): mask
        self.slots = {}    # (bank, place): key

    def add(self, ip, addr, mask, bank=0):
        """Adds or changes an entry; returns the writes (bank, place, ip, addr, mask) that do it. `bank` is tried first."""
        key = (bool(ip), addr)
        self.groups[key] = mask
        for at, kept in self.slots.items():
            if kept == key:
                return [(*at, *key, mask)]
        moved = []
        for _ in range(64):
            at = (bank, place(bank, key[0], key[1], self.index_w))
            other = (1 - bank, place(1 - bank, key[0], key[1], self.index_w))
            if at in self.slots and other not in self.slots:
                at = other
            pushed = self.slots.get(at)
            self.slots[at] = key
            moved.append(at)
            if pushed is None:
                # The last one first: a key that moves is in its new place before it leaves the old.
                order = dict.fromkeys(reversed(moved))
                return [(*a, *self.slots[a], self.groups[self.slots[a]]) for a in order]
            key, bank = pushed, 1 - at[0]
        raise ValueError("the table is too full")

    def bank(self, ip, addr):
        """The bank that holds an entry."""
        return next(at[0] for at, key in self.slots.items() if key == (bool(ip), addr))

    def group(self, ip, addr):
        return self.groups.get((bool(ip), addr), 0)


def ones_sum(data):
    total = sum(int.from_bytes(data[i:i + 2], "big") for i in range(0, len(data), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def ipv4(src, dst, payload, ttl=64, proto=17, ecn=0, dscp=0, options=b"", total=None, version=4, fragment=0):
    """An IPv4 packet with a right checksum."""
    ihl = 5 + len(options) // 4
    length = ihl * 4 + len(payload) if total is None else total
    head = bytearray([version << 4 | ihl, dscp << 2 | ecn])
    head += length.to_bytes(2, "big") + b"\x12\x34" + fragment.to_bytes(2, "big")
    head += bytes([ttl, proto, 0, 0]) + src.to_bytes(4, "big") + dst.to_bytes(4, "big") + options
    head[10:12] = (0xFFFF ^ ones_sum(head)).to_bytes(2, "big")
    return bytes(head) + payload


def ethernet(dmac, payload, ethertype=0x0800, smac=0x02_00_00_00_00_01):
    return dmac.to_bytes(6, "big") + smac.to_bytes(6, "big") + ethertype.to_bytes(2, "big") + payload


@dataclass
class Settings:
    """What the lookup is told."""

    ports: int = 4
    to_switch: int = 0
    salt: int = 0
    go_back: bool = True
    match_mac: bool = False
    dibs: int = 1
    table: Table = field(default_factory=lambda: Table(8))


@dataclass
class Route:
    """What becomes of a frame, before any queue is asked."""

    reason: str | None   # malformed, ttl or no_entry
    want: int | None
    ip: bool


def route(frame, s):
    """The wanted port of a frame, or why it has none."""
    ip = frame[12:14] == b"\x08\x00"
    if ip:
        total = int.from_bytes(frame[16:18], "big")
        if (len(frame) < 34 or frame[14] >> 4 != 4 or frame[14] & 15 < 5
                or total < 20 or total + 14 > len(frame)):
            return Route("malformed", None, True)
        if frame[22] <= 1:
            return Route("ttl", None, True)
    dmac = int.from_bytes(frame[0:6], "big")
    dst = int.from_bytes(frame[30:34], "big")
    if ip:
        src, proto, ports = int.from_bytes(frame[26:30], "big"), frame[23], 0
        fragment = int.from_bytes(frame[20:22], "big") & 0x3FFF
        if frame[14] & 15 == 5 and len(frame) >= 38 and fragment == 0 and proto in (6, 17):
            ports = int.from_bytes(frame[34:38], "big")
        hashed = flow_hash(s.salt, src, dst, proto, ports)
    else:
        hashed = flow_hash(s.salt, 0, dmac & MASK32, 0, 0)
    by_ip = ip and not s.match_mac
    want = nth(s.table.group(by_ip, dst if by_ip else dmac), hashed, 16)
    return Route("no_entry" if want is None else None, want, ip)


def can_mark(frame):
    return frame[12:14] == b"\x08\x00" and frame[15] & 3 != 0


def sent(frame, marked):
    """The frame as it leaves: one hop less to live, the mark, the checksum made anew."""
    if frame[12:14] != b"\x08\x00":
        return frame
    out = bytearray(frame)
    out[22] -= 1
    if marked and out[15] & 3:
        out[15] |= 3
    # RFC 1624, equation 3, over the two words that change; a wrong checksum stays wrong.
    total = 0xFFFF ^ int.from_bytes(frame[24:26], "big")
    for at in (14, 22):
        total += (0xFFFF ^ int.from_bytes(frame[at:at + 2], "big")) + int.from_bytes(out[at:at + 2], "big")
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    out[24:26] = (0xFFFF ^ total).to_bytes(2, "big")
    return bytes(out)


def checksum_ok(frame):
    ihl = (frame[14] & 15) * 4
    return ones_sum(frame[14:14 + ihl]) == 0xFFFF


def decide(want, fits, allowed, draws, dibs=1, ports=4):
    """`pick` of crates/switch, uniform (1) or first open (2): (port or None, is it a detour)."""
    if fits >> want & 1:
        return want, False
    if not dibs:
        return None, False
    if dibs == 1:
        port = nth(fits & allowed, draws.state, 32)
    else:   # the top bits of 8 are a port, where ports are a power of two
        start = draws.state >> (8 - (ports - 1).bit_length())
        port = next((p for i in range(ports) for p in [(start + i) % ports] if fits & allowed & 1 << p), None)
    draws.step()
    return port, port is not None
