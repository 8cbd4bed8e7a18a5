//! Converters of other tools' files to Sidestep's formats: captures, NetFlow and any CSV of flows; the flow
//! lists, topologies and connection matrices of other simulators; the buffer profiles of a switch.
//!
//! **Decision**     a parser takes bytes and returns text, with a report of what was read, kept and dropped,
//!                  and why. Nothing is left out silently. No files are opened here.
//! **Units**        times are picoseconds; finer times are rounded, and the report says so.
//! **Errors**       `file:line: expected …, got …`, short whatever the file contains. No input causes a panic.

#![forbid(unsafe_code)]

mod cdf;
mod cdf_columns;
mod collectors;
mod columns;
mod counts;
mod direction;
mod flows;
mod grain;
mod guess;
mod hosts;
mod hpcc;
mod htsim;
mod json;
mod limits;
mod lines;
mod names;
mod natural;
mod netflow;
mod number;
mod own;
mod packets;
mod records;
mod sonic;
mod tcp;
mod topology;
mod units;
mod unread;
mod when;

pub use columns::Columns;
pub use counts::{counted, counting};
pub use hosts::Hosts;
pub use topology::Nodes;

use unread::Start;

use std::collections::BTreeSet;

/// Reads a date, or a number of seconds in a file's clock, as picoseconds.
pub fn time_of(text: &str) -> Option<u128> {
    let read = when::date(text).or_else(|| number::scaled(text, 12));
    read.map(|(ps, _)| ps)
}

/// Input format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Capture: pcap or pcapng.
    Pcap,
    /// Any other flow list: comma-separated text whose header names a start, two ends and a size.
    Csv,
    /// Flow records as text with named columns: nfdump, IPFIX, SiLK, Argus, Zeek, VPC flow logs, nProbe.
    Netflow,
    /// Flow list of the HPCC family of ns-3 simulators, `flow.txt`.
    HpccFlows,
    /// Topology of the HPCC family, `topology.txt`.
    HpccTopology,
    /// Connection matrix of htsim, `.cm`.
    Htsim,
    /// Configuration of a SONiC switch, `config_db.json`.
    Sonic,
    /// Distribution of flow sizes, as HPCC, ns-2, Homa and others write it.
    Cdf,
}

impl Format {
    /// All formats, with their names.
    pub const ALL: [(&str, Format); 8] = [
        ("csv", Format::Csv),
        ("pcap", Format::Pcap),
        ("netflow", Format::Netflow),
        ("hpcc-flows", Format::HpccFlows),
        ("hpcc-topology", Format::HpccTopology),
        ("htsim", Format::Htsim),
        ("sonic", Format::Sonic),
        ("cdf", Format::Cdf),
    ];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        let named = Self::ALL.iter().find(|(_, format)| *format == self);
        named.expect("every format has a name").0
    }

    /// Detects the format of the bytes. Formats that are known and not read have none.
    pub fn of(bytes: &[u8]) -> Option<Format> {
        let start = Start::of(bytes);
        if records::is_collector(start.text()) {
            return Some(Format::Netflow);
        }
        if unread::of(&start).is_some() {
            return None;
        }
        let magic = bytes.first_chunk::<4>()?;
        match magic {
            [0x0a, 0x0d, 0x0d, 0x0a]
            | [0xa1, 0xb2, 0xc3 | 0x3c, 0xd4 | 0x4d]
            | [0xd4 | 0x4d, 0xc3 | 0x3c, 0xb2, 0xa1] => return Some(Format::Pcap),
            _ => {}
        }
        if unread::is_sonic(&start) {
            return Some(Format::Sonic);
        }
        let first = start.lines().next()?;
        let fields: Vec<&str> = first.split_whitespace().collect();
        if htsim::is_head(fields[0]) {
            return Some(Format::Htsim);
        }
        if records::is_header(first) && !names::is_sorted(first) {
            return Some(Format::Netflow);
        }
        if names::is_header(first) {
            return Some(Format::Csv);
        }
        if cdf_columns::is_one(start.lines()) {
            return Some(Format::Cdf);
        }
        let whole = |field: &&str| field.bytes().all(|b| b.is_ascii_digit());
        // SimAI writes a word after the numbers.
        let numbers = fields.iter().take_while(|field| whole(field)).count();
        match (numbers, fields.len()) {
            (1, 1) => Some(Format::HpccFlows),
            (3, 3) | (4, 4) | (6, 6) | (5 | 6, 6 | 7) => Some(Format::HpccTopology),
            _ => None,
        }
    }

    /// Returns the format of a file that is imported without `--from`, or a sentence that names the format of the
    /// file and tells what to do.
    pub fn detect(name: &str, bytes: &[u8], options: &Options) -> Result<Format, String> {
        let start = Start::of(bytes);
        let in_order = options.columns.as_ref().is_some_and(Columns::are_of_flows);
        // Fields in their order are for a table without a header, whatever its values look like.
        if in_order
            && is_table(&start)
            && !bytes.contains(&0)
            && !start.text().starts_with(['{', '['])
        {
            return Ok(Format::Csv);
        }
        if let Some(format) = Format::of(bytes) {
            return Ok(format);
        }
        let by_hand = options.columns.as_ref().is_some_and(Columns::are_named);
        // Names of columns by hand are for a header with names of its own.
        if by_hand && is_table(&start) {
            return Ok(Format::Csv);
        }
        if let Some(known) = unread::of(&start) {
            return Err(refusal(name, known, bytes));
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(format!(
                "{name}: expected flows, packets or a network, got an empty file"
            ));
        }
        let hint = match is_table(&start) {
            true => guess::advice(start.lines().next().unwrap_or_default()),
            false => String::new(),
        };
        let known = Format::ALL.map(|(name, _)| name).join(", ");
        Err(format!(
            "{name}: the format cannot be detected{hint}; set --from to one of {known}"
        ))
    }
}

