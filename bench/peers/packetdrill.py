"""Translates packetdrill's scripts into Sidestep's dialogues, as far as they test a sender that Sidestep has.

    packetdrill.py FOLDER OUT [--set KEY=VALUE]...

reads every `.pkt` below FOLDER. It writes a dialogue to OUT for each script that can be played, and a line to standard
output for each script: its path, `dialogue` or `left out`, and the reason. `docs/reference/dialogues.md` describes the format of
dialogues, the translation, and how to read its results; `DIALOGUES=OUT cargo test -p sidestep-transport --test dialogue`
plays them.

The translation keeps segments of the host under test with their departure times, acknowledgements with SACK blocks and
echoes, the application's writes, and window and ssthresh where an assertion names them. It drops the handshake (but
keeps its round trip), the host's acknowledgements as a receiver, options and system calls. It ends where the connection
is closed, where the route or the queue changes, or where the receiver's window does anything but grow.
"""

import argparse
import re
from dataclasses import dataclass, field
from pathlib import Path

# The scripts assume a kernel of 1000 Hz; one of 250 Hz has jiffies of 4 ms, and its timers wait for at least two.
JIFFY = 4_000
EARLY, LATE = 4_000, 16_000
# From 63 jiffies on, the kernel's timer wheel has slots of eight jiffies.
WHEEL = 8 * JIFFY
# A segment sent later than this after the previous line was sent by a timer.
PROMPT = 900

TIME = re.compile(r"(\*|\+?\d*\.?\d+)(?:\s*(~|\.\.\.)\s*(\+?\d*\.?\d+))?\s+")
PACKET = re.compile(r"(?:\[[\w,. ]+\]\s*)?([SFRPEWA.0-9]+)\s+(\d+):(\d+)\((\d+)\)(?:\s+ack\s+(\d+))?(?:\s+win\s+(\d+))?")
BLOCKS = re.compile(r"sack ((?:\d+:\d+\s*)+)")


# Words of scripts that test a feature which no Sidestep sender has, and the reason to leave such a script out.
FOREIGN = {
    "MSG_ZEROCOPY": "about memory that the application lends the kernel",
    "epoll_": "about what an application is told (epoll)",
    "poll(": "about what an application is told (poll)",
    "SO_TIMESTAMPING": "about time stamps for an application",
    "psp": "about encryption (PSP)",
    "FASTOPEN": "TCP Fast Open: our handshake carries no data",
    "root fq": "paced by a queue discipline",
    "ethtool": "about offloads or probes of the path's MTU",
}


class LeftOutError(Exception):
    """Raised for a script that does not test a Sidestep sender."""


@dataclass
class Event:
    """Statement of a script, at a time in microseconds."""

    at: int
    until: int
    text: str


@dataclass
class Talk:
    """Dialogue being written."""

    settings: dict[str, str]
    flow: int = 0
    lines: list[str] = field(default_factory=list)
    # End of the bytes sent for the first time, and time of the last line.
    end: int = 0
    last: int = 0
    acked: int = 0
    begun: int | None = None
    note: str = ""


def statements(text: str) -> list[str]:
    """Returns the statements of a script, without comments: a time and an event, or a command in backticks."""
    found, i = [], 0
    text = re.sub(r"(?m)^\s*//.*$|(?<=[\s;])//.*$", "", text)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    while i < len(text):
        if text[i].isspace():
            i += 1
            continue
        start = i
        if match := TIME.match(text, i):
            i = match.end()
        if text.startswith("%{", i):
            i = text.index("}%", i) + 2
        elif text.startswith("`", i):
            i = text.index("`", i + 1) + 1
        else:
            # To the end of the first line at which all brackets are closed.
            depth = 0
            while i < len(text) and not (text[i] == "\n" and depth <= 0):
                depth += (text[i] in "([{") - (text[i] in ")]}")
                i += 1
        found.append(text[start:i].strip())
    return found


def events(text: str) -> list[Event]:
    """Returns the statements with absolute times."""
    found, now = [], 0
    for statement in statements(text):
        match = TIME.match(statement)
        if not match:
            found.append(Event(now, now, statement))
            continue

        def micros(word: str) -> int:
            return round(float(word.lstrip("+")) * 1e6)

        first, dots, second = match.groups()
        at = now if first == "*" else now + micros(first) if first.startswith("+") else micros(first)
        until = at
        if dots == "~" and second:
            until = now + micros(second) if second.startswith("+") else micros(second)
        now = at
        found.append(Event(at, until, statement[match.end() :].strip()))
    return found


