"""What a policy costs in Rust, as a plug-in and in Python: packet-hops per second of CPU time.

    python python/benchmarks/policies.py [--repeats 5]

One scenario, an incast of 15 answers on 16 hosts, and a policy of each seam in three forms: the buffer DIBS, the route
that sprays at random, the scheduler that lets control packets pass. The runs of one repeat follow each other in one
process, with one job; ratios are taken within a repeat, and told as their median with the smallest and the largest.
Every run must have the trajectory hash of the one in Rust. Prints a table for docs/how-to/policies.md. The module must be a
release build, as `pip install ./python` makes one.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

import sidestep as ss

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from twins import Dibs, Priority, SprayRandom

SCENARIO = """
duration = "1 ms"
drain = "1 s"
schemes = ["dctcp", "native-dibs", "native-spray", "native-priority"]
topology = {{ kind = "fat_tree", k = 4 }}
[workload.query]
kind = "incast"
degree = 15
size = "{size}"
[scheme.native-dibs]
switch = {{ buffer = "dibs" }}
transport = {{ kind = "dctcp" }}
[scheme.native-spray]
switch = {{ buffer = "ecn", route = "spray-random" }}
transport = {{ kind = "dctcp" }}
[scheme.native-priority]
switch = {{ buffer = "ecn", sched = "priority" }}
transport = {{ kind = "dctcp" }}
"""

BUFFER = """
use sidestep_plugin::ForSwitch;
use sidestep_plugin::switch::{Buffer, DropReason, Place, Queues, Verdict, Want};
use sidestep_plugin::types::{Packet, Rng, scale};

struct Dibs;

impl ForSwitch for Dibs {
    fn for_switch(_: &Place) -> Dibs { Dibs }
}

impl Buffer for Dibs {
    fn admit(&mut self, packet: &Packet, want: Want, queues: &mut dyn Queues, rng: &mut Rng) -> Verdict {
        if want.fits {
            return Verdict::Enqueue { mark: want.depth.packets >= 20 };
        }
        let open = queues.open_among(packet, queues.to_switch());
        match open.nth(scale(rng.draw(), open.len())) {
            Some(port) => Verdict::Detour { port, mark: true },
            None => Verdict::Drop(DropReason::Full),
        }
    }
}

sidestep_plugin::export!(buffer: Dibs, extends: "dctcp");
"""

ROUTE = """
use sidestep_plugin::ForSwitch;
use sidestep_plugin::switch::{Hops, Place, Queues, Route};
use sidestep_plugin::types::{Packet, PortId, Rng, scale};

struct Spray;

impl ForSwitch for Spray {
    fn for_switch(_: &Place) -> Spray { Spray }
}

impl Route for Spray {
    fn pick(&mut self, _: &Packet, hops: Hops<'_>, _: &mut dyn Queues, rng: &mut Rng) -> PortId {
        match hops.ports {
            [only] => *only,
            ports => ports[scale(rng.draw(), ports.len() as u32) as usize],
        }
    }
}

sidestep_plugin::export!(route: Spray, extends: "dctcp");
"""


SCHED = """
use sidestep_plugin::ForSwitch;
use sidestep_plugin::switch::{Place, Sched};
use sidestep_plugin::types::Packet;
use std::collections::VecDeque;

#[derive(Default)]
struct Priority([VecDeque<u32>; 2]);

impl ForSwitch for Priority {
    fn for_switch(_: &Place) -> Priority { Priority::default() }
}

impl Sched for Priority {
    fn passes(&self) -> bool { true }
    fn push(&mut self, packet: &Packet, handle: u32) {
        self.0[usize::from(packet.carries_data())].push_back(handle);
    }
    fn pop(&mut self) -> Option<u32> {
        let [control, data] = &mut self.0;
        control.pop_front().or_else(|| data.pop_front())
    }
    fn each_held(&self, with: &mut dyn FnMut(u32)) {
        self.0.iter().flatten().for_each(|handle| with(*handle));
    }
}

sidestep_plugin::export!(sched: Priority, extends: "dctcp");
"""

TOLD = {"dibs": "buffer `dibs`", "spray": "route `spray-random`", "priority": "scheduler `priority`"}
FORMS = ("native", "plugin", "python")


def plugin(folder: Path, name: str, seam: str, source: str) -> ss.Plugin:
    """The plug-in of this source."""
    ss.new_policy(name, kind=seam, out=folder / name)
    (folder / name / "src" / "lib.rs").write_text(source, encoding="utf-8")
    return ss.load_plugin(folder / name)


def measured(scenario: ss.Scenario, own: list[ss.Scheme | ss.Plugin], out: Path) -> dict[str, float]:
    """Packet-hops per second of CPU time of each scheme, in one call; refuses runs that are not the native one."""
    ss.run(scenario, policies=own, out=out, jobs=1, progress=False)
    runs = {run["scheme"]: run for run in json.loads((out / "manifest.json").read_text())["runs"]}
    for what in TOLD:
        hashes = {form: runs[f"{form}-{what}"]["trajectory_hash"] for form in FORMS}
        assert len(set(hashes.values())) == 1, f"{what}: other runs than the native one: {hashes}"
    return {scheme: run["packet_hops"] / run["cpu_s"] for scheme, run in runs.items()}


def spread(values: list[float], digits: int) -> str:
    """`0.88 (0.86 to 0.91)`."""
    low, high = min(values), max(values)
    return f"{statistics.median(values):.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def main() -> None:
    """Measures, and prints the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeats", type=int, default=5)
    options.add_argument("--size", default="4 MB")
    words = options.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        own: list[ss.Scheme | ss.Plugin] = [
            plugin(folder, "plugin-dibs", "buffer", BUFFER),
            plugin(folder, "plugin-spray", "route", ROUTE),
            plugin(folder, "plugin-priority", "sched", SCHED),
            ss.Scheme("python-dibs", extends="dctcp", buffer=Dibs),
            ss.Scheme("python-spray", extends="dctcp", route=SprayRandom),
            ss.Scheme("python-priority", extends="dctcp", sched=Priority),
        ]
        scenario = ss.Scenario.from_toml(SCENARIO.format(size=words.size))
        speeds = [measured(scenario, own, folder / str(n)) for n in range(words.repeats)]
        print(f"{words.repeats} repeats, load {os.getloadavg()[0]:.1f}, {ss.build_info()['version']}")
        print("| policy | in Rust | plug-in | Python | plug-in / Rust | Rust / Python |")
        print("|---|---|---|---|---|---|")
        for what, told in TOLD.items():
            rust, library, python = ([one[f"{form}-{what}"] for one in speeds] for form in FORMS)
            best = " | ".join(f"{max(of) / 1e6:.3g} M" for of in (rust, library, python))
            near = spread([a / b for a, b in zip(library, rust, strict=True)], 2)
            far = spread([a / b for a, b in zip(rust, python, strict=True)], 0)
            print(f"| {told} | {best} | {near} | {far} |")


if __name__ == "__main__":
    main()
