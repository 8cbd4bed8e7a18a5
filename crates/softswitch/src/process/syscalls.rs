//! System call filter: allows the calls that a running switch makes, and no others.
//!
//! **Decision**     calls of the loop, the control socket, metrics, captures, notes and a reload are allowed,
//!                  some of them only with certain arguments; every other call ends the process, with a line on
//!                  standard error and by SIGSYS. No socket is opened, no program and no process is started, no
//!                  other process is touched, no memory becomes code.
//! **State**        the kernel's, for all threads and permanently.
//! **Units**        none.
//! **Errors**       a kernel or an architecture without seccomp filters; the message names the setting that
//!                  does without.
//! **Source**       Documentation/userspace-api/seccomp_filter.rst of the kernel; `seccompiler` writes the
//!                  program.

use crate::io::sys::answer;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter_all_threads,
};
use std::collections::BTreeMap;
use std::ffi::{c_int, c_long, c_void};
use std::io;

/// Returns a table of the names of system calls, as in libc, and their numbers.
macro_rules! calls {
    ($($name:ident)*) => { &[$((stringify!($name), libc::$name)),*] };
}

type Calls = &'static [(&'static str, c_long)];

/// Calls allowed with any arguments. A descriptor can only be an open one, and a path only one that the user
/// may open.
const ALWAYS: Calls = calls![
    // Frames, requests, answers.
    SYS_ppoll SYS_recvfrom SYS_recvmsg SYS_sendto SYS_sendmsg SYS_sendmmsg SYS_read SYS_readv SYS_write SYS_writev
    SYS_accept4 SYS_shutdown SYS_getsockopt SYS_getsockname SYS_getpeername SYS_bind
    // Files: reading the config again, captures, notes.
    SYS_openat SYS_close SYS_fstat SYS_newfstatat SYS_statx SYS_lseek SYS_pread64 SYS_unlinkat SYS_fcntl
    SYS_readlinkat SYS_getcwd
    // Memory.
    SYS_brk SYS_munmap SYS_mremap SYS_madvise
    // Threads, time, the end.
    SYS_futex SYS_set_robust_list SYS_rseq SYS_sched_yield SYS_sched_getaffinity SYS_gettid SYS_getpid SYS_geteuid
    SYS_nanosleep SYS_clock_nanosleep SYS_clock_gettime SYS_gettimeofday SYS_getrandom SYS_restart_syscall
    SYS_sigaltstack SYS_rt_sigaction SYS_rt_sigprocmask SYS_rt_sigreturn SYS_rt_sigtimedwait SYS_exit SYS_exit_group
    // Denied by another filter so that the C library falls back to a call whose arguments can be checked.
    SYS_clone3
];

/// Same calls under older names.
#[cfg(target_arch = "x86_64")]
const OLDER: Calls = calls![SYS_poll SYS_open SYS_stat SYS_lstat SYS_readlink SYS_unlink];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: Calls = &[];

/// Calls that an attacker in control of the process would want; the line about a forbidden call names them.
const TOLD: Calls = calls![
    SYS_socket SYS_socketpair SYS_connect SYS_listen SYS_execve SYS_execveat SYS_clone SYS_ptrace SYS_kill SYS_tkill
    SYS_tgkill SYS_process_vm_readv SYS_process_vm_writev SYS_mmap SYS_mprotect SYS_pkey_mprotect SYS_memfd_create
    SYS_ioctl SYS_prctl SYS_setsockopt SYS_prlimit64 SYS_sched_setscheduler SYS_bpf SYS_io_uring_setup SYS_perf_event_open
    SYS_unshare SYS_setns SYS_mount SYS_umount2 SYS_chroot SYS_pivot_root SYS_setuid SYS_setgid SYS_setresuid
    SYS_setresgid SYS_setgroups SYS_capset SYS_seccomp SYS_init_module SYS_finit_module SYS_keyctl SYS_userfaultfd
    SYS_fchmod SYS_fchmodat SYS_fchown SYS_fchownat SYS_renameat2 SYS_linkat SYS_symlinkat SYS_mkdirat
];

