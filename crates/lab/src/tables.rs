//! Parameters of a scenario outside the registries: one table per section.
//!
//! The same tables provide defaults, messages, suggestions, `sidestep list` and the docs.

use crate::fabric::FABRICS;
use crate::shipped::PROFILE_NAMES;
use sidestep_config::decision::{ALPHA, CAPACITY, MEMORY, RANK_GAP};
use sidestep_types::{Param, ParamUnit};

/// `[transport]`: its kinds, the parameters common to all kinds, and which of those a kind uses.
use crate::kernel::Kernel;
use crate::marker::Marker;
pub use sidestep_transport::{ENTRIES as TRANSPORTS, PARAMS as TRANSPORT, takes};

/// Top-level keys of a scenario, beside its [`LISTS`].
pub const SCENARIO: &[Param] = &[
    Param::with_default(
        "title",
        ParamUnit::File,
        "",
        "what the scenario shows, in one line",
    ),
    Param::required(
        "duration",
        ParamUnit::Time,
        "flows and queries arrive in this window",
    ),
    Param::with_default(
        "drain",
        ParamUnit::Time,
        "1 s",
        "longest time after duration for flows to finish; assumed",
    ),
    Param::with_default(
        "framing",
        ParamUnit::Word(&["ethernet", "ip", "ppp"]),
        "ethernet",
        "bytes of a packet on a wire: IP bytes + 38 (at least 84), IP bytes alone, or IP bytes + 2 \
         for PPP as in ns-3",
    ),
    Param::with_default(
        "ttl",
        ParamUnit::Count,
        "255",
        "time to live of a new packet, 1 to 255 (DIBS Table 2)",
    ),
    Param::with_default(
        "profile",
        ParamUnit::Word(PROFILE_NAMES),
        "linux",
        "values of [transport] that neither scenario nor scheme sets: those of Linux 6.18, or the \
         default of each key",
    ),
];

/// Top-level keys of a scenario that hold one value or several.
pub const LISTS: &[Param] = &[
    Param::with_default(
        "seeds",
        ParamUnit::File,
        "1",
        "one run each: \"1..5\" (both ends included) or [1, 2, 3]",
    ),
    Param::required(
        "schemes",
        ParamUnit::File,
        "schemes to compare: names of shipped schemes, of [scheme.NAME] sections, or files",
    ),
];

/// Word for ranks that switches compute themselves.
pub(crate) const RANK_SENT: &str = "sent";

/// `[switch]`, beside its three policies.
pub const SWITCH: &[Param] = &[
    CAPACITY,
    MEMORY.beside("capacity", &["shared"]),
    ALPHA.beside("capacity", &["shared"]),
    Param::with_default(
        "rank",
        ParamUnit::Word(&["marked", RANK_SENT]),
        "marked",
        "rank of data packets, for policies that use ranks: as marked by the host, or the bytes of \
         the flow that the switch has seen",
    ),
    RANK_GAP,
    Param::with_default(
        "pfc",
        ParamUnit::Flag,
        "false",
        "pause the sender on a port when the switch holds too much from it (IEEE 802.1Qbb, DIBS \
         section 6)",
    ),
    Param::with_default(
        "pfc_xoff",
        ParamUnit::Bytes,
        "140 kB",
        "bytes held from one port at which its sender is paused; assumed: with the headroom at 1 \
         Gbps at most 100 full packets a port (DIBS Table 1)",
    )
    .beside("pfc", &["true"]),
    Param::with_default(
        "pfc_xon",
        ParamUnit::Bytes,
        "auto",
        "bytes held from the port at which its sender is resumed; \"auto\" is two full packets \
         below pfc_xoff; assumed",
    )
    .beside("pfc", &["true"])
    .or_off("auto"),
    Param::with_default(
        "pfc_headroom",
        ParamUnit::Bytes,
        "auto",
        "room beyond pfc_xoff for packets in flight; \"auto\" is enough to lose nothing: two \
         propagation delays, three full packets and the pause",
    )
    .beside("pfc", &["true"])
    .or_off("auto"),
    Param::with_default(
        "fabric",
        ParamUnit::Word(FABRICS),
        "output",
        "\"output\": packets reach their output queue at once; \"cioq\": they wait at the input \
         and cross the fabric (DIBS section 4)",
    ),
    Param::with_default(
        "speedup",
        ParamUnit::Fraction,
        "2",
        "with \"cioq\": how much faster than the fastest port packets cross, at least 1 (Chuang et \
         al., 1999: 2 is enough to match output queueing); assumed",
    )
    .beside("fabric", &["cioq"]),
    Param::with_default(
        "input_capacity",
        ParamUnit::Size,
        "100 pkt",
        "with \"cioq\": capacity of each input queue, in addition to that of the outputs; assumed",
    )
    .beside("fabric", &["cioq"])
    .or_off("unlimited"),
];

