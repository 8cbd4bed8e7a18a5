//! The explicit queue of a port whose scheduler is not FIFO.
//!
//! What waits is in the scheduler; what is sent, or on the wire, is in the port's [`Line`]. A
//! transmission with nothing behind it ends as a FIFO port's does: when somebody looks. The driver
//! comes back at the end of the others, where the scheduler chooses.
//!
//! Class queues leave nothing to choose while one class alone waits: then what waits stands in the line, as at a FIFO
//! port, its departures are known, and the driver need not come back. When a packet of another class comes, what waits
//! is taken off the line, and the scheduler goes on as if it had been asked at every end.

use super::{Line, NONE, Store, Wire};
use crate::sched::Classes;
use crate::{AnySched, Class, Depth, Sched};
use sidestep_types::{Packet, Time};
use std::hint::cold_path;

/// A scheduler, and whether the driver comes back at the end of the transmission under way.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ranked {
    sched: AnySched,
    /// The driver's number of this port: what waits here carries it.
    port: u32,
    /// How many packets wait in the scheduler.
    waiting: u32,
    /// While one class alone waits, what waits may stand in the line.
    in_lines: bool,
    /// What waits is in the scheduler, which chooses; else it stands in the line, and is of one class.
    chooses: bool,
    /// The driver comes back at the end of the transmission under way.
    planned: bool,
    /// It comes back at the end of every one.
    every_end: bool,
    /// A packet that finds the port idle passes the scheduler by ([`Sched::passes`]).
    passes: bool,
    /// The scheduler is told of it ([`AnySched::hears_of_passing`]).
    tells: bool,
}

/// What a driver has to plan for a ranked port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Due {
    /// When the transmission under way ends, if either of the others.
    pub departs: Time,
    /// It began just now, with nothing before it on the wire: its arrival is to be planned.
    pub first: bool,
    /// Its end is to be planned: [`Ranked::next`] then, before whatever arrives at that instant.
    pub ends: bool,
}

impl Ranked {
    /// The queue of the port with the driver's number `port`, in the order of `sched`.
    pub fn new(sched: AnySched, port: u32) -> Ranked {
        Ranked {
            passes: sched.passes(),
            tells: sched.hears_of_passing(),
            in_lines: sched.has_classes(),
            chooses: !sched.has_classes(),
            sched,
            port,
            waiting: 0,
            planned: false,
            every_end: false,
        }
    }

    /// The same around a scheduler that ranks; `None` around FIFO, which needs no explicit queue.
    pub fn around(sched: AnySched, port: u32) -> Option<Ranked> {
        (!sched.is_fifo()).then(|| Ranked::new(sched, port))
    }

    /// The driver comes back at the end of every transmission from the next one on: for those that
    /// do more then than to go on sending.
    pub fn plan_every_end(&mut self) {
        self.every_end = true;
        self.keep_apart();
    }

    /// What waits never stands in the line, from the start: for those who count in what is not in the queue yet.
    pub fn keep_apart(&mut self) {
        (self.in_lines, self.chooses) = (false, true);
    }

    /// The scheduler.
    pub fn sched(&self) -> &AnySched {
        &self.sched
    }

    /// Has it queues by class?
    pub fn has_classes(&self) -> bool {
        self.sched.has_classes()
    }

    /// This one was kept of a run that goes on, where `built` stands before it. Says what of it is of another port.
    pub fn stand_as(&mut self, built: &Ranked) -> Result<(), String> {
        let (own, other) = (built.sched.name(), self.sched.name());
        if own != other || built.port != self.port {
            let (port, got) = (built.port, self.port);
            return Err(format!(
                "expected {own} at port {port}, got {other} at port {got}"
            ));
        }
        (self.in_lines, self.passes) = (built.in_lines, built.passes);
        self.tells = built.tells;
        self.every_end = built.every_end;
        Ok(())
    }

    /// How many packets wait in the scheduler.
    pub fn held(&self) -> u32 {
        self.waiting
    }

