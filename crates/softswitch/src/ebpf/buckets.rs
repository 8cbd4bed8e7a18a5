//! Drops of the token buckets behind the program: a machine whose timers are very late can queue more in a
//! bucket than the program admits.
//!
//! **Decision**     none.
//! **State**        none: the kernel is queried each time, by netlink, which needs no privilege.
//! **Units**        frames since the bucket was made.
//! **Errors**       the kernel's; an unexpected answer counts as one without a bucket.
//! **Source**       `linux/rtnetlink.h`, `linux/gen_stats.h`.

use crate::io::sys::{answer, socket};
use std::collections::HashMap;
use std::io;
use std::os::fd::AsRawFd;

const NEW_QDISC: u16 = 36;
const GET_QDISC: u16 = 38;
const ROOT: u32 = u32::MAX;
/// Bytes of a message's header: length, kind, flags, number, sender.
const HEAD: usize = 16;
/// Bytes of `struct tcmsg`: family, interface, handle, parent, and a word.
const ABOUT: usize = 20;
const STATS: u16 = 7;
const QUEUE: u16 = 3;

/// Returns the drops of the qdisc at the root of each interface, by the interface's number.
pub(super) fn drops() -> io::Result<HashMap<i32, u64>> {
    let fd = socket(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_ROUTE)?;
    let mut question = [0u8; HEAD + ABOUT];
    question[..4].copy_from_slice(&((HEAD + ABOUT) as u32).to_ne_bytes());
    question[4..6].copy_from_slice(&GET_QDISC.to_ne_bytes());
    let flags = (libc::NLM_F_REQUEST | libc::NLM_F_DUMP) as u16;
    question[6..8].copy_from_slice(&flags.to_ne_bytes());
    // SAFETY: pointer and length are those of `question`.
    let sent = unsafe { libc::send(fd.as_raw_fd(), question.as_ptr().cast(), question.len(), 0) };
    answer(sent as i32)?;
    let mut all = HashMap::new();
    let mut room = vec![0u8; 1 << 16];
    loop {
        // SAFETY: the kernel writes at most the length of `room`.
        let got = unsafe { libc::recv(fd.as_raw_fd(), room.as_mut_ptr().cast(), room.len(), 0) };
        let got = answer(got as i32)? as usize;
        if !read(&room[..got], &mut all)? {
            return Ok(all);
        }
    }
}

/// Reads the messages into `all`; returns true if there are more.
fn read(mut messages: &[u8], all: &mut HashMap<i32, u64>) -> io::Result<bool> {
    while let Some((kind, body, rest)) = message(messages) {
        messages = rest;
        match i32::from(kind) {
            libc::NLMSG_DONE => return Ok(false),
            libc::NLMSG_ERROR => {
                let code = body.get(..4).map_or(0, |word| -(number(word) as i32));
                return Err(io::Error::from_raw_os_error(code));
            }
            _ if kind == NEW_QDISC && body.len() >= ABOUT && number(&body[12..]) == ROOT => {
                let stats = attribute(&body[ABOUT..], STATS);
                let queue = stats.and_then(|stats| attribute(stats, QUEUE));
                // Length and bytes of the queue, then drops.
                if let Some(queue) = queue.filter(|queue| queue.len() >= 12) {
                    all.insert(number(&body[4..]) as i32, u64::from(number(&queue[8..])));
                }
            }
            _ => {}
        }
    }
    Ok(true)
}

/// Returns the first message: its kind, its body, and the bytes behind it.
fn message(bytes: &[u8]) -> Option<(u16, &[u8], &[u8])> {
    let length = number(bytes.get(..4)?) as usize;
    let body = bytes.get(HEAD..length)?;
    let rest = bytes.get(length.next_multiple_of(4)..).unwrap_or(&[]);
    Some((short(&bytes[4..]), body, rest))
}

/// Returns the body of the first attribute of this kind.
fn attribute(mut bytes: &[u8], kind: u16) -> Option<&[u8]> {
    const NESTED: u16 = 1 << 15;
    loop {
        let length = usize::from(short(bytes.get(..4)?));
        let body = bytes.get(4..length)?;
        if short(&bytes[2..]) & !NESTED == kind {
            return Some(body);
        }
        bytes = bytes.get(length.next_multiple_of(4)..)?;
    }
}

fn number(bytes: &[u8]) -> u32 {
    u32::from_ne_bytes(bytes[..4].try_into().expect("four bytes"))
}

fn short(bytes: &[u8]) -> u16 {
    u16::from_ne_bytes(bytes[..2].try_into().expect("two bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute_of(kind: u16, body: &[u8]) -> Vec<u8> {
        let mut all = ((4 + body.len()) as u16).to_ne_bytes().to_vec();
        all.extend(kind.to_ne_bytes());
        all.extend(body);
        all.resize(all.len().next_multiple_of(4), 0);
        all
    }

    fn message_of(kind: u16, body: &[u8]) -> Vec<u8> {
        let mut all = ((HEAD + body.len()) as u32).to_ne_bytes().to_vec();
        all.extend(kind.to_ne_bytes());
        all.resize(HEAD, 0);
        all.extend(body);
        all
    }

    /// Returns a qdisc of interface 7 with this parent and these numbers of its queue, behind an attribute of
    /// another kind.
    fn qdisc(parent: u32, queue: &[u32]) -> Vec<u8> {
        let queue: Vec<u8> = queue.iter().flat_map(|n| n.to_ne_bytes()).collect();
        let stats = [attribute_of(1, &[0; 16]), attribute_of(QUEUE, &queue)].concat();
        let mut about = [0u8; ABOUT];
        about[4..8].copy_from_slice(&7u32.to_ne_bytes());
        about[12..16].copy_from_slice(&parent.to_ne_bytes());
        let name = attribute_of(1, b"tbf");
        message_of(
            NEW_QDISC,
            &[about.to_vec(), name, attribute_of(STATS, &stats)].concat(),
        )
    }

    fn all_of(messages: &[u8]) -> HashMap<i32, u64> {
        let mut all = HashMap::new();
        assert!(read(messages, &mut all).unwrap());
        all
    }

    #[test]
    fn drops_are_those_of_the_root_and_a_torn_answer_says_nothing() {
        let whole = qdisc(ROOT, &[5, 6, 3, 8, 9]);
        let both = [whole.clone(), qdisc(1, &[5, 6, 99, 8, 9])].concat();
        assert_eq!(all_of(&both), HashMap::from([(7, 3)]));
        for end in 0..whole.len() {
            assert_eq!(all_of(&whole[..end]).len(), 0, "{end}");
        }
        // Complete, but shorter than expected.
        assert_eq!(all_of(&qdisc(ROOT, &[5, 6])).len(), 0);
        assert_eq!(all_of(&message_of(NEW_QDISC, &[0; 10])).len(), 0);
    }

    #[test]
    fn the_kernel_is_asked_and_says_no_error() {
        // Independent of the interfaces here: loopback has a qdisc that is not listed.
        drops().unwrap();
    }
}
