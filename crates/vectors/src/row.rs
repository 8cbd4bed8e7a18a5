//! Rows of a table, and their conversion to text.

use sidestep_types::PortSet;
use std::borrow::Cow;

/// Row of a table: a value for each column, in order.
#[derive(Clone, Debug, Default)]
pub struct Row(Vec<(Cow<'static, str>, String)>);

impl Row {
    /// Returns the text in `column`, empty if the row has no such value; `None` if the table has no such
    /// column.
    pub fn cell(&self, column: &str) -> Option<&str> {
        let found = self.0.iter().find(|cell| cell.0 == column)?;
        Some(&found.1)
    }

    /// Adds a cell.
    pub(crate) fn put(&mut self, column: impl Into<Cow<'static, str>>, value: impl ToString) {
        self.0.push((column.into(), value.to_string()));
    }

    /// Adds a cell, empty if there is no value.
    pub(crate) fn put_some(&mut self, column: &'static str, value: Option<impl ToString>) {
        self.put(column, value.map_or(String::new(), |v| v.to_string()));
    }

    /// Adds a cell with values separated by spaces.
    pub(crate) fn put_list(
        &mut self,
        column: &'static str,
        values: impl Iterator<Item = impl ToString>,
    ) {
        let words: Vec<String> = values.map(|v| v.to_string()).collect();
        self.put(column, words.join(" "));
    }

    /// Clears the cells from `column` on.
    pub(crate) fn blank_from(&mut self, column: &str) {
        let cells = self.0.iter_mut().skip_while(|cell| cell.0 != column);
        cells.for_each(|cell| cell.1.clear());
    }
}

/// Formats rows as CSV, with a header line of column names.
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

/// Formats a set of ports as a hexadecimal mask: bit `p` is port `p`.
pub fn mask(ports: PortSet) -> String {
    let bits = ports.iter().fold(0u64, |bits, port| bits | 1 << port.0);
    format!("{bits:02x}")
}
