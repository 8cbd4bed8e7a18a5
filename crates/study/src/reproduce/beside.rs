//! How far the arms of an experiment agree.

use super::drawn::Sheet;
use crate::words::{Grid, wrap};

/// How far the arms agree, and what must be known of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beside {
    /// Each arm's name, and what it is.
    pub arms: Vec<(String, String)>,
    /// What was measured of the arms themselves: name and value.
    pub facts: Vec<(String, String)>,
    /// The first arm's experiment: the arms themselves are no axis that a file could have.
    pub toml: String,
    /// A row a scheme and number: each arm's, and the held one over each of the others.
    pub agreement: Sheet,
    /// What only the held arm counts, a row a scheme; without rows it is not shown.
    pub counted: Sheet,
    /// What a reader of it must know.
    pub counted_note: String,
}

/// What a reader of the table must know.
pub(crate) const NOTE: &str = "Counts are those of one query on average; ÷ is the last arm over another. A \
     distance of distributions is the largest difference between the shares up to any time: 0 when they are \
     the same, 1 when they do not overlap, however near each other they lie.";

impl Beside {
    /// Puts what only the held arm counts beside it: column names, rows, and what a reader must know.
    pub fn count(&mut self, head: Vec<String>, rows: Vec<Vec<String>>, note: String) {
        self.counted = Sheet { head, rows };
        self.counted_note = note;
    }

    /// As text for a terminal.
    pub(super) fn to_text(&self) -> String {
        let mut out = String::new();
        for (name, says) in &self.arms {
            out.push_str(&format!("  {name}: {says}\n"));
        }
        out.push('\n');
        table(&self.agreement, &[1], &mut out);
        for line in wrap(NOTE, 92) {
            out.push_str(&format!("  {line}\n"));
        }
        if !self.counted.rows.is_empty() {
            out.push('\n');
            table(&self.counted, &[], &mut out);
            for line in wrap(&self.counted_note, 92) {
                out.push_str(&format!("  {line}\n"));
            }
        }
        let mut last = "";
        for (name, value) in &self.facts {
            if name != last {
                out.push_str(&format!("\n  {name}\n"));
            }
            last = name;
            for (i, line) in wrap(value, 88).iter().enumerate() {
                let dash = if i == 0 { "- " } else { "  " };
                out.push_str(&format!("  {dash}{line}\n"));
            }
        }
        let held = self.arms.last().map_or("", |(name, _)| name);
        out.push_str(&format!("\n  claims, held against the {held}:\n"));
        out
    }
}

/// A table with a scheme's name once; `left` are further columns of words.
fn table(sheet: &Sheet, left: &[usize], out: &mut String) {
    let mut grid = Grid::default();
    grid.row(sheet.head.iter().cloned());
    grid.rule();
    let mut last = "";
    for row in &sheet.rows {
        let mut cells = row.clone();
        if row[0] == last {
            cells[0] = String::new();
        }
        last = &row[0];
        grid.row(cells);
    }
    for line in grid.render(left).lines() {
        out.push_str(&format!("  {line}\n"));
    }
}
