//! Distributions of flow sizes, as other tools write them.
//!
//! ```text
//! 10000 15            size and percent of flows up to it: HPCC; TrafficGenerator and ConWeave write shares
//! 6 1 0.15            size in packets or bytes, an index, share: ns-2, pFabric
//! 1744.68             mean, then sizes and shares: Homa
//! size,cdf            or a header, with commas
//! ```
//!
//! **Decision**     the values tell sizes from shares, and shares from percents: the last share is 1 or 100. Where
//!                  they do not tell, `--columns` chooses; `--packet` says that sizes are numbers of packets.
//! **Units**        sizes in bytes; shares are kept digit by digit, to 20 digits.
//! **Errors**       a size with a fraction, a size or a share that falls, a last share other than 1 or 100.

use crate::cdf_columns::{Chosen, DIGITS, ONE, Row, Table, cells, is_header, is_number, mark};
use crate::counts::counted;
use crate::limits::LARGEST_FLOW;
use crate::lines::{Text, shown};
use crate::number::{scaled, whole};
use crate::{Imported, Options, OutputKind};

/// Imports a distribution.
pub fn import(name: &str, bytes: &[u8], options: &Options) -> Result<Imported, String> {
    let text = Text::read(name, bytes)?;
    let mut out = Imported::default();
    let mut lines = text.lines().peekable();
    let Some((line, first)) = lines.peek().copied() else {
        return Err(text.error(1, "rows of a size and a share", "nothing"));
    };
    let mean = is_number(first).then_some((line, first));
    if mean.is_some() {
        lines.next();
    }
    let mark = lines.peek().and_then(|(_, line)| mark(line));
    let mut rows: Vec<Row<'_>> = lines.map(|(line, row)| (line, cells(row, mark))).collect();
    let Some((head_line, head)) = rows.first().cloned() else {
        return Err(text.error(line, "rows of a size and a share", "none"));
    };
    let named = is_header(&head);
    if named {
        rows.remove(0);
    }
    if rows.is_empty() {
        return Err(text.error(head_line, "rows of a size and a share", "none"));
    }
    let table = Table {
        text: &text,
        head: (head_line, head),
        named,
        rows,
    };
    for (line, row) in &table.rows {
        if row.len() != table.head.1.len() {
            let expected = counted(table.head.1.len() as u64, "cells, as in the first row");
            return Err(text.error(*line, &expected, &row.len().to_string()));
        }
    }
    let chosen = table.choose(options)?;
    let points = table.points(&chosen, options, &mut out)?;
    describe(&chosen, &points, mean, options, &mut out);
    let mut made = String::from("size_bytes,cumulative_probability\n");
    for (size, share) in &points {
        made.push_str(&format!("{size},{}\n", decimal(*share)));
    }
    out.read("points", points.len() as u64);
    out.keep("points", points.len() as u64);
    out.files.push((OutputKind::Sizes, made));
    Ok(out)
}