    /// Does what waits stand in the line, since it is of one class?
    #[inline(always)]
    pub fn is_in_line(&self) -> bool {
        !self.chooses
    }

    /// Its class queues, while what waits stands in the line.
    #[inline(always)]
    pub(crate) fn classes_in_line(&mut self) -> Option<&mut Classes> {
        match self.chooses {
            true => None,
            false => self.sched.classes(),
        }
    }

    /// Does [`Ranked::seen`] do anything for the scheduler? Of most acknowledgements it does not.
    #[inline(always)]
    pub fn heeds(&mut self, packet: &Packet, now: Time) -> bool {
        match self.sched.classes() {
            Some(classes) => classes.heed(packet, now),
            None => true,
        }
    }

    /// Shows the scheduler a packet about which nothing is decided yet, while `waiting` waits in the line, if that is
    /// where it waits. Says what waits then in the queue of its class, in bytes of buffer.
    #[inline(always)]
    pub fn seen(&mut self, packet: &Packet, now: Time, waiting: Depth, unbuffered: u32) -> Class {
        if !self.chooses
            && let Some(classes) = self.sched.classes()
        {
            return classes.see_line(packet, now, waiting);
        }
        buffered(self.sched.seen(packet, now), unbuffered)
    }

    /// What waits in the queue of the class `service`, in the same way.
    pub fn class(&mut self, service: u8, waiting: Depth, unbuffered: u32) -> Class {
        if !self.chooses
            && let Some(classes) = self.sched.classes()
        {
            return classes.queue_line(service, waiting);
        }
        buffered(self.sched.queue(service), unbuffered)
    }

    /// Calls `with` for the scheduler, to which what waits in the line counts as its own for as long.
    #[cold]
    pub fn look<T>(
        &mut self,
        mut waiting: Depth,
        unbuffered: u32,
        with: impl FnOnce(&AnySched) -> T,
    ) -> T {
        if self.chooses {
            return with(&self.sched);
        }
        waiting.bytes += waiting.packets * unbuffered;
        if let Some(classes) = self.sched.classes() {
            classes.show_line(waiting);
        }
        let seen = with(&self.sched);
        if let Some(classes) = self.sched.classes() {
            classes.hide_line();
        }
        seen
    }

    /// Takes what waits off the line, if it stands there: the scheduler has it from now on, and chooses. Says which end
    /// of a transmission is to be planned then, if one is.
    #[cold]
    #[inline(never)]
    pub fn leave_line<S: Store>(
        &mut self,
        line: &mut Line,
        store: &mut S,
        (now, unbuffered): (Time, u32),
    ) -> Due {
        line.settle(store, now, unbuffered);
        if self.chooses || line.sending() == NONE {
            return Due::default();
        }
        let waiting = line.cut(store);
        if waiting.is_empty() {
            return Due::default();
        }
        for &at in &waiting {
            let parcel = store.parcel_mut(at);
            (parcel.departs, parcel.next) = (Time::MAX, self.port);
        }
        let each = waiting.iter();
        self.sched
            .leave_line(each.map(|&at| (&store.parcel(at).packet, at)));
        self.waiting = waiting.len() as u32;
        self.chooses = true;
        Due {
            departs: store.parcel(line.sending()).departs,
            first: false,
            ends: self.plan(),
        }
    }

    /// Tells class queues of a parcel that is about to wait in the line, or finds the port idle, and says whether it does:
    /// then it is counted in and queued there as at a FIFO port ([`Line::grow`], [`Line::queue`]), and else
    /// given to [`Ranked::queue`].
    #[inline(always)]
    pub fn joins_line<S: Store>(
        &mut self,
        line: &mut Line,
        store: &S,
        (now, unbuffered): (Time, u32),
        at: u32,
    ) -> bool {
        if self.chooses {
            return false;
        }
        let Some(classes) = self.sched.classes() else {
            return false;
        };
        line.settle(store, now, unbuffered);
        let packet = &store.parcel(at).packet;
        if line.sending() == NONE {
            classes.pass(packet, now);
            return true;
        }
        let waiting = line.waits(store, unbuffered);
        let stays = classes.stays_in_order(packet.service(), waiting.packets);
        if stays {
            classes.join_line(packet, now, waiting);
        }
        stays
    }

