//! Any other flow list: comma-separated text whose header names a start, two ends and a size.
//!
//! **Decision**     columns are found by their names, in any order, separated by commas, semicolons or tabs.
//!                  Ends are addresses or names, numbered in their natural order unless a map is given. If all
//!                  have names like Sidestep's, `h3`, they keep their numbers. Sizes are payload, unchanged.
//! **Units**        starts are dates, numbers with a unit in the cell or in the header, or numbers since 1970.
//!                  The digits before the point of the latter tell seconds from nanoseconds until the year
//!                  2286.
//! **Errors**       no guess is silent: the report names the interpretation of columns, and columns not read.

use crate::flows::{self, Flow};
use crate::hosts::Hosts;
use crate::lines::{Text, Wrong, shown};
use crate::number::scaled;
use crate::when::date;
use crate::{Imported, Options};

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
const UNITS: &[(&str, u32)] = &[
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
            "length",
            "flowsize",
            "flowbytes",
        ],
    ),
    (
        Column::Class,
        &[
            "class",
            "app",
            "application",
            "service",
            "type",
            "kind",
            "tag",
            "label",
        ],
    ),
    (
        Column::Group,
        &[
            "group", "groupid", "job", "jobid", "burst", "burstid", "coflow", "coflowid", "step",
        ],
    ),
];

const START: &str = "a column of starts: start, time or timestamp; start_ms names a unit";
const SRC: &str = "a column of sources: src, source or src_ip";
const DST: &str = "a column of destinations: dst, dest or dst_ip";
const SIZE: &str = "a column of sizes: size or bytes";

fn column(name: &str) -> Option<Column> {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let plain: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    let start = STARTS.iter().find_map(|start| {
        let unit = plain.strip_prefix(start)?;
        let (word, digits) = UNITS.iter().find(|(word, _)| *word == unit)?;
        Some(Column::Start((!word.is_empty()).then_some(*digits)))
    });
    let named = || NAMES.iter().find(|(_, all)| all.contains(&plain.as_str()));
    start.or_else(|| named().map(|(column, _)| *column))
}

/// Returns the separator between the names of a header.
fn between(header: &str) -> u8 {
    let many = |mark: &u8| header.bytes().filter(|byte| byte == mark).count();
    let mut best = b',';
    for mark in [b';', b'\t'] {
        if many(&mark) > many(&best) {
            best = mark;
        }
    }
    best
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

/// Positions of the columns.
struct Columns {
    start: (usize, Option<u32>),
    src: usize,
    dst: usize,
    size: usize,
    class: Option<usize>,
    group: Option<usize>,
    /// Names of the other columns.
    unread: Vec<String>,
}

impl Columns {
    fn of(text: &Text<'_>, line: usize, header: &csv::StringRecord) -> Result<Columns, String> {
        let all: Vec<Option<Column>> = header.iter().map(column).collect();
        let got = || shown(&header.iter().take(12).collect::<Vec<_>>().join(","));
        let mut unread = Vec::new();
        let mut start = None;
        for (i, of) in all.iter().enumerate() {
            match of {
                Some(Column::Start(unit)) if start.is_none() => start = Some((i, *unit)),
                Some(of) if all[..i].contains(&Some(*of)) => {
                    let expected = "one column each for start, source, destination, size, class \
                                    and group";
                    return Err(text.error(line, expected, &got()));
                }
                Some(Column::Start(_)) => {
                    return Err(text.error(line, "one column of starts", &got()));
                }
                Some(_) => {}
                None => unread.push(shown(&header[i])),
            }
        }
        let find = |wanted| all.iter().position(|of| *of == Some(wanted));
        let needed = |wanted: Column, words: &str| {
            let at = all.iter().position(|of| *of == Some(wanted));
            at.ok_or_else(|| text.error(line, words, &got()))
        };
        Ok(Columns {
            start: start.ok_or_else(|| text.error(line, START, &got()))?,
            src: needed(Column::Src, SRC)?,
            dst: needed(Column::Dst, DST)?,
            size: needed(Column::Size, SIZE)?,
            class: find(Column::Class),
            group: find(Column::Group),
            unread,
        })
    }
}

/// Reads a list as flows.
pub fn import(name: &str, bytes: &[u8], options: &Options) -> Result<Imported, String> {
    let text = Text::read(name, bytes)?;
    let header = text.lines().next().map_or("", |(_, line)| line);
    let mut rows = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .delimiter(between(header))
        .comment(Some(b'#'))
        .from_reader(text.all().as_bytes());
    let mut columns: Option<Columns> = None;
    let mut all: Vec<(usize, csv::StringRecord)> = Vec::new();
    for row in rows.records() {
        let (line, row) = text.row(row)?;
        match &columns {
            None => columns = Some(Columns::of(&text, line, &row)?),
            Some(_) => all.push((line, row)),
        }
    }
    let columns =
        columns.ok_or_else(|| text.error(1, "a header with the names of columns", "nothing"))?;
    let mut out = Imported::default();
    out.read("rows", all.len() as u64);
    let ends = |row: &csv::StringRecord| {
        [columns.src, columns.dst].map(|at| own_host(row.get(at).unwrap_or_default()))
    };
    let hosts = match &options.hosts {
        Some(map) => map.clone(),
        None if !all.is_empty() && all.iter().all(|(_, row)| !ends(row).contains(&None)) => {
            out.note("Hosts keep their numbers");
            Hosts::own()
        }
        None => Hosts::assigned(),
    };
    let mut reader = Reader {
        text: &text,
        columns: &columns,
        hosts,
        since_1970: None,
        rounded: 0,
        out,
        flows: Vec::with_capacity(all.len()),
    };
    let mut wrong = Wrong::default();
    for (line, row) in &all {
        wrong.keep(*line, reader.flow(*line, row));
    }
    wrong.end(name)?;
    reader.finish(options)
}

/// Returns the number of a host with one of Sidestep's own names: `h3`.
fn own_host(word: &str) -> Option<u32> {
    let digits = word.strip_prefix('h')?;
    let plain = digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|_| plain)
}

