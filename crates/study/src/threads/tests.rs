use super::barrier::Barrier;
use super::*;
use sidestep_lab::cut::cut;
use sidestep_lab::run_cut;
use sidestep_lab::{Scenario, Watch, run};
use sidestep_sim::{NoFiles, TraceFilter};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

fn read(text: &str) -> Scenario {
    let read = Scenario::read("t.toml", text, &[], &NoFiles);
    read.unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// Lets every thread count each round, and check that it sees the counts of all before it.
fn rounds(count: usize, spins: usize, yields: usize) {
    let barrier = Barrier::new(count, spins, yields);
    let sum = AtomicUsize::new(0);
    const ROUNDS: usize = 20;
    thread::scope(|scope| {
        for _ in 0..count {
            scope.spawn(|| {
                for round in 1..=ROUNDS {
                    sum.fetch_add(1, Ordering::Relaxed);
                    assert!(barrier.wait());
                    assert_eq!(sum.load(Ordering::Relaxed), round * count);
                    assert!(barrier.wait());
                }
            });
        }
    });
}

#[test]
fn nobody_passes_a_barrier_before_all_have_come() {
    for count in [1, 2, 3, 8] {
        rounds(count, 100, 10);
        // More threads than cores: a waiting thread sleeps at once.
        rounds(count, 0, 0);
    }
}

#[test]
fn a_barrier_that_is_broken_lets_all_through_who_sleep_there_or_come_later() {
    let barrier = Barrier::new(3, 0, 0);
    thread::scope(|scope| {
        let waits = [(); 2].map(|()| scope.spawn(|| barrier.wait()));
        barrier.break_down();
        for wait in waits {
            assert!(!wait.join().unwrap());
        }
    });
    assert!(!barrier.wait());
}

/// Checks a run with few windows: if threads share a core, each window takes as long as a turn of all of them.
#[test]
fn a_run_on_threads_has_the_outcome_of_the_run_on_one() {
    let scenario = read(
        "duration = \"1 ms\"\ndrain = \"1 s\"\nschemes = [\"dibs\", \"mulbuff\"]\n\
         [topology]\nkind = \"fat_tree\"\nk = 4\ndelay = \"50 us\"\n\
         [workload.query]\nkind = \"incast\"\ndegree = 12\nsize = \"3 kB\"\n\
         [workload.background]\nkind = \"incast\"\ndegree = 8\nsize = \"5 kB\"\n",
    );
    for (scheme, counts) in [(0, &[2, 3][..]), (1, &[2])] {
        let whole = run(&scenario, scheme, 1, TraceFilter::None, &mut |_| Watch::Go).unwrap();
        assert!(whole.outcome.totals.packet_hops > 100);
        for &count in counts {
            let cut = Arc::new(cut(&scenario, scheme, count).unwrap());
            let cpu_ns = Arc::new(AtomicU64::new(0));
            let crew = Box::new(Threads::new(count, Arc::clone(&cpu_ns)));
            let cut = run_cut(&scenario, (scheme, 1), &cut, crew, &mut |_| Watch::Go);
            assert!(cut.unwrap().outcome == whole.outcome, "{count} threads");
            assert!(
                cpu_ns.load(Ordering::Relaxed) > 0,
                "the other thread's time counts"
            );
        }
    }
}

/// Checks that a crew with more threads than parts panics.
#[test]
fn a_panic_in_one_thread_is_the_run_s() {
    let scenario = read(
        "duration = \"20 us\"\nschemes = [\"dibs\"]\n[topology]\nkind = \"fat_tree\"\nk = 4\n\
         [workload.query]\nkind = \"incast\"\ndegree = 12\nsize = \"3 kB\"\n",
    );
    let cut = Arc::new(cut(&scenario, 0, 2).unwrap());
    let crew = Box::new(Threads::new(3, Arc::new(AtomicU64::new(0))));
    let run = || run_cut(&scenario, (0, 1), &cut, crew, &mut |_| Watch::Go);
    let said = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
    assert!(said.is_err(), "three threads for two parts");
}

#[test]
fn auto_takes_threads_where_a_window_has_work_for_them() {
    let text = |load: &str, delay: &str| {
        format!(
            "duration = \"1 ms\"\nschemes = [\"dibs\"]\n\
             [topology]\nkind = \"fat_tree\"\nk = 8\ndelay = {delay:?}\n\
             [workload.w]\n{load}\n"
        )
    };
    let best = |load: &str, delay: &str, cores: usize| {
        let scenario = read(&text(load, delay));
        let chosen = choose(
            &scenario,
            ThreadChoice::Auto,
            &TraceFilter::None,
            None,
            cores,
        );
        chosen.unwrap().remove(0)
    };
    let (busy, burst) = (
        "kind = \"permutation\"",
        "kind = \"incast\"\ndegree = 20\nsize = \"20 kB\"",
    );
    assert_eq!(best(busy, "5 us", 2).threads(), 2);
    assert_eq!(best(busy, "5 us", 1).threads(), 1);
    let one = best(burst, "1 us", 2);
    assert_eq!(one.threads(), 1);
    let why = one.why_one.unwrap();
    assert!(why.starts_with("a window of "), "{why}");
}

#[test]
fn what_is_asked_for_is_auto_or_a_number() {
    assert_eq!(ThreadChoice::parse("auto"), Ok(ThreadChoice::Auto));
    assert_eq!(ThreadChoice::parse("3"), Ok(ThreadChoice::Of(3)));
    for wrong in ["0", "-1", "many", "", "1.5"] {
        let why = ThreadChoice::parse(wrong).unwrap_err();
        assert!(
            why.starts_with("expected `auto` or a number from 1 up, got "),
            "{why}"
        );
    }
}

#[test]
fn runs_at_a_time_have_the_threads_that_are_asked_for_or_share_the_cores() {
    let cases = [
        ((None, 2, 8), 1),
        ((Some(ThreadChoice::Of(3)), 2, 8), 3),
        ((Some(ThreadChoice::Auto), 2, 8), 4),
        ((Some(ThreadChoice::Auto), 3, 8), 2),
        ((Some(ThreadChoice::Auto), 9, 8), 1),
    ];
    for ((asked, jobs, cores), threads) in cases {
        assert_eq!(
            most_threads(asked, jobs, cores),
            threads,
            "{asked:?}, {jobs}"
        );
    }
}