    /// Counts a parcel in and queues it, and begins to send when the port is idle.
    #[inline(always)]
    pub fn queue<S: Store>(
        &mut self,
        line: &mut Line,
        store: &mut S,
        wire: &Wire,
        (now, unbuffered): (Time, u32),
        at: u32,
    ) -> Due {
        if !self.chooses {
            return self.queue_in_line(line, store, wire, (now, unbuffered), at);
        }
        line.settle(store, now, unbuffered);
        line.grow(u32::from(store.parcel(at).packet.wire) - unbuffered);
        if line.sending() == NONE && self.waiting == 0 && self.passes {
            let span = wire.time_to_send(u32::from(store.parcel(at).packet.wire));
            line.free_at = line.free_at.max(now).saturating_add(span);
            if self.tells {
                cold_path();
                self.sched.pass(&store.parcel(at).packet, now);
            }
            return self.send(line, store, now.saturating_add(span), at);
        }
        self.push(line, store, wire, now, at);
        if line.sending() == NONE {
            return self.start(line, store, wire, now);
        }
        Due {
            departs: store.parcel(line.sending()).departs,
            first: false,
            ends: self.plan(),
        }
    }

    /// The same where what waits stands in the line.
    #[inline(never)]
    fn queue_in_line<S: Store>(
        &mut self,
        line: &mut Line,
        store: &mut S,
        wire: &Wire,
        at_now: (Time, u32),
        at: u32,
    ) -> Due {
        let bytes = u32::from(store.parcel(at).packet.wire) - at_now.1;
        if self.joins_line(line, store, at_now, at) {
            line.grow(bytes);
            let departs = line.queue(store, wire, at_now.0, at);
            return Due {
                departs: departs.unwrap_or_default(),
                first: departs.is_some(),
                ends: false,
            };
        }
        let due = self.leave_line(line, store, at_now);
        line.grow(bytes);
        self.push(line, store, wire, at_now.0, at);
        due
    }

