//! `sidestep init`: example files to start from.

use crate::failure::{Failure, Outcome};
use crate::{out, schema};
use clap::Args;
use sidestep_study::files;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sidestep init                              into the working directory
  sidestep init mine && sidestep run mine/scenario.toml

Writes scenario.toml, flows.csv (a trace), topology.csv (a network), mine.toml (a scheme), and the \
schemas with which editors check them. If one of the files exists, nothing is written.")]
pub struct InitArgs {
    /// Directory to write to, which is created if missing
    #[arg(value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
}

/// Scenario that is written.
pub const SCENARIO: &str = include_str!("scenario.toml");

/// Writes the files, all or none, and prints the next steps.
pub fn init(args: &InitArgs) -> Outcome {
    let dir = &args.dir;
    let files = [
        ("scenario.toml", SCENARIO.to_string()),
        ("flows.csv", include_str!("flows.csv").to_string()),
        ("topology.csv", include_str!("topology.csv").to_string()),
        ("mine.toml", include_str!("mine.toml").to_string()),
        (
            "scenario.schema.json",
            schema::text(schema::SchemaKind::Scenario),
        ),
        (
            "scheme.schema.json",
            schema::text(schema::SchemaKind::Scheme),
        ),
    ];
    let there: Vec<&str> = (files.iter().map(|(name, _)| *name))
        .filter(|name| dir.join(name).symlink_metadata().is_ok())
        .collect();
    if !there.is_empty() {
        return Err(Failure::input(format!(
            "init: {} already has {}: expected a directory without these files; nothing was \
             written",
            dir.display(),
            there.join(", ")
        )));
    }
    files::is_no_file(dir).map_err(|why| Failure::input(format!("init: {why}")))?;
    fs::create_dir_all(dir).map_err(|why| cannot("make the directory", dir, &why))?;
    for (i, (name, text)) in files.iter().enumerate() {
        if let Err(failure) = write(&dir.join(name), text) {
            for (name, _) in &files[..i] {
                let _ = fs::remove_file(dir.join(name));
            }
            return Err(failure);
        }
    }
    out::say(&next(dir));
    Ok(0)
}

/// Writes a file that does not exist yet.
fn write(place: &Path, text: &str) -> Result<(), Failure> {
    let made = fs::File::create_new(place).and_then(|mut file| {
        let written = file.write_all(text.as_bytes());
        if written.is_err() {
            let _ = fs::remove_file(place);
        }
        written
    });
    made.map_err(|why| cannot("write", place, &why))
}

fn cannot(what: &str, place: &Path, why: &std::io::Error) -> Failure {
    Failure::work(format!("init: cannot {what} {}: {why}", place.display()))
}

/// Describes the files written, and the commands to run next.
fn next(dir: &Path) -> String {
    let at = |name: &str| match dir.to_str() {
        Some(".") => name.to_string(),
        _ => quoted(&dir.join(name).display().to_string()),
    };
    let (scenario, results) = (at("scenario.toml"), at("results"));
    format!(
        "wrote {}: the scenario; beside it
  flows.csv       a trace of 212 flows; yours takes its place with `sidestep import FILE --into {scenario}`
  topology.csv    the network: one cable per line
  mine.toml       a scheme to edit: policies of switches and senders
  *.schema.json   schemas for editors

next
  sidestep check {scenario}
  sidestep run {scenario} --out {results}
  sidestep show {results}
",
        at("scenario.toml")
    )
}

/// Quotes a path if a shell needs that.
pub fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%".contains(c);
    if path.chars().all(plain) {
        return path.to_string();
    }
    format!("'{}'", path.replace('\'', r"'\''"))
}
