//! Tests of a sender's response to echoes and losses (RFC 8257, sections 3.3 to 3.5).

use super::bed::{MSS, Room, info, shown};
use crate::needs_namespaces;
use crate::wire::{ACK, ECE, Frame, Wire, sack};
use sidestep_testbed::traffic::CaState;
use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

/// Connection whose host always has more to send, and whose peer sees whole windows of it.
struct Sender<'a> {
    wire: Wire,
    stream: &'a TcpStream,
    /// First sequence number after the received segments, each once and in order.
    upto: u32,
}

impl Sender<'_> {
    /// Waits until the whole window is in flight; returns its number of segments.
    fn window(&mut self) -> u32 {
        let cwnd = loop {
            let info = info(self.stream);
            if info.unacked == info.snd_cwnd {
                break info.snd_cwnd;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        let end = self.end(cwnd);
        while self.upto != end {
            let frame = self.wire.frame(|f| f.bytes > 0);
            // In order, each once, and nothing beyond the window.
            assert_eq!((frame.seq, frame.bytes), (self.upto, MSS), "to {end}");
            self.upto = self.upto.wrapping_add(MSS);
        }
        assert_eq!(self.wire.within(Duration::ZERO), None);
        cwnd
    }

    /// Returns the sequence number after so many segments.
    fn end(&self, segments: u32) -> u32 {
        self.wire.next.wrapping_add(segments * MSS)
    }

    /// Waits for the whole window and acknowledges it, marked or unmarked as a whole; returns its number of
    /// segments.
    fn round(&mut self, marked: bool) -> u32 {
        let cwnd = self.window();
        let (end, flags) = (self.end(cwnd), if marked { ECE } else { 0 });
        self.wire.acknowledge(end, flags, &[]);
        cwnd
    }

    /// Waits until the kernel has processed the last acknowledgement.
    fn taken(&mut self) {
        self.window();
    }
}

/// Runs a test as the peer of a connection on which the host sends without end.
fn sending(room: &Room, test: impl FnOnce(&mut Sender<'_>)) {
    let (wire, stream) = room.answered(true);
    std::thread::scope(|scope| {
        let mut feeds = stream.try_clone().unwrap();
        scope.spawn(move || while feeds.write_all(&[0; 1 << 16]).is_ok() {});
        let stream = &stream;
        // Stops the sender whether the test passes or fails.
        struct Ends<'a>(&'a TcpStream);
        impl Drop for Ends<'_> {
            fn drop(&mut self) {
                let _ = self.0.shutdown(std::net::Shutdown::Both);
            }
        }
        let _ends = Ends(stream);
        let upto = wire.next;
        test(&mut Sender { wire, stream, upto });
    });
}

/// Returns alpha after a window that was wholly marked or unmarked: 3.3, in 1024ths, with g = 1/16. If a step
/// downward rounds to 0, alpha becomes 0.
fn after(alpha: u32, marked: bool) -> u32 {
    let less = match alpha / 16 {
        0 => alpha,
        less => less,
    };
    (alpha - less + if marked { 64 } else { 0 }).min(1024)
}

/// Returns the window after a cut by alpha.
fn cut(cwnd: u32, alpha: u32) -> u32 {
    (cwnd - cwnd * alpha / 2048).max(2)
}

#[test]
fn alpha_follows_the_marked_share_and_cuts_windows_by_half_of_itself() {
    needs_namespaces!();
    Room::each("alpha", |room| {
        sending(room, |sender| {
            // Many windows without marks, until alpha is 0; then marks, none, and marks again.
            let plan = [
                (1, false),
                (2, true),
                (85, false),
                (6, true),
                (3, false),
                (2, true),
            ];
            let marks = plan.iter().flat_map(|&(n, marked)| vec![marked; n]);
            let mut alpha = room.whose.initial_alpha();
            // Before Linux 6.16 a window's marks were counted one acknowledgement late.
            let (mut late, mut before) = (alpha, false);
            let mut seen = Vec::new();
            let mut expected: Option<u32> = None;
            for marked in marks {
                let cwnd = sender.round(marked);
                // The window equals the result of the cut before.
                assert!(
                    expected.is_none_or(|left| left == cwnd),
                    "{expected:?} left, {cwnd} sent after {seen:?}"
                );
                sender.taken();
                let is = shown(sender.stream).expect("an alpha");
                (alpha, late) = (after(alpha, marked), after(late, before));
                before = marked;
                seen.push((marked, cwnd, is));
                assert!(is == alpha || is == late, "{alpha} or {late}: {seen:?}");
                expected = marked.then(|| cut(cwnd, is));
                if let Some(left) = expected {
                    assert_eq!(info(sender.stream).ssthresh, Some(left), "{seen:?}");
                }
            }
            let least = seen.iter().map(|(_, _, alpha)| *alpha).min();
            assert_eq!(least, Some(0));
        });
    });
}

