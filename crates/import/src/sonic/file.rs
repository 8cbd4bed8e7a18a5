//! Tables of a `config_db.json`, with error messages that name the table, the row and the field.

use crate::json;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Table, or row of a table.
pub type Fields = Map<String, Value>;

/// Configuration, with its name in errors.
pub struct File<'a> {
    pub name: &'a str,
    pub root: &'a Fields,
}

/// Tables of which a switch needs the first two.
const NEEDED: [&str; 5] = [
    "BUFFER_PROFILE",
    "BUFFER_POOL",
    "BUFFER_QUEUE",
    "QUEUE",
    "WRED_PROFILE",
];

impl<'a> File<'a> {
    /// Finds the tables. Refuses JSON that is no configuration of a switch, and names what is missing.
    pub fn of(name: &'a str, root: &'a Value) -> Result<File<'a>, String> {
        let Some(root) = root.as_object() else {
            return Err(format!(
                "{name}: expected an object of tables, as a config_db.json of SONiC is, got {}",
                kind(root)
            ));
        };
        let file = File { name, root };
        for table in NEEDED {
            if let Some(other) = root.get(table).filter(|other| !other.is_object()) {
                return Err(file.wrong(table, "a table", &other.to_string()));
            }
        }
        let missing: Vec<&str> = (NEEDED[..2].iter().copied())
            .filter(|table| file.table(table).is_none())
            .collect();
        if missing.len() == 2 {
            let got = match json::is_dump(root) {
                true => Some(json::DUMP.to_string()),
                false if NEEDED.iter().any(|table| root.contains_key(*table)) => None,
                false => json::has_tables(root).then(|| json::without_buffers(root)),
            };
            if let Some(got) = got {
                let expected = "the tables BUFFER_PROFILE and BUFFER_POOL of a config_db.json";
                return Err(format!("{name}: expected {expected}, got {got}"));
            }
        }
        match missing.is_empty() {
            true => Ok(file),
            false => Err(file.lacks(&missing)),
        }
    }

    /// Describes a file without the needed tables.
    fn lacks(&self, missing: &[&str]) -> String {
        let has = |of: &Value| NEEDED.iter().any(|table| of.get(table).is_some());
        let names = |all: &[&str]| {
            let few: Vec<String> = all.iter().take(4).map(|name| quoted(name)).collect();
            few.join(", ") + if all.len() > 4 { ", …" } else { "" }
        };
        let within: Vec<&str> = (self.root.iter())
            .filter_map(|(name, of)| has(of).then_some(name.as_str()))
            .collect();
        let all: Vec<&str> = self.root.keys().map(String::as_str).collect();
        let got = match (&within[..], &all[..]) {
            ([], []) => "no tables".to_string(),
            ([], all) => names(all),
            ([one, ..], _) => format!(
                "them within {}: import one alone (jq '.{}')",
                names(&within),
                one.chars()
                    .filter(|c| !c.is_control())
                    .take(20)
                    .collect::<String>()
            ),
        };
        let hint = match NEEDED[2..].iter().find(|table| self.table(table).is_some()) {
            Some(part) => format!(" beside {part}"),
            None => String::new(),
        };
        let what = if missing.len() == 1 {
            "table"
        } else {
            "tables"
        };
        format!(
            "{}: expected the {what} {}{hint}, as a config_db.json of SONiC has, got {got}",
            self.name,
            missing.join(" and ")
        )
    }

    /// Returns a table, if the file has it.
    pub fn table(&self, name: &str) -> Option<&'a Fields> {
        self.root.get(name)?.as_object()
    }

    /// Formats an error about a table, a row or a field.
    pub fn wrong(&self, place: &str, expected: &str, got: &str) -> String {
        let short: String = got.chars().take(60).collect();
        let place: String = place.chars().filter(|c| !c.is_control()).take(80).collect();
        format!("{}: {place}: expected {expected}, got {short:?}", self.name)
    }

    /// Returns a row of a table; errors if it is no table of fields.
    pub fn row(&self, table: &str, name: &str, row: &'a Value) -> Result<&'a Fields, String> {
        let wrong = || self.wrong(&format!("{table}.{name}"), "a table", &row.to_string());
        row.as_object().ok_or_else(wrong)
    }

    /// Returns a field as text: SONiC writes numbers as strings, some tools write them as numbers.
    pub fn text(
        &self,
        fields: &'a Fields,
        place: &str,
        key: &str,
    ) -> Result<Option<Cow<'a, str>>, String> {
        match fields.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim().into())),
            Some(Value::Number(number)) => Ok(Some(number.to_string().into())),
            Some(other) => {
                Err(self.wrong(&format!("{place}.{key}"), "a string", &other.to_string()))
            }
        }
    }

    /// Returns the name that a field refers to, without the older form's brackets; `None` for no name.
    pub fn reference(
        &self,
        fields: &'a Fields,
        place: &str,
        key: &str,
    ) -> Result<Option<&'a str>, String> {
        match fields.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(bare(text)).filter(|name| !name.is_empty())),
            Some(other) => Err(self.wrong(&format!("{place}.{key}"), "a name", &other.to_string())),
        }
    }

    /// Returns a whole number.
    pub fn number(
        &self,
        fields: &'a Fields,
        place: &str,
        key: &str,
    ) -> Result<Option<i64>, String> {
        let Some(text) = self.text(fields, place, key)? else {
            return Ok(None);
        };
        let read = text.parse().ok();
        let wrong = || self.wrong(&format!("{place}.{key}"), "a whole number", &text);
        read.map(Some).ok_or_else(wrong)
    }

    /// Returns a number of bytes, at least 1.
    pub fn bytes(&self, fields: &'a Fields, place: &str, key: &str) -> Result<Option<i64>, String> {
        let number = self.number(fields, place, key)?;
        match number {
            Some(bytes) if !(1..1 << 44).contains(&bytes) => {
                let expected = "from 1 byte to 16 TiB";
                Err(self.wrong(&format!("{place}.{key}"), expected, &bytes.to_string()))
            }
            other => Ok(other),
        }
    }
}

/// Returns `name` from the older form `[BUFFER_PROFILE|name]`.
fn bare(word: &str) -> &str {
    let inner = word.trim().trim_start_matches('[').trim_end_matches(']');
    inner.rsplit('|').next().unwrap_or(inner).trim()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
        Value::String(_) => "a string",
        Value::Null => "null",
        Value::Bool(_) | Value::Number(_) => "a single value",
    }
}

/// Quotes a name of the file, cut if it is long.
pub fn quoted(name: &str) -> String {
    let short: String = name.chars().take(60).collect();
    format!("{short:?}")
}

/// Returns a name for a comment or a command, cut if it is long.
pub fn unquoted(name: &str) -> String {
    let mut short: String = name.chars().take(60).collect();
    short.retain(|c| !c.is_control());
    if short.len() < name.len() {
        short.push('…');
    }
    short
}
