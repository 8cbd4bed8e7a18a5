//! Observations that cost time or memory: single detours, loops, the worst paths, the latency of some packets.
//!
//! **Decision**     every data packet's path is kept while it is in flight, and evaluated when it
//!                  has arrived or was dropped. Watching does not change the run.
//! **State**        the paths in flight; a bounded log; the worst paths so far; the number of data packets
//!                  that each host has sent of a class; and a bounded sample ([`Thinned`]).
//! **Units**        a loop's length is in links.
//! **Deviations**   the papers define no loop. A path's loops are those that chronological
//!                  loop erasure (Lawler, 1980) cuts out of it: from a switch back to it, without
//!                  the loops inside. A, B, A, B, A has two of length 2.

use crate::histogram::Histogram;
use crate::network::End;
use crate::outcome::{PacketTrace, TraceEvent, TraceStep};
use crate::thinned::Thinned;
use sidestep_switch::ports::Wire;
use sidestep_types::{FlowId, Packet, PortId, SwitchId, Time};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Wires behind the ports of switches, as they are when a run begins.
pub(crate) type Wires = BTreeMap<(SwitchId, PortId), Wire>;

/// Settings of watching.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Watching {
    /// Most detours in the log.
    pub detours: usize,
    /// Number of paths to keep: those of the data packets with the most detours.
    pub paths: usize,
    /// True to count loops.
    pub loops: bool,
    /// Data packets whose latency is measured, if any.
    pub latency: Option<Latency>,
    /// True to count the ports by which those packets left each switch.
    pub crossings: bool,
}

/// Data packets whose latency is measured: every n-th that a host sends of each of these classes, if it left
/// the host at or after some instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Latency {
    /// Interval n, above 0; 1 picks every packet.
    pub every: u64,
    /// Classes, one bit each, 64 in a word.
    pub classes: [u64; 4],
    /// Earliest send time of a measured packet.
    pub from: Time,
}

impl Latency {
    /// Returns a choice of every n-th packet, of no class yet.
    pub fn every(every: u64) -> Latency {
        Latency {
            every: every.max(1),
            classes: [0; 4],
            from: Time::ZERO,
        }
    }

    /// Leaves out packets sent before `from`.
    pub fn since(mut self, from: Time) -> Latency {
        self.from = from;
        self
    }

    /// Adds a class.
    pub fn of(mut self, class: u8) -> Latency {
        self.classes[usize::from(class / 64)] |= 1 << (class % 64);
        self
    }

    fn has(&self, class: u8) -> bool {
        self.classes[usize::from(class / 64)] >> (class % 64) & 1 == 1
    }
}

/// Most latencies in a sample; a larger one is thinned.
pub const MOST_LATENCIES: usize = 500_000;

impl Watching {
    /// Returns true if paths must be recorded.
    pub(crate) fn follows(&self) -> bool {
        self.paths > 0 || self.loops
    }
}

/// Results of watching.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Watched {
    /// First detours, of data or not, in the order in which they happened.
    pub detours: Vec<DetourSeen>,
    /// Detours that the log had no room for.
    pub detours_missed: u64,
    /// Paths of the data packets with the most detours, most first. Packets in flight at the end are left out.
    pub paths: Vec<PacketTrace>,
    /// Loop counts.
    pub loops: LoopCounts,
    /// Latencies of picked data packets that arrived, in that order: their class, and the time from the arrival
    /// at their first switch to the last arrival at their last switch. A packet whose last switch is its first
    /// has none.
    pub latencies: Vec<(u8, Time)>,
    /// Number of latencies before the sample was thinned.
    pub latencies_taken: u64,
    /// Number of picked packets of a class, dropped ones included, that left a switch by a port; in the order
    /// of these.
    pub crossings: BTreeMap<(u8, SwitchId, PortId), u64>,
    /// Waits of picked packets that arrived, those whose last switch is their first included: class, flow, and
    /// time spent in the queues of switches.
    pub waits: Vec<(u8, FlowId, Time)>,
    /// Number of waits before the sample was thinned.
    pub waits_taken: u64,
}

/// Detour of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DetourSeen {
    /// Simulated time of the detour.
    pub at: Time,
    /// Switch of the detour.
    pub switch: SwitchId,
    /// Port that the route chose.
    pub wanted: PortId,
    /// Port that the packet left by.
    pub taken: PortId,
}

/// Loops of the data packets that arrived or were dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LoopCounts {
    /// Data packets that arrived or were dropped.
    pub packets: u64,
    /// Packets detoured at least once.
    pub detoured: u64,
    /// Packets that came to one switch at least twice.
    pub looped: u64,
    /// Loops by their length.
    pub lengths: Histogram,
}

