//! The packet-level simulator: an agenda of events over links, switches and hosts.

pub mod cdf;
pub mod config;
pub mod files;
pub mod flow_list;
pub mod network;
pub mod outcome;
pub mod plan;
mod table;
pub mod topology;
pub mod workload;

pub use cdf::{Interpolation, SizeCdf};
pub use config::{SwitchConfig, TraceFilter, WorldConfig};
pub use files::{Files, NoFiles};
pub use network::{Cable, End, Network};
pub use outcome::{
    ClassOutcome, FlowOutcome, Outcome, PacketTrace, PortOutcome, Totals, TraceEvent, TraceStep,
};
pub use plan::{FlowPlan, Plan, QueryPlan, Start};
