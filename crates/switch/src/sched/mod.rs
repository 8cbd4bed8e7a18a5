//! Schedulers: the order in which packets leave a port.

mod classes;
mod drr;
pub mod fifo;
mod flows;
pub mod pfabric;
pub mod priority;
pub mod ps;
pub mod srpt;
pub mod strict;
pub mod wps;

use crate::Class;
use crate::registry::registry;
use crate::why;
pub(crate) use classes::Classes;
use sidestep_types::{Packet, Time};

/// Order of one port's queue. Each packet is named by a handle that the driver chooses.
///
/// ```
/// use sidestep_switch::Sched;
/// use sidestep_switch::testing::data;
/// use sidestep_types::Packet;
///
/// /// Last-in, first-out queue.
/// #[derive(Default)]
/// struct Lifo(Vec<u32>);
///
/// impl Sched for Lifo {
///     fn push(&mut self, _: &Packet, handle: u32) {
///         self.0.push(handle);
///     }
///     fn pop(&mut self) -> Option<u32> {
///         self.0.pop()
///     }
/// }
///
/// let mut sched = Lifo::default();
/// sched.push(&data(), 7);
/// sched.push(&data(), 8);
/// assert_eq!([sched.pop(), sched.pop(), sched.pop()], [Some(8), Some(7), None]);
/// ```
pub trait Sched {
    /// Returns true if every packet leaves in order of arrival. A driver then knows each departure at arrival
    /// and need not keep this queue at all.
    fn is_fifo(&self) -> bool {
        false
    }
    /// Returns true if a packet that joins and leaves again while nothing waits does not change the queue. A
    /// driver then need not enqueue a packet that finds the port idle, and calls [`Sched::pass`] instead.
    /// Constant for a scheduler.
    fn passes(&self) -> bool {
        false
    }
    /// Replaces the joining and leaving of a packet that arrives now while nothing waits, where
    /// [`Sched::passes`].
    fn pass(&mut self, pkt: &Packet, now: Time) {
        if self.counts() {
            self.see(pkt, now);
        }
    }
    /// Adds a packet to the queue.
    fn push(&mut self, pkt: &Packet, handle: u32);
    /// Adds a packet that arrives now: shows it first if flows are counted, then pushes it.
    fn join(&mut self, pkt: &Packet, handle: u32, now: Time) {
        if self.counts() {
            self.see(pkt, now);
        }
        self.push(pkt, handle);
    }
    /// Removes and returns the packet that leaves next.
    fn pop(&mut self) -> Option<u32>;
    /// Returns the rank of the packet that [`Sched::evict`] would remove. `None` if no packet waits or this
    /// scheduler does not rank.
    fn worst(&self) -> Option<u32> {
        None
    }
    /// Removes and returns the worst packet, to make room for one that ranks better.
    fn evict(&mut self) -> Option<u32> {
        None
    }
    /// Calls `with(rank, bytes of link time)` for the packets that wait, in the order in which [`Sched::evict`]
    /// would remove them, until it returns `false`. Makes no call if this scheduler does not rank.
    fn each_worst(&self, _with: &mut dyn FnMut(u32, u32) -> bool) {}
    /// Calls `with(handle)` for every packet that waits, in any order, for buffer policies that read all of
    /// them ([`crate::Queues::ranks`]). The default makes no call.
    fn each_held(&self, _with: &mut dyn FnMut(u32)) {}
    /// Returns the queue of the class `service`: packets, bytes of link time and number of flows. Empty if this
    /// scheduler has no such queue.
    fn queue(&self, _service: u8) -> Class {
        Class::default()
    }
    /// Returns the class queue where packets of the class `service` wait; `None` if this scheduler has no such
    /// queues.
    fn class_of(&self, _service: u8) -> Option<u8> {
        None
    }
    /// Returns true if the scheduler counts flows. Every packet is then shown to it right before it joins
    /// ([`Sched::see`]).
    fn counts(&self) -> bool {
        false
    }
    /// Shows the scheduler the current time and a packet about which a buffer policy is about to decide for
    /// this port. The packet may join or not, and may be shown again.
    fn see(&mut self, _pkt: &Packet, _now: Time) {}
    /// Shows a packet like [`Sched::see`] and returns the queue of its class afterwards ([`Sched::queue`]).
    fn seen(&mut self, pkt: &Packet, now: Time) -> Class {
        self.see(pkt, now);
        self.queue(pkt.service())
    }
    /// Explains in a clause with numbers when `pkt`, which is about to join, leaves among the packets that
    /// wait.
    fn why(&self, pkt: &Packet) -> String {
        match self.is_fifo() {
            true => "all waiting packets leave before it".into(),
            false => why::ranked(pkt.rank(), |with| self.each_worst(with)),
        }
    }
}

