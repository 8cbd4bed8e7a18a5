//! One end of a flow: its sender or its receiver, their timer and the hash of what they send.

use sidestep_types::{Time, mix64};

use crate::{Ack, AnyReceiver, AnySender, Arrival, Receiver, Segment, Sender, SenderCounters};

/// What an endpoint holds: [`AnySender`] or [`AnyReceiver`], and nothing else. A sender or receiver
/// of one's own is the `Custom` variant of these.
pub trait Machine: sealed::Sealed {
    /// When [`Machine::on_timeout`] is due, if ever.
    fn deadline(&self) -> Option<Time>;
    /// The deadline has come.
    fn on_timeout(&mut self, now: Time);
}

/// One end of a flow at a host.
///
/// Its timer is lazy: a deadline that moves later, as nearly every acknowledgement makes it,
/// touches nothing. The alarm that was asked for before goes off, finds nothing due, and another
/// is asked for.
///
/// ```
/// use sidestep_transport::{Arrival, Endpoint, TcpConfig, TransportConfig};
/// use sidestep_types::Time;
///
/// let tcp = TransportConfig::from(TcpConfig::default());
/// let mut tx = Endpoint::sending(tcp.sender(Some(1000)), 7);
/// let mut rx = Endpoint::receiving(tcp.receiver(), 1000, 8);
///
/// let now = Time::ZERO;
/// let segment = tx.poll_send(now).expect("the window is open");
/// assert_eq!(tx.poll_send(now), None);
/// let alarm = tx.next_alarm().expect("something is outstanding");
///
/// let now = Time::from_us(30);
/// let complete = rx.on_segment(now, Arrival {
///     seq: segment.seq,
///     len: segment.len,
///     syn: false,
///     ce: false,
///     cwr: segment.cwr,
///     trimmed: false,
///     hops: 0,
/// });
/// assert!(complete);
/// tx.on_ack(now, rx.poll_ack(now).expect("it arrived"));
/// assert!(tx.is_done() && rx.is_done());
///
/// // The alarm still goes off, and finds that nothing is due.
/// assert!(tx.on_alarm(alarm, alarm));
/// assert_eq!(tx.next_alarm(), None);
/// ```
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Endpoint<M> {
    machine: M,
    /// The earliest alarm asked for; [`Time::MAX`] without one.
    armed: Time,
    /// A receiving end is complete with so many bytes; `u64::MAX` when it never is.
    size: u64,
    hash: u32,
    complete: bool,
}

impl<M: Machine> Endpoint<M> {
    fn new(machine: M, size: u64, hash: u32) -> Endpoint<M> {
        Endpoint {
            machine,
            armed: Time::MAX,
            size,
            hash,
            complete: false,
        }
    }

    /// The flow hash of the packets of a subflow that this end sends: it chooses their path.
    #[inline]
    pub fn hash(&self, subflow: u8) -> u32 {
        match subflow {
            0 => self.hash,
            other => path_hash(self.hash, other),
        }
    }

    /// Its sender or receiver.
    pub fn machine(&self) -> &M {
        &self.machine
    }

    /// The same, to be told what only it knows how to do.
    pub fn machine_mut(&mut self) -> &mut M {
        &mut self.machine
    }

    /// Its sender or receiver, for another endpoint.
    pub fn into_machine(self) -> M {
        self.machine
    }

    /// When to call [`Endpoint::on_alarm`], if sooner than every alarm asked for before. May be
    /// past: then at once.
    #[inline]
    pub fn next_alarm(&mut self) -> Option<Time> {
        let due = self.machine.deadline()?;
        if due >= self.armed {
            return None;
        }
        self.armed = due;
        Some(due)
    }

    /// The alarm asked for at `at` goes off. Says whether it counts: an earlier one may have
    /// replaced it, and then there is nothing to do. If it counts, poll and ask for the next.
    pub fn on_alarm(&mut self, now: Time, at: Time) -> bool {
        if self.armed != at {
            return false;
        }
        self.armed = Time::MAX;
        if self.machine.deadline().is_some_and(|due| due <= now) {
            self.machine.on_timeout(now);
        }
        true
    }
}

impl Endpoint<AnySender> {
    /// Where a flow's data starts. Its packets have the flow hash `hash`, those of further subflows
    /// one that follows from it.
    pub fn sending(sender: AnySender, hash: u32) -> Endpoint<AnySender> {
        Endpoint::new(sender, u64::MAX, hash)
    }

