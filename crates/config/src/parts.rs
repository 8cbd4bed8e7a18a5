//! Parts of a message, for programs: the expected value, the value found, the suggestion.
//!
//! **Decision**  a message is one sentence for people, made in many places in the same form
//!               (`WHAT: expected A, got B; did you mean "C"?`). The parts are therefore parsed from the
//!               sentence, here alone; a part that the message does not have is absent.

use crate::document::{self, Item, Table, join};
use crate::problem::{At, Problem, Problems};

/// Parts of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Values that are allowed.
    pub expected: Option<String>,
    /// Value that was found.
    pub got: Option<String>,
    /// Nearest allowed value.
    pub suggestion: Option<String>,
}

impl Problem {
    /// Returns the parts of the message.
    pub fn parts(&self) -> Parts {
        parts(&self.message)
    }

    /// Returns the dotted key of the problem, found in `text` or in a `--set` argument.
    pub fn key(&self, text: &str) -> Option<String> {
        if let Some(set) = self.file.strip_prefix("--set ") {
            let table = document::parse_set(set, &mut Problems::default())?;
            return only(&table);
        }
        let root = document::parse(&self.file, text, &mut Problems::default());
        (self.line > 0)
            .then(|| find("", &root, (self.line, self.column)))
            .flatten()
    }
}

fn parts(message: &str) -> Parts {
    let (said, hint) = match message.rsplit_once("; did you mean ") {
        Some((said, hint)) => (said, hint.strip_suffix('?')),
        None => (message, None),
    };
    // Of several, the first.
    let suggestion = hint.map(|hint| word(hint).to_string());
    let needs = said
        .split_once("expected ")
        .or_else(|| said.split_once(" must be "));
    if let Some((_, rest)) = needs {
        let found = rest
            .split_once(", got ")
            .or_else(|| rest.split_once("; got "));
        let (expected, got) = match found {
            Some((expected, got)) => (expected, Some(got)),
            None => (rest, None),
        };
        let clause = |text: &str| outside(text, "; ").to_string();
        return Parts {
            expected: Some(clause(expected)),
            got: got.map(|got| word(&clause(got)).to_string()),
            suggestion,
        };
    }
    if let Some((of, needed)) = said.split_once(" is missing: ") {
        return Parts {
            expected: (!of.is_empty()).then(|| needed.to_string()),
            got: None,
            suggestion,
        };
    }
    let (said, known) = match said.rsplit_once("; known: ") {
        Some((said, known)) => (said, Some(format!("one of {known}"))),
        None => (said, None),
    };
    // The unknown word is the first in quotes.
    let unknown = said.contains("unknown") && (known.is_some() || suggestion.is_some());
    let got = match said.split_once(", got ") {
        Some((_, got)) => Some(word(outside(got, "; "))),
        None => unknown.then(|| said.split('"').nth(1)).flatten(),
    };
    Parts {
        expected: known,
        got: got.map(str::to_string),
        suggestion,
    }
}

/// Returns the text up to the first `end` outside quotes and parentheses.
fn outside<'a>(text: &'a str, end: &str) -> &'a str {
    let (mut quoted, mut depth) = (false, 0i32);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            _ => {}
        }
        if !quoted && depth <= 0 && text[at..].starts_with(end) {
            return &text[..at];
        }
    }
    text
}

/// Returns the quoted word at the beginning of the text, which the rest explains; without quotes, all of the
/// text.
fn word(text: &str) -> &str {
    let quoted = text.strip_prefix('"').and_then(|rest| rest.split_once('"'));
    quoted.map_or(text, |(word, _)| word)
}

/// Returns the path of a table that has one entry at each level.
fn only(table: &Table) -> Option<String> {
    let mut path = String::new();
    let mut table = table;
    while let [entry] = &table[..] {
        path = join(&path, &entry.key);
        match &entry.node.item {
            Item::Table(inner) => table = inner,
            _ => break,
        }
    }
    (!path.is_empty()).then_some(path)
}

/// Returns the key that is, or whose value is, at this line and column.
fn find(prefix: &str, table: &Table, place: (u32, u32)) -> Option<String> {
    let here = |at: &At| (at.line, at.column) == place;
    table.iter().find_map(|entry| {
        let path = join(prefix, &entry.key);
        let inner = match &entry.node.item {
            Item::Table(inner) => find(&path, inner, place),
            Item::List(items) => (1..)
                .zip(items)
                .find_map(|(number, item)| match &item.item {
                    Item::Table(inner) => find(&join(&path, &format!("{number}")), inner, place),
                    _ => here(&item.at).then(|| path.clone()),
                }),
            Item::Text(_) => None,
        };
        inner.or_else(|| (here(&entry.at) || here(&entry.node.at)).then_some(path))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(message: &str) -> [Option<String>; 3] {
        let Parts {
            expected,
            got,
            suggestion,
        } = parts(message);
        [expected, got, suggestion]
    }

    fn words(all: [&str; 3]) -> [Option<String>; 3] {
        all.map(|word| (!word.is_empty()).then(|| word.to_string()))
    }

    #[test]
    fn a_message_is_read_in_its_parts() {
        for (message, parts) in [
            (
                "switch.capacity: expected a queue size, got \"100 us\"",
                ["a queue size", "100 us", ""],
            ),
            (
                "a: expected x, got \"b; c\"; or leave it",
                ["x", "b; c", ""],
            ),
            (
                "size: expected a size like \"20 kB\" (B, kB; KiB) or \"off\", got \"20 pkt\" with \
                 the unknown unit \"pkt\"",
                [
                    "a size like \"20 kB\" (B, kB; KiB) or \"off\"",
                    "20 pkt",
                    "",
                ],
            ),
            (
                "unknown key \"capacty\" in switch; did you mean \"capacity\"?",
                ["", "capacty", "capacity"],
            ),
            (
                "buffer \"dips\" is unknown; known: dibs, ecn",
                ["one of dibs, ecn", "dips", ""],
            ),
            (
                "duration is missing: a time as 10 ms (how long)",
                ["a time as 10 ms (how long)", "", ""],
            ),
            ("topology: k must be even, got 5", ["even", "5", ""]),
            (
                "a: expected one of rate and load; got rate off, load off",
                ["one of rate and load", "rate off, load off", ""],
            ),
            ("schemes: \"dibs\" is there twice", ["", "", ""]),
        ] {
            assert_eq!(of(message), words(parts), "{message}");
        }
    }

    #[test]
    fn a_problem_knows_the_key_at_its_place() {
        let text = "duration = \"1 ms\"\nseeds = [1, 2]\n[switch.at.\"edge 0.1\"]\nbuffer = { kind = \"dibs\" }\n[[change]]\nat = 5\n";
        let key = |file: &str, line, column| {
            let problem = Problem {
                file: file.into(),
                line,
                column,
                message: String::new(),
            };
            problem.key(text)
        };
        let some = |key: &str| Some(key.to_string());
        assert_eq!(key("a.toml", 1, 1), some("duration"));
        assert_eq!(key("a.toml", 1, 12), some("duration"));
        assert_eq!(key("a.toml", 2, 13), some("seeds"));
        assert_eq!(
            key("a.toml", 4, 19),
            some("switch.at.\"edge 0.1\".buffer.kind")
        );
        assert_eq!(key("a.toml", 6, 1), some("change.1.at"));
        assert_eq!(key("a.toml", 9, 9), None);
        assert_eq!(key("a.toml", 0, 0), None);
        assert_eq!(
            key("--set switch.capacity=5 us", 0, 0),
            some("switch.capacity")
        );
    }
}
