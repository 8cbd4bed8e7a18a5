//! Meanings of the columns of a flow list, by their names or as named by hand.
//!
//! **Decision**     a name decides only if it has one meaning: `type` is no class, and `length` no size, since a
//!                  list of packets has that column too. `--columns` chooses.

use crate::columns;
use crate::counts::counted;
use crate::lines::{Text, separator, shown};
use crate::number::scaled;
use crate::units::{self, SizeUnit};
use core::mem::discriminant;

/// Advice for a table without a header.
pub const NO_HEADER: &str = "the file has no header: put a line like start_s,src,dst,size above the first, or give \
                             the fields in their order, like --columns start_s,src,dst,-,size (- for a column \
                             that is not used)";

/// Meaning of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    /// Start, with the unit in the column's name, as the number of digits by which it is short of picoseconds.
    Start(Option<u32>),
    Src,
    Dst,
    Size,
    Class,
    Group,
}

const STARTS: &[&str] = &["start", "starttime", "time", "timestamp", "ts", "epoch"];

/// Units of time, with the number of digits by which they are short of picoseconds.
pub const UNITS: &[(&str, u32)] = &[
    ("", 12),
    ("s", 12),
    ("sec", 12),
    ("seconds", 12),
    ("ms", 9),
    ("us", 6),
    ("ns", 3),
    ("ps", 0),
];

/// Names of columns, in small letters and digits alone.
const NAMES: &[(Column, &[&str])] = &[
    (
        Column::Src,
        &[
            "src",
            "source",
            "from",
            "sender",
            "srcip",
            "sourceip",
            "srcaddr",
            "srchost",
            "sourcehost",
            "ipsrc",
            "sa",
        ],
    ),
    (
        Column::Dst,
        &[
            "dst",
            "dest",
            "destination",
            "to",
            "receiver",
            "dstip",
            "destip",
            "destinationip",
            "dstaddr",
            "dsthost",
            "destinationhost",
            "ipdst",
            "da",
        ],
    ),
    (
        Column::Size,
        &[
            "size",
            "sizebytes",
            "bytes",
            "nbytes",
            "payload",
            "payloadbytes",
            "flowsize",
            "flowbytes",
        ],
    ),
    (Column::Class, &["class", "app", "application", "service"]),
    (
        Column::Group,
        &[
            "group", "groupid", "job", "jobid", "burst", "burstid", "coflow", "coflowid", "step",
        ],
    ),
];

/// Names of columns that only a list of packets has.
const OF_A_PACKET: &[&str] = &[
    "info",
    "framenumber",
    "framelen",
    "frametime",
    "frametimeepoch",
    "frametimerelative",
    "packetno",
    "packetnumber",
    "pktno",
    "pktnum",
    "tcpseq",
    "tcpack",
    "tcplen",
    "tcpflags",
    "ipid",
    "iplen",
    "ipttl",
    "seqno",
    "ackno",
];

/// Names of columns that lists of packets have, and some lists of flows too.
const OFTEN_OF_A_PACKET: &[&str] = &[
    "no", "length", "len", "protocol", "ttl", "flags", "seq", "ack", "window", "win",
];

/// Words of `--columns`.
const FIELDS: &[(&str, &str)] = &[
    ("start", "start"),
    ("start_s", "start_s"),
    ("start_ms", "start_ms"),
    ("start_us", "start_us"),
    ("start_ns", "start_ns"),
    ("start_ps", "start_ps"),
    ("src", "src"),
    ("dst", "dst"),
    ("size", "size"),
    ("size_kb", "size_kb"),
    ("size_kib", "size_kib"),
    ("size_mb", "size_mb"),
    ("size_mib", "size_mib"),
    ("size_gb", "size_gb"),
    ("size_gib", "size_gib"),
    ("size_tb", "size_tb"),
    ("size_tib", "size_tib"),
    ("size_bits", "size_bits"),
    ("size_kbit", "size_kbit"),
    ("size_mbit", "size_mbit"),
    ("size_gbit", "size_gbit"),
    ("class", "class"),
    ("group", "group"),
];

const START: &str = "a column of starts: start, time or timestamp; start_ms names a unit";
const SRC: &str = "a column of sources: src, source or src_ip";
const DST: &str = "a column of destinations: dst, dest or dst_ip";
const SIZE: &str = "a column of sizes: size or bytes";

/// Advice for a header whose columns have other names.
const BY_HAND: &str = "(--columns start=NAME,src=NAME,dst=NAME,size=NAME names columns)";