/// `[workload.NAME]`, beside the keys of its kind.
pub const WORKLOAD: &[Param] = &[Param::with_default(
    "transport",
    ParamUnit::File,
    "",
    "the transport of this workload's flows: its name, or a table of keys that replace those of [transport] for it; by \
     default that of the scheme",
)];

/// `[host]`, beside a table for each shim, and the buffer policy and scheduler of its NIC.
pub const HOST: &[Param] = &[
    Param::with_default(
        "shims",
        ParamUnit::File,
        "none",
        "shims between the transport and the NIC of every host, the first nearest to the \
         transport: \"a, b\" or a list of names",
    )
    .or_off("none"),
    Param::with_default(
        "capacity",
        ParamUnit::Size,
        "unlimited",
        "capacity of the queue of every host's NIC, including the packet on the wire; assumed",
    )
    .or_off("unlimited"),
    Param::with_default(
        "kernel",
        ParamUnit::Word(Kernel::WORDS),
        "told",
        "testbed: loss recovery of a host's kernel: set as [transport] says (\"told\"), also with \
         everything else switched off (\"plain\"), or left as it is (\"stock\")",
    ),
    Param::with_default(
        "marker",
        ParamUnit::Word(Marker::WORDS),
        "host",
        "testbed: where the classes of by-size are set: in the host (by its sockets or, with by = \
         \"sent\", by a program at its interface) or at the switch port to the host (\"port\")",
    ),
];

/// `[probe]`, beside its [`PROBE_LISTS`].
pub const PROBE: &[Param] = &[
    Param::with_default(
        "links",
        ParamUnit::Time,
        "off",
        "window over which the use of links is measured (DIBS Figure 4)",
    )
    .or_off("off"),
    Param::with_default(
        "neighbours",
        ParamUnit::Time,
        "off",
        "interval at which the buffers around hot links are sampled (DIBS Figure 5)",
    )
    .or_off("off"),
    Param::with_default(
        "hot",
        ParamUnit::Fraction,
        "0.9",
        "use from which on a link is hot (DIBS section 3)",
    ),
    Param::with_default(
        "goodput",
        ParamUnit::Time,
        "off",
        "window over which the goodput of each workload is measured",
    )
    .or_off("off"),
    Param::with_default(
        "drops",
        ParamUnit::Time,
        "off",
        "window over which dropped packets are counted",
    )
    .or_off("off"),
    Param::with_default(
        "spread_window",
        ParamUnit::Time,
        "10 ms",
        "window of the spread: queues at its end, use of links during it; assumed",
    ),
    Param::with_default(
        "latency_every",
        ParamUnit::Count,
        "100",
        "the latency of every N-th data packet of each host and workload is measured; 1 is every \
         packet; assumed",
    ),
    Param::with_default(
        "flows_from",
        ParamUnit::Time,
        "0 us",
        "time from which on the goodput of endless flows is measured; assumed: the whole run",
    ),
    Param::with_default(
        "spread_from",
        ParamUnit::Time,
        "0 us",
        "time from which on windows of the spread count; assumed: the whole run",
    ),
    Param::with_default(
        "latency_from",
        ParamUnit::Time,
        "0 us",
        "time from which on data packets have their latency measured; assumed: the whole run",
    ),
    Param::with_default(
        "fair",
        ParamUnit::Count,
        "0",
        "number of draws of hashes for which max-min fair shares are computed; 0 for none",
    ),
    Param::with_default(
        "detours",
        ParamUnit::Flag,
        "false",
        "log the first 100,000 detours (DIBS Figure 2a)",
    ),
    Param::with_default(
        "paths",
        ParamUnit::Count,
        "0",
        "number of data packets whose paths are kept, those with the most detours (DIBS Figure 1)",
    ),
    Param::with_default(
        "loops",
        ParamUnit::Flag,
        "false",
        "count the loops of data packets (DIBS section 4)",
    ),
];

