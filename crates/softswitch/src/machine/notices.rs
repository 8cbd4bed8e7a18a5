//! Notices for an operator, rate-limited per kind and port.
//!
//! **Decision**     an event of one kind at one port is reported once per [`EVERY`], with the number of events
//!                  since.
//! **State**        per port and kind the time of the last notice, and the number of events since.
//! **Errors**       none. Events without a notice are still counted: counters have everything.

use crate::setup::Mac;
use sidestep_types::{PortId, Time};
use std::collections::VecDeque;

/// Least time between two notices of one kind and port. Assumed.
pub const EVERY: Time = Time::from_s(60);

/// Notice of an event at a port, with the number of events since the last notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Time of the notice.
    pub at: Time,
    /// Port of the event.
    pub port: PortId,
    /// Event.
    pub what: Noticed,
    /// Number of events since the last notice, this one included.
    pub times: u64,
}

/// Event worth a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noticed {
    /// The port is at its limit of learned addresses: this address was not learned.
    LearnLimit(Mac, u32),
    /// The port is at its limit of broadcasts: a frame was refused.
    StormBroadcast,
    /// The port is at its limit of multicasts: a frame was refused.
    StormMulticast,
    /// The port is at its limit of frames to unknown stations: a frame was refused.
    StormUnknown,
    /// The port receives probes that the switch sends by another port, or by the port itself.
    Loop {
        /// Port by which the probe was sent.
        sent: PortId,
        /// Port of the two that is blocked now, if any.
        blocked: Option<PortId>,
    },
    /// The port is unblocked, as no probe comes back.
    Unblocked,
}

/// Number of kinds.
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

/// Recent events of one kind at one port.
#[derive(Clone, Copy, Debug, Default)]
struct RecentEvents {
    told: Option<Time>,
    since: u64,
}

/// State of all notices, with those not yet polled.
#[derive(Debug)]
pub(super) struct Notices {
    lately: Vec<[RecentEvents; KINDS]>,
    /// Queue of notices, at most one of each kind and port: it stays short even if nobody polls.
    queue: VecDeque<Notice>,
}

impl Notices {
    /// Returns an empty queue for `ports` ports.
    pub fn new(ports: usize) -> Notices {
        Notices {
            lately: vec![[RecentEvents::default(); KINDS]; ports],
            queue: VecDeque::new(),
        }
    }

    /// Records an event at `port`.
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

    /// Returns the next notice.
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
        // Another port, and another kind.
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
