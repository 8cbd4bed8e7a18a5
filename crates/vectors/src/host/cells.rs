//! Cells common to the rows of all machines of a host.

use crate::row::Row;
use crate::settings::Setting;

/// Begins row number `step` of sequence `number`; each sequence has `steps` steps.
pub fn begin(setting: &Setting, (number, step, steps): (u32, u32, u32)) -> Row {
    let mut row = Row::default();
    row.put("row", number * steps + step);
    row.put("settings", &setting.words);
    row.put("sequence", number);
    row.put("step", step);
    row
}

/// Formats a range of bytes as `from..to`, without `to`.
pub fn range((from, to): (u64, u64)) -> String {
    format!("{from}..{to}")
}
