//! Flows over the testbed: every byte arrives, on time, and unfinished ones are said to be.

use crate::common::{Bed, star};
use crate::needs_namespaces;
use sidestep_testbed::traffic::{Flow, Job, Start, run};
use std::sync::atomic::AtomicBool;

fn flow(src: usize, dst: usize, bytes: u64, start: Start) -> Flow {
    Flow {
        src,
        dst,
        bytes: Some(bytes),
        start,
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
        horizon_ns: 5_000_000_000,
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
    // Three hosts share out 288 kB over links of 100 Mbps, so none is done before its 96 kB have left.
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

#[test]
fn a_hosts_link_carries_its_rate_and_no_more() {
    needs_namespaces!();
    let bed = Bed::up(star("rate", 2));
    let job = Job {
        flows: vec![flow(0, 1, 2_500_000, Start::At(0))],
        lasts_ns: 0,
        horizon_ns: 5_000_000_000,
    };
    let ran = run(&bed.0, &job, &AtomicBool::new(false)).unwrap();
    let took = (ran.flows[0].finished_ns.unwrap() - ran.flows[0].started_ns.unwrap()) as f64;
    // 1460 B of payload cost 1538 B of link time.
    let expected = 2_500_000.0 * 8.0 * 1538.0 / 1460.0 / 100e6 * 1e9;
    assert!(
        (0.99..1.05).contains(&(took / expected)),
        "{took} ns, {expected} expected"
    );
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
        horizon_ns: 2_000_000_000,
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
fn what_is_not_finished_at_the_horizon_never_is() {
    needs_namespaces!();
    let bed = Bed::up(star("cut", 2));
    let job = Job {
        flows: vec![
            flow(0, 1, 50_000_000, Start::At(0)),
            flow(1, 0, 1_000, Start::At(0)),
            Flow {
                src: 0,
                dst: 1,
                bytes: None,
                start: Start::At(0),
            },
        ],
        lasts_ns: 100_000_000,
        horizon_ns: 200_000_000,
    };
    let ran = run(&bed.0, &job, &AtomicBool::new(false)).unwrap();
    assert_eq!(ran.flows[0].finished_ns, None);
    assert!(ran.flows[0].delivered > 100_000 && ran.flows[2].delivered > 100_000);
    assert!(ran.flows[1].finished_ns.is_some());
    assert!(
        (200_000_000..400_000_000).contains(&ran.end_ns),
        "{}",
        ran.end_ns
    );
}
