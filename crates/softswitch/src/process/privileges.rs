//! Drop of privileges, once everything that needs them is open.
//!
//! **Decision**     no groups, no capabilities, no way to regain them (the bounding set is empty, started
//!                  programs gain none), no core dump, and no access to the process for others of the same
//!                  user; then the user.
//! **Errors**       a step that the kernel refuses. Without CAP_SETPCAP the bounding set stays, and a process
//!                  that is not root and lacks CAP_SETGID keeps its groups: neither is an error, and both are
//!                  reported.

use super::user::User;
use crate::io::sys::answer;
use std::io;

/// Returns the capabilities that opening interfaces needs and this process lacks.
pub fn missing() -> Vec<&'static str> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("CapEff:"));
    let Some(held) = line.and_then(|l| u64::from_str_radix(l.trim(), 16).ok()) else {
        return Vec::new();
    };
    let needed = [(12, "CAP_NET_ADMIN"), (13, "CAP_NET_RAW")];
    let lacks = needed.into_iter().filter(|(bit, _)| held >> bit & 1 == 0);
    lacks.map(|(_, name)| name).collect()
}

/// Privileges that the kernel did not let go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemainingPrivileges {
    /// True if the bounding set stays, which no started program can use any more.
    pub bounding_set: bool,
    /// Number of groups besides the process's own.
    pub groups: usize,
}

/// Becomes `user` for good. A process that is not root keeps its user, which must be `user` if the config named
/// it: `named`. To be called before threads are started: capabilities belong to a thread.
pub fn drop_to(user: &User, named: bool) -> Result<RemainingPrivileges, String> {
    // SAFETY: no memory is passed.
    let (me, root) = unsafe { (libc::geteuid(), libc::geteuid() == 0) };
    if named && !root && me != user.uid {
        return Err(format!(
            "process.user: expected to be started as root or as {user}, got user {me}"
        ));
    }
    let mut kept = RemainingPrivileges {
        bounding_set: !empty_bounding_set().map_err(|e| failed("empty the bounding set", &e))?,
        groups: 0,
    };
    if root {
        become_user(user).map_err(|e| {
            failed(&format!("become {user}"), &e)
                + " (needs CAP_SETUID and CAP_SETGID; user = \"keep\" stays root)"
        })?;
    } else {
        kept.groups = no_groups().map_err(|e| failed("leave groups", &e))?;
    }
    // Capabilities that a started program would inherit.
    prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL as _)
        .map_err(|e| failed("give up ambient capabilities", &e))?;
    prctl(libc::PR_SET_NO_NEW_PRIVS, 1).map_err(|e| failed("give up gaining privileges", &e))?;
    no_capabilities().map_err(|e| failed("give up capabilities", &e))?;
    prctl(libc::PR_SET_DUMPABLE, 0).map_err(|e| failed("be closed to others", &e))?;
    Ok(kept)
}

fn failed(what: &str, why: &io::Error) -> String {
    format!("cannot {what}: {why}")
}

fn prctl(what: libc::c_int, value: libc::c_ulong) -> io::Result<()> {
    let none: libc::c_ulong = 0;
    // SAFETY: only commands whose arguments are numbers are given, all of the width that the kernel reads.
    answer(unsafe { libc::prctl(what, value, none, none, none) }).map(|_| ())
}

/// Empties the bounding set of capabilities; returns false if that is not allowed.
fn empty_bounding_set() -> io::Result<bool> {
    for capability in 0..64 {
        match prctl(libc::PR_CAPBSET_DROP, capability) {
            Ok(()) => {}
            // The last capability was passed.
            Err(e) if e.raw_os_error() == Some(libc::EINVAL) && capability > 0 => break,
            Err(e) if e.raw_os_error() == Some(libc::EPERM) => return Ok(false),
            Err(e) => return Err(e),
        }
    }
    Ok(true)
}

fn become_user(user: &User) -> io::Result<()> {
    // SAFETY: numbers alone are passed, and no group.
    unsafe {
        answer(libc::setgroups(0, std::ptr::null()))?;
        answer(libc::setresgid(user.gid, user.gid, user.gid))?;
        answer(libc::setresuid(user.uid, user.uid, user.uid))?;
    }
    Ok(())
}

/// Leaves all groups but the process's own; returns the number it may not leave.
fn no_groups() -> io::Result<usize> {
    // SAFETY: with a size of 0 nothing is written.
    let many = answer(unsafe { libc::getgroups(0, std::ptr::null_mut()) })? as usize;
    if many == 0 {
        return Ok(0);
    }
    // SAFETY: no group is passed.
    match answer(unsafe { libc::setgroups(0, std::ptr::null()) }) {
        Ok(_) => Ok(0),
        Err(e) if e.raw_os_error() == Some(libc::EPERM) => Ok(many),
        Err(e) => Err(e),
    }
}

fn no_capabilities() -> io::Result<()> {
    /// `_LINUX_CAPABILITY_VERSION_3`: two words for each set.
    const VERSION: u32 = 0x2008_0522;
    let mut header: [u32; 2] = [VERSION, 0];
    let sets = [[0u32; 3]; 2];
    // SAFETY: header and sets have the layout of version 3, and apply to the calling thread. A kernel that does
    // not support version 3 writes its own version into the header.
    let done = unsafe { libc::syscall(libc::SYS_capset, header.as_mut_ptr(), sets.as_ptr()) };
    answer(done as i32)?;
    Ok(())
}
