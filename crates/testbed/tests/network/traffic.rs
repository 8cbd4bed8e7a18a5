//! Tests of flows over the testbed: every byte arrives, none too early, and unfinished flows are reported as
//! such.
//!
//! Upper bounds on time would depend on the machine: only what the links forbid is checked.

use crate::common::{Bed, PLENTY_NS, inside, star};
use crate::needs_namespaces;
use sidestep_testbed::traffic::{Flow, FlowRan, Job, Start, run};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

fn flow(src: usize, dst: usize, bytes: u64, start: Start) -> Flow {
    Flow {
        src,
        dst,
        bytes: Some(bytes),
        start,
        back_on: None,
        says: None,
        mss: None,
    }
}

#[test]
fn an_incast_delivers_every_byte_once() {
    needs_namespaces!();
    let bed = Bed::up(star("inc", 4));
    let flows = (0..9).map(|i| flow(i % 3, 3, 32_000, Start::At(1_000_000 * i as u64)));
    let job = Job {
        flows: flows.collect(),
        lasts_ns: 0,
        horizon_ns: PLENTY_NS,
    };
    let ran = run(&bed.0, &job, &AtomicBool::new(false)).unwrap();
    assert_eq!(ran.warnings, [""; 0]);
    for (i, flow) in ran.flows.iter().enumerate() {
        assert_eq!(flow.delivered, 32_000);
        let (due, started) = (flow.due_ns.unwrap(), flow.started_ns.unwrap());
        assert_eq!(due, 1_000_000 * i as u64);
        assert!(
            started >= due && flow.finished_ns.unwrap() > started,
            "{flow:?}"
        );
    }
    // Three hosts send 288 kB over links of 100 Mbps, so the last one ends after its 96 kB have left.
    let first_of_all = ran
        .flows
        .iter()
        .map(|f| f.started_ns.unwrap())
        .min()
        .unwrap();
    let last = ran
        .flows
        .iter()
        .map(|f| f.finished_ns.unwrap())
        .max()
        .unwrap();
    assert!(last - first_of_all > 7_680_000, "{last} - {first_of_all}");
    let sent: u64 = ran.hosts[..3].iter().map(|h| h.sent_bytes).sum();
    assert!(sent > 288_000, "{sent}");
}

/// Frames and bytes that a host has sent, with the times before and after the reading.
struct Sample {
    before: Instant,
    frames: u64,
    bytes: u64,
    after: Instant,
}

impl Sample {
    fn of(space: &str) -> Sample {
        let before = Instant::now();
        let table = inside(space, &["cat", "/proc/net/dev"]);
        let after = Instant::now();
        let line = table.lines().find_map(|l| l.trim().strip_prefix("eth0:"));
        let numbers: Vec<u64> = line
            .unwrap()
            .split_whitespace()
            .map(|n| n.parse().unwrap())
            .collect();
        Sample {
            before,
            frames: numbers[9],
            bytes: numbers[8],
            after,
        }
    }

    /// Returns the least time, in nanoseconds, for a link of 100 Mbps to carry the frames since `first`: FCS,
    /// preamble and gap are 24 B of each frame. The token bucket lets 3100 B through at once, and another
    /// bucketful may have left but not been counted when `first` was read.
    fn least_ns(&self, first: &Sample) -> u64 {
        let bytes = self.bytes - first.bytes + 24 * (self.frames - first.frames);
        bytes.saturating_sub(2 * 3100) * 8 * 10
    }
}

