# SPDX-License-Identifier: MIT OR Apache-2.0
"""rtl/doc/detour.svg: the lookup as it detours a frame, recorded from the simulation.

UPDATE_GOLDEN=1 writes it anew.
"""

import json
import os
from pathlib import Path

import cocotb
from cocotb.triggers import RisingEdge

from bench.lookup import started
from bench.simulators import BUILD, RTL, simulate
from bench.traffic import udp64
from bench.waves import svg

SEEN = ["s_tvalid_i", "s_tlast_i", "s_tready_o", "ask_words_o", "fits_i", "take_o", "m_tvalid_o", "m_tlast_o", "m_tdest_o",
        "detour_from_o", "detour_to_o"]
DIAGRAM = RTL / "doc" / "detour.svg"
ROOM = {8: 0b1111, 9: 0b1100}  # by the words of a frame: queue 0 is full for the longer one


@cocotb.test()
async def a_frame_that_fits_and_one_that_is_detoured(dut):
    b = await started(dut)
    await b.learn(True, 0x0A00_0001, 0b0001)
    b.set(to_switch=0b1110)
    for words, fits in ROOM.items():
        b.room[words] = (fits, 0)
        frame = udp64(0x0A01_0000, 0x0A00_0001, 7)
        b.send(frame + bytes(8 * words - len(frame)), 1)
    b.room[0] = (0, 0)
    samples = []

    async def record():
        while True:
            await RisingEdge(dut.clk_i)
            samples.append({name: int(getattr(dut, name).value) if getattr(dut, name).value.is_resolvable else 0
                            for name in SEEN})

    cocotb.start_soon(record())
    await b.run()
    Path(os.environ["SAMPLES"]).write_text(json.dumps(samples))


def words(samples, side):
    """`A0` to `B8`: the words of the two frames, where one is offered."""
    out, frame, word = [], 0, 0
    for s in samples:
        if not s[f"{side}_tvalid_{'i' if side == 's' else 'o'}"]:
            out.append("")
            continue
        out.append(f"{'AB'[frame]}{word}")
        word += 1
        if s[f"{side}_tlast_{'i' if side == 's' else 'o'}"]:
            frame, word = frame + 1, 0
    return out


def diagram(samples):
    """From the first word in to the last word out."""
    start = next(i for i, s in enumerate(samples) if s["s_tvalid_i"])
    end = max(i for i, s in enumerate(samples) if s["m_tvalid_o"]) + 2
    samples = samples[start:end]
    mask = lambda name, on=lambda s: True: [f"{s[name]:04b}" if on(s) and s[name] else "" for s in samples]
    takes = [i for i, s in enumerate(samples) if s["take_o"]]
    rows = [
        ("clk", "clock", [], "the clock"),
        ("s_tdata", "bus", words(samples, "s"), "words in: frame A, then frame B"),
        ("ask_words", "bus", [str(s["ask_words_o"]) if s["ask_words_o"] in ROOM else "" for s in samples],
         "to the queues: words of the frame that decides two cycles later"),
        ("fits", "bus", mask("fits_i"), "from the queues: where it fits"),
        ("take", "bus", mask("take_o"), "to the queues: the decision, which takes the room"),
        ("detour_from", "bus", mask("detour_from_o"), "counted: the port a detoured frame wanted"),
        ("detour_to", "bus", mask("detour_to_o"), "counted: the port it goes to"),
        ("m_tdata", "bus", words(samples, "m"), "words out"),
        ("m_tdest", "bus", mask("m_tdest_o", lambda s: s["m_tvalid_o"]), "the queue they go to"),
    ]
    title = "Frames A and B want port 0. B finds it full and leaves by another port, as many cycles later as A."
    return svg(title, rows, len(samples), [(i, i + 1) for i in takes])


def test_the_diagram_is_what_the_lookup_does():
    path = BUILD / "timing-samples.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    simulate("icarus", "output_port_lookup", "test_timing_diagram", {"PathW": 64}, env={"SAMPLES": path})
    samples = json.loads(path.read_text())
    drawn = diagram(samples)
    if os.environ.get("UPDATE_GOLDEN"):
        DIAGRAM.write_text(drawn)
    assert DIAGRAM.read_text() == drawn, "UPDATE_GOLDEN=1 draws it anew"
    # Both frames take as long from their first word in to their first word out.
    into, out = words(samples, "s"), words(samples, "m")
    assert out.index("A0") - into.index("A0") == out.index("B0") - into.index("B0")
    assert "0001" not in {f"{s['m_tdest_o']:04b}" for s, w in zip(samples, out) if w.startswith("B")}
