//! End of a run: its last delivery or, if a flow has not finished, `duration + drain`, whatever happened last.

use sidestep_lab::stats::summarise;
use sidestep_lab::{Record, Run, Scenario, Session, Watch, checkpoint, cut, run, run_cut};
use sidestep_sim::parts::SequentialCrew;
use sidestep_sim::{End, Files, PortOutcome, TraceFilter};
use sidestep_types::Time;
use std::sync::Arc;

/// Two switches, each with two hosts, and a flow across the cable between them.
struct Dumbbell;

impl Files for Dumbbell {
    fn read(&self, path: &str) -> Result<String, String> {
        let text = match path {
            "net.csv" => {
                "a,b,rate,delay\nh0,s0,1 Gbps,1 us\nh1,s1,1 Gbps,1 us\nh2,s1,1 Gbps,1 us\n\
                 h3,s0,1 Gbps,1 us\ns0,s1,1 Gbps,1 us\n"
            }
            "c.csv" => "start_us,src,dst,size_bytes\n0,0,1,1000000\n",
            "slow.csv" => {
                "a,b,rate,delay\nh0,s0,1 Gbps,1 us\nh1,s1,1 Gbps,1 us\ns0,s1,1 Gbps,1 us\n"
            }
            "f.csv" => "start_us,src,dst,size_bytes\n0,0,1,43800\n",
            _ => return Err("no such file".into()),
        };
        Ok(text.into())
    }
}

/// A flow whose only cable is down from 0.5 ms on.
const CENSORED: &str = r#"duration = "100 ms"
drain = "1 s"
profile = "none"
schemes = ["tcp"]
[topology]
kind = "custom"
file = "net.csv"
[workload.f]
kind = "flow_list"
file = "c.csv"
[[change]]
link = "s0 - s1"
at = "0.5 ms"
down = true
reroute = "never"
"#;

