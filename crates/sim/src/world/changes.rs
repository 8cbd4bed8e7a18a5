//! Changes to the network between two events, and the packets they cost.
//!
//! A change at `t` is made when everything before `t` has been served: it is not in the agenda, and costs a run
//! without changes nothing. Packets sent to a link that is down are lost: the fabric accepts them, and they are
//! counted here before any other event.

use super::World;
use crate::agenda::Agenda;
use crate::changes::{Becomes, CableState, Change, Step, steps};
use crate::event::{PacketAction, PacketEvent};
use crate::fib::{Fib, Ports};
use crate::layout::LinkEnds;
use crate::network::{End, Network};
use sidestep_switch::Sink;
use sidestep_types::{BitRate, PortId, PortSet, Time};
use std::sync::Arc;

/// Changes of a run, and the present state of the network.
pub(super) struct Changes {
    changes: Vec<Change>,
    steps: Vec<(Time, Step)>,
    /// Number of steps done.
    taken: usize,
    standing: CableState,
    /// Per cable: its two links, and its rate in the network.
    cables: Vec<([u32; 2], BitRate)>,
    ports: Arc<Ports>,
    /// Per switch: the sets of next hops it has had.
    sets: Vec<Vec<u32>>,
    /// Next hops of every switch before any change.
    first: Vec<Fib>,
    /// Per host: packets lost by its NIC.
    lost: Vec<u64>,
}

/// Saved part of [`Changes`]: the steps done, and their losses. Next hops are computed again.
#[derive(Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct Saved {
    taken: usize,
    lost: Vec<u64>,
}

impl Changes {
    pub fn saved(&self) -> Saved {
        Saved {
            taken: self.taken,
            lost: self.lost.clone(),
        }
    }

    /// Returns the changes of a network whose links have these `ends`; `None` without changes.
    pub fn new(
        network: &Network,
        ports: &Arc<Ports>,
        ends: &[LinkEnds],
        changes: &[Change],
    ) -> Option<Box<Changes>> {
        if changes.is_empty() {
            return None;
        }
        let mut links = vec![0; ends.len()];
        for (link, end) in (0..).zip(ends) {
            links[end.place] = link;
        }
        let of = |(cable, pair): (&crate::network::Cable, &[u32])| ([pair[0], pair[1]], cable.rate);
        let cables = network.cables.iter().zip(links.chunks_exact(2)).map(of);
        Some(Box::new(Changes {
            steps: steps(changes),
            changes: changes.to_vec(),
            taken: 0,
            standing: CableState::new(network.cables.len()),
            cables: cables.collect(),
            ports: Arc::clone(ports),
            sets: Vec::new(),
            first: Vec::new(),
            lost: vec![0; network.hosts as usize],
        }))
    }

    /// Returns the time of the next step.
    fn next(&self) -> Option<Time> {
        self.steps.get(self.taken).map(|step| step.0)
    }

    /// Returns the number of packets lost by the NIC of `host`.
    pub fn lost(&self, host: u32) -> u64 {
        self.lost[host as usize]
    }

    /// Returns the rate of a cable in the network.
    pub fn rate(&self, cable: usize) -> BitRate {
        self.cables[cable].1
    }

    /// Returns the port of a shortest path of the unchanged network from switch `at` to switch `to`; `None`
    /// while nothing has changed.
    pub fn toward(&self, at: u32, to: u32) -> Option<PortId> {
        let fib = self.first.get(at as usize)?;
        Some(fib.hops(to).ports[0])
    }
}

impl<A: Agenda> World<A> {
    /// Makes the changes due by `limit`, and serves the events before each.
    #[cold]
    #[inline(never)]
    pub(super) fn change_until(&mut self, limit: Time) {
        while let Some(at) = self.changes.as_ref().and_then(|changes| changes.next()) {
            if at > limit {
                return;
            }
            if let Some(before) = at.ps().checked_sub(1) {
                self.serve_until(Time::from_ps(before));
            }
            if self.end < at {
                return;
            }
            self.fabric.now = at;
            self.change(at);
        }
    }

    /// Takes the steps of the instant `at`.
    fn change(&mut self, at: Time) {
        let mut changes = self.changes.take().expect("a run with changes");
        let mut follow = false;
        while changes.next() == Some(at) {
            let step = changes.steps[changes.taken].1;
            changes.taken += 1;
            changes.standing.take(&changes.changes, step);
            match step {
                Step::Happens(i) => self.make(&mut changes, i),
                Step::Known(_) => follow = true,
            }
        }
        if follow {
            self.follow(&mut changes);
        }
        self.changes = Some(changes);
    }

