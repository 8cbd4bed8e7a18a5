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
        "then the run goes on until every flow is done, at most this long; assumed",
    ),
    Param::with_default(
        "framing",
        ParamUnit::Word(&["ethernet", "ip", "ppp"]),
        "ethernet",
        "what a packet costs on a wire: its IP bytes + 38 (84 at least), its IP bytes alone, \
         or with the 2 bytes of PPP that ns-3 adds",
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
        "senders below what scenario and schemes set in [transport]: those of Linux 6.18, or the defaults of each key",
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
        "what to compare: names of shipped schemes, of [scheme.NAME] sections, or files",
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
        "what policies order data by that go by ranks: what its host marked, or bytes of its flow that the switch saw \
         before",
    ),
    RANK_GAP,
    Param::with_default(
        "pfc",
        ParamUnit::Flag,
        "false",
        "pause whoever sends by a port that has brought too much (IEEE 802.1Qbb, DIBS section 6)",
    ),
    Param::with_default(
        "pfc_xoff",
        ParamUnit::Bytes,
        "140 kB",
        "what a port has brought and the switch still holds when it is paused; assumed: with the \
         headroom of 1 Gbps no more than 100 full packets a port (DIBS Table 1)",
    )
    .beside("pfc", &["true"]),
    Param::with_default(
        "pfc_xon",
        ParamUnit::Bytes,
        "auto",
        "it is resumed at this much or less; \"auto\" is two full packets below pfc_xoff; assumed",
    )
    .beside("pfc", &["true"])
    .or_off("auto"),
    Param::with_default(
        "pfc_headroom",
        ParamUnit::Bytes,
        "auto",
        "room beyond pfc_xoff for what is on its way; \"auto\" is what loses nothing: two \
         propagation delays, three full packets and the pause",
    )
    .beside("pfc", &["true"])
    .or_off("auto"),
    Param::with_default(
        "fabric",
        ParamUnit::Word(FABRICS),
        "output",
        "\"output\": packets are at their output at once; \"cioq\": they wait at the input and \
         cross to it (DIBS section 4)",
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
        "with \"cioq\": what each input holds, beside the capacity of the outputs; assumed",
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
        "what is between the transport and the NIC of every host, the first nearest to the transport: \
         \"a, b\" or a list of names",
    )
    .or_off("none"),
    Param::with_default(
        "capacity",
        ParamUnit::Size,
        "unlimited",
        "what the queue of every host's NIC holds, the packet on the wire included; assumed",
    )
    .or_off("unlimited"),
    Param::with_default(
        "kernel",
        ParamUnit::Word(Kernel::WORDS),
        "told",
        "testbed: how far a host's kernel is told how losses are found and repaired: what [transport] says, \
         nothing else that can be switched off (\"plain\"), or nothing of it (\"stock\")",
    ),
    Param::with_default(
        "marker",
        ParamUnit::Word(Marker::WORDS),
        "host",
        "testbed: what sets the classes of by-size: the host, by its sockets or, by what was sent, by a program at its \
         interface, or the port of the switch that leads to it (\"port\")",
    ),
];

/// `[probe]`, beside its [`PROBE_LISTS`].
pub const PROBE: &[Param] = &[
    Param::with_default(
        "links",
        ParamUnit::Time,
        "off",
        "window over which the use of links is taken (DIBS Figure 4)",
    )
    .or_off("off"),
    Param::with_default(
        "neighbours",
        ParamUnit::Time,
        "off",
        "how often the buffers around hot links are looked at (DIBS Figure 5)",
    )
    .or_off("off"),
    Param::with_default(
        "hot",
        ParamUnit::Fraction,
        "0.9",
        "a link is hot from this use on (DIBS section 3)",
    ),
    Param::with_default(
        "goodput",
        ParamUnit::Time,
        "off",
        "window over which the goodput of each workload is taken",
    )
    .or_off("off"),
    Param::with_default(
        "drops",
        ParamUnit::Time,
        "off",
        "window over which packets dropped are counted",
    )
    .or_off("off"),
    Param::with_default(
        "spread_window",
        ParamUnit::Time,
        "10 ms",
        "window of the spread: queues at its end, use over it; assumed",
    ),
    Param::with_default(
        "latency_every",
        ParamUnit::Count,
        "100",
        "latency is taken of so-many-th data packets of each host and workload; 1 is every one; assumed",
    ),
    Param::with_default(
        "flows_from",
        ParamUnit::Time,
        "0 us",
        "from when on the goodput of endless flows is taken; assumed: all of the run",
    ),
    Param::with_default(
        "spread_from",
        ParamUnit::Time,
        "0 us",
        "windows of the spread that begin before it do not count; assumed: all do",
    ),
    Param::with_default(
        "latency_from",
        ParamUnit::Time,
        "0 us",
        "data packets sent before it have no latency; assumed: all have",
    ),
    Param::with_default(
        "fair",
        ParamUnit::Count,
        "0",
        "draws of hashes over which max-min fair shares are worked out; 0 works out none",
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
        "keep the paths of so many data packets, those with the most detours (DIBS Figure 1)",
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
        "instants at which every queue's length is noted: \"1 ms, 3 ms\" or a list (DIBS Figure 2b)",
    )
    .or_off("off"),
    Param::with_default(
        "latency",
        ParamUnit::File,
        "off",
        "workloads of whose data packets the time from the first switch to the last is taken, and the wait in switches",
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
        "when it happens, before anything else of that instant",
    ),
    Param::with_default(
        "link",
        ParamUnit::File,
        "",
        "the cable that changes, both directions of it: its two ends, \"agg 0.0 - core 1\"",
    ),
    Param::with_default(
        "switch",
        ParamUnit::File,
        "",
        "or the switch that changes, all its cables: \"core 1\"",
    ),
    Param::with_default(
        "rate",
        ParamUnit::Rate,
        "off",
        "the rate from now on; \"off\" leaves it as it is",
    )
    .or_off("off"),
    Param::with_default(
        "down",
        ParamUnit::Flag,
        "false",
        "it carries nothing any more",
    ),
    Param::with_default(
        "up",
        ParamUnit::Flag,
        "false",
        "it carries packets again, at the rate that the topology says",
    ),
    Param::with_default(
        "reroute",
        ParamUnit::Time,
        "1 ms",
        "after which time next hops follow what goes down or comes up, or \"never\"; assumed: a \
         dead port is seen sooner, a routing protocol takes longer",
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
        "the figure's number there; a table or section by its name",
    ),
    Param::with_default(
        "shows",
        ParamUnit::File,
        "",
        "what it shows, in one sentence",
    ),
];