/// Keys of `[probe]` that hold one value or several.
pub const PROBE_LISTS: &[Param] = &[
    Param::with_default(
        "occupancy",
        ParamUnit::Time,
        "off",
        "times at which the length of every queue is recorded: \"1 ms, 3 ms\" or a list (DIBS \
         Figure 2b)",
    )
    .or_off("off"),
    Param::with_default(
        "latency",
        ParamUnit::File,
        "off",
        "workloads whose data packets are measured: the time from the first switch to the last, \
         and the wait in switches",
    )
    .or_off("off"),
    Param::with_default(
        "spread",
        ParamUnit::File,
        "off",
        "links whose fullest and emptiest queues are compared, and their uses: \"core > agg 0\"",
    )
    .or_off("off"),
];

/// `[[change]]`.
pub const CHANGE: &[Param] = &[
    Param::required(
        "at",
        ParamUnit::Time,
        "time of the change, before all other events of that instant",
    ),
    Param::with_default(
        "link",
        ParamUnit::File,
        "",
        "the cable that changes, in both directions, by its two ends: \"agg 0.0 - core 1\"",
    ),
    Param::with_default(
        "switch",
        ParamUnit::File,
        "",
        "the switch that changes, with all its cables: \"core 1\"; instead of link",
    ),
    Param::with_default(
        "rate",
        ParamUnit::Rate,
        "off",
        "the new rate; \"off\" keeps the rate",
    )
    .or_off("off"),
    Param::with_default(
        "down",
        ParamUnit::Flag,
        "false",
        "true: the cable, or every cable of the switch, stops carrying packets",
    ),
    Param::with_default(
        "up",
        ParamUnit::Flag,
        "false",
        "true: the cable, or every cable of the switch, carries packets again, at the rate of the \
         topology",
    ),
    Param::with_default(
        "reroute",
        ParamUnit::Time,
        "1 ms",
        "time until next hops follow the change, or \"never\"; assumed: a dead port is detected \
         sooner, a routing protocol takes longer",
    )
    .or_off("never"),
];

/// `[figure]`.
pub const FIGURE: &[Param] = &[
    Param::required(
        "paper",
        ParamUnit::File,
        "the paper: authors, venue and year",
    ),
    Param::required(
        "number",
        ParamUnit::File,
        "number of the figure in the paper; a table or section by its name",
    ),
    Param::with_default(
        "shows",
        ParamUnit::File,
        "",
        "what the figure shows, in one sentence",
    ),
];

/// `[[plot]]`.
pub const PLOT: &[Param] = &[
    Param::required("kind", ParamUnit::File, "kind of plot"),
    Param::with_default("title", ParamUnit::File, "", "title above the plot"),
    Param::with_default(
        "x",
        ParamUnit::File,
        "",
        "lines and bars: the axis to draw against; may be left out if there is only one",
    ),
    Param::with_default("y", ParamUnit::File, "", "lines and bars: metrics"),
    Param::with_default(
        "of",
        ParamUnit::File,
        "",
        "cdf, ranked and over_time: the sample",
    ),
    Param::with_default(
        "at",
        ParamUnit::File,
        "",
        "fixes the other axes, { axis = \"value\" }",
    ),
    Param::with_default(
        "schemes",
        ParamUnit::File,
        "",
        "schemes to draw; by default all",
    ),
    Param::with_default("log", ParamUnit::File, "", "logarithmic axes: x, y or xy"),
    Param::with_default(
        "per",
        ParamUnit::File,
        "",
        "lines and bars: divide each number by the number here, { axis = \"value\" }",
    ),
    Param::with_default(
        "points",
        ParamUnit::File,
        "",
        "lines and bars: file with the authors' points, drawn beside ours",
    ),
    Param::with_default(
        "points_of",
        ParamUnit::File,
        "",
        "figures of that file to draw; by default all",
    ),
];

