//! Ctrl-C: the first asks the runs to end, the second ends the command.

use crate::out;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Becomes true with the first SIGINT, SIGTERM or SIGHUP; the second exits at once with 130.
pub fn on_interrupt() -> Arc<AtomicBool> {
    let make = || {
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stop);
        let handler = move || {
            if seen.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
            out::remark("stopping; writing what there is (again to give up)");
        };
        // Without a handler the default applies, and nothing half written is left either way.
        let _ = ctrlc::set_handler(handler);
        stop
    };
    Arc::clone(STOP.get_or_init(make))
}
