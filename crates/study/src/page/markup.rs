//! Pieces of HTML: escaped text, fragments of addresses, tables.

use crate::plot::visible;
use crate::reproduce::drawn::Sheet;
use crate::words::{Grid, Row};
use std::fmt::Write;

/// A file in the making.
pub type Out = String;

/// A name as a fragment of an address.
pub fn anchor(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    name.chars().map(plain).collect()
}

/// Safe as text and inside quotes; what neither a page nor a terminal shows is made visible.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().map(visible) {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// A path as an address, relative to the page.
pub fn address(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' | b'~' => {
                out.push(char::from(byte));
            }
            _ => write!(out, "%{byte:02X}").expect("a string takes it all"),
        }
    }
    out
}

/// Adds words.
pub fn put(out: &mut String, words: std::fmt::Arguments<'_>) {
    out.write_fmt(words).expect("a string takes it all");
}

/// Adds a warning.
pub fn warn(out: &mut String, words: &str) {
    put(
        out,
        format_args!("<p class=\"warn\">{}</p>\n", escape(words)),
    );
}

/// Begins a part that scrolls sideways where it has to, which a keyboard reaches; a `</div>` ends
/// it. Each of a page has a label of its own.
pub fn region(out: &mut String, label: &str) {
    put(
        out,
        format_args!(
            "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">",
            escape(label)
        ),
    );
}

/// Longer tables are folded.
const LONG: usize = 24;

/// Adds a table, if it has rows. `label` is that of its region, `caption` says what it is.
pub fn sheet(out: &mut String, label: &str, caption: &str, table: &Sheet) {
    if table.rows.is_empty() {
        return;
    }
    let open = if table.rows.len() > LONG { "" } else { " open" };
    let rows = crate::words::some(table.rows.len(), "row");
    put(
        out,
        format_args!("<details{open}><summary>The same numbers ({rows})</summary>\n"),
    );
    region(out, label);
    put(
        out,
        format_args!(
            "<table class=\"sheet\">\n<caption class=\"unseen\">{}</caption>\n<thead><tr>",
            escape(caption)
        ),
    );
    for head in &table.head {
        put(out, format_args!("<th scope=\"col\">{}</th>", escape(head)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (i, cell) in row.iter().enumerate() {
            let cell = escape(cell);
            match i {
                0 => put(out, format_args!("<th scope=\"row\">{cell}</th>")),
                _ => put(out, format_args!("<td>{cell}</td>")),
            }
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div></details>\n");
}

/// Adds a grid as a table: its first row is its head, its headings are over groups of rows. So many
/// `words` columns from the left are no numbers.
pub fn grid(out: &mut String, label: &str, caption: &str, grid: &Grid, words: usize) {
    region(out, label);
    put(
        out,
        format_args!(
            "<table class=\"grid\">\n<caption>{}</caption>\n",
            escape(caption)
        ),
    );
    let wide = grid.width();
    let mut head = true;
    for row in grid.rows() {
        match row {
            Row::Rule => {}
            // Nobody has anything to say here.
            Row::Cells(cells) if cells.len() > 1 && cells[1..].iter().all(|c| c == "-") => {}
            Row::Cells(cells) if head => {
                out.push_str("<thead><tr>");
                for (i, cell) in cells.iter().enumerate() {
                    let cell = escape(cell.trim());
                    match (i, cell.as_str()) {
                        (0, "") => out.push_str("<td></td>"),
                        (i, _) if i < words => {
                            put(out, format_args!("<th scope=\"col\">{cell}</th>"))
                        }
                        _ => put(
                            out,
                            format_args!("<th scope=\"col\" class=\"n\">{cell}</th>"),
                        ),
                    }
                }
                out.push_str("</tr></thead>\n<tbody>\n");
                head = false;
            }
            Row::Heading(words) => {
                let (begin, end) = if head {
                    ("<tbody>\n", "")
                } else {
                    ("", "</tbody>\n<tbody>\n")
                };
                head = false;
                put(
                    out,
                    format_args!(
                        "{begin}{end}<tr><th scope=\"rowgroup\" colspan=\"{wide}\" class=\"over\">{}</th></tr>\n",
                        escape(words.trim())
                    ),
                );
            }
            Row::Cells(cells) => {
                out.push_str("<tr>");
                for (i, cell) in cells.iter().enumerate() {
                    // What stands further in says more of the row above.
                    let deep = cell.chars().take_while(|c| *c == ' ').count() / 2;
                    let cell = escape(cell.trim());
                    match i {
                        0 => put(
                            out,
                            format_args!(
                                "<th scope=\"row\" class=\"in{}\">{cell}</th>",
                                deep.min(3)
                            ),
                        ),
                        i if i < words => put(out, format_args!("<td>{cell}</td>")),
                        _ => put(out, format_args!("<td class=\"n\">{cell}</td>")),
                    }
                }
                out.push_str("</tr>\n");
            }
        }
    }
    if head {
        out.push_str("<tbody>\n");
    }
    out.push_str("</tbody></table></div>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_user_wrote_becomes_markup_or_an_escape_code() {
        assert_eq!(
            escape("<script>\"a\" & 'b'</script>\u{1b}[31m\u{202e}"),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;\u{fffd}[31m\u{fffd}"
        );
        assert_eq!(escape("Größe, µs, 数据"), "Größe, µs, 数据");
        assert_eq!(address("a b/ü#\"?.svg"), "a%20b/%C3%BC%23%22%3F.svg");
    }

    #[test]
    fn a_grid_is_a_table_with_heads_of_columns_rows_and_groups() {
        let mut of = Grid::default();
        of.row(["".into(), "dctcp".into(), "<dibs>".into()]);
        of.rule();
        of.heading("queries");
        of.row(["  p99, ms".into(), "24.1".into(), "3.2".into()]);
        of.row(["    interval".into(), "-".into(), "1..2".into()]);
        of.row(["  CPU, s".into(), "-".into(), "-".into()]);
        let mut out = String::new();
        grid(&mut out, "a", "b", &of, 1);
        for part in [
            "<td></td><th scope=\"col\" class=\"n\">dctcp</th><th scope=\"col\" class=\"n\">&lt;dibs&gt;</th>",
            "<th scope=\"rowgroup\" colspan=\"3\" class=\"over\">queries</th>",
            "<th scope=\"row\" class=\"in1\">p99, ms</th><td class=\"n\">24.1</td>",
            "<th scope=\"row\" class=\"in2\">interval</th>",
            "role=\"region\" tabindex=\"0\" aria-label=\"a\"",
        ] {
            assert!(out.contains(part), "{part} in {out}");
        }
        assert!(!out.contains("CPU"), "{out}");
    }
}