/// Keys of `[[plot]]` that hold one word or several.
pub const PLOT_LISTS: [&str; 3] = ["y", "schemes", "points_of"];

/// `[[claim]]`.
pub const CLAIM: &[Param] = &[
    Param::with_default(
        "id",
        ParamUnit::File,
        "",
        "name of the claim in reports; by default that of the metric",
    ),
    Param::with_default(
        "figure",
        ParamUnit::File,
        "",
        "the paper's figure, table or section",
    ),
    Param::required(
        "says",
        ParamUnit::File,
        "the sentence, from the paper or your own",
    ),
    Param::required("metric", ParamUnit::File, "the metric to judge"),
    Param::required(
        "compare",
        ParamUnit::File,
        "a scheme, or two: \"dctcp - dibs\", \"dctcp / dibs\"",
    ),
    Param::required(
        "paper",
        ParamUnit::File,
        "the paper's number, or \"no number\" if the paper gives none",
    ),
    Param::with_default(
        "own",
        ParamUnit::File,
        "",
        "true: the sentence is an expectation of this file, not of a paper; by default true \
         without a figure, a number and [figure]",
    ),
    Param::required(
        "accept",
        ParamUnit::File,
        "numbers that count as reproduced: \"10..30\", \"..2\", \"0.9..\" or one number; \">1\", \
         \"<2\", \">0..<2\" exclude the ends",
    ),
    Param::required("tolerance", ParamUnit::File, "reason for that range"),
    Param::with_default(
        "gap",
        ParamUnit::File,
        "not known",
        "why the paper's number and ours differ",
    ),
    Param::with_default(
        "at",
        ParamUnit::File,
        "",
        "the points of the claim, { axis = \"value\" }; all points if not given",
    ),
    Param::with_default(
        "over",
        ParamUnit::File,
        "",
        "how to combine several points: max, min, mean, or each (it must hold at every point)",
    ),
    Param::with_default(
        "less",
        ParamUnit::File,
        "",
        "subtract the number at these points, { axis = \"value\" }",
    ),
    Param::with_default(
        "per",
        ParamUnit::File,
        "",
        "divide by the number at these points, { axis = \"value\" }",
    ),
    Param::with_default(
        "expect",
        ParamUnit::File,
        "reproduced",
        "the verdict that this version is expected to give",
    ),
    Param::with_default(
        "testbed_expect",
        ParamUnit::File,
        "",
        "the verdict that this version is expected to give on the testbed; by default expect",
    ),
    Param::with_default(
        "testbed_gap",
        ParamUnit::File,
        "",
        "why the paper's number and the testbed's differ; by default gap",
    ),
    Param::with_default(
        "gap_sweep",
        ParamUnit::File,
        "",
        "the experiment that varies the deciding assumption",
    ),
    Param::with_default(
        "expect_between",
        ParamUnit::File,
        "",
        "interval of our number when that verdict was recorded, \"58..61\"; the check fails if our \
         interval no longer overlaps it",
    ),
    Param::with_default(
        "not_judged",
        ParamUnit::File,
        "",
        "why the claim has no verdict here; a resolved scenario has it for settings that the claim \
         was not made for",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_types::Value;

    #[test]
    fn every_default_reads_as_its_own_unit_and_every_parameter_is_explained() {
        let kinds = TRANSPORTS.iter().flat_map(|entry| entry.params);
        let tables = [
            SCENARIO,
            LISTS,
            SWITCH,
            WORKLOAD,
            HOST,
            TRANSPORT,
            PROBE,
            PROBE_LISTS,
            CLAIM,
            CHANGE,
            FIGURE,
            PLOT,
        ];
        for param in tables.into_iter().flatten().chain(kinds) {
            assert!(!param.doc.is_empty(), "{}", param.name);
            if let Some(text) = param.default {
                Value::parse(text, param).unwrap_or_else(|e| panic!("{}: {e}", param.name));
            }
        }
    }
}
