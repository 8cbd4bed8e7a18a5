# SPDX-License-Identifier: MIT OR Apache-2.0
"""The cells in Python: what a test expects of them. Written from their heads, not from their code."""

from dataclasses import dataclass, field
from math import gcd
from typing import ClassVar

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

    def __init__(self, seed=None, small=False, reset=0x5EED_0001):
        self.taps, self.leap, reset, width = (0xB8, 4, 0x5E, 8) if small else (0x8020_0003, 32, reset, 32)
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

    def at(self, ip, addr):
        """The place of an entry, its bank in the top bit."""
        bank, at = next(at for at, key in self.slots.items() if key == (bool(ip), addr))
        return bank << self.index_w | at

    def bank(self, ip, addr):
        """The bank that holds an entry."""
        return self.at(ip, addr) >> self.index_w

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
class Spraying:
    """Register ROUTE."""

    KINDS: ClassVar = ["ecmp", "random", "counter", "rr", "power"]
    TIES: ClassVar = ["turn", "first", "random"]
    PER: ClassVar = ["flow", "entry", "switch"]

    kind: str = "ecmp"
    ties: str = "turn"
    per: str = "flow"
    first: bool = False
    ack_bytes: int = 0
    burst: int = 1
    rounds: int = 0

    @property
    def word(self):
        """What is written there."""
        number = self.KINDS.index(self.kind)
        return (number & 3 | number >> 2 << 7 | self.TIES.index(self.ties) << 2 | self.PER.index(self.per) << 4
                | self.first << 6 | self.ack_bytes << 8 | self.burst - 1 << 16 | self.rounds << 24)


class Spray:
    """spray_choice.sv and what it remembers."""

    LIMIT, OVERHEAD, PLACES = 1_000_000, 24, 64

    def __init__(self, ports):
        self.ports, self.route = ports, Spraying()
        self.draws, self.seconds = Lfsr(0xA112_FFFE), Lfsr(0xA112_0002)
        self.forget()

    def forget(self):
        self.counts, self.turns, self.places = [0] * self.ports, {}, {}

    def seed(self, value):
        self.draws = Lfsr(~value & MASK32, reset=0xA112_FFFE)
        self.seconds = Lfsr((~value & 0xFFFF) << 16 | value >> 16, reset=0xA112_0002)

    def pick(self, r, length, depth):
        """The port of a frame, where so many frames are in each queue."""
        if self.route.kind == "ecmp" or r.acks:
            return r.want
        draw, second, hops = self.draws.state, self.seconds.state, bits(r.group)
        self.draws.step()
        self.seconds.step()
        if self.route.kind == "random" or len(hops) == 1:
            return nth(r.group, draw, 32)
        if self.route.kind == "counter":
            return self.least(r.group, hops, length + self.OVERHEAD, draw)
        if self.route.kind == "power":
            one = nth(r.group, draw, 32)
            other = nth(r.group & ~(1 << one), second, 32)
            return other if depth[other] < depth[one] else one
        return self.turn(r, hops, draw)

    def least(self, group, hops, size, draw):
        fewest = min(self.counts[p] for p in hops)
        equal = [p for p in hops if self.counts[p] == fewest]
        if self.route.ties == "random":
            port = equal[draw * len(equal) >> 32]
        else:
            after = self.turns.get(group, 0) if self.route.ties == "turn" else 0
            port = next((p for p in equal if p >= after), equal[0])
        self.turns[group] = port + 1
        if fewest + size > self.LIMIT:
            self.counts = [max(0, c - fewest) for c in self.counts]
            fewest = 0
        self.counts[port] = fewest + size
        return port

    def turn(self, r, hops, draw):
        s, n = self.route, len(hops)
        key = {"flow": r.hash, "entry": r.at, "switch": 0}[s.per] % self.PLACES
        place = self.places.get(key)
        if place is None:
            place = self.places[key] = dict(at=0 if s.first else r.hash * n >> 16, stride=1, many=n, turns=n, packets=0, rounds=s.rounds)
        if place["at"] >= n:
            place["at"] = 0
        if place["many"] != n:
            place.update(stride=1, many=n, turns=min(place["turns"], n))
        at = place["at"]
        place["packets"] += 1
        if place["packets"] >= s.burst:
            place["packets"], place["turns"] = 0, place["turns"] - 1
            place["at"] = (at + place["stride"]) % n
            if not place["turns"]:
                place["turns"], place["rounds"] = n, max(0, place["rounds"] - 1)
                if s.rounds and not place["rounds"]:
                    strides = [k for k in range(1, max(n, 2)) if gcd(k, n) == 1]
                    place.update(rounds=s.rounds, at=draw * n >> 32, stride=strides[(draw & 0xFFFF) * len(strides) >> 16])
        return hops[at]


