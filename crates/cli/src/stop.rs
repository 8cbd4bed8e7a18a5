//! Ctrl-C: the first makes the runs end, the second ends the command.

use crate::out;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Returns a flag that becomes true at the first SIGINT, SIGTERM or SIGHUP. The second exits at once with 130,
/// and removes the files written for the result directory `results`.
pub fn on_interrupt(results: PathBuf) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stop);
    let handler = move || {
        if seen.swap(true, Ordering::SeqCst) {
            sidestep_study::discard(&results);
            std::process::exit(130);
        }
        out::remark(
            "\nstopping: writing the results so far (press Ctrl-C again to quit without them)",
        );
    };
    // Without a handler the default applies: the command ends, and only a hidden directory remains.
    let _ = ctrlc::set_handler(handler);
    stop
}
