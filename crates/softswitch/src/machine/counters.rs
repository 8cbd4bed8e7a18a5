//! Counters of a switch, and a copy of them for readers.

use crate::frame::Refusal;
use hdrhistogram::Histogram;
use serde::{Serialize, Serializer};
use sidestep_switch::DropReason;
use sidestep_switch::ports::Counts;
use std::collections::BTreeMap;

/// Defines a struct of counters, and a table of their names, meanings and values.
macro_rules! counts {
    ($(#[doc = $of:literal])* $counts:ident { $($name:ident $doc:literal;)* }) => {
        $(#[doc = $of])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
        pub struct $counts {
            $(#[doc = $doc] pub $name: u64,)*
        }

        impl $counts {
            /// Name, meaning and value of each counter.
            pub const ALL: &[Count<$counts>] = &[$((stringify!($name), $doc, |c| c.$name),)*];
        }

        impl std::ops::AddAssign for $counts {
            fn add_assign(&mut self, other: $counts) {
                $(self.$name += other.$name;)*
            }
        }
    };
}

/// Name, meaning and value of one counter.
pub type Count<C> = (&'static str, &'static str, fn(&C) -> u64);

counts! {
    /// Frames received, sent or flooded at one port, without the counters of the decision ([`Counts`]); bytes
    /// are without FCS.
    FrameCounts {
        rx_frames "Frames received";
        rx_bytes "Bytes of frames received";
        tx_frames "Frames sent: last bit has left";
        tx_bytes "Bytes of frames whose last bit has left";
        answered "Requests for an address that were answered";
        floods "Frames received and flooded";
        copies "Copies of flooded frames for this port";
        learn_limited "Frames received whose source was not learned: the port is at its \
                       learn_limit";
        moves "Frames received whose source was learned at another port before";
        icmp_time_exceeded "ICMP messages to senders at this port: TTL expired";
        icmp_unreachable "ICMP messages to senders at this port: no route for a packet to the \
                          router";
        icmp_limited "ICMP messages suppressed by icmp_rate";
        icmp_withheld "ICMP messages not sent: forbidden for such packets, or the router has no \
                       address of the family";
        probes_sent "Loop probes sent by this port";
        probes_heard "Own loop probes received: a loop";
        loop_blocks "Times the port was blocked as part of a loop";
    }
}

/// Counters of one port while the switch runs.
#[derive(Clone, Debug)]
pub(super) struct PortCounts {
    pub frames: FrameCounts,
    pub refused: [u64; Refusal::COUNT],
    /// Packets queued before each arrival routed to this port.
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

/// Snapshot of all counters of a switch. Keys are the names of drop reasons and refusals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Counters {
    /// Name of the switch.
    pub name: String,
    /// Time of the snapshot, picoseconds of the driver's clock.
    pub at_ps: u64,
    /// Frames queued, or within their port's delay.
    pub held: u64,
    /// Learned addresses, stale ones included.
    pub learned: u64,
    /// Addresses that found no place in the table.
    pub not_learned: u64,
    /// Frames received by a port that does not exist.
    pub no_port: u64,
    /// Changes of rates, links and next hops ordered so far.
    pub changes: u64,
    /// Counters of the ports, in the order of the config.
    pub ports: Vec<PortCounters>,
}

/// Counters of one port.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PortCounters {
    /// Name of the port.
    pub name: String,
    /// Linux interface of the port.
    pub interface: String,
    /// Sending rate, bit/s.
    pub rate_bps: u64,
    /// False while the link is ordered down.
    pub link_up: bool,
    /// Addresses learned at the port, stale ones included.
    pub learned: u64,
    /// Counters of the port's shims, including those a reload has replaced; `None` if the port never had any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shims: Option<ShimCounters>,
    /// Frames received, sent and flooded.
    #[serde(flatten)]
    pub frames: FrameCounts,
    /// Decisions at this port: marks, detours and so on, each under its own name. Drops are below.
    #[serde(flatten, serialize_with = "by_name")]
    pub decided: Counts,
    /// True if probes have shown that the port is part of a loop.
    pub looped: bool,
    /// True if the port is blocked as part of a loop.
    pub blocked: bool,
    /// Frames routed to this port and dropped, by reason.
    pub drops: BTreeMap<&'static str, u64>,
    /// Frames received by this port and refused, by reason.
    pub refused: BTreeMap<&'static str, u64>,
    /// Packets queued now.
    pub queued_packets: u32,
    /// Bytes of buffer occupied now.
    pub queued_bytes: u32,
    /// Most packets queued at once.
    pub peak_packets: u32,
    /// Most bytes of buffer occupied at once.
    pub peak_bytes: u32,
    /// Queue lengths that arrivals met.
    pub depths: Depths,
}

counts! {
    /// Counters of all shims of one port together.
    ShimCounters {
        keeping "Frames held by shims now";
        connections "Connections tracked by shims now";
        no_place "Connections not tracked, table full: their frames pass unchanged";
        held "Frames held by shims";
        released "Held frames released when a gap closed";
        expired "Held frames released by timeout, lack of room or a newer message";
        discarded "Held frames released because their flow closed";
        late "Frames that arrived after later ones had been passed on";
        bypassed "Frames passed on for lack of a place or of room";
        dropped "Frames that shims dropped";
        duplicates "Duplicate acknowledgements seen by shims, passed on or dropped";
        marked "Data that shims marked";
        repeats "Marked data counted as retransmissions";
        untagged "Marked data sent without its tag for lack of room";
        unremembered "Marked data not remembered for lack of room: a retransmission of it counts \
                      as new";
    }
}

impl ShimCounters {
    /// Number of leading fields that describe the present; the others only grow.
    pub const NOW: usize = 2;

    /// Adds the counters of shims that no longer exist, except for the fields that describe the present.
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

/// Serializes every counter except the drops under its name.
fn by_name<S: Serializer>(counts: &Counts, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map((Counts::ALL.iter()).map(|count| (count.name, (count.of)(counts))))
}

/// Histogram of queue lengths in packets, exact below 256, then to under 1 %.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Depths {
    /// Number of arrivals.
    pub n: u64,
    /// Median queue length met.
    pub p50: u64,
    /// Queue length that 99 of 100 arrivals did not exceed.
    pub p99: u64,
    /// Queue length that 999 of 1000 arrivals did not exceed.
    pub p999: u64,
    /// Longest queue met.
    pub max: u64,
    /// Pairs `(at most so many packets, number of arrivals)`; each arrival is counted once, empty buckets are
    /// left out.
    pub buckets: Vec<(u64, u64)>,
}

impl PortCounts {
    /// Returns a copy of the counters for readers.
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
    /// Returns an empty histogram of queue lengths.
    pub(crate) fn none() -> Histogram<u64> {
        Histogram::new_with_bounds(1, 1 << 20, 2).expect("bounds of a histogram")
    }

    /// Summarizes a histogram of queue lengths.
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