/// Number of classes: a packet has one byte for it.
const CLASSES: usize = 256;

/// Watcher of a run.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Watcher {
    watching: Watching,
    seen: Watched,
    /// Switches of a path without its loops.
    straight: Vec<SwitchId>,
    /// Data packets sent, by host and then by class.
    sent: Vec<u64>,
    latencies: Thinned<(u8, Time)>,
    waits: Thinned<(u8, FlowId, Time)>,
    /// Wires, present if waits are measured; those of the network, so not saved.
    #[serde(skip)]
    wires: Wires,
}

impl Watcher {
    pub fn new(watching: Watching, wires: Wires) -> Watcher {
        Watcher {
            watching,
            seen: Watched::default(),
            straight: Vec::new(),
            sent: Vec::new(),
            latencies: Thinned::new(MOST_LATENCIES),
            waits: Thinned::new(MOST_LATENCIES),
            wires,
        }
    }

    /// Continues with the settings and the wires of `built`, the same watcher before the run.
    pub fn restore_constants(&mut self, built: Watcher) {
        (self.watching, self.wires) = (built.watching, built.wires);
    }

    /// Returns true if it picks packets for their latency.
    pub fn picks_some(&self) -> bool {
        self.watching.latency.is_some()
    }

    /// Returns true if the latency of this data packet, the next that `host` sends, is measured.
    pub fn picks(&mut self, host: u32, packet: &Packet) -> bool {
        let Some(latency) = &self.watching.latency else {
            return false;
        };
        if !latency.has(packet.class) {
            return false;
        }
        let first = host as usize * CLASSES;
        if self.sent.len() <= first {
            self.sent.resize(first + CLASSES, 0);
        }
        let sent = &mut self.sent[first + usize::from(packet.class)];
        *sent += 1;
        sent.is_multiple_of(latency.every)
    }

    /// Measures a picked packet whose path has ended; it took `wire` bytes of link time.
    pub fn picked(&mut self, trace: &PacketTrace, class: u8, wire: u16) {
        let sent = trace.steps.first().map(|step| step.at);
        let from = self.watching.latency.map(|latency| latency.from);
        if sent < from {
            return;
        }
        if let Some(latency) = latency(trace) {
            self.latencies.offer((class, latency));
        }
        if self.watching.crossings {
            for (switch, port) in left_by(trace) {
                *self
                    .seen
                    .crossings
                    .entry((class, switch, port))
                    .or_default() += 1;
            }
        }
        if let Some(wait) = waited(trace, wire, &self.wires) {
            self.waits.offer((class, trace.flow, wait));
        }
    }

    pub fn follows(&self) -> bool {
        self.watching.follows()
    }

    /// Logs a detour.
    pub fn detour(&mut self, seen: DetourSeen) {
        if self.seen.detours.len() < self.watching.detours {
            self.seen.detours.push(seen);
        } else {
            self.seen.detours_missed += u64::from(self.watching.detours > 0);
        }
    }

    /// Evaluates the path of a data packet, which has ended.
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
        Watched {
            waits_taken: self.waits.offered(),
            waits: self.waits.into_values(),
            latencies_taken: self.latencies.offered(),
            latencies: self.latencies.into_values(),
            ..self.seen
        }
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
                // It was queued here, and moved to another queue.
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

