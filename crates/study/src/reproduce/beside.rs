//! Agreement between the arms of an experiment.

use super::drawn::Sheet;
use crate::format::{Grid, wrap};

/// Agreement between the arms, and facts about them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArmAgreement {
    /// Name and description of each arm.
    pub arms: Vec<(String, String)>,
    /// Measurements of the arms themselves: name and value.
    pub facts: Vec<(String, String)>,
    /// Experiment of the first arm: the axis of arms cannot be written in a file.
    pub toml: String,
    /// Table with one row a scheme and metric: the number of each arm, and the last arm's over each of the
    /// others.
    pub agreement: Sheet,
    /// Counts that only the last arm has, one row a scheme; not shown without rows.
    pub counted: Sheet,
    /// Note on these counts.
    pub counted_note: String,
}

/// Note on the table of agreement.
pub(crate) const NOTE: &str = "Counts are averages per query; ÷ is the last arm over another. The \
                               distance of two distributions is the largest difference of their \
                               CDFs: 0 if they are equal, 1 if they do not overlap.";

impl ArmAgreement {
    /// Adds counts that only the last arm has: column names, rows, and a note.
    pub fn count(&mut self, head: Vec<String>, rows: Vec<Vec<String>>, note: String) {
        self.counted = Sheet { head, rows };
        self.counted_note = note;
    }

    /// Formats the agreement as text for a terminal.
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
        out.push_str(&format!("\n  claims, judged on the {held}:\n"));
        out
    }
}

/// Formats a table, with a scheme's name in its first row only. `left` are further columns of words.
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
