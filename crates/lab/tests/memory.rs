//! Compares the memory of a run with the estimate made before it.

use sidestep_lab::{Record, Scenario, Watch, cut, run, shipped};
use sidestep_sim::parts::SequentialCrew;
use sidestep_sim::{NoFiles, TraceFilter};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

/// System allocator that counts the bytes held by this thread.
struct Counts;

thread_local! {
    static HELD: Cell<[i64; 2]> = const { Cell::new([0; 2]) };
}

/// Adds `bytes` to those held by this thread; may be negative.
fn count(bytes: i64) {
    HELD.with(|held| {
        let [now, most] = held.get();
        held.set([now + bytes, most.max(now + bytes)]);
    });
}

// SAFETY: every call is passed unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counts {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: the block came from `alloc` above, with this layout.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as i64 - layout.size() as i64);
        // SAFETY: the caller keeps the contract of `GlobalAlloc::realloc`.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counts = Counts;

/// Returns the peak memory of `work`, beyond what was held before it.
fn most<T>(work: impl FnOnce() -> T) -> f64 {
    let before = HELD.with(|held| {
        let [now, _] = held.get();
        held.set([now, now]);
        now
    });
    drop(work());
    HELD.with(|held| held.get()[1] - before) as f64
}

/// Network, transport and traffic of Vertigo's figures.
const VERTIGO: &str = include_str!("../../../experiments/vertigo/base.toml");

/// Checks that the estimate is between half and twice the peak: runs of 36,000 to 113,000 flows. A growing list
/// counts whole here, but an operating system gives it only half.
#[test]
fn a_run_takes_what_was_estimated() {
    let base = ["schemes=vertigo", "duration=40 ms"];
    let cases: &[(&str, &str, &[&str])] = &[
        ("half full", VERTIGO, &[]),
        (
            "half full, short timeouts",
            VERTIGO,
            &[
                "transport.rto_initial=10 ms",
                "transport.rto_estimator=rfc6298",
            ],
        ),
        (
            "collapsing",
            VERTIGO,
            &[
                "workload.background.load=0.25",
                "workload.incast.load=0.7",
                "duration=20 ms",
                "schemes=dibs",
            ],
        ),
        (
            "own connections",
            shipped::scenario("dibs-demo").unwrap(),
            &[
                "duration=200 ms",
                "workload.query.rate=8 k/s",
                "workload.query.size=1500 B",
                "schemes=dctcp",
            ],
        ),
    ];
    let mut far = Vec::new();
    for (name, text, sets) in cases {
        let first: &[&str] = if text.starts_with("# What the experiments") {
            &base
        } else {
            &[]
        };
        let sets: Vec<String> = [first, sets, &["seeds=1"]]
            .concat()
            .iter()
            .map(|s| s.to_string())
            .collect();
        let read = Scenario::read("base.toml", text, &sets, &NoFiles);
        let scenario = read.unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        let said = scenario.estimate_swept();
        let taken = most(|| {
            let ran = run(&scenario, 0, 1, TraceFilter::None, &mut |_| Watch::Go).unwrap();
            Record::of(&ran)
        });
        let factor = said.run_bytes / taken;
        let a_flow = taken / said.flows;
        eprintln!(
            "{name}: {:.0} flows, {a_flow:.0} B each, estimated {factor:.2} of {taken:.0}",
            said.flows
        );
        if !(0.5..2.0).contains(&factor) {
            far.push((name, factor));
        }
    }
    assert!(far.is_empty(), "{far:?}");
}

/// Checks a fat-tree of 8,192 hosts, where links count more than flows: a burst, after which ideal times of 12,000 pairs
/// of hosts are computed, and a permutation of endless flows.
#[test]
fn a_large_network_takes_what_was_estimated() {
    let burst = shipped::scenario("burst-k64").unwrap();
    let endless = burst.replace(
        "kind = \"query\"\nrate = \"1000000 /s\"\ndegree = 40\nsize = \"20 kB\"",
        "kind = \"permutation\"",
    );
    assert_ne!(burst, endless);
    let mut far = Vec::new();
    for (name, text, sets) in [
        ("burst", burst, &["workload.query.rate=300 k/s"][..]),
        ("permutation", &endless, &["duration=200 us", "drain=0 s"]),
    ] {
        let sets = [&["topology.k=32", "schemes=dctcp"], sets].concat();
        let sets: Vec<String> = sets.into_iter().map(String::from).collect();
        let read = Scenario::read("burst.toml", text, &sets, &NoFiles);
        let scenario = read.unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        let taken = most(|| {
            let ran = run(&scenario, 0, 1, TraceFilter::None, &mut |_| Watch::Go).unwrap();
            Record::of(&ran)
        });
        let factor = scenario.estimate().run_bytes / taken;
        eprintln!("{name}: estimated {factor:.2} of {taken:.0}");
        if !(1.0 / 1.5..1.5).contains(&factor) {
            far.push((name, factor));
        }
    }
    assert!(far.is_empty(), "{far:?}");
}

/// Checks the memory of each further part of a run: four of them, run in turn by one thread.
#[test]
fn a_further_part_takes_what_was_estimated() {
    let sets = ["duration=1 ms".to_string()];
    let text = shipped::scenario("perm1024").unwrap();
    let read = Scenario::read("perm1024.toml", text, &sets, &NoFiles);
    let scenario = read.unwrap_or_else(|problems| panic!("{problems:?}"));
    let watch = &mut |_: &_| Watch::Go;
    let whole = most(|| run(&scenario, 0, 1, TraceFilter::None, watch).unwrap());
    let cut = Arc::new(cut::cut(&scenario, 0, 5).unwrap());
    let parts = most(|| {
        sidestep_lab::run_cut(&scenario, (0, 1), &cut, Box::new(SequentialCrew), watch).unwrap()
    });
    let (taken, said) = ((parts - whole) / 4.0, scenario.estimate());
    let factor = said.part_bytes / taken;
    eprintln!("a part: estimated {factor:.2} of {taken:.0}");
    assert!((0.5..2.0).contains(&factor), "{factor:.2}");
    assert_eq!(
        said.in_parts(5).run_bytes,
        said.run_bytes + 4.0 * said.part_bytes
    );
}