/// Returns true if the first line has at least three cells.
fn is_table(start: &Start<'_>) -> bool {
    let first = start.lines().next().unwrap_or_default();
    first
        .bytes()
        .filter(|b| lines::SEPARATORS.contains(b))
        .count()
        > 1
}

/// Returns the sentence about a file of a format that is known and not read.
fn refusal(name: &str, known: &unread::Unread, bytes: &[u8]) -> String {
    if known.is_json()
        && let Some(said) = json::about(name, bytes)
    {
        return said;
    }
    format!(
        "{name}: the file is {}, which is not read: {}",
        known.name, known.instead
    )
}

/// Treatment of starts on a coarse grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Starts stay, and a note tells the grid.
    No,
    /// Starts on the grid that is found are drawn within its steps.
    Found,
    /// All starts are drawn within a step of so many picoseconds.
    Step(u64),
}

/// Options of an import.
#[derive(Clone, Debug)]
pub struct Options {
    /// Map from addresses to hosts. `None` numbers addresses and names in their natural order.
    pub hosts: Option<Hosts>,
    /// Numbers of the nodes of a simulator that are hosts. `None` keeps the simulator's numbers.
    pub nodes: Option<Nodes>,
    /// Picoseconds without data after which a new flow begins.
    pub idle_gap: u64,
    /// True to use the server's port as the class of a flow.
    pub class_by_port: bool,
    /// True to read UDP as well as TCP.
    pub udp: bool,
    /// True to keep times; otherwise the first flow starts at zero.
    pub keep_times: bool,
    /// True to leave out flows that wait for a trigger; otherwise they are refused.
    pub drop_triggered: bool,
    /// Start of the first flow to keep, picoseconds in the file's clock.
    pub from_time: Option<u128>,
    /// Picoseconds of flows to keep, from the first kept one.
    pub length: Option<u64>,
    /// Treatment of starts on a coarse grid.
    pub spread: Spread,
    /// Seed of the draws of `spread`.
    pub seed: u64,
    /// Packets for which one sampled packet of flow records stands. `None` reads it from the file.
    pub sampling: Option<u64>,
    /// Buffer profile of the queue to use.
    pub profile: Option<String>,
    /// Queue of a switch to use: `3`, `3-4` or `Ethernet0|3`. `None` is enough if all queues are alike.
    pub queue: Option<String>,
    /// Columns named by hand. `None` finds them by their names or values.
    pub columns: Option<Columns>,
    /// Payload bytes of a packet, for files that count packets.
    pub packet: Option<u64>,
}

impl Options {
    /// Returns the default options; 10 ms without data end a flow.
    pub fn new() -> Options {
        Options {
            hosts: None,
            nodes: None,
            idle_gap: 10_000_000_000,
            class_by_port: false,
            udp: false,
            keep_times: false,
            drop_triggered: false,
            from_time: None,
            length: None,
            spread: Spread::No,
            seed: 1,
            sampling: None,
            profile: None,
            queue: None,
            columns: None,
            packet: None,
        }
    }
}

impl Default for Options {
    fn default() -> Options {
        Options::new()
    }
}

