//! Shape of a file of flow records: its header and its separator.

use crate::collectors::{Collector, Column, FLOWS, VPC, of_side};
use crate::lines::{Text, separator, shown};

/// Header of a file of flow records.
pub struct Header {
    /// Line of the header; 0 if the file has none.
    pub line: usize,
    pub names: Vec<String>,
    pub separator: u8,
    pub collector: &'static Collector,
}

fn split(line: &str, separator: u8) -> Vec<String> {
    let cells = line.split(char::from(separator));
    let cells = cells.map(|cell| cell.trim().trim_matches('"').to_string());
    cells.collect()
}

/// Returns the names that a Zeek log declares: `#fields`, a tab, names.
fn fields(line: &str) -> Option<Vec<String>> {
    let rest = line.strip_prefix("#fields")?;
    let separator = rest.chars().next().filter(|mark| !mark.is_alphanumeric())?;
    Some(rest.split(separator).skip(1).map(String::from).collect())
}

/// Returns true for a row of a VPC flow log in its default format.
fn is_vpc(line: &str) -> bool {
    let cells: Vec<&str> = line.split(' ').collect();
    let status = ["OK", "NODATA", "SKIPDATA"];
    cells.len() == VPC.split(' ').count()
        && cells[0].bytes().all(|b| b.is_ascii_digit())
        && status.contains(&cells[cells.len() - 1])
}

impl Header {
    /// Finds the header in the lines of a file.
    fn find<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Option<Header> {
        for (line, row) in lines {
            if let Some(names) = fields(row) {
                let collector = Collector::of(names.iter().map(String::as_str)).unwrap_or(&FLOWS);
                let separator = b'\t';
                return Some(Header {
                    line,
                    names,
                    separator,
                    collector,
                });
            }
            if row.is_empty() || row.starts_with('#') {
                continue;
            }
            let (line, row) = if is_vpc(row) { (0, VPC) } else { (line, row) };
            let separator = separator(row).unwrap_or(b' ');
            let names = split(row, separator);
            let collector = Collector::of(names.iter().map(String::as_str)).unwrap_or(&FLOWS);
            return Some(Header {
                line,
                names,
                separator,
                collector,
            });
        }
        None
    }

    /// Reads the header of a text.
    pub fn of(text: &Text<'_>) -> Result<Header, String> {
        if let Some(said) = json(text.all()) {
            return Err(text.error(1, "flow records as CSV", &said));
        }
        let lines = || (1..).zip(text.all().lines().map(str::trim));
        let header = Header::find(lines());
        let header =
            header.ok_or_else(|| text.error(1, "a header with the names of columns", "nothing"))?;
        // Logs that were joined may have other columns further down.
        let other =
            lines().find(|(_, line)| fields(line).is_some_and(|names| names != header.names));
        match other {
            Some((line, got)) if header.separator == b'\t' => {
                let expected = format!("the columns of line {} again", header.line);
                Err(text.error(line, &expected, &shown(got)))
            }
            _ => Ok(header),
        }
    }
}

/// Returns true if a text begins with flow records of a collector with names of its own.
pub fn is_collector(start: &str) -> bool {
    if json(start).is_some() {
        return true;
    }
    let lines = (1..).zip(start.lines().map(str::trim));
    let signed = |header: &Header| Collector::of(header.names.iter().map(String::as_str)).is_some();
    Header::find(lines).as_ref().is_some_and(signed)
}

/// Returns the name of a column by which a list of flows says that packets were sampled.
pub fn sampled(bytes: &[u8]) -> Option<String> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(1 << 16)]);
    let lines = (1..).zip(start.lines().map(str::trim));
    let names = Header::find(lines)?.names;
    let sampling = |name: &String| {
        let column = FLOWS.column(name).map(|(column, _)| column);
        matches!(
            column,
            Some(Column::Rate | Column::RateSpace | Column::OtherRate)
        )
    };
    names.into_iter().find(sampling)
}

/// Returns true if a line names the columns that any flow record needs.
pub fn is_header(line: &str) -> bool {
    let names = split(line, separator(line).unwrap_or(b' '));
    let known = |name: &String| FLOWS.column(name).map(|(column, _)| column);
    let columns = names
        .iter()
        .filter_map(|name| known(name).or_else(|| of_side(name)));
    let columns: Vec<Column> = columns.collect();
    let has = |wanted: fn(&Column) -> bool| columns.iter().any(wanted);
    has(|c| matches!(c, Column::Start(_)))
        && has(|c| *c == Column::Src)
        && has(|c| *c == Column::Dst)
        && has(|c| *c == Column::Bytes)
}

/// Says what to do with flow records in JSON, if a text begins with them.
fn json(text: &str) -> Option<String> {
    let text = text.trim_start();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let start: String = text.chars().take(4096).collect();
    let has = |name: &&str| {
        start.contains(&format!("\"{name}\":")) || start.contains(&format!("\"{name}\" :"))
    };
    let key = |of: &Collector, wanted: fn(Column) -> bool| {
        of.names(wanted).into_iter().find(|name| has(name))
    };
    let keys = |of: &Collector| {
        let wanted: [fn(Column) -> bool; 4] = [
            |c| matches!(c, Column::Start(_)),
            |c| c == Column::Src,
            |c| c == Column::Dst,
            |c| matches!(c, Column::Bytes | Column::Payload),
        ];
        let needed: Option<Vec<&str>> = wanted.iter().map(|wanted| key(of, *wanted)).collect();
        let more: [fn(Column) -> bool; 5] = [
            |c| c == Column::Packets,
            |c| c == Column::Protocol,
            |c| c == Column::DstPort,
            |c| c == Column::BackPayload,
            |c| c == Column::Rate,
        ];
        let mut keys = needed?;
        keys.extend(more.iter().filter_map(|wanted| key(of, *wanted)));
        Some(keys)
    };
    let keys = Collector::all().find_map(keys)?;
    let list: Vec<String> = keys.iter().map(|key| format!(".\"{key}\"")).collect();
    Some(format!(
        "JSON: make a CSV with the header {} and the rows of jq -r '[{}] | @csv'",
        keys.join(","),
        list.join(",")
    ))
}
