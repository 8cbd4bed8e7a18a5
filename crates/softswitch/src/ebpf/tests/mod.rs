//! Comparisons of the program with the decision in Rust: row by row, and frame by frame beside the machine.

mod lockstep;
mod plans;
mod rows;

use super::need;
use std::io::Write;

/// Returns true if programs can be built and loaded here. If not, prints the reason, and fails if
/// `SIDESTEP_MUST_RUN` is set.
fn can() -> bool {
    let Err(why) = need() else { return true };
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
    assert!(std::env::var_os("SIDESTEP_MUST_RUN").is_none(), "{why}");
    false
}
