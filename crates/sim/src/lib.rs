//! The packet-level simulator: an agenda of events over links, switches and hosts.

// Only `indexed` contains unsafe code.
#![deny(unsafe_code)]

pub mod agenda;
pub mod cdf;
pub mod changes;
mod checks;
mod cioq;
pub mod config;
mod counts;
mod event;
mod fabric;
mod fib;
pub mod files;
pub mod flow_list;
pub mod histogram;
mod host;
#[allow(unsafe_code)]
mod indexed;
mod layout;
mod losses;
mod lost;
pub mod network;
mod observers;
mod order;
pub mod outcome;
mod packets;
pub mod parts;
pub mod pfc;
pub mod plan;
mod pool;
pub mod record;
mod switching;
mod table;
mod tally;
pub mod thinned;
pub mod topology;
mod trace;
pub mod watch;
pub mod why;
pub mod workload;
mod world;

pub use cdf::{Interpolation, SizeCdf};
pub use changes::{Becomes, Change, LEAST_RATE, check_changes};
pub use checks::{check_nic, check_switch};
pub use config::{
    CioqConfig, ClassTransports, NicConfig, PfcConfig, SwitchConfig, SwitchOverrides, TraceFilter,
    WorldConfig,
};
pub use counts::Totals;
pub use files::{Files, NoFiles};
pub use histogram::Histogram;
pub use network::{Cable, End, Network, SwitchInfo};
pub use outcome::{
    ClassOutcome, FlowOutcome, GroupOutcome, NReordering, Outcome, PacketTrace, PortOutcome,
    SubflowOutcome, TraceEvent, TraceStep,
};
pub use pfc::Deadlock;
pub use plan::{FlowPlan, GroupPlan, Joint, QueryPlan, Start, TrafficPlan};
pub use sidestep_switch::ports::{Count as PortCount, Counts as PortCounts};
pub use switching::salt as policy_salt;
pub use thinned::Thinned;
pub use watch::{DetourSeen, Latency, LoopCounts, Watched, Watching};
#[cfg(all(debug_assertions, not(test)))]
#[doc(hidden)]
pub use world::compiled;
pub use world::{Saved, World};
