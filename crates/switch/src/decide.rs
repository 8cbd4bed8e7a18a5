//! The switch decision, whole: route, room, verdict; and what makes room where a verdict says so.
//!
//! Written once for every driver: the simulator and the software switch keep their queues each in
//! a way of its own, and show them as [`Room`] and [`Evicts`].

use crate::{AnyBuffer, AnyRoute, Buffer, DropReason, Queues, Route, Verdict, Want};
use sidestep_types::{Packet, PortId, Rng};

/// What decides in one switch.
#[repr(C)]
pub struct Decider {
    /// Which of the next hops.
    pub route: AnyRoute,
    /// What becomes of a packet.
    pub buffer: AnyBuffer,
    /// What both draw from.
    pub rng: Rng,
}

/// The queues of a switch, which also says how one of them looks to a packet.
pub trait Room: Queues {
    /// How the queue of `port` looks to `packet`.
    fn want(&mut self, port: PortId, packet: &Packet) -> Want;
}

/// A driver that can take packets out of its queues again.
pub trait Evicts {
    /// Its queues.
    type Queues<'a>: Room
    where
        Self: 'a;
    /// Takes the worst packet out of the queue of `port`, for good.
    ///
    /// Panics when there is none: a buffer policy must have asked [`Queues::worst`].
    fn evict(&mut self, port: PortId);
    /// Its queues as they are now.
    fn queues(&mut self) -> Self::Queues<'_>;
}

impl Decider {
    /// The port that `packet` wants, of the next hops toward where it goes; never empty.
    #[inline(always)]
    pub fn pick<Q: Room>(&mut self, packet: &Packet, hops: &[PortId], queues: &mut Q) -> PortId {
        self.route.pick(packet, hops, queues, &mut self.rng)
    }

    /// How the queue of the port that `packet` wants looks, and the verdict. The packet's TTL has
    /// been lowered for this switch already. A packet that is `crowded` out finds no room where
    /// it came in, whatever it wants.
    #[inline(always)]
    pub fn decide<Q: Room>(
        &mut self,
        packet: &Packet,
        wanted: PortId,
        crowded: bool,
        queues: &mut Q,
    ) -> (Want, Verdict) {
        let want = queues.want(wanted, packet);
        let verdict = if packet.ttl == 0 {
            Verdict::Drop(DropReason::Ttl)
        } else if crowded {
            Verdict::Drop(DropReason::Full)
        } else {
            self.buffer.admit(packet, want, queues, &mut self.rng)
        };
        (want, verdict)
    }

    /// Evicts from the queue of `wanted` what the policy gives up for `packet`: one packet, and
    /// where that leaves too few bytes, as many as it goes on to name. Says whether the packet is
    /// marked when it joins (`mark` was said with the first verdict), or why it does not.
    pub fn make_room<D: Evicts>(
        &mut self,
        driver: &mut D,
        packet: &Packet,
        wanted: PortId,
        mut mark: bool,
    ) -> Result<bool, DropReason> {
        loop {
            driver.evict(wanted);
            let mut queues = driver.queues();
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
}
