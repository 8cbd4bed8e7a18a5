//! Tests of plug-ins: written, built, run, kept and refused.

mod common;

use common::{Done, Room, skip};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const SCENARIO: &str = r#"
duration = "1 ms"
drain = "1 s"
schemes = ["dctcp", "dibs"]
topology = { kind = "fat_tree", k = 4 }
[workload.query]
kind = "incast"
degree = 15
size = "40 kB"
"#;

/// The registry's DIBS as a plug-in, with its defaults; the template's last line, which names the scheme, follows.
const DIBS: &str = r#"
use sidestep_plugin::ForSwitch;
use sidestep_plugin::switch::{Buffer, DropReason, Place, Queues, Verdict, Want};
use sidestep_plugin::types::{Packet, PortId, Rng, scale};

struct Dibs(u32);

impl ForSwitch for Dibs {
    fn for_switch(_: &Place) -> Dibs {
        Dibs(0)
    }
}

impl Buffer for Dibs {
    fn admit(&mut self, packet: &Packet, want: Want, queues: &mut dyn Queues, rng: &mut Rng) -> Verdict {
        self.0 += 1;
        if want.fits {
            return Verdict::Enqueue { mark: want.depth.packets >= 20 };
        }
        let open = queues.open_among(packet, queues.to_switch());
        match open.nth(scale(rng.draw(), open.len())) {
            Some(port) => Verdict::Detour { port: PortId(port.0), mark: true },
            None => Verdict::Drop(DropReason::Full),
        }
    }
}
"#;

/// Returns true if there is a cargo to build with; else skips with the reason.
fn cargo() -> bool {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let there = Command::new(cargo).arg("-V").output().is_ok();
    if !there {
        skip("skipped: no cargo to build a plug-in with");
    }
    there
}

/// Creates a room with the scenario and the plug-in `mine` of this source.
fn room(source: &str) -> Room {
    let room = Room::new();
    room.file("s.toml", SCENARIO);
    room.run(&["new-policy", "mine"]).with_status(0);
    write(&room, source);
    room
}

/// Writes the source of the plug-in `mine`, in the scheme of the buffer template.
fn write(room: &Room, source: &str) {
    let template = include_str!("../../study/src/plugin/template/buffer.rs.txt");
    let lines = template.lines();
    let export = lines.filter(|line| line.starts_with("sidestep_plugin::export!"));
    let export = export.map(|line| line.replace("Policy", "Dibs"));
    room.file(
        "mine/src/lib.rs",
        &format!("{source}{}\n", export.collect::<String>()),
    );
}

fn run(room: &Room, out: &str, more: &[&str]) -> Done {
    let mut args = vec![
        "run", "s.toml", "--plugin", "mine", "--out", out, "--cache", "kept",
    ];
    args.extend(more);
    room.run(&args)
}

