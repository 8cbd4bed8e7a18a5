//! External programs that build the testbed: `ip` and `tc`, and clang and bpftool for BPF programs.

use crate::error::Error;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

pub use sidestep_softswitch::ebpf::tools::find;

/// Refuses to begin without root or a program that every testbed needs.
pub fn need() -> Result<(), Error> {
    // SAFETY: only reads the user's number.
    if unsafe { libc::geteuid() } != 0 {
        return Err(Error::Input(
            "the testbed creates network namespaces: expected to run as root, got an ordinary \
             user; try sudo"
                .into(),
        ));
    }
    for name in ["ip", "tc"] {
        if find(name).is_none() {
            return Err(Error::Input(format!(
                "the testbed needs `{name}`, which is not in PATH; install Debian's package \
                 iproute2"
            )));
        }
    }
    Ok(())
}

/// Runs a program with `input` to its end and returns its output. The program is killed if this process ends.
///
/// Errors name the failed call and its error output.
pub fn run(program: &str, args: &[&str], input: &str) -> Result<String, Error> {
    let path = find(program).unwrap_or_else(|| program.into());
    let call = || format!("`{program} {}`", args.join(" "));
    let mut command = Command::new(path);
    command
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    die_with_parent(&mut command);
    let mut child = command
        .spawn()
        .map_err(|e| Error::Work(format!("cannot run {}: {e}", call())))?;
    let mut stdin = child.stdin.take().expect("piped above");
    // The program may fail before it has read all input: its exit status reports that.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let done = child
        .wait_with_output()
        .map_err(|e| Error::Work(format!("cannot wait for {}: {e}", call())))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        let lines: Vec<&str> = said.lines().map(str::trim).collect();
        return Err(Error::Work(format!(
            "{} failed ({}): {}",
            call(),
            done.status,
            lines.join("; ")
        )));
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

/// Runs lines of `ip` in a namespace, or outside.
pub fn ip(space: Option<&str>, lines: &[String]) -> Result<(), Error> {
    let batch = lines.join("\n") + "\n";
    let result = match space {
        Some(space) => run("ip", &["-n", space, "-batch", "-"], &batch),
        None => run("ip", &["-batch", "-"], &batch),
    };
    result.map(drop).map_err(|e| {
        // "Command failed -:3" names a line of the batch.
        let words = e.to_string();
        let line = words
            .split("-:")
            .nth(1)
            .and_then(|t| t.split(|c: char| !c.is_ascii_digit()).next())
            .and_then(|n| n.parse::<usize>().ok())
            .and_then(|n| lines.get(n - 1));
        let line = line.map_or(String::new(), |line| format!(", at `{line}`"));
        let place = space.map_or(String::new(), |s| format!(" in namespace {s}"));
        Error::Work(format!("{words}{line}{place}"))
    })
}

/// Kills the program when this process ends: it must not go on building.
fn die_with_parent(command: &mut Command) {
    // SAFETY: between fork and exec only a plain system call is made.
    unsafe {
        command.pre_exec(|| {
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(())
        });
    }
}
