//! Part of a split world.

use super::{Cut, Mail, PartReport};
use crate::agenda::PartAgenda;
use crate::config::WorldConfig;
use crate::fib::Paths;
use crate::losses::LossLog;
use crate::network::Network;
use crate::outcome::Outcome;
use crate::plan::{Start, TrafficPlan};
use crate::watch::Watched;
use crate::world::World;
use sidestep_switch::Depth;
use sidestep_types::Time;
use std::sync::Arc;

/// World of one part: it holds the whole network and serves its own switches and hosts.
pub struct Part {
    world: World<PartAgenda>,
    me: u16,
    cut: Arc<Cut>,
    /// True within a window.
    open: bool,
    /// Time at which the last flow ended here so far.
    finished: Time,
    /// Lower bound of the time at which the last flow ends here.
    bound: Time,
    /// Calls left until a new bound is computed.
    rest: usize,
    /// Calls between two computations of the bound, which look at all flows.
    rests: usize,
}

/// Windows in which the run may end between two computations of the bound; more if there are many flows.
const REST: usize = 64;

/// Packets by which each of the two prefetch steps runs ahead of accepting the mail.
const AHEAD: usize = 8;

impl Part {
    pub(super) fn new(
        paths: &Paths,
        network: &Network,
        plan: &Arc<TrafficPlan>,
        config: &WorldConfig,
        cut: &Arc<Cut>,
        me: u16,
    ) -> Result<Part, String> {
        let mut world = World::along(paths, network, Arc::clone(plan), config.clone())?;
        world.become_part(cut, me);
        let here = plan.flows.iter().filter(|flow| cut.of_host(flow.dst) == me);
        let starts = here.filter_map(|flow| match flow.start {
            Start::At(at) => Some(at),
            Start::After { .. } | Start::Replace { .. } => None,
        });
        Ok(Part {
            world,
            me,
            cut: Arc::clone(cut),
            open: false,
            finished: Time::ZERO,
            bound: starts.max().unwrap_or(Time::ZERO),
            rest: 0,
            rests: REST + plan.flows.len() / REST,
        })
    }

    /// Returns what the other parts must know of this one before the next window.
    pub fn said(&mut self) -> PartReport {
        let (next, left) = (self.world.earliest(), self.left());
        if left > 0 && next >= self.bound {
            self.seek_bound();
        }
        PartReport {
            next,
            left,
            finished: self.finished,
            bound: if left > 0 { self.bound } else { Time::ZERO },
        }
    }

    fn seek_bound(&mut self) {
        if self.rest > 0 {
            self.rest -= 1;
            return;
        }
        let (cut, me) = (Arc::clone(&self.cut), self.me);
        let bound = self.world.last_not_before(|host| cut.of_host(host) == me);
        self.bound = self.bound.max(bound);
        self.rest = self.rests;
    }

    /// Serves the window up to and including `until`.
    pub fn serve(&mut self, until: Time) {
        self.open_window(until);
        while let Some(finished) = self.world.serve_own_until(until) {
            self.finished = finished;
        }
        self.world.close_window(until);
        self.open = false;
    }

    fn open_window(&mut self, until: Time) {
        self.world.open_window(until, !self.open);
        self.open = true;
    }

    /// Serves the window up to `until`, or up to the instant of the last delivery of flows that end here. Does
    /// nothing if no such flow is left.
    pub fn serve_own(&mut self, until: Time) {
        if self.left() == 0 {
            return;
        }
        self.open_window(until);
        if let Some(finished) = self.world.serve_own_until(until) {
            self.finished = finished;
        }
    }

    /// Returns the packets sent to part `to` in the window.
    pub fn mail_to(&mut self, to: usize) -> &mut Vec<Mail> {
        self.world.mail_to(to)
    }

    /// Accepts the packets that other parts have sent.
    pub fn accept(&mut self, mail: &mut Vec<Mail>) {
        for (at, one) in mail.iter().enumerate() {
            if let Some(later) = mail.get(at + 2 * AHEAD) {
                self.world.prefetch_link(later);
            }
            if let Some(later) = mail.get(at + AHEAD) {
                self.world.prefetch_line(later);
            }
            self.world.accept(one);
        }
        mail.clear();
    }

    /// Returns the number of unfinished flows that end here.
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

    /// Writes the depths of the queues that this part owns.
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
