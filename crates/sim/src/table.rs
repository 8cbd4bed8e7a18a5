//! Comma-separated text with a header, comments and line numbers for its errors.
//!
//! **Decision**     lines that are empty or start with `#` are skipped; the first line left is
//!                  the header; every row has as many cells as the header has columns.
//! **Errors**       `name:line: expected …, got …`; no text causes a panic.
//! **Deviations**   cells are trimmed. A quoted cell may hold commas and line ends.

/// Parsed table.
#[derive(Debug)]
pub(crate) struct Table<'a> {
    name: &'a str,
    /// Cells of the header.
    pub columns: Vec<String>,
    /// Line of the header.
    pub header: usize,
    /// Rows with the right number of cells.
    pub rows: Vec<Row>,
    /// Errors of the other rows, by line.
    wrong: Vec<(usize, String)>,
}

/// Most errors reported for one file.
const MOST: usize = 20;

/// Most errors of one cause reported for one file.
const FEW: usize = 3;

/// Row of a table.
#[derive(Debug)]
pub(crate) struct Row {
    /// Line on which it starts, counted from 1.
    pub line: usize,
    cells: csv::StringRecord,
}

impl Row {
    /// Returns the text in column `column`; every row has all columns.
    pub fn cell(&self, column: usize) -> &str {
        &self.cells[column]
    }
}

/// Errors in the cells of one row: all are reported together.
#[derive(Default)]
pub(crate) struct RowErrors(Vec<String>);

impl RowErrors {
    /// Returns the value read; keeps the error if it could not be read.
    pub fn keep<T>(&mut self, read: Result<T, String>) -> Option<T> {
        read.map_err(|why| self.0.push(why)).ok()
    }

    /// Returns `made` if no error was kept, and otherwise all errors, one a line, in the order in which they
    /// were kept. `None` is possible only after an error.
    pub fn or<T>(self, made: Option<T>) -> Result<T, String> {
        match made {
            Some(made) if self.0.is_empty() => Ok(made),
            _ => Err(self.0.join("\n")),
        }
    }
}

impl<'a> Table<'a> {
    /// Parses `text`; errors call it `name`. `expected` is the header shown in an error.
    pub fn read(name: &'a str, text: &str, expected: &str) -> Result<Table<'a>, String> {
        // The csv crate counts a comment's lines into the record after it, so they are removed first.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let kept = (text.lines().enumerate())
            .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
        let (numbers, lines): (Vec<usize>, Vec<&str>) = kept.map(|(i, l)| (i + 1, l)).unzip();
        let joined = lines.join("\n");
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(joined.as_bytes());
        let mut table = Table {
            name,
            columns: Vec::new(),
            header: 1,
            rows: Vec::new(),
            wrong: Vec::new(),
        };
        for record in reader.records() {
            let cells = record.map_err(|why| format!("{name}: {why}"))?;
            let at = cells.position().map_or(1, csv::Position::line);
            let line = numbers.get((at - 1) as usize).copied().unwrap_or(1);
            if table.columns.is_empty() {
                table.header = line;
                table.columns = cells.iter().map(str::to_string).collect();
            } else if cells.len() != table.columns.len() {
                let want = format!(
                    "{} cells ({})",
                    table.columns.len(),
                    table.columns.join(",")
                );
                let wrong = table.error(line, &want, &cells.len().to_string());
                table.wrong.push((line, wrong));
            } else {
                table.rows.push(Row { line, cells });
            }
        }
        if table.columns.is_empty() {
            return Err(table.error(1, &format!("the header {expected:?}"), "nothing"));
        }
        Ok(table)
    }

    /// Returns true if no line follows the header.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.wrong.is_empty()
    }

