//! Grain of starts: a clock with coarse steps makes flows begin at one instant.
//!
//! **Decision**     starts are coarse if more than half of them are multiples of a step, perhaps with one offset, and
//!                  half of these share their start with another record. The longest such step is the grain; a
//!                  shorter one if the starts that it adds come in bursts of their own. Nothing moves unless asked;
//!                  then each start on the grain is drawn within its step.

use crate::counts::counted;
use crate::number::micros;
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

/// Fewest instants that show a step with an offset.
const INSTANTS: usize = 3;

/// Start of a flow, with what draws its place within a step.
pub struct Start<'a> {
    pub at: u128,
    /// Record of the flow; the flows of one record move together.
    pub record: usize,
    /// Group of the flow; its flows start together on purpose.
    pub group: Option<&'a str>,
}

/// Multiples of a step, all with one offset.
#[derive(Clone, Copy)]
struct Grid {
    step: u64,
    name: &'static str,
    offset: u64,
}

impl Grid {
    fn has(&self, at: u128) -> bool {
        at % u128::from(self.step) == u128::from(self.offset)
    }

    /// Describes the starts: `multiples of 1 s`.
    fn words(&self) -> String {
        match self.offset {
            0 => format!("multiples of {}", self.name),
            offset => format!("multiples of {} plus {} us", self.name, micros(offset)),
        }
    }
}

/// Looks at starts, which are sorted; returns by how many picoseconds each is to move.
pub fn look(
    starts: &[Start<'_>],
    options: &Options,
    out: &mut Imported,
) -> Result<Vec<u64>, String> {
    let found = grid(starts);
    let (step, grid) = match (options.spread, found) {
        (Spread::No, None) => return Ok(vec![0; starts.len()]),
        (Spread::No, Some(grid)) => {
            let on: Vec<u128> = starts.iter().map(|of| of.at).collect();
            let on: Vec<u128> = on.into_iter().filter(|at| grid.has(*at)).collect();
            out.note(format!(
                "{} of {} starts are {}, and up to {} of them begin at one instant: if the clock \
                 that wrote them has steps of {}, the clock made this burst, not the traffic; \
                 --spread draws these starts within their step",
                on.len(),
                starts.len(),
                grid.words(),
                Bursts::of(&on).largest,
                grid.name
            ));
            return Ok(vec![0; starts.len()]);
        }
        (Spread::Found, None) => {
            return Err(
                "--spread: expected starts of which most are multiples of one step and half of \
                 these fall together, got others: name the step of the clock, like --spread=1ms"
                    .to_string(),
            );
        }
        (Spread::Found, Some(grid)) => (grid.step, Some(grid)),
        (Spread::Step(step), _) => (step, None),
    };
    let moves = |of: &Start<'_>| grid.is_none_or(|grid| grid.has(of.at));
    let many = starts.iter().filter(|of| moves(of)).count() as u64;
    out.note(format!(
        "{} within {} us after the start in the file (--spread, stream \"spread\" of seed {})",
        counted(many, "starts were drawn"),
        micros(step),
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

/// Sorted starts, by the instants that they share.
struct Bursts {
    instants: usize,
    /// Starts that share their instant.
    shared: usize,
    largest: usize,
}

impl Bursts {
    fn of(times: &[u128]) -> Bursts {
        let mut all = Bursts {
            instants: 0,
            shared: 0,
            largest: 0,
        };
        for same in times.chunk_by(|one, two| one == two) {
            all.instants += 1;
            all.shared += if same.len() > 1 { same.len() } else { 0 };
            all.largest = all.largest.max(same.len());
        }
        all
    }
}

/// Returns the grid of coarse starts.
fn grid(starts: &[Start<'_>]) -> Option<Grid> {
    let alone = starts.iter().filter(|of| of.group.is_none());
    let records: BTreeSet<(u128, usize)> = alone.map(|of| (of.at, of.record)).collect();
    let times: Vec<u128> = records.into_iter().map(|(at, _)| at).collect();
    // More than half on a grid, and half of these in bursts.
    if times.len() < FEWEST || Bursts::of(&times).shared * 4 < times.len() {
        return None;
    }
    let on = |grid: &Grid| -> Vec<u128> {
        let all = times.iter().copied();
        all.filter(|at| grid.has(*at)).collect()
    };
    let coarse = |grid: &Grid| {
        let on = on(grid);
        let bursts = Bursts::of(&on);
        // One instant, or one beside a few others, shows no step.
        let steps = bursts.instants > 1 && bursts.largest * 10 <= on.len() * 9;
        let offset = grid.offset > 0 && bursts.instants < INSTANTS;
        on.len() * 2 > times.len() && bursts.shared * 2 >= on.len() && steps && !offset
    };
    let plain = STEPS.iter().map(|(step, name)| Grid {
        step: *step,
        name,
        offset: 0,
    });
    let aligned = plain.clone().find(coarse);
    let coarser = plain
        .clone()
        .take_while(|grid| aligned.is_none_or(|aligned| grid.step > aligned.step));
    let shifted = coarser.map(|grid| Grid {
        offset: offset(&times, grid.step),
        ..grid
    });
    let mut found = shifted.into_iter().find(coarse).or(aligned)?;
    let shifted = found.offset > 0;
    for finer in plain.filter(|_| !shifted) {
        let added = times.iter().copied();
        let added: Vec<u128> = added
            .filter(|at| finer.has(*at) && !found.has(*at))
            .collect();
        let (more, now) = (Bursts::of(&added), Bursts::of(&on(&found)));
        let many = added.len() * 10 >= times.len() && more.shared * 2 >= added.len();
        if finer.step < found.step && many && more.largest * 10 >= now.largest {
            found = finer;
        }
    }
    Some(found)
}

/// Returns the offset within `step` that more than half of the times have, if any has.
fn offset(times: &[u128], step: u64) -> u64 {
    let (mut offset, mut votes) = (0, 0usize);
    for at in times {
        let own = (at % u128::from(step)) as u64;
        if votes == 0 {
            offset = own;
        }
        votes = if own == offset { votes + 1 } else { votes - 1 };
    }
    offset
}