/// Ends the process when any of its threads, now or later, makes any other call. Privileges must be dropped
/// before: no call that needs one is allowed.
pub fn confine() -> Result<(), String> {
    let say = |e: String| {
        format!(
            "cannot filter system calls: {e} (expected a kernel with CONFIG_SECCOMP_FILTER, on x86_64, aarch64 or riscv64; \
             process.seccomp = false does without)"
        )
    };
    tell_of_sigsys().map_err(|e| say(e.to_string()))?;
    // The first filter alone, for a moment, denies nothing that the second one needs.
    for program in programs().map_err(|e| say(e.to_string()))? {
        apply_filter_all_threads(&program).map_err(|e| say(e.to_string()))?;
    }
    Ok(())
}

/// Builds two filters; the kernel applies the stricter result. One reports clone3, whose arguments a filter
/// cannot see, as absent, so that the C library calls clone; the other does everything else.
fn programs() -> Result<[BpfProgram; 2], seccompiler::BackendError> {
    let arch = || TargetArch::try_from(std::env::consts::ARCH);
    let clone3 = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    let (absent, allow) = (
        SeccompAction::Errno(libc::ENOSYS as u32),
        SeccompAction::Allow,
    );
    let first = SeccompFilter::new(clone3, allow.clone(), absent, arch()?)?;
    let second = SeccompFilter::new(rules()?, SeccompAction::Trap, allow, arch()?)?;
    Ok([first.try_into()?, second.try_into()?])
}

/// Returns the allowed calls: each with rules of which one must match, or with none to allow it as such.
fn rules() -> Result<BTreeMap<i64, Vec<SeccompRule>>, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    rules.extend((ALWAYS.iter().chain(OLDER)).map(|(_, call)| (*call, Vec::new())));
    for (call, conditions) in limited() {
        let conditions = conditions.iter().map(|(argument, is)| {
            let (op, value) = match *is {
                ArgCondition::Equal(value) => (SeccompCmpOp::Eq, value),
                ArgCondition::Null => (SeccompCmpOp::Eq, 0),
                ArgCondition::With(bits) => (SeccompCmpOp::MaskedEq(bits), bits),
                ArgCondition::Without(bits) => (SeccompCmpOp::MaskedEq(bits), 0),
            };
            // Integers of 32 bits, as the kernel reads them; pointers of 64.
            let width = match is {
                ArgCondition::Null => SeccompCmpArgLen::Qword,
                _ => SeccompCmpArgLen::Dword,
            };
            SeccompCondition::new(*argument, width, op, value)
        });
        let rule = SeccompRule::new(conditions.collect::<Result<_, _>>()?)?;
        rules.entry(call).or_default().push(rule);
    }
    Ok(rules)
}

/// Condition on an argument.
#[derive(Clone, Copy)]
enum ArgCondition {
    Equal(u64),
    Null,
    With(u64),
    Without(u64),
}

/// Returns the calls allowed only with these arguments, each given by its position from 0 on.
fn limited() -> Vec<(c_long, Vec<(u8, ArgCondition)>)> {
    let equal = |value: c_int| ArgCondition::Equal(u64::from(value as u32));
    // SAFETY: no memory is passed.
    let me = unsafe { libc::getpid() };
    let executable = ArgCondition::Without(libc::PROT_EXEC as u64);
    let mut all = vec![
        // Threads, no processes.
        (
            libc::SYS_clone,
            vec![(0, ArgCondition::With(libc::CLONE_THREAD as u64))],
        ),
        (libc::SYS_tgkill, vec![(0, equal(me))]),
        (
            libc::SYS_sched_setscheduler,
            vec![(0, ArgCondition::Equal(0))],
        ),
        // Reading a limit, not setting one.
        (libc::SYS_prlimit64, vec![(2, ArgCondition::Null)]),
        // No executable memory.
        (libc::SYS_mmap, vec![(2, executable)]),
        (libc::SYS_mprotect, vec![(2, executable)]),
    ];
    // Name of a thread, and of its memory.
    for what in [libc::PR_SET_NAME, PR_SET_VMA] {
        all.push((libc::SYS_prctl, vec![(0, equal(what))]));
    }
    // Queries about an interface, its offloads after it was recreated, and queries of files and sockets.
    for what in [
        libc::SIOCGIFINDEX as u32,
        libc::SIOCGIFFLAGS as u32,
        libc::SIOCGIFMTU as u32,
        libc::SIOCGIFHWADDR as u32,
        SIOCETHTOOL,
        libc::FIONBIO as u32,
        libc::TCGETS as u32,
    ] {
        all.push((
            libc::SYS_ioctl,
            vec![(1, ArgCondition::Equal(u64::from(what)))],
        ));
    }
    // Timeouts for a client; an interface that was recreated.
    for (level, option) in [
        (libc::SOL_SOCKET, libc::SO_RCVTIMEO),
        (libc::SOL_SOCKET, libc::SO_SNDTIMEO),
        (libc::SOL_PACKET, libc::PACKET_ADD_MEMBERSHIP),
    ] {
        all.push((
            libc::SYS_setsockopt,
            vec![(1, equal(level)), (2, equal(option))],
        ));
    }
    all
}

