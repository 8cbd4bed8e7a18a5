//! Hosts that mark what they send: what is on the wire, as a host at the other end sees it.

use crate::common::{Bed, PLENTY_NS, inside, skip, star, traces};
use crate::needs_namespaces;
use sidestep_testbed::network::blueprint::{Blueprint, Marks};
use sidestep_testbed::traffic::{Flow, Job, Start, run};
use std::collections::BTreeMap;
use std::process::Command;
use std::sync::atomic::AtomicBool;

/// Short, middle and long.
fn marks(by_sent: bool) -> Marks {
    Marks {
        by_sent,
        thresholds: vec![20_000, 100_000],
        services: vec![46, 10, 8],
        mirrors: true,
    }
}

fn flow(src: usize, dst: usize, bytes: u64) -> Flow {
    Flow {
        src,
        dst,
        bytes: Some(bytes),
        start: Start::At(0),
        back_on: None,
        mss: None,
    }
}

/// Counts at the interface of host 0, with `tc`: packets of each code point that come and leave.
struct Wire<'a>(&'a Blueprint);

/// The matches of `tc … u32`, each with what it counts: code point and flags of TCP over IPv4 without options.
const SEEN: [(&str, u8, Option<u8>); 8] = [
    ("syn 46", 46, Some(2)),
    ("syn 10", 10, Some(2)),
    ("syn 8", 8, Some(2)),
    ("syn 0", 0, Some(2)),
    ("46", 46, None),
    ("10", 10, None),
    ("8", 8, None),
    ("0", 0, None),
];

impl Wire<'_> {
    /// Counts what host 0 sends and gets from now on, behind what marks there.
    fn watch(&self) {
        let space = self.0.host_space(0);
        let _ = Command::new("ip")
            .args([
                "netns", "exec", &space, "tc", "qdisc", "add", "dev", "eth0", "clsact",
            ])
            .output();
        for side in ["ingress", "egress"] {
            for (n, (_, dscp, flags)) in SEEN.iter().enumerate() {
                let (prio, field) = ((50 + n).to_string(), format!("{:#x}", dscp << 2));
                let mut words = vec![
                    "tc", "filter", "add", "dev", "eth0", side, "protocol", "ip", "prio",
                ];
                words.extend([
                    prio.as_str(),
                    "u32",
                    "match",
                    "ip",
                    "dsfield",
                    field.as_str(),
                    "0xfc",
                ]);
                words.extend(["match", "ip", "protocol", "6", "0xff"]);
                let bits = flags.map(|bits| format!("{bits:#x}"));
                if let Some(bits) = &bits {
                    words.extend(["match", "u8", bits.as_str(), "0x02", "at", "33"]);
                }
                words.extend(["action", "continue"]);
                inside(&space, &words);
            }
        }
    }

    /// What was counted at a side.
    fn counted(&self, side: &str) -> BTreeMap<&'static str, u64> {
        let space = self.0.host_space(0);
        let words = ["tc", "-s", "-j", "filter", "show", "dev", "eth0", side];
        let said: serde_json::Value = serde_json::from_str(&inside(&space, &words)).unwrap();
        let mut all = BTreeMap::new();
        for filter in said.as_array().unwrap() {
            let place = filter["pref"].as_u64().and_then(|n| n.checked_sub(50));
            let packets = filter["options"]["actions"][0]["stats"]["packets"].as_u64();
            if let (Some(place), Some(packets)) = (place, packets) {
                let (name, ..) = SEEN[place as usize];
                *all.entry(name).or_default() += packets;
            }
        }
        all
    }
}

fn job(flows: Vec<Flow>) -> Job {
    Job {
        flows,
        lasts_ns: 0,
        horizon_ns: PLENTY_NS,
    }
}

#[test]
fn sockets_mark_their_syns_their_data_and_what_answers() {
    needs_namespaces!();
    let mut print = star("tos", 2);
    print.settings.marks = Some(marks(false));
    let bed = Bed::up(print);
    let wire = Wire(&bed.0);
    wire.watch();
    let flows = vec![flow(0, 1, 20_000), flow(0, 1, 20_001), flow(1, 0, 200_000)];
    let ran = run(&bed.0, &job(flows), &AtomicBool::new(false)).unwrap();
    assert_eq!(ran.warnings, [""; 0]);
    let delivered: Vec<u64> = ran.flows.iter().map(|f| f.delivered).collect();
    assert_eq!(delivered, [20_000, 20_001, 200_000]);
    for side in ["egress", "ingress"] {
        let seen = wire.counted(side);
        // One SYN or SYN/ACK of each class either way, data of one end and acknowledgements of the other.
        for (name, expected) in [("syn 46", 1), ("syn 10", 1), ("syn 8", 1), ("syn 0", 0)] {
            assert_eq!(seen[name], expected, "{side} {name}: {seen:?}");
        }
        for dscp in ["46", "10", "8"] {
            assert!(seen[dscp] > 5, "{side} {dscp}: {seen:?}");
        }
        assert_eq!(seen["0"], 0, "{side}: {seen:?}");
    }
}

