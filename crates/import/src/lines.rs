//! Text file as lines, with error messages that stay short.

use crate::counts::counted;
use csv::StringRecord;

/// Longest line of any format here. A longer line means that the file is something else.
const LONGEST: usize = 1 << 16;

/// Text with its name in errors.
pub struct Text<'a> {
    pub name: &'a str,
    text: &'a str,
}

impl<'a> Text<'a> {
    /// Reads the text. Refuses bytes that are not UTF-8, and lines that are too long.
    pub fn read(name: &'a str, bytes: &'a [u8]) -> Result<Text<'a>, String> {
        for (line, row) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
            if row.len() > LONGEST {
                let expected = format!("a line of at most {LONGEST} bytes");
                return Err(error(
                    name,
                    line,
                    &expected,
                    &format!("{} bytes", row.len()),
                ));
            }
        }
        let text = std::str::from_utf8(bytes).map_err(|why| {
            let before = &bytes[..why.valid_up_to()];
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            error(name, line, "text in UTF-8", "other bytes")
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Ok(Text { name, text })
    }

    /// Returns all of the text.
    pub fn all(&self) -> &'a str {
        self.text
    }

    /// Iterates over the lines with their numbers, without empty lines and comments (`#`).
    pub fn lines(&self) -> impl Iterator<Item = (usize, &'a str)> {
        let lines = (1..).zip(self.text.lines().map(str::trim));
        lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
    }

    /// Returns a CSV row of this text with its line number. Cuts error messages, which may quote the row.
    pub fn row(&self, row: csv::Result<StringRecord>) -> Result<(usize, StringRecord), String> {
        let row = row.map_err(|why| {
            let why: String = why.to_string().chars().take(120).collect();
            format!("{}: {why}", self.name)
        })?;
        // The position of a row is that of the comments and empty lines before it.
        let (line, at) = row.position().map_or((1, 0), |of| (of.line(), of.byte()));
        let rest = self.text.get(at as usize..).unwrap_or_default();
        let skipped = rest.lines().map(str::trim_start);
        let skipped = skipped.take_while(|line| line.is_empty() || line.starts_with('#'));
        Ok((line as usize + skipped.count(), row))
    }

    /// Refuses a row that ends before the last of the needed columns.
    pub fn reaches(
        &self,
        line: usize,
        row: &StringRecord,
        needed: impl IntoIterator<Item = usize>,
    ) -> Result<(), String> {
        let least = needed.into_iter().max().map_or(0, |last| last + 1);
        if row.len() >= least {
            return Ok(());
        }
        let expected = format!(
            "at least {}",
            counted(least as u64, "cells, as in the header")
        );
        Err(self.error(line, &expected, &row.len().to_string()))
    }

    /// Formats an error at a line.
    pub fn error(&self, line: usize, expected: &str, got: &str) -> String {
        error(self.name, line, expected, got)
    }
}

/// Errors of the rows of a file, summed up by cause.
#[derive(Default)]
pub struct Wrong {
    causes: Vec<Cause>,
    /// Lines that are wrong for further causes.
    more: u64,
}

/// Errors that expect the same.
struct Cause {
    /// The first of them.
    first: String,
    lines: u64,
    last: usize,
}

/// Most causes reported for one file.
const MOST_CAUSES: usize = 4;

impl Wrong {
    /// Returns the value read from `line`; keeps the error if it could not be read.
    pub fn keep<T>(&mut self, line: usize, read: Result<T, String>) -> Option<T> {
        let said = match read {
            Ok(value) => return Some(value),
            Err(said) => said,
        };
        let same = |cause: &Cause| expected(&cause.first) == expected(&said);
        match self.causes.iter().position(same) {
            Some(at) => {
                self.causes[at].lines += 1;
                self.causes[at].last = line;
            }
            None if self.causes.len() < MOST_CAUSES => self.causes.push(Cause {
                first: said,
                lines: 1,
                last: line,
            }),
            None => self.more += 1,
        }
        None
    }

    /// Refuses the file called `name` if an error was kept: one line for each cause.
    pub fn end(self, name: &str) -> Result<(), String> {
        let mut said: Vec<String> = Vec::new();
        for cause in self.causes {
            said.push(match cause.lines {
                1 => cause.first,
                lines => format!(
                    "{} (the same on {} more, the last is line {})",
                    cause.first,
                    counted(lines - 1, "lines"),
                    cause.last
                ),
            });
        }
        if self.more > 0 {
            said.push(format!(
                "{name}: {}",
                counted(self.more, "more lines are wrong")
            ));
        }
        match said.is_empty() {
            true => Ok(()),
            false => Err(said.join("\n")),
        }
    }
}

/// Returns the part of an error that says what was expected.
fn expected(said: &str) -> &str {
    let from = said.find(": expected ").unwrap_or(0);
    let end = said.rfind(", got ").filter(|end| *end > from);
    &said[from..end.unwrap_or(said.len())]
}

/// Marks that separate the cells of a line.
pub const SEPARATORS: [u8; 4] = [b',', b'|', b'\t', b';'];

/// Returns the separator that is most frequent in a line, the first in [`SEPARATORS`] of equal ones.
pub fn separator(line: &str) -> Option<u8> {
    let many = |mark: u8| line.bytes().filter(|byte| *byte == mark).count();
    let most = SEPARATORS.into_iter().rev().max_by_key(|mark| many(*mark));
    most.filter(|mark| many(*mark) > 0)
}

/// Formats an error: `file:line: expected …, got …`.
pub fn error(name: &str, line: usize, expected: &str, got: &str) -> String {
    format!("{name}:{line}: expected {expected}, got {got}")
}

/// Quotes a word of the file, cut if it is long, with control characters escaped for terminals.
pub fn shown(word: &str) -> String {
    const MOST: usize = 40;
    match word.char_indices().nth(MOST) {
        Some((end, _)) => format!("{:?}… ({} bytes)", &word[..end], word.len()),
        None => format!("{word:?}"),
    }
}
