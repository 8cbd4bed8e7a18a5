//! User that the process becomes once everything is open.
//!
//! **Decision**     the user that the config names. Without one: the user `sidestep` if it exists, else a
//!                  number that no user, group or process of this machine has. Never `nobody`: programs that
//!                  share that fallback can send each other signals and read each other's files.
//! **State**        none: the number is derived from the switch's name, so that a restarted switch owns the
//!                  files it left; if it is taken, the next free one is used. Two switches that start at the
//!                  same moment may get the same number.
//! **Errors**       a user that is unknown, or root.
//! **Source**       the numbers: systemd's `DynamicUser=`, which no distribution assigns to anybody else.

use crate::setup::RunAs;
use sidestep_types::Seed;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::fmt;
use std::mem::MaybeUninit;

/// Name of the user that a machine may have for switches.
pub const OWN: &str = "sidestep";
/// First of the numbers that are never assigned permanently.
const FIRST: u32 = 61_184;
/// Count of such numbers.
const MANY: u32 = 65_519 - FIRST + 1;
/// Number that the kernel reads as "unchanged".
const NO_ID: u32 = u32::MAX;

/// User and its group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Number of the user.
    pub uid: libc::uid_t,
    /// Number of its group.
    pub gid: libc::gid_t,
    /// Name of the user, if it has one.
    pub name: Option<String>,
}

impl fmt::Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "user {name} ({})", self.uid),
            None => write!(f, "user {}", self.uid),
        }
    }
}

/// Returns the user that the switch called `switch` becomes; `None` to keep the present one.
pub fn choose(wanted: &RunAs, switch: &str) -> Result<Option<User>, String> {
    match wanted {
        RunAs::Keep => Ok(None),
        RunAs::User(name) => user(name).map(Some),
        RunAs::Auto => match find(OWN)? {
            Some(user) if user.uid != 0 => Ok(Some(user)),
            _ => dynamic(switch).map(Some),
        },
    }
}

/// Returns the user called `name`, or with that number.
pub fn user(name: &str) -> Result<User, String> {
    let got = |got: &str| format!("process.user: expected {got}, got {name:?}");
    let user = match (find(name)?, name.parse()) {
        (Some(user), _) => user,
        (None, Ok(NO_ID)) => return Err(got("a number below 4294967295")),
        (None, Ok(uid)) => {
            let unnamed = User {
                uid,
                gid: uid,
                name: None,
            };
            of_number(uid)?.unwrap_or(unnamed)
        }
        (None, Err(_)) => return Err(got("a user of this machine or a number")),
    };
    match user.uid {
        0 => Err(got("an ordinary user, or \"keep\" to stay root")),
        _ => Ok(user),
    }
}

/// Returns a user with a number that is free on this machine.
fn dynamic(switch: &str) -> Result<User, String> {
    let running = running();
    free(switch, |id| running.contains(&id) || is_known(id))
        .map(|id| User {
            uid: id,
            gid: id,
            name: None,
        })
        .ok_or_else(|| {
            format!(
                "process.user: all {MANY} numbers from {FIRST} on are taken; set process.user to a \
                 user"
            )
        })
}

fn free(switch: &str, taken: impl Fn(u32) -> bool) -> Option<u32> {
    let drawn = Seed(0).stream(switch).below(u64::from(MANY)) as u32;
    let mut ids = (0..MANY).map(|more| FIRST + (drawn + more) % MANY);
    ids.find(|id| !taken(*id))
}