#[test]
fn a_program_marks_anew_behind_thresholds_what_no_socket_marks() {
    needs_namespaces!();
    let mut print = star("sent", 2);
    print.settings.marks = Some(marks(true));
    let Some(bed) = Bed::up_or_skip(print) else {
        return;
    };
    let name = bed.0.name.clone();
    let wire = Wire(&bed.0);
    wire.watch();
    let both = vec![flow(0, 1, 200_000), flow(1, 0, 15_000)];
    for _ in 0..2 {
        let ran = run(&bed.0, &job(both.clone()), &AtomicBool::new(false)).unwrap();
        assert_eq!(ran.flows.iter().map(|f| f.delivered).sum::<u64>(), 215_000);
        let changed = ran.hosts[0].tcp["MarksChanged"];
        assert!(changed > 100, "{changed}");
    }
    let seen = wire.counted("egress");
    // 20 kB, 80 kB and 100 kB of 1460 B each, twice; more where some was sent again.
    assert_eq!((seen["syn 46"], seen["syn 0"]), (4, 0), "{seen:?}");
    for (dscp, least) in [("46", 2 * 14), ("10", 2 * 54), ("8", 2 * 68)] {
        assert!(seen[dscp] >= least, "{dscp}: {seen:?}");
    }
    assert_eq!(seen["0"], 0, "{seen:?}");
    // Acknowledgements come back with what they answer.
    let seen = wire.counted("ingress");
    assert!(seen["10"] > 0 && seen["8"] > 0, "{seen:?}");
    assert_eq!(seen["0"], 0, "{seen:?}");
    let pins = format!("/sys/fs/bpf/sidestep-{name}-marks");
    assert!(std::path::Path::new(&pins).exists());
    drop(bed);
    assert!(!std::path::Path::new(&pins).exists());
    assert_eq!(traces(&name), [""; 0]);
}

/// A frame of TCP over IPv4 or IPv6 with this class in its header, and a right checksum of IPv4.
fn frame(six: bool, field: u8, seq: u32, payload: usize) -> Vec<u8> {
    let mut f = vec![0; 14];
    f[12..14].copy_from_slice(if six { &[0x86, 0xdd] } else { &[8, 0] });
    let length = 20 + payload as u16;
    if six {
        f.extend([0x60 | field >> 4, field << 4 | 3, 1, 2]);
        f.extend(length.to_be_bytes());
        f.extend([6, 64]);
        f.extend([0xfd; 16]);
        f.extend([0xfe; 16]);
    } else {
        f.extend([0x45, field]);
        f.extend((20 + length).to_be_bytes());
        f.extend([0, 1, 0, 0, 64, 6, 0, 0, 10, 77, 9, 1, 10, 77, 9, 2]);
        let sum = !sum(&f[14..]);
        f[24..26].copy_from_slice(&sum.to_be_bytes());
    }
    f.extend([0, 1, 0, 2]);
    f.extend(seq.to_be_bytes());
    f.extend([0, 0, 0, 0, 0x50, 16, 0, 9, 0, 0, 0, 0]);
    f.resize(f.len() + payload, 7);
    f
}

/// The sum of a header, in ones' complement.
fn sum(header: &[u8]) -> u16 {
    let words = header
        .chunks(2)
        .map(|two| u32::from(two[0]) << 8 | u32::from(two[1]));
    let mut all: u32 = words.sum();
    while all > 0xffff {
        all = (all & 0xffff) + (all >> 16);
    }
    all as u16
}

#[test]
fn the_kernel_writes_a_header_that_is_right_over_ipv4_and_ipv6() {
    needs_namespaces!();
    let mut print = star("sum", 2);
    print.settings.marks = Some(marks(true));
    let Some(bed) = Bed::up_or_skip(print) else {
        return;
    };
    run(
        &bed.0,
        &job(vec![flow(0, 1, 1_000)]),
        &AtomicBool::new(false),
    )
    .unwrap();
    let pinned = format!(
        "/sys/fs/bpf/sidestep-{}-marks/h0/sidestep_sends",
        bed.0.name
    );
    let folder = tempfile::tempdir().unwrap();
    let [before, after] = ["in", "out"].map(|file| folder.path().join(file));
    for six in [false, true] {
        // 1000 B a segment: the 21st and the 101st begin behind a threshold.
        for (n, dscp) in (0..120).map(|n| (n, if n < 20 { 46 } else { 10 })) {
            let dscp = if n < 100 { dscp } else { 8 };
            // Two of ten are looked at.
            if n % 10 > 1 {
                continue;
            }
            let frame_before = frame(six, 0b1011_0110, 1 + n * 1_000, 1_000);
            std::fs::write(&before, &frame_before).unwrap();
            let _ = std::fs::remove_file(&after);
            let done = Command::new("bpftool")
                .args(["prog", "run", "pinned", &pinned, "data_in"])
                .arg(&before)
                .arg("data_out")
                .arg(&after)
                .output()
                .unwrap();
            if !done.status.success() {
                let why = String::from_utf8_lossy(&done.stderr);
                return skip(&format!("skipped: bpftool prog run: {why}"));
            }
            let got = std::fs::read(&after).unwrap();
            // Code point 45 before; congestion bits and all else as they were.
            assert_eq!(
                got,
                frame(six, dscp << 2 | 2, 1 + n * 1_000, 1_000),
                "{six} {n}"
            );
            assert!(six || sum(&got[14..34]) == 0xffff);
        }
    }
}
