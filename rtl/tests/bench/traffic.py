# SPDX-License-Identifier: MIT OR Apache-2.0
"""Frames to try: sound ones of every kind, and every way to be wrong."""

from .models import Buffering, Spraying, ethernet, ipv4


def random_host(rng, hosts=24):
    return 0x0A00_0000 + rng.randrange(hosts)


def random_mac(rng, hosts=24):
    return 0x02AA_0000_0000 + rng.randrange(hosts)


def random_frame(rng, longest=1518, hosts=24, tag=b"", kind=None):
    """A frame of 60 to `longest` bytes; one in five is out of the ordinary, or of this kind where one is named."""
    size = rng.choice([60, 60, 64, 65, rng.randrange(60, 130), rng.randrange(60, longest + 1), longest])
    kind = rng.randrange(20) if kind is None else kind
    if kind == 0:   # no IPv4 at all
        return ethernet(random_mac(rng, hosts + 4), tag + rng.randbytes(size - 14 - len(tag)), rng.choice([0x0806, 0x86DD, 0x8100]))
    options = rng.randbytes(4 * rng.randrange(1, 4)) if kind in (1, 8) else b""
    room = size - 14 - 20 - len(options)
    ports = rng.randrange(1 << 32).to_bytes(4, "big")
    body = (ports + tag + rng.randbytes(room))[:room]
    packet = ipv4(
        0x0A01_0000 + rng.randrange(hosts),
        random_host(rng, hosts + 2 if kind == 2 else hosts),
        body,
        ttl=rng.choice([0, 1, 2]) if kind == 3 else rng.randrange(2, 256),
        proto=rng.choice([6, 17, 17, 1]),
        ecn=rng.randrange(4),
        dscp=rng.randrange(64),
        options=options,
        version=6 if kind == 4 and rng.randrange(2) else 4,
        # A packet that ends in its own header, and every other wrong length.
        total=rng.randrange(20, 20 + len(options)) if kind == 8 else rng.choice([0, 19, size - 13, 40000]) if kind == 5 else None,
        fragment=rng.choice([0x2000, 0x0007]) if kind == 6 else 0x4000,
    )
    if kind == 7:   # a wrong checksum, which must stay wrong
        packet = packet[:10] + bytes([packet[10] ^ 0x5A]) + packet[11:]
    return ethernet(random_mac(rng, hosts), packet)


def random_spraying(rng, kind=None):
    """A route, of this kind where one is named."""
    return Spraying(kind or rng.choice(Spraying.KINDS), rng.choice(Spraying.TIES), rng.choice(Spraying.PER),
                    rng.random() < 0.5, rng.choice([0, 0, 60, 100]), rng.choice([1, 1, 2, 5]), rng.choice([0, 0, 1, 3]))


def random_buffering(rng, ports, policy=None):
    """What becomes of a frame that does not fit, by this policy where one is named; and the depths of queues."""
    start = rng.randrange(1, 20)
    full = start + rng.choice([1, 5, 5, 20]) if rng.random() < 0.8 else rng.randrange(start + 1)   # the rest: none goes early
    return (Buffering(policy or rng.choice(Buffering.POLICIES), rng.choice([0, 0, 1, 2]), rng.choice([0, 8, 30, 63]), start, full),
            [rng.choice([0, start, start + 1, start + 3, 40]) for _ in range(ports)])


def udp64(src, dst, number, ttl=64, ecn=2, ports=0x1234_5678, size=64, dscp=0):
    """A UDP frame of `size` bytes that carries its number in the last 8."""
    body = ports.to_bytes(4, "big") + (size - 34).to_bytes(2, "big") + b"\0\0" + bytes(size - 34 - 16)
    body += number.to_bytes(8, "big")
    return ethernet(0x02AA_0000_0000, ipv4(src, dst, body, ttl=ttl, ecn=ecn, dscp=dscp))


def tcp(src, dst, payload, ports=0x1234_5678):
    """A TCP segment of so many bytes, padded as Ethernet asks, with room for a number behind it."""
    packet = ipv4(src, dst, ports.to_bytes(4, "big") + bytes(8) + b"\x50\x10" + bytes(6 + payload), proto=6, ecn=2)
    return ethernet(0x02AA_0000_0000, packet + bytes(max(8, 46 - len(packet))))
