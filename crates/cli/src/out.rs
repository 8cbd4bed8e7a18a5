//! Words for people: standard output and standard error, either of which may have been closed.

use std::io::{self, Write, stderr, stdout};

/// Prints on standard output. A reader that has gone away, as `head` does, ends the command quietly.
pub fn say(text: &str) {
    if let Err(e) = try_say(text) {
        unheard(&e);
    }
}

/// The same, and goes on.
pub fn try_say(text: &str) -> io::Result<()> {
    let mut out = stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

/// Ends the command, since standard output cannot be written to.
pub fn unheard(error: &io::Error) -> ! {
    if error.kind() == io::ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    complain(&format!("cannot write to standard output: {error}"));
    std::process::exit(1);
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
