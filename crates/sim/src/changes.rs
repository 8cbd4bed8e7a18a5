//! Changes to a network during a run: their kinds, their order, and those that a network refuses.
//!
//! **Decision**     a change takes effect at its instant, before all other events of that instant. Next
//!                  hops follow it when `reroute` has passed, unless they follow a later change of
//!                  the same cable by then.
//! **State**        cables that are down, and cables that next hops avoid.
//! **Errors**       an unknown cable; a rate below 1 kbps; a change to the state the cable is already in; a cut
//!                  that disconnects a host, unless next hops never follow it.
//! **Source**       none: the simulator's own.
//! **Deviations**   a switch learns of every cable at the same instant (a real routing protocol
//!                  spreads); a packet whose first bit has left is sent to its end at the old rate.

use crate::network::{End, Network};
use sidestep_types::{BitRate, Time};

/// Change to both directions of a cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Time of the change.
    pub at: Time,
    /// Cable, by its place in [`Network::cables`].
    pub cable: u32,
    /// New state of the cable.
    pub to: Becomes,
    /// Time after which next hops follow; `None` for never. Next hops do not depend on rates.
    pub reroute: Option<Time>,
}

/// New state of a cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Becomes {
    /// The cable has this rate from now on.
    Rate(BitRate),
    /// The cable carries nothing.
    Down,
    /// The cable is as in the network again.
    Up,
}

/// Least rate of a link: at a lower one, times to drain a queue would overflow.
pub const LEAST_RATE: BitRate = BitRate::bps(1_000);

/// Step at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The change of this number takes effect.
    Happens(usize),
    /// Next hops follow the change of this number.
    Known(usize),
}

/// Returns the steps in the order of time. At one instant, changes take effect before next hops follow any, in
/// the order in which the changes were given.
pub(crate) fn steps(changes: &[Change]) -> Vec<(Time, Step)> {
    let mut steps = Vec::new();
    for (i, change) in changes.iter().enumerate() {
        steps.push((change.at, Step::Happens(i)));
        if let (Some(after), false) = (change.reroute, matches!(change.to, Becomes::Rate(_))) {
            steps.push((change.at.saturating_add(after), Step::Known(i)));
        }
    }
    steps.sort_by_key(|(at, step)| (*at, matches!(step, Step::Known(_))));
    steps
}

/// State of the cables, and their state as next hops see it.
#[derive(Clone, Debug)]
pub(crate) struct CableState {
    /// Per cable: true if it is down.
    pub down: Vec<bool>,
    /// Per cable: true if next hops avoid it.
    pub avoided: Vec<bool>,
    /// Per cable: time and number of the latest change that next hops follow.
    followed: Vec<Option<(Time, usize)>>,
}

impl CableState {
    /// Returns the state of this many cables, all up.
    pub fn new(cables: usize) -> CableState {
        CableState {
            down: vec![false; cables],
            avoided: vec![false; cables],
            followed: vec![None; cables],
        }
    }

    /// Applies a step.
    pub fn take(&mut self, changes: &[Change], step: Step) {
        let (Step::Happens(i) | Step::Known(i)) = step;
        let cable = changes[i].cable as usize;
        match (step, changes[i].to) {
            (Step::Known(_), to) => {
                let this = Some((changes[i].at, i));
                if self.followed[cable] < this {
                    self.followed[cable] = this;
                    self.avoided[cable] = to == Becomes::Down;
                }
            }
            (_, Becomes::Down) => self.down[cable] = true,
            (_, Becomes::Up) => self.down[cable] = false,
            (_, Becomes::Rate(_)) => {}
        }
    }
}

/// Error in a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeError {
    /// Number of the change.
    pub change: usize,
    /// Reason why it is refused.
    pub why: String,
}

