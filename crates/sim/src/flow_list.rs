//! Flow list: a user's own flows, read from comma-separated text.
//!
//! ```text
//! # every cell carries its unit …
//! start,src,dst,size,class
//! 1.5 ms,0,3,20 kB,web
//! 2 ms,h1,h3,endless,backup
//!
//! # … or the header names it once
//! start_us,src,dst,size_bytes
//! 1500,0,3,20000
//! ```
//!
//! **Decision**     columns in any order. A plain number without a unit in the header is refused:
//!                  seconds cannot be told from microseconds afterwards. `class` is optional and
//!                  any word; flows of one word are counted together. `mss` is optional; an empty
//!                  cell leaves it to the transport. `group` is optional and any word: the flows of one
//!                  word complete together, as a burst does.
//! **Units**        `start` ("1.5 ms") or `start_s`, `start_ms`, `start_us`, `start_ns`, `start_ps`;
//!                  `size` ("20 kB") or `size_bytes`; either may say `endless`; `mss`
//!                  ("1460 B") or `mss_bytes`, payload. Hosts are numbers
//!                  from 0, with or without an `h`. All exact: nothing is rounded.
//! **Errors**       `file:line: expected …, got …` for an unknown, missing or repeated column, a
//!                  host out of range, a flow to itself, no bytes, a time or size out of
//!                  range, a flow of a group that never ends. No text causes a panic.

use crate::plan::FlowPlan;
use crate::table::{Row, RowErrors, Table};
use crate::topology::fat_tree::smallest;
use sidestep_transport::LONGEST_SEGMENT;
use sidestep_types::{HostId, Quantity, Time, Unit, parse_quantity};
use std::collections::BTreeSet;
use std::num::NonZeroU16;

/// Line of a flow list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFlow {
    /// Time at which the application hands the flow over.
    pub start: Time,
    /// Sending host.
    pub src: HostId,
    /// Receiving host; never `src`.
    pub dst: HostId,
    /// Payload bytes, at least 1; [`FlowPlan::ENDLESS`] for a flow that never ends.
    pub size: u64,
    /// Payload bytes of a full segment in its `mss` column; `None` without such a column or in an empty cell.
    pub mss: Option<NonZeroU16>,
    /// The word in its `class` column; `None` without such a column or in an empty cell.
    pub class: Option<String>,
    /// The word in its `group` column; `None` without such a column, in an empty cell, and for a flow that
    /// never ends.
    pub group: Option<String>,
}

const HEADER: &str = "start,src,dst,size";

const COLUMNS: &str = "start (or start_s, start_ms, start_us, start_ns, start_ps), src, dst, size \
                       (or size_bytes), and optionally mss (or mss_bytes), class and group";

/// Parses `text` as flows between `hosts` hosts; errors call it `name`.
pub fn parse(name: &str, text: &str, hosts: u32) -> Result<Vec<ListedFlow>, String> {
    let table = Table::read(name, text, HEADER)?;
    let columns = Columns::of(&table)?;
    if table.is_empty() {
        return Err(format!(
            "{name}: expected at least one flow below the header, got none"
        ));
    }
    // A list for a larger network is one mistake, not one in each of its lines.
    let beyond = Beyond::of(&table, &columns, hosts);
    let known = beyond
        .as_ref()
        .map_or(hosts, |beyond| beyond.largest.saturating_add(1));
    let flows = table.each(|row| columns.flow(&table, row, known));
    let Some(beyond) = beyond else {
        return flows;
    };
    let said = beyond.said(name, hosts);
    Err(match flows {
        Ok(_) => said,
        Err(others) => format!("{said}\n{others}"),
    })
}

/// Hosts of a list that the network does not have, on at least two lines.
struct Beyond<'a> {
    hosts: BTreeSet<u32>,
    largest: u32,
    lines: usize,
    /// Line and word of the first.
    first: (usize, &'a str),
}

/// Most hosts of a network.
const MOST_HOSTS: u32 = 1 << 20;

