//! Flow records as comma-separated text: NetFlow from `nfdump -o csv`, IPFIX from a collector with named
//! columns.
//!
//! **Decision**     columns are found by their names, in any order; `Summary` ends nfdump's rows. The bytes of
//!                  a record are bytes of IP: headers are subtracted by the number of packets, if it is given.
//! **Units**        dates, or numbers in the unit given by the column's name.

use crate::flows::{self, Flow};
use crate::hosts::Hosts;
use crate::lines::{Text, Wrong, shown};
use crate::number::scaled;
use crate::when::date;
use crate::{Imported, Options};
use core::mem::discriminant;
use core::net::IpAddr;

/// Columns with the names that tools give them, in small letters and digits alone. The number of a start is the
/// number of digits by which its unit is short of picoseconds.
const NAMES: &[(Column, &[&str])] = &[
    (
        Column::Start(None),
        &[
            "ts",
            "firstseen",
            "first",
            "start",
            "starttime",
            "flowstart",
        ],
    ),
    (
        Column::Start(Some(12)),
        &["flowstartseconds", "starts", "timeflowstart", "unixsecs"],
    ),
    (
        Column::Start(Some(9)),
        &[
            "flowstartmilliseconds",
            "startms",
            "timeflowstartms",
            "firstswitchedms",
        ],
    ),
    (
        Column::Start(Some(6)),
        &["flowstartmicroseconds", "startus", "timeflowstartus"],
    ),
    (
        Column::Start(Some(3)),
        &["flowstartnanoseconds", "startns", "timeflowstartns"],
    ),
    (
        Column::Src,
        &[
            "sa",
            "srcaddr",
            "srcip",
            "sourceip",
            "ipsrc",
            "sourceaddress",
            "sourceipv4address",
            "sourceipv6address",
            "ipv4srcaddr",
            "src4addr",
            "src6addr",
        ],
    ),
    (
        Column::Dst,
        &[
            "da",
            "dstaddr",
            "dstip",
            "destip",
            "destinationip",
            "ipdst",
            "destinationaddress",
            "destinationipv4address",
            "destinationipv6address",
            "ipv4dstaddr",
            "dst4addr",
            "dst6addr",
        ],
    ),
    (
        Column::SrcPort,
        &[
            "sp",
            "srcport",
            "sourceport",
            "sourcetransportport",
            "l4srcport",
            "portsrc",
        ],
    ),
    (
        Column::DstPort,
        &[
            "dp",
            "dstport",
            "destport",
            "destinationport",
            "destinationtransportport",
            "l4dstport",
            "portdst",
        ],
    ),
    (
        Column::Protocol,
        &["pr", "proto", "protocol", "protocolidentifier", "ipproto"],
    ),
    (
        Column::Packets,
        &[
            "ipkt",
            "packets",
            "inpkts",
            "inpackets",
            "dpkts",
            "packetdeltacount",
            "packettotalcount",
        ],
    ),
    (
        Column::Bytes,
        &[
            "ibyt",
            "bytes",
            "inbytes",
            "octets",
            "doctets",
            "octetdeltacount",
            "octettotalcount",
        ],
    ),
    (
        Column::BackPackets,
        &[
            "opkt",
            "outpkts",
            "outpackets",
            "reversepacketdeltacount",
            "reversepackettotalcount",
        ],
    ),
    (
        Column::BackBytes,
        &[
            "obyt",
            "outbytes",
            "reverseoctetdeltacount",
            "reverseoctettotalcount",
        ],
    ),
];