fn read(text: &str, sets: &[&str]) -> Scenario {
    let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
    let read = Scenario::read("t.toml", text, &sets, &Dumbbell);
    read.unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn ran(scenario: &Scenario) -> Run {
    run(scenario, 0, 1, TraceFilter::None, &mut |_| Watch::Go).expect("a run")
}

#[test]
fn a_run_with_an_unfinished_flow_ends_at_its_horizon_however_long_its_timers_wait() {
    // The timer expires 10, 30, 70 … 630, 1270 ms after the last acknowledgement; the last event is that.
    for (drain, ms) in [
        ("100 ms", 200),
        ("1 s", 1_100),
        ("5 s", 5_100),
        ("100 s", 100_100),
    ] {
        let run = ran(&read(CENSORED, &[&format!("drain=\"{drain}\"")]));
        assert_eq!(run.outcome.end, Time::from_ms(ms), "drain {drain}");
        assert!(!run.interrupted);
        let record = Record::of(&run);
        let summary = summarise(&[&record]);
        assert_eq!(summary.simulated_s, ms as f64 / 1e3);
        let fct = &summary.classes[0].fct_ms;
        assert_eq!((fct.p99, fct.p99_at_least), (Some(ms as f64), true));
        // The busiest link out of a switch carried acknowledgements or data, 1 Gbps over the whole time.
        let switch = |port: &&PortOutcome| matches!(port.from, End::Switch(_));
        let most = run
            .outcome
            .ports
            .iter()
            .filter(switch)
            .map(|port| port.wire_bytes)
            .max();
        let share = most.expect("a port") as f64 * 8.0 / 1e9 / (ms as f64 / 1e3);
        let max = summary
            .link_use
            .and_then(|all| all.max)
            .expect("there are links");
        assert!((max / share - 1.0).abs() < 1e-9, "{max} and {share}");
    }
}

#[test]
fn a_run_whose_flows_all_finish_ends_with_the_last_delivery() {
    let whole = CENSORED.replace("at = \"0.5 ms\"", "at = \"99 ms\"");
    let run = ran(&read(&whole, &[]));
    let delivered = run.outcome.flows[0].finished.expect("it is delivered");
    assert_eq!(run.outcome.end, delivered);
    assert!(delivered < Time::from_ms(10), "{delivered}");
}

#[test]
fn a_run_that_is_left_early_ends_where_it_was_left() {
    let mut session: Session =
        Session::new(&read(CENSORED, &[]), 0, 1, TraceFilter::None).expect("a session");
    // No timer expires between 150.5 and 310.5 ms.
    session.run_until(Time::from_ms(300));
    let run = session.finish();
    assert!(run.interrupted);
    assert_eq!(run.outcome.end, Time::from_ms(300));
}

#[test]
fn a_run_that_goes_on_from_a_checkpoint_ends_at_the_same_horizon() {
    let scenario = read(CENSORED, &[]);
    let begin =
        || -> Session { Session::new(&scenario, 0, 1, TraceFilter::None).expect("a session") };
    for ms in [300, 1_099] {
        let mut first = begin();
        first.run_until(Time::from_ms(ms));
        let body = checkpoint::body_of(&first).expect("it can be kept");
        let mut second = checkpoint::go_on(begin(), &body).expect("it goes on");
        assert!(second.run_until(Time::MAX));
        assert_eq!(second.finish().outcome, ran(&scenario).outcome);
    }
}

/// Every packet that crosses a switch is dropped, so every sender waits longer and longer.
#[test]
fn a_run_in_parts_ends_at_the_same_horizon() {
    let text = "duration = \"1 ms\"\ndrain = \"99 ms\"\nprofile = \"none\"\nttl = 1\nschemes = [\"dctcp\"]\n\
        [topology]\nkind = \"fat_tree\"\nk = 4\n\
        [workload.query]\nkind = \"incast\"\ndegree = 12\nsize = \"20 kB\"\n";
    let scenario = read(text, &[]);
    let whole = ran(&scenario);
    assert_eq!(whole.outcome.end, Time::from_ms(100));
    for count in [2, 4] {
        let cut = Arc::new(cut::cut(&scenario, 0, count).expect("a cut"));
        let go = &mut |_: &_| Watch::Go;
        let parts = run_cut(&scenario, (0, 1), &cut, Box::new(SequentialCrew), go).expect("a run");
        assert_eq!(parts.outcome, whole.outcome, "{count} parts");
    }
}

/// Endless flows, and a closed loop, of which nothing happens just before the end.
#[test]
fn endless_flows_and_loops_end_with_the_window_to_the_picosecond() {
    let all = "[workload.all]\nkind = \"permutation\"\n";
    let one = "[workload.loop]\nkind = \"replace\"\nactive = 3\ncdf = \"off\"\nsize = \"20 kB\"\n";
    for workload in [all, one] {
        let text = format!(
            "duration = \"1.999999999 ms\"\nschemes = [\"dctcp\"]\n\
             [topology]\nkind = \"single_switch\"\nhosts = 4\n{workload}"
        );
        let run = ran(&read(&text, &[]));
        assert_eq!(run.outcome.end, Time::from_ps(1_999_999_999), "{workload}");
    }
}

/// 30 segments on a path of 10 Mbps, which dies under 14 of them; 5 ms later it is back at 1 Gbps. The repairs come
/// sooner than the path seemed to allow, but each of them was needed.
const SLOW_THEN_FAST: &str = r#"duration = "100 s"
profile = "none"
schemes = ["tcp"]
[topology]
kind = "custom"
file = "slow.csv"
[workload.f]
kind = "flow_list"
file = "f.csv"
[transport]
initial_window = 30
fast_retransmit_rule = "early"
undo = true
[[change]]
at = "1 us"
link = "s0 - s1"
rate = "10 Mbps"
reroute = "never"
[[change]]
at = "20 ms"
link = "s0 - s1"
down = true
reroute = "never"
[[change]]
at = "25 ms"
link = "s0 - s1"
up = true
reroute = "never"
"#;

#[test]
fn a_path_that_comes_back_faster_takes_as_long_with_undo_as_without() {
    let newreno: &[&str] = &["transport.recovery=\"newreno\""];
    let reno: &[&str] = &["transport.recovery=\"reno\""];
    let sack: &[&str] = &["transport.recovery=\"sack\""];
    let dsack: &[&str] = &["transport.recovery=\"sack\"", "transport.dsack=true"];
    let linux: &[&str] = &["profile=\"linux\""];
    for sets in [newreno, reno, sack, dsack, linux] {
        let seen = [true, false].map(|undo| {
            let undo = format!("transport.undo={undo}");
            let sets: Vec<&str> = sets.iter().copied().chain([undo.as_str()]).collect();
            let outcome = ran(&read(SLOW_THEN_FAST, &sets)).outcome;
            assert_eq!(outcome.totals.spurious_retransmits, 0, "{sets:?}");
            let flow = &outcome.flows[0];
            (flow.finished.expect("it is delivered"), flow.timeouts)
        });
        assert_eq!(seen[0], seen[1], "{sets:?}");
        if sets != linux {
            let ms = seen[0].0.as_ms_f64();
            assert!(
                (62.8..63.0).contains(&ms) && seen[0].1 == 1,
                "{sets:?}: {seen:?}"
            );
        }
    }
}
