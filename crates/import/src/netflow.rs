//! Flow records as text: NetFlow and IPFIX of any collector with named columns, SiLK, Argus, Zeek, VPC flow logs.
//!
//! **Decision**     columns are found by their names ([`crate::collectors`]); `Summary` ends nfdump's rows. Headers
//!                  are subtracted from bytes by the number of packets, if it is given. A sampling rate multiplies
//!                  what is left.
//! **Units**        dates, Unix times, or numbers in the unit given by the column's name.
//! **Errors**       every column that is not used is named.

use crate::collectors::{Collector, Column, Counts, FLOWS, of_side, of_source};
use crate::counts::counted;
use crate::flows::{self, Flow};
use crate::hosts::Hosts;
use crate::lines::{Text, Wrong, shown};
use crate::number::{scaled, whole};
use crate::records::Header;
use crate::when::{date, short_of_ps};
use crate::{Imported, Options};
use core::mem::discriminant;
use core::net::IpAddr;

/// Words of `--columns`, with names of [`FLOWS`] that mean the same.
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

/// Positions of the columns.
struct Columns {
    collector: &'static Collector,
    /// Meaning of each column; `None` for one that is not read.
    all: Vec<Option<Column>>,
    start: (usize, Option<u32>),
    src: Vec<usize>,
    dst: Vec<usize>,
    /// Last column that each record needs.
    last: usize,
}

impl Columns {
    fn of(text: &Text<'_>, header: &Header, options: &Options) -> Result<Columns, String> {
        let collector = header.collector;
        let sided = header.names.iter().any(|name| of_source(name));
        let meaning = |name: &str| {
            if let Some(column) = of_side(name).filter(|_| sided) {
                return Some((column, 0));
            }
            let by_hand = || options.columns.as_ref().and_then(|_| FLOWS.column(name));
            collector.column(name).or_else(by_hand)
        };
        let named = match &options.columns {
            Some(by_hand) => {
                let by_hand = in_bytes(by_hand)?;
                let names = csv::StringRecord::from(header.names.clone());
                by_hand.renamed(&names, FIELDS, |name| {
                    meaning(name).map(|(of, _)| discriminant(&of))
                })?
            }
            None => csv::StringRecord::from(header.names.clone()),
        };
        let ranked = named.iter().map(meaning);
        let ranked: Vec<Option<(Column, usize)>> = ranked.collect();
        let kind = |column| match column {
            Column::Start(_) => Column::Start(None),
            column => column,
        };
        let best = |i: &usize| {
            let (column, rank) = ranked[*i]?;
            let ends = [Column::Src, Column::Dst].contains(&column);
            let others = ranked
                .iter()
                .enumerate()
                .filter_map(|(k, of)| Some((k, (*of)?)));
            let better = |(k, (other, at)): (usize, (Column, usize))| {
                kind(other) == kind(column) && (at, k) < (rank, *i)
            };
            (ends || !others.into_iter().any(better)).then_some(column)
        };
        let all: Vec<Option<Column>> = (0..ranked.len()).map(|i| best(&i)).collect();
        let each = |wanted: Column| -> Vec<usize> {
            (0..all.len()).filter(|i| all[*i] == Some(wanted)).collect()
        };
        let missing = |what: &str, wanted: fn(Column) -> bool| {
            let names = some(&collector.names(wanted));
            let expected = format!("a column of {what} ({}: {names})", collector.name);
            let got = shown(&header.names.join(","));
            text.error(header.line.max(1), &expected, &got)
        };
        let (src, dst) = (each(Column::Src), each(Column::Dst));
        if src.is_empty() {
            return Err(missing("sources", |c| c == Column::Src));
        }
        if dst.is_empty() {
            return Err(missing("destinations", |c| c == Column::Dst));
        }
        let start = all.iter().enumerate().find_map(|(i, c)| match c {
            Some(Column::Start(digits)) => Some((i, *digits)),
            _ => None,
        });
        let start = start.ok_or_else(|| missing("starts", |c| matches!(c, Column::Start(_))))?;
        let bytes = each(Column::Bytes);
        if bytes.is_empty() && each(Column::Payload).is_empty() {
            let sent = |c| matches!(c, Column::Bytes | Column::Payload);
            return Err(missing("bytes of the source", sent));
        }
        if let Some(at) = each(Column::OtherRate).first()
            && options.sampling.is_none()
        {
            let expected = "records without sampling, or one sampled packet in so many, with \
                            --sampling N";
            let got = format!("a column {}", shown(&header.names[*at]));
            return Err(text.error(header.line.max(1), expected, &got));
        }
        let first = [&src, &dst].map(|places| places[0]);
        let last = first.into_iter().chain([start.0]).chain(bytes).max();
        Ok(Columns {
            collector,
            start,
            src,
            dst,
            last: last.unwrap_or(0),
            all,
        })
    }

