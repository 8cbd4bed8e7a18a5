//! Recordings of small runs, with every way to hold, move or lose a packet.

// Each test file uses only part of it.
#![allow(dead_code)]

use sidestep_lab::{RecordSpec, Run, Sampled, Scenario, Session};
use sidestep_sim::{NoFiles, TraceFilter};
use sidestep_types::Time;

const HEAD: &str =
    "duration = \"2 ms\"\ndrain = \"60 ms\"\n[topology]\nkind = \"fat_tree\"\nk = 4\n";
const BURSTS: &str =
    "[workload.query]\nkind = \"query\"\nrate = \"4 k/s\"\ndegree = 15\nsize = \"20 kB\"\n";

/// Schemes, their settings, and changes during the run.
pub const CASES: &[(&str, &str, &str)] = &[
    ("dctcp", "", ""),
    ("dibs", "switch.capacity = \"10 pkt\"\n", ""),
    ("vertigo", "switch.capacity = \"10 pkt\"\n", ""),
    ("pfabric", "", ""),
    ("trim", "", ""),
    ("pfc", "switch.pfc_xoff = \"20 kB\"\n", ""),
    (
        "dibs",
        "switch.capacity = \"10 pkt\"\n",
        "[[change]]\nat = \"600 us\"\nlink = \"agg 0.0 - core 1\"\ndown = true\nreroute = \"100 us\"\n\
         [[change]]\nat = \"1 ms\"\nlink = \"host 3 - edge 0.1\"\ndown = true\nreroute = \"never\"\n\
         [[change]]\nat = \"1500 us\"\nlink = \"host 3 - edge 0.1\"\nup = true\n\
         [[change]]\nat = \"800 us\"\nlink = \"host 0 - edge 0.0\"\nrate = \"300 Mbps\"\n",
    ),
];

/// Runs a case, recorded as a whole or within these microseconds.
pub fn run(case: usize, window: Option<(u64, u64)>) -> Run {
    let (scheme, more, changes) = CASES[case];
    let text = format!("schemes = [\"{scheme}\"]\n{more}{HEAD}{BURSTS}{changes}");
    let read = Scenario::read("t.toml", &text, &[], &NoFiles);
    let scenario = read.unwrap_or_else(|problems| panic!("{scheme}: {problems:?}"));
    let window = match window {
        Some((from, to)) => (Time::from_us(from), Time::from_us(to)),
        None => (Time::ZERO, Time::MAX),
    };
    let spec = RecordSpec {
        window: Some(window),
        flows: Sampled::All,
        ..RecordSpec::default()
    };
    let mut session: Session = Session::new(&scenario, 0, 1, TraceFilter::None).unwrap();
    session.record(&scenario, &spec);
    session.run_until(Time::MAX);
    session.finish()
}

/// Returns the bytes of a case's recording.
pub fn recording(case: usize, window: Option<(u64, u64)>) -> Vec<u8> {
    run(case, window).recording.unwrap()
}

/// Pseudo-random numbers, the same each time (Knuth's multiplier, upper bits).
pub struct Draws(pub u64);

impl Draws {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) % limit.max(1)
    }
}
