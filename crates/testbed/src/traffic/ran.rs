//! Result of a job.

use super::counters::HostCounters;
use super::info::TcpInfo;
use super::watch::Answers;
use std::net::SocketAddrV4;

/// Result of a job.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    /// Result of each flow.
    pub flows: Vec<FlowRan>,
    /// Counters of each host over the run.
    pub hosts: Vec<HostCounters>,
    /// Ends of each flow's connection: sender, receiver; `None` if they are not IPv4.
    pub ends: Vec<Option<(SocketAddrV4, SocketAddrV4)>>,
    /// Time zero, by CLOCK_MONOTONIC.
    pub zero_ns: u64,
    /// End of the run.
    pub end_ns: u64,
    /// Times at which each step of the network's changes was due and done.
    pub changed_ns: Vec<(u64, u64)>,
    /// Kernel statistics of senders during the run, if queried.
    pub answers: Answers,
    /// True if the run was stopped.
    pub interrupted: bool,
    /// True if the kernel counts timeouts per connection (Linux 6.7 and later).
    pub timeouts_known: bool,
    /// Warnings that affect the results.
    pub warnings: Vec<String>,
}

/// Result of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowRan {
    /// Due time; `None` if it waited for a flow that did not finish.
    pub due_ns: Option<u64>,
    /// Time of the hand-over.
    pub started_ns: Option<u64>,
    /// Time at which its last byte was read.
    pub finished_ns: Option<u64>,
    /// Bytes read.
    pub delivered: u64,
    /// Kernel's state of its sender at the end.
    pub sender: TcpInfo,
    /// Kernel's state of its receiver at the end.
    pub receiver: TcpInfo,
}
