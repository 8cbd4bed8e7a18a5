//! Parameters of a scenario outside the registries: one table per section.
//!
//! These tables provide defaults, messages, suggestions, `sidestep list` and the docs.

use crate::shipped::PROFILE_NAMES;
use sidestep_config::decision::{Memory, RankGap};
use sidestep_types::{Bytes, FileName, Fraction, Param, ParamUnit, Settings, Size, Time, Words};

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

/// `[switch]`, beside its three policies.
#[derive(Clone, Copy, Debug, Settings)]
pub(crate) struct SwitchSettings {
    #[setting(skip, flatten = Memory)]
    _memory: (),
    /// rank of data packets, for policies that use ranks: as marked by the host, or the bytes of the flow that
    /// the switch has seen
    #[setting(default = "marked")]
    pub rank: RankBy,
    #[setting(flatten)]
    pub gap: RankGap,
    /// pause the sender on a port when the switch holds too much from it (IEEE 802.1Qbb, DIBS section 6)
    #[setting(default = "false")]
    pub pfc: bool,
    /// bytes held from one port at which its sender is paused; assumed: with the headroom at 1 Gbps at most 100
    /// full packets a port (DIBS Table 1)
    #[setting(default = "140 kB", beside(pfc = "true"))]
    pub pfc_xoff: Bytes,
    /// the sender resumes at this much or less; "auto" is two full packets below pfc_xoff; assumed
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

/// Source of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Words)]
pub(crate) enum RankBy {
    Marked,
    Sent,
}

/// Fabric between inputs and outputs.
#[derive(Clone, Copy, Debug, PartialEq, Words)]
pub(crate) enum SwitchFabric {
    Output,
    Cioq,
}

/// The rows of `[switch]`.
pub const SWITCH: &[Param] = SwitchSettings::PARAMS;

/// `[workload.NAME]`, beside the keys of its kind.
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
    /// shims between the transport and the NIC of every host, the first nearest to the transport: "a, b" or a
    /// list of names
    #[setting(default = "none", off = "none")]
    pub shims: Option<FileName>,
    /// capacity of the queue of every host's NIC, including the packet on the wire; assumed
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
    /// window over which the use of links is measured (DIBS Figure 4)
    #[setting(default = "off", off = "off")]
    pub links: Option<Time>,
    /// interval at which the buffers around hot links are sampled (DIBS Figure 5)
    #[setting(default = "off", off = "off")]
    pub neighbours: Option<Time>,
    /// use from which on a link is hot (DIBS section 3)
    #[setting(default = "0.9")]
    pub hot: Fraction,
    /// window over which the goodput of each workload is measured
    #[setting(default = "off", off = "off")]
    pub goodput: Option<Time>,
    /// window over which dropped packets are counted
    #[setting(default = "off", off = "off")]
    pub drops: Option<Time>,
    /// window of the spread: queues at its end, use of links during it; assumed
    #[setting(default = "10 ms", beside(spread))]
    pub spread_window: Time,
    /// the latency of every N-th data packet of each host and workload is measured; 1 is every packet; assumed
    #[setting(default = "100", beside(latency))]
    pub latency_every: u64,
    /// time from which on the goodput of endless flows is measured; assumed: the whole run
    #[setting(default = "0 us")]
    pub flows_from: Time,
    /// time from which on windows of the spread count; assumed: the whole run
    #[setting(default = "0 us", beside(spread))]
    pub spread_from: Time,
    /// time from which on data packets have their latency measured; assumed: the whole run
    #[setting(default = "0 us", beside(latency))]
    pub latency_from: Time,
    /// number of draws of hashes for which max-min fair shares are computed; 0 for none
    #[setting(default = "0")]
    pub fair: u64,
    /// log the first 100,000 detours (DIBS Figure 2a)
    #[setting(default = "false")]
    pub detours: bool,
    /// number of data packets whose paths are kept, those with the most detours (DIBS Figure 1)
    #[setting(default = "0")]
    pub paths: u64,
    /// count the loops of data packets (DIBS section 4)
    #[setting(default = "false")]
    pub loops: bool,
}

/// The rows of `[probe]`, beside its [`PROBE_LISTS`].
pub const PROBE: &[Param] = ProbeSettings::PARAMS;

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
        "numbers with which the claim holds: \"10..30\", \"..2\", \"0.9..\" or one number; \">1\", \
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