/// Words of `--columns`, with names that mean the same.
const FIELDS: &[(&str, &str)] = &[
    ("start", "start"),
    ("start_s", "start_s"),
    ("start_ms", "start_ms"),
    ("start_us", "start_us"),
    ("start_ns", "start_ns"),
    ("src", "srcaddr"),
    ("dst", "dstaddr"),
    ("size", "bytes"),
    ("packets", "packets"),
    ("protocol", "protocol"),
    ("src_port", "src_port"),
    ("dst_port", "dst_port"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Start(Option<u32>),
    Src,
    Dst,
    SrcPort,
    DstPort,
    Protocol,
    Packets,
    Bytes,
    BackPackets,
    BackBytes,
}

fn column(name: &str) -> Option<Column> {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let plain: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    let found = NAMES
        .iter()
        .find(|(_, names)| names.contains(&plain.as_str()));
    found.map(|(column, _)| *column)
}

/// Returns true if this line names the columns that a flow needs.
pub fn is_header(line: &str) -> bool {
    let columns: Vec<Column> = line.split(',').filter_map(column).collect();
    let has = |wanted: fn(&Column) -> bool| columns.iter().any(wanted);
    has(|c| matches!(c, Column::Start(_)))
        && has(|c| *c == Column::Src)
        && has(|c| *c == Column::Dst)
        && has(|c| *c == Column::Bytes)
}

/// Positions of the columns.
struct Columns {
    all: Vec<Option<Column>>,
    start: (usize, Option<u32>),
    src: Vec<usize>,
    dst: Vec<usize>,
    bytes: usize,
}

impl Columns {
    fn of(text: &Text<'_>, line: usize, header: &csv::StringRecord) -> Result<Columns, String> {
        let all: Vec<Option<Column>> = header.iter().map(column).collect();
        let find = |wanted: Column| {
            let found = all.iter().position(|c| *c == Some(wanted));
            found.ok_or(wanted)
        };
        let each = |wanted: Column| -> Vec<usize> {
            (0..all.len()).filter(|i| all[*i] == Some(wanted)).collect()
        };
        let start = all.iter().enumerate().find_map(|(i, c)| match c {
            Some(Column::Start(digits)) => Some((i, *digits)),
            _ => None,
        });
        let missing = |what: &str| {
            let got: String = header.iter().take(12).collect::<Vec<_>>().join(",");
            text.error(line, &format!("a column of {what}"), &shown(&got))
        };
        let (src, dst) = (each(Column::Src), each(Column::Dst));
        if src.is_empty() || dst.is_empty() {
            return Err(missing(
                "addresses, like sa and da, or sourceIPv4Address and destinationIPv4Address",
            ));
        }
        let start = start.ok_or_else(|| missing("starts, like ts or flowStartMilliseconds"))?;
        let bytes =
            find(Column::Bytes).map_err(|_| missing("bytes, like ibyt or octetDeltaCount"))?;
        Ok(Columns {
            start,
            src,
            dst,
            bytes,
            all,
        })
    }

    fn cell<'r>(&self, row: &'r csv::StringRecord, wanted: Column) -> Option<&'r str> {
        let at = self.all.iter().position(|c| *c == Some(wanted))?;
        row.get(at).map(str::trim).filter(|cell| !cell.is_empty())
    }
}

/// Reads flow records as flows.
pub fn import(name: &str, bytes: &[u8], options: &Options) -> Result<Imported, String> {
    let text = Text::read(name, bytes)?;
    let mut rows = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(text.all().as_bytes());
    let mut reader = Reader {
        text: &text,
        options,
        hosts: options.hosts.clone().unwrap_or_else(Hosts::assigned),
        out: Imported::default(),
        flows: Vec::new(),
        rounded: 0,
        whole: false,
    };
    let mut columns: Option<Columns> = None;
    let mut many = 0;
    let mut wrong = Wrong::default();
    for row in rows.records() {
        let (line, row) = text.row(row)?;
        let Some(columns) = &columns else {
            let names = match &options.columns {
                Some(by_hand) => by_hand.renamed(&row, FIELDS, |name| {
                    column(name).map(|of| discriminant(&of))
                })?,
                None => row,
            };
            columns = Some(Columns::of(&text, line, &names)?);
            continue;
        };
        if row.get(0) == Some("Summary") {
            break;
        }
        // nfdump repeats the header for each file.
        if column(row.get(columns.start.0).unwrap_or_default()).is_some() {
            continue;
        }
        many += 1;
        wrong.keep(line, reader.record(line, &row, columns));
    }
    wrong.end(name)?;
    if columns.is_none() {
        return Err(text.error(1, "a header with the names of columns", "nothing"));
    }
    reader.finish(many)
}

struct Reader<'a> {
    text: &'a Text<'a>,
    options: &'a Options,
    hosts: Hosts,
    out: Imported,
    flows: Vec<Flow>,
    rounded: u64,
    /// True if some record has no number of packets.
    whole: bool,
}