registry! {
    /// Scheduler from the registry, or a custom one.
    pub enum AnySched: Sched {
        fifo::Fifo,
        priority::Priority,
        pfabric::PFabric,
        srpt::Srpt,
        strict::Strict,
        ps::Ps,
        wps::Wps,
    }
}

impl AnySched {
    /// Returns true if the scheduler has class queues. While only one class waits, these leave nothing to
    /// choose: packets leave in order of arrival and may wait in the port's line ([`crate::ports::Ranked`]).
    pub(crate) fn has_classes(&self) -> bool {
        matches!(
            self,
            AnySched::Strict(_) | AnySched::Ps(_) | AnySched::Wps(_)
        )
    }

    /// Moves the packets that waited in the port's line to their class queue, as if they had joined it.
    #[cold]
    #[inline(never)]
    pub(crate) fn leave_line<'a>(
        &mut self,
        waiting: impl ExactSizeIterator<Item = (&'a Packet, u32)>,
    ) {
        let Some(classes) = self.classes() else {
            return;
        };
        let (class, sent) = classes.leave_line(waiting);
        match self {
            AnySched::Ps(ps) => ps.drr.resume(class, sent),
            AnySched::Wps(wps) => wps.drr.resume(class, sent),
            _ => {}
        }
    }

    /// Returns the class queues, if the scheduler has them. They are at the same offset in all such schedulers,
    /// so access needs no dispatch.
    #[inline(always)]
    pub(crate) fn classes(&mut self) -> Option<&mut Classes> {
        match self {
            AnySched::Strict(strict) => Some(&mut strict.classes),
            AnySched::Ps(ps) => Some(&mut ps.classes),
            AnySched::Wps(wps) => Some(&mut wps.classes),
            _ => None,
        }
    }

    /// Returns true if [`Sched::pass`] may do anything: if flows are counted, and for every custom scheduler.
    pub(crate) fn observes_passing(&self) -> bool {
        self.has_classes() || self.counts() || matches!(self, AnySched::Custom(_))
    }

    #[inline(never)]
    fn pass_other(&mut self, pkt: &Packet, now: Time) {
        dispatch!(self, policy => policy.pass(pkt, now))
    }

    #[inline(never)]
    fn join_other(&mut self, pkt: &Packet, handle: u32, now: Time) {
        dispatch!(self, policy => policy.join(pkt, handle, now))
    }

    #[inline(never)]
    fn seen_other(&mut self, pkt: &Packet, now: Time) -> Class {
        dispatch!(self, policy => policy.seen(pkt, now))
    }
}

