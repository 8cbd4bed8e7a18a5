//! Restored fabric: saved state takes the place of a newly built fabric.
//!
//! Numbers of parcels, links and hosts are used as indices without a check ([`crate::indexed`]). Those of the
//! network are taken from the built fabric; those of parcels are all checked here, before anything runs.

use super::{Fabric, Queue};
use crate::agenda::{Agenda, Slots};
use crate::cioq::Cioq;
use crate::layout::FarEnd;
use crate::pfc::Pfc;
use crate::pool::NONE;
use serde::{Deserialize, Deserializer};
use sidestep_switch::ports::{Ranked, Store};
use sidestep_switch::{AnySched, Sched};
use sidestep_types::Time;

/// Event of the agenda: time, tie, and slot.
pub(crate) type Pending = (Time, u32, u32);

/// Reads the queue that a link that is down has when it is up: only two variants are accepted, so that no file
/// nests them without end.
pub(super) fn alive<'de, D: Deserializer<'de>>(from: D) -> Result<Queue, D::Error> {
    #[allow(clippy::large_enum_variant)]
    #[derive(Deserialize)]
    enum Alive {
        Fifo,
        Ranked(Ranked),
    }
    Ok(match Alive::deserialize(from)? {
        Alive::Fifo => Queue::Fifo,
        Alive::Ranked(ranked) => Queue::Ranked(ranked),
    })
}

impl Queue {
    /// Returns the explicit queue, also while the link is down.
    fn when_up(&self) -> Option<&Ranked> {
        match self {
            Queue::Fifo => None,
            Queue::Ranked(ranked) => Some(ranked),
            Queue::Down(dead) => dead.live_queue.when_up(),
        }
    }

    fn when_up_mut(&mut self) -> Option<&mut Ranked> {
        match self {
            Queue::Fifo => None,
            Queue::Ranked(ranked) => Some(ranked),
            Queue::Down(dead) => dead.live_queue.when_up_mut(),
        }
    }
}

impl<A: Agenda> Fabric<A> {
    /// Returns all pending events, in their order.
    pub fn pending(&self) -> Vec<Pending> {
        self.agenda.pending()
    }

    /// Returns a link with a custom scheduler, if there is one.
    pub fn custom_sched(&self) -> Option<u32> {
        let custom = |queue: &Queue| {
            let sched = queue.when_up().map(Ranked::sched);
            matches!(sched, Some(AnySched::Custom(_)))
        };
        let found = self.wiring.queues.iter().position(custom)?;
        Some(found as u32)
    }

    /// Puts this saved fabric in the place of `built`, the same network before its run. Returns an error that
    /// names a mismatch.
    pub fn restore_constants(
        &mut self,
        built: Fabric<A>,
        pending: &[Pending],
        flows: usize,
    ) -> Result<(), String> {
        (self.switch_features, self.every_end) = (built.switch_features, built.every_end);
        (self.unbuffered, self.header_wire) = (built.unbuffered, built.header_wire);
        (self.salt, self.hosts) = (built.salt, built.hosts);
        let links = built.links.len();
        if self.links.len() != links {
            return Err(format!("links: expected {links}, got {}", self.links.len()));
        }
        let wires = self.wiring.wires.len();
        for (kept, built) in self.links.iter_mut().zip(built.links.iter()) {
            kept.lead_as(built);
            if kept.wire as usize >= wires {
                return Err(format!("a link has wire {} of {wires}", kept.wire));
            }
        }
        self.wiring.ingress = built.wiring.ingress;
        let queues = self.wiring.queues.len();
        if ![0, links].contains(&queues) || queues < built.wiring.queues.len() {
            return Err(format!("queues: expected {links}, got {queues}"));
        }
        for (link, kept) in self.wiring.queues.iter_mut().enumerate() {
            let built = built.wiring.queues.get(link).and_then(Queue::when_up);
            match (kept.when_up_mut(), built) {
                (None, None) => {}
                (Some(kept), Some(built)) => kept.restore_constants(built)?,
                (kept, built) => {
                    let [expected, got] =
                        [built.is_some(), kept.is_some()].map(|ranked| match ranked {
                            true => "a scheduler",
                            false => "none",
                        });
                    return Err(format!("link {link}: expected {expected}, got {got}"));
                }
            }
        }
        match (&mut self.pfc, built.pfc) {
            (None, None) => {}
            (Some(kept), Some(built)) => kept.restore_constants(*built)?,
            _ => return Err("saved pauses do not match the scenario".into()),
        }
        match (&mut self.cioq, built.cioq) {
            (None, None) => {}
            (Some(kept), Some(built)) => kept.restore_constants(*built)?,
            _ => return Err("saved switch fabrics do not match the scenario".into()),
        }
        self.check_parcels(flows)?;
        self.agenda = self.agenda_of(pending)?;
        Ok(())
    }

