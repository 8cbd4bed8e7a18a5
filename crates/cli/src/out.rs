//! Words for people: standard output and standard error, either of which may have been closed.

use std::io::{Write, stderr, stdout};

/// Prints on standard output. A reader that has gone away, as `head` does, ends the command quietly.
pub fn say(text: &str) {
    let mut out = stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Err(e) = written {
        if e.kind() != std::io::ErrorKind::BrokenPipe {
            complain(&format!("cannot write to standard output: {e}"));
        }
        std::process::exit(if e.kind() == std::io::ErrorKind::BrokenPipe { 0 } else { 1 });
    }
}

/// Prints one JSON object on standard output.
pub fn say_json(value: &serde_json::Value) {
    say(&format!("{value:#}\n"));
}

/// Prints an error on standard error.
pub fn complain(line: &str) {
    let _ = writeln!(stderr(), "sidestep: {line}");
}

/// Prints a remark on standard error.
pub fn remark(line: &str) {
    let _ = writeln!(stderr(), "{line}");
}