    /// Applies `read` to each row. Returns the results, or all errors of the rows, in their order, at least one
    /// line each.
    pub fn each<'t, T>(
        &'t self,
        mut read: impl FnMut(&'t Row) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let mut wrong = self.wrong.clone();
        let mut made = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            match read(row) {
                Ok(one) => made.push(one),
                Err(why) => wrong.push((row.line, why)),
            }
        }
        if wrong.is_empty() {
            return Ok(made);
        }
        wrong.sort_by_key(|wrong| wrong.0);
        Err(self.summed(&wrong))
    }

    /// Sums up errors by cause: the first of each, and how many more there are.
    fn summed(&self, wrong: &[(usize, String)]) -> String {
        // Errors that expect the same have one cause: their number, and the line of the last.
        let mut causes: Vec<(&str, usize, usize)> = Vec::new();
        let mut said: Vec<String> = Vec::new();
        let mut more = 0;
        let each = wrong
            .iter()
            .flat_map(|(line, all)| all.lines().map(|one| (*line, one)));
        for (line, one) in each {
            let expected = expected(one);
            let known = causes.iter().position(|cause| cause.0 == expected);
            let at = known.unwrap_or(causes.len());
            if known.is_none() {
                if causes.len() == MOST {
                    more += 1;
                    continue;
                }
                causes.push((expected, 0, line));
            }
            causes[at].1 += 1;
            causes[at].2 = line;
            if causes[at].1 <= FEW {
                said.push(one.to_string());
            }
        }
        for (expected, many, last) in causes.iter().filter(|cause| cause.1 > FEW) {
            let (name, many) = (self.name, many - FEW);
            let times = if many == 1 { "time" } else { "times" };
            said.push(format!(
                "{name}: the same mistake {many} more {times}, the last on line {last}: {expected}"
            ));
        }
        if more > 0 {
            said.push(format!("{}: and {more} more lines are wrong", self.name));
        }
        said.join("\n")
    }

    /// Returns an error message with its line.
    pub fn error(&self, line: usize, expected: &str, got: &str) -> String {
        format!("{}:{line}: expected {expected}, got {got}", self.name)
    }

    /// Refuses a header other than `columns`. A quoted cell may hold a comma, so cells are compared, not the
    /// line.
    pub fn require_header(&self, columns: &str) -> Result<(), String> {
        if self.columns.iter().eq(columns.split(',')) {
            return Ok(());
        }
        let expected = format!("the header {columns:?}");
        let written = self.columns.iter().map(|cell| match cell.contains(',') {
            true => format!("'{cell}'"),
            false => cell.clone(),
        });
        let got = format!("{:?}", written.collect::<Vec<_>>().join(","));
        Err(self.error(self.header, &expected, &got))
    }
}

/// Returns the part of an error that says what was expected.
fn expected(said: &str) -> &str {
    let from = said.find("expected ").unwrap_or(0);
    let end = said.rfind(", got ").filter(|end| *end > from);
    &said[from..end.unwrap_or(said.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_keeps_the_line_it_stands_on() {
        let text = "\u{feff}# a comment\n\na,b\r\n1, 2\r\n# another\n\n 3,4\n\"5\n6\",7\n8,9";
        let table = Table::read("t.csv", text, "a,b").unwrap();
        assert_eq!((table.header, table.columns.join("|")), (3, "a|b".into()));
        let rows: Vec<_> = (table.rows.iter())
            .map(|r| (r.line, r.cell(0), r.cell(1)))
            .collect();
        let expected = [
            (4, "1", "2"),
            (7, "3", "4"),
            (8, "5\n6", "7"),
            (10, "8", "9"),
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn all_rows_that_are_wrong_are_refused_where_they_stand() {
        let table = Table::read("t.csv", "a,b\n1,2\n3\n4,x\n5\n", "a,b").unwrap();
        let number = |row: &Row| {
            let read = row.cell(1).parse::<u32>();
            read.map_err(|_| table.error(row.line, "a number", row.cell(1)))
        };
        let said = "t.csv:3: expected 2 cells (a,b), got 1\nt.csv:4: expected a number, got x\n\
                    t.csv:5: expected 2 cells (a,b), got 1";
        assert_eq!(table.each(number), Err(said.to_string()));
        let many = format!("a,b\n{}", "x\n".repeat(50));
        let table = Table::read("t.csv", &many, "a,b").unwrap();
        let said = table.each(|_| Ok(())).unwrap_err();
        assert_eq!(said.lines().count(), FEW + 1);
        let rest =
            "\nt.csv: the same mistake 47 more times, the last on line 51: expected 2 cells (a,b)";
        assert!(said.ends_with(rest), "{said}");
        // Causes are told apart by what they expect, up to a number of causes.
        let table = Table::read("t.csv", &format!("a,b\n{}", "1,2\n".repeat(50)), "a,b").unwrap();
        let each =
            table.each(|row| Err::<(), _>(table.error(row.line, &row.line.to_string(), "2")));
        let said = each.unwrap_err();
        assert_eq!(said.lines().count(), MOST + 1);
        assert!(
            said.ends_with("\nt.csv: and 30 more lines are wrong"),
            "{said}"
        );
        let quoted = Table::read("t.csv", "\"a,b\"\n1\n", "a,b").unwrap();
        let said = "t.csv:1: expected the header \"a,b\", got \"'a,b'\"";
        assert_eq!(quoted.require_header("a,b"), Err(said.to_string()));
        let said = Table::read("t.csv", "# nothing\n", "a,b").unwrap_err();
        assert_eq!(said, "t.csv:1: expected the header \"a,b\", got nothing");
    }
}
