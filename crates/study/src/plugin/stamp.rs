//! Stamp of a library: the sources and compiler it was built from, read from its file before any of its code
//! runs.

use crate::Error;
use sidestep_plugin::{END, MAGIC, STAMP};
use std::path::Path;

/// Refuses the library `bytes` of `path` if its sources or compiler differ from this program's.
pub fn check(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let path = path.display();
    let Some(stamp) = find(bytes) else {
        return Err(Error::Input(format!(
            "cannot load {path}: expected a plug-in of Sidestep, got a file without its stamp"
        )));
    };
    if stamp == STAMP {
        return Ok(());
    }
    Err(Error::Input(format!(
        "cannot load {path}: expected a plug-in built for {}, got one built for {}; build it again with `sidestep run … \
         --plugin DIR` of this version",
        told(STAMP),
        told(&stamp)
    )))
}

/// Finds the stamp in a file.
fn find(bytes: &[u8]) -> Option<String> {
    let at = |text: &str, from: usize| {
        let places = bytes.get(from..)?.windows(text.len());
        let mut places = places
            .enumerate()
            .filter(|(_, here)| *here == text.as_bytes());
        places.next().map(|(at, _)| from + at)
    };
    let mut from = 0;
    // The magic may also appear alone, in code that reads stamps.
    loop {
        let begin = at(MAGIC, from)?;
        from = begin + MAGIC.len();
        let rest = &bytes[from..bytes.len().min(from + 1000)];
        if !rest.starts_with(b"version ") {
            continue;
        }
        let end = at(END, from)? + END.len();
        return String::from_utf8(bytes[begin..end].to_vec()).ok();
    }
}

/// Formats a stamp: `sidestep 0.1.0 (sources 0123456789ab, rustc 1.95.0 (…) x86_64-unknown-linux-gnu)`.
fn told(stamp: &str) -> String {
    let line = |name: &str| {
        let mut lines = stamp.lines();
        let found = lines
            .find_map(|line| line.strip_prefix(name))
            .unwrap_or("?");
        found.to_string()
    };
    let sources: String = line("sources ").chars().take(12).collect();
    format!(
        "sidestep {} (sources {sources}, {})",
        line("version "),
        line("compiler ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_found_among_other_bytes_and_another_version_is_told_with_both() {
        let path = Path::new("libmine.so");
        let around = |stamp: &str| {
            [
                b"\x7fELF",
                MAGIC.as_bytes(),
                b"\0\0",
                stamp.as_bytes(),
                b"\0rest",
            ]
            .concat()
        };
        check(path, &around(STAMP)).unwrap();
        let version = format!("version {}\n", env!("CARGO_PKG_VERSION"));
        let other = STAMP.replace(&version, "version 9.8.7\n");
        assert_ne!(other, STAMP);
        let why = check(path, &around(&other)).unwrap_err().to_string();
        assert!(
            why.contains("got one built for sidestep 9.8.7 (sources "),
            "{why}"
        );
        assert!(
            why.contains(concat!(
                "expected a plug-in built for sidestep ",
                env!("CARGO_PKG_VERSION")
            )),
            "{why}"
        );
        let why = check(path, &around(&STAMP.replace("rustc ", "rustc 9."))).unwrap_err();
        assert!(why.to_string().contains("rustc 9."), "{why}");
    }

    #[test]
    fn a_file_that_is_no_plug_in_is_told_so() {
        for bytes in [
            &b""[..],
            b"text",
            MAGIC.as_bytes(),
            b"sidestep plug-in 1\nversion 3",
        ] {
            let why = check(Path::new("x"), bytes).unwrap_err().to_string();
            assert!(why.contains("without its stamp"), "{why}");
        }
    }
}
