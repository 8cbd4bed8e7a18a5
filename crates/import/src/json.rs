//! JSON that is not read: what it is, and what to do.

use crate::collectors::FLOWS;
use crate::lines::shown;
use crate::names;
use serde_json::{Map, Value};

/// Largest file that is parsed for a message about it.
const LARGEST: usize = 64 << 20;

/// Advice for a dump of SONiC's database.
pub const DUMP: &str = "a database dump with keys like TABLE|name: export the configuration with `show \
                        runningconfiguration all`, or use /etc/sonic/config_db.json";

/// Returns true for a key of a database dump: `BUFFER_PROFILE|name`.
fn is_dumped(key: &str) -> bool {
    let table = key.split_once(['|', ':']).map_or("", |(table, _)| table);
    !table.is_empty() && is_table(table)
}

fn is_table(key: &str) -> bool {
    let letter = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    key.len() > 2 && key.starts_with(|c: char| c.is_ascii_uppercase()) && key.bytes().all(letter)
}

/// Returns true for a dump of SONiC's database.
pub fn is_dump(root: &Map<String, Value>) -> bool {
    root.keys().any(|key| is_dumped(key))
}

/// Returns true for an object with tables as a SONiC configuration has.
pub fn has_tables(root: &Map<String, Value>) -> bool {
    let mut tables = root.iter();
    tables.any(|(name, of)| is_table(name) && of.is_object())
}

/// Describes tables of a configuration that has none of buffers.
pub fn without_buffers(root: &Map<String, Value>) -> String {
    format!(
        "a configuration without tables of buffers (it has {}): export one of a switch whose buffers are \
         set, with `show runningconfiguration all`",
        keys(root)
    )
}

/// Lists keys for a message.
fn keys(of: &Map<String, Value>) -> String {
    let few: Vec<String> = of.keys().take(4).map(|key| shown(key)).collect();
    few.join(", ") + if of.len() > 4 { ", …" } else { "" }
}

/// Returns true for the keys of a record of a flow: two that are known, or that look like one.
fn is_record(of: &Map<String, Value>) -> bool {
    let known = |key: &&String| {
        let plain = names::plain(key);
        let like = [
            "src", "dst", "byte", "octet", "addr", "time", "start", "size",
        ];
        FLOWS.column(key).is_some() || like.iter().any(|word| plain.contains(word))
    };
    of.keys().filter(known).count() > 1
}

/// Returns the sentence about a file of JSON that is not read.
pub fn about(name: &str, bytes: &[u8]) -> Option<String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.len() > LARGEST {
        return None;
    }
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<Value>();
    let root = match values.next()? {
        Ok(root) => root,
        Err(why) => {
            // The parser's own message may quote the file.
            let what = if why.is_eof() {
                "the file ends within it"
            } else {
                "it is broken"
            };
            return Some(format!(
                "{name}:{}: expected JSON, but {what} at column {}",
                why.line(),
                why.column()
            ));
        }
    };
    let rows = match &root {
        Value::Array(rows) => &rows[..],
        one => std::slice::from_ref(one),
    };
    let expected = "expected flows, packets, a network or sizes";
    let Some(first) = rows.iter().find_map(Value::as_object) else {
        let got = if rows.is_empty() {
            "empty JSON"
        } else {
            "JSON without objects"
        };
        return Some(format!("{name}: {expected}, got {got}"));
    };
    if first.is_empty() {
        return Some(format!("{name}: {expected}, got empty JSON"));
    }
    let whole = root.is_object();
    let got = if whole && is_dump(first) {
        DUMP.to_string()
    } else if whole && has_tables(first) {
        without_buffers(first)
    } else if is_record(first)
        || first
            .values()
            .any(|of| of.as_array().is_some_and(|rows| has_record(rows)))
    {
        return None;
    } else {
        format!(
            "JSON with the keys {}: the only JSON read is SONiC's config_db.json; for flows write a CSV \
             with start, src, dst and size",
            keys(first)
        )
    };
    Some(format!("{name}: {expected}, got {got}"))
}

fn has_record(rows: &[Value]) -> bool {
    rows.iter()
        .find_map(Value::as_object)
        .is_some_and(is_record)
}