    fn cell<'r>(&self, row: &'r csv::StringRecord, wanted: Column) -> Option<&'r str> {
        let at = self.all.iter().position(|c| *c == Some(wanted))?;
        let cell = row.get(at)?;
        // Zeek and VPC flow logs write a dash for a value that is not set.
        (!cell.is_empty() && cell != "-").then_some(cell)
    }

    /// Returns the names of the columns that are not used.
    fn unused(&self, names: &[String], options: &Options) -> Vec<String> {
        let used = |column: &Option<Column>| match column {
            Some(Column::SrcPort | Column::DstPort) => options.class_by_port,
            Some(_) => true,
            None => false,
        };
        let all = self.all.iter().zip(names);
        let unused = all.filter(|(column, name)| !used(column) && !name.is_empty());
        unused.map(|(_, name)| shown(name)).collect()
    }
}

/// Returns the columns with the units of their names. Refuses sizes in another unit than bytes.
fn in_bytes(by_hand: &crate::Columns) -> Result<crate::Columns, String> {
    let read = by_hand.with_units()?;
    let size = |(word, _): &&(&str, &str)| word.starts_with("size_");
    let other = read.pairs()?.into_iter().find(|pair| size(&pair));
    match other {
        None => {}
        Some((word, name)) => {
            return Err(format!(
                "--columns: expected sizes of flow records in bytes, got {word}={name}: --from csv reads \
                 other units"
            ));
        }
    }
    Ok(read)
}

/// Lists names for a message, not all if they are many.
fn some(names: &[&str]) -> String {
    const MOST: usize = 5;
    let list = names[..names.len().min(MOST)].join(", ");
    if names.len() > MOST {
        return format!("{list}, …");
    }
    list
}

/// Reads flow records as flows.
pub fn import(name: &str, bytes: &[u8], options: &Options) -> Result<Imported, String> {
    let text = Text::read(name, bytes)?;
    let header = Header::of(&text)?;
    let columns = Columns::of(&text, &header, options)?;
    let quoted = [b',', b';'].contains(&header.separator);
    let mut rows = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .quoting(quoted)
        .delimiter(header.separator)
        .comment(Some(b'#'))
        .from_reader(text.all().as_bytes());
    let mut reader = Reader {
        text: &text,
        options,
        columns: &columns,
        hosts: options.hosts.clone().unwrap_or_else(Hosts::assigned),
        out: Imported::default(),
        flows: Vec::new(),
        since_1970: None,
        rounded: 0,
        whole: false,
        payload: false,
        halved: false,
        unknown_rate: 0,
        too_few: 0,
        rates: None,
    };
    let mut many = 0;
    let mut wrong = Wrong::default();
    for row in rows.records() {
        let (line, row) = text.row(row)?;
        if row.get(0) == Some("Summary") {
            break;
        }
        // nfdump repeats the header for each file.
        let start = row.get(columns.start.0);
        if start == Some(&header.names[columns.start.0]) {
            continue;
        }
        many += 1;
        wrong.keep(line, reader.record(line, &row));
    }
    wrong.end(name)?;
    if many == 0 {
        let line = text.all().lines().count().max(1);
        return Err(text.error(line, "records below the header", "none"));
    }
    reader.finish(many, &header)
}