@dataclass
class Buffering:
    """What registers BUFFER and EARLY say: what becomes of a frame that does not fit, and who leaves early."""

    POLICIES: ClassVar = ["droptail", "dibs", "dibs-first-open", "dibs-load-aware", "dibs-flow", "dibs-probabilistic"]
    policy: str = "dibs"
    plain: int = 0     # frames that are no IPv4: 0 are detoured as others, 1 only where they came from a host, 2 never
    favour: int = 0    # of this class of service and below none leaves early
    start: int = 0
    full: int = 0

    @property
    def word(self):
        return self.POLICIES.index(self.policy) | self.plain << 4 | self.favour << 8

    @property
    def early(self):
        return self.start | self.full << 16

    def bars(self, ip, from_switch):
        """May a frame be detoured nowhere?"""
        return not ip and (self.plain >= 2 or (self.plain == 1 and from_switch))


class Chooser:
    """The decision of detour_decision.sv with Dibs 3, and its draws."""

    def __init__(self, ports, seed=0):
        self.ports = ports
        self.seed(seed)

    def seed(self, seed):
        self.draws = Lfsr(seed), Lfsr((seed & 0xFFFF) << 16 | (seed >> 16 ^ 0xFFFF), reset=0x5EED_0002)

    def order(self, hashed):
        """In which order a flow tries the ports: turn_order.sv."""
        first = (hashed >> 1 & 0x7FF) * self.ports >> 11
        return [(first + (-k if hashed & 1 else k)) % self.ports for k in range(self.ports)]

    def decide(self, s, want, fits, allowed, depth, rank, hashed):
        """(port or None, is it a detour)."""
        one, two = (d.state for d in self.draws)
        kept, is_open, policy = fits >> want & 1, fits & allowed, s.policy
        early = (policy == "dibs-probabilistic" and kept and s.full > s.start and rank > s.favour and depth[want] > s.start
                 and one * (s.full - s.start) >> 32 < depth[want] - s.start)
        if not kept or policy == "dibs-probabilistic":
            for draws in self.draws:
                draws.step()
        if kept and not early:
            return want, False
        if policy in ("dibs", "dibs-probabilistic"):
            port = nth(is_open & ~(1 << want), two if kept else one, 32)
        elif policy == "dibs-load-aware":
            least = min((depth[p] for p in bits(is_open)), default=None)
            port = nth(sum(1 << p for p in bits(is_open) if depth[p] == least), one, 32)
        elif policy == "droptail":
            port = None
        else:
            tried = self.order(hashed) if policy == "dibs-flow" else [((one * self.ports >> 32) + k) % self.ports for k in range(self.ports)]
            port = next((p for p in tried if is_open >> p & 1), None)
        return (want, False) if port is None and kept else (port, port is not None)


@dataclass
class Settings:
    """What the lookup is told."""

    ports: int = 4
    to_switch: int = 0
    salt: int = 0
    go_back: bool = True
    match_mac: bool = False
    dibs: int = 1
    route: Spraying = field(default_factory=Spraying)
    buffer: Buffering = field(default_factory=Buffering)
    table: Table = field(default_factory=lambda: Table(8))
    tags: int = 0    # register RANK: 1 between Ethernet and IP, 2 as an option


@dataclass
class Route:
    """What becomes of a frame, before any queue is asked."""

    reason: str | None   # malformed, ttl or no_entry
    want: int | None     # by the flow's hash
    ip: bool
    hops: int = 0        # the ports it may take: its group when it is sprayed, else the wanted one
    group: int = 0
    at: int = 0          # its entry's place in the table
    hash: int = 0
    acks: bool = False   # it is so short that it takes its flow's port


def route(frame, s):
    """The wanted port of a frame, or why it has none."""
    if s.tags == 1 and frame[12:14] == TAG:
        frame = frame[:12] + frame[19:]
    ip = frame[12:14] == b"\x08\x00"
    if ip:
        total = int.from_bytes(frame[16:18], "big")
        if (len(frame) < 34 or frame[14] >> 4 != 4 or frame[14] & 15 < 5
                or total < 4 * (frame[14] & 15) or total + 14 > len(frame)):
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
    key = (by_ip, dst if by_ip else dmac)
    group = s.table.group(*key)
    want = nth(group, hashed, 16)
    if want is None:
        return Route("no_entry", None, ip)
    ack = ip and frame[23] == 6 and int.from_bytes(frame[16:18], "big") <= s.route.ack_bytes
    sprayed = s.route.kind != "ecmp" and not ack
    return Route(None, want, ip, group if sprayed else 1 << want, group, s.table.at(*key), hashed, ack)


def can_mark(frame):
    return frame[12:14] == b"\x08\x00" and frame[15] & 3 != 0


TAG = b"\x88\xb5"


def tagged(frame, number, again=0):
    """The frame with a tag of Vertigo's between Ethernet and what follows: docs/how-to/softswitch.md, Tags."""
    return frame[:12] + TAG + number.to_bytes(4, "big") + bytes([again << 4]) + frame[12:]


def sent(frame, marked):
    """The frame as it leaves: one hop less to live, the mark, the checksum made anew. A tag stays."""
    if frame[12:14] == TAG:
        return frame[:19] + sent(frame[:12] + frame[19:], marked)[12:]
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