impl Table<'_> {
    /// Reads sizes in bytes and shares of [`ONE`].
    fn points(
        &self,
        chosen: &Chosen,
        options: &Options,
        out: &mut Imported,
    ) -> Result<Vec<(u64, u128)>, String> {
        let digits = if chosen.in_percent {
            DIGITS - 2
        } else {
            DIGITS
        };
        let by = options.packet.filter(|_| chosen.in_packets).unwrap_or(1);
        let unit = if chosen.in_packets {
            "packets"
        } else {
            "bytes"
        };
        let mut points: Vec<(u64, u128)> = Vec::with_capacity(self.rows.len());
        let mut rounded = 0;
        for (line, row) in &self.rows {
            let wrong = |expected: &str, got: &str| self.text.error(*line, expected, &shown(got));
            let cell = row[chosen.size];
            let size = whole(cell).and_then(|size| size.checked_mul(by));
            let size = size.filter(|size| *size <= LARGEST_FLOW);
            let size = size.ok_or_else(|| {
                wrong(
                    &format!("a whole number of {unit}, of at most {LARGEST_FLOW} bytes"),
                    cell,
                )
            })?;
            let cell = row[chosen.share];
            let (share, cut) =
                scaled(cell, digits).ok_or_else(|| wrong("a share of flows", cell))?;
            rounded += u64::from(cut);
            if share > ONE {
                let most = if chosen.in_percent { "100" } else { "1" };
                return Err(wrong(&format!("a share from 0 to {most}"), cell));
            }
            if let Some((before, up_to)) = points.last() {
                if size < *before {
                    return Err(wrong(
                        &format!("a size of at least {before} bytes, as in the row above"),
                        row[chosen.size],
                    ));
                }
                if share < *up_to {
                    return Err(wrong(
                        "a share that is not below the one in the row above",
                        cell,
                    ));
                }
            }
            points.push((size, share));
        }
        if points.last().is_none_or(|(size, _)| *size == 0) {
            return Err(self.error("a size above 0", ""));
        }
        if rounded > 0 {
            out.note(format!(
                "{} to {DIGITS} digits",
                counted(rounded, "shares were rounded")
            ));
        }
        let unread = (0..self.head.1.len()).filter(|at| ![chosen.size, chosen.share].contains(at));
        let name = |at: usize| match self.named {
            true => shown(self.head.1[at]),
            false => format!("column {}", at + 1),
        };
        let unread: Vec<String> = unread.map(name).collect();
        if !unread.is_empty() {
            out.note(format!("Columns not used: {}", unread.join(", ")));
        }
        Ok(points)
    }
}

/// Notes how columns were read, and which means the two rules of interpolation give.
fn describe(
    chosen: &Chosen,
    points: &[(u64, u128)],
    mean: Option<(usize, &str)>,
    options: &Options,
    out: &mut Imported,
) {
    out.note(format!("Columns are read {}", chosen.read));
    match options.packet {
        Some(packet) => out.note(format!(
            "Sizes are numbers of packets, of {packet} B of payload each (--packet)"
        )),
        None => out.note("Sizes are read in bytes (--packet 1460 is for sizes in packets)"),
    }
    out.note(match chosen.in_percent {
        true => "Shares are read in percent: the last one is 100",
        false => "Shares are read as fractions: the last one is 1",
    });
    let [linear, step] = means(points);
    out.note(format!(
        "The mean is {linear:.1} B with interpolation = \"linear\" (as ns-2 and HPCC draw sizes), {step:.1} B with \
         \"step\" (as Homa does)"
    ));
    let Some((_, said)) = mean else {
        return;
    };
    let by = options.packet.unwrap_or(1) as f64;
    let stated = said.trim().parse::<f64>().unwrap_or(0.0) * by;
    let near = |mean: f64| (stated - mean).abs() <= mean * 0.005;
    out.note(match (near(linear), near(step)) {
        (true, _) => format!("The first line gives the mean {said}, which is that of \"linear\""),
        (false, true) => format!("The first line gives the mean {said}, which is that of \"step\""),
        _ => format!("The first line gives the mean {said}, which is that of neither rule"),
    });
}

/// Returns the means of the linear rule and of the step rule, in bytes.
fn means(points: &[(u64, u128)]) -> [f64; 2] {
    let share = |share: u128| share as f64 / ONE as f64;
    let (first, up_to) = points[0];
    let mut means = [first as f64 * share(up_to); 2];
    for pair in points.windows(2) {
        let [(low, from), (high, to)] = [pair[0], pair[1]];
        let part = share(to - from);
        means[0] += (low as f64 + high as f64) / 2.0 * part;
        means[1] += high as f64 * part;
    }
    means
}

/// Formats a share of [`ONE`] without trailing zeros.
fn decimal(share: u128) -> String {
    let text = format!("{}.{:020}", share / ONE, share % ONE);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
