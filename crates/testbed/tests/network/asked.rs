//! Tests of kernel statistics during a run: the flows and times of queries, and the counts that never decrease.

use crate::common::{Bed, DCTCP, star, table1};
use crate::needs_namespaces;
use sidestep_testbed::traffic::{
    Answer, EVERY_NS, Flow, Job, Ran, RunActivities, Start, run, run_with,
};
use std::sync::atomic::AtomicBool;

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

/// Twenty flows shorter than the interval of queries, one that lasts 40 intervals, one that answers it, an
/// endless one, and one that waits for it.
fn job() -> Job {
    let after = |flow| Start::After { flow, wait_ns: 0 };
    let mut flows: Vec<Flow> = (0..20)
        .map(|i| flow(i % 2, 2, 3_000, Start::At(7_000_000 * i as u64)))
        .collect();
    flows.push(flow(0, 1, 5_000_000, Start::At(0)));
    flows.push(Flow {
        back_on: Some(20),
        ..flow(1, 0, 20_000, after(20))
    });
    // 80 s of its link.
    flows.push(flow(2, 0, 1_000_000_000, Start::At(0)));
    flows.push(flow(0, 2, 1_000, after(22)));
    Job {
        flows,
        lasts_ns: 0,
        horizon_ns: 1_000_000_000,
    }
}

fn of(ran: &Ran, flow: usize) -> Vec<&Answer> {
    let all = ran.answers.list.iter();
    all.filter(|answer| answer.flow == flow).collect()
}

/// Checks what holds on any machine, however late the queries are.
fn check_laws(ran: &Ran) {
    assert_eq!(ran.answers.left_out, 0);
    for (i, seen) in ran.flows.iter().enumerate() {
        let answers = of(ran, i);
        let Some(started) = seen.started_ns else {
            assert_eq!(answers, [] as [&Answer; 0], "flow {i} was not handed over");
            continue;
        };
        let last = answers.last().expect("one answer at least");
        assert!(answers[0].at_ns >= started, "flow {i}");
        // No more often than every 10 ms, but for the first and the last query.
        let most = (last.at_ns - answers[0].at_ns) / EVERY_NS + 2;
        assert!(answers.len() as u64 <= most, "flow {i}: {}", answers.len());
        for two in answers.windows(2) {
            let [a, b] = [two[0], two[1]];
            assert!(a.at_ns < b.at_ns, "flow {i}");
            let counts = |a: &Answer| {
                let counts = [a.info.delivered, a.info.reordering_seen, a.info.total_rto];
                (a.info.retransmits, counts)
            };
            let (a, b) = (counts(a), counts(b));
            assert!(
                a.0 <= b.0 && a.1.iter().zip(b.1).all(|(a, b)| *a <= b),
                "flow {i}"
            );
        }
        assert!(last.info.retransmits <= seen.sender.retransmits);
        assert!(last.info.delivered <= seen.sender.delivered);
    }
}

#[test]
fn every_flow_is_asked_about_from_its_start_to_its_end() {
    needs_namespaces!();
    let bed = Bed::up(star("ask", 3));
    let job = job();
    let stop = AtomicBool::new(false);
    let during = RunActivities {
        asks: true,
        ..RunActivities::default()
    };
    let ran = run_with(&bed.0, &job, during, &stop).unwrap();
    assert_eq!(ran.warnings, [""; 0]);
    check_laws(&ran);
    // One query after a flow's end, and one more if the end came between two queries; more if the host's thread
    // was not scheduled in time to report the end. Checked for at least five of the twenty flows that end early
    // in a run with a hundred queries.
    let behind = |i: usize| {
        let end = ran.flows[i].finished_ns.unwrap_or(u64::MAX);
        of(&ran, i).iter().filter(|a| a.at_ns > end).count()
    };
    let quiet = (0..20).filter(|i| behind(*i) <= 2).count();
    assert!(quiet >= 5, "{quiet}");
    // The flow was queried more than once, however late: 5 MB are more than can be in flight at any time.
    assert!(ran.flows[20].finished_ns.is_none() || of(&ran, 20).len() >= 2);
    assert!(of(&ran, 22).len() >= 2);
    assert!(of(&ran, 23).is_empty());
    let windows = of(&ran, 22).into_iter().map(|a| a.info.snd_cwnd);
    assert!(windows.max() > Some(10), "its window grew");
    assert!(ran.answers.list.iter().all(|answer| answer.alpha.is_none()));
    // Both flows share one connection: one end had acknowledged the other's data before it sent.
    let back = of(&ran, 21);
    if let [first, ..] = back[..] {
        assert!(
            first.info.data_segments_in >= Some(5_000_000 / 1460),
            "{first:?}"
        );
    }
    let unasked = run(&bed.0, &job, &stop).unwrap();
    assert_eq!(unasked.answers.list, []);
}

#[test]
fn senders_with_dctcp_say_their_alpha() {
    needs_namespaces!();
    let mut print = star("askd", 3);
    print.settings = table1(DCTCP);
    let Some(bed) = Bed::up_or_skip(print) else {
        return;
    };
    let during = RunActivities {
        asks: true,
        ..RunActivities::default()
    };
    let ran = run_with(&bed.0, &job(), during, &AtomicBool::new(false)).unwrap();
    check_laws(&ran);
    let alphas: Vec<u32> = (ran.answers.list.iter())
        .map(|answer| answer.alpha.expect("each has one"))
        .collect();
    assert!(alphas.iter().all(|alpha| *alpha <= 1024));
    // Bridges mark nothing: alpha begins at 1 and falls with each window.
    let long: Vec<u32> = of(&ran, 22).iter().filter_map(|a| a.alpha).collect();
    assert!(long.windows(2).all(|two| two[1] <= two[0]), "{long:?}");
    assert!(long.last() < Some(&1024), "{long:?}");
}
