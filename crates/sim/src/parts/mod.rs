//! Split world: parts that run side by side and reproduce the run of the undivided world to the byte.
//!
//! **Decision**     a part owns some switches and their hosts, and serves their events. Parts exchange
//!                  packets over the links between them. No packet arrives sooner than the *lookahead* after it
//!                  is queued:
//!                  the delay of the link and the time to send the shortest packet. So all parts may serve the
//!                  same
//!                  *window* of that length independently; then they exchange *mail*, the packets sent to other
//!                  parts.
//!                  [`Windows`] decides how long each window is, and where the run ends.
//! **State**        one world a part, which holds the whole network and the state of its own share.
//! **Units**        simulated time in picoseconds.
//! **Errors**       networks that cannot be split ([`Cut::of`]), settings that cannot be yet ([`refused`]).
//!
//! This module has no threads. A [`Crew`] runs the parts: [`SequentialCrew`] one after the other, another crew with as
//! many threads.

mod crew;
mod cut;
mod join;
mod mail;
mod part;
mod refused;
mod windows;

pub use crew::{Crew, SequentialCrew};
pub use cut::{Cut, CutError};
pub use mail::Mail;
pub use part::Part;
pub use refused::refused;
pub use windows::{After, PartReport, Step, Windows};

use crate::config::WorldConfig;
use crate::fib::Paths;
use crate::network::Network;
use crate::outcome::Outcome;
use crate::plan::TrafficPlan;
use crate::watch::Watched;
use join::{add_watched, join};
use sidestep_switch::{Depth, DropReason};
use sidestep_types::{FlowId, Time};
use std::sync::Arc;

/// Run in progress, split into parts. Its results are those of [`crate::World`] for the same run.
pub struct Parts {
    // A crew moves each part to its thread and back: a box moves as a pointer.
    #[allow(clippy::vec_box)]
    parts: Vec<Box<Part>>,
    crew: Box<dyn Crew>,
    cut: Arc<Cut>,
    plan: Arc<TrafficPlan>,
    /// True if the run does not wait for some flows: no window then looks for its end.
    endless: bool,
    /// Instant at which the run ended.
    end: Option<Time>,
    served: Time,
}

impl Parts {
    /// Builds every part of `cut`, a partition of this network. `crew` runs them.
    ///
    /// Returns the errors of [`crate::World::new`], and one for settings that cannot be split yet.
    pub fn new(
        network: &Network,
        plan: &Arc<TrafficPlan>,
        config: &WorldConfig,
        cut: &Arc<Cut>,
        crew: Box<dyn Crew>,
    ) -> Result<Parts, String> {
        if let Some(why) = refused(config) {
            return Err(why);
        }
        let (paths, numbers) = (Paths::of(network)?, 0..cut.parts() as u16);
        let parts =
            numbers.map(|me| Part::new(&paths, network, plan, config, cut, me).map(Box::new));
        Ok(Parts {
            parts: parts.collect::<Result<_, String>>()?,
            crew,
            cut: Arc::clone(cut),
            endless: plan.unawaited() > 0,
            end: plan.flows.is_empty().then_some(Time::ZERO),
            plan: Arc::clone(plan),
            served: Time::ZERO,
        })
    }

    /// Does what [`crate::World::run_until`] does.
    pub fn run_until(&mut self, limit: Time) -> bool {
        if self.end.is_none() {
            let windows = Windows::new(self.cut.lookahead(), limit, self.endless);
            let parts = std::mem::take(&mut self.parts);
            (self.parts, self.end) = self.crew.serve(parts, windows);
        }
        let served = limit.min(self.end.unwrap_or(limit));
        self.served = self.served.max(served);
        for part in &mut self.parts {
            part.is_served(self.served);
        }
        self.join_losses();
        self.end.is_some()
    }

    /// Joins the losses logged by every part, up to the time served.
    fn join_losses(&mut self) {
        let [first, others @ ..] = &mut self.parts[..] else {
            return;
        };
        let others = others.iter_mut().map(|part| part.losses());
        let limit = self.served.saturating_add(Time::from_ps(1));
        first.losses().join_with(others, limit);
    }

    /// Does what [`crate::World::now`] does.
    pub fn now(&self) -> Time {
        let each = self.parts.iter().map(|part| part.world().now());
        each.max().unwrap_or(Time::ZERO)
    }

    /// Does what [`crate::World::unfinished`] does.
    pub fn unfinished(&self) -> u64 {
        self.parts.iter().map(|part| part.left()).sum()
    }

    /// Does what [`crate::World::packet_hops`] does.
    pub fn packet_hops(&self) -> u64 {
        self.parts
            .iter()
            .map(|part| part.world().packet_hops())
            .sum()
    }

    /// Does what [`crate::World::queue_depths`] does.
    pub fn queue_depths(&mut self, at: Time) -> Vec<Depth> {
        let mut depths = Vec::new();
        for part in &mut self.parts {
            part.put_depths(at, &mut depths);
        }
        depths
    }

    /// Does what [`crate::World::link_bytes`] does.
    pub fn link_bytes(&self) -> Vec<u64> {
        let mut sums: Vec<u64> = Vec::new();
        for part in &self.parts {
            let bytes = part.world().link_bytes();
            sums.resize(bytes.len(), 0);
            sums.iter_mut()
                .zip(bytes)
                .for_each(|(sum, more)| *sum += more);
        }
        sums
    }

    /// Does what [`crate::World::delivered`] does.
    pub fn delivered(&self, flow: FlowId) -> (u64, bool) {
        let dst = self.plan.flows[flow.0 as usize].dst;
        let part = self.cut.of_host(dst);
        self.parts[usize::from(part)].world().delivered(flow)
    }

    /// Does what [`crate::World::drops`] does.
    pub fn drops(&self) -> [u64; DropReason::COUNT] {
        let mut sums = [0; DropReason::COUNT];
        for part in &self.parts {
            let more = part.world().drops();
            sums.iter_mut()
                .zip(more)
                .for_each(|(sum, more)| *sum += more);
        }
        sums
    }

    /// Does what [`crate::World::finish_watched`] does.
    pub fn finish_watched(self) -> (Outcome, Watched) {
        let mut parts = self.parts.into_iter().map(|part| part.finish());
        let (mut outcome, mut watched) = parts.next().expect("a cut has parts");
        for (other, seen) in parts {
            join(&mut outcome, other);
            add_watched(&mut watched, seen);
        }
        (outcome, watched)
    }

    /// Does what [`crate::World::finish`] does.
    pub fn finish(self) -> Outcome {
        self.finish_watched().0
    }
}
