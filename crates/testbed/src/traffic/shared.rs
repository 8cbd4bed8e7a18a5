//! What the threads of a run share.

use super::job::Job;
use std::os::fd::OwnedFd;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64};

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
    /// Of each flow, how far it is: [`IDLE`], [`UNDER_WAY`] or [`ENDED`].
    pub phases: Vec<AtomicU8>,
    pub over: AtomicBool,
    /// Readable when it is over.
    pub bell: OwnedFd,
    pub warnings: Mutex<Vec<String>>,
}

/// Not handed over.
pub const IDLE: u8 = 0;
/// Handed over.
pub const UNDER_WAY: u8 = 1;
/// Its last byte has been read.
pub const ENDED: u8 = 2;
