//! What a switch counts, and a copy of it for others.

use crate::frame::Refusal;
use hdrhistogram::Histogram;
use serde::{Serialize, Serializer};
use sidestep_switch::DropReason;
use sidestep_switch::ports::Counts;
use std::collections::BTreeMap;

/// What is counted at one port, beside what the decision counts ([`Counts`]).
#[derive(Clone, Debug)]
pub(super) struct PortCounts {
    pub rx_frames: u64,
    pub rx_bytes: u64,
    pub tx_frames: u64,
    pub tx_bytes: u64,
    pub answered: u64,
    pub floods: u64,
    pub copies: u64,
    pub learn_limited: u64,
    pub moves: u64,
    pub icmp_time_exceeded: u64,
    pub icmp_unreachable: u64,
    pub icmp_limited: u64,
    pub icmp_withheld: u64,
    pub probes_sent: u64,
    pub probes_heard: u64,
    pub loop_blocks: u64,
    pub refused: [u64; Refusal::COUNT],
    /// Packets before each that wanted this port.
    pub depths: Histogram<u64>,
}

impl PortCounts {
    pub fn new() -> PortCounts {
        PortCounts {
            rx_frames: 0,
            rx_bytes: 0,
            tx_frames: 0,
            tx_bytes: 0,
            answered: 0,
            floods: 0,
            copies: 0,
            learn_limited: 0,
            moves: 0,
            icmp_time_exceeded: 0,
            icmp_unreachable: 0,
            icmp_limited: 0,
            icmp_withheld: 0,
            probes_sent: 0,
            probes_heard: 0,
            loop_blocks: 0,
            refused: [0; Refusal::COUNT],
            depths: Depths::none(),
        }
    }
}

/// All counts of a switch at one instant. Names are those of drop reasons and refusals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Counters {
    /// The switch.
    pub name: String,
    /// When, in picoseconds of the driver's clock.
    pub at_ps: u64,
    /// Frames queued, or whose port's delay is passing.
    pub held: u64,
    /// Addresses learned, stale ones included.
    pub learned: u64,
    /// Addresses that found no place in the table.
    pub not_learned: u64,
    /// Frames that came by a port that is not there.
    pub no_port: u64,
    /// Changes of rates, links and ways that were ordered.
    pub changes: u64,
    /// In the order of the config.
    pub ports: Vec<PortCounters>,
}

/// The counts of one port.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PortCounters {
    /// Its name.
    pub name: String,
    /// The Linux interface.
    pub interface: String,
    /// What it sends at.
    pub rate_bps: u64,
    /// It was not ordered down.
    pub link_up: bool,
    /// Addresses that stand at it, as was learned; stale ones included.
    pub learned: u64,
    /// What its shims counted, and those before them that a reload has replaced; nothing where it never had any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shims: Option<ShimCounters>,
    /// Frames that came in.
    pub rx_frames: u64,
    /// Their bytes, without FCS.
    pub rx_bytes: u64,
    /// Frames that were handed out when their last bit had left.
    pub tx_frames: u64,
    /// Their bytes, without FCS.
    pub tx_bytes: u64,
    /// What was decided here: marks, detours and so on, each under its own name. Drops are below.
    #[serde(flatten, serialize_with = "by_name")]
    pub decided: Counts,
    /// Requests for an address that came in here and were answered.
    pub answered: u64,
    /// Frames that came in here and were flooded.
    pub floods: u64,
    /// Copies of flooded frames for this port.
    pub copies: u64,
    /// Frames that came in here and whose sender was not learned: the port has as many as it may.
    pub learn_limited: u64,
    /// Senders that came in here and had stood at another port before.
    pub moves: u64,
    /// Messages that this switch made for who sent by this port: the TTL of a packet ended.
    pub icmp_time_exceeded: u64,
    /// The same: a packet to the router leads nowhere.
    pub icmp_unreachable: u64,
    /// Messages that were not made: there have been as many as there may be.
    pub icmp_limited: u64,
    /// Messages that were not made: of such packets nothing may be said, or there is nobody to say it.
    pub icmp_withheld: u64,
    /// Probes that this switch made for this port.
    pub probes_sent: u64,
    /// Own probes that came in here: a loop.
    pub probes_heard: u64,
    /// How often it was blocked as part of a loop.
    pub loop_blocks: u64,
    /// It is part of a loop, as far as probes say.
    pub looped: bool,
    /// It is blocked, as part of one.
    pub blocked: bool,
    /// Frames that wanted this port and were dropped, by reason.
    pub drops: BTreeMap<&'static str, u64>,
    /// Frames that came in here and were refused, by reason.
    pub refused: BTreeMap<&'static str, u64>,
    /// What is queued now.
    pub queued_packets: u32,
    /// Its bytes of buffer.
    pub queued_bytes: u32,
    /// The most that was queued at once.
    pub peak_packets: u32,
    /// The most bytes.
    pub peak_bytes: u32,
    /// How many packets each arrival found before it.
    pub depths: Depths,
}