struct Reader<'a> {
    text: &'a Text<'a>,
    columns: &'a Columns,
    hosts: Hosts,
    /// Number of digits by which numbers since 1970 are short of picoseconds, taken from the first of them.
    since_1970: Option<u32>,
    rounded: u64,
    out: Imported,
    flows: Vec<Flow>,
}

impl Reader<'_> {
    fn flow(&mut self, line: usize, row: &csv::StringRecord) -> Result<(), String> {
        let columns = self.columns;
        let needed = [columns.start.0, columns.src, columns.dst, columns.size];
        self.text.reaches(line, row, needed)?;
        let cell = |at: usize| row.get(at).unwrap_or_default();
        let start = self.start(line, cell(columns.start.0))?;
        let size = self.size(line, cell(columns.size))?;
        let class = self.word(line, "class", columns.class.map(cell))?;
        let group = self.word(line, "group", columns.group.map(cell))?;
        let mut host = |word: &str| -> Result<Option<u32>, String> {
            let known = self.hosts.called(word);
            let expected = "an address or a name of letters, digits, '.', '-' and '_'";
            known.map_err(|()| self.text.error(line, expected, &shown(word)))
        };
        let (Some(src), Some(dst)) = (host(cell(columns.src))?, host(cell(columns.dst))?) else {
            self.out
                .drop("rows with an address that is not in the map", 1);
            return Ok(());
        };
        self.flows.push(Flow {
            start,
            src,
            dst,
            size: Some(size),
            class,
            group,
        });
        Ok(())
    }

    fn start(&mut self, line: usize, cell: &str) -> Result<u128, String> {
        let wrong = |expected: &str| self.text.error(line, expected, &shown(cell));
        let (ps, fine) = if let Some(digits) = self.columns.start.1 {
            scaled(cell, digits).ok_or_else(|| wrong("a number of at least 0"))?
        } else if let Some(read) = date(cell).or_else(|| with_unit(cell)) {
            read
        } else {
            let digits = self.since_1970.or_else(|| short_of_ps(cell));
            self.since_1970 = digits;
            let read = digits.and_then(|digits| scaled(cell, digits));
            read.ok_or_else(|| {
                wrong(
                    "a date, a time with a unit like \"1.5 ms\", or a number with its unit in the \
                     header: start_us",
                )
            })?
        };
        self.rounded += u64::from(fine);
        Ok(ps)
    }

    fn size(&self, line: usize, cell: &str) -> Result<u64, String> {
        let (number, unit) = split_unit(cell);
        let by: Option<u128> = match unit {
            "" | "B" => Some(1),
            "kB" => Some(1_000),
            "MB" => Some(1_000_000),
            "GB" => Some(1_000_000_000),
            "KiB" => Some(1 << 10),
            "MiB" => Some(1 << 20),
            "GiB" => Some(1 << 30),
            _ => None,
        };
        // Nine more digits are read, so that "1.5 kB" is whole and "1.5" is not.
        let scaled = by.and_then(|by| Some((scaled(number, 9)?.0.checked_mul(by)?, by)));
        let whole = scaled.filter(|(n, _)| n % 1_000_000_000 == 0);
        let bytes = whole.and_then(|(n, _)| u64::try_from(n / 1_000_000_000).ok());
        bytes.ok_or_else(|| {
            let expected = "a whole number of bytes, or a size like \"64 kB\"";
            self.text.error(line, expected, &shown(cell))
        })
    }

    /// Reads a class or a group, as a flow list can store it.
    fn word(&self, line: usize, what: &str, cell: Option<&str>) -> Result<Option<String>, String> {
        let Some(word) = cell.filter(|word| !word.is_empty()) else {
            return Ok(None);
        };
        let odd = |c: char| c.is_control() || [',', '"', '#'].contains(&c);
        if word.chars().count() > 64 || word.chars().any(odd) {
            let expected =
                format!("a {what} of at most 64 characters, without commas, quotes and #");
            return Err(self.text.error(line, &expected, &shown(word)));
        }
        Ok(Some(word.to_string()))
    }

    fn finish(mut self, options: &Options) -> Result<Imported, String> {
        let out = &mut self.out;
        out.note("Sizes are read as payload, without headers");
        if let Some(digits) = self.since_1970 {
            let unit = match digits {
                12 => "seconds",
                9 => "milliseconds",
                6 => "microseconds",
                _ => "nanoseconds",
            };
            out.note(format!(
                "Starts without a unit are read as {unit} since 1970"
            ));
        }
        if self.rounded > 0 {
            out.note(format!(
                "{} starts were rounded to a picosecond",
                self.rounded
            ));
        }
        if !self.columns.unread.is_empty() {
            let names = &self.columns.unread;
            let more = names.len().saturating_sub(12);
            let some = names[..names.len() - more].join(", ");
            let rest = match more {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            out.note(format!("Columns not used: {some}{rest}"));
        }
        self.hosts.settle(&mut self.flows, out);
        flows::write(self.flows, options, out)?;
        Ok(self.out)
    }
}

