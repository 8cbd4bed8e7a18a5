//! Tests of the kernel's MPTCP: the requested number of subflows, and every byte delivered once.

use crate::common::{Bed, PLENTY_NS, inside, star};
use crate::needs_namespaces;
use sidestep_testbed::traffic::{Flow, Job, RunActivities, Start, run, run_with};
use std::sync::atomic::AtomicBool;

/// Returns a counter of /proc/net/netstat in a namespace.
fn counted(space: &str, name: &str) -> u64 {
    let text = inside(space, &["cat", "/proc/net/netstat"]);
    let lines: Vec<&str> = text.lines().collect();
    let found = lines.chunks_exact(2).find_map(|two| {
        let place = two[0].split_whitespace().position(|word| word == name)?;
        two[1].split_whitespace().nth(place)?.parse().ok()
    });
    found.unwrap_or_else(|| panic!("{name} is counted"))
}

fn flow(src: usize, dst: usize, bytes: Option<u64>) -> Flow {
    Flow {
        src,
        dst,
        bytes,
        start: Start::At(0),
        back_on: None,
        says: None,
        mss: None,
    }
}

#[test]
fn a_connection_has_four_subflows_and_delivers_every_byte_once() {
    needs_namespaces!();
    let mut print = star("mp", 3);
    print.settings.subflows = Some(4);
    let Some(bed) = Bed::up_or_skip(print) else {
        return;
    };
    let job = Job {
        // Each host opens a connection and accepts one: announcements go in both directions.
        flows: (0..3)
            .map(|h| flow(h, (h + 1) % 3, Some(400_000)))
            .collect(),
        lasts_ns: 0,
        horizon_ns: PLENTY_NS,
    };
    for again in 1..=2 {
        let during = RunActivities {
            asks: true,
            ..RunActivities::default()
        };
        let ran = run_with(&bed.0, &job, during, &AtomicBool::new(false)).unwrap();
        assert_eq!(ran.warnings, [""; 0]);
        for (i, flow) in ran.flows.iter().enumerate() {
            // Each query has an answer for each subflow.
            let answers = ran.answers.list.iter().filter(|a| a.flow == i);
            let numbers: Vec<_> = answers.map(|a| a.subflow).collect();
            assert!(!numbers.is_empty(), "flow {i}");
            let each = [0, 1, 2, 3].map(Some);
            assert!(numbers.chunks(4).all(|four| four == each), "{numbers:?}");
            assert_eq!(flow.delivered, 400_000);
            let least = 400_000u32.div_ceil(1460);
            assert!(flow.sender.data_segments_out >= Some(least), "{flow:?}");
            assert!(flow.receiver.data_segments_in >= Some(least), "{flow:?}");
        }
        for h in 0..3 {
            let space = bed.0.host_space(h);
            assert_eq!(counted(&space, "MPJoinSynAckRx"), 3 * again, "host {h}");
            assert_eq!(counted(&space, "MPJoinRejected"), 0, "host {h}");
        }
    }
}

#[test]
fn what_an_ended_run_has_not_sent_is_forgotten() {
    needs_namespaces!();
    let mut print = star("mpend", 2);
    print.settings.subflows = Some(2);
    let Some(bed) = Bed::up_or_skip(print) else {
        return;
    };
    let mut job = Job {
        flows: vec![flow(0, 1, None)],
        lasts_ns: 200_000_000,
        horizon_ns: 200_000_000,
    };
    let ran = run(&bed.0, &job, &AtomicBool::new(false)).unwrap();
    assert!(ran.flows[0].delivered > 0);
    job.flows = vec![flow(1, 0, Some(10_000))];
    job.horizon_ns = PLENTY_NS;
    let ran = run(&bed.0, &job, &AtomicBool::new(false)).unwrap();
    assert_eq!(ran.flows[0].delivered, 10_000);
    // Less than the megabyte that the kernel had accepted from the endless flow.
    assert!(ran.hosts[0].sent_bytes < 100_000, "{:?}", ran.hosts[0]);
}
