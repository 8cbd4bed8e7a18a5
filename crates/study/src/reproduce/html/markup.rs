//! Pieces of HTML: escaped text, fragments of addresses, tables.

use super::super::drawn::Sheet;
use std::fmt::Write;

/// A name as a fragment of an address.
pub fn anchor(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    name.chars().map(plain).collect()
}

/// Safe as text and inside quotes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
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

/// Longer tables are folded.
const LONG: usize = 24;

/// Adds a table, if it has rows.
pub fn sheet(out: &mut String, table: &Sheet) {
    if table.rows.is_empty() {
        return;
    }
    let open = if table.rows.len() > LONG { "" } else { " open" };
    put(
        out,
        format_args!(
            "<details{open}><summary>The same numbers ({} rows)</summary>\n<div class=\"scroll\"><table class=\"sheet\">\n<thead><tr>",
            table.rows.len()
        ),
    );
    for head in &table.head {
        put(out, format_args!("<th>{}</th>", escape(head)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for cell in row {
            put(out, format_args!("<td>{}</td>", escape(cell)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div></details>\n");
}
