//! Problems in a scenario, with their places.

use std::fmt;
use std::sync::Arc;

/// Error in a user's text.
///
/// Prints as `schemes/dibs.toml:4:10: buffer "dips" is unknown; did you mean "dibs"?`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// File as it was named, or the `--set` argument.
    pub file: String,
    /// Line, from 1; 0 when the problem has no line.
    pub line: u32,
    /// Column in characters, from 1; 0 when the problem has no line.
    pub column: u32,
    /// Message: what is wrong, what was expected and what was found.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The argument of a `--set` takes the place of a file name, and may be long.
        let file = clip(&self.file);
        if self.line > 0 {
            write!(f, "{file}:{}:{}: {}", self.line, self.column, self.message)
        } else {
            write!(f, "{file}: {}", self.message)
        }
    }
}

impl std::error::Error for Problem {}

/// Place in a user's text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct At {
    /// File as it was named, or the `--set` argument.
    pub file: Arc<str>,
    /// Line, from 1; 0 if there is none.
    pub line: u32,
    /// Column in characters, from 1; 0 if there is none.
    pub column: u32,
}

impl At {
    /// Creates the place of a whole file.
    pub fn file(file: &str) -> At {
        At {
            file: file.into(),
            line: 0,
            column: 0,
        }
    }
}

/// Most problems shown at once.
const MOST: usize = 200;

/// Most characters of a message. A longer one is cut in the middle, where it quotes the user's text.
const LONGEST: usize = 400;

/// Cuts a message that is too long, as when it quotes a line of megabytes.
fn clip(message: &str) -> String {
    let long = message.char_indices().nth(LONGEST).is_some();
    if !long {
        return message.to_string();
    }
    let head: String = message.chars().take(LONGEST / 2).collect();
    let tail: Vec<char> = message.chars().rev().take(LONGEST / 4).collect();
    let tail: String = tail.into_iter().rev().collect();
    let cut = message.chars().count() - LONGEST / 2 - LONGEST / 4;
    format!("{head} [… {cut} characters …] {tail}")
}

/// Problems found so far, without duplicates: schemes share layers, which would repeat them.
#[derive(Debug, Default)]
pub struct Problems {
    all: Vec<Problem>,
    /// True if there are more problems than are kept.
    more: bool,
}

impl Problems {
    /// Adds a problem, unless it is already there.
    pub fn add(&mut self, at: &At, message: impl Into<String>) {
        // The message may contain several problems of a file named here, one per line.
        for message in message.into().lines() {
            self.push(Problem {
                file: at.file.to_string(),
                line: at.line,
                column: at.column,
                message: clip(message),
            });
        }
    }

    fn push(&mut self, problem: Problem) {
        if self.all.len() >= MOST {
            self.more = self.more || !self.all.contains(&problem);
        } else if !self.all.contains(&problem) {
            self.all.push(problem);
        }
    }

    /// Returns true if there are no problems so far.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Adds the problems of `others` that are not already there.
    pub fn extend(&mut self, others: Problems) {
        self.more |= others.more;
        for problem in others.all {
            self.push(problem);
        }
    }

    /// Returns the problems in the order in which files were met, then of lines.
    pub fn into_sorted(self) -> Vec<Problem> {
        let mut files: Vec<String> = Vec::new();
        for problem in &self.all {
            if !files.contains(&problem.file) {
                files.push(problem.file.clone());
            }
        }
        let mut all = self.all;
        let rank = |p: &Problem| files.iter().position(|f| *f == p.file);
        all.sort_by_key(|p| (rank(p), p.line, p.column));
        if let (true, Some(last)) = (self.more, all.last()) {
            all.push(Problem {
                file: last.file.clone(),
                line: 0,
                column: 0,
                message: format!("more problems follow: only the first {MOST} are shown"),
            });
        }
        all
    }
}

/// Suggests the names of `known` that end in `word`: `; did you mean "host_rate" or "fabric_rate"?`.
fn ending<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let end = format!("_{word}");
    let names: Vec<String> = (known.into_iter().filter(|name| name.ends_with(&end)))
        .map(|name| format!("{name:?}"))
        .collect();
    (!word.is_empty() && !names.is_empty())
        .then(|| format!("; did you mean {}?", names.join(" or ")))
}

/// Suggests names of `known` that share their last words with `word`: those that end in it, or the one that it ends
/// in, or those with the same last word.
pub fn related(word: &str, known: &[&str]) -> Option<String> {
    let all = || known.iter().copied();
    let lower = word.to_lowercase();
    ending(&lower, all()).or_else(|| {
        let (_, last) = lower.rsplit_once('_')?;
        let same = all().find(|name| *name == last);
        let same = same.map(|name| format!("; did you mean {name:?}?"));
        same.or_else(|| ending(last, all()))
    })
}

