//! What a switch counts, and a copy of it for others.

use crate::frame::Refusal;
use hdrhistogram::Histogram;
use serde::{Serialize, Serializer};
use sidestep_switch::DropReason;
use sidestep_switch::ports::Counts;
use std::collections::BTreeMap;

/// Writes a struct of counts, and their names, meanings and values as a table.
macro_rules! counts {
    ($(#[doc = $of:literal])* $counts:ident { $($name:ident $doc:literal;)* }) => {
        $(#[doc = $of])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
        pub struct $counts {
            $(#[doc = $doc] pub $name: u64,)*
        }

        impl $counts {
            /// Name, meaning and value of each.
            pub const ALL: &[Count<$counts>] = &[$((stringify!($name), $doc, |c| c.$name),)*];
        }

        impl std::ops::AddAssign for $counts {
            fn add_assign(&mut self, other: $counts) {
                $(self.$name += other.$name;)*
            }
        }
    };
}

/// Name, meaning and value of one of these counts.
pub type Count<C> = (&'static str, &'static str, fn(&C) -> u64);

counts! {
    /// The frames that came, left or were flooded at one port, without what the decision counts ([`Counts`]); bytes are
    /// without FCS.
    FrameCounts {
        rx_frames "Frames that came in";
        rx_bytes "Bytes of frames that came in";
        tx_frames "Frames whose last bit has left";
        tx_bytes "Bytes of frames whose last bit has left";
        answered "Requests for an address that were answered";
        floods "Frames that came in and were flooded";
        copies "Copies of flooded frames for this port";
        learn_limited "Frames that came in and whose sender was not learned: the port has as many as it may";
        moves "Frames that came in and whose sender had stood at another port before";
        icmp_time_exceeded "Messages made for who sent by this port: the TTL of a packet ended";
        icmp_unreachable "Messages made for who sent by this port: a packet to the router leads nowhere";
        icmp_limited "Messages not made: there have been as many as there may be";
        icmp_withheld "Messages not made: of such packets nothing may be said, or there is nobody to say it";
        probes_sent "Probes made for this port";
        probes_heard "Own probes that came in: a loop";
        loop_blocks "How often the port was blocked as part of a loop";
    }
}

/// What a port counts while the switch runs.
#[derive(Clone, Debug)]
pub(super) struct PortCounts {
    pub frames: FrameCounts,
    pub refused: [u64; Refusal::COUNT],
    /// Packets before each that wanted this port.
    pub depths: Histogram<u64>,
}

impl PortCounts {
    pub fn new() -> PortCounts {
        PortCounts {
            frames: FrameCounts::default(),
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
    /// What came, left and was flooded.
    #[serde(flatten)]
    pub frames: FrameCounts,
    /// What was decided here: marks, detours and so on, each under its own name. Drops are below.
    #[serde(flatten, serialize_with = "by_name")]
    pub decided: Counts,
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

counts! {
    /// What the shims of one port counted, together.
    ShimCounters {
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
}

impl ShimCounters {
    /// How many of the first are as things are now; the others only grow.
    pub const NOW: usize = 2;

    /// Adds what others counted that are there no more: nothing of theirs is as things are now.
    pub(super) fn add_past(&mut self, past: &ShimCounters) {
        let ShimCounters {
            keeping,
            connections,
            ..
        } = *self;
        *self += *past;
        (self.keeping, self.connections) = (keeping, connections);
    }
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
            frames: self.frames,
            decided: *decided,
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
