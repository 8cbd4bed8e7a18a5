//! A world that is cut: parts that run side by side, and give the run of the world in one piece to the byte.
//!
//! **Decision**     a part owns some switches and their hosts, and serves what happens there. Parts meet through
//!                  packets over the links that are cut. None arrives sooner than the *lookahead* after it is queued:
//!                  the delay of the link and the time that the shortest packet takes. So all parts may serve the same
//!                  *window* of that length, each by itself; then they exchange *mail*, what was sent over the cut.
//!                  [`Windows`] says how long each window is, and where the run ends.
//! **State**        one world a part, which knows the whole network and has the state of its own share.
//! **Units**        simulated time in picoseconds.
//! **Errors**       what cannot be cut ([`Cut::of`]), or is not cut yet ([`refused`]).
//!
//! Here are no threads. A [`Crew`] lets the parts run: [`InTurn`] one after the other, another with as many threads.

mod crew;
mod cut;
mod join;
mod mail;
mod part;
mod refused;
mod windows;

pub use crew::{Crew, InTurn};
pub use cut::{Cut, Uncut};
pub use mail::Mail;
pub use part::Part;
pub use refused::refused;
pub use windows::{After, Said, Step, Windows};

use crate::config::WorldConfig;
use crate::fib::Paths;
use crate::network::Network;
use crate::outcome::Outcome;
use crate::plan::Plan;
use crate::watch::Watched;
use join::{add_watched, join};
use sidestep_switch::{Depth, DropReason};
use sidestep_types::{FlowId, Time};
use std::sync::Arc;

/// A run in progress whose world is cut. What it says is what [`crate::World`] says of the same run.
pub struct Parts {
    // A crew hands each part to a thread of its own and takes it back: a box moves as a pointer.
    #[allow(clippy::vec_box)]
    parts: Vec<Box<Part>>,
    crew: Box<dyn Crew>,
    cut: Arc<Cut>,
    plan: Arc<Plan>,
    /// No window of the run is to look for its end: there are flows that it does not wait for.
    endless: bool,
    /// The instant with which the run ended.
    end: Option<Time>,
    served: Time,
}

impl Parts {
    /// Builds every part of `cut`, which is of this network. `crew` lets them run.
    ///
    /// Errors are those of [`crate::World::new`], and what is not cut yet.
    pub fn new(
        network: &Network,
        plan: &Arc<Plan>,
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

    /// As [`crate::World::run_until`].
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

    /// Joins what every part knows of losses, up to what is served.
    fn join_losses(&mut self) {
        let [first, others @ ..] = &mut self.parts[..] else {
            return;
        };
        let others = others.iter_mut().map(|part| part.losses());
        let limit = self.served.saturating_add(Time::from_ps(1));
        first.losses().join_with(others, limit);
    }

    /// As [`crate::World::now`].
    pub fn now(&self) -> Time {
        let each = self.parts.iter().map(|part| part.world().now());
        each.max().unwrap_or(Time::ZERO)
    }

    /// As [`crate::World::unfinished`].
    pub fn unfinished(&self) -> u64 {
        self.parts.iter().map(|part| part.left()).sum()
    }

    /// As [`crate::World::packet_hops`].
    pub fn packet_hops(&self) -> u64 {
        self.parts
            .iter()
            .map(|part| part.world().packet_hops())
            .sum()
    }

    /// As [`crate::World::queue_depths`].
    pub fn queue_depths(&mut self, at: Time) -> Vec<Depth> {
        let mut depths = Vec::new();
        for part in &mut self.parts {
            part.put_depths(at, &mut depths);
        }
        depths
    }

    /// As [`crate::World::link_bytes`].
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

    /// As [`crate::World::delivered`].
    pub fn delivered(&self, flow: FlowId) -> (u64, bool) {
        let dst = self.plan.flows[flow.0 as usize].dst;
        let part = self.cut.of_host(dst);
        self.parts[usize::from(part)].world().delivered(flow)
    }

    /// As [`crate::World::drops`].
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

    /// As [`crate::World::finish_watched`].
    pub fn finish_watched(self) -> (Outcome, Watched) {
        let mut parts = self.parts.into_iter().map(|part| part.finish());
        let (mut outcome, mut watched) = parts.next().expect("a cut has parts");
        for (other, seen) in parts {
            join(&mut outcome, other);
            add_watched(&mut watched, seen);
        }
        (outcome, watched)
    }

    /// As [`crate::World::finish`].
    pub fn finish(self) -> Outcome {
        self.finish_watched().0
    }
}
