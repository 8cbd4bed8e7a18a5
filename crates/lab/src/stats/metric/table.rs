//! Table of metrics: one line each, with all facts about it.

use super::entry::{Each, Kind, Metric, SampleKind, Values};
use super::reading::{bounded, count, known, mean, number, p50, p95, p99, p999};
use super::{Needs, Population, Reading};
use crate::probe::Loops;
use crate::record::Record;
use crate::stats::{Percentiles, Summary};
use sidestep_switch::DropReason;

/// All metrics, in listing order: the reasons of drops after their sum, those of samples last, six each.
pub const METRICS: &[Metric] = &joined::<ALL>([FLOWS, &DROPS, PACKETS, SIZED, OF_FLOWS, SAMPLED]);

const ALL: usize =
    FLOWS.len() + DROPS.len() + PACKETS.len() + SIZED.len() + OF_FLOWS.len() + SAMPLED.len();

/// Defines a part of the table: population, kind, name, sentence, more facts, and the function that reads it.
macro_rules! metrics {
    ($part:ident: $(
        $population:ident $kind:ident $name:literal $doc:literal
        $(, $fact:ident $value:expr)* => $read:expr;
    )*) => {
        const $part: &[Metric] = &[$(
            Metric::line($name, $doc, Population::$population, Kind::$kind, $read)
                $(.$fact($value))*,
        )*];
    };
}