/// Returns a name in small letters and digits alone.
pub fn plain(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

fn column(name: &str) -> Option<Column> {
    let plain = plain(name);
    let start = STARTS.iter().find_map(|start| {
        let unit = plain.strip_prefix(start)?;
        let (word, digits) = UNITS.iter().find(|(word, _)| *word == unit)?;
        Some(Column::Start((!word.is_empty()).then_some(*digits)))
    });
    let named = || NAMES.iter().find(|(_, all)| all.contains(&plain.as_str()));
    let size = units::is_size(&plain).then_some(Column::Size);
    start
        .or_else(|| named().map(|(column, _)| *column))
        .or(size)
}

/// Returns the word of `--columns` for the field of a name that is known.
pub fn field(name: &str) -> Option<&'static str> {
    Some(match column(name)? {
        Column::Start(_) => "start",
        Column::Src => "src",
        Column::Dst => "dst",
        Column::Size => "size",
        Column::Class => "class",
        Column::Group => "group",
    })
}

/// Returns the separator between the names of a header.
pub fn between(header: &str) -> u8 {
    separator(header).unwrap_or(b',')
}

/// Returns the meanings of the columns of this line.
fn columns(header: &str) -> Vec<Option<Column>> {
    let cells = header.split(char::from(between(header)));
    cells.map(column).collect()
}

/// Returns true for a header that names both ends of flows and at least one more known column.
pub fn is_header(line: &str) -> bool {
    let known: Vec<Column> = columns(line).into_iter().flatten().collect();
    known.len() > 2 && known.contains(&Column::Src) && known.contains(&Column::Dst)
}

/// Returns true for a header that names columns which no router exports: classes or groups.
pub fn is_sorted(line: &str) -> bool {
    let all = columns(line);
    let own = [Some(Column::Class), Some(Column::Group)];
    is_header(line) && own.iter().any(|column| all.contains(column))
}

/// Returns true for the header of a list of packets.
pub fn is_of_packets(line: &str) -> bool {
    are_of_packets(line.split(char::from(between(line))))
}

fn are_of_packets<'c>(cells: impl Iterator<Item = &'c str>) -> bool {
    let names: Vec<String> = cells.map(plain).collect();
    let many = |of: &[&str]| {
        names
            .iter()
            .filter(|name| of.contains(&name.as_str()))
            .count()
    };
    let (sure, likely) = (many(OF_A_PACKET), many(OFTEN_OF_A_PACKET));
    // A column of sizes or of numbers of packets is one of flows.
    let sizes = |name: &String| column(name) == Some(Column::Size) || name == "packets";
    match names.iter().any(sizes) {
        true => sure >= 2,
        false => names.len() > 2 && (sure >= 1 && sure + likely >= 2 || likely >= 3),
    }
}

/// Positions of the columns.
#[derive(Debug)]
pub struct Columns {
    /// Position of the starts, and the unit in the column's name.
    pub start: (usize, Option<u32>),
    pub src: usize,
    pub dst: usize,
    pub size: usize,
    /// Unit of sizes in the column's name.
    pub unit: Option<&'static SizeUnit>,
    pub class: Option<usize>,
    pub group: Option<usize>,
    /// Number of columns.
    pub many: usize,
    /// Sentence about the columns read.
    pub read: String,
    /// Names of the other columns.
    pub unread: Vec<String>,
}

