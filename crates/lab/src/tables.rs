//! What a scenario can say outside the registries: one table of parameters per section.
//!
//! The same tables give defaults, messages, suggestions, `sidestep list` and the docs.

use crate::fabric::FABRICS;
use sidestep_types::{Entry, Param, ParamUnit};

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
pub const SWITCH: &[Param] = &[
    Param::with_default(
        "capacity",
        ParamUnit::Size,
        "100 pkt",
        "what each port holds, the packet on the wire included (DIBS Table 1), \
         or \"shared\": one memory for all ports",
    )
    .or_off("unlimited"),
    Param::with_default(
        "memory",
        ParamUnit::Bytes,
        "1.7 MB",
        "the shared memory of a switch (DIBS section 5.5.2); used when capacity is \"shared\"",
    ),
    Param::with_default(
        "alpha",
        ParamUnit::Fraction,
        "1",
        "a queue may take this times the free shared memory (Choudhury and Hahne, 1998); assumed",
    ),
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
    ),
    Param::with_default(
        "pfc_xon",
        ParamUnit::Bytes,
        "auto",
        "it is resumed at this much or less; \"auto\" is two full packets below pfc_xoff; assumed",
    )
    .or_off("auto"),
    Param::with_default(
        "pfc_headroom",
        ParamUnit::Bytes,
        "auto",
        "room beyond pfc_xoff for what is on its way; \"auto\" is what loses nothing: two \
         propagation delays, three full packets and the pause",
    )
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
    ),
    Param::with_default(
        "input_capacity",
        ParamUnit::Size,
        "100 pkt",
        "with \"cioq\": what each input holds, beside the capacity of the outputs; assumed",
    )
    .or_off("unlimited"),
];

/// The word for a memory that all ports of a switch share.
pub(crate) const SHARED: &str = "shared";

/// `[transport]`, whatever its kind.
pub const TRANSPORT: &[Param] = &[
    Param::with_default(
        "recovery",
        ParamUnit::Word(&["newreno", "sack"]),
        "newreno",
        "how losses are repaired: RFC 6582 or RFC 6675",
    ),
    Param::with_default(
        "reduction",
        ParamUnit::Word(&["at_once", "prr"]),
        "at_once",
        "how a cut window is reached: at once, or by proportional rate reduction as in Linux \
         and ns-3 (RFC 9937)",
    ),
    Param::with_default(
        "mss",
        ParamUnit::Bytes,
        "1460 B",
        "payload of a full segment; IP MTU 1500 without options (DIBS Table 1)",
    ),
    Param::with_default(
        "initial_window",
        ParamUnit::Count,
        "10",
        "initial window in segments (RFC 6928, DIBS Table 1)",
    ),
    Param::with_default(
        "receive_window",
        ParamUnit::Bytes,
        "1 MiB",
        "bytes the receiver allows beyond the cumulative acknowledgement; assumed: never in the way",
    ),
    Param::with_default(
        "fast_retransmit",
        ParamUnit::Count,
        "3",
        "duplicate acknowledgements that start fast retransmit (RFC 5681)",
    )
    .or_off("off"),
    Param::with_default(
        "limited_transmit",
        ParamUnit::Flag,
        "false",
        "a new segment on each of the first two duplicate acknowledgements (RFC 3042)",
    ),
    Param::with_default(
        "idle_restart",
        ParamUnit::Flag,
        "false",
        "back to the initial window after one RTO of silence (RFC 5681 section 4.1)",
    ),
    Param::with_default(
        "delayed_ack",
        ParamUnit::Time,
        "off",
        "the longest wait before an acknowledgement (RFC 1122); off acknowledges every segment",
    )
    .or_off("off"),
    Param::with_default(
        "delayed_ack_segments",
        ParamUnit::Count,
        "2",
        "full segments per acknowledgement, when delayed (RFC 5681 section 4.2)",
    ),
    Param::with_default(
        "rto_estimator",
        ParamUnit::Word(&["rfc6298", "linux", "ns3", "inet"]),
        "rfc6298",
        "how round-trip samples become a timeout; it decides the tail",
    ),
    Param::with_default(
        "rto_min",
        ParamUnit::Time,
        "10 ms",
        "no timeout is shorter (DIBS Table 1)",
    ),
    Param::with_default(
        "rto_initial",
        ParamUnit::Time,
        "10 ms",
        "the timeout before the first sample; assumed: a standing connection has measured its path",
    ),
    Param::with_default(
        "rto_max",
        ParamUnit::Time,
        "60 s",
        "no timeout is longer, back-off included (RFC 6298 section 2.5)",
    ),
    Param::with_default(
        "rto_granularity",
        ParamUnit::Time,
        "1 us",
        "clock granularity G of RFC 6298; assumed",
    ),
    Param::with_default(
        "rto_backoff",
        ParamUnit::Flag,
        "true",
        "double the timeout each time it runs out (RFC 6298 section 5.5)",
    ),
    Param::with_default(
        "handshake",
        ParamUnit::Flag,
        "false",
        "open with SYN, SYN-ACK and ACK; without, the connection stands already (design rule 8)",
    ),
];

/// The kinds of `[transport]`, with what only they have.
pub const TRANSPORTS: &[Entry] = &[
    Entry {
        name: "dctcp",
        summary: "slows in proportion to the share of marked bytes",
        source: "Alizadeh et al., SIGCOMM 2010; RFC 8257",
        params: &[
            Param::with_default(
                "dctcp_gain",
                ParamUnit::Fraction,
                "1/16",
                "gain of the moving average of marked bytes (RFC 8257 section 4.2)",
            ),
            Param::with_default(
                "dctcp_initial_alpha",
                ParamUnit::Fraction,
                "1",
                "the average before the first window (RFC 8257 section 4.2)",
            ),
        ],
    },
    Entry {
        name: "newreno",
        summary: "slow start and congestion avoidance; halves on a loss",
        source: "RFC 5681, RFC 6582",
        params: &[Param::with_default(
            "ecn",
            ParamUnit::Flag,
            "false",
            "a mark counts as a loss once a round trip (RFC 3168)",
        )],
    },
];

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
    Param::required("says", ParamUnit::File, "the sentence of the paper"),
    Param::required("metric", ParamUnit::File, "what is measured"),
    Param::required(
        "compare",
        ParamUnit::File,
        "a scheme, or two: \"dctcp - dibs\", \"dctcp / dibs\"",
    ),
    Param::required("paper", ParamUnit::File, "the paper's number"),
    Param::required(
        "accept",
        ParamUnit::File,
        "what counts as reproduced: \"10..30\", \"..2\", \"0.9..\" or one number; ends included",
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
];

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_types::Value;

    #[test]
    fn every_default_reads_as_its_own_unit_and_every_parameter_is_explained() {
        let kinds = TRANSPORTS.iter().flat_map(|entry| entry.params);
        let tables = [SCENARIO, LISTS, SWITCH, TRANSPORT, CLAIM];
        for param in tables.into_iter().flatten().chain(kinds) {
            assert!(!param.doc.is_empty(), "{}", param.name);
            if let Some(text) = param.default {
                Value::parse(text, param).unwrap_or_else(|e| panic!("{}: {e}", param.name));
            }
        }
    }
}
