//! Columns of a distribution of flow sizes: which are sizes and shares, and in which unit.
//!
//! **Decision**     by hand, by the names of a header, or by values: shares rise to 1 or 100.

use crate::Options;
use crate::counts::counted;
use crate::lines::{Text, shown};
use crate::names::{between, plain};
use crate::number::scaled;
use crate::units;
use csv::StringRecord;

/// Digits of a share after the point.
pub const DIGITS: u32 = 20;
pub const ONE: u128 = 10u128.pow(DIGITS);

/// Meaning of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Bytes,
    Packets,
    Share,
    Percent,
    Skipped,
}

/// Words of `--columns`.
const FIELDS: [(&str, Field); 5] = [
    ("bytes", Field::Bytes),
    ("packets", Field::Packets),
    ("share", Field::Share),
    ("percent", Field::Percent),
    ("-", Field::Skipped),
];

const SIZES: &[&str] = &[
    "size",
    "sizes",
    "bytes",
    "sizebytes",
    "flowsize",
    "flowsizebytes",
    "messagesize",
    "msgsize",
];

const SHARES: &[&str] = &[
    "cdf",
    "share",
    "probability",
    "cumulativeprobability",
    "cumulative",
    "cumulativefraction",
    "fraction",
    "percent",
    "percentage",
    "percentile",
];

/// Line with its number, in cells.
pub type Row<'a> = (usize, Vec<&'a str>);

/// Splits a line at commas, semicolons or tabs, or else at blanks.
pub fn cells(line: &str, mark: Option<char>) -> Vec<&str> {
    match mark {
        Some(mark) => line.split(mark).map(unquoted).collect(),
        None => line.split_whitespace().map(unquoted).collect(),
    }
}

fn unquoted(cell: &str) -> &str {
    cell.trim().trim_matches('"').trim()
}

pub fn mark(line: &str) -> Option<char> {
    let mark = char::from(between(line));
    line.contains(mark).then_some(mark)
}

pub fn is_number(cell: &str) -> bool {
    scaled(cell, 0).is_some()
}

/// Returns true for names of columns: a row with a number is one of values.
pub fn is_header(row: &[&str]) -> bool {
    let said = row.iter().any(|cell| !cell.is_empty());
    said && !row.iter().any(|cell| is_number(cell))
}

/// Returns true if the lines, the beginning of a file, are a distribution.
pub fn is_one<'l>(lines: impl Iterator<Item = &'l str>) -> bool {
    let lines: Vec<&str> = lines.collect();
    // A mean alone in the first line.
    let body = match lines.first() {
        Some(first) if is_number(first) => &lines[1..],
        _ => &lines[..],
    };
    let Some(first) = body.first() else {
        return false;
    };
    let mark = mark(first);
    let rows: Vec<Vec<&str>> = body.iter().map(|line| cells(line, mark)).collect();
    let named = is_header(&rows[0]);
    let many = rows[0].len();
    let rest = &rows[usize::from(named)..];
    let numeric = |row: &Vec<&str>| row.len() == many && row.iter().all(|cell| is_number(cell));
    if rest.len() < 2 || !rest.iter().all(numeric) {
        return false;
    }
    if named {
        let names: Vec<String> = rows[0].iter().map(|cell| plain(cell)).collect();
        return many <= 4 && names.iter().any(|name| SHARES.contains(&name.as_str()));
    }
    let rises = |at: usize| {
        let all: Vec<u128> = rest
            .iter()
            .filter_map(|row| Some(scaled(row[at], 6)?.0))
            .collect();
        let last = all.last().copied().unwrap_or(0);
        let shares = rest.iter().any(|row| row[at].contains('.'))
            || [1_000_000, 100_000_000].contains(&last);
        shares && last <= 100_000_000 && all.is_sorted()
    };
    // Shares that end below 100, which the importer refuses by their end.
    let falls_short = || {
        let column = |at: usize| -> Option<Vec<u128>> {
            rest.iter().map(|row| Some(scaled(row[at], 6)?.0)).collect()
        };
        let (sizes, shares) = (column(0), column(1));
        let sizes = sizes.is_some_and(|all| all.is_sorted());
        sizes && shares.is_some_and(|all| all.is_sorted() && all.last() < Some(&100_000_000))
    };
    match many {
        2 => rises(1) || rises(0) || falls_short(),
        3 => rises(2),
        _ => false,
    }
}