def translate(text: str, extra: dict[str, str]) -> Talk:
    """Returns the dialogue of a script."""
    for word, why in FOREIGN.items():
        if word in text:
            raise LeftOutError(why)
    all_events = events(text)
    talk, rest = opened(all_events, text)
    if extra.get("loss_detection") == "rack" and talk.settings["recovery"] != "sack":
        raise LeftOutError("RACK needs SACK")
    talk.settings |= extra
    # packetdrill checks sent segments only where the script expects some: after the last such line, none are checked.
    last = max((i for i, event in enumerate(rest) if event.text.startswith(">")), default=-1)
    kept = 0
    for i, event in enumerate(rest):
        before = len(talk.lines)
        ends = step(talk, event)
        if ends is not None:
            talk.note = ends
            break
        if i <= last or (talk.lines[before:] and "has " in talk.lines[-1]):
            kept = len(talk.lines)
        if i >= last and len(talk.lines) > before and not talk.lines[-1].startswith("  has"):
            talk.lines.append("  sends anything")
            kept += i == last
    talk.lines = talk.lines[:kept]
    if talk.begun is None or talk.end == 0:
        raise LeftOutError(talk.note or "sends no data")
    if not talk.acked and not any("alarm" in line for line in talk.lines) and talk.end > 0 and len(talk.lines) < 2:
        raise LeftOutError("sends, and hears nothing")
    return talk


def opened(all_events: list[Event], text: str) -> tuple[Talk, list[Event]]:
    """Returns a dialogue with the settings that the handshake implies, and the events after it."""
    ours, theirs, answered = 1460, 536, 0
    # Event that opens the connection, the round trip of the handshake, and the window that the other side announced.
    opens: tuple[int, int, int | None] | None = None
    options = ""
    echo = False
    for i, event in enumerate(all_events):
        if "setsockopt" in event.text and (match := re.search(r"TCP_MAXSEG, \[(\d+)\]", event.text)):
            ours = min(ours, int(match[1]))
        way, packet = event.text[:1], PACKET.search(event.text[1:])
        if way not in "<>" or not packet:
            continue
        flags = packet[1]
        if way == "<" and "S" in flags:
            options = event.text
            if match := re.search(r"mss (\d+)", event.text):
                theirs = int(match[1])
            echo = "E" in flags
        if "S" in flags and ("." in flags) == (way == ">"):
            answered = event.at  # the SYN of a client, the answer of a server
        if "S" in flags and way == ">" and "." in flags:
            echo = echo and "E" in flags
        if "S" in flags and way == "<" and "." in flags:
            opens = (i, event.at - answered, None)  # the client is open when it receives the answer
            break
        if "S" not in flags and way == "<" and opens is None:
            opens = (i, event.at - answered, int(packet[6] or 0))
            break
    if opens is None:
        raise LeftOutError("opens no connection")
    place, round_trip, window = opens
    timestamps = "TS val" in options and not re.search(r"tcp_timestamps=0", text)
    mss = min(ours, theirs) - (12 if timestamps else 0)
    sack = "sackOK" in options
    scale = int(match[1]) if (match := re.search(r"wscale (\d+)", options)) else 0
    if window is None and (match := re.search(r"win (\d+)", options)):
        window, scale = int(match[1]), 0
    if window == 0:
        raise LeftOutError("the receiver's window is closed at first")
    settings = {
        # After a loss the window keeps CUBIC's share; in slow start all else is alike. An echo halves it, as with Reno.
        **({"kind": "newreno", "ecn": "true"} if echo else {"kind": "dctcp", "dctcp_loss_leaves": "0.7", "cwr": "ignored"}),
        "mss": f"{mss} B",
        "receive_window": f"{max((window or 0) << scale, mss)} B",
        "recovery": "sack" if sack else "newreno",
        **({"dsack": "true", "undo": "true"} if sack else {}),
        "reduction": "prr",
        "window_growth": "linux",
        "limited_transmit": "true",
        "rto_estimator": "linux",
        "rto_min": "200 ms",
        "rto_initial": "1 s",
        "rto_max": "120 s",
        "timestamps": "true" if timestamps else "false",
        "accepted": f"{round_trip} us",
        "timers": "silent",
        "early": "4 ms",
    }
    if "tcp_slow_start_after_idle=1" in text:
        settings["idle_restart"] = "true"
    return Talk(settings), all_events[place + 1 :]


def step(talk: Talk, event: Event) -> str | None:
    """Adds one statement. Returns the reason if the translation ends there."""
    text = event.text
    if text.startswith("%{"):
        assertions(talk, event)
        return None
    if text.startswith("`"):
        if "tc qdisc" in text or re.search(r"\bip\b.*route", text):
            return "ends where the script changes the queue or the route"
        return None
    if text.startswith(("<", ">")):
        packet = PACKET.search(text[1:])
        if not packet:
            return "ends at a packet that is no TCP segment"
        return hears(talk, event, packet) if text[0] == "<" else sends(talk, event, packet)
    match = re.match(r"(write|send|sendto|sendmsg|sendfile|writev|close|shutdown|setsockopt|splice)\s*\(", text)
    if not match:
        return None
    if match[1] in ("close", "shutdown"):
        return "ends where the application closes"
    if match[1] == "setsockopt":
        if any(word in text for word in ("TCP_CORK", "TCP_NODELAY", "TCP_USER_TIMEOUT", "TCP_CONGESTION")):
            return "ends where the application sets how its socket sends"
        return None
    if "MSG_MORE" in text or "MSG_EOR" in text or match[1] == "splice":
        return "ends at a write with flags"
    written = re.search(r"=\s*(-?\d+)\s*(?:\w+.*)?$", text)
    amount = int(written[1]) if written else 0
    if amount <= 0:
        return None
    if talk.begun is None:
        talk.begun = event.at
        say(talk, event, "sends nothing")
    if len(talk.lines) == 1 and event.at == talk.begun:
        talk.flow += amount
    else:
        say(talk, event, f"writes {amount}B")
    return None