fn manifest(room: &Room, out: &str) -> Value {
    let text = fs::read_to_string(room.path().join(out).join("manifest.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Returns the status of each scheme, and its trajectory hash.
fn schemes(room: &Room, out: &str) -> BTreeMap<String, (String, String)> {
    let manifest = manifest(room, out);
    let runs = manifest["runs"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_string();
    runs.map(|run| {
        let said = (text(&run["status"]), text(&run["trajectory_hash"]));
        (text(&run["scheme"]), said)
    })
    .collect()
}

/// Returns the path of the plug-in's library.
fn library(room: &Room) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| room.path().join("mine/target"));
    target.join("release/libmine.so")
}

#[test]
fn a_plug_in_makes_the_run_of_its_twin_and_is_kept_by_the_digest_of_its_library() {
    if !cargo() {
        return;
    }
    let room = room(DIBS);
    run(&room, "one", &[]).with_status(0);
    let one = schemes(&room, "one");
    assert_eq!(one["mine"].1, one["dibs"].1, "the shipped scheme");
    assert_ne!(one["mine"].1, one["dctcp"].1);
    let settings = manifest(&room, "one")["scenario"]["settings"].clone();
    let mut own = settings
        .as_array()
        .unwrap()
        .iter()
        .filter(|s| s["value"] == "plugin:mine");
    let source = own.next().expect("the policy is a setting")["source"]
        .as_str()
        .unwrap();
    assert!(source.starts_with("the caller's own, sha256:"), "{source}");

    run(&room, "two", &[]).with_status(0);
    assert_eq!(schemes(&room, "two")["mine"].0, "complete, from the cache");

    // `why` repeats its run with the plug-in, and refuses without it.
    let why = ["why", "one", "--scheme", "mine", "--detoured"];
    let refused = room.run(&why).with_status(2);
    let says = "cannot be repeated without its policies (buffer plugin:mine)";
    assert!(refused.err.contains(says), "{}", refused.err);
    let again = [&why[..], &["--plugin", "mine", "--json"]].concat();
    let told: Value = serde_json::from_str(&room.run(&again).with_status(0).out).unwrap();
    assert_eq!(told["run"]["trajectory_hash"], *one["mine"].1);
    room.run(&["why", "one", "--scheme", "dctcp", "--dropped"])
        .with_status(0);

    // With another library no kept run of the old one is used, and `why` reports that the run is another one.
    write(&room, &DIBS.replace(">= 20", ">= 10"));
    run(&room, "three", &[]).with_status(0);
    let other = room.run(&again).with_status(1);
    assert!(
        other.out.contains("differs from the recorded one"),
        "{}",
        other.out
    );
    let three = schemes(&room, "three");
    assert_eq!(three["mine"].0, "complete");
    assert_ne!(three["mine"].1, one["mine"].1);
    assert_eq!(three["dctcp"].0, "complete, from the cache");

    // A library of another version or compiler is refused before it is opened; both versions are named.
    let bytes = fs::read(library(&room)).unwrap();
    let version = format!("\nversion {}\n", env!("CARGO_PKG_VERSION"));
    let other = version.replace(|c: char| c.is_ascii_digit(), "7");
    let at = bytes
        .windows(version.len())
        .position(|here| here == version.as_bytes())
        .unwrap();
    let mut changed = bytes.clone();
    changed[at..at + other.len()].copy_from_slice(other.as_bytes());
    fs::write(room.path().join("other.so"), &changed).unwrap();
    let args = ["run", "s.toml", "--plugin", "other.so", "--out", "four"];
    let refused = room.run(&args).with_status(2);
    let built = format!(
        "got one built for sidestep {}",
        other.trim_start_matches("\nversion ").trim()
    );
    assert!(refused.err.contains(&built), "{}", refused.err);
    let this = format!(
        "expected a plug-in built for sidestep {}",
        env!("CARGO_PKG_VERSION")
    );
    assert!(refused.err.contains(&this), "{}", refused.err);
    fs::write(room.path().join("same.so"), &bytes).unwrap();
    let args = [
        "run",
        "s.toml",
        "--plugin",
        "same.so",
        "--out",
        "five",
        "--no-cache",
    ];
    room.run(&args).with_status(0);
    assert_eq!(schemes(&room, "five")["mine"].1, three["mine"].1);

    // An error of the policy ends the run and names the policy.
    let wrong = [
        (
            "self.0 += 1;",
            "self.0 += 1; assert!(self.0 < 50, \"fifty is enough\");",
            "it panicked: fifty is enough",
        ),
        (
            "PortId(port.0)",
            "PortId(99)",
            "expected a port from 0 to 3, got 99",
        ),
        (
            "self.0 += 1;",
            "queues.depth(PortId(4));",
            "it queried port 4: expected a port from 0 to 3",
        ),
        (
            "queues.to_switch()",
            "[PortId(0), PortId(5)].into_iter().collect()",
            "it queried port 5: expected a port from 0 to 3",
        ),
        ("Dibs(0)", "panic!(\"never\")", "it panicked: never"),
    ];
    for (from, to, says) in wrong {
        write(&room, &DIBS.replace(from, to));
        let failed = run(&room, "six", &[]).with_status(1);
        assert!(
            failed.err.contains("policy plugin:mine at switch "),
            "{}",
            failed.err
        );
        assert!(failed.err.contains(says), "{says}: {}", failed.err);
        assert!(
            says.contains("never") || failed.err.contains(", packet "),
            "{}",
            failed.err
        );
        assert!(!room.path().join("six").exists(), "nothing is half-written");
    }

    // The compiler's output is shown.
    write(&room, &DIBS.replace("Dibs(0)", "Dibs(nothing)"));
    let failed = run(&room, "seven", &[]).with_status(2);
    assert!(
        failed.err.contains("cannot find value `nothing`"),
        "{}",
        failed.err
    );
}

#[test]
fn what_is_written_of_each_kind_builds_and_passes_its_own_test() {
    if !cargo() {
        return;
    }
    let room = Room::new();
    room.file("s.toml", SCENARIO);
    room.run(&["new-policy", "mine", "--kind", "route"])
        .with_status(0);
    room.run(&["new-policy", "of-sched", "--kind", "sched"])
        .with_status(0);
    room.run(&["new-policy", "of-buffer"]).with_status(0);
    // One crate for all their sources in turn, so that the shared crates are built once.
    for of in ["mine", "of-sched", "of-buffer"] {
        let source = fs::read_to_string(room.path().join(of).join("src/lib.rs")).unwrap();
        assert!(source.lines().count() < 70, "{of}");
        room.file("mine/src/lib.rs", &source);
        let out = format!("out-{of}");
        run(&room, &out, &["--no-cache"][..0]).with_status(0);
        assert_eq!(schemes(&room, &out)["mine"].0, "complete", "{of}");
        let mut test = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        test.args(["test", "--release", "--offline", "--quiet"])
            .current_dir(room.path().join("mine"));
        let tested = test.output().unwrap();
        assert!(
            tested.status.success(),
            "{of}: {}",
            String::from_utf8_lossy(&tested.stderr)
        );
    }
}

#[test]
fn what_cannot_be_written_or_loaded_is_told_and_nothing_is_left() {
    let room = Room::new();
    room.file("s.toml", SCENARIO);
    for (name, says) in [
        ("Mine", "got \"Mine\"; did you mean \"mine\"?"),
        ("my_own", "did you mean \"my-own\"?"),
        ("1st", "beginning with a letter"),
        ("a-", "got \"a-\""),
        ("libm", "libm"),
        ("dibs", "is taken (see `sidestep list schemes`)"),
        ("power-of-two", "is taken (see `sidestep list routes`)"),
    ] {
        let refused = room.run(&["new-policy", name]).with_status(2);
        assert!(refused.err.contains(says), "{}", refused.err);
    }
    assert_eq!(room.names(), ["s.toml"]);
    room.run(&["new-policy", "mine"]).with_status(0);
    let again = room.run(&["new-policy", "mine"]).with_status(2);
    assert!(
        again.err.contains("cannot write mine: it already exists"),
        "{}",
        again.err
    );
    for (place, says) in [
        ("gone", "cannot read gone"),
        (
            "s.toml",
            "expected a plug-in of Sidestep, got a file without its stamp",
        ),
        (
            ".",
            "expected a crate with a Cargo.toml; `sidestep new-policy NAME` writes one",
        ),
    ] {
        let refused = room
            .run(&["run", "s.toml", "--plugin", place, "--out", "out"])
            .with_status(2);
        assert!(refused.err.contains(says), "{}", refused.err);
    }
    assert!(!room.path().join("out").exists());
}
