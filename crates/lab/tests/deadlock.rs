//! Network whose pauses deadlock: the run ends, and its warning names the ports.

use crate::common;

use common::{AROUND, Ring};
use sidestep_lab::stats::summarise;
use sidestep_lab::{Record, Scenario, Watch, run};
use sidestep_sim::TraceFilter;
use sidestep_types::Time;

#[test]
fn a_run_that_locks_ends_at_its_horizon_and_names_the_ports() {
    let read = Scenario::read("around.toml", AROUND, &[], &Ring);
    let scenario = read.unwrap_or_else(|problems| panic!("{problems:?}"));
    let run = run(&scenario, 0, 1, TraceFilter::None, &mut |_| Watch::Go).unwrap();
    assert!(!run.interrupted);
    assert!(run.outcome.end > Time::from_ms(150), "{}", run.outcome.end);
    let record = Record::of(&run);
    let said = &record.warnings;
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].starts_with("scheme pfc, seed 1: deadlock at "),
        "{said:?}"
    );
    for s in 0..5 {
        // Port 0 is the host's, and s0's next switch is on port 1 already.
        let port = if s == 0 { 1 } else { 2 };
        let hop = format!("s{s} port {port} to s{}", (s + 1) % 5);
        assert!(said[0].contains(&hop), "{hop} in {said:?}");
    }
    let summary = summarise(&[&record]);
    assert_eq!(
        (summary.deadlocks, summary.drops.unwrap()["full"]),
        (Some(1), 0)
    );
    assert!(summary.pauses.unwrap() >= 5);
    assert_eq!(summary.classes[0].fct_ms.completed_share, Some(0.0));
}
