//! Signals: SIGTERM and SIGINT end the switch, SIGHUP makes it read its config again.
//!
//! Signals are blocked in every thread and received by one that waits for them, so that no call of the loop is
//! ever interrupted.

use std::mem::MaybeUninit;

/// Signal that the switch handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGTERM or SIGINT.
    Stop,
    /// SIGHUP.
    Reload,
}

/// Set of the handled signals, blocked.
pub struct Signals(libc::sigset_t);

impl Signals {
    /// Blocks the signals in the calling thread and in all threads it starts.
    pub fn block() -> Signals {
        let mut set = MaybeUninit::uninit();
        // SAFETY: `set` is filled by sigemptyset before anything reads it.
        unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
                libc::sigaddset(set.as_mut_ptr(), signal);
            }
            let set = set.assume_init();
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
            Signals(set)
        }
    }

    /// Waits for the next signal.
    pub fn wait(&self) -> Signal {
        loop {
            let mut signal = 0;
            // SAFETY: the set is initialised and `signal` is written.
            let failed = unsafe { libc::sigwait(&raw const self.0, &raw mut signal) };
            match signal {
                libc::SIGHUP if failed == 0 => return Signal::Reload,
                libc::SIGTERM | libc::SIGINT if failed == 0 => return Signal::Stop,
                _ => {}
            }
        }
    }
}
