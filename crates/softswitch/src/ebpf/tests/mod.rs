//! The program held against the decision in Rust: row by row, and frame by frame beside the machine.

mod lockstep;
mod plans;
mod rows;

use super::need;
use std::io::Write;

/// Can programs be built and loaded here? If not, says why, and fails where `SIDESTEP_MUST_RUN` is set.
fn can() -> bool {
    // SAFETY: a plain system call.
    let root = unsafe { libc::geteuid() } == 0;
    let why = match need() {
        Err(why) => why,
        Ok(()) if !root => "loading BPF programs needs root".to_string(),
        Ok(()) => return true,
    };
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
    assert!(std::env::var_os("SIDESTEP_MUST_RUN").is_none(), "{why}");
    false
}