pub struct Table<'a> {
    pub text: &'a Text<'a>,
    /// First row: names of columns, or values.
    pub head: Row<'a>,
    pub named: bool,
    /// Rows of values; never empty.
    pub rows: Vec<Row<'a>>,
}

/// Columns of a distribution.
pub struct Chosen {
    pub size: usize,
    pub share: usize,
    pub in_packets: bool,
    pub in_percent: bool,
    /// Sentence about the columns.
    pub read: String,
}

impl Table<'_> {
    pub fn error(&self, expected: &str, got: &str) -> String {
        let (line, row) = &self.head;
        self.text
            .error(*line, expected, &format!("{}{got}", shown(&row.join(" "))))
    }

    /// Returns the columns that `--columns` names, or those that names or values tell.
    pub fn choose(&self, options: &Options) -> Result<Chosen, String> {
        let by_hand = match &options.columns {
            None => None,
            Some(columns) => Some(self.by_hand(columns)?),
        };
        let (size, share, in_packets, why) = match &by_hand {
            Some((fields, why)) => {
                let at = |wanted: &[Field]| fields.iter().position(|field| wanted.contains(field));
                let size = at(&[Field::Bytes, Field::Packets]);
                let share = at(&[Field::Share, Field::Percent]);
                let (Some(size), Some(share)) = (size, share) else {
                    let expected = "--columns: expected one of bytes and packets, and one of share and percent";
                    return Err(format!("{expected}, got {}", shown(why)));
                };
                (
                    size,
                    share,
                    fields[size] == Field::Packets,
                    "as --columns says".to_string(),
                )
            }
            None if self.named => self.by_names(options)?,
            None => self.by_values(options)?,
        };
        if in_packets && options.packet.is_none() {
            return Err(self.error(
                "--packet with sizes in packets, the payload of one like 1460",
                "",
            ));
        }
        if !in_packets && options.packet.is_some() {
            return Err("--packet: expected packets in --columns, got bytes".into());
        }
        let in_percent = self.in_percent(share)?;
        let said = by_hand.map(|(fields, _)| fields[share]);
        let contrary = match said {
            Some(Field::Percent) => !in_percent,
            Some(Field::Share) => in_percent,
            _ => false,
        };
        if contrary {
            let ends = if in_percent { "100" } else { "1" };
            return Err(format!(
                "--columns: expected percents that end at 100, or shares that end at 1, got {ends}"
            ));
        }
        Ok(Chosen {
            size,
            share,
            in_packets,
            in_percent,
            read: why,
        })
    }

    fn by_hand(&self, columns: &crate::Columns) -> Result<(Vec<Field>, String), String> {
        if !self.named {
            let places = columns.placed(&FIELDS.map(|(word, _)| word))?;
            if places.len() != self.head.1.len() {
                let expected = counted(self.head.1.len() as u64, "fields, one for each column");
                return Err(format!(
                    "--columns: expected {expected}, got {}",
                    places.len()
                ));
            }
            return Ok((
                places.into_iter().map(|at| FIELDS[at].1).collect(),
                columns.said(),
            ));
        }
        let header = StringRecord::from(self.head.1.clone());
        for (_, name) in columns.pairs()?.iter().filter(|(word, _)| *word == "bytes") {
            let unit = units::of(name).map_err(|why| format!("--columns: {why}"))?;
            if let Some(unit) = unit.filter(|unit| !unit.is_byte()) {
                return Err(format!(
                    "--columns: expected a column of sizes in bytes, got {} in {}: write them in bytes",
                    shown(name),
                    unit.said()
                ));
            }
        }
        let words = FIELDS.map(|(word, _)| (word, word));
        let renamed = columns.renamed(&header, &words[..4], |_| None::<()>)?;
        let named: Vec<&str> = columns.pairs()?.into_iter().map(|(_, name)| name).collect();
        let fields = renamed.iter().zip(&header).map(|(word, name)| {
            let by_hand = named.iter().any(|given| given.eq_ignore_ascii_case(name));
            let known = FIELDS.iter().find(|(known, _)| by_hand && *known == word);
            known.map_or(Field::Skipped, |(_, field)| *field)
        });
        Ok((fields.collect(), columns.said()))
    }

    fn by_names(&self, options: &Options) -> Result<(usize, usize, bool, String), String> {
        let names: Vec<String> = self.head.1.iter().map(|cell| plain(cell)).collect();
        let all = |of: &[&str]| -> Vec<usize> {
            (0..names.len())
                .filter(|at| of.contains(&names[*at].as_str()))
                .collect()
        };
        let (sizes, packets, shares) = (all(SIZES), all(&["packets", "pkts"]), all(SHARES));
        let [size] = [sizes, packets.clone()].concat()[..] else {
            return Err(self.error(
                "one column of sizes",
                " (--columns bytes=NAME,share=NAME names columns)",
            ));
        };
        let [share] = shares[..] else {
            return Err(self.error(
                "one column of shares",
                " (--columns bytes=NAME,share=NAME names columns)",
            ));
        };
        let in_packets = !packets.is_empty() || options.packet.is_some();
        if packets.is_empty() && options.packet.is_some() && names[size].contains("bytes") {
            return Err(format!(
                "--packet: expected a column of packets, got {}: leave out --packet, or name the column \
                 with --columns packets=NAME,share=NAME",
                shown(self.head.1[size])
            ));
        }
        let name = |at: usize| shown(self.head.1[at]);
        let why = format!("by name: sizes are {}, shares {}", name(size), name(share));
        Ok((size, share, in_packets, why))
    }

    /// Returns the only columns that the values fit.
    fn by_values(&self, options: &Options) -> Result<(usize, usize, bool, String), String> {
        let many = self.head.1.len();
        let choice = match many {
            2 => match (self.rises(1), self.rises(0)) {
                (true, true) => {
                    let got = ", in which both columns rise to 1 or 100: choose with --columns bytes,share or \
                               share,bytes";
                    return Err(self.error("one column of shares", got));
                }
                (false, true) => (1, 0),
                _ => (0, 1),
            },
            3 => (0, 2),
            _ => {
                return Err(self.error(
                    "two or three columns: size, share; or size, index, share",
                    "",
                ));
            }
        };
        let (size, share) = choice;
        let mut whole: Vec<u128> = self
            .rows
            .iter()
            .filter_map(|(_, row)| Some(scaled(row[size], 0)?.0))
            .collect();
        whole.retain(|size| *size > 0);
        whole.dedup();
        // 1, 2, 3 bytes are no flows; 6, 13, 19 begins the web search of DCTCP in packets.
        let in_packets = [[1, 2, 3], [6, 13, 19]];
        let look_like_packets = in_packets.iter().any(|start| whole.starts_with(start));
        if options.packet.is_none() && (many == 3 || look_like_packets) {
            let order = match (many, share) {
                (3, _) => "bytes,-,share",
                (_, 0) => "share,bytes",
                _ => "bytes,share",
            };
            let got = format!(
                ", sizes that can be packets or bytes: choose with --packet 1460 (the payload of one) or --columns {order}"
            );
            return Err(self.error("sizes in one unit", &got));
        }
        let why = format!(
            "by value: sizes are column {}, shares column {}, which rises to 1 or 100",
            size + 1,
            share + 1
        );
        Ok((size, share, options.packet.is_some(), why))
    }

    /// Returns true if the numbers of a column rise to 1 or 100.
    fn rises(&self, at: usize) -> bool {
        let all: Vec<u128> = self
            .rows
            .iter()
            .filter_map(|(_, row)| Some(scaled(row[at], DIGITS)?.0))
            .collect();
        let last = all.last().copied().unwrap_or(0);
        all.len() == self.rows.len() && all.is_sorted() && [ONE, 100 * ONE].contains(&last)
    }

    /// Returns true if the last share is 100, and false if it is 1.
    fn in_percent(&self, share: usize) -> Result<bool, String> {
        let values: Option<Vec<u128>> = self
            .rows
            .iter()
            .map(|(_, row)| Some(scaled(row[share], DIGITS)?.0))
            .collect();
        let (line, row) = &self.rows[self.rows.len() - 1];
        match scaled(row[share], DIGITS) {
            Some((ONE, _)) => Ok(false),
            Some((last, _)) if last == 100 * ONE => Ok(true),
            _ => {
                let sum = values.and_then(|all| all.into_iter().try_fold(0u128, u128::checked_add));
                let each = sum.is_some_and(|sum| {
                    [1, 100]
                        .iter()
                        .any(|whole| sum.abs_diff(whole * ONE) < ONE / 1_000)
                });
                let advice = if each {
                    " (the shares add up to 1 or 100: give for each size the sum up to it)"
                } else {
                    ""
                };
                Err(format!(
                    "{}:{line}: the shares end at {}: expected 1 or 100{advice}",
                    self.text.name,
                    shown(row[share]).trim_matches('"')
                ))
            }
        }
    }
}
