//! MulBuff combined with DIBS: queues by class, and detours for packets of short flows that find no room.
//!
//! **Decision**     as [`mulbuff`](super::mulbuff), but a packet of a short class that it would drop is
//!                  detoured: to a port drawn uniformly from those that lead to a switch, have room, and
//!                  whose queue of that class is below the full limit of short flows. Else drop. Packets of
//!                  long flows without room are dropped.
//! **State**        none; costs one draw for each packet of a short class that does not fit.
//! **Units**        as `mulbuff`.
//! **Errors**       refusals are counted as `full`, or `detours` past `max_detours`; construction refuses what
//!                  `mulbuff` and `dibs` refuse.
//! **Source**       none: Mushtaq et al., SIGCOMM 2014 (MulBuff), section 2, before Zarifis et al., EuroSys
//!                  2014 (DIBS), section 2.
//! **Deviations**   all of the combination is *assumed*. At the port that it joins, a detoured packet may use
//!                  `total` less `product`, however few flows are counted there, or it would seldom find room.
//!                  From then on its flow is counted at that port as well, if flows are counted there, until
//!                  its last packet leaves there or it has been silent. Meanwhile its class has more weight
//!                  there under `wps`, and may hold more of the packets that want that port.

use super::detour::Detours;
use super::mulbuff::{MulBuff, MulBuffSettings, Queueing};
use super::{Buffer, DropReason, Verdict, dibs};
use crate::why::{SwitchSnapshot, both};
use crate::{Nature, Policy, Queues, Want};
use sidestep_types::{About, Packet, PortSet, Refusal, Rng, Settings};

/// Policy with a queue limit per class and detours for short flows.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MulBuffDibs {
    queues: MulBuff,
    detours: Detours,
}

/// Settings of [`MulBuffDibs`].
#[derive(Clone, Settings)]
pub struct MulBuffDibsSettings {
    #[setting(flatten)]
    queues: Queueing,
    #[setting(flatten)]
    detours: Detours,
}

impl Policy for MulBuffDibs {
    type Settings = MulBuffDibsSettings;
    const ABOUT: About = About {
        name: "mulbuff-dibs",
        summary: "a queue for each class, sized by its flows; detours packets of short flows that \
                  find no room",
        source: "Mushtaq et al., SIGCOMM 2014 (MulBuff), before Zarifis et al., EuroSys 2014 (DIBS)",
    };
    const NATURE: Nature = Nature {
        draws: 1,
        sched: MulBuff::NATURE.sched,
        classes: true,
        flows: MulBuff::NATURE.flows,
        holds: MulBuff::NATURE.holds,
        ..Nature::DETOURS
    };

    fn build(settings: MulBuffDibsSettings, ports: u16, salt: u64) -> Result<MulBuffDibs, Refusal> {
        let MulBuffDibsSettings { queues, detours } = settings;
        let step = detours.step;
        Ok(MulBuffDibs {
            queues: MulBuff::build(MulBuffSettings { queues, step }, ports, salt)?,
            detours,
        })
    }
}

impl Buffer for MulBuffDibs {
    #[inline(never)]
    fn admit(
        &mut self,
        pkt: &Packet,
        want: Want,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        match self.queues.admit(pkt, want, queues, rng) {
            Verdict::Drop(_) if !self.queues.is_long(pkt.service()) => {
                self.detour(pkt, want, queues, rng)
            }
            verdict => verdict,
        }
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, want: Want, verdict: Verdict) -> String {
        let service = snapshot.packet.service();
        match verdict {
            Verdict::Enqueue { .. } => self.queues.why(snapshot, want, verdict),
            Verdict::Drop(DropReason::Full) if self.queues.is_long(service) => {
                let room = self.queues.why(snapshot, want, verdict);
                format!("{room}; class {service} holds long flows, which are not detoured")
            }
            Verdict::Detour { port, .. } => {
                let room = self.queues.why(snapshot, want, verdict);
                let open = self.open(snapshot.packet, want, snapshot.queues);
                let how = dibs::drawn(open.unwrap_or(PortSet::EMPTY));
                let joins = both(snapshot.queues.queue(port, service).depth);
                format!(
                    "{room}; among the other ports to a switch with room for its class, {how}; the \
                     class holds {joins} there"
                )
            }
            Verdict::Drop(DropReason::Full) => {
                let room = self.queues.why(snapshot, want, verdict);
                format!("{room}; no other port to a switch has room for its class")
            }
            // The packet was detoured too often.
            _ => (self.detours).why(snapshot, want, verdict, |_, _| String::new()),
        }
    }
}

impl MulBuffDibs {
    /// Detours a packet that does not fit. Separate function, to keep it out of the path of packets that fit.
    #[inline(never)]
    fn detour(&self, pkt: &Packet, want: Want, queues: &mut dyn Queues, rng: &mut Rng) -> Verdict {
        let open = match self.open(pkt, want, queues) {
            Ok(open) => open,
            Err(reason) => return Verdict::Drop(reason),
        };
        match dibs::drawn_port(open, rng.draw()) {
            Some(port) => Verdict::Detour {
                port,
                mark: self.detours.mark_detours
                    || self.queues.marks(queues.queue(port, pkt.service()).depth),
            },
            None => Verdict::Drop(DropReason::Full),
        }
    }

    /// Returns the ports that a detour may take, as for every policy that detours, except that the queue of the
    /// packet's class must have room as well, and that the wanted port is excluded.
    fn open(
        &self,
        pkt: &Packet,
        want: Want,
        queues: &mut dyn Queues,
    ) -> Result<PortSet, DropReason> {
        let mut open = self.detours.open(pkt, queues)?;
        open.remove(want.port);
        let (most, bytes) = (self.queues.most_of_short(), queues.buffered(pkt));
        Ok(open.filter(|port| {
            let depth = queues.queue(port, pkt.service()).depth;
            !pkt.carries_data() || most.fits(depth, bytes)
        }))
    }
}

#[cfg(test)]
mod tests;
