//! Tables of expected text in `tests/fixtures`.

#![allow(dead_code)] // Each test program uses a part.

use std::fs;
use std::path::{Path, PathBuf};

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// Requires that the table `name` is `now`; `UPDATE_GOLDEN=1` writes it. A failure shows the first line that differs.
pub fn is_golden(name: &str, now: &str) {
    let place = fixtures().join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&place, now).unwrap();
    }
    let kept = fs::read_to_string(&place).unwrap_or_default();
    let differs = now.lines().zip(kept.lines()).find(|(new, old)| new != old);
    assert_eq!(differs, None, "{name}: UPDATE_GOLDEN=1 writes it");
    assert_eq!(now, kept, "{name}: UPDATE_GOLDEN=1 writes it");
}

/// Adds a wrong input called `head` to a table, with its errors.
pub fn add_wrong<T>(table: &mut String, head: &str, read: Result<T, String>) {
    let said = read
        .err()
        .unwrap_or_else(|| panic!("{head}: nothing is wrong"));
    assert!(said.len() < 1_000 && !said.contains('\x1b'), "{said}");
    let said: Vec<String> = said.lines().map(|line| format!("! {line}")).collect();
    table.push_str(&format!("\n{head}\n{}\n", said.join("\n")));
}
