//! A text file line by line, with messages that stay short.

use csv::StringRecord;

/// No line of a format here is longer; one that is says that the file is something else.
const LONGEST: usize = 1 << 16;

/// A text and what errors call it.
pub struct Text<'a> {
    pub name: &'a str,
    text: &'a str,
}

impl<'a> Text<'a> {
    /// Refuses what is no UTF-8, and lines that no such file has.
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

    /// All of it.
    pub fn all(&self) -> &'a str {
        self.text
    }

    /// Each line that says something, with its number; comments begin with `#`.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &'a str)> {
        let lines = (1..).zip(self.text.lines().map(str::trim));
        lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
    }

    /// A row of this text as CSV, with its line; a message that may quote the row is cut.
    pub fn row(&self, row: csv::Result<StringRecord>) -> Result<(usize, StringRecord), String> {
        let row = row.map_err(|why| {
            let why: String = why.to_string().chars().take(120).collect();
            format!("{}: {why}", self.name)
        })?;
        Ok((row.position().map_or(1, csv::Position::line) as usize, row))
    }

    /// Refuses a row that ends before the last of the columns that it needs.
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
        let expected = format!("at least {least} cells, by the header");
        Err(self.error(line, &expected, &row.len().to_string()))
    }

    /// What is wrong where.
    pub fn error(&self, line: usize, expected: &str, got: &str) -> String {
        error(self.name, line, expected, got)
    }
}

/// `file:line: expected …, got …`.
pub fn error(name: &str, line: usize, expected: &str, got: &str) -> String {
    format!("{name}:{line}: expected {expected}, got {got}")
}

/// A word of the file in quotes, cut where it is long, without anything that a terminal obeys.
pub fn shown(word: &str) -> String {
    const MOST: usize = 40;
    match word.char_indices().nth(MOST) {
        Some((end, _)) => format!("{:?}… ({} bytes)", &word[..end], word.len()),
        None => format!("{word:?}"),
    }
}
