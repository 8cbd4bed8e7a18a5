//! Pieces of HTML: fragments of addresses, tables, parts that scroll.

use crate::format::{Grid, Row, some};
use crate::plot::visible;
use crate::reproduce::drawn::Sheet;
use maud::{Markup, html};
use std::fmt::Write;

/// Turns a name into a fragment of an address.
pub fn anchor(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    name.chars().map(plain).collect()
}

/// Returns the file, with characters that neither a page nor a terminal shows made visible.
pub fn finish(page: &Markup) -> String {
    let shown = |c| if c == '\n' { c } else { visible(c) };
    page.0.chars().map(shown).collect()
}

/// Turns a path into an address relative to the page.
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

/// Renders a warning.
pub fn warn(words: &str) -> Markup {
    html! { p.warn { (words) } "\n" }
}

/// Renders a part that scrolls sideways if it must, and that a keyboard can reach. Its label is unique within
/// the page.
pub fn region(label: &str, inside: Markup) -> Markup {
    html! { div.scroll role="region" tabindex="0" aria-label=(label) { (inside) } "\n" }
}

/// Rows above which a table is folded.
const LONG: usize = 24;

/// Renders a table, if it has rows. `label` names its region, `caption` describes it.
pub fn sheet(label: &str, caption: &str, table: &Sheet) -> Markup {
    if table.rows.is_empty() {
        return Markup::default();
    }
    let rows = html! {
        @for row in &table.rows {
            tr {
                @for (i, cell) in row.iter().enumerate() {
                    @if i == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                }
            }
            "\n"
        }
    };
    let inside = html! {
        table.sheet {
            caption.unseen { (caption) }
            thead { tr { @for head in &table.head { th scope="col" { (head) } } } }
            tbody { (rows) }
        }
    };
    html! {
        details open[table.rows.len() <= LONG] {
            summary { "The same numbers (" (some(table.rows.len(), "row")) ")" }
            (region(label, inside))
        }
    }
}

/// Renders a grid as a table: its first row is the head, its headings stand above groups of rows. The first
/// `words` columns are text, the others numbers.
pub fn grid(label: &str, caption: &str, grid: &Grid, words: usize) -> Markup {
    // A row of dashes alone is left out.
    let empty = |cells: &[String]| cells.len() > 1 && cells[1..].iter().all(|c| c == "-");
    let mut head = None;
    // Each heading begins a new group.
    let mut groups: Vec<Markup> = Vec::new();
    for row in grid.rows() {
        match row {
            Row::Rule => {}
            Row::Cells(cells) if empty(cells) => {}
            Row::Cells(cells) if head.is_none() && groups.is_empty() => {
                head = Some(head_of(cells, words));
            }
            Row::Heading(words) => groups.push(html! {
                tr { th.over scope="rowgroup" colspan=(grid.width()) { (words.trim()) } } "\n"
            }),
            Row::Cells(cells) => {
                let row = row_of(cells, words);
                match groups.last_mut() {
                    Some(group) => group.0.push_str(&row.0),
                    None => groups.push(row),
                }
            }
        }
    }
    let inside = html! {
        table.grid {
            caption { (caption) }
            @if let Some(head) = head { thead { (head) } }
            @for group in groups { tbody { (group) } }
        }
    };
    region(label, inside)
}

fn head_of(cells: &[String], words: usize) -> Markup {
    html! {
        tr {
            @for (i, cell) in cells.iter().enumerate() {
                @if i == 0 && cell.trim().is_empty() { td {} }
                @else { th class=[(i >= words).then_some("n")] scope="col" { (cell.trim()) } }
            }
        }
    }
}

fn row_of(cells: &[String], words: usize) -> Markup {
    html! {
        tr {
            @for (i, cell) in cells.iter().enumerate() {
                // An indented cell gives details of the row above.
                @let deep = cell.chars().take_while(|c| *c == ' ').count() / 2;
                @if i == 0 { th scope="row" class={ "in" (deep.min(3)) } { (cell.trim()) } }
                @else { td class=[(i >= words).then_some("n")] { (cell.trim()) } }
            }
        }
        "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_user_wrote_becomes_markup_or_an_escape_code() {
        let wrote = "<script>\"a\" & 'b'</script>\u{1b}[31m\u{202e}";
        assert_eq!(
            finish(&html! { p title=(wrote) { (wrote) } }),
            format!(
                "<p title=\"{0}\">{0}</p>",
                "&lt;script&gt;&quot;a&quot; &amp; 'b'&lt;/script&gt;\u{fffd}[31m\u{fffd}"
            )
        );
        assert_eq!(finish(&html! { "Größe, µs, 数据" }), "Größe, µs, 数据");
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
        let out = grid("a", "b", &of, 1).0;
        for part in [
            "<td></td><th class=\"n\" scope=\"col\">dctcp</th><th class=\"n\" scope=\"col\">&lt;dibs&gt;</th>",
            "<th class=\"over\" scope=\"rowgroup\" colspan=\"3\">queries</th>",
            "<th scope=\"row\" class=\"in1\">p99, ms</th><td class=\"n\">24.1</td>",
            "<th scope=\"row\" class=\"in2\">interval</th>",
            "role=\"region\" tabindex=\"0\" aria-label=\"a\"",
        ] {
            assert!(out.contains(part), "{part} in {out}");
        }
        assert!(!out.contains("CPU"), "{out}");
    }
}
