//! What is wrong with a scenario, and where.

use std::fmt;
use std::sync::Arc;

/// One thing that is wrong with what a user wrote.
///
/// Prints as `schemes/dibs.toml:4:10: buffer "dips" is unknown; did you mean "dibs"?`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file as it was named, or the `--set` argument.
    pub file: String,
    /// Line, from 1; 0 when the problem has no line.
    pub line: u32,
    /// Column in characters, from 1; 0 when the problem has no line.
    pub column: u32,
    /// What is wrong, what was expected and what stood there.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(
                f,
                "{}:{}:{}: {}",
                self.file, self.line, self.column, self.message
            )
        } else {
            write!(f, "{}: {}", self.file, self.message)
        }
    }
}

impl std::error::Error for Problem {}

/// A place in what a user wrote.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct At {
    /// The file as it was named, or the `--set` argument.
    pub file: Arc<str>,
    /// Line, from 1; 0 when it has none.
    pub line: u32,
    /// Column in characters, from 1; 0 when it has none.
    pub column: u32,
}

impl At {
    /// The file as a whole.
    pub fn file(file: &str) -> At {
        At {
            file: file.into(),
            line: 0,
            column: 0,
        }
    }
}

/// All problems found so far, each once: schemes share their layers, and would repeat them.
#[derive(Debug, Default)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Adds one, if it is not there yet.
    pub fn add(&mut self, at: &At, message: impl Into<String>) {
        let problem = Problem {
            file: at.file.to_string(),
            line: at.line,
            column: at.column,
            message: message.into(),
        };
        if !self.0.contains(&problem) {
            self.0.push(problem);
        }
    }

    /// Nothing is wrong so far.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds those of others that are not there yet.
    pub fn extend(&mut self, others: Problems) {
        for problem in others.0 {
            if !self.0.contains(&problem) {
                self.0.push(problem);
            }
        }
    }

    /// In the order of files as met, then of lines.
    pub fn into_sorted(self) -> Vec<Problem> {
        let mut files: Vec<String> = Vec::new();
        for problem in &self.0 {
            if !files.contains(&problem.file) {
                files.push(problem.file.clone());
            }
        }
        let mut all = self.0;
        let rank = |p: &Problem| files.iter().position(|f| *f == p.file);
        all.sort_by_key(|p| (rank(p), p.line, p.column));
        all
    }
}

/// `; did you mean "x"?` for the nearest of `known`, or the whole list when none is near and it is short.
pub fn suggest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let lower = word.to_lowercase();
    // A word cut short or gone on for too long is one slip; else one slip in three letters,
    // transpositions counted once. The first of the nearest wins.
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
        None => format!("; known: {}", known.join(", ")),
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
