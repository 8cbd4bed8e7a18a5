//! Output to standard output and standard error, either of which may be closed.
//!
//! Titles, names and paths from a user may contain control codes that a terminal obeys. All output passes
//! through this module, which shows such a character as its number: `\u001b`, which in JSON stands for the
//! character itself.

use sidestep_study::json::versioned;
use std::borrow::Cow;
use std::io::{self, Write, stderr, stdout};

/// Prints on standard output. If the reader is gone, as after `head`, the command exits quietly.
pub fn say(text: &str) {
    if let Err(e) = try_say(text) {
        unheard(&e);
    }
}

/// Prints on standard output; returns the error, if any.
pub fn try_say(text: &str) -> io::Result<()> {
    let mut out = stdout().lock();
    out.write_all(visible(text).as_bytes())
        .and_then(|()| out.flush())
}

/// Exits the command, since standard output cannot be written to.
pub fn unheard(error: &io::Error) -> ! {
    if error.kind() == io::ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    complain(&format!("cannot write to standard output: {error}"));
    std::process::exit(1);
}

/// Prints one JSON object on standard output, with its format version.
pub fn say_json(value: &serde_json::Value) {
    say(&format!("{:#}\n", versioned(value)));
}

/// Prints an error on standard error.
pub fn complain(line: &str) {
    let _ = writeln!(stderr(), "sidestep: {}", visible(line));
}

/// Prints a remark on standard error.
pub fn remark(line: &str) {
    let _ = writeln!(stderr(), "{}", visible(line));
}

/// Replaces each character that a terminal would obey by its number: control characters but line ends and tabs,
/// and characters that change the writing direction.
fn visible(text: &str) -> Cow<'_, str> {
    let obeyed = |c: char| {
        let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        turns || c.is_control() && c != '\n' && c != '\t'
    };
    if !text.contains(obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match obeyed(c) {
            true => shown.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown_as_its_number() {
        let shown = visible("a\u{1b}[31mred\u{9b}0m\r\u{7}\u{202e}\tb\n");
        assert_eq!(shown, "a\\u001b[31mred\\u009b0m\\u000d\\u0007\\u202e\tb\n");
        assert!(matches!(visible("Größe, 数据, µs ≥ 5\n"), Cow::Borrowed(_)));
    }
}
