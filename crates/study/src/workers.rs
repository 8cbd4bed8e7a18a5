//! Independent jobs on several threads, with their results delivered in order.
//!
//! The result does not show which thread ran a job, or when: the caller receives job 0, then job 1.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Interval between calls of `tick`.
const TICK: Duration = Duration::from_millis(100);

/// Runs jobs `0..count` on `threads` threads and calls `done` with each result, in order.
///
/// Meanwhile `tick` is called a few times a second, on this thread. When `done` fails, no further job begins;
/// `give_up` is called at once to stop the running ones, and the error is returned when they have ended.
pub fn in_order<T: Send, E>(
    count: usize,
    threads: usize,
    job: impl Fn(usize) -> T + Sync,
    mut tick: impl FnMut(),
    mut done: impl FnMut(usize, T) -> Result<(), E>,
    give_up: impl Fn(),
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let (send, results) = channel();
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, count.max(1)) {
            let (next, job, send) = (&next, &job, send.clone());
            scope.spawn(move || {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= count || send.send((i, job(i))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let mut waiting = BTreeMap::new();
        let (mut due, mut told) = (0, Instant::now());
        loop {
            match results.recv_timeout(TICK) {
                Ok((i, result)) => {
                    waiting.insert(i, result);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            while let Some(result) = waiting.remove(&due) {
                if let Err(e) = done(due, result) {
                    next.store(count, Ordering::Relaxed);
                    give_up();
                    return Err(e);
                }
                due += 1;
            }
            // Not after each result: a tick reads the state of all jobs.
            if told.elapsed() >= TICK {
                tick();
                told = Instant::now();
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn results_come_in_order_whatever_the_threads() {
        for threads in [1, 3, 50] {
            let mut seen = Vec::new();
            let job = |i: usize| {
                thread::sleep(Duration::from_millis((7 * i as u64) % 11));
                i * i
            };
            let ok: Result<(), ()> = in_order(
                20,
                threads,
                job,
                || {},
                |i, r| {
                    seen.push((i, r));
                    Ok(())
                },
                || {},
            );
            ok.unwrap();
            assert_eq!(seen, (0..20).map(|i| (i, i * i)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn many_short_jobs_are_not_told_of_one_by_one() {
        let (mut ticks, began) = (0, Instant::now());
        let ok: Result<(), ()> = in_order(20_000, 2, |i| i, || ticks += 1, |_, _| Ok(()), || {});
        ok.unwrap();
        let most = began.elapsed().as_millis() / TICK.as_millis();
        assert!(ticks <= most, "{ticks} of at most {most}");
    }

    #[test]
    fn a_refusal_ends_it() {
        let (ran, given_up) = (AtomicUsize::new(0), AtomicBool::new(false));
        let job = |i| {
            ran.fetch_add(1, Ordering::Relaxed);
            // Jobs after the refused one last until they are told to stop, however late that is.
            while i > 3 && !given_up.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
        };
        let refused = in_order(
            1000,
            2,
            job,
            || {},
            |i, ()| if i == 3 { Err("full") } else { Ok(()) },
            || given_up.store(true, Ordering::Relaxed),
        );
        assert_eq!(refused, Err("full"));
        // Two jobs were running, and no other has begun.
        assert!((4..=6).contains(&ran.load(Ordering::Relaxed)), "{ran:?}");
    }
}
