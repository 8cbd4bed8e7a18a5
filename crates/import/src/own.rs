//! Any other flow list: comma-separated text whose header names a start, two ends and a size.
//!
//! **Decision**     columns are found by their names, in any order, separated by commas, semicolons or tabs.
//!                  Ends are addresses or names, numbered in their natural order unless a map is given. If all
//!                  have names like Sidestep's, `h3`, they keep their numbers. Sizes are payload, unchanged.
//! **Units**        starts are dates, numbers with a unit in the cell or in the header, or numbers since 1970.
//!                  The digits before the point of the latter tell seconds from nanoseconds until the year
//!                  2286.
//! **Errors**       no guess is silent: the report names the interpretation of columns, and columns not read.

use crate::counts::counted;
use crate::flows::{self, Flow};
use crate::hosts::Hosts;
use crate::lines::{Text, Wrong, shown};
use crate::names::{Columns, UNITS, between};
use crate::number::scaled;
use crate::when::{date, short_of_ps};
use crate::{Imported, Options};
use sidestep_types::{Quantity, Unit, parse_quantity};

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
            None if row.iter().all(str::is_empty) => {}
            None => match options
                .columns
                .as_ref()
                .filter(|by_hand| !by_hand.are_named())
            {
                Some(by_hand) => {
                    columns = Some(Columns::in_order(&text, line, &row, by_hand)?);
                    all.push((line, row));
                }
                None => columns = Some(Columns::of(&text, line, &row, options.columns.as_ref())?),
            },
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
        dates: false,
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
    // Two names of one number would be one host.
    let plain = plain && (digits == "0" || !digits.starts_with('0'));
    digits.parse().ok().filter(|_| plain)
}

struct Reader<'a> {
    text: &'a Text<'a>,
    columns: &'a Columns,
    hosts: Hosts,
    /// Number of digits by which numbers since 1970 are short of picoseconds, taken from the first of them.
    since_1970: Option<u32>,
    /// True if some starts are dates without an offset.
    dates: bool,
    rounded: u64,
    out: Imported,
    /// Flows with their lines.
    flows: Vec<(usize, Flow)>,
}

impl Reader<'_> {
    fn flow(&mut self, line: usize, row: &csv::StringRecord) -> Result<(), String> {
        let columns = self.columns;
        let needed = [columns.start.0, columns.src, columns.dst, columns.size];
        self.text.reaches(line, row, needed)?;
        // "1,024" without quotes would be read as 1.
        let more = row
            .iter()
            .skip(columns.many)
            .filter(|cell| !cell.is_empty());
        if more.count() > 0 {
            let expected = counted(columns.many as u64, "cells, as in the header");
            return Err(self.text.error(line, &expected, &row.len().to_string()));
        }
        let cell = |at: usize| row.get(at).unwrap_or_default();
        let start = self.start(line, cell(columns.start.0))?;
        let size = self.size(line, cell(columns.size))?;
        let class = self.word(line, "class", columns.class.map(cell))?;
        let group = self.word(line, "group", columns.group.map(cell))?;
        let mut host = |word: &str| -> Result<Option<u32>, String> {
            let known = self.hosts.called(word);
            let expected = match own_host(word) {
                Some(_) => "a host of at most h1048575",
                None => "an address or a name of letters, digits, '.', '-' and '_'",
            };
            known.map_err(|()| self.text.error(line, expected, &shown(word)))
        };
        let (Some(src), Some(dst)) = (host(cell(columns.src))?, host(cell(columns.dst))?) else {
            self.out
                .drop("rows with an address that is not in the map", 1);
            return Ok(());
        };
        let flow = Flow {
            start,
            src,
            dst,
            size: Some(size),
            class,
            group,
        };
        self.flows.push((line, flow));
        Ok(())
    }

    fn start(&mut self, line: usize, cell: &str) -> Result<u128, String> {
        let wrong = |expected: &str| self.text.error(line, expected, &shown(cell));
        let (ps, fine) = if let Some(digits) = self.columns.start.1 {
            scaled(cell, digits).ok_or_else(|| wrong("a number of at least 0"))?
        } else if let Some(read) = date(cell) {
            let clock = cell.get(10..).unwrap_or_default();
            self.dates |= !clock.ends_with(['Z', 'z']) && !clock.contains(['+', '-']);
            read
        } else if let Some(read) = with_unit(cell) {
            read
        } else {
            let digits = self.since_1970.or_else(|| short_of_ps(cell));
            self.since_1970 = digits;
            let read = digits.and_then(|digits| scaled(cell, digits));
            read.ok_or_else(|| {
                wrong(
                    "a date with a time like \"2026-09-01 10:00:05\", a time with a unit like \
                     \"1.5 ms\", or a number with its unit in the header (start_us) or in --columns \
                     (start_us=NAME)",
                )
            })?
        };
        self.rounded += u64::from(fine);
        Ok(ps)
    }

    fn size(&self, line: usize, cell: &str) -> Result<u64, String> {
        if let Some(unit) = self.columns.unit {
            return unit.bytes(cell).ok_or_else(|| {
                let expected = format!(
                    "a whole number of bytes, in {} by the column's name",
                    unit.said()
                );
                self.text.error(line, &expected, &shown(cell))
            });
        }
        // A number alone is in bytes; with a unit, sizes are those of all of Sidestep.
        let bytes = match scaled(cell, 0) {
            Some((bytes, cut)) => u64::try_from(bytes).ok().filter(|_| !cut),
            None => match parse_quantity(cell, Unit::Bytes) {
                Ok(Quantity::Bytes(bytes)) => Some(bytes.0),
                _ => None,
            },
        };
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
        out.note(self.columns.read.clone());
        out.note("Sizes are read as payload, without headers");
        if let Some(unit) = self.columns.unit {
            out.note(format!(
                "Sizes are read in {}, by the column's name",
                unit.said()
            ));
        }
        let unit = |digits| match digits {
            12 => "seconds",
            9 => "milliseconds",
            6 => "microseconds",
            3 => "nanoseconds",
            _ => "picoseconds",
        };
        if let Some(digits) = self.columns.start.1 {
            let unit = unit(digits);
            out.note(format!("Starts are read in {unit}, by the column's name"));
        }
        if let Some(digits) = self.since_1970 {
            let unit = unit(digits);
            out.note(format!(
                "Starts without a unit are read as {unit} since 1970, by their number of digits"
            ));
        }
        if self.dates {
            out.note("Dates without an offset are read in UTC");
        }
        out.rounded(self.rounded, "starts");
        if !self.columns.unread.is_empty() {
            out.note(unused(&self.columns.unread));
        }
        self.hosts
            .settle(self.flows.iter_mut().map(|(_, flow)| flow), out);
        flows::write_placed(self.flows, "line", options, out)?;
        Ok(self.out)
    }
}

/// Returns a sentence with the names of the columns that are not read.
fn unused(names: &[String]) -> String {
    const MOST: usize = 100;
    let some = names[..names.len().min(MOST)].join(", ");
    match names.len().saturating_sub(MOST) {
        0 => format!("Columns not used: {some}"),
        more => format!("Columns not used: {some} and {more} more"),
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
