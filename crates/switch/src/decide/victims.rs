//! Victims: packets evicted for the one at hand, then moved to other queues or dropped.

use super::{Carrier, Decider};
use crate::ports::Live;
use crate::{Buffer, Changes, DropReason, Event, Joined, Queues, Verdict};
use sidestep_types::PortId;

impl Decider {
    /// Evicts packets from the queue of `wanted` for the packet at hand: one, and then more while the packet
    /// does not fit and the policy asks for it. Returns the final decision: the mark with which the packet
    /// joins (`mark` is that of the first verdict), or the reason of its drop.
    pub(super) fn make_room<C: Carrier>(
        &mut self,
        carrier: &mut C,
        wanted: PortId,
        mut mark: bool,
    ) -> Result<bool, DropReason> {
        loop {
            self.victims.push(carrier.take(wanted));
            let (packet, ports) = carrier.at_hand();
            let mut queues = Live(ports);
            let want = queues.want(wanted, packet);
            if want.fits {
                return Ok(mark);
            }
            match self.buffer.admit(packet, want, &mut queues, &mut self.rng) {
                Verdict::Evict { mark: again } => mark = again,
                Verdict::Enqueue { mark } => return Ok(mark),
                Verdict::Drop(reason) => return Err(reason),
                other => panic!("a buffer policy said {other:?} after it had evicted"),
            }
        }
    }

    /// Moves or drops an evicted packet, which waited at `from`. It cannot evict others in turn, so one arrival
    /// causes a bounded number of steps.
    pub(super) fn displace<C: Carrier>(&mut self, carrier: &mut C, victim: u32, from: PortId) {
        let verdict = match carrier.held_may_detour(victim) {
            true => {
                let (packet, ports) = carrier.held(victim);
                (self.buffer).displaced(&packet, from, &mut Live(ports), &mut self.rng)
            }
            false => Verdict::Drop(DropReason::Evicted),
        };
        match verdict {
            Verdict::Drop(reason) => self.lose(carrier, victim, from, reason),
            Verdict::Detour { port, mark } => self.move_to(carrier, victim, from, port, mark),
            Verdict::Squeeze { port, mark } => {
                match self.drop_worse_ranked(carrier, Some(victim), port) {
                    true => self.move_to(carrier, victim, from, port, mark),
                    false => self.lose(carrier, victim, from, DropReason::Evicted),
                }
            }
            other => panic!("a buffer policy said {other:?} of a packet that it had evicted"),
        }
    }

    /// Moves a held packet, which waited at `from`, to the queue of `port`.
    fn move_to<C: Carrier>(
        &mut self,
        carrier: &mut C,
        victim: u32,
        from: PortId,
        port: PortId,
        mark: bool,
    ) {
        let (ahead, left) = {
            let (_, ports) = carrier.held(victim);
            let mut queues = Live(ports);
            (queues.depth(port), queues.settle(from))
        };
        let packet = carrier.held_mut(victim);
        packet.detours = packet.detours.saturating_add(u8::from(port != from));
        let marked = mark && packet.mark();
        self.counts[port.index()].marks += u64::from(marked);
        self.count_detour(from, port);
        carrier.put(victim, port);
        let joined = Joined {
            wanted: from,
            wanted_queue: left.packets,
            port,
            ahead,
            changes: Changes::MARKED.when(marked),
        };
        carrier.tell(Some(victim), Event::Move(joined));
    }

    /// Drops the worst packets that wait at `port` until the packet, at hand or held, fits there. Drops only
    /// packets that rank strictly worse. Returns true if the packet fits.
    pub(super) fn drop_worse_ranked<C: Carrier>(
        &mut self,
        carrier: &mut C,
        held: Option<u32>,
        port: PortId,
    ) -> bool {
        loop {
            let (fits, better) = {
                let (packet, ports) = match held {
                    Some(held) => carrier.held(held),
                    None => {
                        let (packet, ports) = carrier.at_hand();
                        (*packet, ports)
                    }
                };
                let mut queues = Live(ports);
                // First of all: a custom policy may name any port, and this panics on a port that does not
                // exist.
                let worst = queues.worst(port);
                let better = worst.is_some_and(|worst| packet.rank() < worst);
                (queues.want(port, &packet).fits, better)
            };
            if fits || !better {
                return fits;
            }
            let worst = carrier.take(port);
            self.lose(carrier, worst, port, DropReason::Evicted);
        }
    }

    /// Drops a held packet, which waited at `port`.
    fn lose<C: Carrier>(&mut self, carrier: &mut C, held: u32, port: PortId, reason: DropReason) {
        self.count_drop(port, reason);
        carrier.tell(Some(held), Event::Evict { port, reason });
    }
}