/// Reads `1.5 ms` as picoseconds.
fn with_unit(cell: &str) -> Option<(u128, bool)> {
    let (number, unit) = split_unit(cell);
    let units = UNITS.iter().filter(|(word, _)| !word.is_empty());
    let (_, digits) = units.into_iter().find(|(word, _)| *word == unit)?;
    scaled(number, *digits)
}

fn split_unit(cell: &str) -> (&str, &str) {
    let letter = |c: char| c.is_ascii_alphabetic();
    let at = cell.find(letter).unwrap_or(cell.len());
    // "1e3" is a number.
    let exponent = cell[at..].len() > 1 && cell[at + 1..].bytes().all(|b| b.is_ascii_digit());
    let at = if exponent { cell.len() } else { at };
    (cell[..at].trim(), cell[at..].trim())
}

/// Returns the number of digits by which a number since 1970 is short of picoseconds: from 2001 to 2286,
/// seconds have ten digits.
fn short_of_ps(cell: &str) -> Option<u32> {
    let whole = cell.split('.').next().unwrap_or_default();
    let plain = whole.bytes().all(|b| b.is_ascii_digit()) && !whole.starts_with('0');
    match whole.len() {
        10 if plain => Some(12),
        13 if plain => Some(9),
        16 if plain => Some(6),
        19 if plain => Some(3),
        _ => None,
    }
}
