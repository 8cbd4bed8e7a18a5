//! One row of a table, and how rows become text. The hardware's reference reads rows as they are.

use sidestep_types::{PortSet, Rng};

/// One row of a table: a value for each column, in their order.
#[derive(Default)]
pub struct Row(pub Vec<(&'static str, String)>);

impl Row {
    /// Adds a cell.
    pub fn put(&mut self, column: &'static str, value: impl ToString) {
        self.0.push((column, value.to_string()));
    }

    /// Nothing in the cell when there is no value.
    pub fn put_some(&mut self, column: &'static str, value: Option<impl ToString>) {
        self.put(column, value.map_or(String::new(), |v| v.to_string()));
    }

    /// Separated by spaces.
    pub fn put_list(&mut self, column: &'static str, values: impl Iterator<Item = impl ToString>) {
        let words: Vec<String> = values.map(|v| v.to_string()).collect();
        self.put(column, words.join(" "));
    }

    /// Empties the cells from `column` on.
    pub fn blank_from(&mut self, column: &str) {
        let cells = self.0.iter_mut().skip_while(|cell| cell.0 != column);
        cells.for_each(|cell| cell.1.clear());
    }

    /// The draws that a policy finds, and how many of them it took: `rng` before and after.
    pub fn put_draws(&mut self, before: &Rng, after: &Rng) {
        let mut ahead = before.clone();
        let mut taken = None;
        for (n, column) in ["draw_1_hex", "draw_2_hex"].into_iter().enumerate() {
            taken = taken.or((ahead == *after).then_some(n));
            self.put(column, format!("{:08x}", ahead.draw()));
        }
        let taken = taken.or((ahead == *after).then_some(2));
        self.put(
            "draws_taken",
            taken.expect("a policy takes at most two draws"),
        );
    }
}

/// Rows under the names of their columns.
pub fn csv(rows: impl Iterator<Item = Row>) -> String {
    let mut out = String::new();
    for Row(cells) in rows {
        if out.is_empty() {
            let names: Vec<&str> = cells.iter().map(|cell| cell.0).collect();
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