metrics! { FLOWS:
    Queries Ms "qct_p50_ms" "median query completion time" => |s| p50(&s.qct_ms);
    Queries Ms "qct_p95_ms" "95th percentile of query completion time" => |s| p95(&s.qct_ms);
    Queries Ms "qct_p99_ms" "99th percentile of query completion time" => |s| p99(&s.qct_ms);
    Queries Ms "qct_p999_ms" "99.9th percentile of query completion time" => |s| p999(&s.qct_ms);
    Queries Ms "qct_mean_ms" "mean query completion time" => |s| mean(&s.qct_ms);
    Queries Ms "qct_done_mean_ms" "mean query completion time, completed queries only" => |s| known(s.qct_ms.done_mean);
    Queries Ms "qct_done_p99_ms" "99th percentile of query completion time, completed queries only" => |s| known(s.qct_ms.done_p99);
    Queries Ms "qct_min_ms" "shortest query completion time" => |s| known(s.qct_ms.min);
    Queries Ms "qct_max_ms" "longest query completion time" => |s| bounded(s.qct_ms.max, s.qct_ms.max_at_least);
    Queries Share "qct_completed_share" "share of queries that completed" => |s| known(s.qct_ms.completed_share);
    ShortFlows Ms "fct_short_p50_ms" "median completion time of background flows of 1 to 10 kB" => |s| p50(&s.fct_short_ms);
    ShortFlows Ms "fct_short_p95_ms" "95th percentile of the same", heading "95th percentile of completion time of background flows of 1 to 10 kB" => |s| p95(&s.fct_short_ms);
    ShortFlows Ms "fct_short_p99_ms" "99th percentile of the same", heading "99th percentile of completion time of background flows of 1 to 10 kB" => |s| p99(&s.fct_short_ms);
    ShortFlows Ms "fct_short_p999_ms" "99.9th percentile of the same", heading "99.9th percentile of completion time of background flows of 1 to 10 kB" => |s| p999(&s.fct_short_ms);
    ShortFlows Ms "fct_short_mean_ms" "mean of the same", heading "mean completion time of background flows of 1 to 10 kB" => |s| mean(&s.fct_short_ms);
    ShortFlows Share "fct_short_completed_share" "share of background flows of 1 to 10 kB that completed" => |s| known(s.fct_short_ms.completed_share);
    Responses Ms "fct_query_p50_ms" "median completion time of the flows of queries" => |s| p50(&s.fct_query_ms);
    Responses Ms "fct_query_p95_ms" "95th percentile of the same", heading "95th percentile of completion time of the flows of queries" => |s| p95(&s.fct_query_ms);
    Responses Ms "fct_query_p99_ms" "99th percentile of the same", heading "99th percentile of completion time of the flows of queries" => |s| p99(&s.fct_query_ms);
    Responses Ms "fct_query_p999_ms" "99.9th percentile of the same", heading "99.9th percentile of completion time of the flows of queries" => |s| p999(&s.fct_query_ms);
    Responses Ms "fct_query_mean_ms" "mean of the same", heading "mean completion time of the flows of queries" => |s| mean(&s.fct_query_ms);
    Responses Share "fct_query_completed_share" "share of background flows of 1 to 10 kB that completed", heading "share that completed of the flows of queries" => |s| known(s.fct_query_ms.completed_share);
    Answers Ms "fct_response_mean_ms" "mean completion time of responses, without requests" => |s| mean(&s.fct_response_ms);
    Answers Ms "fct_response_p95_ms" "95th percentile of completion time of responses, without requests" => |s| p95(&s.fct_response_ms);
    Answers Ms "fct_response_p99_ms" "99th percentile of completion time of responses, without requests" => |s| p99(&s.fct_response_ms);
    Answers Ms "fct_response_done_mean_ms" "mean completion time of responses, completed responses only" => |s| known(s.fct_response_ms.done_mean);
    Answers Ms "fct_response_done_p99_ms" "99th percentile of completion time of responses, completed responses only" => |s| known(s.fct_response_ms.done_p99);
    Answers Share "fct_response_completed_share" "share of the responses that completed" => |s| known(s.fct_response_ms.completed_share);
    EndingFlows Ms "fct_all_mean_ms" "mean completion time of all finite flows except requests" => |s| mean(&s.fct_all_ms);
    EndingFlows Ms "fct_all_p95_ms" "95th percentile of completion time of all finite flows except requests" => |s| p95(&s.fct_all_ms);
    EndingFlows Ms "fct_all_p99_ms" "99th percentile of completion time of all finite flows except requests" => |s| p99(&s.fct_all_ms);
    EndingFlows Ms "fct_all_done_mean_ms" "mean completion time of all completed flows except requests" => |s| known(s.fct_all_ms.done_mean);
    EndingFlows Ms "fct_all_done_p99_ms" "99th percentile of completion time of all completed flows except requests" => |s| known(s.fct_all_ms.done_p99);
    EndingFlows Share "fct_all_completed_share" "share of all finite flows except requests that completed" => |s| known(s.fct_all_ms.completed_share);
    BackgroundFlows Ms "fct_background_p50_ms" "median completion time of all finite background flows" => |s| p50(&s.fct_background_ms);
    BackgroundFlows Ms "fct_background_p95_ms" "95th percentile of the same", heading "95th percentile of completion time of all background flows that end" => |s| p95(&s.fct_background_ms);
    BackgroundFlows Ms "fct_background_p99_ms" "99th percentile of the same", heading "99th percentile of completion time of all background flows that end" => |s| p99(&s.fct_background_ms);
    BackgroundFlows Ms "fct_background_p999_ms" "99.9th percentile of the same", heading "99.9th percentile of completion time of all background flows that end" => |s| p999(&s.fct_background_ms);
    BackgroundFlows Ms "fct_background_mean_ms" "mean of the same", heading "mean completion time of all background flows that end" => |s| mean(&s.fct_background_ms);
    BackgroundFlows Share "fct_background_completed_share" "share of background flows of 1 to 10 kB that completed", heading "share that completed of all background flows that end" => |s| known(s.fct_background_ms.completed_share);
    LongFlows Ms "fct_long_p50_ms" "median completion time of background flows of more than 1 MB" => |s| p50(&s.fct_long_ms);
    LongFlows Ms "fct_long_p95_ms" "95th percentile of the same", heading "95th percentile of completion time of background flows of more than 1 MB" => |s| p95(&s.fct_long_ms);
    LongFlows Ms "fct_long_p99_ms" "99th percentile of the same", heading "99th percentile of completion time of background flows of more than 1 MB" => |s| p99(&s.fct_long_ms);
    LongFlows Ms "fct_long_p999_ms" "99.9th percentile of the same", heading "99.9th percentile of completion time of background flows of more than 1 MB" => |s| p999(&s.fct_long_ms);
    LongFlows Ms "fct_long_mean_ms" "mean of the same", heading "mean completion time of background flows of more than 1 MB" => |s| mean(&s.fct_long_ms);
    LongFlows Share "fct_long_completed_share" "share of background flows of 1 to 10 kB that completed", heading "share that completed of background flows of more than 1 MB" => |s| known(s.fct_long_ms.completed_share);
    Groups Ms "group_p50_ms" "median completion time of groups of flows" => |s| p50(&s.group_ms);
    Groups Ms "group_p95_ms" "95th percentile of completion time of groups of flows" => |s| p95(&s.group_ms);
    Groups Ms "group_p99_ms" "99th percentile of completion time of groups of flows" => |s| p99(&s.group_ms);
    Groups Ms "group_p999_ms" "99.9th percentile of completion time of groups of flows" => |s| p999(&s.group_ms);
    Groups Ms "group_mean_ms" "mean completion time of groups of flows" => |s| mean(&s.group_ms);
    Groups Share "group_completed_share" "share of groups of flows that completed" => |s| known(s.group_ms.completed_share);
    PlannedQueries Share "query_timeout_share" "share of the queries in which a response timed out" => |s| known(s.query_timeout_share);
    PlannedResponses Share "response_timeout_share" "share of the responses that timed out" => |s| known(s.response_timeout_share);
    Packets Share "drop_share" "packets dropped, for any reason, over all packets put on NICs" => |s| over_sent(s, dropped(s));
    Packets Count "drops" "packets dropped, for any reason" => |s| count(dropped(s));
    Flows Count "delivered_bytes" "payload bytes delivered in order" => |s| number(s.classes.iter().map(|class| class.delivered_bytes).sum());
}