def now(talk: Talk, event: Event) -> int:
    """Returns the time of `event` since the first write, and stores it as that of the last line."""
    talk.last = max(talk.last, event.at)
    return event.at - (talk.begun or 0)


def say(talk: Talk, event: Event, words: str) -> None:
    """Adds a line at the time of `event`."""
    talk.lines.append(f"{now(talk, event)} {words}")


def hears(talk: Talk, event: Event, packet: re.Match[str]) -> str | None:
    """Adds an acknowledgement. Returns the reason if the translation ends there."""
    flags, ack, window = packet[1], packet[5], packet[6]
    if talk.begun is None:
        return "ends before anything is sent" if "F" in flags or "R" in flags else None
    if "R" in flags or "F" in flags or ack is None:
        return "ends where the other side closes"
    if int(packet[4]) > 0 and int(ack) - 1 <= talk.acked and "sack" not in event.text:
        return None  # data for the receiver; nothing new for the sender
    if window == "0":
        return "ends where the receiver's window closes"
    position = int(ack) - 1
    words = f"hears {position}B"
    if "E" in flags:
        words += " ece"
    blocks = BLOCKS.search(event.text)
    ranges = [tuple(int(n) - 1 for n in pair.split(":")) for pair in blocks[1].split()] if blocks else []
    if ranges:
        (start, end), more = ranges[0], ranges[1:]
        within = any(a <= start and end <= b for a, b in more[:1])
        if end <= position or within:
            words += f" dsack {start}..{end}B"
            ranges = more
        ranges = [block for block in ranges if block[0] >= position][: 3 - ("dsack" in words)]
    if ranges:
        words += " sack" + "".join(f" {start}..{end}B" for start, end in ranges)
    say(talk, event, words)
    talk.acked = max(talk.acked, position)
    return None


def sends(talk: Talk, event: Event, packet: re.Match[str]) -> str | None:
    """Adds segments that the host sends. Returns the reason if the translation ends there."""
    flags, start, length = packet[1], int(packet[2]) - 1, int(packet[4])
    if "R" in flags or "F" in flags:
        return "ends where the connection closes"
    if length == 0:
        return "ends at a probe of the receiver's window" if talk.acked and start < talk.acked else None
    if talk.begun is None:
        return "ends at data before a write"
    if event.at - talk.last > PROMPT or event.until > event.at:
        begins, ends = event.at - talk.begun, event.until - talk.begun
        wait = event.at - talk.last
        late = LATE + (WHEEL if wait >= 63 * JIFFY else 0)
        talk.lines.append(f"{max(begins - EARLY, 0)}..{ends + late} alarm")
        talk.last = event.at
    mss = int(talk.settings["mss"].split()[0])
    # One line of the script may cover several segments of at most mss bytes.
    pieces = []
    while length > 0:
        part = min(mss, length)
        again = start < talk.end
        pieces.append(f"{start}..{start + part}B" + (" again" if again else "") + (" cwr" if "W" in flags else ""))
        flags = flags.replace("W", "")
        start, length = start + part, length - part
        talk.end = max(talk.end, start)
    talk.lines.append("  sends " + ", ".join(pieces))
    return None


def assertions(talk: Talk, event: Event) -> None:
    """Adds the script's assertions about the window and ssthresh."""
    if talk.begun is None:
        return
    for name, ours in (("tcpi_snd_cwnd", "cwnd"), ("tcpi_snd_ssthresh", "ssthresh")):
        for match in re.finditer(rf"assert {name} == (\d+|TCP_INFINITE_SSTHRESH)\b", event.text):
            value = "none" if match[1].startswith("TCP") else match[1]
            if event.at == talk.last:
                talk.lines.append(f"  has {ours} {value}")
            else:
                say(talk, event, f"has {ours} {value}")


def main() -> None:
    """Translates all scripts of a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the scripts are")
    parser.add_argument("out", type=Path, help="where the dialogues go")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of every dialogue")
    args = parser.parse_args()
    extra = dict(setting.split("=", 1) for setting in args.set)
    args.out.mkdir(parents=True, exist_ok=True)
    for path in sorted(args.folder.rglob("*.pkt")):
        name = str(path.relative_to(args.folder))
        try:
            talk = translate(path.read_text(), extra)
        except LeftOutError as why:
            print(f"{name}\tleft out\t{why}")
            continue
        settings = [f'{key} = "{value}"' for key, value in talk.settings.items()]
        head = [f"== {name}", *settings, f'flow = "{talk.flow}B"']
        target = args.out / (name.replace("/", "__").removesuffix(".pkt") + ".txt")
        target.write_text("\n".join([*head, *talk.lines, ""]))
        print(f"{name}\tdialogue\t{talk.note}")


if __name__ == "__main__":
    main()
