//! What became of a job.

use super::counters::HostCounters;
use super::info::TcpInfo;
use super::watch::Answers;
use std::net::SocketAddrV4;

/// What became of a job.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    /// One for each flow.
    pub flows: Vec<FlowRan>,
    /// One for each host: what its kernel counted during the run.
    pub hosts: Vec<HostCounters>,
    /// Of each flow, the ends of its connection: who sends it, who gets it; `None` where they are not IPv4's.
    pub ends: Vec<Option<(SocketAddrV4, SocketAddrV4)>>,
    /// Its time zero, by CLOCK_MONOTONIC.
    pub zero_ns: u64,
    /// When it ended.
    pub end_ns: u64,
    /// When each step of the network's changes was due, and when it was done.
    pub changed_ns: Vec<(u64, u64)>,
    /// What senders said while it lasted, if they were asked.
    pub answers: Answers,
    /// It was stopped.
    pub interrupted: bool,
    /// The kernel counts timeouts of single connections (Linux 6.7 on).
    pub timeouts_known: bool,
    /// What must be read before trusting its numbers.
    pub warnings: Vec<String>,
}

/// What became of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowRan {
    /// When it was due; `None` if it waited for a flow that did not finish.
    pub due_ns: Option<u64>,
    /// When it was handed over.
    pub started_ns: Option<u64>,
    /// When its last byte had been read.
    pub finished_ns: Option<u64>,
    /// Bytes read.
    pub delivered: u64,
    /// What the kernel says of its sender in the end.
    pub sender: TcpInfo,
    /// And of its receiver.
    pub receiver: TcpInfo,
}