/// Metric of each drop reason.
const DROPS: [Metric; DropReason::COUNT] = {
    let mut all = [Metric::dropped(DropReason::Full); DropReason::COUNT];
    let mut i = 0;
    while i < all.len() {
        all[i] = Metric::dropped(DropReason::ALL[i]);
        i += 1;
    }
    all
};

metrics! { PACKETS:
    Packets Count "trims" "packets that lost their payload in a switch, or at a NIC", row "trimmed" => |s| count(s.signals.trims);
    Packets Count "detours" "detours of all packets", row "detours" => |s| count(s.detours);
    Packets Share "detoured_share" "share of all delivered packets, including acknowledgements, that were detoured" => |s| known(s.detoured_share);
    DataPackets Share "detoured_data_share" "share of the delivered data packets that were detoured at least once" => |s| known(s.detoured_data_share);
    DetouredPackets Share "detoured_query_share" "share of the detoured data packets that belong to queries" => |s| known(s.detoured_query_share);
    DataPackets Share "detoured_background_share" "share of the delivered background data packets that were detoured" => |s| known(s.detoured_background_share);
    DataPackets Number "detours_per_packet" "mean detours of a delivered data packet, including packets without any" => |s| known(s.detours_per_packet);
    DataPackets Number "detours_p99" "99th percentile of the detours of a query's delivered data packet" => |s| count(s.detours_p99);
    DataPackets Number "detours_max" "largest number of detours of a delivered data packet" => |s| count(s.detours_max);
    DataPackets Number "stretch_mean" "mean number of switches that a delivered data packet crossed over those of a shortest path" => |s| known(s.stretch_mean);
    DataPackets Number "extra_hops_p99" "99th percentile of the switches that a delivered data packet crossed beyond a shortest path" => |s| count(s.extra_hops_p99);
    Links Share "link_use_mean" "mean share of the run that a link out of a switch was busy" => |s| known(s.link_use.as_ref().and_then(|links| links.mean));
    Links Share "link_use_max" "share of the run that the busiest link out of a switch was busy" => |s| known(s.link_use.as_ref().and_then(|links| links.max));
    Packets Count "marks" "packets marked", row "ECN marks" => |s| count(s.signals.marks);
    Packets Count "host_marks" "packets marked by the NIC of their host; also counted in `marks`", row "  of them at NICs" => |s| count(s.signals.host_marks);
    Packets Count "host_drops" "packets dropped by the NIC of their host, for any reason; also counted in `drops`", row "dropped at NICs, for any reason" => |s| count(s.signals.host_drops);
    Flows Count "timeouts" "retransmission timeouts", row "retransmission timeouts" => |s| count(s.signals.timeouts);
    Packets Count "retransmits" "retransmitted data segments", row "retransmissions" => |s| count(s.signals.retransmits);
    Packets Count "spurious_retransmits" "retransmitted data segments that the network had not lost" => |s| count(s.signals.spurious_retransmits);
    Packets Share "spurious_share" "`spurious_retransmits` over all packets put on NICs", heading "spurious retransmissions over all packets put on NICs" => |s| over_sent(s, s.signals.spurious_retransmits);
    Flows Count "spurious_timeouts" "retransmission timeouts although the network had not lost the oldest unacknowledged byte" => |s| count(s.signals.spurious_timeouts);
    Flows Count "fast_retransmits" "recoveries started by duplicate acknowledgements or by SACK" => |s| count(s.signals.fast_retransmits);
    Packets Count "dsacks" "duplicate data segments that receivers reported by D-SACK (RFC 2883)" => |s| count(s.signals.dsacks);
    Flows Count "undone" "windows restored because the recovery that had cut them was spurious" => |s| count(s.signals.undone);
    Packets Count "reinjections" "data segments that one subflow sent for another after its timeout" => |s| count(s.signals.reinjections);
    DataPackets Share "reordered_share" "share of the delivered data packets that arrived after one sent later (RFC 4737)" => |s| known(s.reordered_share);
    DataPackets Share "transport_reordered_share" "share of the delivered data packets that reached the transport after one sent later: reordering that shims did not repair" => |s| known(s.transport_reordered_share);
    ReorderedPackets Number "reordering_p99" "n-reordering (RFC 4737 section 5.4) that 99 % of the reordered data packets do not exceed" => reordering;
    Packets Count "shim_held" "packets held by shims", row "held by shims" => |s| count(s.signals.shim_held);
    Packets Count "shim_released" "held packets released to the transport when a gap closed" => |s| count(s.signals.shim_released);
    Packets Count "shim_expired" "held packets released because the wait ended, the room ran out or a newer message began" => |s| count(s.signals.shim_expired);
    Packets Count "shim_discarded" "held packets whose flow or run ended before they were released" => |s| count(s.signals.shim_discarded);
    Packets Count "shim_late" "packets below the data that a shim had already passed on, which pass at once" => |s| count(s.signals.shim_late);
    Packets Count "shim_bypassed" "data packets that a shim passed on because its table or its room was full" => |s| count(s.signals.shim_bypassed);
    Packets Count "shim_dropped" "packets dropped by shims", row "dropped by shims" => |s| count(s.signals.shim_dropped);
    Packets Count "shim_duplicates" "acknowledgements that a shim found to be duplicates, passed on or dropped" => |s| count(s.signals.shim_duplicates);
    Packets Count "shim_marked" "data packets marked by shims", row "marked by shims" => |s| count(s.signals.shim_marked);
    Packets Count "shim_repeats" "marked data packets that a shim took for retransmissions" => |s| count(s.signals.shim_repeats);
    Packets Count "shim_mistaken" "first transmissions that a shim took for retransmissions" => |s| count(s.signals.shim_mistaken);
    Packets Count "shim_missed" "retransmissions that a shim took for first transmissions" => |s| count(s.signals.shim_missed);
    Ports Count "pauses" "pauses that switches sent", row "pauses" => |s| count(s.pauses);
    Ports Count "deadlocks" "cycles of ports that wait for each other forever", row "deadlocks" => |s| count(s.deadlocks);
    EndlessFlows Number "jain" "Jain's index of the goodputs of endless flows" => |s| known(s.jain);
    EndlessFlows Number "flow_goodput_max_over_min" "largest goodput of an endless flow over the smallest in one run" => |s| bounded(s.flow_goodput_max_over_min, s.flow_goodput_max_over_min_at_least);
    DetouredPackets Share "looped_share" "share of the detoured data packets that crossed a switch twice", needs Needs::Loops => looped_share;
    DataPackets Number "loops_per_packet" "mean loops of a data packet, including packets without any", needs Needs::Loops => loops_per_packet;
    Loops Number "loop_length_mean" "mean length of a loop, in links", needs Needs::Loops => loop_length_mean;
}