/// Refuses the first change that is impossible in `network`. Returns the changes that cut hosts off and that
/// next hops never follow: packets to and from these hosts are lost, as intended.
pub fn check_changes(
    network: &Network,
    changes: &[Change],
) -> Result<Vec<ChangeError>, ChangeError> {
    let wrong = |change: usize, why: String| ChangeError { change, why };
    let cables = network.cables.len();
    if let Some(i) = (changes.iter()).position(|change| change.cable as usize >= cables) {
        let cable = changes[i].cable;
        return Err(wrong(
            i,
            format!("cable {cable} does not exist: the network has {cables} cables"),
        ));
    }
    let mut cuts = Vec::new();
    let mut standing = CableState::new(cables);
    let steps = steps(changes);
    // Connected parts, first with the actual state, then with the state that next hops see.
    let whole = parts(network, &standing.down);
    let mut apart = [whole.clone(), whole];
    for group in steps.chunk_by(|a, b| a.0 == b.0) {
        for &(_, step) in group {
            if let Step::Happens(i) = step {
                let change = &changes[i];
                let down = standing.down[change.cable as usize];
                let why = match change.to {
                    Becomes::Rate(rate) if rate.as_bps() == 0 => "a rate of 0: use down instead",
                    Becomes::Rate(_) if down => {
                        "this cable is down at that time, so its rate cannot change"
                    }
                    Becomes::Rate(rate) if rate < LEAST_RATE => {
                        "a rate below 1 kbps: use down instead"
                    }
                    Becomes::Down if down => "this cable is already down at that time",
                    Becomes::Up if !down => "this cable is already up at that time",
                    _ => "",
                };
                if !why.is_empty() {
                    return Err(wrong(i, why.into()));
                }
            }
            standing.take(changes, step);
        }
        for (which, dead) in [&standing.down, &standing.avoided].into_iter().enumerate() {
            let before = std::mem::replace(&mut apart[which], parts(network, dead));
            let Some((a, b)) = parted(&before, &apart[which]) else {
                continue;
            };
            let why = format!("this change disconnects host {a} from host {b}");
            let blamed = |&(_, step): &(Time, Step)| match (which, step) {
                (0, Step::Happens(i)) if changes[i].to == Becomes::Down => Some(i),
                (1, Step::Known(i)) if changes[i].to == Becomes::Down => Some(i),
                _ => None,
            };
            let mut blamed = group.iter().filter_map(blamed);
            let last = blamed.clone().next_back().expect("something went down");
            let followed = blamed.find(|i| changes[*i].reroute.is_some());
            match followed {
                Some(i) if which == 0 => return Err(wrong(i, why)),
                Some(i) => return Err(wrong(i, format!("{why} once next hops follow it"))),
                None => cuts.push(wrong(last, why)),
            }
        }
    }
    Ok(cuts)
}

/// Returns two hosts that were in one part before and are not now, if there are any.
fn parted(before: &[u32], now: &[u32]) -> Option<(usize, usize)> {
    let mut with_first = before.iter().map(|first| *first as usize).zip(0..);
    with_first.find(|&(a, b)| now[a] != now[b])
}

/// Returns the connected part of each host, named by its first host.
fn parts(network: &Network, dead: &[bool]) -> Vec<u32> {
    let hosts = network.hosts as usize;
    let mut above: Vec<u32> = (0..(hosts + network.switches.len()) as u32).collect();
    let place = |end: End| match end {
        End::Host(h) => h.0 as usize,
        End::Switch(s) => hosts + s.0 as usize,
    };
    fn root(above: &mut [u32], mut at: usize) -> usize {
        while above[at] as usize != at {
            above[at] = above[above[at] as usize];
            at = above[at] as usize;
        }
        at
    }
    for (cable, _) in network.cables.iter().zip(dead).filter(|(_, dead)| !**dead) {
        let (a, b) = (place(cable.a), place(cable.b));
        let (a, b) = (root(&mut above, a), root(&mut above, b));
        above[a.max(b)] = a.min(b) as u32;
    }
    (0..hosts).map(|h| root(&mut above, h) as u32).collect()
}

#[cfg(test)]
mod tests;
