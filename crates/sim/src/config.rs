//! What can be chosen about a run, apart from its network and its plan.

use crate::changes::Change;
use sidestep_switch::Capacity;
use sidestep_transport::TransportConfig;
use sidestep_types::{Bytes, Framing, Seed, Size, Time, Values};

/// A run's settings.
#[derive(Clone, Debug)]
pub struct WorldConfig {
    /// What a packet costs on a wire.
    pub framing: Framing,
    /// Time to live of a new packet.
    pub ttl: u8,
    /// What every switch is that [`WorldConfig::others`] says nothing of.
    pub switch: SwitchConfig,
    /// Switches that differ from it.
    pub others: Others,
    /// The same for every connection.
    pub transport: TransportConfig,
    /// The shims of every host, the first nearest to the transport: names of
    /// `sidestep_transport::shim::ENTRIES`.
    pub shims: Vec<(String, Values)>,
    /// What the queue of every host's NIC is; `None` is a FIFO without a limit.
    pub nic: Option<NicConfig>,
    /// Where all chance comes from.
    pub seed: Seed,
    /// What happens to the network while the run goes on.
    pub changes: Vec<Change>,
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
    /// It ranks data by what it saw of its flow, which a silence longer than this ends; `None`: by
    /// what hosts mark. The same for every switch.
    pub sent: Option<Time>,
    /// When it pauses those who send to it, if ever.
    pub pfc: Option<PfcConfig>,
    /// What is between its inputs and outputs; `None` is nothing: it is output-queued.
    pub cioq: Option<CioqConfig>,
}

/// The queue of a NIC: that of a switch with one port.
#[derive(Clone, Debug, PartialEq)]
pub struct NicConfig {
    /// A buffer policy of `sidestep_switch::buffer::ENTRIES` that needs no other port.
    pub buffer: (String, Values),
    /// A scheduler of `sidestep_switch::sched::ENTRIES`.
    pub sched: (String, Values),
    /// How much it holds.
    pub capacity: Capacity,
}

/// Switches that decide otherwise, or hold more or less, than [`WorldConfig::switch`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Others {
    /// What they are. Pauses, and what is between inputs and outputs, are the same for every switch.
    pub kinds: Vec<SwitchConfig>,
    /// Per switch of the network, which of `kinds` it is, if any; empty is none of them.
    pub of: Vec<Option<u16>>,
}

impl Others {
    /// What switch number `number` is, where `switch` is what is said of all that do not differ.
    pub fn kind<'a>(&'a self, switch: &'a SwitchConfig, number: usize) -> &'a SwitchConfig {
        let kind = self.of.get(number).copied().flatten();
        kind.map_or(switch, |kind| &self.kinds[usize::from(kind)])
    }
}

/// When switches pause those who send to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PfcConfig {
    /// A port that has brought this much, still held, is paused.
    pub xoff: Bytes,
    /// It is resumed at this much or less; `None` is two full packets below `xoff`.
    pub xon: Option<Bytes>,
    /// Room beyond `xoff` for what a pause comes too late for; `None` is
    /// [`crate::pfc::headroom_needed`].
    pub headroom: Option<Bytes>,
}

/// A switch fabric between inputs and outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CioqConfig {
    /// How much faster than the fastest port it is, as numerator and denominator; at least 1.
    pub speedup: (u64, u64),
    /// What each input holds, the packet that crosses included; `None` is everything.
    pub input_capacity: Option<Size>,
}

/// Which packets' paths to keep.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum TraceFilter {
    /// No packet's path is kept.
    #[default]
    None,
    /// The packets with these numbers.
    Ids(Vec<u64>),
    /// All packets of these flows.
    Flows(Vec<u32>),
    /// The packets that arrived or were dropped after at least so many detours.
    Detoured(u8),
    /// The packets that were dropped.
    Dropped,
}