    /// Checks every list of parcels: each parcel is in exactly one place, and every number exists.
    fn check_parcels(&self, flows: usize) -> Result<(), String> {
        let mut placed = vec![false; self.pool.len()];
        let mut place = |parcel: u32, whose: &dyn Fn() -> String| {
            let place = placed.get_mut(parcel as usize);
            match place.map(|placed| std::mem::replace(placed, true)) {
                Some(false) => Ok(()),
                Some(true) => Err(format!("{}: packet {parcel} is in two places", whose())),
                None => Err(format!("{}: packet {parcel} does not exist", whose())),
            }
        };
        for free in self.pool.free_ones()? {
            place(free, &|| "free slots".into())?;
        }
        for link in 0..self.links.len() as u32 {
            let whose = || format!("link {link}");
            let line = &self.links[link].line;
            let (mut next, mut last, mut waits) = (line.head(), NONE, false);
            let (mut packets, mut bytes) = (0u32, 0u32);
            while next != NONE {
                place(next, &whose)?;
                let parcel = self.pool.get(next);
                waits |= next == line.sending();
                if waits {
                    packets += 1;
                    let buffered = u32::from(parcel.packet.wire).saturating_sub(self.unbuffered);
                    bytes = bytes.saturating_add(buffered);
                }
                if parcel.departs == Time::MAX {
                    return Err(format!("link {link}: packet {next} never leaves"));
                }
                (last, next) = (next, parcel.next);
            }
            let depth = line.settled();
            let known = line.head() == NONE || line.tail() == last;
            let counted = packets <= depth.packets && bytes <= depth.bytes;
            if !known || !counted || waits != (line.sending() != NONE) {
                return Err(format!("link {link}: its queue does not match its counts"));
            }
            let queue = self.wiring.queues.get(link as usize);
            if let Some(Queue::Down(dead)) = queue {
                dead.swallowed
                    .iter()
                    .try_for_each(|at| place(*at, &whose))?;
            }
            if let Some(ranked) = queue.and_then(Queue::when_up) {
                let mut held = Vec::new();
                ranked.sched().each_held(&mut |at| held.push(at));
                if held.len() as u64 != u64::from(ranked.held()) {
                    let (got, expected) = (held.len(), ranked.held());
                    return Err(format!(
                        "link {link}: {got} packets are queued, expected {expected}"
                    ));
                }
                for at in held {
                    place(at, &whose)?;
                    let parcel = self.pool.get(at);
                    if parcel.departs != Time::MAX || parcel.next != link {
                        return Err(format!(
                            "link {link}: packet {at} is queued at another link"
                        ));
                    }
                }
            }
        }
        for (parcel, link) in self.cioq.iter().flat_map(|cioq| cioq.parcels()) {
            place(parcel, &|| format!("a crossing from link {link}"))?;
        }
        let free = self.pool.free_ones()?;
        let mut is_free = vec![false; self.pool.len()];
        free.iter().for_each(|at| is_free[*at as usize] = true);
        for (at, placed) in (0..).zip(placed) {
            let parcel = self.pool.get(at);
            if !placed {
                return Err(format!("packet {at} is nowhere"));
            }
            let wire = u32::from(parcel.packet.wire);
            let to = parcel.packet.dst.0;
            if !is_free[at as usize] && (to >= self.hosts || wire < self.unbuffered) {
                return Err(format!("packet {at} of {wire} bytes goes to host {to}"));
            }
            let flow = parcel.packet.flow.0;
            if !is_free[at as usize] && flow as usize >= flows {
                return Err(format!("packet {at} is of flow {flow} of {flows}"));
            }
        }
        Ok(())
    }

    /// Builds an agenda of `pending`; each event must belong to something in progress.
    fn agenda_of(&self, pending: &[Pending]) -> Result<A, String> {
        let links = self.links.len() as u32;
        let inner = self.pfc.is_some() || self.cioq.is_some();
        let slots = links * (2 + u32::from(inner)) + self.hosts;
        let mut agenda = A::new(Slots::new(slots as usize));
        let mut taken = vec![false; slots as usize];
        for &(at, tie, slot) in pending {
            let refuse = |why: &str| Err(format!("the event of slot {slot} at {at}: {why}"));
            if slot >= slots {
                return refuse(&format!("there are {slots} slots"));
            }
            if std::mem::replace(&mut taken[slot as usize], true) {
                return refuse("the slot has another event");
            }
            if at < self.now {
                return refuse(&format!("it is before the present, {}", self.now));
            }
            let of_link = |first: u32| slot.checked_sub(first).filter(|link| *link < links);
            let under_way = if let Some(link) = of_link(0) {
                self.arrives(link, at)
            } else if let Some(link) = of_link(links + self.hosts) {
                self.ends(link, at)
            } else if let Some(link) = of_link(2 * links + self.hosts) {
                self.moves(link)
            } else {
                true
            };
            if !under_way {
                return refuse("nothing is in progress there");
            }
            agenda.schedule(slot, at, tie);
        }
        Ok(agenda)
    }

    /// Returns true if a packet arrives over `link` at `at`. Changes cannot alter a delay.
    fn arrives(&self, link: u32, at: Time) -> bool {
        let departs = self.links[link].line.head_departs(&self.pool);
        departs.is_some_and(|departs| departs.saturating_add(self.wire(link).delay) == at)
    }

    /// Returns true if a transmission on `link` ends at `at`, or if something was sent to it while it is down.
    fn ends(&self, link: u32, at: Time) -> bool {
        match self.wiring.queues.get(link as usize) {
            None | Some(Queue::Fifo) => false,
            Some(Queue::Down(dead)) => !dead.swallowed.is_empty(),
            Some(Queue::Ranked(_)) => {
                let sending = self.links[link].line.sending();
                self.pool.has(sending) && self.pool.get(sending).departs == at
            }
        }
    }

    /// Returns true if a pause is on its way to the sender of `link`, or if a packet crosses where it ends.
    fn moves(&self, link: u32) -> bool {
        let frame = |pfc: &Pfc| pfc.expects_frame(link);
        let crossing = |cioq: &Cioq| match self.links[link].far() {
            FarEnd::Switch(_) => cioq.crosses(self.input(link)),
            FarEnd::Host(_) => false,
        };
        self.pfc.as_deref().is_some_and(frame) || self.cioq.as_deref().is_some_and(crossing)
    }
}
