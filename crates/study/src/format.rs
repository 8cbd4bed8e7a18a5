//! Numbers and paragraphs for people.

/// Note on a sweep with incomplete points.
pub(crate) const PARTIAL: &str =
    "interrupted; the numbers of each point cover the seeds that finished under every scheme.";

/// Formats a count: `1,234,567`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// Formats a count with its noun: `1 switch`, `1,234 switches`.
pub fn counted(n: u64, noun: &str) -> String {
    let ending = match n {
        1 => "",
        _ if noun.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{} {noun}{ending}", count(n))
}

/// Formats a number with three significant digits, or all before the point: `0.0123`, `3.21`, `24.1`, `1,240`.
pub fn number(v: f64) -> String {
    if !v.is_finite() {
        return "-".into();
    }
    let magnitude = v.abs();
    if magnitude >= 1000.0 {
        let whole = count(magnitude.round() as u64);
        return if v < 0.0 { format!("-{whole}") } else { whole };
    }
    let decimals = match magnitude {
        0.0 => 0,
        m => (2 - m.log10().floor() as i32).clamp(0, 6) as usize,
    };
    format!("{v:.decimals$}")
}

/// Formats a share: `12.3 %`; never 100 % or 0 % unless it is exact.
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".into();
    }
    let percent = 100.0 * part as f64 / whole as f64;
    match percent {
        _ if part == whole => "100 %".into(),
        _ if part == 0 => "0 %".into(),
        p if p > 99.99 => "> 99.99 %".into(),
        p if p < 0.01 => "< 0.01 %".into(),
        p if p < 1.0 => format!("{p:.2} %"),
        p if p > 99.0 => format!("{p:.2} %"),
        p => format!("{p:.1} %"),
    }
}

/// Formats seeds: `1, 2, 3` as `1-3`; others as a list.
pub fn seeds(seeds: &[u64]) -> String {
    let run = seeds.windows(2).all(|w| w[1] == w[0].wrapping_add(1));
    match seeds {
        [] => "none".into(),
        [one] => one.to_string(),
        [first, .., last] if run => format!("{first}-{last}"),
        all => all
            .iter()
            .map(u64::to_string)
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// Breaks a text into lines of at most `width` characters; a longer word gets its own line.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

/// Cells in columns: the first column is left-aligned, the others right-aligned.
#[derive(Debug, Default)]
pub struct Grid {
    rows: Vec<Row>,
}

/// Line of a grid.
#[derive(Debug)]
pub enum Row {
    /// Cells, one for each column.
    Cells(Vec<String>),
    /// Words above the rows that follow.
    Heading(String),
    /// Horizontal line.
    Rule,
}

impl Grid {
    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(Row::Cells(cells.into_iter().collect()));
    }

    /// Adds a heading above the rows that follow.
    pub fn heading(&mut self, words: &str) {
        self.rows.push(Row::Heading(words.into()));
    }

    /// Adds a horizontal line.
    pub fn rule(&mut self) {
        self.rows.push(Row::Rule);
    }

    /// Returns its lines.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        self.widths().len()
    }

    /// Formats the grid as text. `left` are the columns, beside the first, that are left-aligned.
    pub fn render(&self, left: &[usize]) -> String {
        let widths = self.widths();
        let total: usize = widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1);
        let mut out = String::new();
        for row in &self.rows {
            match row {
                Row::Heading(words) => out.push_str(words),
                Row::Rule => out.push_str(&"-".repeat(total)),
                Row::Cells(cells) => {
                    let mut line = String::new();
                    for (i, cell) in cells.iter().enumerate() {
                        let pad = " ".repeat(widths[i] - cell.chars().count());
                        let gap = if i == 0 { "" } else { "  " };
                        line.push_str(gap);
                        if i == 0 || left.contains(&i) {
                            line.push_str(cell);
                            line.push_str(&pad);
                        } else {
                            line.push_str(&pad);
                            line.push_str(cell);
                        }
                    }
                    out.push_str(line.trim_end());
                }
            }
            out.push('\n');
        }
        out
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = Vec::new();
        for row in &self.rows {
            let Row::Cells(cells) = row else { continue };
            for (i, cell) in cells.iter().enumerate() {
                let wide = cell.chars().count();
                match widths.get_mut(i) {
                    Some(w) => *w = (*w).max(wide),
                    None => widths.push(wide),
                }
            }
        }
        widths
    }
}

/// Formats a number of things: `1 claim`, `2 claims`.
pub fn some(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}

/// Appends `more` to a title: after a semicolon, or as a sentence if the title is one.
pub fn and(title: &str, more: &str) -> String {
    if !title.ends_with(['?', '!', '.']) {
        return format!("{title}; {more}");
    }
    let mut letters = more.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    format!("{title} {}{}", first.unwrap_or_default(), letters.as_str())
}

/// Formats a paragraph with a hanging label on the left.
pub fn hang(label: &str, text: &str, width: usize) -> String {
    let indent = " ".repeat(label.len());
    let mut out = String::new();
    for (i, line) in wrap(text, width - label.len()).iter().enumerate() {
        out.push_str(if i == 0 { label } else { &indent });
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_beside_a_question_is_a_sentence_of_its_own() {
        assert_eq!(and("a burst", "seeds 1-3"), "a burst; seeds 1-3");
        assert_eq!(and("is it?", "seeds 1-3"), "is it? Seeds 1-3");
    }

    #[test]
    fn one_thing_has_no_plural() {
        assert_eq!(counted(1, "switch"), "1 switch");
        assert_eq!(counted(0, "switch"), "0 switches");
        assert_eq!(counted(1_024, "host"), "1,024 hosts");
    }

    #[test]
    fn numbers_keep_three_digits() {
        let got = [0.0, 0.012345, 3.2149, 24.06, 456.7, 1239.6, -2.5].map(number);
        assert_eq!(
            got,
            ["0", "0.0123", "3.21", "24.1", "457", "1,240", "-2.50"]
        );
        assert_eq!(number(f64::NAN), "-");
        assert_eq!(
            [0, 999, 1000, 1234567].map(count),
            ["0", "999", "1,000", "1,234,567"]
        );
    }

    #[test]
    fn a_share_is_never_rounded_to_all_or_nothing() {
        assert_eq!(share(1_499_999, 1_500_000), "> 99.99 %");
        assert_eq!(share(1, 1_500_000), "< 0.01 %");
        assert_eq!(share(5, 5), "100 %");
        assert_eq!(share(0, 5), "0 %");
        assert_eq!(share(0, 0), "-");
        assert_eq!(share(1, 3), "33.3 %");
    }

    #[test]
    fn consecutive_seeds_are_a_range() {
        assert_eq!(seeds(&[1, 2, 3]), "1-3");
        assert_eq!(seeds(&[7]), "7");
        assert_eq!(seeds(&[1, 3]), "1, 3");
    }

    #[test]
    fn columns_line_up() {
        let mut grid = Grid::default();
        grid.row(["".into(), "dctcp".into(), "dibs".into()]);
        grid.rule();
        grid.row(["p99, ms".into(), "24.1".into(), "3.2".into()]);
        assert_eq!(
            grid.render(&[]),
            "         dctcp  dibs\n--------------------\np99, ms   24.1   3.2\n"
        );
    }

    #[test]
    fn paragraphs_wrap() {
        assert_eq!(wrap("a bb ccc dddd", 6), ["a bb", "ccc", "dddd"]);
    }
}
