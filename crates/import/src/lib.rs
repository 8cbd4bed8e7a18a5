//! Other tools' files as Sidestep's own: captures, NetFlow and any CSV of flows as flow lists, the flow lists, topologies and
//! connection matrices of other simulators, the buffer profiles of a switch.
//!
//! **Decision**     a parser takes bytes and returns text, with an account of what was read, kept and dropped and
//!                  why: nothing is left out in silence. No files are opened here.
//! **Units**        times are picoseconds; what is finer is rounded, and that is said.
//! **Errors**       `file:line: expected …, got …`, short whatever the file holds. Any bytes are answered without
//!                  a panic.

#![forbid(unsafe_code)]

mod flows;
mod hosts;
mod hpcc;
mod htsim;
mod lines;
mod netflow;
mod number;
mod own;
mod packets;
mod sonic;
mod tcp;
mod when;

pub use hosts::Hosts;
pub use hpcc::Nodes;

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A capture: pcap or pcapng.
    Pcap,
    /// A flow list of one's own, as comma-separated text whose header names a start, two ends and a size.
    Csv,
    /// Flow records as comma-separated text: `nfdump -o csv`, or an IPFIX collector's with named columns.
    Netflow,
    /// The flow list of the HPCC family of ns-3 simulators, `flow.txt`.
    HpccFlows,
    /// Their topology, `topology.txt`.
    HpccTopology,
    /// A connection matrix of htsim, `.cm`.
    Htsim,
    /// The configuration of a SONiC switch, `config_db.json`.
    Sonic,
}

impl Format {
    /// All of them, by name.
    pub const ALL: [(&str, Format); 7] = [
        ("csv", Format::Csv),
        ("pcap", Format::Pcap),
        ("netflow", Format::Netflow),
        ("hpcc-flows", Format::HpccFlows),
        ("hpcc-topology", Format::HpccTopology),
        ("htsim", Format::Htsim),
        ("sonic", Format::Sonic),
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        let named = Self::ALL.iter().find(|(_, format)| *format == self);
        named.expect("every format has a name").0
    }

    /// What the bytes look like.
    pub fn of(bytes: &[u8]) -> Option<Format> {
        let magic = bytes.first_chunk::<4>()?;
        match magic {
            [0x0a, 0x0d, 0x0d, 0x0a]
            | [0xa1, 0xb2, 0xc3 | 0x3c, 0xd4 | 0x4d]
            | [0xd4 | 0x4d, 0xc3 | 0x3c, 0xb2, 0xa1] => return Some(Format::Pcap),
            _ => {}
        }
        // Enough to see what it is, whatever follows.
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 16)]);
        let start = start.trim_start_matches('\u{feff}');
        if start.trim_start().starts_with('{') {
            return Some(Format::Sonic);
        }
        let mut lines = start.lines().map(str::trim);
        let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'))?;
        let fields: Vec<&str> = first.split_whitespace().collect();
        if ["Nodes", "Connections"].contains(&fields[0]) {
            return Some(Format::Htsim);
        }
        if netflow::is_header(first) && !own::is_sorted(first) {
            return Some(Format::Netflow);
        }
        if own::is_header(first) {
            return Some(Format::Csv);
        }
        let whole = fields
            .iter()
            .all(|field| field.bytes().all(|b| b.is_ascii_digit()));
        match (whole, fields.len()) {
            (true, 1) => Some(Format::HpccFlows),
            (true, 3) => Some(Format::HpccTopology),
            _ => None,
        }
    }
}

/// How to read.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which host has which address; addresses are numbered in the order of appearance without.
    pub hosts: Option<Hosts>,
    /// Which nodes of a simulator are hosts; its numbers are taken as they are without.
    pub nodes: Option<Nodes>,
    /// After so many picoseconds without data, what follows is another flow.
    pub idle_gap: u64,
    /// Flows have the server's port as their class.
    pub class_by_port: bool,
    /// UDP as well as TCP.
    pub udp: bool,
    /// Times stay as they are; the first flow starts at zero otherwise.
    pub keep_times: bool,
    /// Flows that wait for a trigger are left out; they are refused otherwise.
    pub drop_triggered: bool,
    /// The buffer profile to take; the one that most queues have without.
    pub profile: Option<String>,
}

impl Options {
    /// What is done when nothing is said; 10 ms without data end a flow.
    pub fn new() -> Options {
        Options {
            hosts: None,
            nodes: None,
            idle_gap: 10_000_000_000,
            class_by_port: false,
            udp: false,
            keep_times: false,
            drop_triggered: false,
            profile: None,
        }
    }
}

impl Default for Options {
    fn default() -> Options {
        Options::new()
    }
}

/// What a file of Sidestep's holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// A flow list, for `[workload.NAME] kind = "flow_list"`.
    Flows,
    /// Which host has which address, for the next import.
    Hosts,
    /// A network, for `[topology] kind = "custom"`.
    Topology,
    /// A `[switch]`.
    Switch,
}

impl Made {
    /// The end of the file's name.
    pub fn ending(self) -> &'static str {
        match self {
            Made::Flows => "flows.csv",
            Made::Hosts => "hosts.csv",
            Made::Topology => "topology.csv",
            Made::Switch => "switch.toml",
        }
    }
}

/// What became of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// The files that it comes to, the first the one that was asked for.
    pub files: Vec<(Made, String)>,
    /// What was read, and how much of it.
    pub read: Vec<(String, u64)>,
    /// What is in the files.
    pub kept: Vec<(String, u64)>,
    /// What is not, and why.
    pub dropped: Vec<(String, u64)>,
    /// What else must be known to trust them, one sentence each.
    pub notes: Vec<String>,
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

/// Reads `bytes`, which errors call `name`.
pub fn import(
    name: &str,
    bytes: &[u8],
    format: Format,
    options: &Options,
) -> Result<Imported, String> {
    let mut imported = match format {
        Format::Pcap => packets::import(name, bytes, options),
        Format::Csv => own::import(name, bytes, options),
        Format::Netflow => netflow::import(name, bytes, options),
        Format::HpccFlows => hpcc::flows(name, bytes, options),
        Format::HpccTopology => hpcc::topology(name, bytes),
        Format::Htsim => htsim::import(name, bytes, options),
        Format::Sonic => sonic::import(name, bytes, options),
    }?;
    let head = header(name, format, &imported);
    for (_, text) in &mut imported.files {
        text.insert_str(0, &head);
    }
    Ok(imported)
}

/// Where a file came from, as comments.
fn header(name: &str, format: Format, imported: &Imported) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let clean = |text: &str| text.replace(|c: char| c.is_control(), " ");
    let mut head = format!("# Imported from {} ({}).\n", clean(file), format.name());
    for (why, many) in &imported.dropped {
        head.push_str(&format!("# Left out: {many} {}.\n", clean(why)));
    }
    for note in &imported.notes {
        head.push_str(&format!("# {}.\n", clean(note)));
    }
    head
}