    /// Makes change number `i`.
    fn make(&mut self, changes: &mut Changes, i: usize) {
        let Change { cable, to, .. } = changes.changes[i];
        let (links, rate) = changes.cables[cable as usize];
        for link in links {
            if let Some(recorder) = &mut self.observers.recorder {
                let rate = match to {
                    Becomes::Rate(rate) => rate.as_bps(),
                    Becomes::Up => rate.as_bps(),
                    Becomes::Down => 0,
                };
                recorder.link(self.fabric.now, link, rate);
            }
            match to {
                Becomes::Rate(rate) => self.fabric.change_rate(link, rate),
                Becomes::Up => {
                    self.fabric.mend(link);
                    self.fabric.change_rate(link, rate);
                }
                Becomes::Down => {
                    for parcel in self.fabric.cut(link) {
                        self.lose(changes, link, parcel, false);
                    }
                }
            }
        }
    }

    /// Counts the packets sent to `link`, which is down, at this instant.
    #[cold]
    #[inline(never)]
    pub(super) fn swallowed(&mut self, link: u32) {
        let mut changes = self.changes.take().expect("a run with changes");
        let at_once = matches!(self.ends[link as usize].from, End::Host(_));
        for parcel in self.fabric.swallowed(link) {
            self.lose(&mut changes, link, parcel, at_once);
        }
        self.changes = Some(changes);
    }

    /// Counts and frees a packet lost on or before `link`. `at_once`: its host sent it at this instant.
    fn lose(&mut self, changes: &mut Changes, link: u32, parcel: u32, at_once: bool) {
        let LinkEnds { from, port, .. } = self.ends[link as usize];
        match from {
            End::Switch(s) => self.switches[s.0].lost(port),
            End::Host(h) => changes.lost[h.0 as usize] += 1,
        }
        let held = self.fabric.pool.get(parcel);
        let (now, packet, departs) = (self.fabric.now, held.packet, held.departs);
        if packet.traced() {
            self.observers.observe(&PacketEvent {
                at: now,
                parcel,
                packet: &packet,
                what: PacketAction::Lost {
                    from,
                    port,
                    departs,
                },
            });
        }
        if at_once {
            self.tally.dropped_at_once(now, &packet);
        } else {
            self.tally.dropped(now, &packet);
        }
        self.fabric.pool.free(parcel);
    }

    /// Repeats the steps done before, except for their effect on links: sets of next hops keep their numbers,
    /// which routes store. Returns an error if the saved steps do not fit.
    pub(super) fn follow_again(&mut self, saved: Saved) -> Result<(), String> {
        let mut changes = self.changes.take().expect("a run with changes");
        if saved.taken > changes.steps.len() || saved.lost.len() != changes.lost.len() {
            return Err("saved changes do not match the scenario".into());
        }
        while changes.taken < saved.taken {
            let at = changes.next();
            let mut follow = false;
            while changes.next() == at && changes.taken < saved.taken {
                let step = changes.steps[changes.taken].1;
                changes.taken += 1;
                changes.standing.take(&changes.changes, step);
                follow |= matches!(step, Step::Known(_));
            }
            if follow {
                self.follow(&mut changes);
            }
        }
        changes.lost = saved.lost;
        self.changes = Some(changes);
        Ok(())
    }

    /// Reroutes around cables known to be down: updates next hops and the ports open to detours.
    fn follow(&mut self, changes: &mut Changes) {
        let Changes {
            ports,
            sets,
            first,
            standing,
            ..
        } = changes;
        if first.is_empty() {
            first.extend(self.switches.iter().map(|switch| switch.fib().clone()));
            sets.extend(first.iter().map(Fib::sets));
        }
        let avoided = |cable: u32| standing.avoided[cable as usize];
        ports.each_way(&avoided, |to, s, ports| {
            let (fib, _) = self.switches[s as u32].known();
            fib.learn(&mut sets[s], to, ports);
        });
        for (switch, ports) in self.switches.iter_mut().zip(&ports.of_switch) {
            let open = (0..)
                .map(PortId)
                .zip(ports)
                .filter(|(_, (far, cable, _))| matches!(far, End::Switch(_)) && !avoided(*cable));
            *switch.known().1 = open.map(|(port, _)| port).collect::<PortSet>();
        }
    }
}
