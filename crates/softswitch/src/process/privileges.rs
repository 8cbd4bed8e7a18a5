//! Less power, once everything that needs it is open.
//!
//! **Decision**     no group, no capability, none that could be had again (the bounding set is empty, nothing that is started
//!                  gains any), no core dump and nobody of the same user who looks into the process; then the user.
//! **Errors**       what the kernel would not do. Without CAP_SETPCAP the bounding set stays, and of a process that is not root,
//!                  without CAP_SETGID, its groups: that is no error, and told.

use super::user::User;
use crate::io::sys::answer;
use std::io;

/// The capabilities that opening interfaces takes and this process lacks.
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

/// What the kernel would not take away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The bounding set, which no program that is started can use any more.
    pub bounding_set: bool,
    /// So many groups beside its own.
    pub groups: usize,
}

/// Becomes `user` for good. Not being root, it stays who it is, which has to be `user` where that was asked for by name:
/// `named`. To be called before threads are started: capabilities are a thread's.
pub fn drop_to(user: &User, named: bool) -> Result<Kept, String> {
    // SAFETY: no memory is passed.
    let (me, root) = unsafe { (libc::geteuid(), libc::geteuid() == 0) };
    if named && !root && me != user.uid {
        return Err(format!(
            "process.user: expected to be started as root or as {user}, got user {me}"
        ));
    }
    let mut kept = Kept {
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
    // Capabilities that a started program would have, without being allowed any.
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

/// Takes every capability out of the bounding set; false when that is not allowed.
fn empty_bounding_set() -> io::Result<bool> {
    for capability in 0..64 {
        match prctl(libc::PR_CAPBSET_DROP, capability) {
            Ok(()) => {}
            // There are no more.
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

/// Leaves all groups but its own; how many it may not leave.
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
    // SAFETY: header and sets have the layout that version 3 wants; the calling thread is meant. A kernel that knows no
    // version 3 writes its own into the header.
    let done = unsafe { libc::syscall(libc::SYS_capset, header.as_mut_ptr(), sets.as_ptr()) };
    answer(done as i32)?;
    Ok(())
}
