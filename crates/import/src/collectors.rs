//! Collectors of flow records: the names of their columns, and what their bytes count.
//!
//! **Decision**     one declaration a collector. A header with the names of its sign is that collector's; any
//!                  other header is read by the names of `FLOWS`.
//! **Units**        a column of starts with a unit in its name has numbers of that unit; any other has dates, or
//!                  Unix times whose digits tell their unit.

use crate::names::plain;

/// Meaning of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Start, with the unit of a number as the digits by which it is short of picoseconds.
    Start(Option<u32>),
    Src,
    Dst,
    SrcPort,
    DstPort,
    Protocol,
    /// Packets and bytes of the source, of the destination, and of both.
    Packets,
    Bytes,
    BackPackets,
    BackBytes,
    BothPackets,
    BothBytes,
    /// Payload of the source and of the destination.
    Payload,
    BackPayload,
    /// Packets for which one sampled packet stands.
    Rate,
    /// Packets left out after each one that was sampled.
    RateSpace,
    /// Sampling in a form that is not read.
    OtherRate,
    /// Verdict of a filter.
    Action,
    /// Status of the record: data or none.
    Status,
}

/// Object of a collector's count of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// IP packets, with the headers of IP and of the transport.
    Ip,
    /// Ethernet frames: 14 bytes more a packet.
    Frames,
}

impl Counts {
    /// Returns the bytes of headers of each packet.
    pub fn headers(self, v4: bool, tcp: bool) -> u64 {
        let link = if self == Counts::Frames { 14 } else { 0 };
        link + if v4 { 20 } else { 40 } + if tcp { 20 } else { 8 }
    }
}

/// Names of a column.
type Named = (Column, &'static [&'static str]);

