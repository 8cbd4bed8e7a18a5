//! MulBuff before DIBS: queues by class, and what short flows find no room for leaves by another port.
//!
//! **Decision**     as [`mulbuff`](super::mulbuff), but a packet of a short class that it would drop is detoured: to a port
//!                  drawn uniformly from those that lead to a switch, have room, and whose queue of that class holds less
//!                  than short flows may have at all. Else drop. What long flows find no room for is dropped.
//! **State**        none of its own; costs one draw for each packet of a short class that does not fit.
//! **Units**        as `mulbuff`.
//! **Errors**       refusals are counted as `full`, or `detours` past `max_detours`; construction refuses what `mulbuff` and
//!                  `dibs` refuse.
//! **Source**       none: Mushtaq et al., SIGCOMM 2014 (MulBuff), section 2, before Zarifis et al., EuroSys 2014 (DIBS), section 2.
//! **Deviations**   all of the combination is *assumed*. Where a detoured packet goes it may have what `total` less `product`
//!                  leaves, however few flows are counted there, or it would seldom find room. From when it joins there its flow
//!                  is counted at that port as well, where one counts, until its last packet leaves there or it has been
//!                  silent: its class weighs more there under `wps` meanwhile, and may hold more of what wants that port.

use super::detour::Detours;
use super::mulbuff::{MulBuff, MulBuffSettings, Queueing};
use super::{Buffer, DropReason, Verdict, dibs};
use crate::why::{Scene, both};
use crate::{Nature, Policy, Queues, Want};
use sidestep_types::{About, Packet, PortSet, Refusal, Rng, Settings};

/// Queues by class, and detours of short flows.
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
        summary: "a queue for each class, sized by its flows; detours what short flows find no room for",
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

    fn why(&self, scene: &mut Scene<'_>, want: Want, verdict: Verdict) -> String {
        let service = scene.packet.service();
        match verdict {
            Verdict::Enqueue { .. } => self.queues.why(scene, want, verdict),
            Verdict::Drop(DropReason::Full) if self.queues.is_long(service) => {
                let room = self.queues.why(scene, want, verdict);
                format!("{room}; class {service} is of long flows, which are not detoured")
            }
            Verdict::Detour { port, .. } => {
                let room = self.queues.why(scene, want, verdict);
                let open = self.open(scene.packet, want, scene.queues);
                let how = dibs::drawn(open.unwrap_or(PortSet::EMPTY));
                let joins = both(scene.queues.queue(port, service).depth);
                format!(
                    "{room}; of the ports to a switch with room for its class {how}, where {joins} of it wait"
                )
            }
            Verdict::Drop(DropReason::Full) => {
                let room = self.queues.why(scene, want, verdict);
                format!("{room}; no other port to a switch has room for its class")
            }
            // Detoured too often.
            _ => (self.detours).why(scene, want, verdict, |_, _| String::new()),
        }
    }
}

impl MulBuffDibs {
    /// Kept out of the path of packets that fit.
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

    /// As for every policy that detours, but that ports have room where the queue of the packet's class has it as
    /// well, and the wanted port has none.
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