#[test]
fn a_hosts_link_carries_its_rate_and_no_more() {
    needs_namespaces!();
    let bed = Bed::up(star("rate", 2));
    let space = bed.0.host_space(0);
    let tc = inside(&space, &["tc", "qdisc", "show", "dev", "eth0"]);
    assert!(tc.contains("tbf") && tc.contains("rate 100Mbit"), "{tc}");
    let job = Job {
        flows: vec![flow(0, 1, 10_000_000, Start::At(0))],
        lasts_ns: 0,
        horizon_ns: PLENTY_NS,
    };
    // The first sample precedes the traffic and the last follows it, however late they are read.
    let mut samples = vec![Sample::of(&space)];
    let ran = std::thread::scope(|scope| {
        let running = scope.spawn(|| run(&bed.0, &job, &AtomicBool::new(false)).unwrap());
        while !running.is_finished() {
            samples.push(Sample::of(&space));
        }
        running.join().unwrap()
    });
    samples.push(Sample::of(&space));
    assert_eq!(ran.flows[0].delivered, 10_000_000);
    let took = ran.flows[0].finished_ns.unwrap() - ran.flows[0].started_ns.unwrap();
    // 1460 B of payload cost 1538 B of link time, less the bucket's two packets.
    let least = 10_000_000 / 1460 * 1538 * 8 * 10 - 2 * 1538 * 8 * 10;
    assert!(took >= least, "{took} ns, at least {least}");
    // No interval carries more than the rate allows.
    for (i, first) in samples.iter().enumerate() {
        for last in &samples[i + 1..] {
            let (least, at_most) = (last.least_ns(first), last.after - first.before);
            assert!(
                u128::from(least) <= at_most.as_nanos(),
                "{least} in {at_most:?}"
            );
        }
    }
    let (first, last) = (&samples[0], &samples[samples.len() - 1]);
    assert!(last.bytes - first.bytes > 10_000_000, "{}", last.bytes);
}

#[test]
fn a_flow_that_waits_starts_after_what_it_waits_for() {
    needs_namespaces!();
    let bed = Bed::up(star("req", 2));
    let answer = Start::After {
        flow: 0,
        wait_ns: 3_000_000,
    };
    let job = Job {
        flows: vec![flow(0, 1, 100, Start::At(0)), flow(1, 0, 20_000, answer)],
        lasts_ns: 0,
        horizon_ns: PLENTY_NS,
    };
    let ran = run(&bed.0, &job, &AtomicBool::new(false)).unwrap();
    let [request, response] = &ran.flows[..] else {
        panic!()
    };
    assert_eq!(
        response.due_ns.unwrap(),
        request.finished_ns.unwrap() + 3_000_000
    );
    assert!(response.started_ns >= response.due_ns && response.finished_ns.is_some());
}

#[test]
fn an_answer_comes_back_over_the_connection_of_its_request() {
    needs_namespaces!();
    let bed = Bed::up(star("back", 3));
    let after = |flow| Start::After { flow, wait_ns: 0 };
    let back = |on, src, bytes| Flow {
        back_on: Some(on),
        ..flow(src, 0, bytes, after(on))
    };
    let mut job = Job {
        flows: vec![
            flow(0, 1, 100, Start::At(0)),
            back(0, 1, 30_000),
            flow(0, 2, 200, Start::At(0)),
            back(2, 2, 40_000),
        ],
        lasts_ns: 0,
        horizon_ns: PLENTY_NS,
    };
    let ran = run(&bed.0, &job, &AtomicBool::new(false)).unwrap();
    assert_eq!(ran.warnings, [""; 0]);
    for asked in [0, 2] {
        let [request, answer] = [ran.flows[asked], ran.flows[asked + 1]];
        assert_eq!(answer.due_ns, request.finished_ns);
        assert!(answer.finished_ns > answer.started_ns);
        assert_eq!([request, answer].map(|f| Some(f.delivered)), {
            [job.flows[asked].bytes, job.flows[asked + 1].bytes]
        });
        // Both flows have the statistics of the same socket at each end.
        let ends = |f: FlowRan| [f.sender.data_segments_out, f.receiver.data_segments_in];
        assert_eq!(ends(request)[0], request.receiver.data_segments_in);
        assert_eq!(
            request.sender.data_segments_in,
            answer.receiver.data_segments_in
        );
        assert_eq!(
            answer.sender.data_segments_in,
            request.receiver.data_segments_in
        );
        assert!(ends(answer)[0] > ends(request)[0]);
    }
    for (wrong, flow) in [(3, 1), (1, 3), (2, 1)] {
        job.flows[flow].back_on = Some(wrong);
        let why = run(&bed.0, &job, &AtomicBool::new(false)).unwrap_err();
        let expected = format!("flow {flow} shares the connection of flow {wrong}: expected");
        assert!(why.to_string().contains(&expected), "{why}");
        job.flows[flow].back_on = Some(flow - 1);
    }
}

