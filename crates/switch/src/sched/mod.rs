//! Schedulers: which of a port's packets leaves next.

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

/// The order of one port's queue. Packets are named by a handle of the driver's.
///
/// ```
/// use sidestep_switch::Sched;
/// use sidestep_switch::testing::data;
/// use sidestep_types::Packet;
///
/// /// Last in, first out.
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
    /// Does every packet leave in the order it came? A driver then knows each departure at
    /// arrival and need not keep this queue at all.
    fn is_fifo(&self) -> bool {
        false
    }
    /// Is the queue, when nothing waits, left as it was by a packet that joins and leaves again?
    /// A driver then need not queue one that finds the port idle: [`Sched::pass`] says so. It is always, or never.
    fn passes(&self) -> bool {
        false
    }
    /// In place of a packet that comes now, joins and leaves again while nothing waits, where [`Sched::passes`].
    fn pass(&mut self, pkt: &Packet, now: Time) {
        if self.counts() {
            self.see(pkt, now);
        }
    }
    /// A packet joins.
    fn push(&mut self, pkt: &Packet, handle: u32);
    /// A packet comes now, and joins: the same as to show it, where flows are counted, and to push it.
    fn join(&mut self, pkt: &Packet, handle: u32, now: Time) {
        if self.counts() {
            self.see(pkt, now);
        }
        self.push(pkt, handle);
    }
    /// The next packet to leave.
    fn pop(&mut self) -> Option<u32>;
    /// The rank of the packet that [`Sched::evict`] would take out. `None` when there is none,
    /// or when this scheduler does not rank.
    fn worst(&self) -> Option<u32> {
        None
    }
    /// Takes the worst packet out, for one that ranks better.
    fn evict(&mut self) -> Option<u32> {
        None
    }
    /// Calls `with(rank, bytes of link time)` for every packet that waits, in the order in which
    /// [`Sched::evict`] would take them, until it says `false`. For none when this scheduler
    /// does not rank.
    fn each_worst(&self, _with: &mut dyn FnMut(u32, u32) -> bool) {}
    /// Calls `with(handle)` for every packet that waits, in any order: for buffer policies that look at all of
    /// them ([`crate::Queues::ranks`]). By default for none.
    fn each_held(&self, _with: &mut dyn FnMut(u32)) {}
    /// What waits in the queue of the class `service`, in packets and their bytes of link time, and how many
    /// flows are in it; nothing where this scheduler has no such queue.
    fn queue(&self, _service: u8) -> Class {
        Class::default()
    }
    /// The class queue where packets of the class `service` wait; none where this scheduler has no such queues.
    fn class_of(&self, _service: u8) -> Option<u8> {
        None
    }
    /// Does it count flows? Then it is shown every packet that joins, right before that ([`Sched::see`]).
    fn counts(&self) -> bool {
        false
    }
    /// Current time, and a packet about which a buffer policy is about to decide for this port: whether it joins
    /// is open. It may be shown again.
    fn see(&mut self, _pkt: &Packet, _now: Time) {}
    /// The same; says what then waits in the queue of its class, and how many flows are in it ([`Sched::queue`]).
    fn seen(&mut self, pkt: &Packet, now: Time) -> Class {
        self.see(pkt, now);
        self.queue(pkt.service())
    }
    /// When `pkt`, which is about to join, leaves among those that wait: a clause with numbers.
    fn why(&self, pkt: &Packet) -> String {
        match self.is_fifo() {
            true => "all that is there leaves first".into(),
            false => why::ranked(pkt.rank(), |with| self.each_worst(with)),
        }
    }
}

registry! {
    /// A scheduler: one of the registry, or a custom one.
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
    /// Has it class queues? While one class alone waits, these leave nothing to choose: what waits leaves in the order in
    /// which it came, and may wait in the port's line ([`crate::ports::Ranked`]).
    pub(crate) fn has_classes(&self) -> bool {
        matches!(
            self,
            AnySched::Strict(_) | AnySched::Ps(_) | AnySched::Wps(_)
        )
    }

    /// What waited in the port's line waits in its class queue from now on, as if it had joined that.
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

    /// The class queues of one that has them. They stand at one place in all of those, so that what is asked of them
    /// needs no dispatch.
    #[inline(always)]
    pub(crate) fn classes(&mut self) -> Option<&mut Classes> {
        match self {
            AnySched::Strict(strict) => Some(&mut strict.classes),
            AnySched::Ps(ps) => Some(&mut ps.classes),
            AnySched::Wps(wps) => Some(&mut wps.classes),
            _ => None,
        }
    }

    /// Does [`Sched::pass`] do anything? Not where nothing is counted; of one of the caller's nobody knows.
    pub(crate) fn hears_of_passing(&self) -> bool {
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

    /// Every registered scheduler, with packets of these flows, ranks and sizes.
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

    /// In which order these leave, the worst evicted after every third.
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