metrics! { SIZED:
    BackgroundFlows Ms "fct_upto_10kb_mean_ms" "mean completion time of background flows of at most 10 kB" => |s| sized(s, 0, mean);
    BackgroundFlows Ms "fct_upto_10kb_p50_ms" "median completion time of background flows of at most 10 kB" => |s| sized(s, 0, p50);
    BackgroundFlows Ms "fct_upto_10kb_p95_ms" "95th percentile of completion time of background flows of at most 10 kB" => |s| sized(s, 0, p95);
    BackgroundFlows Ms "fct_upto_10kb_p99_ms" "99th percentile of completion time of background flows of at most 10 kB" => |s| sized(s, 0, p99);
    BackgroundFlows Share "fct_upto_10kb_completed_share" "share of background flows of at most 10 kB that completed" => |s| sized(s, 0, |of| known(of.completed_share));
    BackgroundFlows Ms "fct_10kb_100kb_mean_ms" "mean completion time of background flows of more than 10 kB, at most 100 kB" => |s| sized(s, 1, mean);
    BackgroundFlows Ms "fct_10kb_100kb_p50_ms" "median completion time of background flows of more than 10 kB, at most 100 kB" => |s| sized(s, 1, p50);
    BackgroundFlows Ms "fct_10kb_100kb_p95_ms" "95th percentile of completion time of background flows of more than 10 kB, at most 100 kB" => |s| sized(s, 1, p95);
    BackgroundFlows Ms "fct_10kb_100kb_p99_ms" "99th percentile of completion time of background flows of more than 10 kB, at most 100 kB" => |s| sized(s, 1, p99);
    BackgroundFlows Share "fct_10kb_100kb_completed_share" "share of background flows of more than 10 kB, at most 100 kB, that completed" => |s| sized(s, 1, |of| known(of.completed_share));
    BackgroundFlows Ms "fct_100kb_1mb_mean_ms" "mean completion time of background flows of more than 100 kB, at most 1 MB" => |s| sized(s, 2, mean);
    BackgroundFlows Ms "fct_100kb_1mb_p50_ms" "median completion time of background flows of more than 100 kB, at most 1 MB" => |s| sized(s, 2, p50);
    BackgroundFlows Ms "fct_100kb_1mb_p95_ms" "95th percentile of completion time of background flows of more than 100 kB, at most 1 MB" => |s| sized(s, 2, p95);
    BackgroundFlows Ms "fct_100kb_1mb_p99_ms" "99th percentile of completion time of background flows of more than 100 kB, at most 1 MB" => |s| sized(s, 2, p99);
    BackgroundFlows Share "fct_100kb_1mb_completed_share" "share of background flows of more than 100 kB, at most 1 MB, that completed" => |s| sized(s, 2, |of| known(of.completed_share));
    BackgroundFlows Ms "fct_1mb_10mb_mean_ms" "mean completion time of background flows of more than 1 MB, at most 10 MB" => |s| sized(s, 3, mean);
    BackgroundFlows Ms "fct_1mb_10mb_p50_ms" "median completion time of background flows of more than 1 MB, at most 10 MB" => |s| sized(s, 3, p50);
    BackgroundFlows Ms "fct_1mb_10mb_p95_ms" "95th percentile of completion time of background flows of more than 1 MB, at most 10 MB" => |s| sized(s, 3, p95);
    BackgroundFlows Ms "fct_1mb_10mb_p99_ms" "99th percentile of completion time of background flows of more than 1 MB, at most 10 MB" => |s| sized(s, 3, p99);
    BackgroundFlows Share "fct_1mb_10mb_completed_share" "share of background flows of more than 1 MB, at most 10 MB, that completed" => |s| sized(s, 3, |of| known(of.completed_share));
    BackgroundFlows Ms "fct_over_10mb_mean_ms" "mean completion time of background flows of more than 10 MB" => |s| sized(s, 4, mean);
    BackgroundFlows Ms "fct_over_10mb_p50_ms" "median completion time of background flows of more than 10 MB" => |s| sized(s, 4, p50);
    BackgroundFlows Ms "fct_over_10mb_p95_ms" "95th percentile of completion time of background flows of more than 10 MB" => |s| sized(s, 4, p95);
    BackgroundFlows Ms "fct_over_10mb_p99_ms" "99th percentile of completion time of background flows of more than 10 MB" => |s| sized(s, 4, p99);
    BackgroundFlows Share "fct_over_10mb_completed_share" "share of background flows of more than 10 MB that completed" => |s| sized(s, 4, |of| known(of.completed_share));
}

