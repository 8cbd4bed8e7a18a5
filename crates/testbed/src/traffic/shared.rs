//! What the threads of a run share.

use super::job::Job;
use std::os::fd::OwnedFd;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// What the threads of a run share.
pub struct Shared<'a> {
    pub job: &'a Job,
    /// CLOCK_MONOTONIC at the run's time zero.
    pub zero_ns: u64,
    /// For each flow, whether the run waits for it.
    pub awaited: Vec<bool>,
    /// Who sends a flow says that it ends, by closing its side behind the last byte.
    pub ends: bool,
    /// How many of them have not ended yet.
    pub left: AtomicU64,
    pub over: AtomicBool,
    /// Readable when it is over.
    pub bell: OwnedFd,
    pub warnings: Mutex<Vec<String>>,
}