/// Lets alpha fall by windows without marks, so that a cut by alpha differs from a cut by half.
fn calm(sender: &mut Sender<'_>) {
    sender.round(false);
    sender.round(true);
    for _ in 0..20 {
        sender.round(false);
    }
}

/// Loses the first segment of a window; returns the window's number of segments, its first and its last
/// sequence number.
fn lose(sender: &mut Sender<'_>) -> (u32, u32, u32) {
    let cwnd = sender.window();
    let (from, end) = (sender.wire.next, sender.end(cwnd));
    let second = from.wrapping_add(MSS);
    for n in 2..=4 {
        let blocks = sack(&[(second, from.wrapping_add(n * MSS))]);
        sender.wire.acknowledge(from, 0, &blocks);
    }
    let again = |f: &Frame| f.bytes > 0 && f.seq == from;
    let frame = sender.wire.frame(again);
    assert_eq!(frame.bytes, MSS);
    (cwnd, from, end)
}

#[test]
fn a_loss_halves_the_window_whatever_alpha_is_and_what_was_no_loss_gives_it_back() {
    needs_namespaces!();
    Room::each("loss", |room| {
        sending(room, |sender| {
            calm(sender);
            let alpha = shown(sender.stream).unwrap();
            assert!((1..400).contains(&alpha), "{alpha}");
            let (cwnd, from, end) = lose(sender);
            let cut = info(sender.stream);
            assert_eq!(
                (cut.state, cut.ssthresh),
                (CaState::Recovery, Some(cwnd / 2))
            );
            // All segments arrived, the first one twice: nothing was lost.
            let twice = sack(&[(from, from.wrapping_add(MSS))]);
            sender.wire.acknowledge(end, 0, &twice);
            let is = until_open(sender);
            assert!((cwnd..=cwnd + 1).contains(&is), "{is} of {cwnd}");
        });
        sending(room, |sender| {
            calm(sender);
            let (cwnd, _, end) = lose(sender);
            // All segments arrived once: the loss was real.
            sender.wire.acknowledge(end, 0, &[]);
            let is = until_open(sender);
            assert!((cwnd / 2..=cwnd / 2 + 1).contains(&is), "{is} of {cwnd}");
        });
    });
}

/// Acknowledges all segments until the recovery is over and a whole window is in flight; returns its number of
/// segments.
fn until_open(sender: &mut Sender<'_>) -> u32 {
    loop {
        let now = info(sender.stream);
        if now.state == CaState::Open && now.unacked == now.snd_cwnd {
            return now.snd_cwnd;
        }
        if now.state != CaState::Open
            && let Some(frame) = sender.wire.within(Duration::from_millis(5))
        {
            let end = frame.seq.wrapping_add(frame.bytes);
            if frame.bytes > 0 && end.wrapping_sub(sender.wire.next) < 1 << 31 {
                sender.wire.acknowledge(end, 0, &[]);
            }
        }
    }
}

#[test]
fn a_timeout_halves_the_window_whatever_alpha_is() {
    needs_namespaces!();
    Room::each("rto", |room| {
        room.set("tcp_rto_min_us", "100000");
        sending(room, |sender| {
            let first = sender.wire.frame(|f| f.bytes > 0 && f.has(ACK));
            let mut sent = 1;
            // Nothing is acknowledged, so the first segment is retransmitted.
            while sender.wire.frame(|f| f.bytes > 0).seq != first.seq {
                sent += 1;
            }
            let now = info(sender.stream);
            assert_eq!(sent, 10, "the first window of the route");
            assert_eq!(
                (now.state, now.ssthresh),
                (CaState::Loss, Some(5)),
                "{now:?}"
            );
        });
    });
}
