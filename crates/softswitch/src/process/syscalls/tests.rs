use super::*;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};
use std::time::Duration;

/// Environment variable with the name of the call that the confined process makes.
const WORK: &str = "SIDESTEP_TEST_CALL";

/// Body of the confined process that the other tests start; not a test by itself.
#[test]
#[ignore = "the other tests of this file start it in a process of its own"]
fn confined() {
    let Ok(work) = std::env::var(WORK) else {
        return;
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let before = TcpStream::connect(at).unwrap();
    let (now, wait) = std::sync::mpsc::channel();
    let earlier = std::thread::spawn(move || {
        if wait.recv() == Ok(()) {
            drop(std::net::UdpSocket::bind("127.0.0.1:0"));
        }
    });
    confine().unwrap();
    let none = std::ptr::null_mut::<c_void>();
    // SAFETY: none of the forbidden calls is made: the process ends instead. The allowed ones use no memory.
    unsafe {
        match work.as_str() {
            "nothing" => {}
            "allowed" => allowed(&listener, before),
            "socket" => drop(std::net::UdpSocket::bind("127.0.0.1:0")),
            "execve" => {
                let (path, end) = (c"/bin/true".as_ptr(), std::ptr::null());
                libc::execve(path, &raw const end, &raw const end);
            }
            "clone" => {
                libc::syscall(libc::SYS_clone, libc::SIGCHLD, none, none, none, none);
            }
            "thread: socket" => {
                let thread = std::thread::spawn(|| drop(std::net::UdpSocket::bind("127.0.0.1:0")));
                let _ = thread.join();
            }
            "earlier thread: socket" => {
                now.send(()).unwrap();
                let _ = earlier.join();
            }
            "ptrace" => {
                libc::ptrace(libc::PTRACE_TRACEME, 0, none, none);
            }
            "tgkill" => {
                libc::syscall(libc::SYS_tgkill, 1, 1, 0);
            }
            "kill" => {
                libc::kill(1, 0);
            }
            "mmap" => {
                let (code, anonymous) = (
                    libc::PROT_READ | libc::PROT_EXEC,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                );
                libc::mmap(none, 4096, code, anonymous, -1, 0);
            }
            "mprotect" => {
                libc::mprotect(none, 4096, libc::PROT_WRITE | libc::PROT_EXEC);
            }
            "ioctl" => {
                libc::ioctl(0, libc::TIOCSTI, none);
            }
            "prctl" => {
                libc::prctl(libc::PR_SET_DUMPABLE, 1);
            }
            "prlimit64" => {
                let limit = libc::rlimit {
                    rlim_cur: 9,
                    rlim_max: 9,
                };
                libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
            }
            "setsockopt" => {
                libc::setsockopt(0, libc::SOL_SOCKET, libc::SO_ATTACH_FILTER, none, 0);
            }
            "fchmod" => {
                libc::fchmod(0, 0o7777);
            }
            "setresuid" => {
                libc::syscall(libc::SYS_setresuid, 0, 0, 0);
            }
            "unnamed" => {
                libc::syscall(libc::SYS_sync);
            }
            other => panic!("{other:?} is not known"),
        }
    }
    println!("went on");
}

/// Makes the calls that threads, clients, files, time and memory need.
fn allowed(listener: &TcpListener, mut before: TcpStream) {
    before
        .set_read_timeout(Some(Duration::from_secs(9)))
        .unwrap();
    before.set_nonblocking(false).unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    let thread = std::thread::Builder::new().name("echo".into());
    let echo = move || {
        std::thread::sleep(Duration::from_millis(1));
        stream.write_all(b"heard").unwrap();
        stream.shutdown(std::net::Shutdown::Both).unwrap();
        vec![1u8; 64 << 20].len()
    };
    let echo = thread.spawn(echo).unwrap();
    let mut said = String::new();
    before.read_to_string(&mut said).unwrap();
    assert_eq!((said.as_str(), echo.join().unwrap()), ("heard", 64 << 20));
    let room = std::env::var("SIDESTEP_TEST_ROOM").unwrap();
    let path = std::path::Path::new(&room).join("x");
    crate::process::files::create(&path)
        .unwrap()
        .write_all(b"x")
        .unwrap();
    crate::process::files::replace(&path).unwrap();
    assert_eq!(crate::process::files::read(&path, 9).unwrap(), "");
    // A panicking thread prints its message, and the process lives.
    assert!(std::thread::spawn(|| panic!("said")).join().is_err());
    // A call whose form is up to the C library: random keys of a hash map.
    let map: std::collections::HashMap<u8, u8> = std::collections::HashMap::from([(1, 2)]);
    assert_eq!(map[&1], 2);
}

fn run(work: &str) -> Output {
    let room = tempfile::tempdir().unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        "process::syscalls::tests::confined",
        "--ignored",
        "--nocapture",
        "--test-threads=1",
    ]);
    command
        .env(WORK, work)
        .env("SIDESTEP_TEST_ROOM", room.path());
    // Leak detection would start a process that traces this one.
    command
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .env("RUST_BACKTRACE", "1");
    command.output().unwrap()
}

fn went_on(done: &Output) -> bool {
    String::from_utf8_lossy(&done.stdout).contains("went on")
}

#[test]
fn what_a_switch_does_is_allowed() {
    for work in ["nothing", "allowed"] {
        let done = run(work);
        assert!(done.status.success() && went_on(&done), "{work}: {done:?}");
    }
}

#[test]
fn a_forbidden_call_ends_the_process_with_its_name() {
    for work in [
        "socket",
        "execve",
        "clone",
        "thread: socket",
        "earlier thread: socket",
        "ptrace",
        "tgkill",
        "kill",
        "mmap",
        "mprotect",
        "ioctl",
        "prctl",
        "prlimit64",
        "setsockopt",
        "fchmod",
        "setresuid",
    ] {
        let done = run(work);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.signal(), Some(libc::SIGSYS), "{work}: {done:?}");
        assert!(!went_on(&done), "{work}: {done:?}");
        let name = work.rsplit(' ').next().unwrap();
        let expected = format!("({name}), which process.seccomp forbids to a running switch");
        assert!(said.contains(&expected), "{work}: {said}");
    }
}

#[test]
fn a_call_without_a_name_here_is_told_by_its_number() {
    let done = run("unnamed");
    assert_eq!(done.status.signal(), Some(libc::SIGSYS), "{done:?}");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    let expected = format!(
        "sidestep switch: ended by system call {}, which process.seccomp forbids",
        libc::SYS_sync
    );
    assert!(said.contains(&expected), "{said}");
}

#[test]
fn no_call_is_both_free_and_limited() {
    let limited = limited();
    for (name, call) in ALWAYS.iter().chain(OLDER) {
        assert!(limited.iter().all(|(other, _)| other != call), "{name}");
    }
}
