//! State shared by the threads of a run.

use super::job::Job;
use std::os::fd::OwnedFd;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64};

/// State shared by the threads of a run.
pub struct Shared<'a> {
    pub job: &'a Job,
    /// CLOCK_MONOTONIC at the run's time zero.
    pub zero_ns: u64,
    /// For each flow, true if the run waits for it.
    pub awaited: Vec<bool>,
    /// True if a sender closes its side after a flow's last byte.
    pub ends: bool,
    /// Number of awaited flows that have not ended.
    pub left: AtomicU64,
    /// Phase of each flow: [`IDLE`], [`UNDER_WAY`] or [`ENDED`].
    pub phases: Vec<AtomicU8>,
    pub over: AtomicBool,
    /// Readable once the run is over.
    pub bell: OwnedFd,
    pub warnings: Mutex<Vec<String>>,
}

/// Phase before the hand-over.
pub const IDLE: u8 = 0;
/// Phase after the hand-over.
pub const UNDER_WAY: u8 = 1;
/// Phase after the last byte was read.
pub const ENDED: u8 = 2;
