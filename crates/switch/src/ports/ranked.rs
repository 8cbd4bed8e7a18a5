//! The explicit queue of a port whose scheduler is not FIFO.
//!
//! What waits is in the scheduler; what is sent, or on the wire, is in the port's [`Line`]. The
//! driver comes back at the end of each transmission.

use super::{Line, NONE, Store, Wire};
use crate::{AnySched, Sched};
use sidestep_types::Time;

/// A scheduler and the parcel being sent.
pub struct Ranked {
    sched: AnySched,
    /// The parcel being sent; [`NONE`] when the port is idle.
    sending: u32,
    /// The driver's number of this port: what waits here carries it.
    port: u32,
}

/// A transmission that has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Started {
    /// When its last bit leaves: the driver comes back then, with [`Ranked::ended`].
    pub departs: Time,
    /// Nothing is before it on the wire: the driver plans its arrival.
    pub first: bool,
}

impl Ranked {
    /// The queue of the port with the driver's number `port`, in the order of `sched`.
    pub fn new(sched: AnySched, port: u32) -> Ranked {
        Ranked {
            sched,
            sending: NONE,
            port,
        }
    }

    /// The same around a scheduler that ranks; `None` around FIFO, which needs no explicit queue.
    pub fn around(sched: AnySched, port: u32) -> Option<Ranked> {
        (!sched.is_fifo()).then(|| Ranked::new(sched, port))
    }

    /// The scheduler.
    pub fn sched(&self) -> &AnySched {
        &self.sched
    }

    /// The parcel being sent; [`NONE`] when the port is idle.
    #[inline]
    pub fn sending(&self) -> u32 {
        self.sending
    }

    /// Hands a parcel to the scheduler. Counting it in is [`Line::grow`]'s.
    pub fn push<S: Store>(
        &mut self,
        line: &mut Line,
        store: &mut S,
        wire: &Wire,
        now: Time,
        at: u32,
    ) {
        let parcel = store.parcel_mut(at);
        parcel.departs = Time::MAX;
        parcel.next = self.port;
        let span = wire.time_to_send(u32::from(parcel.packet.wire));
        line.free_at = line.free_at.max(now).saturating_add(span);
        self.sched.push(&parcel.packet, at);
    }

    /// Begins, at `now`, to send what the scheduler of an idle port names, if anything.
    pub fn start<S: Store>(
        &mut self,
        line: &mut Line,
        store: &mut S,
        wire: &Wire,
        now: Time,
    ) -> Option<Started> {
        let at = self.sched.pop()?;
        self.check(store, at);
        self.sending = at;
        let parcel = store.parcel_mut(at);
        let departs = now.saturating_add(wire.time_to_send(u32::from(parcel.packet.wire)));
        parcel.departs = departs;
        parcel.next = NONE;
        let first = line.join(store, at);
        Some(Started { departs, first })
    }

    /// The transmission has ended: the packet takes no buffer any more. Says which it was.
    ///
    /// Panics when nothing was being sent.
    pub fn ended<S: Store>(&mut self, line: &mut Line, store: &S, unbuffered: u32) -> u32 {
        let gone = std::mem::replace(&mut self.sending, NONE);
        assert!(gone != NONE, "a transmission ended on an idle port");
        line.shrink(u32::from(store.parcel(gone).packet.wire) - unbuffered);
        gone
    }

    /// Takes the worst packet that waits out of the queue and counts it out. Says which; it is
    /// the caller's to free.
    ///
    /// Panics when there is none: a buffer policy must have asked [`crate::Queues::worst`].
    pub fn evict<S: Store>(
        &mut self,
        line: &mut Line,
        store: &mut S,
        wire: &Wire,
        unbuffered: u32,
    ) -> u32 {
        let worst = self.sched.evict();
        let at = worst.expect("a buffer policy evicted from a queue that has nothing to evict");
        self.check(store, at);
        let parcel = store.parcel_mut(at);
        parcel.departs = Time::ZERO;
        let bytes = u32::from(parcel.packet.wire);
        // `free_at` is a sum, from which one packet's time can be taken again.
        line.free_at = line.free_at - wire.time_to_send(bytes);
        line.shrink(bytes - unbuffered);
        at
    }

    /// A scheduler of the caller's may name any number: panics unless it holds that packet.
    fn check<S: Store>(&self, store: &S, at: u32) {
        let held = store.has(at) && {
            let parcel = store.parcel(at);
            parcel.departs == Time::MAX && parcel.next == self.port
        };
        assert!(
            held,
            "a scheduler named packet {at}, which does not wait there"
        );
    }

    /// Everything that waits, in the scheduler's order. It stays counted in.
    fn drain<S: Store>(&mut self, store: &S) -> Vec<u32> {
        let mut all = Vec::new();
        while let Some(at) = self.sched.pop() {
            self.check(store, at);
            all.push(at);
        }
        all
    }
}

/// Changes a port's scheduler and wire while packets are queued.
///
/// What is being sent leaves as was foreseen. What waits is handed back, still counted in, for
/// the driver to queue again in the order in which it came.
pub fn reschedule<S: Store>(
    ranked: &mut Option<Ranked>,
    new: Option<Ranked>,
    line: &mut Line,
    store: &mut S,
    now: Time,
    unbuffered: u32,
) -> Rescheduled {
    line.settle(store, now, unbuffered);
    let (sending, waiting) = match ranked {
        None => line.cut(store),
        Some(old) => (old.sending, old.drain(store)),
    };
    *ranked = new;
    line.free_at = now;
    let mut ends = None;
    if sending != NONE {
        let departs = store.parcel(sending).departs;
        line.free_at = departs;
        match ranked {
            Some(ranked) => {
                ranked.sending = sending;
                ends = Some(departs);
            }
            None => line.resume(sending),
        }
    }
    Rescheduled { ends, waiting }
}

/// What a driver has to do after [`reschedule`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rescheduled {
    /// When the ranked port's transmission ends; `None` when the port is idle or FIFO.
    pub ends: Option<Time>,
    /// The parcels to queue again. Those of a FIFO port are in their order.
    pub waiting: Vec<u32>,
}
