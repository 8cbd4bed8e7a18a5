//! What an operator should hear of at once, a line of a kind and port at a time.
//!
//! **Decision**     of one kind at one port something is told once in [`EVERY`], with how often it happened since.
//! **State**        per port and kind when it was told last, and what happened since.
//! **Errors**       none. What is not told is counted all the same: counters have everything.

use crate::setup::Mac;
use sidestep_types::{PortId, Time};
use std::collections::VecDeque;

/// Of one kind and port, a line in so long. Assumed.
pub const EVERY: Time = Time::from_s(60);

/// Something that happened at a port, `times` since it was told last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notice {
    /// When it was told.
    pub at: Time,
    /// Where it happened.
    pub port: PortId,
    /// What happened.
    pub what: Noticed,
    /// How often it has happened since this was told last, this one included.
    pub times: u64,
}

/// What is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noticed {
    /// The port has learned so many addresses, its limit: this one was not learned.
    LearnLimit(Mac, u32),
    /// The port's limit of broadcasts is reached: a frame was refused.
    StormBroadcast,
    /// The same of multicasts.
    StormMulticast,
    /// The same of frames to unknown stations.
    StormUnknown,
    /// The port hears what the switch sends by another one, or by itself.
    Loop {
        /// The one that it was sent by.
        sent: PortId,
        /// The one of the two that is blocked now, if any is.
        blocked: Option<PortId>,
    },
    /// The port is no more blocked, as nothing comes back.
    Unblocked,
}

/// How many kinds there are.
const KINDS: usize = 6;

impl Noticed {
    const fn kind(self) -> usize {
        match self {
            Noticed::LearnLimit(..) => 0,
            Noticed::StormBroadcast => 1,
            Noticed::StormMulticast => 2,
            Noticed::StormUnknown => 3,
            Noticed::Loop { .. } => 4,
            Noticed::Unblocked => 5,
        }
    }
}

/// One kind at one port.
#[derive(Clone, Copy, Debug, Default)]
struct Lately {
    told: Option<Time>,
    since: u64,
}

/// All that is to be told.
#[derive(Debug)]
pub(super) struct Notices {
    lately: Vec<[Lately; KINDS]>,
    /// At most one of each kind and port: nobody need ask.
    queue: VecDeque<Notice>,
}

impl Notices {
    /// Of so many ports.
    pub fn new(ports: usize) -> Notices {
        Notices {
            lately: vec![[Lately::default(); KINDS]; ports],
            queue: VecDeque::new(),
        }
    }

    /// Something happened at `port`.
    pub fn happened(&mut self, at: Time, port: PortId, what: Noticed) {
        let lately = &mut self.lately[port.index()][what.kind()];
        lately.since += 1;
        if lately
            .told
            .is_some_and(|told| at.saturating_sub(told) < EVERY)
        {
            return;
        }
        let same = |of: &Notice| of.port == port && of.what.kind() == what.kind();
        if self.queue.iter().any(same) {
            return;
        }
        let times = std::mem::take(&mut lately.since);
        lately.told = Some(at);
        self.queue.push_back(Notice {
            at,
            port,
            what,
            times,
        });
    }

    /// The next piece.
    #[inline]
    pub fn poll(&mut self) -> Option<Notice> {
        self.queue.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_at_a_port_is_told_once_a_minute_with_how_often_it_happened() {
        let mut notices = Notices::new(2);
        let storm = Noticed::StormBroadcast;
        let mut told = |s: u64, port: u16, what| {
            notices.happened(Time::from_s(s), PortId(port), what);
            notices
                .poll()
                .map(|of| (of.at, of.port.0, of.what, of.times))
        };
        assert_eq!(told(1, 0, storm), Some((Time::from_s(1), 0, storm, 1)));
        assert_eq!(told(2, 0, storm), None);
        // Of another port, and of another kind.
        assert_eq!(told(3, 1, storm), Some((Time::from_s(3), 1, storm, 1)));
        let unknown = Noticed::StormUnknown;
        assert_eq!(told(4, 0, unknown), Some((Time::from_s(4), 0, unknown, 1)));
        assert_eq!(told(60, 0, storm), None);
        assert_eq!(told(61, 0, storm), Some((Time::from_s(61), 0, storm, 3)));
    }

    #[test]
    fn what_waits_to_be_told_is_not_told_twice() {
        let mut notices = Notices::new(1);
        for s in [1, 100] {
            notices.happened(Time::from_s(s), PortId(0), Noticed::StormUnknown);
        }
        assert_eq!(notices.poll().map(|of| of.times), Some(1));
        assert_eq!(notices.poll(), None);
    }
}
