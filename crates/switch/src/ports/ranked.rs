//! Explicit queue of a port whose scheduler is not FIFO.
//!
//! Waiting packets are in the scheduler; packets that are being sent or on the wire are in the port's [`Line`].
//! A transmission with no packet behind it ends like that of a FIFO port: when the line is next settled. The
//! driver comes back at the end of the other transmissions, when the scheduler chooses.
//!
//! While only one class waits, class queues have nothing to choose. The waiting packets then stand in the line,
//! as at a FIFO port: their departures are known, and the driver need not come back. When a packet of another
//! class arrives, the waiting packets are taken off the line, and the scheduler continues as if it had been
//! queried at every end.

use super::{Line, NONE, Store, Wire};
use crate::sched::Classes;
use crate::{AnySched, Class, Depth, Sched};
use sidestep_types::{Packet, Time};
use std::hint::cold_path;

/// Scheduler of a port, and the state of its current transmission.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ranked {
    sched: AnySched,
    /// The driver's number of this port, stored in every parcel that waits here.
    port: u32,
    /// Number of packets that wait in the scheduler.
    waiting: u32,
    /// True if waiting packets may stand in the line while only one class waits.
    in_lines: bool,
    /// True if the waiting packets are in the scheduler, which chooses. Otherwise they stand in the line and
    /// are of one class.
    chooses: bool,
    /// Set while the driver will come back at the end of the current transmission.
    planned: bool,
    /// True if the driver comes back at the end of every transmission.
    every_end: bool,
    /// True if a packet that finds the port idle bypasses the scheduler ([`Sched::passes`]).
    passes: bool,
    /// True if the scheduler is told of such a packet ([`AnySched::observes_passing`]).
    tells: bool,
}

/// Events that a driver has to plan for a ranked port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Due {
    /// End of the current transmission; meaningful if `first` or `ends` is set.
    pub departs: Time,
    /// Set if the transmission began just now with no packet before it on the wire: the driver plans its
    /// arrival.
    pub first: bool,
    /// Set if the driver must plan the end and call [`Ranked::next`] then, before any arrival at that instant.
    pub ends: bool,
}

impl Ranked {
    /// Creates the queue of the port with the driver's number `port`, scheduled by `sched`.
    pub fn new(sched: AnySched, port: u32) -> Ranked {
        Ranked {
            passes: sched.passes(),
            tells: sched.observes_passing(),
            in_lines: sched.has_classes(),
            chooses: !sched.has_classes(),
            sched,
            port,
            waiting: 0,
            planned: false,
            every_end: false,
        }
    }

    /// Creates the queue if the scheduler ranks; `None` for FIFO, which needs no explicit queue.
    pub fn around(sched: AnySched, port: u32) -> Option<Ranked> {
        (!sched.is_fifo()).then(|| Ranked::new(sched, port))
    }

    /// Makes the driver come back at the end of every transmission from the next one on, for drivers that do
    /// more then than start the next one.
    pub fn plan_every_end(&mut self) {
        self.every_end = true;
        self.keep_apart();
    }

    /// Keeps waiting packets out of the line, from the start, for drivers that count in packets before they
    /// join the queue.
    pub fn keep_apart(&mut self) {
        (self.in_lines, self.chooses) = (false, true);
    }

    /// Returns the scheduler.
    pub fn sched(&self) -> &AnySched {
        &self.sched
    }

    /// Returns true if the scheduler has class queues.
    pub fn has_classes(&self) -> bool {
        self.sched.has_classes()
    }

