//! Changes of the network during a run.

use super::clock::now_ns;
use super::shared::Shared;
use crate::error::Error;
use crate::network::blueprint::Blueprint;
use crate::network::changes::{Step, take};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Interval of checks whether the run is over, in nanoseconds.
const LOOK_NS: u64 = 20_000_000;

/// Makes each step at its time until the run is over. Returns the times at which each was due and done.
pub fn run(
    print: &Blueprint,
    steps: &[Step],
    shared: &Shared<'_>,
) -> Result<Vec<(u64, u64)>, Error> {
    let mut done = Vec::new();
    for step in steps {
        let at = shared.zero_ns.saturating_add(step.at_ns);
        loop {
            if shared.over.load(Ordering::Acquire) {
                return Ok(done);
            }
            let left = at.saturating_sub(now_ns());
            if left == 0 {
                break;
            }
            std::thread::sleep(Duration::from_nanos(left.min(LOOK_NS)));
        }
        take(print, step)?;
        done.push((step.at_ns, now_ns() - shared.zero_ns));
    }
    Ok(done)
}
