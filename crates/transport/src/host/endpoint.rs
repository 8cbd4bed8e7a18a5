//! End of a flow at a host: its sender or receiver, the timer and the hash of the packets sent.

use sidestep_types::{Time, mix64};

use crate::{Ack, AnyReceiver, AnySender, Arrival, Receiver, Segment, Sender, SenderCounters};

/// Machine inside an endpoint: [`AnySender`] or [`AnyReceiver`] only. A custom sender or receiver is the
/// `Custom` variant of these.
pub trait Machine: sealed::Sealed {
    /// Returns the time at which [`Machine::on_timeout`] is due, if any.
    fn deadline(&self) -> Option<Time>;
    /// Handles the expiry of the deadline.
    fn on_timeout(&mut self, now: Time);
}

/// End of a flow at a host.
///
/// The timer is lazy: nearly every acknowledgement moves the deadline later, and that changes
/// nothing. The alarm requested before goes off, finds nothing due, and the next one is requested.
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
/// // The alarm still goes off, and nothing is due.
/// assert!(tx.on_alarm(alarm, alarm));
/// assert_eq!(tx.next_alarm(), None);
/// ```
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Endpoint<M> {
    machine: M,
    /// Earliest alarm requested; [`Time::MAX`] without one.
    armed: Time,
    /// Bytes after which a receiving end is complete; `u64::MAX` when it never is.
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

    /// Returns the flow hash of the packets that this end sends on a subflow; the hash chooses their path.
    #[inline]
    pub fn hash(&self, subflow: u8) -> u32 {
        match subflow {
            0 => self.hash,
            other => path_hash(self.hash, other),
        }
    }

    /// Returns the sender or receiver.
    pub fn machine(&self) -> &M {
        &self.machine
    }

    /// Returns the sender or receiver for calls that the endpoint does not forward.
    pub fn machine_mut(&mut self) -> &mut M {
        &mut self.machine
    }

    /// Returns the sender or receiver, for use in another endpoint.
    pub fn into_machine(self) -> M {
        self.machine
    }

    /// Returns the time to call [`Endpoint::on_alarm`], if it is sooner than every alarm requested before. A
    /// time in the past means at once.
    #[inline]
    pub fn next_alarm(&mut self) -> Option<Time> {
        let due = self.machine.deadline()?;
        if due >= self.armed {
            return None;
        }
        self.armed = due;
        Some(due)
    }

    /// Handles the alarm requested for `at`. Returns false if an earlier alarm has replaced it: then there is
    /// nothing to do. After true, poll and request the next alarm.
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
    /// Creates the end where a flow's data starts. Its packets have the flow hash `hash`; those of further
    /// subflows have a hash derived from it.
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

    /// Returns true once every byte has been acknowledged: the driver may remove the endpoint.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.machine.is_done()
    }

    /// Returns the oldest byte not acknowledged.
    pub fn acknowledged(&self) -> u64 {
        self.machine.acknowledged()
    }

    /// Returns the oldest byte not acknowledged on this subflow.
    pub fn acknowledged_of(&self, subflow: u8) -> u64 {
        self.machine.acknowledged_of(subflow)
    }

    /// Returns the sender's counters.
    pub fn counters(&self) -> SenderCounters {
        self.machine.counters()
    }
}

impl Endpoint<AnyReceiver> {
    /// Creates the end where a flow of `size` bytes ends; a size of `u64::MAX` is a flow that never ends. Its
    /// packets have the flow hash `hash`.
    pub fn receiving(receiver: AnyReceiver, size: u64, hash: u32) -> Endpoint<AnyReceiver> {
        Endpoint::new(receiver, size, hash)
    }

    /// Handles the arrival of a segment. Returns true once, when the flow becomes complete.
    // Always inline: a driver with shims has two callers, and the one without shims must not pay for it.
    #[inline(always)]
    pub fn on_segment(&mut self, now: Time, arrival: Arrival) -> bool {
        self.on_mapped_segment(now, arrival, || arrival.seq)
    }

    /// Handles a segment like [`Endpoint::on_segment`], together with its data sequence number across all
    /// subflows: see [`AnyReceiver::on_mapped_segment`].
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

    /// Returns true once every byte of the flow has been delivered; an acknowledgement may be pending.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Returns true once the flow is complete and no acknowledgement is pending: the driver may remove the
    /// endpoint, and answers later segments with [`answer_late`].
    pub fn is_done(&self) -> bool {
        self.complete && Receiver::deadline(&self.machine).is_none()
    }

    /// Returns the number of bytes delivered to the application, in order.
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

/// Returns the flow hash of a subflow, where `hash` is that of subflow 0: one for each path.
#[cold]
pub fn path_hash(hash: u32, subflow: u8) -> u32 {
    match subflow {
        0 => hash,
        other => mix64(u64::from(other) << 32 | u64::from(hash)) as u32,
    }
}

/// Answers a segment of a complete flow of `size` bytes whose receiver has been removed: its sender missed the
/// acknowledgement, or closes the connection. The last packet of a handshake, overtaken by all the data, gets
/// no answer, nor does the last packet of a close.
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
        // The first alarm goes off too soon: nothing has expired, and the next alarm is requested.
        assert!(tx.on_alarm(first, first));
        assert_eq!(tx.counters().timeouts, 0);
        assert_eq!(tx.next_alarm(), Some(later));
        assert!(tx.on_alarm(later, later));
        assert_eq!(tx.counters().timeouts, 1);
    }

    #[test]
    fn an_alarm_that_an_earlier_one_has_replaced_does_not_count() {
        // The first timeout is long, the second short, because of one sample between them.
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
