//! TOML text as a tree in which every key and value has a place.

use crate::problem::{At, Problems};
use std::cell::Cell;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Value with its place.
#[derive(Clone, Debug)]
pub struct Node {
    /// Value itself.
    pub item: Item,
    /// Place where it begins.
    pub at: At,
}

/// TOML value.
#[derive(Clone, Debug)]
pub enum Item {
    /// A string, number, flag or date, as text.
    Text(String),
    /// An array.
    List(Vec<Node>),
    /// A table.
    Table(Table),
}

/// Table, with its keys in the order of the file.
pub type Table = Vec<Entry>;

/// Key with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Key, without dots.
    pub key: String,
    /// Place where the key begins.
    pub at: At,
    /// Value of the key.
    pub node: Node,
}

impl Item {
    /// Returns the kind of the value, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Item::Text(_) => "a value",
            Item::List(_) => "a list",
            Item::Table(_) => "a table",
        }
    }
}

impl Node {
    /// Returns the text of a plain value. Otherwise reports a problem that names what was expected.
    pub fn text(&self, what: &str, expected: &str, problems: &mut Problems) -> Option<&str> {
        match &self.item {
            Item::Text(text) => Some(text),
            other => {
                let got = other.kind();
                problems.add(&self.at, format!("{what}: expected {expected}, got {got}"));
                None
            }
        }
    }

    /// Returns the entries of a table. Otherwise reports a problem.
    pub fn table(&self, what: &str, problems: &mut Problems) -> Option<&Table> {
        match &self.item {
            Item::Table(table) => Some(table),
            other => {
                let got = other.kind();
                problems.add(&self.at, format!("{what}: expected a table, got {got}"));
                None
            }
        }
    }
}

/// Returns the entry of `key`.
pub fn find<'a>(table: &'a Table, key: &str) -> Option<&'a Entry> {
    table.iter().find(|entry| entry.key == key)
}

/// Reads a whole file. Reports syntax errors as problems, and returns the rest of the file.
pub fn parse(file: &str, text: &str, problems: &mut Problems) -> Table {
    let places = Places::new(file, text);
    let (document, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let span = error.span().unwrap_or_default();
        let key = text.get(span.clone()).unwrap_or_default();
        let message = match error.message() {
            said @ "duplicate key" if !key.is_empty() => {
                let key = key.trim_matches(['"', '\'']);
                format!("{said} {key:?}: this table has the key already; remove one of them")
            }
            said => said.into(),
        };
        problems.add(&places.at(span.start), message);
    }
    table(document.get_ref(), &places)
}

/// Reads `key.key=value`, the argument of `--set`, as a table of one entry.
pub fn parse_set(set: &str, problems: &mut Problems) -> Option<Table> {
    let at = At::file(&format!("--set {set}"));
    let mut quote = None;
    let plain = |c: char| {
        quote = match quote {
            None if c == '"' || c == '\'' => Some(c),
            Some(open) if c == open => None,
            open => open,
        };
        c == '=' && quote.is_none()
    };
    let Some(equals) = set.find(plain) else {
        problems.add(&at, "expected key=value, got no \"=\"");
        return None;
    };
    let Some(keys) = split(&set[..equals]) else {
        problems.add(&at, "expected keys joined by dots before \"=\"");
        return None;
    };
    let node = set_value(set[equals + 1..].trim(), &at, problems)?;
    Some(nested(&keys, &at, node))
}

/// Splits a dotted path into keys. A key with characters other than letters, digits, `-` and `_` may be quoted:
/// `switch.at."edge 0.1".capacity`. Returns `None` if the text is no such path.
pub fn split(path: &str) -> Option<Vec<String>> {
    let mut keys = Vec::new();
    let mut rest = path.trim();
    loop {
        let (key, after) = match rest.chars().next()? {
            quote @ ('"' | '\'') => {
                let (key, after) = rest[1..].split_once(quote)?;
                (key, after.trim_start())
            }
            _ => rest.split_at(rest.find('.').unwrap_or(rest.len())),
        };
        if key.trim().is_empty() {
            return None;
        }
        keys.push(key.trim().to_string());
        rest = match after.strip_prefix('.') {
            Some(after) => after.trim_start(),
            None if after.is_empty() => return Some(keys),
            None => return None,
        };
    }
}