    /// See [`Sender::on_ack`].
    #[inline]
    pub fn on_ack(&mut self, now: Time, ack: Ack) {
        self.machine.on_ack(now, ack);
    }

    /// See [`Sender::poll_send`].
    #[inline]
    pub fn poll_send(&mut self, now: Time) -> Option<Segment> {
        self.machine.poll_send(now)
    }

    /// See [`AnySender::data_seq`].
    #[inline(always)]
    pub fn data_seq(&self) -> Option<u64> {
        self.machine.data_seq()
    }

    /// Every byte has been acknowledged: the driver may let it go.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.machine.is_done()
    }

    /// The oldest byte it waits for.
    pub fn acknowledged(&self) -> u64 {
        self.machine.acknowledged()
    }

    /// The oldest byte it waits for on this subflow.
    pub fn acknowledged_of(&self, subflow: u8) -> u64 {
        self.machine.acknowledged_of(subflow)
    }

    /// What it counted.
    pub fn counters(&self) -> SenderCounters {
        self.machine.counters()
    }
}

impl Endpoint<AnyReceiver> {
    /// Where a flow of `size` bytes ends; of `u64::MAX`, one that never does. Its packets have the
    /// flow hash `hash`.
    pub fn receiving(receiver: AnyReceiver, size: u64, hash: u32) -> Endpoint<AnyReceiver> {
        Endpoint::new(receiver, size, hash)
    }

    /// A segment arrived. Says once, when it is so, that the flow is complete.
    // Always: a driver with shims has two callers, and the one without must not pay for it.
    #[inline(always)]
    pub fn on_segment(&mut self, now: Time, arrival: Arrival) -> bool {
        self.on_mapped_segment(now, arrival, || arrival.seq)
    }

    /// The same, with where it stands in what several subflows carry together: see
    /// [`AnyReceiver::on_mapped_segment`].
    #[inline(always)]
    pub fn on_mapped_segment(
        &mut self,
        now: Time,
        arrival: Arrival,
        data_seq: impl FnOnce() -> u64,
    ) -> bool {
        self.machine.on_mapped_segment(now, arrival, data_seq);
        let complete = self.machine.delivered() >= self.size;
        if complete {
            self.complete = true;
            self.size = u64::MAX;
        }
        complete
    }

    /// See [`Receiver::poll_ack`].
    #[inline]
    pub fn poll_ack(&mut self, now: Time) -> Option<Ack> {
        self.machine.poll_ack(now)
    }

    /// Every byte of the flow has been delivered; an acknowledgement may be owed.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The flow is complete and no acknowledgement is owed: the driver may let it go, and answers
    /// what still comes with [`answer_late`].
    pub fn is_done(&self) -> bool {
        self.complete && Receiver::deadline(&self.machine).is_none()
    }

    /// Bytes delivered to the application, in order.
    #[inline]
    pub fn delivered(&self) -> u64 {
        self.machine.delivered()
    }

    /// See [`Receiver::expected`].
    #[inline]
    pub fn expected(&self, subflow: u8) -> u64 {
        self.machine.expected(subflow)
    }
}

/// The flow hash of a subflow, where `hash` is that of subflow 0: one for each path.
#[cold]
pub fn path_hash(hash: u32, subflow: u8) -> u32 {
    match subflow {
        0 => hash,
        other => mix64(u64::from(other) << 32 | u64::from(hash)) as u32,
    }
}

/// The answer to a segment of a flow that is complete, of `size` bytes, whose receiver is no more:
/// its sender missed the acknowledgement, or closes the connection. The last packet of a handshake,
/// overtaken by all the data, has none, nor has that of a close.
pub fn answer_late(size: u64, arrival: &Arrival) -> Option<Ack> {
    let fin = !arrival.syn && arrival.len == 0 && arrival.seq == size;
    let answered = arrival.syn || arrival.len > 0 || fin;
    answered.then(|| Ack {
        ack: size + u64::from(fin),
        ece: arrival.ce,
        syn: arrival.syn,
        sack: Default::default(),
        cut: false,
        below: false,
        hops: arrival.hops,
    })
}

mod sealed {
    pub trait Sealed {}
}

impl sealed::Sealed for AnySender {}
impl sealed::Sealed for AnyReceiver {}

impl Machine for AnySender {
    #[inline]
    fn deadline(&self) -> Option<Time> {
        Sender::deadline(self)
    }
    fn on_timeout(&mut self, now: Time) {
        Sender::on_timeout(self, now);
    }
}

