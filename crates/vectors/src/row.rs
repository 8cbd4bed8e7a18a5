//! One row of a table, and how rows become text.

use crate::Policy;
use sidestep_types::{PortSet, Rng};
use std::borrow::Cow;

/// Draws that every row shows, taken or not; rows of a policy that takes more show as many as it takes.
const DRAWS: u32 = 2;

/// One row of a table: a value for each column, in their order.
#[derive(Clone, Debug, Default)]
pub struct Row(Vec<(Cow<'static, str>, String)>);

impl Row {
    /// The text under `column`, empty where there is no such thing; `None` when the table has no
    /// such column.
    pub fn cell(&self, column: &str) -> Option<&str> {
        let found = self.0.iter().find(|cell| cell.0 == column)?;
        Some(&found.1)
    }

    /// Adds a cell.
    pub(crate) fn put(&mut self, column: impl Into<Cow<'static, str>>, value: impl ToString) {
        self.0.push((column.into(), value.to_string()));
    }

    /// Nothing in the cell when there is no value.
    pub(crate) fn put_some(&mut self, column: &'static str, value: Option<impl ToString>) {
        self.put(column, value.map_or(String::new(), |v| v.to_string()));
    }

    /// Separated by spaces.
    pub(crate) fn put_list(
        &mut self,
        column: &'static str,
        values: impl Iterator<Item = impl ToString>,
    ) {
        let words: Vec<String> = values.map(|v| v.to_string()).collect();
        self.put(column, words.join(" "));
    }

    /// Empties the cells from `column` on.
    pub(crate) fn blank_from(&mut self, column: &str) {
        let cells = self.0.iter_mut().skip_while(|cell| cell.0 != column);
        cells.for_each(|cell| cell.1.clear());
    }

    /// The draws that a policy finds, and how many of them it took: its stream `before` and `after`.
    ///
    /// Panics when it took more than its nature says.
    pub(crate) fn put_draws(&mut self, policy: Policy, before: &Rng, after: &Rng) {
        let most = policy.nature.draws;
        let shown = most.max(DRAWS);
        let mut ahead = before.clone();
        let mut taken = None;
        for n in 0..shown {
            taken = taken.or((ahead == *after).then_some(n));
            self.put(draw_column(n), format!("{:08x}", ahead.draw()));
        }
        taken = taken.or((ahead == *after).then_some(shown));
        let taken = taken.filter(|&n| n <= most).unwrap_or_else(|| {
            let name = policy.full_name();
            panic!("{name} takes more draws than the {most} that its nature says")
        });
        self.put("draws_taken", taken);
    }
}

fn draw_column(number: u32) -> Cow<'static, str> {
    match number {
        0 => "draw_1_hex".into(),
        1 => "draw_2_hex".into(),
        _ => format!("draw_{}_hex", number + 1).into(),
    }
}

/// Rows under the names of their columns.
pub fn csv(rows: impl Iterator<Item = Row>) -> String {
    let mut out = String::new();
    for Row(cells) in rows {
        if out.is_empty() {
            let names: Vec<&str> = cells.iter().map(|cell| &*cell.0).collect();
            out = names.join(",") + "\n";
        }
        let cells: Vec<String> = cells.into_iter().map(|cell| cell.1).collect();
        out += &(cells.join(",") + "\n");
    }
    out
}

/// Bit `p` is port `p`.
pub fn mask(ports: PortSet) -> String {
    let bits = ports.iter().fold(0u64, |bits, port| bits | 1 << port.0);
    format!("{bits:02x}")
}
