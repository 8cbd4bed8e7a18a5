//! Less power, once everything that needs it is open.

use crate::io::sys::{IoError, Tried, answer};
use std::ffi::CString;
use std::io;
use std::mem::MaybeUninit;

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

/// A user and its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct User {
    uid: libc::uid_t,
    gid: libc::gid_t,
}

/// The user called `name`.
pub fn user(name: &str) -> Result<User, String> {
    let unknown = || format!("process.user: expected a user of this machine, got {name:?}");
    let text = CString::new(name).map_err(|_| unknown())?;
    let mut room = [0; 1 << 14];
    let mut entry = MaybeUninit::<libc::passwd>::uninit();
    let mut found = std::ptr::null_mut();
    // SAFETY: the name ends with a zero; entry and room are written, of that length, and `found` is
    // null or points to the entry that was filled.
    unsafe {
        let (name, length) = (text.as_ptr(), room.len());
        let room = room.as_mut_ptr();
        libc::getpwnam_r(name, entry.as_mut_ptr(), room, length, &raw mut found);
        let entry = found.as_ref().ok_or_else(unknown)?;
        Ok(User {
            uid: entry.pw_uid,
            gid: entry.pw_gid,
        })
    }
}

/// Becomes `user` for good, with no group but its own, no capability and no way to get one. Not
/// being root, it stays who it is and gives its capabilities up. To be called before threads are
/// started: capabilities are a thread's.
pub fn drop_to(user: User) -> Result<(), IoError> {
    // SAFETY: plain system calls; the one pointer is to a group number that lives through it.
    unsafe {
        if libc::geteuid() == 0 {
            let become_user = || -> io::Result<()> {
                answer(libc::setgroups(1, &raw const user.gid))?;
                answer(libc::setresgid(user.gid, user.gid, user.gid))?;
                answer(libc::setresuid(user.uid, user.uid, user.uid))?;
                Ok(())
            };
            become_user().tried(|| format!("become user {}", user.uid))?;
        }
        answer(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
            .tried(|| "give up gaining privileges".into())?;
    }
    no_capabilities().tried(|| "give up capabilities".into())
}

fn no_capabilities() -> io::Result<()> {
    /// `_LINUX_CAPABILITY_VERSION_3`: two words for each set.
    const VERSION: u32 = 0x2008_0522;
    let header: [u32; 2] = [VERSION, 0];
    let sets = [[0u32; 3]; 2];
    // SAFETY: header and sets have the layout that version 3 wants; the calling thread is meant.
    let done = unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), sets.as_ptr()) };
    answer(done as i32)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_threads_may_ask_at_once() {
        let (root, nobody) = (user("root").unwrap(), user("nobody").unwrap());
        let ask = |name: &'static str, expected: User| {
            move || assert!((0..30_000).all(|_| user(name) == Ok(expected)), "{name}")
        };
        let asking =
            [("root", root), ("nobody", nobody)].map(|(n, u)| std::thread::spawn(ask(n, u)));
        for thread in asking {
            thread.join().unwrap();
        }
    }

    #[test]
    fn an_unknown_user_is_named() {
        assert!(user("root").is_ok());
        let error = user("no-such-user").unwrap_err();
        assert!(error.contains("\"no-such-user\""), "{error}");
    }
}