/// Defines samples, and the six metrics of each.
macro_rules! samples {
    ($kinds:ident, $metrics:ident: $(
        $population:ident $kind:ident $name:literal $of:literal
        $(, needs $needs:ident)? $(, each $each:ident)? $(, of_flow $values:expr)?;
    )*) => {
        const $kinds: &[SampleKind] = &[$(SampleKind {
            name: $name,
            axis: $of,
            unit: Kind::$kind.unit(),
            needs: first(&[$(Needs::$needs)?]),
            each: first(&[$(Each::$each)?]),
            population: Population::$population,
            values: Values::probed_or(&[$($values)?]),
        },)*];

        const $metrics: &[Metric] = &[$(
            sampled!($population $kind $name "_mean" "mean of " $of, |s| s.mean $(, needs $needs)?),
            sampled!($population $kind $name "_p10" "10th percentile of " $of, |s| s.p10 $(, needs $needs)?),
            sampled!($population $kind $name "_p50" "median of " $of, |s| s.p50 $(, needs $needs)?),
            sampled!($population $kind $name "_p90" "90th percentile of " $of, |s| s.p90 $(, needs $needs)?),
            sampled!($population $kind $name "_p99" "99th percentile of " $of, |s| s.p99 $(, needs $needs)?),
            sampled!($population $kind $name "_max" "maximum of " $of, |s| s.max $(, needs $needs)?),
        )*];
    };
}