/// Appends a key to the dotted path `prefix`, quoted if necessary, so that [`split`] finds it again.
pub fn join(prefix: &str, key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let plain = !key.is_empty() && key.chars().all(bare);
    match (prefix, plain) {
        ("", true) => key.to_string(),
        ("", false) => format!("\"{key}\""),
        (prefix, true) => format!("{prefix}.{key}"),
        (prefix, false) => format!("{prefix}.\"{key}\""),
    }
}

/// Builds tables of one entry from a path of at least one key and the value at its end.
pub fn nested(keys: &[String], at: &At, mut node: Node) -> Table {
    for key in keys.iter().rev() {
        let entry = Entry {
            key: key.clone(),
            at: at.clone(),
            node,
        };
        node = Node {
            item: Item::Table(vec![entry]),
            at: at.clone(),
        };
    }
    match node.item {
        Item::Table(table) => table,
        _ => unreachable!("a path has at least one key"),
    }
}

/// Reads a `--set` value: as TOML if it looks like TOML, else as the text itself.
fn set_value(value: &str, at: &At, problems: &mut Problems) -> Option<Node> {
    if !value.starts_with(['[', '{', '"', '\'']) {
        let item = Item::Text(value.to_string());
        return Some(Node {
            item,
            at: at.clone(),
        });
    }
    match DeValue::parse(value) {
        Ok(read) => Some(node(&read, &Places::nowhere(at))),
        Err(error) => {
            problems.add(at, error.message());
            None
        }
    }
}

fn table(from: &DeTable<'_>, places: &Places<'_>) -> Table {
    let mut sorted: Vec<_> = from.iter().collect();
    sorted.sort_by_key(|(key, _)| key.span().start);
    let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| Entry {
        key: AsRef::<str>::as_ref(key.get_ref()).to_string(),
        at: places.at(key.span().start),
        node: node(value, places),
    };
    sorted.into_iter().map(entry).collect()
}

fn node(from: &Spanned<DeValue<'_>>, places: &Places<'_>) -> Node {
    let item = match from.get_ref() {
        DeValue::String(text) => Item::Text(text.to_string()),
        DeValue::Integer(number) => Item::Text(number.to_string()),
        DeValue::Float(number) => Item::Text(number.to_string()),
        DeValue::Boolean(flag) => Item::Text(flag.to_string()),
        DeValue::Datetime(date) => Item::Text(date.to_string()),
        DeValue::Array(items) => Item::List(items.iter().map(|n| node(n, places)).collect()),
        DeValue::Table(entries) => Item::Table(table(entries, places)),
    };
    Node {
        item,
        at: places.at(from.span().start),
    }
}

/// Converter from byte offsets to places.
struct Places<'a> {
    file: Arc<str>,
    text: &'a str,
    /// Offset of the start of each line; empty if the text has no useful lines.
    starts: Vec<usize>,
    /// Place found last: line, offset and column. The next place in the same line is counted from there, since
    /// a line may have megabytes.
    last: Cell<(usize, usize, u32)>,
}

impl<'a> Places<'a> {
    fn new(file: &str, text: &'a str) -> Places<'a> {
        let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
        Places {
            file: file.into(),
            text,
            starts: std::iter::once(0).chain(ends.map(|(i, _)| i + 1)).collect(),
            last: Cell::default(),
        }
    }

    fn nowhere(at: &At) -> Places<'a> {
        Places {
            file: at.file.clone(),
            text: "",
            starts: Vec::new(),
            last: Cell::default(),
        }
    }

