//! World of a session: in one piece, or in parts that run in parallel.

use sidestep_sim::agenda::Agenda;
use sidestep_sim::parts::Parts;
use sidestep_sim::{Outcome, Watched, World};
use sidestep_switch::{Depth, DropReason};
use sidestep_types::{FlowId, Time};

/// Run in progress. Both variants give the same results for the same run.
pub(crate) enum Running<A: Agenda> {
    Whole(Box<World<A>>),
    Cut(Box<Parts>),
}

/// Calls a method that both variants have.
macro_rules! either {
    ($self:expr, $world:ident => $call:expr) => {
        match $self {
            Running::Whole($world) => $call,
            Running::Cut($world) => $call,
        }
    };
}

impl<A: Agenda> Running<A> {
    /// Returns the world of a run in one piece. Panics for a run in parts, with the caller `why` in the
    /// message.
    pub fn whole(&self, why: &str) -> &World<A> {
        match self {
            Running::Whole(world) => world,
            Running::Cut(_) => panic!("{why}: not possible in a run in parts"),
        }
    }

    /// Returns the world to change, as [`Running::whole`] does.
    pub fn whole_mut(&mut self, why: &str) -> &mut World<A> {
        match self {
            Running::Whole(world) => world,
            Running::Cut(_) => panic!("{why}: not possible in a run in parts"),
        }
    }

    pub fn run_until(&mut self, limit: Time) -> bool {
        either!(self, world => world.run_until(limit))
    }

    pub fn now(&self) -> Time {
        either!(self, world => world.now())
    }

    pub fn unfinished(&self) -> u64 {
        either!(self, world => world.unfinished())
    }

    pub fn packet_hops(&self) -> u64 {
        either!(self, world => world.packet_hops())
    }

    pub fn queue_depths(&mut self, at: Time) -> Vec<Depth> {
        either!(self, world => world.queue_depths(at))
    }

    pub fn link_bytes(&self) -> Vec<u64> {
        either!(self, world => world.link_bytes())
    }

    pub fn delivered(&self, flow: FlowId) -> (u64, bool) {
        either!(self, world => world.delivered(flow))
    }

    pub fn drops(&self) -> [u64; DropReason::COUNT] {
        either!(self, world => world.drops())
    }

    pub fn finish_watched(self) -> (Outcome, Watched) {
        either!(self, world => world.finish_watched())
    }
}