impl Machine for AnyReceiver {
    #[inline]
    fn deadline(&self) -> Option<Time> {
        Receiver::deadline(self)
    }
    fn on_timeout(&mut self, now: Time) {
        Receiver::on_timeout(self, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AckRule, DelayedAck, TcpConfig, TransportConfig};

    fn us(n: u64) -> Time {
        Time::from_us(n)
    }

    fn data(seq: u64, len: u32) -> Arrival {
        Arrival {
            seq,
            len,
            syn: false,
            ce: false,
            cwr: false,
            trimmed: false,
            hops: 0,
        }
    }

    fn ack(ack: u64) -> Ack {
        Ack {
            ack,
            ece: false,
            syn: false,
            sack: Default::default(),
            cut: false,
            below: false,
            hops: 0,
        }
    }

    fn sending(config: TcpConfig) -> Endpoint<AnySender> {
        Endpoint::sending(TransportConfig::from(config).sender(None), 0)
    }

    #[test]
    fn a_deadline_that_moves_later_asks_for_no_alarm() {
        let mut tx = sending(TcpConfig::default());
        while tx.poll_send(us(0)).is_some() {}
        let first = tx.next_alarm().expect("data is outstanding");
        tx.on_ack(us(100), ack(1460));
        while tx.poll_send(us(100)).is_some() {}
        let later = Sender::deadline(tx.machine()).expect("data is outstanding");
        assert!(later > first);
        assert_eq!(tx.next_alarm(), None);
        // It goes off too soon: nothing has run out, and the next is asked for.
        assert!(tx.on_alarm(first, first));
        assert_eq!(tx.counters().timeouts, 0);
        assert_eq!(tx.next_alarm(), Some(later));
        assert!(tx.on_alarm(later, later));
        assert_eq!(tx.counters().timeouts, 1);
    }

    #[test]
    fn an_alarm_that_an_earlier_one_has_replaced_does_not_count() {
        // The first timeout is long, the next short: one sample lies between them.
        let mut config = TcpConfig::default();
        config.rto.initial = us(50_000);
        let mut tx = sending(config);
        while tx.poll_send(us(0)).is_some() {}
        let slow = tx.next_alarm().expect("data is outstanding");
        tx.on_ack(us(100), ack(1460));
        while tx.poll_send(us(100)).is_some() {}
        let fast = tx.next_alarm().expect("it is due sooner now");
        assert!(fast < slow);
        assert!(tx.on_alarm(fast, fast));
        assert_eq!(tx.counters().timeouts, 1);
        let third = tx.next_alarm().expect("data is outstanding");
        assert!(third != slow);
        assert!(!tx.on_alarm(slow, slow));
        assert_eq!(tx.counters().timeouts, 1);
    }

    #[test]
    fn a_flow_is_complete_once_and_stays_until_nothing_is_owed() {
        let config = TransportConfig::from(TcpConfig {
            delayed_ack: Some(DelayedAck {
                segments: 2,
                timeout: us(40),
            }),
            ack_rule: AckRule::Ns3,
            ..TcpConfig::default()
        });
        let mut rx = Endpoint::receiving(config.receiver(), 500, 0);
        assert!(!rx.on_segment(us(0), data(0, 400)));
        assert_eq!(rx.poll_ack(us(0)), None);
        let alarm = rx.next_alarm().expect("an acknowledgement is owed");
        assert!(rx.on_alarm(alarm, alarm) && rx.poll_ack(alarm).is_some());
        assert!(rx.on_segment(us(50), data(400, 100)));
        assert!(!rx.is_done(), "it owes an acknowledgement");
        assert!(!rx.on_segment(us(51), data(0, 400)), "it says so once");
        assert!(rx.poll_ack(us(51)).is_some());
        assert!(rx.is_done());
    }

    #[test]
    fn what_comes_late_is_answered_but_for_the_end_of_a_handshake() {
        let late = answer_late(500, &data(0, 400)).expect("its sender waits");
        assert_eq!((late.ack, late.syn, late.ece), (500, false, false));
        let syn = Arrival {
            syn: true,
            ..data(0, 0)
        };
        assert!(answer_late(500, &syn).expect("its sender waits").syn);
        let marked = Arrival {
            ce: true,
            ..data(0, 400)
        };
        assert!(answer_late(500, &marked).expect("its sender waits").ece);
        assert_eq!(answer_late(500, &data(0, 0)), None);
        let fin = answer_late(500, &data(500, 0)).expect("its sender closes");
        assert_eq!((fin.ack, fin.syn), (501, false));
        assert_eq!(answer_late(500, &data(501, 0)), None);
    }
}
