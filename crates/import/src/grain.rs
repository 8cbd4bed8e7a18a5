//! Grain of starts: a clock with coarse steps makes flows begin at one instant.
//!
//! **Decision**     starts are coarse if most of them are multiples of a step and half of the records share their
//!                  start with another one. Nothing moves unless asked; then each start is drawn within its step.

use crate::{Imported, Options, Spread};
use sidestep_types::Seed;
use std::collections::BTreeSet;

/// Steps of clocks, the longest first, in picoseconds, with their names.
const STEPS: &[(u64, &str)] = &[
    (3_600_000_000_000_000, "1 hour"),
    (60_000_000_000_000, "1 minute"),
    (10_000_000_000_000, "10 s"),
    (1_000_000_000_000, "1 s"),
    (100_000_000_000, "100 ms"),
    (15_625_000_000, "1/64 s"),
    (10_000_000_000, "10 ms"),
    (4_000_000_000, "4 ms"),
    (1_000_000_000, "1 ms"),
    (100_000_000, "100 us"),
    (10_000_000, "10 us"),
    (1_000_000, "1 us"),
];

/// Fewest records whose grain says anything.
const FEWEST: usize = 10;

/// Start of a flow, with what draws its place within a step.
pub struct Start<'a> {
    pub at: u128,
    /// Record of the flow; the flows of one record move together.
    pub record: usize,
    /// Group of the flow; its flows start together on purpose.
    pub group: Option<&'a str>,
}

/// Looks at starts, which are sorted; returns by how many picoseconds each is to move.
pub fn look(
    starts: &[Start<'_>],
    options: &Options,
    out: &mut Imported,
) -> Result<Vec<u64>, String> {
    let found = step(starts);
    let (step, all) = match (options.spread, found) {
        (Spread::No, None) => return Ok(vec![0; starts.len()]),
        (Spread::No, Some((step, name))) => {
            let on = starts.iter().filter(|of| on(of, step)).count();
            out.note(format!(
                "{on} of {} starts are multiples of {name}, and up to {} flows begin at one \
                 instant: with a clock of such steps that burst is the clock's, not the traffic's; \
                 --spread draws starts within their step",
                starts.len(),
                most(starts)
            ));
            return Ok(vec![0; starts.len()]);
        }
        (Spread::Found, None) => {
            return Err(
                "--spread: expected starts of which most are multiples of one step and half fall \
                 together, got others: name the step of the clock, like --spread=1ms"
                    .to_string(),
            );
        }
        (Spread::Found, Some((step, _))) => (step, false),
        (Spread::Step(step), _) => (step, true),
    };
    let moves = |of: &Start<'_>| all || on(of, step);
    let many = starts.iter().filter(|of| moves(of)).count();
    out.note(format!(
        "{many} starts were drawn within {} us after the start in the file (--spread, stream \
         \"spread\" of seed {})",
        crate::number::micros(step),
        options.seed
    ));
    let draw = |of: &Start<'_>| {
        let seed = Seed(options.seed);
        let mut stream = match of.group {
            Some(group) => seed.stream(("spread", group)),
            None => seed.stream(("spread", of.record as u64)),
        };
        if moves(of) { stream.below(step) } else { 0 }
    };
    Ok(starts.iter().map(draw).collect())
}

fn on(of: &Start<'_>, step: u64) -> bool {
    of.at.is_multiple_of(u128::from(step))
}

/// Returns the step of coarse starts with its name.
fn step(starts: &[Start<'_>]) -> Option<(u64, &'static str)> {
    let alone = starts.iter().filter(|of| of.group.is_none());
    let records: BTreeSet<(u128, usize)> = alone.map(|of| (of.at, of.record)).collect();
    let times: Vec<u128> = records.into_iter().map(|(at, _)| at).collect();
    // One instant shows no step.
    if times.len() < FEWEST || times.first() == times.last() {
        return None;
    }
    let same = times.chunk_by(|one, two| one == two);
    let shared: usize = same.map(<[u128]>::len).filter(|many| *many > 1).sum();
    let coarse = |(step, _): &&(u64, &str)| {
        let on = |at: &&u128| at.is_multiple_of(u128::from(*step));
        times.iter().filter(on).count() * 10 >= times.len() * 9
    };
    STEPS
        .iter()
        .find(coarse)
        .copied()
        .filter(|_| shared * 2 >= times.len())
}

/// Returns the largest number of flows that begin at one instant.
fn most(starts: &[Start<'_>]) -> usize {
    let same = starts.chunk_by(|one, two| one.at == two.at);
    same.map(<[Start<'_>]>::len).max().unwrap_or(0)
}