    /// Hands a parcel to the scheduler of a port that may not begin to send. Counting it in is
    /// [`Line::grow`]'s.
    #[inline(never)]
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
        self.sched.join(&parcel.packet, at, now);
        self.waiting += 1;
        self.chooses = true;
    }

    /// Begins, at `now`, to send what the scheduler of an idle port names, if anything.
    #[inline(never)]
    pub fn start<S: Store>(
        &mut self,
        line: &mut Line,
        store: &mut S,
        wire: &Wire,
        now: Time,
    ) -> Due {
        self.begin(line, store, wire, now)
    }

    /// The same in the place of the call, where it is the way of most packets that waited.
    #[inline(always)]
    fn begin<S: Store>(&mut self, line: &mut Line, store: &mut S, wire: &Wire, now: Time) -> Due {
        let Some(at) = self.sched.pop() else {
            return Due::default();
        };
        self.check(store, at);
        self.waiting -= 1;
        if self.waiting == 0 {
            self.chooses = !self.in_lines;
        }
        let span = wire.time_to_send(u32::from(store.parcel(at).packet.wire));
        self.send(line, store, now.saturating_add(span), at)
    }

    /// Begins to send a parcel.
    #[inline(always)]
    fn send<S: Store>(&mut self, line: &mut Line, store: &mut S, departs: Time, at: u32) -> Due {
        let parcel = store.parcel_mut(at);
        parcel.departs = departs;
        parcel.next = NONE;
        Due {
            departs,
            first: line.send(store, at),
            ends: (self.waiting > 0 || self.every_end) && self.plan(),
        }
    }

    /// Is the end of the transmission under way to be planned? From now on it is.
    fn plan(&mut self) -> bool {
        !std::mem::replace(&mut self.planned, true)
    }

    /// The transmission has ended whose end was planned: begins the next one, if anything waits.
    ///
    /// Panics when nothing was being sent.
    #[inline]
    pub fn next<S: Store>(
        &mut self,
        line: &mut Line,
        store: &mut S,
        wire: &Wire,
        (now, unbuffered): (Time, u32),
    ) -> Due {
        self.ended(line, store, (now, unbuffered));
        self.begin(line, store, wire, now)
    }

    /// The transmission has ended whose end was planned: the packet takes no buffer any more. Says
    /// which it was. Of [`Ranked::next`] the first half, for drivers that do more then.
    ///
    /// Panics when nothing was being sent.
    pub fn ended<S: Store>(
        &mut self,
        line: &mut Line,
        store: &S,
        (now, unbuffered): (Time, u32),
    ) -> u32 {
        let gone = line.sending();
        assert!(gone != NONE, "a transmission ended on an idle port");
        self.planned = false;
        line.settle(store, now, unbuffered);
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
        self.waiting -= 1;
        let parcel = store.parcel_mut(at);
        parcel.departs = Time::ZERO;
        let bytes = u32::from(parcel.packet.wire);
        // `free_at` is a sum, from which one packet's time can be taken again.
        line.free_at = line.free_at - wire.time_to_send(bytes);
        line.shrink(bytes - unbuffered);
        at
    }

    /// Takes everything that waits out of the queue and counts it out: the link is dead. Says which
    /// packets they were, in the scheduler's order. No end of a transmission is planned any more. What stands in the
    /// line is the line's ([`Line::clear`]), and the scheduler is to be told first ([`Ranked::leave_line`]).
    #[cold]
    pub fn clear<S: Store>(&mut self, line: &mut Line, store: &mut S, unbuffered: u32) -> Vec<u32> {
        let waited = self.drain(store);
        for &at in &waited {
            let parcel = store.parcel_mut(at);
            parcel.departs = Time::ZERO;
            line.shrink(u32::from(parcel.packet.wire) - unbuffered);
        }
        (self.waiting, self.planned) = (0, false);
        self.chooses = !self.in_lines;
        waited
    }

    /// A scheduler of the caller's may name any number: panics unless it holds that packet.
    #[inline]
    fn check<S: Store>(&self, store: &S, at: u32) {
        if matches!(self.sched, AnySched::Custom(_)) {
            self.check_named(store, at);
        }
    }

    #[inline(never)]
    fn check_named<S: Store>(&self, store: &S, at: u32) {
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

/// A class with its depth in bytes of buffer in place of link time.
#[inline(always)]
fn buffered(mut class: Class, unbuffered: u32) -> Class {
    class.depth.bytes -= class.depth.packets * unbuffered;
    class
}

/// Changes a port's scheduler and wire while packets are queued.
///
/// What is being sent leaves as was foreseen; no end of it is planned any more. What waits is
/// handed back, counted out, for the driver to queue again in the order in which it came.
/// That of a FIFO port is in this order.
pub fn reschedule<S: Store>(
    ranked: &mut Option<Ranked>,
    new: Option<Ranked>,
    line: &mut Line,
    store: &mut S,
    now: Time,
    unbuffered: u32,
) -> Vec<u32> {
    line.settle(store, now, unbuffered);
    let waiting = match ranked {
        None => line.cut(store),
        Some(old) => {
            old.leave_line(line, store, (now, unbuffered));
            old.drain(store)
        }
    };
    for &at in &waiting {
        line.shrink(u32::from(store.parcel(at).packet.wire) - unbuffered);
    }
    *ranked = new;
    line.free_at = match line.sending() {
        NONE => now,
        sending => store.parcel(sending).departs,
    };
    waiting
}
