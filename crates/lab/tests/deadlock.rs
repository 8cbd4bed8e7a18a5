//! A network whose pauses lock: the run ends, and its warning names the ports.

use sidestep_lab::stats::summarise;
use sidestep_lab::{Record, Scenario, Watch, run};
use sidestep_sim::{Files, TraceFilter};
use sidestep_types::Time;

/// Five switches in a ring with a host each, and flows from each host to the one two switches on.
struct Ring;

impl Files for Ring {
    fn read(&self, path: &str) -> Result<String, String> {
        let mut text = String::new();
        match path {
            "ring.csv" => {
                text.push_str("a,b,rate,delay\n");
                for i in 0..5 {
                    text.push_str(&format!("h{i},s{i},1 Gbps,1 us\n"));
                }
                for i in 0..5 {
                    text.push_str(&format!("s{i},s{},1 Gbps,1 us\n", (i + 1) % 5));
                }
            }
            "around.csv" => {
                text.push_str("start,src,dst,size\n");
                for i in 0..5 {
                    text.push_str(&format!("0 us,{i},{},2 MB\n", (i + 2) % 5));
                }
            }
            _ => return Err("no such file".into()),
        }
        Ok(text)
    }
}

const AROUND: &str = r#"duration = "1 ms"
drain = "300 ms"
schemes = ["pfc"]
[topology]
kind = "custom"
file = "ring.csv"
[workload.around]
kind = "flow_list"
file = "around.csv"
[scheme.pfc.switch]
buffer = "droptail"
pfc_xoff = "15 kB"
"#;

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
    assert_eq!((summary.deadlocks, summary.drops["full"]), (1, 0));
    assert!(summary.pauses >= 5);
    assert_eq!(summary.classes[0].fct_ms.completed_share, Some(0.0));
}
