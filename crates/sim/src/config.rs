//! What can be chosen about a run, apart from its network and its plan.

use crate::cioq::CioqConfig;
use crate::pfc::PfcConfig;
use sidestep_switch::Capacity;
use sidestep_transport::TransportConfig;
use sidestep_types::{Framing, Seed, Values};

/// A run's settings.
#[derive(Clone, Debug)]
pub struct WorldConfig {
    /// What a packet costs on a wire.
    pub framing: Framing,
    /// Time to live of a new packet.
    pub ttl: u8,
    /// The same for every switch.
    pub switch: SwitchConfig,
    /// The same for every connection.
    pub transport: TransportConfig,
    /// Where all chance comes from.
    pub seed: Seed,
    /// Which packets' paths to keep.
    pub trace: TraceFilter,
}

/// A switch's policies, by name, with their values, and its memory.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchConfig {
    /// A route of `sidestep_switch::route::ENTRIES`.
    pub route: (String, Values),
    /// A buffer policy of `sidestep_switch::buffer::ENTRIES`.
    pub buffer: (String, Values),
    /// A scheduler of `sidestep_switch::sched::ENTRIES`.
    pub sched: (String, Values),
    /// How much it holds.
    pub capacity: Capacity,
    /// When it pauses those who send to it, if ever.
    pub pfc: Option<PfcConfig>,
    /// What is between its inputs and outputs; `None` is nothing: it is output-queued.
    pub cioq: Option<CioqConfig>,
}

/// Which packets' paths to keep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TraceFilter {
    /// None.
    #[default]
    None,
    /// The packets with these numbers.
    Ids(Vec<u64>),
    /// All packets of these flows.
    Flows(Vec<u32>),
    /// The packets that arrived or were dropped after at least so many detours.
    Detoured(u8),
}