/// Defines one metric of one sample.
macro_rules! sampled {
    ($population:ident $kind:ident $name:literal $suffix:literal $what:literal $of:literal, $pick:expr $(, needs $needs:ident)?) => {
        Metric::line(
            concat!($name, $suffix),
            concat!($what, $of),
            Population::$population,
            Kind::$kind,
            |s| known(s.samples.get($name).map($pick)),
        )
        $(.needs(Needs::$needs))?
    };
}

samples! { FLOW_SAMPLES, OF_FLOWS:
    EndlessFlows Gbps "flow_goodput_gbps" "the goodput of an endless flow", of_flow goodput;
    EndlessFlows Share "flow_link_share" "the goodput of an endless flow over the capacity of its hosts' links", of_flow link_share;
    LongFlows Gbps "long_goodput_gbps" "the goodput of a background flow of more than 1 MB while it lasted", of_flow long_goodput;
    EndlessFlows Share "flow_payload_share" "the goodput of an endless flow over the payload capacity of its hosts' links", of_flow payload_share;
}

samples! { PROBE_SAMPLES, SAMPLED:
    Windows Share "hot_link_share" "the share of hot links in a window", needs Links;
    Windows Share "busiest_link_use" "the use of the busiest link in a window", needs Links;
    HotLinks Share "neighbour_free_1hop" "the free share of buffers one hop from a hot link", needs Neighbours;
    HotLinks Share "neighbour_free_2hop" "the free share of buffers two hops from a hot link", needs Neighbours;
    Windows Gbps "goodput_gbps" "the goodput in a window", needs Goodput, each Workload;
    Windows Number "window_drops" "the packets dropped in a window", needs Drops, each Reason;
    Windows Bytes "queue_spread_bytes" "the fullest queue minus the emptiest at the end of a window", needs Spread, each Links;
    DataPackets Us "latency_us" "the time from a data packet's first switch to its last", needs Latency, each Workload;
    DataPackets Us "queueing_us" "the time that a data packet waited in switches", needs Latency, each Workload;
    DataPackets Us "queueing_upto_100kb_us" "the time that a data packet of a flow of at most 100 kB waited in switches", needs Latency, each Workload;
    Windows Share "use_spread" "the largest use of a link minus the smallest in a window", needs Spread, each Links;
    Links Share "split_share" "a link's share of a workload's packets that crossed the links of the spread", needs Split, each Workload;
    DrawnFlows Share "fair_share" "an active flow's goodput at max-min fair shares over the capacity of its hosts' links", needs Fair;
    Draws Number "fair_max_over_min" "the largest fair share over the smallest", needs Fair;
    Draws Number "fair_jain" "Jain's index of the fair shares", needs Fair;
}