    fn at(&self, offset: usize) -> At {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).map(|i| self.starts[i]);
        let offset = offset.min(self.text.len());
        let column = start.map_or(0, |start| {
            let (known, from, column) = match self.last.get() {
                (known, from, column) if known == line && from <= offset => (known, from, column),
                _ => (line, start, 1),
            };
            let between = self.text.get(from..offset).map_or(0, |b| b.chars().count());
            let column = column + between as u32;
            self.last.set((known, offset, column));
            column
        });
        At {
            file: self.file.clone(),
            line: line as u32,
            column,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_and_value_knows_its_line_and_column() {
        let mut problems = Problems::default();
        let text = "# µ\n[switch]\ncapacity = \"100 pkt\"\nbuffer = { kind = \"dibs\" }\n";
        let read = parse("a.toml", text, &mut problems);
        assert!(problems.is_empty());
        let switch = read[0].node.table("switch", &mut problems).unwrap();
        let place = |at: &At| (at.line, at.column);
        assert_eq!(place(&switch[0].at), (3, 1));
        assert_eq!(place(&switch[0].node.at), (3, 12));
        let buffer = switch[1].node.table("buffer", &mut problems).unwrap();
        assert_eq!(place(&buffer[0].node.at), (4, 19));
    }

    #[test]
    fn places_in_a_long_line_are_counted_on_and_back() {
        let mut problems = Problems::default();
        // If each place were counted from the start of its line, these would take hours.
        let text = format!("µ = [{}]\n", "1, ".repeat(2_000_000));
        let read = parse(
            "a.toml",
            &format!("\"µ\" = 0\n{}", text.replace('µ', "l")),
            &mut problems,
        );
        assert!(problems.is_empty());
        let Item::List(items) = &read[1].node.item else {
            panic!("a list")
        };
        assert_eq!(
            (items[1_999_999].at.line, items[1_999_999].at.column),
            (2, 6_000_003)
        );
        let places = Places::new("a", "µµµ\nabc");
        let column = |offset| places.at(offset).column;
        assert_eq!(
            [column(4), column(2), column(2), column(9), column(8)],
            [3, 2, 2, 3, 2]
        );
    }

    #[test]
    fn every_syntax_error_is_reported() {
        let mut problems = Problems::default();
        parse("a.toml", "a = \nb = 1\nc 2\n", &mut problems);
        let lines: Vec<u32> = problems.into_sorted().iter().map(|p| p.line).collect();
        assert_eq!(lines, [1, 3]);
    }

    #[test]
    fn a_set_is_a_path_and_plain_text_or_toml() {
        let mut problems = Problems::default();
        let read = parse_set("workload.query.rate = 600 /s", &mut problems).unwrap();
        assert_eq!(read[0].key, "workload");
        let read = parse_set("seeds=[1, 2]", &mut problems).unwrap();
        assert!(matches!(&read[0].node.item, Item::List(items) if items.len() == 2));
        assert!(problems.is_empty());
        let read = parse_set("switch.at.\"a=b 0.1\".capacity = 9 pkt", &mut problems).unwrap();
        let at = read[0].node.table("switch", &mut problems).unwrap();
        let names = at[0].node.table("at", &mut problems).unwrap();
        assert_eq!(names[0].key, "a=b 0.1");
        assert!(problems.is_empty());
        assert!(parse_set("seeds", &mut problems).is_none());
        assert!(parse_set("a..b=1", &mut problems).is_none());
        assert!(parse_set("a=[1", &mut problems).is_none());
        assert_eq!(problems.into_sorted().len(), 3);
    }

    #[test]
    fn a_path_is_split_where_it_was_joined() {
        for keys in [
            &["a"][..],
            &["switch", "at", "edge 0.1", "capacity"],
            &["it's", "b-c_1"],
        ] {
            let joined = keys
                .iter()
                .fold(String::new(), |path, key| join(&path, key));
            assert_eq!(split(&joined).unwrap(), keys, "{joined}");
        }
        assert_eq!(split(" a . 'b.c' ").unwrap(), ["a", "b.c"]);
        for wrong in ["", ".", "a.", "a..b", "a.\"b", "\"a\"b", "''"] {
            assert_eq!(split(wrong), None, "{wrong}");
        }
    }
}
