//! Captures and flow records as strangers have them: right values of small inputs, and the messages about wrong
//! ones.

mod build;
mod captures;
#[path = "../common/mod.rs"]
mod common;
mod exchange;
mod grain;
mod records;
mod wrong;

use sidestep_import::{Format, Imported, Options, import};

/// Imports bytes of the format that they show.
fn read(name: &str, bytes: &[u8], options: &Options) -> Result<Imported, String> {
    let format = Format::of(bytes).ok_or("the format cannot be detected")?;
    import(name, bytes, format, options)
}

/// Returns the rows of the flow list.
fn rows(imported: &Imported) -> Vec<&str> {
    let lines = imported.files[0].1.lines();
    lines
        .filter(|line| !line.starts_with('#'))
        .skip(1)
        .collect()
}

/// Returns the number of a count, 0 if it was not made.
fn count(all: &[(String, u64)], what: &str) -> u64 {
    let found = all.iter().find(|(known, _)| known == what);
    found.map_or(0, |(_, many)| *many)
}
