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
}

/// What a reader of the table must know.
pub(crate) const NOTE: &str = "Counts are those of one query on average; ÷ is the last arm over another. A \
     distance of distributions is the largest difference between the shares up to any time: 0 when they are \
     the same, 1 when they do not overlap, however near each other they lie.";

impl Beside {
    /// As text for a terminal.
    pub(super) fn to_text(&self) -> String {
        let mut out = String::new();
        for (name, says) in &self.arms {
            out.push_str(&format!("  {name}: {says}\n"));
        }
        out.push('\n');
        let mut grid = Grid::default();
        grid.row(self.agreement.head.iter().cloned());
        grid.rule();
        let mut last = "";
        for row in &self.agreement.rows {
            let mut cells = row.clone();
            if row[0] == last {
                cells[0] = String::new();
            }
            last = &row[0];
            grid.row(cells);
        }
        for line in grid.render(&[1]).lines() {
            out.push_str(&format!("  {line}\n"));
        }
        for line in wrap(NOTE, 92) {
            out.push_str(&format!("  {line}\n"));
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
