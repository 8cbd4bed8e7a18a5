//! One part of a world that is cut.

use super::{Cut, Said};
use crate::agenda::PartAgenda;
use crate::config::WorldConfig;
use crate::losses::LossLog;
use crate::network::Network;
use crate::outcome::Outcome;
use crate::plan::{Plan, Start};
use crate::watch::Watched;
use crate::world::World;
use sidestep_switch::Depth;
use sidestep_types::{Packet, Time};
use std::sync::Arc;

/// A packet on its way from one part to another.
#[derive(Clone, Debug)]
pub struct Mail {
    /// The link that is cut.
    pub(crate) link: u32,
    /// When its last bit leaves.
    pub(crate) departs: Time,
    pub(crate) packet: Packet,
}

/// One part: a world that knows the whole network and serves its own switches and hosts.
pub struct Part {
    world: World<PartAgenda>,
    me: u16,
    cut: Arc<Cut>,
    /// Per link that leaves the part: the part where it ends.
    to: Arc<[u16]>,
    /// When the last flow ended here so far.
    finished: Time,
    /// The last flow that ends here does not end before this.
    bound: Time,
}

impl Part {
    pub(super) fn new(
        network: &Network,
        plan: &Arc<Plan>,
        config: &WorldConfig,
        cut: &Arc<Cut>,
        me: u16,
    ) -> Result<Part, String> {
        let mut world = World::new(network, Arc::clone(plan), config.clone())?;
        let to = world.become_part(cut, me);
        let here = plan.flows.iter().filter(|flow| cut.of_host(flow.dst) == me);
        let starts = here.filter_map(|flow| match flow.start {
            Start::At(at) => Some(at),
            Start::After { .. } | Start::Replace { .. } => None,
        });
        Ok(Part {
            world,
            me,
            cut: Arc::clone(cut),
            to: to.into(),
            finished: Time::ZERO,
            bound: starts.max().unwrap_or(Time::ZERO),
        })
    }

    /// What the others need to know of it before the next window.
    pub fn said(&mut self) -> Said {
        Said {
            next: self.world.earliest(),
            left: self.left(),
            finished: self.finished,
            bound: match self.left() {
                0 => Time::ZERO,
                _ => self.bound,
            },
        }
    }

    /// Serves the window up to and including `until`.
    pub fn serve(&mut self, until: Time) {
        self.world.open_window(until);
        while let Some(finished) = self.world.serve_own_until(until) {
            self.finished = finished;
        }
        self.world.close_window(until);
    }

    /// The same, but stops with the instant of the last delivery of flows that end here. Does nothing where none is left.
    pub fn serve_own(&mut self, until: Time) {
        if self.left() == 0 {
            return;
        }
        self.world.open_window(until);
        if let Some(finished) = self.world.serve_own_until(until) {
            self.finished = finished;
        }
    }

    /// Gives away what was sent to other parts in the window, and to which.
    pub fn post(&mut self, mut to: impl FnMut(u16, Mail)) {
        for mail in self.world.take_mail() {
            to(self.to[mail.link as usize], mail);
        }
    }

    /// Takes in what other parts have sent.
    pub fn accept(&mut self, mail: &mut Vec<Mail>) {
        for mail in mail.drain(..) {
            self.world.accept(&mail);
        }
    }

    /// Flows that end here and have not.
    pub(super) fn left(&self) -> u64 {
        self.world.unfinished()
    }

    pub(super) fn world(&self) -> &World<PartAgenda> {
        &self.world
    }

    pub(super) fn losses(&mut self) -> &mut LossLog {
        self.world.losses_mut()
    }

    pub(super) fn is_served(&mut self, until: Time) {
        self.world.is_served(until);
    }

    /// Writes how full the queues are that it owns.
    pub(super) fn put_depths(&mut self, at: Time, depths: &mut Vec<Depth>) {
        let (cut, me) = (Arc::clone(&self.cut), self.me);
        self.world
            .put_depths(at, depths, |from| cut.of_end(from) == me);
    }

    pub(super) fn finish(self) -> (Outcome, Watched) {
        let twice = self.world.mailed_and_here();
        let (mut outcome, watched) = self.world.finish_watched();
        outcome.totals.in_flight -= twice;
        (outcome, watched)
    }
}
