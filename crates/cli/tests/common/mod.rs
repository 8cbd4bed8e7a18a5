//! Test support: calls the command in a temporary directory.
#![allow(dead_code, reason = "each test file uses its part")]

pub mod bed;
pub mod switching;

use serde_json::Value;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Reports why a test is skipped, past the test harness, which would capture it. Fails if `SIDESTEP_MUST_RUN`
/// is set.
pub fn skip(why: &str) {
    let _ = writeln!(std::io::stderr(), "{why}");
    assert!(std::env::var_os("SIDESTEP_MUST_RUN").is_none(), "{why}");
}

/// Runs a copy of the command, readable by all, as an ordinary user in `/`. Skips with the reason and returns
/// `None` if the test itself runs as an ordinary user.
pub fn run_as_nobody(args: &[&str]) -> Option<Done> {
    let place = tempfile::tempdir().unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let copy = place.path().join("sidestep");
    // Copied by another process: a child of another test could inherit this process's descriptor open for
    // writing, and a file that is open for writing cannot be run.
    let mut copied = Command::new("cp");
    let copied = copied.arg(env!("CARGO_BIN_EXE_sidestep")).arg(&copy);
    assert!(copied.status().unwrap().success());
    let mut command = Command::new(copy);
    command.args(args).current_dir("/").uid(65_534).gid(65_534);
    let output = command.output();
    let said = output.map_err(|why| skip(&format!("skipped: not as an ordinary user: {why}")));
    said.ok().map(Done::of)
}

/// Directory to call the command in.
pub struct Room(TempDir);

impl Room {
    /// Creates an empty directory.
    pub fn new() -> Room {
        Room(tempfile::tempdir().unwrap())
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file.
    pub fn file(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    /// Returns the command, not yet started.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sidestep"));
        command.args(args).current_dir(self.path());
        command
    }

    /// Runs the command.
    pub fn run(&self, args: &[&str]) -> Done {
        Done::of(self.command(args).output().unwrap())
    }

    /// Returns the parts of the result in folder `out` that do not depend on a clock: its summary and its
    /// tables, by name.
    pub fn result(&self, out: &str) -> (Value, Vec<(String, Vec<u8>)>) {
        let folder = self.path().join(out);
        let summary = fs::read(folder.join("summary.json")).expect("a summary");
        let files = fs::read_dir(&folder).expect("a folder");
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".parquet")).collect();
        names.sort();
        let read = |name: String| (name.clone(), fs::read(folder.join(name)).unwrap());
        let tables: Vec<_> = names.into_iter().map(read).collect();
        let there = |name: &str| tables.iter().any(|table: &(String, _)| table.0 == name);
        for name in ["flows", "queries", "ports", "samples", "counts"] {
            assert!(there(&format!("{name}.parquet")), "{out} has {name}");
        }
        (timeless(&summary), tables)
    }

    /// Returns all names in the room, hidden ones included, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// Parses a JSON file, without the values that depend on clocks and threads.
pub fn timeless(bytes: &[u8]) -> Value {
    fn clear(value: &mut Value) {
        match value {
            Value::Array(all) => all.iter_mut().for_each(clear),
            Value::Object(map) => {
                for key in ["began", "jobs", "wall_s", "cpu_s", "hops_per_cpu_s"] {
                    map.remove(key);
                }
                map.values_mut().for_each(clear);
            }
            _ => {}
        }
    }
    let mut value = serde_json::from_slice(bytes).expect("JSON");
    clear(&mut value);
    value
}

/// Output of a command.
#[derive(Debug)]
pub struct Done {
    /// Exit status.
    pub status: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Done {
    /// Reads the output of a process. The status of a killed command is 128 + signal.
    pub fn of(output: Output) -> Done {
        use std::os::unix::process::ExitStatusExt;
        let status = output.status;
        Done {
            status: status
                .code()
                .unwrap_or_else(|| 128 + status.signal().unwrap_or(0)),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Panics with all output unless the exit status is `status`.
    pub fn with_status(self, status: i32) -> Done {
        assert_eq!(self.status, status, "{self:?}");
        self
    }
}
