//! Numbers of one class, and of groups.

use super::*;
use sidestep_sim::GroupPlan;

/// Over an idle network, a flow of 1000 B takes two packets' times of 8.624 us and two delays. A flow of 10 kB
/// takes six of 12.304 us and the time of the last packet, and 10,001 B one byte more.
#[test]
fn a_class_has_numbers_of_its_own() {
    let s = summary("dibs", &[Some(10), Some(10), Some(10)]);
    let ideals = [19.248, 98.672, 98.68];
    let [least, middle, most] = [
        5_000.0 / ideals[1],
        3_000.0 / ideals[0],
        90_000.0 / ideals[2],
    ];
    for (name, expected) in [
        ("fct_p50_ms:background", 5.0),
        ("fct_p95_ms:background", 90.0),
        ("fct_p99_ms:background", 90.0),
        ("fct_p999_ms:background", 90.0),
        ("fct_mean_ms:background", 98.0 / 3.0),
        ("fct_completed_share:background", 1.0),
        ("slowdown_p50:background", middle),
        ("slowdown_p95:background", most),
        ("slowdown_p99:background", most),
        ("slowdown_p999:background", most),
        ("slowdown_mean:background", (least + middle + most) / 3.0),
        ("drops:background", 30.0),
        ("delivered_bytes:query", 9_000.0),
        ("fct_p50_ms:query", 10.0),
    ] {
        let Reading::Exactly(ours) = metric(&s, name) else {
            panic!("{name} has no value");
        };
        assert!((ours - expected).abs() < 2e-6, "{name}: {ours} {expected}");
    }
    for none in ["fct_p99_ms:web", "group_p99_ms:query", "group_p99_ms"] {
        assert_eq!(metric(&s, none), Reading::Nothing);
    }
    let late = summary("dctcp", &[None]);
    // Of the query's three flows the request takes 93 ms, and the unfinished one has taken 100.
    assert_eq!(metric(&late, "fct_p99_ms:query"), Reading::AtLeast(100.0));
    assert!(matches!(
        metric(&late, "slowdown_mean:query"),
        Reading::AtLeast(_)
    ));
    assert_eq!(
        metric(&late, "fct_completed_share:query"),
        Reading::Exactly(2.0 / 3.0)
    );
}

#[test]
fn groups_count_under_their_class_and_all_together() {
    let group = |name: &str, class, flows: &[u32], left_out| GroupPlan {
        name: name.into(),
        class,
        start: Time::ZERO,
        flows: flows.iter().map(|flow| FlowId(*flow)).collect(),
        left_out,
    };
    let mut run = one_run("dibs", 1, Some(10));
    Arc::make_mut(&mut run.plan).groups = vec![
        group("burst", Some(0), &[0, 1], 0),
        group("cut off", Some(0), &[0], 1),
        group("both", None, &[2, 6], 0),
    ];
    let s = summarise(&[&Record::of(&run)]);
    // From 1 ms to 6 ms; from 1 ms to the end at 102 ms, and more; from 0 ms to 90 ms.
    assert_eq!(metric(&s, "group_p50_ms:background"), Reading::Exactly(5.0));
    assert_eq!(
        metric(&s, "group_p99_ms:background"),
        Reading::AtLeast(101.0)
    );
    assert_eq!(
        metric(&s, "group_completed_share:background"),
        Reading::Exactly(0.5)
    );
    assert_eq!(metric(&s, "group_p50_ms:query"), Reading::Nothing);
    assert_eq!((s.group_ms.n, s.group_ms.p50), (3, Some(90.0)));
    assert_eq!(metric(&s, "group_p99_ms"), Reading::AtLeast(101.0));
    let third = (5.0 + 101.0 + 90.0) / 3.0;
    let Reading::AtLeast(mean) = metric(&s, "group_mean_ms") else {
        panic!("one did not finish");
    };
    assert!((mean - third).abs() < 1e-6, "{mean}");
    // A group that an interrupted run never began does not count.
    run.outcome.flows[0].started = None;
    run.outcome.flows[0].finished = None;
    let plan = Arc::make_mut(&mut run.plan);
    plan.groups[1].start = Time::from_s(1);
    assert_eq!(summarise(&[&Record::of(&run)]).group_ms.n, 2);
}