/// `linux/prctl.h`.
const PR_SET_VMA: c_int = 0x5356_4d41;
/// `linux/sockios.h`.
const SIOCETHTOOL: u32 = 0x8946;

/// Installs the handler that reports a forbidden call before it ends the process.
fn tell_of_sigsys() -> io::Result<()> {
    // SAFETY: an action of zeros is a valid one, and then filled.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = forbidden;
    action.sa_sigaction = handler as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESETHAND | libc::SA_NODEFER;
    // SAFETY: the kernel reads `action`; the handler has the signature that SA_SIGINFO requires, and makes only
    // async-signal-safe calls.
    answer(unsafe { libc::sigaction(libc::SIGSYS, &raw const action, std::ptr::null_mut()) })
        .map(|_| ())
}

/// The kernel's description of a SIGSYS, on 64-bit machines.
#[repr(C)]
struct SigsysInfo {
    signal: c_int,
    error: c_int,
    code: c_int,
    _space: c_int,
    _from: *const c_void,
    call: c_int,
    _arch: u32,
}
const _: () = assert!(size_of::<SigsysInfo>() <= size_of::<libc::siginfo_t>());

/// `SYS_SECCOMP` of `si_code`.
const BY_A_FILTER: c_int = 1;

/// Reports the forbidden call and ends the process. Uses no allocation and no lock: the thread may hold any.
extern "C" fn forbidden(_: c_int, about: *mut libc::siginfo_t, _: *mut c_void) {
    // SAFETY: the kernel hands over an object of at least that size and alignment, written as a whole.
    let about = unsafe { &*about.cast::<SigsysInfo>() };
    if about.code == BY_A_FILTER {
        let mut line = Line::default();
        told(&mut line, c_long::from(about.call));
        // SAFETY: the bytes written live through the call.
        unsafe { libc::write(2, line.room.as_ptr().cast(), line.length) };
    }
    // SAFETY: SA_RESETHAND has put the default back, which ends the process; no memory is passed.
    unsafe {
        libc::raise(libc::SIGSYS);
        libc::_exit(128 + libc::SIGSYS);
    }
}

/// Writes the report of a call.
fn told(line: &mut Line, call: c_long) {
    line.put("sidestep switch: ended by system call ");
    line.number(call.unsigned_abs());
    if let Some((name, _)) = TOLD.iter().find(|(_, number)| *number == call) {
        line.put(" (");
        line.put(name.strip_prefix("SYS_").unwrap_or(name));
        line.put(")");
    }
    line.put(", which process.seccomp forbids to a running switch\n");
}

/// Text buffer without allocation; text that does not fit is left out.
struct Line {
    room: [u8; 160],
    length: usize,
}

impl Default for Line {
    fn default() -> Line {
        Line {
            room: [0; 160],
            length: 0,
        }
    }
}

impl Line {
    fn put(&mut self, text: &str) {
        for byte in text.bytes() {
            if let Some(place) = self.room.get_mut(self.length) {
                *place = byte;
                self.length += 1;
            }
        }
    }

    fn number(&mut self, number: u64) {
        if number > 9 {
            self.number(number / 10);
        }
        let digit = b'0' + (number % 10) as u8;
        self.put(std::str::from_utf8(&[digit]).unwrap_or("?"));
    }
}

#[cfg(test)]
mod tests;
