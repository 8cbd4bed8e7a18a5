//! Exit status of a testbed's switch, for processes that did not start it.
//!
//! **Decision**     none. Only a process's parent learns how it ended, and `testbed up`, which starts the
//!                  switches, has ended by then. So each switch has a parent that stays: it waits, records how
//!                  its switch ended, and ends in the same way.
//! **State**        `s<i>.ended` in the folder of the testbed: empty while the switch runs.
//! **Errors**       none: if a switch's parent is dead as well, how the switch ended is unknown.
//!
//! The parent stays outside the switch's namespace, so that `testbed down`, which ends the processes inside,
//! finds the switch alone.

use super::blueprint::Blueprint;
use super::state;
use crate::error::{Error, failed};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// Longest time between a switch's last answer and its parent's record, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(2);

/// Returns the file that records how switch `i` ended.
fn record(testbed: &str, i: usize) -> PathBuf {
    state::folder(testbed).join(format!("s{i}.ended"))
}

/// Opens an empty record of switch `i`.
pub(super) fn open(print: &Blueprint, i: usize) -> Result<File, Error> {
    let path = record(&print.name, i);
    let mut options = OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).open(&path);
    file.map_err(failed(format!("cannot write {}", path.display())))
}

/// Forks: the child goes on, and this process stays as its parent and writes to `record` how it ended.
///
/// # Safety
/// Call it between fork and exec: there is one thread, and its memory is not used afterwards.
pub(super) unsafe fn stay_behind(record: &File) -> io::Result<()> {
    // SAFETY: plain system calls, as few as possible: see above. `clone` with a signal alone is `fork` without
    // the C library's handlers.
    unsafe {
        let (how, none): (libc::c_long, libc::c_long) = (libc::SIGCHLD.into(), 0);
        match libc::syscall(libc::SYS_clone, how, none, none, none, none) {
            0 => Ok(()),
            -1 => Err(io::Error::last_os_error()),
            child => wait(child as libc::pid_t, record.as_raw_fd()),
        }
    }
}

/// Waits for the child and records how it ended.
///
/// # Safety
/// As [`stay_behind`]: memory and descriptors belong to this process alone.
unsafe fn wait(child: libc::pid_t, record: RawFd) -> ! {
    let mut status: libc::c_int = 0;
    // SAFETY: plain calls; `status` lives until the end of the process.
    unsafe {
        libc::prctl(libc::PR_SET_NAME, c"sidestep-wait".as_ptr());
        libc::chdir(c"/".as_ptr());
        // The starting process waits for the end of a pipe, which this process must not keep open.
        libc::dup2(record, 0);
        let (first, last, plain): (libc::c_long, libc::c_long, libc::c_long) =
            (1, i32::MAX.into(), 0);
        if libc::syscall(libc::SYS_close_range, first, last, plain) != 0 {
            // `close_range` is missing (before Linux 5.9) or forbidden: no descriptor is larger than these.
            for fd in 1..65_536 {
                libc::close(fd);
            }
        }
        while libc::waitpid(child, &raw mut status, 0) != child {
            if *libc::__errno_location() != libc::EINTR {
                libc::_exit(1);
            }
        }
        libc::write(0, (&raw const status).cast(), size_of_val(&status));
        libc::_exit(match libc::WIFEXITED(status) {
            true => libc::WEXITSTATUS(status),
            // Exit status as shells report it.
            false => 128 + libc::WTERMSIG(status),
        })
    }
}

/// Describes how switch `i` ended, with its name; `None` while it runs, or if unknown.
pub fn how(print: &Blueprint, i: usize) -> Option<String> {
    let bytes = fs::read(record(&print.name, i)).ok()?;
    let status = ExitStatus::from_raw(i32::from_ne_bytes(bytes.try_into().ok()?));
    Some(words(&print.switches[i].name, status))
}

fn words(switch: &str, status: ExitStatus) -> String {
    match status.signal() {
        // "signal: 9 (SIGKILL)", with a note if there is a core dump.
        Some(_) => {
            let signal = status.to_string().replacen("signal: ", "signal ", 1);
            format!("switch {switch} was killed by {signal}")
        }
        None => format!("switch {switch} exited ({status})"),
    }
}

/// Describes how switch `i` ended after it failed to answer; waits for the record, which is written after its
/// sockets close.
pub(super) fn why_silent(print: &Blueprint, i: usize) -> Option<String> {
    let began = Instant::now();
    loop {
        let how = how(print, i);
        if how.is_some() || began.elapsed() > PATIENCE {
            return how;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    /// Runs `script` in a shell whose parent records how it ended; returns the parent's exit status, and the
    /// record.
    fn ended(script: &str) -> (ExitStatus, String) {
        let record = tempfile::NamedTempFile::new().unwrap();
        let file = record.reopen().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        // SAFETY: called between fork and exec.
        unsafe { command.pre_exec(move || stay_behind(&file)) };
        let parent = command.spawn().unwrap().wait().unwrap();
        let bytes = fs::read(record.path()).unwrap();
        let status = i32::from_ne_bytes(bytes.try_into().expect("a status was written"));
        (parent, words("s", ExitStatus::from_raw(status)))
    }

    #[test]
    fn who_did_not_start_a_process_learns_how_it_ended() {
        let (parent, said) = ended("exit 3");
        assert_eq!(parent.code(), Some(3));
        assert_eq!(said, "switch s exited (exit status: 3)");
        let (parent, said) = ended("kill -9 $$");
        assert_eq!(parent.code(), Some(137));
        assert_eq!(said, "switch s was killed by signal 9 (SIGKILL)");
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error_of_who_starts_it() {
        let record = tempfile::NamedTempFile::new().unwrap();
        let file = record.reopen().unwrap();
        let mut command = Command::new("/no/such/program");
        // SAFETY: called between fork and exec.
        unsafe { command.pre_exec(move || stay_behind(&file)) };
        let error = command.spawn().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