/// Collector.
pub struct Collector {
    pub name: &'static str,
    pub counts: Counts,
    /// Names that tell the collector: all of one row.
    signs: &'static [&'static [&'static str]],
    /// Columns; the first of several names for the same meaning is used.
    columns: &'static [Named],
}

const PORTS: [Named; 3] = [
    (
        Column::SrcPort,
        &[
            "sp",
            "src port",
            "srcPt",
            "sPort",
            "source port",
            "l4_src_port",
            "port_src",
            "id.orig_p",
            "sourceTransportPort",
        ],
    ),
    (
        Column::DstPort,
        &[
            "dp",
            "dst port",
            "dstPt",
            "dPort",
            "dest port",
            "destination port",
            "l4_dst_port",
            "port_dst",
            "id.resp_p",
            "destinationTransportPort",
        ],
    ),
    (
        Column::Protocol,
        &[
            "pr",
            "pro",
            "proto",
            "protocol",
            "ip proto",
            "protocolIdentifier",
        ],
    ),
];

/// Sampling, as any collector may tell it.
const SAMPLING: [Named; 3] = [
    (
        Column::Rate,
        &[
            "sampling_rate",
            "sampling",
            "sampling interval",
            "sample rate",
            "sampler rate",
            "sampler interval",
            "sampler random interval",
            "flow sampler random interval",
            "samplingPacketInterval",
        ],
    ),
    (Column::RateSpace, &["samplingPacketSpace"]),
    (
        Column::OtherRate,
        &[
            "samplingProbability",
            "samplingSize",
            "samplingPopulation",
            "samplingTimeInterval",
            "samplingTimeSpace",
        ],
    ),
];

/// Records of any collector, among them IPFIX with the names of its information elements.
pub const FLOWS: Collector = Collector {
    name: "flow records",
    counts: Counts::Ip,
    signs: &[],
    columns: &[
        (
            Column::Start(None),
            &[
                "ts",
                "start",
                "first seen",
                "start time",
                "flow start",
                "first",
                "date first seen",
                "timestamp_start",
            ],
        ),
        (
            Column::Start(Some(3)),
            &["flowStartNanoseconds", "start_ns", "time_flow_start_ns"],
        ),
        (
            Column::Start(Some(6)),
            &["flowStartMicroseconds", "start_us", "time_flow_start_us"],
        ),
        (
            Column::Start(Some(9)),
            &[
                "flowStartMilliseconds",
                "start_ms",
                "time_flow_start_ms",
                "first_switched_ms",
            ],
        ),
        (
            Column::Start(Some(12)),
            &[
                "flowStartSeconds",
                "start_s",
                "time_flow_start",
                "unix_secs",
            ],
        ),
        (
            Column::Src,
            &[
                "sa",
                "src_addr",
                "src_ip",
                "sourceIPv4Address",
                "ipv4_src_addr",
                "src ip addr",
                "source ip",
                "ip src",
                "source address",
                "sourceIPv6Address",
                "src4_addr",
                "src6_addr",
            ],
        ),
        (
            Column::Dst,
            &[
                "da",
                "dst_addr",
                "dst_ip",
                "destinationIPv4Address",
                "ipv4_dst_addr",
                "dst ip addr",
                "dest ip",
                "destination ip",
                "ip dst",
                "destination address",
                "destinationIPv6Address",
                "dst4_addr",
                "dst6_addr",
            ],
        ),
        (
            Column::Bytes,
            &[
                "ibyt",
                "bytes",
                "in_bytes",
                "octetDeltaCount",
                "octets",
                "dOctets",
                "octetTotalCount",
            ],
        ),
        (
            Column::Packets,
            &[
                "ipkt",
                "packets",
                "in_pkts",
                "in_packets",
                "dPkts",
                "packetDeltaCount",
                "packetTotalCount",
            ],
        ),
        (
            Column::BackBytes,
            &[
                "obyt",
                "out_bytes",
                "reverseOctetDeltaCount",
                "reverseOctetTotalCount",
            ],
        ),
        (
            Column::BackPackets,
            &[
                "opkt",
                "out_pkts",
                "out_packets",
                "reversePacketDeltaCount",
                "reversePacketTotalCount",
            ],
        ),
    ],
};

/// Collectors with names of their own.
const COLLECTORS: [Collector; 7] = [
    Collector {
        name: "SiLK (rwcut)",
        counts: Counts::Ip,
        signs: &[&["sIP", "dIP"]],
        columns: &[
            (Column::Start(None), &["sTime", "sTime+msec"]),
            (Column::Src, &["sIP"]),
            (Column::Dst, &["dIP"]),
            (Column::Bytes, &["bytes"]),
            (Column::Packets, &["packets"]),
        ],
    },
    Collector {
        name: "Argus (ra)",
        // A SYN without options counts 54 bytes, a short reply 60.
        counts: Counts::Frames,
        signs: &[
            &["SrcAddr", "DstAddr", "TotBytes"],
            &["SrcAddr", "DstAddr", "SrcBytes"],
            &["SrcAddr", "DstAddr", "TotPkts"],
        ],
        columns: &[
            (Column::Start(None), &["StartTime"]),
            (Column::Src, &["SrcAddr"]),
            (Column::Dst, &["DstAddr"]),
            (Column::Bytes, &["SrcBytes"]),
            (Column::Packets, &["SrcPkts"]),
            (Column::BackBytes, &["DstBytes"]),
            (Column::BackPackets, &["DstPkts"]),
            (Column::BothBytes, &["TotBytes"]),
            (Column::BothPackets, &["TotPkts"]),
        ],
    },
    Collector {
        name: "Zeek (conn.log)",
        counts: Counts::Ip,
        signs: &[&["id.orig_h", "id.resp_h"]],
        columns: &[
            (Column::Start(None), &["ts"]),
            (Column::Src, &["id.orig_h"]),
            (Column::Dst, &["id.resp_h"]),
            (Column::Payload, &["orig_bytes"]),
            (Column::BackPayload, &["resp_bytes"]),
            (Column::Bytes, &["orig_ip_bytes"]),
            (Column::Packets, &["orig_pkts"]),
            (Column::BackBytes, &["resp_ip_bytes"]),
            (Column::BackPackets, &["resp_pkts"]),
        ],
    },
    Collector {
        name: "VPC flow log",
        counts: Counts::Ip,
        signs: &[
            &["srcaddr", "dstaddr", "action"],
            &["srcaddr", "dstaddr", "log-status"],
            &["srcaddr", "dstaddr", "interface-id"],
        ],
        columns: &[
            (Column::Start(None), &["start"]),
            (Column::Src, &["srcaddr"]),
            (Column::Dst, &["dstaddr"]),
            (Column::Bytes, &["bytes"]),
            (Column::Packets, &["packets"]),
            (Column::Action, &["action"]),
            (Column::Status, &["log-status"]),
        ],
    },
    Collector {
        name: "nProbe",
        counts: Counts::Ip,
        signs: &[&["IPV4_SRC_ADDR"], &["IPV6_SRC_ADDR"]],
        columns: &[
            (
                Column::Start(Some(9)),
                &["FLOW_START_MILLISECONDS", "FIRST_SWITCHED_MS"],
            ),
            (
                Column::Start(None),
                &["FIRST_SWITCHED", "FLOW_START_SEC", "FLOW_START_SECONDS"],
            ),
            (Column::Src, &["IPV4_SRC_ADDR", "IPV6_SRC_ADDR"]),
            (Column::Dst, &["IPV4_DST_ADDR", "IPV6_DST_ADDR"]),
            (Column::Bytes, &["IN_BYTES"]),
            (Column::Packets, &["IN_PKTS"]),
            (Column::BackBytes, &["OUT_BYTES"]),
            (Column::BackPackets, &["OUT_PKTS"]),
        ],
    },
    Collector {
        name: "goflow2",
        counts: Counts::Ip,
        signs: &[
            &["time_flow_start_ns", "src_addr"],
            &["sampler_address", "src_addr"],
        ],
        columns: &[
            (Column::Start(Some(3)), &["time_flow_start_ns"]),
            (Column::Start(Some(9)), &["time_flow_start_ms"]),
            (Column::Start(Some(12)), &["time_flow_start"]),
            (Column::Src, &["src_addr"]),
            (Column::Dst, &["dst_addr"]),
            (Column::Bytes, &["bytes"]),
            (Column::Packets, &["packets"]),
        ],
    },
    Collector {
        name: "nfdump (-o csv)",
        counts: Counts::Ip,
        signs: &[
            &["ts", "sa", "da", "ibyt"],
            &["firstSeen", "srcAddr", "dstAddr"],
        ],
        columns: &[
            (Column::Start(None), &["ts", "firstSeen"]),
            (Column::Src, &["sa", "srcAddr"]),
            (Column::Dst, &["da", "dstAddr"]),
            (Column::Bytes, &["ibyt", "bytes"]),
            (Column::Packets, &["ipkt", "packets"]),
            (Column::BackBytes, &["obyt"]),
            (Column::BackPackets, &["opkt"]),
        ],
    },
];

/// Names of a VPC flow log in its default format, which may lack a header.
pub const VPC: &str = "version account-id interface-id srcaddr dstaddr srcport dstport protocol \
                       packets bytes start end action log-status";

/// Returns true for a count of the source by its initial, beside which a `d` is the destination's.
pub fn of_source(name: &str) -> bool {
    ["spkts", "sbytes"].contains(&plain(name).as_str())
}

/// Returns the column of counts that are named by the initial of an end: `sbytes`, `Dpkts`.
pub fn of_side(name: &str) -> Option<Column> {
    match plain(name).as_str() {
        "spkts" => Some(Column::Packets),
        "sbytes" => Some(Column::Bytes),
        "dpkts" => Some(Column::BackPackets),
        "dbytes" => Some(Column::BackBytes),
        _ => None,
    }
}

impl Collector {
    fn named(&self) -> impl Iterator<Item = &Named> {
        self.columns.iter().chain(&PORTS).chain(&SAMPLING)
    }

    /// Returns the meaning of the column with this name, and its rank among names of the same meaning.
    pub fn column(&self, name: &str) -> Option<(Column, usize)> {
        let name = plain(name);
        let mut rank = 0;
        for (column, names) in self.named() {
            for known in *names {
                if plain(known) == name {
                    return Some((*column, rank));
                }
                rank += 1;
            }
        }
        None
    }

    /// Returns the known names of the columns that `wanted` accepts.
    pub fn names(&self, wanted: impl Fn(Column) -> bool) -> Vec<&'static str> {
        let named = self.named().filter(|(column, _)| wanted(*column));
        named.flat_map(|(_, names)| names.iter().copied()).collect()
    }

    /// Returns the collector whose sign these names have.
    pub fn of<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'static Collector> {
        let names: Vec<String> = names.map(plain).collect();
        let has = |name: &&str| names.contains(&plain(name));
        let signed = |of: &&Collector| of.signs.iter().any(|sign| sign.iter().all(has));
        COLLECTORS.iter().find(signed)
    }

    /// Returns `FLOWS` and all collectors.
    pub fn all() -> impl Iterator<Item = &'static Collector> {
        COLLECTORS.iter().chain([&FLOWS])
    }
}