impl<'a> Beyond<'a> {
    fn of(table: &'a Table<'_>, columns: &Columns, hosts: u32) -> Option<Beyond<'a>> {
        let mut beyond: Option<Beyond<'a>> = None;
        for row in &table.rows {
            let words = [columns.src, columns.dst].map(|column| row.cell(column));
            let others = words.map(|word| number(word).filter(|number| *number >= hosts));
            let each = || {
                words
                    .into_iter()
                    .zip(others)
                    .filter_map(|(w, n)| Some((w, n?)))
            };
            let Some((word, _)) = each().next() else {
                continue;
            };
            let beyond = beyond.get_or_insert_with(|| Beyond {
                hosts: BTreeSet::new(),
                largest: 0,
                lines: 0,
                first: (row.line, word),
            });
            beyond.lines += 1;
            for (_, number) in each() {
                beyond.largest = beyond.largest.max(number);
                beyond.hosts.insert(number);
            }
        }
        beyond.filter(|beyond| beyond.lines > 1 && hosts > 0)
    }

    /// Returns one sentence, with the setting to change.
    fn said(&self, name: &str, hosts: u32) -> String {
        let Beyond {
            largest,
            lines,
            first: (line, word),
            ..
        } = self;
        let many = match self.hosts.len() {
            1 => "1 host".to_string(),
            others => format!("{others} hosts"),
        };
        let todo = match *largest < MOST_HOSTS {
            true => format!(
                "expected a network of {} hosts in [topology], like kind = \"fat_tree\" with k = {}",
                largest + 1,
                smallest(*largest + 1)
            ),
            false => {
                "expected hosts numbered from 0; `sidestep import` numbers addresses and names"
                    .to_string()
            }
        };
        let last = match hosts {
            1 => "1 host, h0".to_string(),
            hosts => format!("{hosts} hosts, h0 to h{}", hosts - 1),
        };
        format!(
            "{name}:{line}: the list names {many} that the network does not have, from {word:?} \
             here up to h{largest}, on {lines} lines: {todo}, got {last}"
        )
    }
}