    /// Prepares this queue, restored from a saved run, to replace `built`, the new queue of the same port.
    /// Errors name the difference if it belongs to another port or scheduler.
    pub fn restore_constants(&mut self, built: &Ranked) -> Result<(), String> {
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

    /// Returns the number of packets that wait in the scheduler.
    pub fn held(&self) -> u32 {
        self.waiting
    }

    /// Returns true if the waiting packets stand in the line, since they are of one class.
    #[inline(always)]
    pub fn is_in_line(&self) -> bool {
        !self.chooses
    }

    /// Returns the class queues, while the waiting packets stand in the line.
    #[inline(always)]
    pub(crate) fn classes_in_line(&mut self) -> Option<&mut Classes> {
        match self.chooses {
            true => None,
            false => self.sched.classes(),
        }
    }

    /// Returns true if the scheduler must see this packet ([`Ranked::seen`]). False for most acknowledgements.
    #[inline(always)]
    pub fn must_see(&mut self, packet: &Packet, now: Time) -> bool {
        match self.sched.classes() {
            Some(classes) => classes.must_see(packet, now),
            None => true,
        }
    }

    /// Shows the scheduler a packet before the decision about it. Returns the queue of the packet's class
    /// afterwards, in bytes of buffer. `waiting` is the depth of the line behind the packet being sent.
    #[inline(always)]
    pub fn seen(&mut self, packet: &Packet, now: Time, waiting: Depth, unbuffered: u32) -> Class {
        if !self.chooses
            && let Some(classes) = self.sched.classes()
        {
            return classes.see_line(packet, now, waiting);
        }
        buffered(self.sched.seen(packet, now), unbuffered)
    }

    /// Returns the queue of the class `service`, in bytes of buffer. `waiting` is the depth of the line behind
    /// the packet being sent.
    pub fn class(&mut self, service: u8, waiting: Depth, unbuffered: u32) -> Class {
        if !self.chooses
            && let Some(classes) = self.sched.classes()
        {
            return classes.queue_line(service, waiting);
        }
        buffered(self.sched.queue(service), unbuffered)
    }

    /// Calls `with` on the scheduler. During the call, the packets in the line count as waiting in the
    /// scheduler.
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

    /// Moves waiting packets from the line, if they stand there, to the scheduler, which chooses from now on.
    /// Returns the end of a transmission that the driver must plan then, if any.
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

    /// Tells the class queues of a parcel that is about to wait in the line, or finds the port idle. If this
    /// returns true, the caller counts the parcel in and queues it in the line as at a FIFO port
    /// ([`Line::grow`], [`Line::queue`]). Otherwise the caller passes it to [`Ranked::queue`].
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

    /// Counts a parcel in and enqueues it. Starts to send if the port is idle.
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

    /// Counts a parcel in and enqueues it, while waiting packets stand in the line.
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

    /// Hands a parcel to the scheduler of a port that may not start to send. The caller counts it in with
    /// [`Line::grow`].
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

    /// Starts to send, at `now`, the packet that the scheduler of an idle port picks, if any.
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

    /// Inlined body of [`Ranked::start`], for the path of most packets that waited.
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

    /// Starts to send a parcel.
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

    /// Returns true if the end of the current transmission has yet to be planned, and records that it is
    /// planned.
    fn plan(&mut self) -> bool {
        !std::mem::replace(&mut self.planned, true)
    }

    /// Ends the transmission whose end was planned, and starts the next one if a packet waits.
    ///
    /// Panics when no packet was being sent.
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

    /// Ends the transmission whose end was planned and frees its buffer. Returns the parcel. This is the first
    /// half of [`Ranked::next`], for drivers that do more at that time.
    ///
    /// Panics when no packet was being sent.
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

    /// Takes the worst waiting packet out of the queue and counts it out. Returns its parcel, which the caller
    /// frees.
    ///
    /// Panics when no packet can be evicted: a buffer policy must check [`crate::Queues::worst`] first.
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
        // `free_at` is a sum: the sending time of one packet can be subtracted.
        line.free_at = line.free_at - wire.time_to_send(bytes);
        line.shrink(bytes - unbuffered);
        at
    }

    /// Takes all waiting packets out of the queue and counts them out, because the link is dead. Returns them
    /// in the scheduler's order. No end of a transmission is planned any more. The caller first moves waiting
    /// packets from the line to the scheduler ([`Ranked::leave_line`]), and clears the line itself with
    /// [`Line::clear`].
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

    /// Panics unless the scheduler holds packet `at`: a custom scheduler may return any number.
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

    /// Takes all waiting packets out of the scheduler, in its order. They stay counted in.
    fn drain<S: Store>(&mut self, store: &S) -> Vec<u32> {
        let mut all = Vec::new();
        while let Some(at) = self.sched.pop() {
            self.check(store, at);
            all.push(at);
        }
        all
    }
}

/// Converts the depth of a class from link time to bytes of buffer.
#[inline(always)]
fn buffered(mut class: Class, unbuffered: u32) -> Class {
    class.depth.bytes -= class.depth.packets * unbuffered;
    class
}

/// Changes the scheduler and the wire of a port while packets are queued.
///
/// The current transmission leaves at the time already known; no end of it is planned any more. Waiting packets
/// are counted out and returned, for the driver to enqueue again in order of arrival. Those of a FIFO port are
/// in this order.
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
