//! What a scenario can say outside the registries: one table of parameters per section.
//!
//! The same tables give defaults, messages, suggestions, `sidestep list` and the docs.

use crate::shipped::PROFILE_NAMES;
use sidestep_config::decision::{Memory, RankGap};
use sidestep_types::{Bytes, FileName, Fraction, Param, ParamUnit, Settings, Size, Time, Words};

/// `[transport]`: its kinds, what can be said about every one, and which of that a kind takes.
use crate::kernel::Kernel;
use crate::marker::Marker;
pub use sidestep_transport::{ENTRIES as TRANSPORTS, PARAMS as TRANSPORT, takes};

/// The keys at the top of a scenario, beside its [`LISTS`].
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

/// The keys at the top of a scenario that hold one thing or several.
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

/// `[switch]`, beside its three policies.
#[derive(Clone, Copy, Debug, Settings)]
pub(crate) struct SwitchSettings {
    #[setting(skip, flatten = Memory)]
    _memory: (),
    /// what policies order data by that go by ranks: what its host marked, or bytes of its flow that the switch saw
    /// before
    #[setting(default = "marked")]
    pub rank: RankBy,
    #[setting(flatten)]
    pub gap: RankGap,
    /// pause whoever sends by a port that has brought too much (IEEE 802.1Qbb, DIBS section 6)
    #[setting(default = "false")]
    pub pfc: bool,
    /// what a port has brought and the switch still holds when it is paused; assumed: with the headroom of 1 Gbps no more
    /// than 100 full packets a port (DIBS Table 1)
    #[setting(default = "140 kB", beside(pfc = "true"))]
    pub pfc_xoff: Bytes,
    /// it is resumed at this much or less; "auto" is two full packets below pfc_xoff; assumed
    #[setting(default = "auto", off = "auto", beside(pfc = "true"))]
    pub pfc_xon: Option<Bytes>,
    /// room beyond pfc_xoff for what is on its way; "auto" is what loses nothing: two propagation delays, three full
    /// packets and the pause
    #[setting(default = "auto", off = "auto", beside(pfc = "true"))]
    pub pfc_headroom: Option<Bytes>,
    /// "output": packets are at their output at once; "cioq": they wait at the input and cross to it (DIBS section 4)
    #[setting(default = "output")]
    pub fabric: SwitchFabric,
    /// with "cioq": how much faster than the fastest port packets cross, at least 1 (Chuang et al., 1999: 2 is enough to
    /// match output queueing); assumed
    #[setting(default = "2", beside(fabric = "cioq"))]
    pub speedup: Fraction,
    /// with "cioq": what each input holds, beside the capacity of the outputs; assumed
    #[setting(default = "100 pkt", off = "unlimited", beside(fabric = "cioq"))]
    pub input_capacity: Option<Size>,
}

/// What ranks are.
#[derive(Clone, Copy, Debug, PartialEq, Words)]
pub(crate) enum RankBy {
    Marked,
    Sent,
}

/// What is between inputs and outputs.
#[derive(Clone, Copy, Debug, PartialEq, Words)]
pub(crate) enum SwitchFabric {
    Output,
    Cioq,
}

/// The rows of `[switch]`.
pub const SWITCH: &[Param] = SwitchSettings::PARAMS;

/// `[workload.NAME]`, beside its kind's.
pub const WORKLOAD: &[Param] = &[Param::with_default(
    "transport",
    ParamUnit::File,
    "",
    "the transport of this workload's flows: its name, or a table of keys that replace those of [transport] for it; by \
     default that of the scheme",
)];

/// `[host]`, beside a table for each shim, and the buffer policy and scheduler of its NIC.
#[derive(Clone, Debug, Settings)]
pub(crate) struct HostSettings {
    /// what is between the transport and the NIC of every host, the first nearest to the transport: "a, b" or a list of
    /// names
    #[setting(default = "none", off = "none")]
    pub shims: Option<FileName>,
    /// what the queue of every host's NIC holds, the packet on the wire included; assumed
    #[setting(default = "unlimited", off = "unlimited")]
    pub capacity: Option<Size>,
    /// testbed: how far a host's kernel is told how losses are found and repaired: what [transport] says, nothing else
    /// that can be switched off ("plain"), or nothing of it ("stock")
    #[setting(default = "told")]
    pub kernel: Kernel,
    /// testbed: what sets the classes of by-size: the host, by its sockets or, by what was sent, by a program at its
    /// interface, or the port of the switch that leads to it ("port")
    #[setting(default = "host")]
    pub marker: Marker,
}

/// The rows of `[host]`.
pub const HOST: &[Param] = HostSettings::PARAMS;

/// `[probe]`, beside its [`PROBE_LISTS`].
#[derive(Clone, Copy, Debug, Settings)]
pub(crate) struct ProbeSettings {
    /// window over which the use of links is taken (DIBS Figure 4)
    #[setting(default = "off", off = "off")]
    pub links: Option<Time>,
    /// how often the buffers around hot links are looked at (DIBS Figure 5)
    #[setting(default = "off", off = "off")]
    pub neighbours: Option<Time>,
    /// a link is hot from this use on (DIBS section 3)
    #[setting(default = "0.9")]
    pub hot: Fraction,
    /// window over which the goodput of each workload is taken
    #[setting(default = "off", off = "off")]
    pub goodput: Option<Time>,
    /// window over which packets dropped are counted
    #[setting(default = "off", off = "off")]
    pub drops: Option<Time>,
    /// window of the spread: queues at its end, use over it; assumed
    #[setting(default = "10 ms", beside(spread))]
    pub spread_window: Time,
    /// latency is taken of so-many-th data packets of each host and workload; 1 is every one; assumed
    #[setting(default = "100", beside(latency))]
    pub latency_every: u64,
    /// from when on the goodput of endless flows is taken; assumed: all of the run
    #[setting(default = "0 us")]
    pub flows_from: Time,
    /// windows of the spread that begin before it do not count; assumed: all do
    #[setting(default = "0 us", beside(spread))]
    pub spread_from: Time,
    /// data packets sent before it have no latency; assumed: all have
    #[setting(default = "0 us", beside(latency))]
    pub latency_from: Time,
    /// draws of hashes over which max-min fair shares are worked out; 0 works out none
    #[setting(default = "0")]
    pub fair: u64,
    /// log the first 100,000 detours (DIBS Figure 2a)
    #[setting(default = "false")]
    pub detours: bool,
    /// keep the paths of so many data packets, those with the most detours (DIBS Figure 1)
    #[setting(default = "0")]
    pub paths: u64,
    /// count the loops of data packets (DIBS section 4)
    #[setting(default = "false")]
    pub loops: bool,
}

/// The rows of `[probe]`, beside its [`PROBE_LISTS`].
pub const PROBE: &[Param] = ProbeSettings::PARAMS;

/// The keys of `[probe]` that hold one thing or several.
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

/// A `[[change]]`.
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

/// A `[[plot]]`.
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

/// The keys of `[[plot]]` that hold one word or several.
pub const PLOT_LISTS: [&str; 3] = ["y", "schemes", "points_of"];

/// A `[[claim]]`.
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