/// Columns of a flow list: their places, and units named in the header.
struct Columns {
    start: (usize, Option<&'static str>),
    src: usize,
    dst: usize,
    size: (usize, Option<&'static str>),
    mss: Option<(usize, Option<&'static str>)>,
    class: Option<usize>,
    group: Option<usize>,
}

impl Columns {
    fn of(table: &Table<'_>) -> Result<Columns, String> {
        let (mut start, mut src, mut dst, mut size) = (None, None, None, None);
        let (mut mss, mut class, mut group) = (None, None, None);
        for (i, word) in table.columns.iter().enumerate() {
            let twice = match word.as_str() {
                "start" => start.replace((i, None)).is_some(),
                "start_s" => start.replace((i, Some("s"))).is_some(),
                "start_ms" => start.replace((i, Some("ms"))).is_some(),
                "start_us" => start.replace((i, Some("us"))).is_some(),
                "start_ns" => start.replace((i, Some("ns"))).is_some(),
                "start_ps" => start.replace((i, Some("ps"))).is_some(),
                "src" => src.replace(i).is_some(),
                "dst" => dst.replace(i).is_some(),
                "size" => size.replace((i, None)).is_some(),
                "size_bytes" => size.replace((i, Some("B"))).is_some(),
                "mss" => mss.replace((i, None)).is_some(),
                "mss_bytes" => mss.replace((i, Some("B"))).is_some(),
                "class" => class.replace(i).is_some(),
                "group" => group.replace(i).is_some(),
                _ => {
                    let expected = format!("the columns {COLUMNS}; `sidestep import` reads others");
                    return Err(table.error(table.header, &expected, &format!("{word:?}")));
                }
            };
            if twice {
                let got = format!("{word:?} as well");
                return Err(table.error(table.header, "each column once", &got));
            }
        }
        let missing = |word: &str| {
            let got = format!("{:?}", table.columns.join(","));
            table.error(table.header, &format!("a column {word:?}"), &got)
        };
        Ok(Columns {
            start: start.ok_or_else(|| missing("start"))?,
            src: src.ok_or_else(|| missing("src"))?,
            dst: dst.ok_or_else(|| missing("dst"))?,
            size: size.ok_or_else(|| missing("size"))?,
            mss,
            class,
            group,
        })
    }

    fn flow(&self, table: &Table<'_>, row: &Row, hosts: u32) -> Result<ListedFlow, String> {
        let mut wrong = RowErrors::default();
        let start = wrong.keep(start(table, row, self.start));
        let src = wrong.keep(host(table, row, self.src, hosts));
        let dst = wrong.keep(host(table, row, self.dst, hosts));
        if let (Some(src), true) = (src, src == dst) {
            let got = format!("host {} as both", src.0);
            wrong.keep::<()>(Err(table.error(row.line, "two different hosts", &got)));
        }
        let size = wrong.keep(size(table, row, self.size));
        let mss = match self.mss.filter(|column| !row.cell(column.0).is_empty()) {
            None => Some(None),
            Some(column) => wrong.keep(mss(table, row, column)),
        };
        let class = wrong.keep(word(table, row, self.class));
        let group = wrong.keep(word(table, row, self.group));
        if let (Some(Some(group)), Some(FlowPlan::ENDLESS)) = (&group, size) {
            let got = format!("one in {group:?}");
            wrong.keep::<()>(Err(table.error(
                row.line,
                "no endless flow in a group",
                &got,
            )));
        }
        let flow = || {
            Some(ListedFlow {
                start: start?,
                src: src?,
                dst: dst?,
                size: size?,
                mss: mss?,
                class: class?,
                group: group?,
            })
        };
        wrong.or(flow())
    }
}

/// Most characters of a class or a group: it heads rows and plots.
const LONGEST_WORD: usize = 64;

/// Returns the word in a column that may be missing or empty.
fn word(table: &Table<'_>, row: &Row, column: Option<usize>) -> Result<Option<String>, String> {
    let Some(column) = column.filter(|column| !row.cell(*column).is_empty()) else {
        return Ok(None);
    };
    let cell = row.cell(column);
    let length = cell.chars().count();
    if length > LONGEST_WORD || cell.chars().any(char::is_control) {
        let what = &table.columns[column];
        let expected = format!("a {what} of at most {LONGEST_WORD} characters, all printable");
        let got = match length > LONGEST_WORD {
            true => format!("{length} characters"),
            false => format!("{cell:?}"),
        };
        return Err(table.error(row.line, &expected, &got));
    }
    Ok(Some(cell.to_string()))
}

/// Returns the number in `3` or `h3`.
fn number(word: &str) -> Option<u32> {
    let digits = word.strip_prefix('h').unwrap_or(word);
    let plain = digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|_| plain)
}

fn host(table: &Table<'_>, row: &Row, column: usize, hosts: u32) -> Result<HostId, String> {
    let word = row.cell(column);
    let found = number(word).filter(|number| *number < hosts);
    found.map(HostId).ok_or_else(|| {
        let expected = match hosts {
            0 => "a network with hosts".to_string(),
            // An address or a name; a number that is too large belongs to a larger network.
            _ if word.contains(|c: char| "._-:".contains(c)) => format!(
                "a host from 0 to {}; `sidestep import` numbers addresses and names",
                hosts - 1
            ),
            _ => format!("a host from 0 to {}", hosts - 1),
        };
        table.error(row.line, &expected, &format!("{word:?}"))
    })
}

fn start(table: &Table<'_>, row: &Row, column: (usize, Option<&str>)) -> Result<Time, String> {
    match quantity(table, row, column, Unit::Time)? {
        Quantity::Time(time) => Ok(time),
        other => unreachable!("a time was read as {other:?}"),
    }
}

fn size(table: &Table<'_>, row: &Row, column: (usize, Option<&str>)) -> Result<u64, String> {
    if row.cell(column.0) == "endless" {
        return Ok(FlowPlan::ENDLESS);
    }
    match quantity(table, row, column, Unit::Bytes)? {
        Quantity::Bytes(b) if (1..=FlowPlan::LARGEST).contains(&b.0) => Ok(b.0),
        Quantity::Bytes(b) => {
            let expected = format!("a size from 1 B to {} B, or \"endless\"", FlowPlan::LARGEST);
            Err(table.error(row.line, &expected, &format!("{} B", b.0)))
        }
        other => unreachable!("a size was read as {other:?}"),
    }
}

fn mss(
    table: &Table<'_>,
    row: &Row,
    column: (usize, Option<&str>),
) -> Result<Option<NonZeroU16>, String> {
    match quantity(table, row, column, Unit::Bytes)? {
        Quantity::Bytes(b) if (1..=LONGEST_SEGMENT).contains(&b.0) => {
            Ok(NonZeroU16::new(b.0 as u16))
        }
        Quantity::Bytes(b) => {
            let expected = format!("an mss from 1 B to {LONGEST_SEGMENT} B");
            Err(table.error(row.line, &expected, &format!("{} B", b.0)))
        }
        other => unreachable!("a size was read as {other:?}"),
    }
}

/// Parses the cell's number, with the header's unit if it names one.
fn quantity(
    table: &Table<'_>,
    row: &Row,
    (column, unit): (usize, Option<&str>),
    kind: Unit,
) -> Result<Quantity, String> {
    let cell = row.cell(column);
    let read = match unit {
        None => parse_quantity(cell, kind),
        Some(_) if cell.contains(|c: char| !c.is_ascii_digit() && !"._".contains(c)) => {
            let expected = format!("a plain number ({} names the unit)", table.columns[column]);
            return Err(table.error(row.line, &expected, &format!("{cell:?}")));
        }
        Some(unit) => parse_quantity(&format!("{cell} {unit}"), kind),
    };
    read.map_err(|why| {
        let word = &table.columns[column];
        let expected = match (unit, kind) {
            (None, Unit::Time) => format!("{}, or a header {word}_us", why.expected),
            (None, _) => format!("{}, or a header {word}_bytes", why.expected),
            (Some(_), Unit::Time) if why.got.ends_with("too large") => format!(
                "{} after the start of the run; `sidestep import` shifts the first flow to 0",
                why.expected
            ),
            _ => why.expected.to_string(),
        };
        table.error(row.line, &expected, &why.got)
    })
}

#[cfg(test)]
mod tests;
