//! Network namespaces without names: each is held by a descriptor, so that none is left behind, even after a
//! crash.

use crate::io::sys::answer;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Output};

/// New network namespace; it vanishes when it is dropped and its processes have ended.
#[derive(Debug)]
pub struct Namespace(File);

impl Namespace {
    /// Creates a namespace with its loopback up. An error says what is not allowed here.
    pub fn new() -> Result<Namespace, String> {
        let made = std::thread::spawn(|| -> io::Result<File> {
            // SAFETY: the namespace changes for this thread alone, which ends with this closure.
            answer(unsafe { libc::unshare(libc::CLONE_NEWNET) })?;
            File::open("/proc/thread-self/ns/net")
        });
        let made = made.join().map_err(|_| "the thread died".to_string())?;
        let space = Namespace(made.map_err(|e| format!("cannot make a network namespace: {e}"))?);
        space.ip("link set lo up")?;
        Ok(space)
    }

    /// Runs `work` in a thread of this namespace. Sockets that it opens stay in the namespace.
    pub fn within<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let fd = self.0.as_raw_fd();
        std::thread::scope(|scope| {
            let worker = scope.spawn(move || {
                enter(fd).expect("a namespace that is held open can be entered");
                work()
            });
            match worker.join() {
                Ok(value) => value,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }

    /// Returns a command that will start in this namespace.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let fd = self.0.as_raw_fd();
        // SAFETY: setns is a plain system call, allowed between fork and exec; the descriptor is open as long
        // as this namespace, which the caller holds when it spawns.
        unsafe { command.pre_exec(move || enter(fd)) };
        command
    }

    /// Runs `ip` with these words in this namespace.
    pub fn ip(&self, words: &str) -> Result<(), String> {
        self.run("ip", words).map(|_| ())
    }

    /// Runs a program with these words, separated by spaces, in this namespace; returns its output.
    pub fn run(&self, program: &str, words: &str) -> Result<String, String> {
        let done = (self
            .command(program)
            .args(words.split_whitespace())
            .output())
        .map_err(|e| format!("cannot run {program}: {e}"))?;
        said(&format!("{program} {words}"), &done)
    }

    /// Returns a path by which `ip link … netns PATH` finds the namespace, while this process lives.
    pub fn path(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.0.as_raw_fd())
    }
}

fn enter(fd: RawFd) -> io::Result<()> {
    // SAFETY: no memory is passed.
    answer(unsafe { libc::setns(fd, libc::CLONE_NEWNET) }).map(|_| ())
}

fn said(what: &str, done: &Output) -> Result<String, String> {
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    let why = String::from_utf8_lossy(&done.stderr);
    Err(format!("{what}: {}", why.trim()))
}