/// Kind of a file that an import creates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// Flow list, for `[workload.NAME] kind = "flow_list"`.
    Flows,
    /// Map from addresses to hosts, for the next import.
    Hosts,
    /// Network, for `[topology] kind = "custom"`.
    Topology,
    /// Section `[switch]`.
    Switch,
    /// Distribution of flow sizes, for `cdf`.
    Sizes,
}

impl OutputKind {
    /// Returns the suffix of the file's name.
    pub fn ending(self) -> &'static str {
        match self {
            OutputKind::Flows => "flows.csv",
            OutputKind::Hosts => "hosts.csv",
            OutputKind::Topology => "topology.csv",
            OutputKind::Switch => "switch.toml",
            OutputKind::Sizes => "sizes.csv",
        }
    }
}

/// Result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Files created, the requested one first.
    pub files: Vec<(OutputKind, String)>,
    /// Items read, with their number.
    pub read: Vec<(String, u64)>,
    /// Items in the created files.
    pub kept: Vec<(String, u64)>,
    /// Items left out, with the reason.
    pub dropped: Vec<(String, u64)>,
    /// Further facts needed to trust the files, one sentence each.
    pub notes: Vec<String>,
    /// The flow list in numbers, if one was created.
    pub list: Option<List>,
}

/// Flow list in numbers: what a scenario that reads it must know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// Number of flows.
    pub flows: u64,
    /// Number of hosts that the network must have.
    pub hosts: u32,
    /// Start of the last flow, picoseconds.
    pub last: u64,
    /// Names of the classes, each once.
    pub classes: BTreeSet<String>,
    /// True if flows belong to groups.
    pub groups: bool,
}

impl Imported {
    fn read(&mut self, what: &str, many: u64) {
        count(&mut self.read, what, many);
    }

    fn keep(&mut self, what: &str, many: u64) {
        count(&mut self.kept, what, many);
    }

    fn drop(&mut self, why: &str, many: u64) {
        if many > 0 {
            count(&mut self.dropped, why, many);
        }
    }

    /// Notes how many `things` were rounded, if any were.
    fn rounded(&mut self, many: u64, things: &str) {
        if many > 0 {
            self.note(counted(
                many,
                &format!("{things} were rounded to a picosecond"),
            ));
        }
    }

    fn note(&mut self, words: impl Into<String>) {
        let words = words.into();
        if !self.notes.contains(&words) {
            self.notes.push(words);
        }
    }
}

fn count(all: &mut Vec<(String, u64)>, what: &str, many: u64) {
    match all.iter_mut().find(|(known, _)| known == what) {
        Some((_, before)) => *before += many,
        None => all.push((what.to_string(), many)),
    }
}

/// Imports `bytes`; `name` is their name in errors.
pub fn import(
    name: &str,
    bytes: &[u8],
    format: Format,
    options: &Options,
) -> Result<Imported, String> {
    let imported = match format {
        Format::Pcap => packets::import(name, bytes, options),
        Format::Csv => match records::sampled(bytes) {
            Some(column) => Err(format!(
                "column {}: expected sizes of whole flows, got sampled ones: --from netflow \
                 multiplies them by the rate, or leave the column out",
                lines::shown(&column)
            )),
            None => own::import(name, bytes, options),
        },
        Format::Netflow => netflow::import(name, bytes, options),
        Format::HpccFlows => hpcc::import(name, bytes, options),
        Format::HpccTopology => topology::import(name, bytes),
        Format::Htsim => htsim::import(name, bytes, options),
        Format::Sonic => sonic::import(name, bytes, options),
        Format::Cdf => cdf::import(name, bytes, options),
    };
    let mut imported = imported.map_err(|why| match unread::of(&Start::of(bytes)) {
        // A known format explains the error better than the reader that was chosen.
        Some(known)
            if !(why.starts_with("--")
                || matches!(format, Format::Sonic | Format::Netflow) && known.is_json()) =>
        {
            refusal(name, known, bytes)
        }
        _ if why.starts_with("--") || why.starts_with(&format!("{name}:")) => why,
        _ => format!("{name}: {why}"),
    })?;
    let head = header(name, format, &imported);
    for (_, text) in &mut imported.files {
        text.insert_str(0, &head);
    }
    Ok(imported)
}

/// Returns comments with the origin of a file.
fn header(name: &str, format: Format, imported: &Imported) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let clean = |text: &str| text.replace(|c: char| c.is_control(), " ");
    let mut head = format!("# Imported from {} ({}).\n", clean(file), format.name());
    for (why, many) in &imported.dropped {
        head.push_str(&format!("# Left out: {}.\n", counted(*many, &clean(why))));
    }
    for note in &imported.notes {
        head.push_str(&format!("# {}.\n", clean(note)));
    }
    head
}