impl Columns {
    /// Finds the columns of a header by their names, and by those that `by_hand` gives.
    pub fn of(
        text: &Text<'_>,
        line: usize,
        header: &csv::StringRecord,
        by_hand: Option<&columns::Columns>,
    ) -> Result<Columns, String> {
        let got = || shown(&header.iter().take(12).collect::<Vec<_>>().join(","));
        if by_hand.is_none() && are_of_packets(header.iter()) {
            let expected = "one row a flow";
            let got = format!(
                "one row a packet, with the columns {}: {IMPORT_THE_CAPTURE}",
                got()
            );
            return Err(text.error(line, expected, &got));
        }
        let role = |name: &str| column(name).map(|of| discriminant(&of));
        let names = match by_hand {
            Some(by_hand) => by_hand.with_units()?.renamed(header, FIELDS, role)?,
            None => header.clone(),
        };
        let all: Vec<Option<Column>> = names.iter().map(column).collect();
        for (i, of) in all.iter().enumerate() {
            let same = |other: &&Option<Column>| {
                other.is_some_and(|other| {
                    of.is_some_and(|of| discriminant(&of) == discriminant(&other))
                })
            };
            if all[..i].iter().any(|other| same(&other)) {
                let expected = match of {
                    Some(Column::Start(_)) => "one column of starts",
                    _ => "one column each for start, source, destination, size, class and group",
                };
                let got = format!("{} (--columns chooses)", got());
                return Err(text.error(line, expected, &got));
            }
        }
        let start = all.iter().enumerate().find_map(|(i, of)| match of {
            Some(Column::Start(unit)) => Some((i, *unit)),
            _ => None,
        });
        let find = |wanted| all.iter().position(|of| *of == Some(wanted));
        let values = header.iter().any(|cell| scaled(cell, 0).is_some());
        if values && all.iter().all(Option::is_none) {
            let expected = "a header with the names of columns";
            return Err(text.error(line, expected, &format!("{}: {NO_HEADER}", got())));
        }
        let missing = |words: &str| text.error(line, words, &format!("{} {BY_HAND}", got()));
        let lengths = header
            .iter()
            .map(plain)
            .any(|name| ["length", "len"].contains(&name.as_str()));
        let no_size = || match lengths {
            false => missing(SIZE),
            true => text.error(
                line,
                SIZE,
                &format!(
                    "{} (--columns size=NAME takes lengths as sizes of flows)",
                    got()
                ),
            ),
        };
        let mut columns = Columns {
            start: start.ok_or_else(|| missing(START))?,
            src: find(Column::Src).ok_or_else(|| missing(SRC))?,
            dst: find(Column::Dst).ok_or_else(|| missing(DST))?,
            size: find(Column::Size).ok_or_else(no_size)?,
            unit: None,
            class: find(Column::Class),
            group: find(Column::Group),
            many: header.len(),
            read: String::new(),
            unread: Vec::new(),
        };
        let unit =
            units::of(&names[columns.size]).map_err(|why| text.name.to_string() + ": " + &why)?;
        columns.unit = unit.filter(|unit| !unit.is_byte());
        columns.describe(header, by_hand.is_some());
        Ok(columns)
    }

    /// Takes fields in their order as the columns of a file without a header, of which `row` is the first row.
    pub fn in_order(
        text: &Text<'_>,
        line: usize,
        row: &csv::StringRecord,
        by_hand: &columns::Columns,
    ) -> Result<Columns, String> {
        let digit = |cell: &str| cell.bytes().any(|b| b.is_ascii_digit());
        if !row.iter().any(digit) {
            // The file has a header: fields without names do not fit it.
            by_hand.pairs()?;
        }
        let words: Vec<&str> = FIELDS.iter().map(|(word, _)| *word).chain(["-"]).collect();
        let places = by_hand.placed(&words)?;
        if places.len() != row.len() {
            return Err(format!(
                "--columns: expected {} of line {line} (- for one that is not used), got {}",
                counted(row.len() as u64, "fields, one for each column"),
                places.len()
            ));
        }
        let name = |at: &usize| FIELDS.get(*at).map_or("", |(_, name)| *name);
        let header = csv::StringRecord::from(places.iter().map(name).collect::<Vec<_>>());
        let mut columns = Columns::of(text, line, &header, None)?;
        columns.read = columns
            .read
            .replacen("by name", "by their order in --columns", 1);
        columns.unread.clear();
        Ok(columns)
    }

    /// Writes the names of the columns read and unread.
    fn describe(&mut self, header: &csv::StringRecord, by_hand: bool) {
        let read = [
            ("start", Some(self.start.0)),
            ("source", Some(self.src)),
            ("destination", Some(self.dst)),
            ("size", Some(self.size)),
            ("class", self.class),
            ("group", self.group),
        ];
        let named =
            |(what, at): &(&str, Option<usize>)| Some(format!("{what} {}", shown(&header[(*at)?])));
        let words: Vec<String> = read.iter().filter_map(named).collect();
        let why = if by_hand {
            "by --columns and by name"
        } else {
            "by name"
        };
        self.read = format!("Columns are read {why}: {}", words.join(", "));
        let places: Vec<usize> = read.iter().filter_map(|(_, at)| *at).collect();
        let unread = (0..header.len()).filter(|at| !places.contains(at));
        self.unread = unread.map(|at| shown(&header[at])).collect();
    }
}

/// Advice for a list of packets.
pub const IMPORT_THE_CAPTURE: &str =
    "import the capture itself, or name the columns with --columns if a row is a flow after all";
