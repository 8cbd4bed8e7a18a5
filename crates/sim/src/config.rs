//! What can be chosen about a run, apart from its network and its plan.

use crate::changes::Change;
use crate::plan::Plan;
use sidestep_switch::{Capacity, buffer, route, sched};
use sidestep_transport::{TransportConfig, shim};
use sidestep_types::{Bytes, Framing, Seed, Size, Time};

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
    /// Transport of every flow whose class has none of its own.
    pub transport: TransportConfig,
    /// Classes of flows that have a transport of their own.
    pub transports: ClassTransports,
    /// The shims of every host, the first nearest to the transport.
    pub shims: Vec<shim::Chosen>,
    /// What the queue of every host's NIC is; `None` is a FIFO without a limit.
    pub nic: Option<NicConfig>,
    /// Where all chance comes from.
    pub seed: Seed,
    /// What happens to the network while the run goes on.
    pub changes: Vec<Change>,
    /// Which packets' paths to keep.
    pub trace: TraceFilter,
}

impl WorldConfig {
    /// Transport of the flows of `class`, the same at both ends of each.
    pub fn transport_of(&self, class: u8) -> &TransportConfig {
        self.transports.of(&self.transport, class)
    }

    /// Every transport that a flow may have; one that several classes have comes once for each.
    pub(crate) fn all_transports(&self) -> impl Iterator<Item = &TransportConfig> {
        let own = self.transports.own.iter().flatten();
        std::iter::once(&self.transport).chain(own)
    }

    /// Payload bytes of the largest segment that a flow of `plan` may send.
    pub(crate) fn largest_mss(&self, plan: &Plan) -> u32 {
        let own = self.all_transports().map(TransportConfig::mss);
        own.fold(plan.largest_mss(self.transport.mss()), u32::max)
    }
}

/// Transports of the classes of flows that have one of their own.
///
/// ```
/// use sidestep_sim::ClassTransports;
/// use sidestep_transport::TransportConfig;
///
/// let [tcp, dctcp] = ["newreno", "dctcp"].map(|name| TransportConfig::from_name(name).unwrap());
/// let transports = ClassTransports { own: vec![None, Some(dctcp)] };
/// assert_eq!(transports.of(&tcp, 0).name(), "newreno");
/// assert_eq!(transports.of(&tcp, 1).name(), "dctcp");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassTransports {
    /// Per class of the plan its own transport, if it has one; empty when no class has.
    pub own: Vec<Option<TransportConfig>>,
}

impl ClassTransports {
    /// Transport of the flows of `class`, where those without one of their own have `common`.
    pub fn of<'a>(&'a self, common: &'a TransportConfig, class: u8) -> &'a TransportConfig {
        let own = self.own.get(usize::from(class));
        own.and_then(Option::as_ref).unwrap_or(common)
    }

    /// Returns whether no class has a transport of its own.
    pub fn is_empty(&self) -> bool {
        self.own.iter().all(Option::is_none)
    }
}

/// A switch's policies and its memory.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchConfig {
    /// Which of the next hops a packet takes.
    pub route: route::Chosen,
    /// What happens to a packet that arrives.
    pub buffer: buffer::Chosen,
    /// Which packet leaves next.
    pub sched: sched::Chosen,
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
    /// A buffer policy that needs no other port.
    pub buffer: buffer::Chosen,
    /// Which packet leaves next.
    pub sched: sched::Chosen,
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