struct Reader<'a> {
    text: &'a Text<'a>,
    options: &'a Options,
    columns: &'a Columns,
    hosts: Hosts,
    out: Imported,
    flows: Vec<(usize, Flow)>,
    /// Digits by which Unix times are short of picoseconds, taken from the first of them.
    since_1970: Option<u32>,
    rounded: u64,
    /// Records with fewer bytes than the headers of their packets.
    too_few: u64,
    /// True if the size of some flow has headers, for want of a number of packets.
    whole: bool,
    /// True if the size of some flow is payload by the file.
    payload: bool,
    /// True if some record has the packets of both directions only.
    halved: bool,
    /// Records with a sampling rate of 0, or with none although the file has a column of rates.
    unknown_rate: u64,
    /// Smallest and largest sampling rate.
    rates: Option<(u64, u64)>,
}

impl Reader<'_> {
    fn wrong(&self, line: usize, expected: &str, got: &str) -> String {
        self.text.error(line, expected, &shown(got))
    }

    fn record(&mut self, line: usize, row: &csv::StringRecord) -> Result<(), String> {
        let columns = self.columns;
        let word = |wanted| columns.cell(row, wanted);
        if word(Column::Status).is_some_and(|status| status != "OK") {
            self.out.drop("records without data (NODATA, SKIPDATA)", 1);
            return Ok(());
        }
        if word(Column::Action).is_some_and(|action| action.eq_ignore_ascii_case("reject")) {
            self.out.drop("records of rejected packets (REJECT)", 1);
            return Ok(());
        }
        let protocol = word(Column::Protocol);
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
        self.text.reaches(line, row, [columns.last])?;
        let src = self.address(line, row, &columns.src)?;
        let dst = self.address(line, row, &columns.dst)?;
        let start = self.start(line, row.get(columns.start.0).unwrap_or_default())?;
        let headers = columns.collector.counts.headers(src.is_ipv4(), tcp);
        let (there, back) = self.sizes(line, row, headers)?;
        let rate = self.rate(line, row)?;
        let class = self.options.class_by_port.then(|| {
            let port = |wanted| word(wanted).and_then(|p| p.parse::<u16>().ok());
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
        let mut add = |src, dst, size: u64| {
            let flow = Flow {
                start,
                src,
                dst,
                size: Some(size.saturating_mul(rate)),
                class: class.clone(),
                group: None,
            };
            self.flows.push((line, flow));
        };
        add(from, to, there);
        if let Some(back) = back {
            add(to, from, back);
        }
        Ok(())
    }

    fn address(
        &self,
        line: usize,
        row: &csv::StringRecord,
        places: &[usize],
    ) -> Result<IpAddr, String> {
        let cells = places.iter().filter_map(|at| row.get(*at));
        // With a column per IP version, the other one is empty or zero.
        let mut said = cells.filter(|cell| !cell.is_empty());
        let first = said.next().unwrap_or_default();
        let second = said.next().filter(|_| ["0.0.0.0", "::"].contains(&first));
        let word = second.unwrap_or(first);
        let number = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
        let expected = if number {
            "an address (rwcut prints numbers unless --ip-format=canonical)"
        } else {
            "an address"
        };
        word.parse().map_err(|_| self.wrong(line, expected, word))
    }

    fn start(&mut self, line: usize, cell: &str) -> Result<u128, String> {
        let read = match self.columns.start.1 {
            Some(digits) => scaled(cell, digits).or_else(|| date(cell)),
            None => date(cell).or_else(|| {
                let digits = self.since_1970.or_else(|| short_of_ps(cell))?;
                self.since_1970 = Some(digits);
                scaled(cell, digits)
            }),
        };
        let expected = match self.columns.start.1 {
            Some(_) => "a number of at least 0, or a date",
            None => {
                "a date with a time like 2026-09-01 10:00:05.123 or a Unix time of 10, 13, 16 or 19 digits \
                 (for another number, name its unit in the header: start_ms)"
            }
        };
        let (start, fine) = read.ok_or_else(|| self.wrong(line, expected, cell))?;
        self.rounded += u64::from(fine);
        Ok(start)
    }

    fn number(
        &self,
        line: usize,
        row: &csv::StringRecord,
        wanted: Column,
    ) -> Result<Option<u64>, String> {
        let Some(cell) = self.columns.cell(row, wanted) else {
            return Ok(None);
        };
        let expected = "a whole number below 2^64";
        whole(cell)
            .map(Some)
            .ok_or_else(|| self.wrong(line, expected, cell))
    }

    /// Returns the payload of the source, and that of the destination if the record has one.
    fn sizes(
        &mut self,
        line: usize,
        row: &csv::StringRecord,
        headers: u64,
    ) -> Result<(u64, Option<u64>), String> {
        let columns = self.columns;
        let number = |wanted| self.number(line, row, wanted);
        let (bytes, packets) = (number(Column::Bytes)?, number(Column::Packets)?);
        let (back, back_packets) = (number(Column::BackBytes)?, number(Column::BackPackets)?);
        let (both, both_packets) = (number(Column::BothBytes)?, number(Column::BothPackets)?);
        let (payload, back_payload) = (number(Column::Payload)?, number(Column::BackPayload)?);
        if bytes.is_none() && payload.is_none() {
            if columns.all.contains(&Some(Column::Payload)) {
                return Ok((0, None));
            }
            let at = columns.all.iter().position(|c| *c == Some(Column::Bytes));
            let cell = at.and_then(|at| row.get(at)).unwrap_or_default();
            return Err(self.wrong(line, "a number of bytes", cell));
        }
        let bytes = bytes.unwrap_or(0);
        if let Some(both) = both.filter(|both| *both < bytes) {
            let expected =
                format!("bytes of both directions of at least {bytes}, those of the source");
            return Err(self.wrong(line, &expected, &both.to_string()));
        }
        let back = back.or(both.map(|both| both - bytes));
        let (mut there, mut here) = (packets, back_packets);
        if let (None, None, Some(both)) = (there, here, both_packets) {
            // No packet is shorter than its headers.
            let most = [bytes / headers, back.unwrap_or(0) / headers];
            let first = both.div_ceil(2).min(most[0]);
            there = Some(first);
            here = Some((both - first).min(most[1]));
            self.halved = true;
        }
        let less = |bytes: u64, packets: Option<u64>| {
            bytes.saturating_sub(packets.unwrap_or(0).saturating_mul(headers))
        };
        let too_few = |bytes: u64, packets: Option<u64>| {
            packets.is_some_and(|many| bytes > 0 && many.saturating_mul(headers) > bytes)
        };
        if payload.is_none() && (too_few(bytes, there) || too_few(back.unwrap_or(0), here)) {
            self.too_few += 1;
        }
        self.payload |= payload.is_some();
        self.whole |= payload.is_none() && there.is_none();
        let back = back_payload.or(back.map(|back| less(back, here)));
        let size = payload.unwrap_or_else(|| less(bytes, there));
        // A record of one direction says 0 for the other.
        let back = back.filter(|back| *back > 0 || both.is_some());
        Ok((size, back))
    }

    /// Returns for how many packets one packet of the record stands.
    fn rate(&mut self, line: usize, row: &csv::StringRecord) -> Result<u64, String> {
        let rate = match self.options.sampling {
            Some(rate) => rate,
            None => {
                let named = self.columns.all.contains(&Some(Column::Rate));
                // An empty cell says no more than a 0.
                let none = if named { "0" } else { "1" };
                let cell = self.columns.cell(row, Column::Rate).unwrap_or(none);
                let after = cell.strip_prefix("1:").or(cell.strip_prefix("1/"));
                let read: Option<u64> = after.unwrap_or(cell).parse().ok();
                let expected = "a whole sampling rate like 1024 (--sampling N replaces it)";
                let read = read.ok_or_else(|| self.wrong(line, expected, cell))?;
                let space = self.number(line, row, Column::RateSpace)?;
                match space {
                    None => read,
                    Some(space) if read > 0 && space % read == 0 => 1 + space / read,
                    Some(0) => 1,
                    Some(space) => {
                        let got = format!("{read} sampled and {space} left out");
                        return Err(self.wrong(line, expected, &got));
                    }
                }
            }
        };
        self.unknown_rate += u64::from(rate == 0);
        let rate = rate.max(1);
        let (low, high) = self.rates.unwrap_or((rate, rate));
        self.rates = Some((low.min(rate), high.max(rate)));
        Ok(rate)
    }

    fn finish(mut self, records: u64, header: &Header) -> Result<Imported, String> {
        let mut out = self.out;
        let options = self.options;
        out.read("records", records);
        out.note(format!("Columns are read as {}", header.collector.name));
        let unit = self.since_1970.and_then(|digits| match digits {
            12 => Some("seconds"),
            9 => Some("milliseconds"),
            6 => Some("microseconds"),
            3 => Some("nanoseconds"),
            _ => None,
        });
        if let Some(unit) = unit {
            out.note(format!("Starts are read as {unit} since 1970"));
        }
        if !self.columns.all.contains(&Some(Column::Protocol)) {
            out.note("The file names no protocol: all records are read as TCP");
        }
        let (object, link) = match header.collector.counts {
            Counts::Ip => ("IP", 0),
            Counts::Frames => ("Ethernet frames", 14),
        };
        if self.payload {
            out.note("Sizes are the payload that the file counts");
        } else if self.whole {
            out.note(format!(
                "Sizes are bytes of {object} including headers: the records have no packet counts"
            ));
        } else {
            out.note(format!(
                "Sizes are bytes of {object} minus the headers of each packet, without options: {} \
                 bytes for TCP over IPv4, {} over IPv6",
                link + 40,
                link + 60
            ));
        }
        if self.too_few > 0 {
            out.note(format!(
                "{} records have fewer bytes than the headers of their packets take: their bytes or packets \
                 count something else",
                self.too_few
            ));
        }
        if self.halved {
            out.note(
                "Packets are counted for both directions together: each is given half of them",
            );
        }
        out.note(
            "Flows that a router sampled or exported in parts are missing or split into smaller \
             ones",
        );
        if let Some((low, high)) = self.rates.filter(|(_, high)| *high > 1) {
            let rate = match low == high {
                true => high.to_string(),
                false => format!("{low} to {high}"),
            };
            out.note(format!(
                "Sizes are multiplied by the sampling rate, {rate}: flows of which no packet was \
                 sampled are missing"
            ));
        }
        if self.unknown_rate > 0 {
            out.note(format!(
                "{} (0 or an empty cell): read as not sampled; --sampling N sets the rate",
                counted(self.unknown_rate, "records give no sampling rate")
            ));
        }
        let unused = self.columns.unused(&header.names, options);
        if !unused.is_empty() {
            out.note(format!(
                "Columns not used: {}; a flow has no duration here, it is sent as fast as the \
                 network lets it",
                unused.join(", ")
            ));
        }
        out.rounded(self.rounded, "starts");
        let flows = self.flows.iter_mut().map(|(_, flow)| flow);
        self.hosts.settle(flows, &mut out);
        flows::write_placed(self.flows, "line", options, &mut out)?;
        Ok(out)
    }
}
