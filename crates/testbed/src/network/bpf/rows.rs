//! Test support: a BPF program of the hosts built as a process by the C compiler of this machine, and the rows
//! of its shim.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Row of a table: its cells by column.
pub type Row = BTreeMap<String, String>;

/// Reads the rows of a file of `conformance/vectors`.
pub fn rows(file: &str) -> Vec<Row> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/vectors");
    let text = fs::read_to_string(folder.join(file)).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(String::from));
    let names: Vec<String> = lines.next().unwrap().collect();
    lines
        .map(|cells| names.iter().cloned().zip(cells).collect())
        .collect()
}

/// Returns true if there is a C compiler; else reports that, and fails if `SIDESTEP_MUST_RUN` is set.
pub fn has_compiler() -> bool {
    let there = Command::new("cc").arg("--version").output().is_ok();
    if !there {
        // Written directly: the test harness would capture the output.
        let why = "skipped: no C compiler (cc)";
        let _ = writeln!(std::io::stderr(), "{why}");
        assert!(std::env::var_os("SIDESTEP_MUST_RUN").is_none(), "{why}");
    }
    there
}

/// Builds a `source` in `bpf/host` with these settings as a process.
pub fn build(folder: &Path, source: &str, defines: &[String]) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("bpf/host");
    let program = folder.join("rows");
    let built = Command::new("cc")
        .args(["-Wall", "-Werror", "-Wno-unknown-pragmas", "-O0"])
        .args(defines.iter().map(|define| format!("-D{define}")))
        .arg(format!("-I{}", sources.display()))
        .arg(sources.join(source))
        .arg("-o")
        .arg(&program)
        .status();
    assert!(built.unwrap().success(), "{source}: {defines:?}");
    program
}

/// Runs the program on these lines and returns its answers.
pub fn answers(program: &Path, args: &[&str], lines: &str) -> Vec<String> {
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let lines = lines.to_string();
    let told = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let done = child.wait_with_output().unwrap();
    assert!(
        done.status.success(),
        "a line is unknown, or a packet wrong: {}",
        program.display()
    );
    told.join().unwrap().unwrap();
    let said = String::from_utf8(done.stdout).unwrap();
    said.lines().map(String::from).collect()
}
