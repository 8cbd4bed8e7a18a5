//! Dialogues with a sender, as text: `docs/reference/dialogues.md` describes the form, `tests/dialogues/` has the files.
//!
//! **Decision**     `text` reads a file, `settings` builds the sender of its settings, `play` plays its lines
//!                  and compares each answer with the file.
//! **State**        none between two dialogues.
//! **Units**        segments and microseconds in the text, bytes and picoseconds below it.
//! **Errors**       values with file and line; every dialogue that fails is reported, not only the first.
//! **Source**       the idea of a script with times is packetdrill's (Cardwell et al., USENIX ATC 2013); the
//!                  form is new here.
//!
//! `DIALOGUES=folder` plays the files of another folder, and prints one line with the result of each on
//! standard error.

mod page;
mod play;
mod runner;
mod settings;
mod text;

use std::path::{Path, PathBuf};

/// Returns the folder of the files to play.
fn folder() -> PathBuf {
    match std::env::var_os("DIALOGUES") {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dialogues"),
    }
}

#[test]
fn the_sender_answers_every_dialogue_as_written() {
    let played = play::folder(&folder());
    if std::env::var_os("DIALOGUES").is_some() {
        for one in &played {
            let word = if one.failure.is_none() {
                "agrees"
            } else {
                "differs"
            };
            eprintln!("{word}: {}: {}", one.file, one.name);
        }
    }
    let failures: Vec<String> = (played.iter())
        .filter_map(|one| one.failure.as_ref().map(ToString::to_string))
        .collect();
    assert!(!played.is_empty(), "no dialogue in {}", folder().display());
    assert!(
        failures.is_empty(),
        "{} of {} dialogues fail:\n{}",
        failures.len(),
        played.len(),
        failures.join("\n")
    );
}
