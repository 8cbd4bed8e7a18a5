//! Tests of packet marks set by hosts: the frames on the wire, as seen at a host's interface.

use crate::common::{Bed, PLENTY_NS, skip, star, traces};
use crate::needs_namespaces;
use sidestep_testbed::network::blueprint::{Blueprint, Marks};
use sidestep_testbed::traffic::{Flow, Job, Start, run};
use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

/// Marks of short, middle and long flows.
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
        says: Some(bytes),
        mss: None,
    }
}

/// Packet socket at host 0's link that stays in its namespace: all frames sent and received.
struct Wire(OwnedFd);

/// Packets of TCP over IPv4 by direction (true if they leave), code point, and whether they open a connection.
type MarkCounts = BTreeMap<(bool, u8, bool), u32>;

impl Wire {
    fn of(print: &Blueprint) -> Wire {
        let space = File::open(format!("/run/netns/{}", print.host_space(0))).unwrap();
        let opened = std::thread::spawn(move || {
            // SAFETY: plain calls; the namespace is that of this thread, which ends.
            unsafe {
                assert_eq!(libc::setns(space.as_raw_fd(), libc::CLONE_NEWNET), 0);
                let all = i32::from((libc::ETH_P_ALL as u16).to_be());
                let kind = libc::SOCK_RAW | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
                let fd = libc::socket(libc::AF_PACKET, kind, all);
                assert!(fd >= 0);
                let room: libc::c_int = 64 << 20;
                let len = size_of::<libc::c_int>() as libc::socklen_t;
                let value = (&raw const room).cast();
                libc::setsockopt(fd, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, value, len);
                OwnedFd::from_raw_fd(fd)
            }
        });
        Wire(opened.join().unwrap())
    }

    /// Counts all packets since the last call.
    fn seen(&self) -> MarkCounts {
        let mut all = MarkCounts::new();
        let mut frame = [0u8; 2048];
        loop {
            // SAFETY: an all-zero address is valid; the kernel writes at most as many bytes as there is room
            // for.
            let (n, from) = unsafe {
                let mut from: libc::sockaddr_ll = std::mem::zeroed();
                let mut len = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
                let n = libc::recvfrom(
                    self.0.as_raw_fd(),
                    frame.as_mut_ptr().cast(),
                    frame.len(),
                    0,
                    (&raw mut from).cast(),
                    &raw mut len,
                );
                (n, from)
            };
            if n < 0 {
                return all;
            }
            if n < 54 || frame[12..14] != [8, 0] || frame[23] != 6 {
                continue;
            }
            let leaves = from.sll_pkttype == libc::PACKET_OUTGOING;
            *all.entry((leaves, frame[15] >> 2, frame[47] & 2 != 0))
                .or_default() += 1;
        }
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
    let wire = Wire::of(&bed.0);
    let flows = vec![flow(0, 1, 20_000), flow(0, 1, 20_001), flow(1, 0, 200_000)];
    let ran = run(&bed.0, &job(flows), &AtomicBool::new(false)).unwrap();
    assert_eq!(ran.warnings, [""; 0]);
    let delivered: Vec<u64> = ran.flows.iter().map(|f| f.delivered).collect();
    assert_eq!(delivered, [20_000, 20_001, 200_000]);
    let seen = wire.seen();
    for leaves in [true, false] {
        // A SYN or SYN/ACK of each class in either direction, data from one end and acknowledgements from the
        // other.
        for dscp in [46, 10, 8] {
            assert!(seen.contains_key(&(leaves, dscp, true)), "{seen:?}");
            assert!(seen[&(leaves, dscp, false)] > 0, "{seen:?}");
        }
    }
    let known = |(_, dscp, _): &(bool, u8, bool)| [46, 10, 8].contains(dscp);
    assert!(seen.keys().all(known), "{seen:?}");
}

#[test]
fn a_socket_marks_by_what_its_flow_says_of_its_size() {
    needs_namespaces!();
    let mut print = star("says", 2);
    print.settings.marks = Some(marks(false));
    let bed = Bed::up(print);
    let wire = Wire::of(&bed.0);
    let lies = Flow {
        says: Some(20_000),
        ..flow(0, 1, 200_000)
    };
    let ran = run(&bed.0, &job(vec![lies]), &AtomicBool::new(false)).unwrap();
    assert_eq!(ran.flows[0].delivered, 200_000);
    let seen = wire.seen();
    assert!(seen.contains_key(&(true, 46, false)), "{seen:?}");
    assert!(seen.keys().all(|(_, dscp, _)| *dscp == 46), "{seen:?}");
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
    let wire = Wire::of(&bed.0);
    for _ in 0..2 {
        let both = vec![flow(0, 1, 200_000), flow(1, 0, 15_000)];
        let ran = run(&bed.0, &job(both), &AtomicBool::new(false)).unwrap();
        assert_eq!(ran.flows.iter().map(|f| f.delivered).sum::<u64>(), 215_000);
        let changed = ran.hosts[0].tcp["MarksChanged"];
        assert!(changed > 0, "{changed}");
        let seen = wire.seen();
        assert!(seen.contains_key(&(true, 46, true)), "{seen:?}");
        // The first 20 kB are in the first class, and the last 36 kB in the last: a piece that the kernel hands
        // down at once, at most 64 kB, has one class.
        for (dscp, least) in [(46, 14), (10, 1), (8, 24)] {
            assert!(seen[&(true, dscp, false)] >= least, "{dscp}: {seen:?}");
        }
        // Acknowledgements have the code point of the data they acknowledge.
        for dscp in [10, 8] {
            assert!(seen[&(false, dscp, false)] > 0, "{dscp}: {seen:?}");
        }
    }
    let pins = format!("/sys/fs/bpf/sidestep-{name}_marks");
    assert!(Path::new(&pins).exists());
    drop(bed);
    assert!(!Path::new(&pins).exists());
    assert_eq!(traces(&name), [""; 0]);
}

/// Builds a frame of TCP over IPv4 or IPv6 with this class in its header, and a valid IPv4 checksum.
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

/// Returns the ones' complement sum of a header.
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
        "/sys/fs/bpf/sidestep-{}_marks/h0/sidestep_sends",
        bed.0.name
    );
    let folder = tempfile::tempdir().unwrap();
    let [before, after] = ["in", "out"].map(|file| folder.path().join(file));
    for six in [false, true] {
        // 1000 B a segment: the 21st and the 101st begin after a threshold.
        for (n, dscp) in (0..120).map(|n| (n, if n < 20 { 46 } else { 10 })) {
            let dscp = if n < 100 { dscp } else { 8 };
            // Two of ten are checked.
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
            // Code point 45 before; the congestion bits and everything else are unchanged.
            assert_eq!(
                got,
                frame(six, dscp << 2 | 2, 1 + n * 1_000, 1_000),
                "{six} {n}"
            );
            assert!(six || sum(&got[14..34]) == 0xffff);
        }
    }
}