/// `[[plot]]`.
pub const PLOT: &[Param] = &[
    Param::required("kind", ParamUnit::File, "what it draws"),
    Param::with_default("title", ParamUnit::File, "", "what stands above it"),
    Param::with_default(
        "x",
        ParamUnit::File,
        "",
        "lines and bars: the axis to draw against; the only one when not given",
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
        "only these; all of them when not given",
    ),
    Param::with_default("log", ParamUnit::File, "", "logarithmic axes: x, y or xy"),
    Param::with_default(
        "per",
        ParamUnit::File,
        "",
        "lines and bars: each number over the one here, { axis = \"value\" }",
    ),
    Param::with_default(
        "points",
        ParamUnit::File,
        "",
        "lines and bars: a table of its authors' points, drawn beside ours",
    ),
    Param::with_default(
        "points_of",
        ParamUnit::File,
        "",
        "the figures of that table that are drawn; all when not given",
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
        "its name in reports; the metric's when not given",
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
        "the sentence, of the paper or one's own",
    ),
    Param::required("metric", ParamUnit::File, "what is measured"),
    Param::required(
        "compare",
        ParamUnit::File,
        "a scheme, or two: \"dctcp - dibs\", \"dctcp / dibs\"",
    ),
    Param::required(
        "paper",
        ParamUnit::File,
        "the paper's number, or \"no number\" when it gives none",
    ),
    Param::with_default(
        "own",
        ParamUnit::File,
        "",
        "true: the sentence is no paper's, but what this file expects; not given, so it is where neither figure, a number \
         nor [figure] names a paper",
    ),
    Param::required(
        "accept",
        ParamUnit::File,
        "what counts as reproduced: \"10..30\", \"..2\", \"0.9..\" or one number; \">1\", \"<2\", \">0..<2\" without the ends",
    ),
    Param::required(
        "tolerance",
        ParamUnit::File,
        "why that counts as reproduced",
    ),
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
        "the points it speaks of, { axis = \"value\" }; all of them when not given",
    ),
    Param::with_default(
        "over",
        ParamUnit::File,
        "",
        "what to make of several points: max, min, mean, or each, which must hold at every one",
    ),
    Param::with_default(
        "less",
        ParamUnit::File,
        "",
        "its number less the number at these points, { axis = \"value\" }",
    ),
    Param::with_default(
        "per",
        ParamUnit::File,
        "",
        "its number over the number at these points, { axis = \"value\" }",
    ),
    Param::with_default(
        "expect",
        ParamUnit::File,
        "reproduced",
        "the verdict that this version gives",
    ),
    Param::with_default(
        "testbed_expect",
        ParamUnit::File,
        "",
        "the verdict that this version gives on the testbed; expect when not given",
    ),
    Param::with_default(
        "testbed_gap",
        ParamUnit::File,
        "",
        "why the paper's number and the testbed's differ; gap when not given",
    ),
    Param::with_default(
        "gap_sweep",
        ParamUnit::File,
        "",
        "the experiment that shows the assumption that decides",
    ),
    Param::with_default(
        "expect_between",
        ParamUnit::File,
        "",
        "our number's interval when that verdict was recorded, \"58..61\": it fails when it leaves it by more than its own",
    ),
    Param::with_default(
        "not_judged",
        ParamUnit::File,
        "",
        "why the claim has no verdict here; a resolved scenario says so of settings it was not made for",
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