#[test]
fn segments_are_as_long_as_their_flow_says() {
    needs_namespaces!();
    let bed = Bed::up(star("mss", 3));
    let sized = |mss| Flow {
        mss,
        ..flow(0, 1, 20_000, Start::At(0))
    };
    let each = [Some(88), Some(536), Some(1460), None];
    let mut job = Job {
        flows: each.map(sized).to_vec(),
        lasts_ns: 0,
        horizon_ns: PLENTY_NS,
    };
    let ran = run(&bed.0, &job, &AtomicBool::new(false)).unwrap();
    assert_eq!(ran.warnings, [""; 0]);
    for (flow, mss) in ran.flows.iter().zip(each) {
        let mss = mss.unwrap_or(1460);
        assert_eq!((flow.delivered, flow.sender.snd_mss), (20_000, mss));
        let least = 20_000u32.div_ceil(mss);
        assert!(flow.sender.data_segments_out >= Some(least), "{flow:?}");
        let again = least + flow.sender.retransmits;
        assert!(flow.sender.data_segments_out <= Some(again), "{flow:?}");
    }
    for wrong in [87, 1461] {
        job.flows[1].mss = Some(wrong);
        let why = run(&bed.0, &job, &AtomicBool::new(false)).unwrap_err();
        let expected = "flow 1: mss: expected 88 B to 1460 B";
        assert!(why.to_string().contains(expected), "{why}");
    }
}

#[test]
fn a_closed_loop_goes_on_until_its_window_ends() {
    needs_namespaces!();
    let bed = Bed::up(star("loop", 3));
    let until_ns = 300_000_000;
    // Each takes 8 ms of its link: the window holds 37 of them.
    let flows = (0..60).map(|i| {
        let start = match i {
            0 => Start::At(0),
            _ => Start::Replace {
                flow: i - 1,
                until_ns,
            },
        };
        flow(i % 3, (i + 1) % 3, 100_000, start)
    });
    let job = Job {
        flows: flows.collect(),
        lasts_ns: until_ns,
        horizon_ns: PLENTY_NS,
    };
    let ran = run(&bed.0, &job, &AtomicBool::new(false)).unwrap();
    assert!(
        (until_ns..PLENTY_NS).contains(&ran.end_ns),
        "{}",
        ran.end_ns
    );
    // The run ends with its window, possibly before the last flow that is due has started.
    let due = ran.flows.iter().filter(|f| f.due_ns.is_some()).count();
    assert!((1..=38).contains(&due), "{due}");
    // On a busy machine there may be few: each flow that ends within the window is replaced, and no other.
    let goes_on =
        ran.flows[due - 1].finished_ns < Some(until_ns) && ran.flows[due - 1].finished_ns.is_some();
    assert!(!goes_on || due == ran.flows.len(), "{due}");
    for (i, two) in ran.flows[..due].windows(2).enumerate() {
        assert_eq!(two[1].due_ns, two[0].finished_ns, "flow {i}");
        assert!(two[1].due_ns < Some(until_ns));
    }
    for never in &ran.flows[due..] {
        assert_eq!((never.started_ns, never.delivered), (None, 0));
    }
}

#[test]
fn what_is_not_finished_at_the_horizon_never_is() {
    needs_namespaces!();
    let bed = Bed::up(star("cut", 2));
    let endless = Flow {
        bytes: None,
        ..flow(0, 1, 0, Start::At(0))
    };
    // The first takes 40 s of its link, 20 times the horizon.
    let job = Job {
        flows: vec![
            flow(0, 1, 500_000_000, Start::At(0)),
            flow(1, 0, 1_000, Start::At(0)),
            endless,
        ],
        lasts_ns: 1_000_000_000,
        horizon_ns: 2_000_000_000,
    };
    let ran = run(&bed.0, &job, &AtomicBool::new(false)).unwrap();
    assert!(ran.end_ns >= job.horizon_ns, "{}", ran.end_ns);
    assert_eq!(ran.flows[0].finished_ns, None);
    assert_eq!(ran.flows[2].finished_ns, None);
    let together = ran.flows[0].delivered + ran.flows[2].delivered;
    assert!(together > 0 && together < 500_000_000, "{together}");
    // Bytes that a late kernel delivers after the end belong to no flow.
    let short = ran.flows[1];
    assert_eq!(short.finished_ns.is_some(), short.delivered == 1_000);
}