/// Returns the users that processes of this machine run as.
fn running() -> BTreeSet<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let of = |entry: std::fs::DirEntry| {
        let status = std::fs::read_to_string(entry.path().join("status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
        let ids = line.split_whitespace().filter_map(|id| id.parse().ok());
        Some(ids.collect::<Vec<u32>>())
    };
    entries.filter_map(of).flatten().collect()
}

/// Returns true if there is a user or a group with this number.
fn is_known(id: u32) -> bool {
    let mut entry = MaybeUninit::<libc::group>::uninit();
    let (mut room, mut found) = (vec![0; ROOM], std::ptr::null_mut());
    // SAFETY: entry and room are written, of that length; `found` is null or not, and not followed.
    let failed = unsafe {
        let room = room.as_mut_ptr();
        libc::getgrgid_r(id, entry.as_mut_ptr(), room, ROOM, &raw mut found)
    };
    // If the query fails, it counts as existing.
    failed != 0 || !found.is_null() || !matches!(of_number(id), Ok(None))
}

/// Returns the user called `name`, if there is one.
fn find(name: &str) -> Result<Option<User>, String> {
    let Ok(text) = CString::new(name) else {
        return Ok(None);
    };
    // SAFETY: the call is one that [`account`] accepts, and the name ends with a zero.
    unsafe {
        account(|entry, room, length, found| {
            libc::getpwnam_r(text.as_ptr(), entry, room, length, found)
        })
    }
}

/// Returns the user with this number, if there is one.
fn of_number(uid: u32) -> Result<Option<User>, String> {
    // SAFETY: the call is one that [`account`] accepts.
    unsafe {
        account(|entry, room, length, found| libc::getpwuid_r(uid, entry, room, length, found))
    }
}

/// Bytes for a user database's entry of one user or group.
const ROOM: usize = 1 << 16;

/// Queries the user database for one account.
///
/// # Safety
/// `ask` is one of the calls of getpwnam(3) that end with `_r`: it writes an entry to the first pointer, the
/// data of the entry into the room of that length behind the second, and the entry's address, or null, to the
/// last.
unsafe fn account(
    ask: impl FnOnce(*mut libc::passwd, *mut libc::c_char, usize, *mut *mut libc::passwd) -> libc::c_int,
) -> Result<Option<User>, String> {
    let mut entry = MaybeUninit::<libc::passwd>::uninit();
    let (mut room, mut found) = (vec![0; ROOM], std::ptr::null_mut());
    let failed = ask(entry.as_mut_ptr(), room.as_mut_ptr(), ROOM, &raw mut found);
    match failed {
        // Some systems report a missing account by these errors.
        0 | libc::ENOENT | libc::ESRCH | libc::EBADF | libc::EPERM => {}
        other => {
            let why = std::io::Error::from_raw_os_error(other);
            return Err(format!("process.user: cannot ask for users: {why}"));
        }
    }
    // SAFETY: it is null, or points to the entry that was filled; its name ends with a zero, in the room.
    Ok(unsafe { found.as_ref() }.map(|entry| User {
        uid: entry.pw_uid,
        gid: entry.pw_gid,
        // SAFETY: as above.
        name: Some(
            unsafe { CStr::from_ptr(entry.pw_name) }
                .to_string_lossy()
                .into_owned(),
        ),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;

    #[test]
    fn two_threads_may_ask_at_once() {
        let nobody = find("nobody").unwrap().expect("every machine has it");
        let root = find("root").unwrap().expect("every machine has it");
        let ask = |name: &'static str, expected: User| {
            move || {
                let same = |_| find(name).as_ref() == Ok(&Some(expected.clone()));
                assert!((0..10_000).all(same), "{name}")
            }
        };
        let asking =
            [("root", root), ("nobody", nobody)].map(|(n, u)| std::thread::spawn(ask(n, u)));
        for thread in asking {
            thread.join().unwrap();
        }
    }

    #[test]
    fn a_user_is_named_or_numbered_and_not_root() {
        let nobody = user("nobody").unwrap();
        assert_eq!(user(&nobody.uid.to_string()), Ok(nobody.clone()));
        assert_eq!(nobody.to_string(), format!("user nobody ({})", nobody.uid));
        let number = user("4123456789").unwrap();
        assert_eq!((number.uid, number.gid), (4_123_456_789, 4_123_456_789));
        assert_eq!(number.to_string(), "user 4123456789");
        for (name, said) in [
            (
                "no-such-user",
                "expected a user of this machine or a number, got \"no-such-user\"",
            ),
            (
                "root",
                "expected an ordinary user, or \"keep\" to stay root, got \"root\"",
            ),
            (
                "0",
                "expected an ordinary user, or \"keep\" to stay root, got \"0\"",
            ),
            ("4294967295", "expected a number below 4294967295, got"),
            ("no\0body", "expected a user of this machine"),
        ] {
            let error = user(name).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
        assert_eq!(choose(&RunAs::Keep, "s"), Ok(None));
    }

    #[test]
    fn a_number_is_the_switchs_own_and_stays_the_same() {
        let none = |_| false;
        let edge = free("edge0", none).unwrap();
        assert_eq!(free("edge0", none), Some(edge));
        assert_ne!(free("edge1", none), Some(edge));
        let next = free("edge0", |id| id == edge).unwrap();
        assert_eq!(next, if edge == 65_519 { FIRST } else { edge + 1 });
        assert_eq!(free("edge0", |id| id != 65_519), Some(65_519));
        assert_eq!(free("edge0", |id| id != FIRST), Some(FIRST));
        assert_eq!(free("edge0", |_| true), None);
        let ids: BTreeSet<u32> = (0..500)
            .map(|n| free(&format!("s{n}"), none).unwrap())
            .collect();
        assert!(ids.len() > 400, "{}", ids.len());
        assert!(ids.iter().all(|id| (61_184..=65_519).contains(id)));
    }

    #[test]
    fn who_is_there_is_known() {
        // SAFETY: no memory is passed.
        let me = unsafe { libc::geteuid() };
        assert!(running().contains(&me));
        assert!(is_known(0) && is_known(user("nobody").unwrap().uid));
        let number = dynamic("edge0").unwrap().uid;
        assert!(!is_known(number) && !running().contains(&number));
        if me != 0 {
            return;
        }
        // A process of another user runs under this number.
        let mut other = std::process::Command::new("sleep");
        let mut other = other.arg("600").uid(number).spawn().unwrap();
        let next = dynamic("edge0").map(|user| user.uid);
        other.kill().unwrap();
        other.wait().unwrap();
        assert!(next.is_ok_and(|next| next != number), "{number}");
    }
}
