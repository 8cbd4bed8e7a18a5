//! Settings of a run, apart from its network and its plan.

use crate::changes::Change;
use crate::plan::TrafficPlan;
use sidestep_switch::{Capacity, buffer, route, sched};
use sidestep_transport::{TransportConfig, shim};
use sidestep_types::{Bytes, Framing, Seed, Size, Time};

/// Settings of a run.
#[derive(Clone, Debug)]
pub struct WorldConfig {
    /// Framing, which gives the link time of a packet.
    pub framing: Framing,
    /// Time to live of a new packet.
    pub ttl: u8,
    /// Settings of every switch that is not among [`WorldConfig::others`].
    pub switch: SwitchConfig,
    /// Switches with other settings.
    pub others: SwitchOverrides,
    /// Transport of every flow whose class has none in `transports`.
    pub transport: TransportConfig,
    /// Transports of single classes of flows.
    pub transports: ClassTransports,
    /// The shims of every host, the first nearest to the transport.
    pub shims: Vec<shim::Chosen>,
    /// Queue of every host's NIC; `None` for an unlimited FIFO.
    pub nic: Option<NicConfig>,
    /// Source of all randomness.
    pub seed: Seed,
    /// Changes of the network during the run.
    pub changes: Vec<Change>,
    /// Packets whose paths are kept.
    pub trace: TraceFilter,
}

impl WorldConfig {
    /// Returns the transport of the flows of `class`, the same at both ends of each.
    pub fn transport_of(&self, class: u8) -> &TransportConfig {
        self.transports.of(&self.transport, class)
    }

    /// Returns every transport that a flow may have; one used by several classes comes once for each.
    pub(crate) fn all_transports(&self) -> impl Iterator<Item = &TransportConfig> {
        let own = self.transports.own.iter().flatten();
        std::iter::once(&self.transport).chain(own)
    }

    /// Returns the payload bytes of the largest segment that a flow of `plan` may send.
    pub(crate) fn largest_mss(&self, plan: &TrafficPlan) -> u32 {
        let own = self.all_transports().map(TransportConfig::mss);
        own.fold(plan.largest_mss(self.transport.mss()), u32::max)
    }
}

/// Transports of single classes of flows, where they differ from the common one.
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
    /// Per class of the plan its own transport, if it has one; empty if no class has.
    pub own: Vec<Option<TransportConfig>>,
}

impl ClassTransports {
    /// Returns the transport of the flows of `class`; `common` if the class has none.
    pub fn of<'a>(&'a self, common: &'a TransportConfig, class: u8) -> &'a TransportConfig {
        let own = self.own.get(usize::from(class));
        own.and_then(Option::as_ref).unwrap_or(common)
    }

    /// Returns true if no class has its own transport.
    pub fn is_empty(&self) -> bool {
        self.own.iter().all(Option::is_none)
    }
}

/// A switch's policies and its memory.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchConfig {
    /// Policy that picks the next hop of a packet.
    pub route: route::Chosen,
    /// Policy that admits, detours or drops an arriving packet.
    pub buffer: buffer::Chosen,
    /// Policy that picks the packet that leaves next.
    pub sched: sched::Chosen,
    /// Capacity of the NIC.
    pub capacity: Capacity,
    /// Silence that ends a flow, if the switch ranks data by what it saw of the flow; `None` if it uses the
    /// ranks that hosts mark. The same for every switch.
    pub sent: Option<Time>,
    /// Thresholds at which it pauses senders, if it does.
    pub pfc: Option<PfcConfig>,
    /// Fabric between its inputs and outputs; `None` for an output-queued switch.
    pub cioq: Option<CioqConfig>,
}

/// Queue of a NIC: that of a switch with one port.
#[derive(Clone, Debug, PartialEq)]
pub struct NicConfig {
    /// A buffer policy that needs no other port.
    pub buffer: buffer::Chosen,
    /// Policy that picks the packet that leaves next.
    pub sched: sched::Chosen,
    /// Capacity of the NIC.
    pub capacity: Capacity,
}

/// Switches whose policies or capacity differ from [`WorldConfig::switch`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SwitchOverrides {
    /// Settings of these switches. Pauses, and the fabric between inputs and outputs, are the same for every
    /// switch.
    pub kinds: Vec<SwitchConfig>,
    /// Per switch of the network, its index in `kinds`, if it has one; empty if no switch has.
    pub of: Vec<Option<u16>>,
}

impl SwitchOverrides {
    /// Returns the settings of switch number `number`; `switch` for all that do not differ.
    pub fn kind<'a>(&'a self, switch: &'a SwitchConfig, number: usize) -> &'a SwitchConfig {
        let kind = self.of.get(number).copied().flatten();
        kind.map_or(switch, |kind| &self.kinds[usize::from(kind)])
    }
}

/// Thresholds at which switches pause senders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PfcConfig {
    /// Bytes held of one port at which its sender is paused.
    pub xoff: Bytes,
    /// Bytes held at which the sender is resumed; `None` for two full packets below `xoff`.
    pub xon: Option<Bytes>,
    /// Room beyond `xoff` for packets that arrive before the pause takes effect; `None` for
    /// [`crate::pfc::headroom_needed`].
    pub headroom: Option<Bytes>,
}

/// Switch fabric between inputs and outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CioqConfig {
    /// Speed relative to the fastest port, as numerator and denominator; at least 1.
    pub speedup: (u64, u64),
    /// Capacity of each input, the packet that crosses included; `None` for no limit.
    pub input_capacity: Option<Size>,
}

/// Packets whose paths are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum TraceFilter {
    /// No packet's path is kept.
    #[default]
    None,
    /// The packets with these numbers.
    Ids(Vec<u64>),
    /// All packets of these flows.
    Flows(Vec<u32>),
    /// The packets that arrived or were dropped after at least this many detours.
    Detoured(u8),
    /// The packets that were dropped.
    Dropped,
}