impl Sched for AnySched {
    fn is_fifo(&self) -> bool {
        dispatch!(self, policy => policy.is_fifo())
    }
    #[inline]
    fn passes(&self) -> bool {
        dispatch!(self, policy => policy.passes())
    }
    #[inline(always)]
    fn pass(&mut self, pkt: &Packet, now: Time) {
        match self.classes() {
            Some(classes) => classes.pass(pkt, now),
            None => self.pass_other(pkt, now),
        }
    }
    #[inline]
    fn push(&mut self, pkt: &Packet, handle: u32) {
        dispatch!(self, policy => policy.push(pkt, handle))
    }
    #[inline(always)]
    fn join(&mut self, pkt: &Packet, handle: u32, now: Time) {
        match self.classes() {
            Some(classes) => classes.join(pkt, handle, now),
            None => self.join_other(pkt, handle, now),
        }
    }
    #[inline(always)]
    fn pop(&mut self) -> Option<u32> {
        dispatch!(self, policy => policy.pop())
    }
    fn worst(&self) -> Option<u32> {
        dispatch!(self, policy => policy.worst())
    }
    fn evict(&mut self) -> Option<u32> {
        dispatch!(self, policy => policy.evict())
    }
    fn each_worst(&self, with: &mut dyn FnMut(u32, u32) -> bool) {
        dispatch!(self, policy => policy.each_worst(with))
    }
    fn each_held(&self, with: &mut dyn FnMut(u32)) {
        dispatch!(self, policy => policy.each_held(with))
    }
    fn queue(&self, service: u8) -> Class {
        dispatch!(self, policy => policy.queue(service))
    }
    fn class_of(&self, service: u8) -> Option<u8> {
        dispatch!(self, policy => policy.class_of(service))
    }
    fn counts(&self) -> bool {
        dispatch!(self, policy => policy.counts())
    }
    fn see(&mut self, pkt: &Packet, now: Time) {
        dispatch!(self, policy => policy.see(pkt, now))
    }
    #[inline(always)]
    fn seen(&mut self, pkt: &Packet, now: Time) -> Class {
        match self.classes() {
            Some(classes) => classes.see(pkt, now),
            None => self.seen_other(pkt, now),
        }
    }
    #[cold]
    fn why(&self, pkt: &Packet) -> String {
        dispatch!(self, policy => policy.why(pkt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::data;
    use sidestep_types::{FlowId, Values};

    /// Calls `check` with every registered scheduler, filled with packets of these flows, ranks and sizes.
    fn each_with(packets: &[(u32, u32, u16)], mut check: impl FnMut(&str, AnySched)) {
        for entry in ENTRIES {
            let values = Values::defaults(entry.params);
            let mut sched = AnySched::build(entry.name, &values, 4, 0).expect("its defaults");
            for (handle, &(flow, rank, wire)) in (0..).zip(packets) {
                let mut packet = data();
                (packet.flow, packet.wire) = (FlowId(flow), wire);
                packet.set_rank(rank);
                sched.push(&packet, handle);
            }
            check(entry.name, sched);
        }
    }

    fn worst_first(sched: &AnySched, most: usize) -> Vec<(u32, u32)> {
        let mut seen = Vec::new();
        sched.each_worst(&mut |rank, wire| {
            seen.push((rank, wire));
            seen.len() < most
        });
        seen
    }

    fn set(packet: &mut Packet, flow: u32, rank: u32, wire: u16) {
        (packet.flow, packet.wire) = (FlowId(flow), wire);
        packet.set_rank(rank);
        packet.set_service(flow as u8 % 3);
        packet.set_ends(rank == 5);
    }

    /// Returns the order in which these leave; after every third, the worst is evicted.
    fn order(sched: &mut AnySched, packets: &[(u32, u32, u16)]) -> Vec<Option<u32>> {
        let mut left = Vec::new();
        for (handle, &(flow, rank, wire)) in (0..).zip(packets) {
            let mut packet = data();
            set(&mut packet, flow, rank, wire);
            sched.see(&packet, Time::ZERO);
            sched.push(&packet, handle);
            if handle % 3 == 2 {
                left.push(sched.evict());
            }
        }
        left.extend(packets.iter().map(|_| sched.pop()));
        left
    }

    proptest::proptest! {
        #[test]
        fn one_that_passes_is_the_same_whether_it_saw_a_packet_alone_or_not(
            before in proptest::collection::vec((0u32..4, 0u32..6, 84u16..1539), 0..20),
            alone in (0u32..4, 0u32..6, 84u16..1539),
            after in proptest::collection::vec((0u32..4, 0u32..6, 84u16..1539), 1..20),
        ) {
            for entry in ENTRIES {
                let values = Values::defaults(entry.params);
                let [mut shown, mut spared] = [(); 2].map(|()| {
                    AnySched::build(entry.name, &values, 4, 0).expect("its defaults")
                });
                order(&mut shown, &before);
                order(&mut spared, &before);
                assert_eq!(order(&mut shown, &[alone]), [Some(0)], "{}", entry.name);
                if spared.passes() {
                    let mut packet = data();
                    set(&mut packet, alone.0, alone.1, alone.2);
                    spared.pass(&packet, Time::ZERO);
                }
                let flows = |sched: &AnySched| [0, 1].map(|class| sched.queue(class).flows);
                assert_eq!(flows(&shown), flows(&spared), "{}", entry.name);
                let same = order(&mut shown, &after) == order(&mut spared, &after);
                assert!(same || !shown.passes(), "{}", entry.name);
            }
        }

        #[test]
        fn all_that_waits_is_named_once_whatever_left_before(
            packets in proptest::collection::vec((0u32..4, 0u32..6, 84u16..1539), 1..40),
            gone in 0usize..40,
        ) {
            each_with(&packets, |name, mut sched| {
                let mut left: Vec<u32> = (0..packets.len() as u32).collect();
                for n in 0..gone {
                    let out = match n % 3 {
                        2 => sched.evict(),
                        _ => sched.pop(),
                    };
                    left.retain(|handle| Some(*handle) != out);
                }
                let mut held = Vec::new();
                sched.each_held(&mut |handle| held.push(handle));
                held.sort_unstable();
                assert_eq!(held, left, "{name}");
            });
        }

        #[test]
        fn the_worst_are_named_in_the_order_in_which_they_are_evicted(
            packets in proptest::collection::vec((0u32..4, 0u32..6, 84u16..1539), 1..40),
            most in 1usize..50,
        ) {
            each_with(&packets, |name, mut sched| {
                let named = worst_first(&sched, usize::MAX);
                assert_eq!(worst_first(&sched, most), named[..most.min(named.len())], "{name}");
                for (rank, wire) in named {
                    assert_eq!(sched.worst(), Some(rank), "{name}");
                    let gone = sched.evict().expect("it was named");
                    assert_eq!(wire, u32::from(packets[gone as usize].2), "{name}");
                }
                assert_eq!((sched.worst(), sched.evict()), (None, None), "{name}");
            });
        }
    }
}
