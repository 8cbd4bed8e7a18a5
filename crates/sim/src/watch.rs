//! What is looked at while a run goes on and costs time or memory: single detours, loops, the worst paths.
//!
//! **Decision**     every data packet's path is kept while it is under way, and looked at when it
//!                  has arrived or was dropped. Nothing that is watched changes the run.
//! **State**        the paths under way; a bounded log; the worst paths so far.
//! **Units**        a loop's length is in links.
//! **Deviations**   the papers define no loop. A path's loops are those that chronological
//!                  loop erasure (Lawler, 1980) cuts out of it: from a switch back to it, without
//!                  the loops inside. A, B, A, B, A has two of length 2.

use crate::histogram::Histogram;
use crate::outcome::{PacketTrace, TraceEvent};
use sidestep_types::{PortId, SwitchId, Time};
use std::cmp::Reverse;

/// What to watch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watching {
    /// At most so many detours are logged.
    pub detours: usize,
    /// Keep the paths of so many data packets, those with the most detours.
    pub paths: usize,
    /// Count loops.
    pub loops: bool,
}

impl Watching {
    /// Must paths be recorded?
    pub(crate) fn follows(&self) -> bool {
        self.paths > 0 || self.loops
    }
}

/// What was seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watched {
    /// The first detours, of data or not, in the order in which they happened.
    pub detours: Vec<DetourSeen>,
    /// Detours that the log had no room for.
    pub detours_missed: u64,
    /// The paths of the data packets with the most detours, most first. Packets that were under
    /// way at the end are not among them.
    pub paths: Vec<PacketTrace>,
    /// Loops.
    pub loops: LoopCounts,
}

/// One detour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DetourSeen {
    /// Simulation time of the detour.
    pub at: Time,
    /// Which switch.
    pub switch: SwitchId,
    /// The port that the route chose.
    pub wanted: PortId,
    /// The port it left by.
    pub taken: PortId,
}

/// Loops of the data packets that arrived or were dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopCounts {
    /// Data packets that arrived or were dropped.
    pub packets: u64,
    /// Of them, detoured at least once.
    pub detoured: u64,
    /// Of them, through one switch at least twice.
    pub looped: u64,
    /// Loops by their length.
    pub lengths: Histogram,
}

/// Watches.
pub(crate) struct Watcher {
    watching: Watching,
    seen: Watched,
    /// The switches of a path without its loops.
    straight: Vec<SwitchId>,
}

impl Watcher {
    pub fn new(watching: Watching) -> Watcher {
        Watcher {
            watching,
            seen: Watched::default(),
            straight: Vec::new(),
        }
    }

    pub fn follows(&self) -> bool {
        self.watching.follows()
    }

    /// A packet is detoured.
    pub fn detour(&mut self, seen: DetourSeen) {
        if self.seen.detours.len() < self.watching.detours {
            self.seen.detours.push(seen);
        } else {
            self.seen.detours_missed += u64::from(self.watching.detours > 0);
        }
    }

    /// A data packet's way has ended.
    pub fn ended(&mut self, trace: &PacketTrace) {
        let detours = trace.detours();
        if self.watching.loops {
            self.count_loops(trace, detours > 0);
        }
        if detours > 0 && self.watching.paths > 0 {
            self.rank(trace, detours);
        }
    }

    pub fn finish(self) -> Watched {
        self.seen
    }

    fn count_loops(&mut self, trace: &PacketTrace, detoured: bool) {
        let loops = &mut self.seen.loops;
        loops.packets += 1;
        loops.detoured += u64::from(detoured);
        if !detoured {
            // It took a shortest path.
            return;
        }
        self.straight.clear();
        let before = loops.lengths.len();
        for switch in switches(trace) {
            if self.straight.last() == Some(&switch) {
                // It waited here, and was moved to another queue.
                continue;
            }
            match self.straight.iter().position(|s| *s == switch) {
                Some(at) => {
                    loops.lengths.add(self.straight.len() - at, 1);
                    self.straight.truncate(at + 1);
                }
                None => self.straight.push(switch),
            }
        }
        loops.looped += u64::from(loops.lengths.len() > before);
    }

