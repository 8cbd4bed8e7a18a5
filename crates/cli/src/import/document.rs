//! Changes to the text of a TOML file that keep its comments and its order.

use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// TOML text with the changes made so far.
#[derive(Clone)]
pub struct Document {
    text: String,
}

/// Section of a document, as it is written.
enum Section {
    /// `[topology]`: the place of the header, and those of the keys and values below it.
    Header(Range<usize>, Vec<Line>),
    /// `topology = { … }`: the place of the value, and those of the keys and values in it.
    Inline(Range<usize>, Vec<Line>),
    Missing,
}

/// Key and value, by their places.
struct Line {
    key: String,
    at: Range<usize>,
    value: Range<usize>,
}

type Node<'a> = Spanned<DeValue<'a>>;

impl Document {
    /// Reads a document. Errors have the line.
    pub fn read(name: &str, text: &str) -> Result<Document, String> {
        let document = Document {
            text: text.to_string(),
        };
        match DeTable::parse(text) {
            Ok(_) => Ok(document),
            Err(why) => {
                let at = why.span().map_or(0, |span| span.start);
                Err(format!("{name}:{}: {}", document.line(at), why.message()))
            }
        }
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text of a value, as it is written; strings without quotes.
    pub fn value(&self, path: &[&str]) -> Option<String> {
        self.with(|root| {
            let node = find(root, path)?;
            match node.get_ref() {
                DeValue::String(text) => Some(text.to_string()),
                _ => self.text.get(node.span()).map(str::to_string),
            }
        })
    }

    /// Returns the text of a value, as it is written.
    pub fn raw(&self, path: &[&str]) -> Option<String> {
        self.with(|root| self.text.get(find(root, path)?.span()).map(str::to_string))
    }

    /// Returns the names of the tables and values in a table.
    pub fn keys(&self, path: &[&str]) -> Vec<String> {
        self.with(|root| {
            let table = match path {
                [] => Some(root),
                path => find(root, path).and_then(|node| node.get_ref().as_table()),
            };
            let mut keys: Vec<_> = table.into_iter().flat_map(DeTable::keys).collect();
            keys.sort_by_key(|key| key.span().start);
            keys.iter().map(|key| key.get_ref().to_string()).collect()
        })
    }

    /// Sets a value at the top of the document; `value` is TOML.
    pub fn set_top(&mut self, key: &str, value: &str) {
        let place = self.with(|root| {
            if let Some(node) = find(root, &[key]) {
                return (node.span(), value.to_string());
            }
            // After the last value at the top, before the first section.
            let last = (root.values())
                .filter(|node| !self.is_header(node))
                .map(|node| node.span().end)
                .filter(|end| *end <= self.first_header(root))
                .max();
            let at = last.map_or(0, |end| self.line_end(end));
            (at..at, format!("{key} = {value}\n"))
        });
        self.replace(place.0, &place.1);
    }

    /// Sets values of the section `path`; with `alone`, its other values are removed. Refuses a section whose
    /// values are written in a way that cannot be changed here.
    pub fn set(
        &mut self,
        path: &[&str],
        values: &[(&str, String)],
        alone: bool,
    ) -> Result<(), String> {
        match self.section(path)? {
            Section::Missing => {
                let header = path.join(".");
                let lines = values.iter().map(|(key, value)| line(key, value));
                let end = if self.text.is_empty() || self.text.ends_with('\n') {
                    ""
                } else {
                    "\n"
                };
                let text = format!("{end}\n[{header}]\n{}", lines.collect::<String>());
                self.text.push_str(&text);
            }
            Section::Inline(at, lines) => {
                let old = lines
                    .iter()
                    .filter(|line| !alone || values.iter().any(|(key, _)| *key == line.key));
                let mut all: Vec<(String, String)> = (old)
                    .map(|line| {
                        (
                            self.text[line.at.clone()].to_string(),
                            self.text[line.value.clone()].to_string(),
                        )
                    })
                    .collect();
                for (key, value) in values {
                    match all.iter_mut().find(|(known, _)| known == key) {
                        Some((_, old)) => old.clone_from(value),
                        None => all.push((key.to_string(), value.clone())),
                    }
                }
                let parts: Vec<String> = all
                    .iter()
                    .map(|(key, value)| format!("{key} = {value}"))
                    .collect();
                self.replace(at, &format!("{{ {} }}", parts.join(", ")));
            }
            Section::Header(header, lines) => {
                let last = lines.last().map_or(header.end, |line| line.value.end);
                let after = self.line_end(last);
                let mut changes: Vec<(Range<usize>, String)> = Vec::new();
                for line in &lines {
                    match values.iter().find(|(key, _)| *key == line.key) {
                        Some((_, value)) => changes.push((line.value.clone(), value.clone())),
                        None if alone => changes.push((
                            self.line_start(line.at.start)..self.line_end(line.value.end),
                            String::new(),
                        )),
                        None => {}
                    }
                }
                let new = values
                    .iter()
                    .filter(|(key, _)| !lines.iter().any(|line| line.key == *key));
                let new: String = new.map(|(key, value)| line(key, value)).collect();
                changes.push((after..after, new));
                changes.sort_by_key(|(at, _)| std::cmp::Reverse(at.start));
                for (at, text) in changes {
                    let lacks_end = at.start == self.text.len()
                        && !text.is_empty()
                        && !self.text.ends_with('\n');
                    let text = if lacks_end { format!("\n{text}") } else { text };
                    self.replace(at, &text);
                }
            }
        }
        Ok(())
    }

    /// Removes a value of a section, with its line.
    pub fn remove(&mut self, path: &[&str], key: &str) -> Result<(), String> {
        if let Section::Header(_, lines) = self.section(path)?
            && let Some(line) = lines.iter().find(|line| line.key == key)
        {
            let at = self.line_start(line.at.start)..self.line_end(line.value.end);
            self.replace(at, "");
        }
        Ok(())
    }

    /// Turns the sections `[[name]]` in which one of the `lines` lies into comments below `why`, and returns
    /// their number.
    pub fn comment_out(&mut self, name: &str, lines: &[usize], why: &str) -> usize {
        let mut places = self.with(|root| {
            let mut headers: Vec<usize> = Vec::new();
            self.headers(root, &mut headers);
            headers.sort_unstable();
            let all = root.get(name).and_then(|node| node.get_ref().as_array());
            let mut places: Vec<Range<usize>> = Vec::new();
            for node in all.into_iter().flat_map(|all| all.iter()) {
                let start = node.span().start;
                if !self.text[start..].starts_with("[[") {
                    continue;
                }
                let next = headers.iter().copied().find(|at| *at > start);
                let end = self.without_tail(start, next.unwrap_or(self.text.len()));
                let within = self.line(start)..=self.line(end.saturating_sub(1));
                if lines.iter().any(|line| within.contains(line)) {
                    places.push(self.line_start(start)..end);
                }
            }
            places
        });
        places.sort_by_key(|at| std::cmp::Reverse(at.start));
        for (i, at) in places.iter().enumerate() {
            let lines = self.text[at.clone()].lines();
            let commented: String = lines.map(|line| format!("# {line}\n")).collect();
            // The first of them, which is changed last, has the reason above it.
            let head = match i + 1 == places.len() {
                true => format!("# {why}\n"),
                false => String::new(),
            };
            self.replace(at.clone(), &(head + &commented));
        }
        places.len()
    }

    fn with<R>(&self, ask: impl FnOnce(&DeTable<'_>) -> R) -> R {
        let (root, _) = DeTable::parse_recoverable(&self.text);
        ask(root.get_ref())
    }

    fn replace(&mut self, at: Range<usize>, text: &str) {
        self.text.replace_range(at, text);
    }

    fn section(&self, path: &[&str]) -> Result<Section, String> {
        self.with(|root| {
            let Some(node) = find(root, path) else {
                return Ok(Section::Missing);
            };
            let name = path.join(".");
            let refused = || {
                Err(format!(
                    "expected [{name}] as a section of its own, got it in parts: write its keys below \
                     one header [{name}]"
                ))
            };
            let Some(table) = node.get_ref().as_table() else {
                return Err(format!("expected [{name}], got a single value"));
            };
            let begins = |word: &str| self.text[node.span()].starts_with(word);
            let inline = begins("{");
            if !inline && !begins("[") || begins("[[") {
                return refused();
            }
            let mut lines = Vec::new();
            for (key, value) in table {
                // A table below, whose header is a line of its own.
                let begun = self.line_start(key.span().start);
                if self.is_header(value) || self.text[begun..].trim_start().starts_with('[') {
                    continue;
                }
                let parts = value.get_ref().is_table() && !self.text[value.span()].starts_with('{');
                if parts {
                    return Err(format!(
                        "expected {name}.{} with its value, got it in parts",
                        key.get_ref()
                    ));
                }
                lines.push(Line {
                    key: key.get_ref().to_string(),
                    at: key.span(),
                    value: value.span(),
                });
            }
            lines.sort_by_key(|line| line.at.start);
            Ok(match inline {
                true => Section::Inline(node.span(), lines),
                false => Section::Header(node.span(), lines),
            })
        })
    }

    /// Returns true for a table that has a header of its own.
    fn is_header(&self, node: &Node<'_>) -> bool {
        let holds = node.get_ref().is_table() || node.get_ref().is_array();
        let begins = self
            .text
            .get(node.span())
            .is_some_and(|text| text.starts_with('['));
        match node.get_ref() {
            DeValue::Array(all) => all
                .iter()
                .next()
                .is_some_and(|first| self.text[first.span()].starts_with("[[")),
            _ => holds && begins,
        }
    }

    fn first_header(&self, root: &DeTable<'_>) -> usize {
        let mut headers = Vec::new();
        self.headers(root, &mut headers);
        headers.into_iter().min().unwrap_or(self.text.len())
    }

    /// Collects the places of all headers.
    fn headers(&self, table: &DeTable<'_>, into: &mut Vec<usize>) {
        for node in table.values() {
            self.headers_of(node, into);
        }
    }

    fn headers_of(&self, node: &Node<'_>, into: &mut Vec<usize>) {
        let begins = |word| self.text[node.span()].starts_with(word);
        match node.get_ref() {
            DeValue::Table(table) if !begins("{") => {
                if begins("[") {
                    into.push(node.span().start);
                }
                self.headers(table, into);
            }
            DeValue::Array(all) => all.iter().for_each(|one| self.headers_of(one, into)),
            _ => {}
        }
    }

    /// Returns the end of a section without the blank lines and comments before the next header, which belong
    /// to that.
    fn without_tail(&self, start: usize, next: usize) -> usize {
        let mut end = next;
        while end > start {
            let before = self.line_start(end - 1);
            let line = self.text[before..end].trim();
            if before <= start || !(line.is_empty() || line.starts_with('#')) {
                break;
            }
            end = before;
        }
        end
    }

    /// Returns the number of the line, from 1, in which `at` lies.
    fn line(&self, at: usize) -> usize {
        1 + self.text.as_bytes()[..at.min(self.text.len())]
            .iter()
            .filter(|b| **b == b'\n')
            .count()
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |end| end + 1)
    }

    fn line_end(&self, at: usize) -> usize {
        self.text[at..]
            .find('\n')
            .map_or(self.text.len(), |end| at + end + 1)
    }
}

/// Formats a line of a section; the key is quoted if it must be.
fn line(key: &str, value: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match !key.is_empty() && key.chars().all(bare) {
        true => format!("{key} = {value}\n"),
        false => format!("{key:?} = {value}\n"),
    }
}

fn find<'a, 'b>(root: &'b DeTable<'a>, path: &[&str]) -> Option<&'b Node<'a>> {
    let (last, above) = path.split_last()?;
    let mut table = root;
    for key in above {
        table = table.get(*key)?.get_ref().as_table()?;
    }
    table.get(*last)
}

#[cfg(test)]
mod tests;
