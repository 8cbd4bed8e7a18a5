//! Start times and pairs of the flows of a workload that begins once.

use super::apart::ApartBy;
use super::{jitter, later};
use crate::plan::Start;
use sidestep_types::{Refusal, Rng, Settings, Time};

/// Settings of such a workload.
#[derive(Clone, Copy, Debug, PartialEq, Settings)]
pub(super) struct Starts {
    /// start of all flows; assumed
    #[setting(default = "0 us")]
    start: Time,
    /// each flow starts up to this much later, uniformly; assumed
    #[setting(default = "0 us")]
    jitter: Time,
    #[setting(flatten)]
    pub apart: ApartBy,
}

impl Starts {
    /// Refuses a start that a run of `duration` does not reach.
    pub fn check(&self, duration: Time) -> Result<(), Refusal> {
        if self.start >= duration {
            let expected = format!("must be before the run's end at {duration}");
            return Err(Refusal::of("start", expected).got(self.start));
        }
        Ok(())
    }

    /// The start of the next flow.
    pub fn draw(&self, delays: &mut Rng) -> Result<Start, Refusal> {
        later(self.start, jitter(delays, self.jitter)).map(Start::At)
    }
}