    /// Keeps the path if it is among the worst. Equally bad ones rank by packet number, so that
    /// the order in which they end decides nothing.
    fn rank(&mut self, trace: &PacketTrace, detours: usize) {
        let worst = &mut self.seen.paths;
        let key = (Reverse(detours), trace.id);
        let at = worst.partition_point(|t| (Reverse(t.detours()), t.id) < key);
        if at < self.watching.paths {
            worst.insert(at, trace.clone());
            worst.truncate(self.watching.paths);
        }
    }
}

/// The switches of a path, in order.
fn switches(trace: &PacketTrace) -> impl Iterator<Item = SwitchId> {
    trace.steps.iter().filter_map(|step| match step.what {
        TraceEvent::Queued { switch, .. } | TraceEvent::Dropped { switch, .. } => Some(switch),
        TraceEvent::Sent | TraceEvent::DroppedByHost | TraceEvent::Delivered => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::TraceStep;
    use sidestep_switch::{Changes, Depth, Joined};
    use sidestep_types::FlowId;

    /// A packet through these switches, detoured at the first `detours` of them.
    fn path(id: u64, switches: &[u32], detours: usize) -> PacketTrace {
        let step = |(i, s): (usize, &u32)| TraceStep {
            at: Time::ZERO,
            what: TraceEvent::Queued {
                switch: SwitchId(*s),
                joined: Joined {
                    wanted: PortId(0),
                    port: PortId(u16::from(i < detours)),
                    ahead: Depth::default(),
                    changes: Changes::default(),
                },
                wanted_queue: 0,
            },
        };
        PacketTrace {
            id,
            flow: FlowId(0),
            seq: 0,
            ack: false,
            steps: switches.iter().enumerate().map(step).collect(),
        }
    }

    fn lengths(switches: &[u32]) -> Vec<u64> {
        let mut watcher = Watcher::new(Watching {
            loops: true,
            ..Watching::default()
        });
        watcher.ended(&path(1, switches, 1));
        let loops = watcher.finish().loops;
        assert_eq!((loops.packets, loops.detoured), (1, 1));
        assert_eq!(loops.looped, u64::from(!loops.lengths.is_empty()));
        loops.lengths.counts().to_vec()
    }

    #[test]
    fn a_loop_leads_from_a_switch_back_to_it() {
        assert_eq!(lengths(&[1, 2, 3, 4]), []);
        // Twice in one switch at once: it was moved from queue to queue there.
        assert_eq!(lengths(&[1, 2, 2, 2, 3]), []);
        assert_eq!(lengths(&[1, 2, 1, 3]), [0, 0, 1]);
        assert_eq!(lengths(&[1, 2, 1, 2, 1, 3]), [0, 0, 2]);
        // The inner loop 3, 4, 3 is counted once, and then 2, 3, 2 around it.
        assert_eq!(lengths(&[1, 2, 3, 4, 3, 2, 5]), [0, 0, 2]);
        assert_eq!(lengths(&[1, 2, 3, 4, 1, 2]), [0, 0, 0, 0, 1]);
    }

    #[test]
    fn the_worst_paths_are_kept_whatever_the_order_in_which_they_end() {
        let paths = [(3, 1), (1, 4), (9, 0), (2, 4), (5, 2), (4, 3)];
        let worst = |order: &mut dyn Iterator<Item = &(u64, usize)>| {
            let mut watcher = Watcher::new(Watching {
                paths: 3,
                ..Watching::default()
            });
            order.for_each(|(id, detours)| watcher.ended(&path(*id, &[1, 2, 3, 4, 5], *detours)));
            let paths = watcher.finish().paths;
            paths.iter().map(|t| t.id).collect::<Vec<_>>()
        };
        assert_eq!(worst(&mut paths.iter()), [1, 2, 4]);
        assert_eq!(worst(&mut paths.iter().rev()), [1, 2, 4]);
    }

    #[test]
    fn a_full_log_counts_what_it_misses() {
        let mut watcher = Watcher::new(Watching {
            detours: 2,
            ..Watching::default()
        });
        for i in 0..5 {
            watcher.detour(DetourSeen {
                at: Time::from_us(i),
                switch: SwitchId(0),
                wanted: PortId(1),
                taken: PortId(2),
            });
        }
        let seen = watcher.finish();
        assert_eq!((seen.detours.len(), seen.detours_missed), (2, 3));
        assert_eq!(seen.detours[1].at, Time::from_us(1));
    }
}