/// Suggests the nearest of `known`: `; did you mean "x"?`. Names that end in the word, like `host_rate` for `rate`,
/// are all suggested. Lists all names if none is near.
pub fn suggest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    // A typo is made in a name, not in a line of megabytes.
    let lower = if word.len() > 200 {
        String::new()
    } else {
        word.to_lowercase()
    };
    if let Some(hint) = ending(&lower, known.iter().copied()) {
        let near = known.iter().any(|name| *name == lower);
        return if near {
            format!("; did you mean {lower:?}?")
        } else {
            hint
        };
    }
    // A word that is cut short or too long counts as one typo; otherwise one typo per three letters is allowed,
    // and a transposition counts once. The first of the nearest wins.
    let slips = |k: &str| match lower.len().min(k.len()) >= 3
        && (k.starts_with(&lower) || lower.starts_with(k))
    {
        true => 1,
        false => strsim::damerau_levenshtein(&lower, k),
    };
    let near = known
        .iter()
        .map(|k| (slips(k), *k))
        .filter(|(distance, k)| *distance <= k.chars().count().max(3) / 3)
        .min_by_key(|(distance, _)| *distance);
    match near {
        Some((_, name)) => format!("; did you mean {name:?}?"),
        None if known.is_empty() => String::new(),
        None => related(&lower, &known).unwrap_or_else(|| format!("; known: {}", known.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_word_is_suggested_and_a_far_one_gets_the_list() {
        let known = ["droptail", "ecn", "red", "dibs"];
        assert_eq!(suggest("dips", known), "; did you mean \"dibs\"?");
        assert_eq!(suggest("DIBS", known), "; did you mean \"dibs\"?");
        assert_eq!(suggest("drop_tail", known), "; did you mean \"droptail\"?");
        assert_eq!(
            suggest("vertigo", known),
            "; known: droptail, ecn, red, dibs"
        );
        assert_eq!(
            suggest("mark", ["min", "mark_at"]),
            "; did you mean \"mark_at\"?"
        );
        assert_eq!(suggest("x", []), "");
        let rates = ["leaves", "host_rate", "fabric_rate", "delay"];
        let both = "; did you mean \"host_rate\" or \"fabric_rate\"?";
        assert_eq!(suggest("rate", rates), both);
        assert_eq!(suggest("Rate", rates), both);
        assert_eq!(
            suggest("rates", rates),
            "; known: leaves, host_rate, fabric_rate, delay"
        );
        assert_eq!(suggest("Delay", rates), "; did you mean \"delay\"?");
        assert_eq!(
            suggest("", rates),
            "; known: leaves, host_rate, fabric_rate, delay"
        );
    }

    #[test]
    fn a_message_that_quotes_megabytes_is_cut_in_its_middle() {
        let mut all = Problems::default();
        let at = At::file("a.toml");
        all.add(
            &at,
            format!(
                "seeds: expected a number, got {:?}; known: 7",
                "x".repeat(20_000_000)
            ),
        );
        all.add(&at, "short");
        let said: Vec<String> = all.into_sorted().iter().map(Problem::to_string).collect();
        assert!(
            said[0].starts_with("a.toml: seeds: expected a number, got \"xxx"),
            "{}",
            said[0]
        );
        assert!(
            said[0].contains("xxx [… 19999742 characters …] xxx"),
            "{}",
            said[0]
        );
        assert!(said[0].ends_with("xxx\"; known: 7"), "{}", said[0]);
        assert_eq!(said[1], "a.toml: short");
        let set = Problem {
            file: format!("--set {}", "y".repeat(1000)),
            line: 0,
            column: 0,
            message: String::new(),
        };
        assert!(set.to_string().len() < 450);
        assert_eq!(
            suggest(&"dibs".repeat(5_000_000), ["dibs"]),
            "; known: dibs"
        );
    }

    #[test]
    fn no_more_problems_are_shown_than_can_be_read() {
        let mut all = Problems::default();
        let at = At::file("a.toml");
        (0..1000).for_each(|i| all.add(&at, format!("one\nand {i}")));
        let said = all.into_sorted();
        assert_eq!(said.len(), MOST + 1);
        assert_eq!(
            said[MOST].to_string(),
            "a.toml: more problems follow: only the first 200 are shown"
        );
    }

    #[test]
    fn problems_come_once_and_in_the_order_of_the_file() {
        let at = |line| At {
            file: "a.toml".into(),
            line,
            column: 1,
        };
        let mut all = Problems::default();
        all.add(&at(9), "late");
        all.add(&at(2), "early");
        all.add(&at(9), "late");
        let said: Vec<String> = all.into_sorted().iter().map(Problem::to_string).collect();
        assert_eq!(said, ["a.toml:2:1: early", "a.toml:9:1: late"]);
    }
}