/// Samples other than completion times: over flows, and of probes.
pub(super) const KINDS: &[&[SampleKind]] = &[FLOW_SAMPLES, PROBE_SAMPLES];

const fn first<T: Copy>(of: &[T]) -> Option<T> {
    match of {
        [first, ..] => Some(*first),
        [] => None,
    }
}

fn goodput(record: &Record) -> Vec<f64> {
    let gbps = |bytes: &f64| bytes * 8.0 / 1e9;
    record.endless.iter().map(gbps).collect()
}

fn long_goodput(record: &Record) -> Vec<f64> {
    let gbps = |bytes: &f64| bytes * 8.0 / 1e9;
    record.long_goodput.iter().map(gbps).collect()
}

fn link_share(record: &Record) -> Vec<f64> {
    let flows = record.endless.iter().zip(&record.endless_link);
    finite(flows.map(|(own, link)| own / link))
}

fn payload_share(record: &Record) -> Vec<f64> {
    let links = record.endless_link.iter().zip(&record.endless_payload);
    let flows = record.endless.iter().zip(links);
    finite(flows.map(|(own, (link, payload))| own / (link * payload)))
}

fn finite(shares: impl Iterator<Item = f64>) -> Vec<f64> {
    shares.filter(|share| share.is_finite()).collect()
}

/// Joins the parts of the table.
const fn joined<const N: usize>(parts: [&[Metric]; 6]) -> [Metric; N] {
    let mut all = [Metric::dropped(DropReason::Full); N];
    let (mut n, mut part) = (0, 0);
    while part < parts.len() {
        let mut i = 0;
        while i < parts[part].len() {
            all[n] = parts[part][i];
            n += 1;
            i += 1;
        }
        part += 1;
    }
    all
}

/// Reads a number of the flows in size range number `size`.
fn sized(summary: &Summary, size: usize, read: fn(&Percentiles) -> Reading) -> Reading {
    let of = summary.fct_by_size_ms.get(size);
    of.map_or(Reading::Nothing, read)
}

fn reordering(summary: &Summary) -> Reading {
    let n = summary.reordering_p99.map(|n| n as f64);
    bounded(n, summary.reordering_p99_at_least == Some(true))
}

fn looped_share(summary: &Summary) -> Reading {
    let share = |l: &Loops| (l.detoured > 0).then(|| l.looped as f64 / l.detoured as f64);
    known(summary.loops.as_ref().and_then(share))
}

fn loops_per_packet(summary: &Summary) -> Reading {
    let mean = |l: &Loops| (l.packets > 0).then(|| l.count() as f64 / l.packets as f64);
    known(summary.loops.as_ref().and_then(mean))
}

fn loop_length_mean(summary: &Summary) -> Reading {
    let mean = |l: &Loops| (l.count() > 0).then(|| l.links() as f64 / l.count() as f64);
    known(summary.loops.as_ref().and_then(mean))
}

/// Returns the packets dropped, for any reason.
fn dropped(summary: &Summary) -> Option<u64> {
    Some(summary.drops.as_ref()?.values().sum())
}

/// Returns a count as a share of all packets put on NICs.
fn over_sent(summary: &Summary, count: Option<u64>) -> Reading {
    let share = |count| (summary.sent > 0).then(|| count as f64 / summary.sent as f64);
    known(count.and_then(share))
}
