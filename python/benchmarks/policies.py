"""What a policy costs in Rust, as a plug-in and in Python: packet-hops per second of CPU time.

    python python/benchmarks/policies.py [--repeats 5]

One scenario, an incast of 15 answers on 16 hosts, and one policy, DIBS, in three forms; then spraying.
The runs of one repeat follow each other in one process, with one job. The best of the repeats counts.
Prints a table for docs/policies.md. Every run must have the trajectory hash of the one in Rust.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

import sidestep as ss

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from twins import Dibs, SprayRandom

SCENARIO = """
duration = "1 ms"
drain = "1 s"
seeds = "1..{seeds}"
schemes = ["dctcp", "native-dibs", "native-spray"]
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
        let open = queues.open(packet) & queues.to_switch();
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


def plugin(folder: Path, name: str, seam: str, source: str) -> ss.Plugin:
    """The plug-in of this source."""
    ss.new_policy(name, kind=seam, out=folder / name)
    (folder / name / "src" / "lib.rs").write_text(source, encoding="utf-8")
    return ss.load_plugin(folder / name)


def main() -> None:
    """Measures, and prints the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeats", type=int, default=5)
    options.add_argument("--seeds", type=int, default=1)
    options.add_argument("--size", default="4 MB")
    words = options.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        own = [
            plugin(folder, "plugin-dibs", "buffer", BUFFER),
            plugin(folder, "plugin-spray", "route", ROUTE),
            ss.Scheme("python-dibs", extends="dctcp", buffer=Dibs),
            ss.Scheme("python-spray", extends="dctcp", route=SprayRandom),
        ]
        best: dict[str, float] = {}
        hashes: dict[tuple[str, int], str] = {}
        for repeat in range(words.repeats):
            out = folder / str(repeat)
            ss.run(ss.Scenario.from_toml(SCENARIO.format(seeds=words.seeds, size=words.size)), policies=own, out=out, jobs=1)
            runs = json.loads((out / "manifest.json").read_text())["runs"]
            hops: dict[str, int] = {}
            cpu: dict[str, float] = {}
            for run in runs:
                scheme = run["scheme"]
                hops[scheme] = hops.get(scheme, 0) + run["packet_hops"]
                cpu[scheme] = cpu.get(scheme, 0.0) + run["cpu_s"]
                hashes[scheme, run["seed"]] = run["trajectory_hash"]
            for scheme, many in hops.items():
                best[scheme] = max(best.get(scheme, 0.0), many / cpu[scheme])
        for what in ("dibs", "spray"):
            for form in ("plugin", "python"):
                for seed in range(1, words.seeds + 1):
                    same = hashes[f"native-{what}", seed] == hashes[f"{form}-{what}", seed]
                    assert same, f"{form}-{what}, seed {seed}: another run than the native one"
        print("| policy | in Rust | plug-in | Python | plug-in / Rust | Rust / Python |")
        print("|---|---|---|---|---|---|")
        for what, told in (
            ("dibs", "buffer `dibs`"),
            ("spray", "route `spray-random`"),
        ):
            rust, library, python = (best[f"{form}-{what}"] for form in ("native", "plugin", "python"))
            print(
                f"| {told} | {rust / 1e6:.2f} M | {library / 1e6:.2f} M | {python / 1e6:.3f} M "
                f"| {library / rust:.2f} | {rust / python:.0f} |"
            )


if __name__ == "__main__":
    main()