impl Reader<'_> {
    fn record(
        &mut self,
        line: usize,
        row: &csv::StringRecord,
        columns: &Columns,
    ) -> Result<(), String> {
        let text = self.text;
        let wrong = |expected: &str, got: &str| text.error(line, expected, &shown(got));
        let protocol = columns.cell(row, Column::Protocol);
        let tcp = protocol.is_none_or(|p| p == "6" || p.eq_ignore_ascii_case("tcp"));
        let udp = protocol.is_some_and(|p| p == "17" || p.eq_ignore_ascii_case("udp"));
        if !(tcp || udp && self.options.udp) {
            let which = if udp {
                "UDP records (--udp includes them)"
            } else {
                "records that are neither TCP nor UDP"
            };
            self.out.drop(which, 1);
            return Ok(());
        }
        let addresses = [&columns.src, &columns.dst].map(|places| places.iter().min().copied());
        let addresses = addresses.into_iter().flatten();
        text.reaches(line, row, addresses.chain([columns.start.0, columns.bytes]))?;
        let address = |places: &[usize]| -> Result<IpAddr, String> {
            let cells = places.iter().filter_map(|at| row.get(*at)).map(str::trim);
            // With a column per IP version, the other one is empty or zero.
            let mut said = cells.filter(|cell| !cell.is_empty());
            let first = said.next().unwrap_or_default();
            let second = said.next().filter(|_| ["0.0.0.0", "::"].contains(&first));
            let word = second.unwrap_or(first);
            word.parse().map_err(|_| wrong("an address", word))
        };
        let (src, dst) = (address(&columns.src)?, address(&columns.dst)?);
        let said = row.get(columns.start.0).unwrap_or_default();
        let time = match columns.start.1 {
            Some(digits) => scaled(said, digits),
            None => date(said),
        };
        let expected = match columns.start.1 {
            Some(_) => "a number of at least 0",
            None => {
                "a date like 2026-09-01 10:00:05.123 (for a number, name its unit in the header: \
                 start_ms)"
            }
        };
        let (start, fine) = time.ok_or_else(|| wrong(expected, said))?;
        self.rounded += u64::from(fine);
        let number = |wanted: Column| -> Result<Option<u64>, String> {
            let Some(cell) = columns.cell(row, wanted) else {
                return Ok(None);
            };
            let read = scaled(cell, 0).filter(|(_, cut)| !cut);
            let read = read.and_then(|(n, _)| u64::try_from(n).ok());
            read.map(Some)
                .ok_or_else(|| wrong("a whole number below 2^64", cell))
        };
        let forth = (number(Column::Bytes)?, number(Column::Packets)?);
        let Some(bytes) = forth.0 else {
            let cell = row.get(columns.bytes).unwrap_or_default();
            return Err(wrong("a number of bytes", cell));
        };
        let back = (number(Column::BackBytes)?, number(Column::BackPackets)?);
        let header = if src.is_ipv4() { 20 } else { 40 } + if tcp { 20 } else { 8 };
        self.whole |= forth.1.is_none();
        let payload = |bytes: u64, packets: Option<u64>| {
            bytes.saturating_sub(packets.unwrap_or(0).saturating_mul(header))
        };
        let class = self.options.class_by_port.then(|| {
            let port = |wanted| {
                columns
                    .cell(row, wanted)
                    .and_then(|p| p.parse::<u16>().ok())
            };
            let ports = [port(Column::SrcPort), port(Column::DstPort)];
            let server = ports.into_iter().flatten().min();
            let kind = if tcp { "tcp" } else { "udp" };
            server.map_or(kind.to_string(), |port| format!("{kind}-{port}"))
        });
        let (Some(from), Some(to)) = (self.hosts.of(src), self.hosts.of(dst)) else {
            self.out
                .drop("records with an address that is not in the map", 1);
            return Ok(());
        };
        let mut add = |src, dst, size| {
            self.flows.push(Flow {
                start,
                src,
                dst,
                size: Some(size),
                class: class.clone(),
                group: None,
            });
        };
        add(from, to, payload(bytes, forth.1));
        if let Some(bytes) = back.0.filter(|bytes| *bytes > 0) {
            add(to, from, payload(bytes, back.1));
        }
        Ok(())
    }

    fn finish(self, records: u64) -> Result<Imported, String> {
        let Reader {
            options,
            hosts,
            mut out,
            mut flows,
            rounded,
            whole,
            ..
        } = self;
        out.read("records", records);
        out.note(if whole {
            "Sizes are bytes of IP including headers: the records have no packet counts"
        } else {
            "Sizes are bytes of IP minus the headers of each packet, without options: 40 bytes for \
             TCP over IPv4, 60 over IPv6"
        });
        out.note(
            "Flows that a router sampled or exported in parts are missing or split into smaller \
             ones",
        );
        if rounded > 0 {
            out.note(format!("{rounded} starts were rounded to a picosecond"));
        }
        hosts.settle(&mut flows, &mut out);
        flows::write(flows, options, &mut out)?;
        Ok(out)
    }
}