/// Writes [`ShimCounters`].
macro_rules! shim_counters {
    ($($name:ident $doc:literal;)*) => {
        /// What the shims of one port counted, together.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
        pub struct ShimCounters {
            $(#[doc = $doc] pub $name: u64,)*
        }

        /// Name, meaning and value of one count of shims.
        pub type ShimCount = (&'static str, &'static str, fn(&ShimCounters) -> u64);

        impl ShimCounters {
            /// All of them.
            pub const ALL: &[ShimCount] = &[$((stringify!($name), $doc, |c| c.$name),)*];
            /// How many of the first are as things are now; the others only grow.
            pub const NOW: usize = 2;

            /// Adds what others counted that are there no more: nothing of theirs is as things are now.
            pub(super) fn add_past(&mut self, past: &ShimCounters) {
                let ShimCounters { keeping, connections, .. } = *self;
                $(self.$name += past.$name;)*
                (self.keeping, self.connections) = (keeping, connections);
            }
        }
    };
}

shim_counters! {
    keeping "Frames that shims keep now";
    connections "Connections that shims have a place for now";
    no_place "Connections that found no place: their frames go on as they come";
    held "Frames that shims kept";
    released "Frames kept that went on as a gap closed";
    expired "Frames kept that went on since the wait was over, no room was left or a newer message began";
    discarded "Frames kept whose flow was closed, and that went on then";
    late "Frames below what had gone on before";
    bypassed "Frames that went on for want of a place or of room";
    dropped "Frames that shims dropped";
    duplicates "Acknowledgements that shims found to be duplicates, whether they went on or were dropped";
    marked "Data that shims marked";
    repeats "Data marked that was taken for sent before";
    untagged "Data marked that had no room for its tag, and went on without";
    unremembered "Data marked that shims had no room to remember: sent again, it counts as new";
}

/// Writes every count but the drops under its name.
fn by_name<S: Serializer>(counts: &Counts, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map((Counts::ALL.iter()).map(|count| (count.name, (count.of)(counts))))
}

/// A histogram of queue lengths in packets, exact below 256, then to under 1 %.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Depths {
    /// How many arrivals.
    pub n: u64,
    /// The middle one found this many.
    pub p50: u64,
    /// 99 of 100 found at most so many.
    pub p99: u64,
    /// 999 of 1000.
    pub p999: u64,
    /// The longest.
    pub max: u64,
    /// `(at most so many packets, how many arrivals)`, each arrival once, empty ones left out.
    pub buckets: Vec<(u64, u64)>,
}

impl PortCounts {
    /// A copy for others.
    pub fn copy(&self, name: &str, interface: &str, decided: &Counts) -> PortCounters {
        let drops = DropReason::ALL.map(|reason| (reason.name(), decided.drops[reason as usize]));
        let refused = Refusal::ALL.map(|reason| (reason.name(), self.refused[reason as usize]));
        PortCounters {
            name: name.to_string(),
            interface: interface.to_string(),
            rate_bps: 0,
            link_up: true,
            learned: 0,
            shims: None,
            rx_frames: self.rx_frames,
            rx_bytes: self.rx_bytes,
            tx_frames: self.tx_frames,
            tx_bytes: self.tx_bytes,
            decided: *decided,
            answered: self.answered,
            floods: self.floods,
            copies: self.copies,
            learn_limited: self.learn_limited,
            moves: self.moves,
            icmp_time_exceeded: self.icmp_time_exceeded,
            icmp_unreachable: self.icmp_unreachable,
            icmp_limited: self.icmp_limited,
            icmp_withheld: self.icmp_withheld,
            probes_sent: self.probes_sent,
            probes_heard: self.probes_heard,
            loop_blocks: self.loop_blocks,
            looped: false,
            blocked: false,
            drops: drops.into_iter().collect(),
            refused: refused.into_iter().collect(),
            queued_packets: 0,
            queued_bytes: 0,
            peak_packets: 0,
            peak_bytes: 0,
            depths: Depths::of(&self.depths),
        }
    }
}

impl Depths {
    /// Room for what arrivals meet: queues of any length.
    pub(crate) fn none() -> Histogram<u64> {
        Histogram::new_with_bounds(1, 1 << 20, 2).expect("bounds of a histogram")
    }

    /// What arrivals met.
    pub(crate) fn of(all: &Histogram<u64>) -> Depths {
        let buckets = all.iter_recorded();
        Depths {
            n: all.len(),
            p50: all.value_at_quantile(0.5),
            p99: all.value_at_quantile(0.99),
            p999: all.value_at_quantile(0.999),
            max: all.max(),
            buckets: buckets
                .map(|b| (b.value_iterated_to(), b.count_since_last_iteration()))
                .collect(),
        }
    }
}