    /// Keeps the path if it is among the worst. Ties are broken by packet number, so that the result does not
    /// depend on the order in which paths end.
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

/// Returns the time from the first switch of a packet that arrived to its last one, unless that is the same.
fn latency(trace: &PacketTrace) -> Option<Time> {
    let (end, way) = trace.steps.split_last()?;
    if end.what != TraceEvent::Delivered {
        return None;
    }
    let queued = |step: &TraceStep| Some((step.at, step.what.queued()?.0));
    let mut stays = way.iter().filter_map(queued);
    let (first_at, first) = stays.next()?;
    let (mut last_at, mut last) = (first_at, first);
    for (at, switch) in stays {
        // It may be queued twice at one switch, moved from queue to queue.
        if switch != last {
            (last_at, last) = (at, switch);
        }
    }
    (last != first).then(|| last_at.saturating_sub(first_at))
}

/// Returns the switches that a packet left, each with its port: the last queue that the packet joined there.
fn left_by(trace: &PacketTrace) -> impl Iterator<Item = (SwitchId, PortId)> {
    let queued = |step: &TraceStep| {
        let (switch, joined) = step.what.queued()?;
        Some((switch, joined.port))
    };
    let steps = &trace.steps;
    (0..steps.len()).filter_map(move |i| {
        let here = queued(&steps[i])?;
        let next = steps.get(i + 1)?;
        let stays = queued(next).is_some_and(|then| then.0 == here.0);
        (!stays && next.what.dropped().is_none()).then_some(here)
    })
}

/// Returns the time that a packet that arrived waited in switches: the time from its first switch to its host,
/// less that of the links between, each as it was when the run began.
fn waited(trace: &PacketTrace, wire: u16, wires: &Wires) -> Option<Time> {
    let (end, way) = trace.steps.split_last()?;
    if end.what != TraceEvent::Delivered {
        return None;
    }
    let mut joined: Vec<(SwitchId, PortId)> = Vec::new();
    let mut came = None;
    for step in way {
        if let Some((switch, to)) = step.what.queued() {
            came.get_or_insert(step.at);
            // A packet moved from queue to queue leaves by the last one.
            if joined.last().is_some_and(|(last, _)| *last == switch) {
                joined.pop();
            }
            joined.push((switch, to.port));
        }
    }
    let mut on_links = Time::ZERO;
    for port in &joined {
        let own = wires.get(port)?;
        let crossing = own.time_to_send(u32::from(wire)).saturating_add(own.delay);
        on_links = on_links.saturating_add(crossing);
    }
    Some(end.at.saturating_sub(came?).saturating_sub(on_links))
}

/// Returns the switches of a path, in order.
fn switches(trace: &PacketTrace) -> impl Iterator<Item = SwitchId> {
    trace.steps.iter().filter_map(|step| match step.what {
        TraceEvent::At(End::Switch(switch), _) => Some(switch),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_switch::{Changes, Depth, DropReason, Event, Joined};
    use sidestep_types::FlowId;

    /// Returns the path of a packet through these switches, detoured at the first `detours` of them.
    fn path(id: u64, switches: &[u32], detours: usize) -> PacketTrace {
        let step = |(i, s): (usize, &u32)| TraceStep {
            at: Time::ZERO,
            what: TraceEvent::At(
                End::Switch(SwitchId(*s)),
                Event::Enqueue(Joined {
                    wanted: PortId(0),
                    wanted_queue: 0,
                    port: PortId(u16::from(i < detours)),
                    ahead: Depth::default(),
                    changes: Changes::default(),
                }),
            ),
        };
        PacketTrace {
            id,
            flow: FlowId(0),
            seq: 0,
            ack: false,
            steps: switches.iter().enumerate().map(step).collect(),
        }
    }

    fn latency_of(stays: &[(u64, u32)], end: TraceEvent) -> Option<u64> {
        let switches: Vec<u32> = stays.iter().map(|(_, switch)| *switch).collect();
        let mut trace = path(1, &switches, 0);
        for (step, (us, _)) in trace.steps.iter_mut().zip(stays) {
            step.at = Time::from_us(*us);
        }
        trace.steps.push(TraceStep {
            at: Time::from_us(1000),
            what: end,
        });
        latency(&trace).map(|t| t.ps() / 1_000_000)
    }

    #[test]
    fn latency_is_from_the_first_switch_to_the_last_time_at_the_last_one() {
        let there = |stays: &[(u64, u32)]| latency_of(stays, TraceEvent::Delivered);
        assert_eq!(there(&[(3, 1), (7, 2), (12, 3)]), Some(9));
        // Moved to another queue of its last switch: it had arrived there at 7.
        assert_eq!(there(&[(3, 1), (7, 2), (9, 2)]), Some(4));
        // Detoured by its last switch, and back.
        assert_eq!(there(&[(3, 1), (7, 2), (9, 4), (15, 2)]), Some(12));
        // Within one rack, even by a detour.
        assert_eq!(there(&[(3, 1)]), None);
        assert_eq!(there(&[(3, 1), (7, 2), (12, 1)]), None);
        let (port, reason) = (PortId(0), DropReason::Full);
        let dropped = TraceEvent::At(End::Switch(SwitchId(3)), Event::Drop { port, reason });
        assert_eq!(latency_of(&[(3, 1), (7, 2)], dropped), None);
    }

    #[test]
    fn a_wait_is_what_the_links_leave_of_the_time_from_the_first_switch_to_the_host() {
        use sidestep_types::BitRate;
        // 1250 B take 10 us at 1 Gbps and 1 us at 10 Gbps.
        let wires: Wires = [(1, 1), (2, 10)]
            .map(|(s, gbps)| {
                let wire = Wire::new(BitRate::gbps(gbps), Time::from_us(2));
                ((SwitchId(s), PortId(0)), wire)
            })
            .into();
        let mut trace = path(1, &[1, 1, 2], 0);
        // It came at 100 us, was moved at 105, reached the next switch at 130 and its host at 150.
        for (step, us) in trace.steps.iter_mut().zip([100, 105, 130]) {
            step.at = Time::from_us(us);
        }
        trace.steps.push(TraceStep {
            at: Time::from_us(150),
            what: TraceEvent::Delivered,
        });
        let links = 10 + 2 + 1 + 2;
        let wait = waited(&trace, 1250, &wires);
        assert_eq!(wait, Some(Time::from_us(50 - links)));
        trace.steps.pop();
        assert_eq!(waited(&trace, 1250, &wires), None, "it is under way");
    }

    #[test]
    fn each_nth_packet_of_a_host_and_class_is_picked() {
        let mut watcher = Watcher::new(
            Watching {
                latency: Some(Latency::every(3).of(0).of(200)),
                ..Watching::default()
            },
            Wires::new(),
        );
        let mut packet = Packet::new(
            sidestep_types::Kind::Data,
            FlowId(0),
            sidestep_types::HostId(0),
            0,
        );
        let mut picks = |host, class| {
            packet.class = class;
            watcher.picks(host, &packet)
        };
        let of = |picks: &mut dyn FnMut(u32, u8) -> bool, host, class| {
            let all: Vec<usize> = (1..10).filter(|_| picks(host, class)).collect();
            all
        };
        assert_eq!(of(&mut picks, 0, 0), [3, 6, 9]);
        assert_eq!(of(&mut picks, 7, 200), [3, 6, 9]);
        assert!(of(&mut picks, 0, 1).is_empty());
        // Nine packets of host 0 and class 0 are counted; each class has its own count.
        assert_eq!(of(&mut picks, 0, 200), [3, 6, 9]);
        picks(0, 0);
        assert_eq!(of(&mut picks, 0, 0), [2, 5, 8]);
    }

    fn lengths(switches: &[u32]) -> Vec<u64> {
        let mut watcher = Watcher::new(
            Watching {
                loops: true,
                ..Watching::default()
            },
            Wires::new(),
        );
        watcher.ended(&path(1, switches, 1));
        let loops = watcher.finish().loops;
        assert_eq!((loops.packets, loops.detoured), (1, 1));
        assert_eq!(loops.looped, u64::from(!loops.lengths.is_empty()));
        loops.lengths.counts().to_vec()
    }

    #[test]
    fn a_loop_leads_from_a_switch_back_to_it() {
        assert!(lengths(&[1, 2, 3, 4]).is_empty());
        // Twice in a row at one switch: moved from queue to queue there.
        assert!(lengths(&[1, 2, 2, 2, 3]).is_empty());
        assert_eq!(lengths(&[1, 2, 1, 3]), [0, 0, 1]);
        assert_eq!(lengths(&[1, 2, 1, 2, 1, 3]), [0, 0, 2]);
        // The inner loop 3, 4, 3 is counted once, then the loop 2, 3, 2 around it.
        assert_eq!(lengths(&[1, 2, 3, 4, 3, 2, 5]), [0, 0, 2]);
        assert_eq!(lengths(&[1, 2, 3, 4, 1, 2]), [0, 0, 0, 0, 1]);
    }

    #[test]
    fn the_worst_paths_are_kept_whatever_the_order_in_which_they_end() {
        let paths = [(3, 1), (1, 4), (9, 0), (2, 4), (5, 2), (4, 3)];
        let worst = |order: &mut dyn Iterator<Item = &(u64, usize)>| {
            let mut watcher = Watcher::new(
                Watching {
                    paths: 3,
                    ..Watching::default()
                },
                Wires::new(),
            );
            order.for_each(|(id, detours)| watcher.ended(&path(*id, &[1, 2, 3, 4, 5], *detours)));
            let paths = watcher.finish().paths;
            paths.iter().map(|t| t.id).collect::<Vec<_>>()
        };
        assert_eq!(worst(&mut paths.iter()), [1, 2, 4]);
        assert_eq!(worst(&mut paths.iter().rev()), [1, 2, 4]);
    }

    #[test]
    fn a_full_log_counts_what_it_misses() {
        let mut watcher = Watcher::new(
            Watching {
                detours: 2,
                ..Watching::default()
            },
            Wires::new(),
        );
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
