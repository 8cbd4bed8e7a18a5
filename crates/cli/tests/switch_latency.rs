//! Tests of `sidestep switch` between frames, and of its measurement by `sidestep bench latency`.

mod common;

use common::switching::{Running, wiring};
use sidestep_softswitch::trial::latency::{GAPS, latency};
use sidestep_softswitch::trial::throughput::Between;
use std::path::Path;

#[test]
fn pings_are_answered_or_lost_through_bridge_and_switch_and_take_longer_there_and_back() {
    if wiring(0).is_none() {
        return;
    }
    let command = Path::new(env!("CARGO_BIN_EXE_sidestep"));
    for between in [Between::Bridge, Between::Default] {
        let rows = latency(command, between, 1).unwrap();
        assert_eq!(rows.len(), GAPS.len());
        for (row, (gap, requests)) in rows.iter().zip(GAPS) {
            assert_eq!((row.between, row.gap), (between, gap));
            let answered = row.back_ns.len();
            assert_eq!(answered + row.lost as usize, usize::from(requests));
            assert!(2 * answered > usize::from(requests), "{row:?}");
            let mut both = row.there_ns.iter().zip(&row.back_ns);
            assert!(both.all(|(there, back)| there < back), "{row:?}");
            assert_eq!(row.cpu > 0.0, between == Between::Default, "{row:?}");
        }
    }
}

#[test]
fn a_switch_polls_as_its_config_says() {
    // SAFETY: no memory is passed.
    let cores = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    let polls = |text| match cores {
        1 => "sleeps when idle",
        _ => text,
    };
    for (process, expected) in [
        ("", polls("polls for 50 us before it sleeps")),
        ("poll = \"7 us\"", polls("polls for 7 us before it sleeps")),
        ("poll = \"0 s\"", "sleeps when idle"),
        ("wait = \"busy\"", "polls all the time"),
    ] {
        let Some(wiring) = wiring(2) else { return };
        let running = Running::start(wiring, "1 Gbps", "", process);
        running.says(&format!("switches 2 ports, {expected}"));
    }
}
