//! What the rows of all machines of a host have.

use crate::row::Row;
use crate::settings::Setting;

/// The beginning of row number `step` of sequence `number`, of which each has so many steps.
pub fn begin(setting: &Setting, (number, step, steps): (u32, u32, u32)) -> Row {
    let mut row = Row::default();
    row.put("row", number * steps + step);
    row.put("settings", &setting.words);
    row.put("sequence", number);
    row.put("step", step);
    row
}

/// Bytes as `from..to`, `to` not among them.
pub fn range((from, to): (u64, u64)) -> String {
    format!("{from}..{to}")
}
