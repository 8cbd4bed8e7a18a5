//! Recording of a run of real packets in the simulator's format (`docs/reference/recording.md`), from the switches'
//! notes.
//!
//! **Decision**     the notes of all switches are sorted by time. A segment is identified by its addresses,
//!                  ports, numbers and the identification of its IP header. A note that contradicts the state
//!                  (a segment leaves a queue in which it does not wait) is left out and counted. The recording
//!                  ends where a switch had no room for notes.
//! **State**        the segments in flight.
//! **Units**        picoseconds of the emulated network, since the run's time zero.
//! **Errors**       none: the tail states what is missing.
//! **Deviations**   the queue of a host is not visible: a packet counts as sent when its first switch reads it,
//!                  and as delivered when the switch hands it to its host.

mod segments;
#[cfg(test)]
mod tests;

use crate::setup::TestbedSetup;
use crate::traffic::Ran;
use segments::Segments;
use sidestep_lab::recorded::{Event, EventKind, Flow, Head, Place, State, Tail, Writer};
use sidestep_lab::{recording_head, recording_tail};
use sidestep_sim::{Outcome, TrafficPlan};
use sidestep_softswitch::process::notes::{Note, NoteKind, NotesSummary, SegmentHeader};
use sidestep_switch::DropReason;
use sidestep_types::Time;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

/// Builds the recording of a run from the notes of each switch.
pub fn recording(
    setup: &TestbedSetup,
    seed: u64,
    (plan, outcome): (&TrafficPlan, &Outcome),
    ran: &Ran,
    notes: &[(NotesSummary, Vec<Note>)],
) -> Vec<u8> {
    let head = Head {
        source: "testbed".into(),
        window: "the whole run, from time zero".into(),
        flows: "no flow: the kernels' windows are not recorded".into(),
        ..recording_head(&setup.scenario, 0, seed)
    };
    let there = |at_ps: u64, about: &NotesSummary| {
        let at = i128::from(about.started_ns) * 1000 + i128::from(at_ps);
        let since = at - i128::from(ran.zero_ns) * 1000;
        u64::try_from(since)
            .ok()
            .map(|ps| setup.scale.there_ps(ps).ps())
    };
    let lost = notes
        .iter()
        .filter_map(|(about, _)| there(about.lost_from_ps?, about));
    let end = outcome.end.ps() + 1;
    let cut = lost.min().filter(|cut| *cut < end);
    let to = cut.unwrap_or(end);
    let mut told = Vec::new();
    for ((about, notes), switch) in notes.iter().zip(0..) {
        for note in notes {
            let at = there(note.at_ps, about);
            let out = match note.what {
                NoteKind::Left { out_ps, .. } => there(out_ps, about),
                _ => None,
            };
            let note = *note;
            told.push(TimedNote {
                at,
                out,
                switch,
                note,
            });
        }
    }
    let mut film = RecordingBuilder::new(&head, Segments::of(&ran.ends));
    let whole = film.play(told, to);
    let tail = recording_tail(plan, outcome, Time::ZERO, Time::from_ps(to));
    let tuple = |flow: &Flow| {
        let (from, to) = (*ran.ends.get(flow.id as usize)?)?;
        Some(format!("tcp {from} {to}"))
    };
    let flows = tail.flows.iter().map(|flow| Flow {
        tuple: tuple(flow),
        ..flow.clone()
    });
    let others: u64 = notes.iter().map(|(about, _)| about.others).sum();
    let mut ended = match cut {
        None => "the run ends".to_string(),
        Some(_) => "a switch had no room for more notes".into(),
    };
    if whole.contradicts + whole.strangers + others > 0 {
        ended.push_str(&format!(
            "; left out: {} notes that contradict others, {} of segments never sent or of no flow, \
             {others} of packets other than TCP over IPv4",
            whole.contradicts, whole.strangers
        ));
    }
    film.writer.finish(Tail {
        to,
        ended,
        flows: flows.collect(),
        ..tail
    })
}

/// Numbers of notes that were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct LeftOut {
    contradicts: u64,
    strangers: u64,
}

/// Note with its time in the emulated network; `None` before time zero.
#[derive(Clone, Copy, Debug)]
struct TimedNote {
    at: Option<u64>,
    /// Time at which it had left the link.
    out: Option<u64>,
    switch: u32,
    note: Note,
}

/// Kind of a step, in the order of steps at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// End of a transmission; first, as in a simulated run.
    Leaves,
    /// Arrival from the last link.
    Arrives,
    /// Anything else, in the order of the notes.
    Told,
}

/// Writer of the recording.
struct RecordingBuilder {
    writer: Writer,
    segments: Segments,
    hosts: u32,
    /// Link fed by a port, by node and port.
    links: BTreeMap<(u32, u16), u32>,
    /// First node of each link; `ends` has the last.
    begins: Vec<u32>,
    ends: Vec<u32>,
    /// Packets in flight, by identity. Kernels send some segments twice with the same numbers, such as
    /// acknowledgements of a connection that they have closed; those are told apart by place.
    live: HashMap<SegmentKey, Vec<u32>>,
    left_out: LeftOut,
}

/// Identity of a segment in flight. A switch may cut its payload and change its code point and TTL, and nothing
/// else.
type SegmentKey = (
    std::net::SocketAddrV4,
    std::net::SocketAddrV4,
    u16,
    u32,
    u32,
);

fn segment_key(seen: &SegmentHeader) -> SegmentKey {
    (seen.from, seen.to, seen.id, seen.seq, seen.ack)
}

impl RecordingBuilder {
    fn new(head: &Head, segments: Segments) -> RecordingBuilder {
        let network = &head.network;
        let links = network.links.iter().zip(0..);
        RecordingBuilder {
            writer: Writer::begin(head, State::default()),
            segments,
            hosts: network.nodes.iter().filter(|node| node.host).count() as u32,
            links: links
                .map(|(link, number)| ((link.from, link.port), number))
                .collect(),
            begins: network.links.iter().map(|link| link.from).collect(),
            ends: network.links.iter().map(|link| link.to).collect(),
            live: HashMap::new(),
            left_out: LeftOut::default(),
        }
    }

    /// Writes the notes before `cut`; returns the numbers left out.
    fn play(&mut self, told: Vec<TimedNote>, cut: u64) -> LeftOut {
        let mut steps = Vec::new();
        for (told, order) in told.into_iter().zip(0u64..) {
            let Some(at) = told.at else {
                // Handshakes give the first sequence numbers.
                self.segments.before(&told.note.segment);
                continue;
            };
            let first = match told.note.what {
                NoteKind::Left { .. } => Step::Leaves,
                _ => Step::Told,
            };
            steps.push((at, first, order, told));
            if let Some(out) = told.out {
                steps.push((out, Step::Arrives, order, told));
            }
        }
        steps.sort_by_key(|(at, step, order, _)| (*at, *step, *order));
        for (at, step, _, told) in steps {
            if at >= cut {
                break;
            }
            self.step(at, step, &told);
        }
        self.left_out
    }

    fn step(&mut self, at: u64, step: Step, told: &TimedNote) {
        let seen = &told.note.segment;
        match told.note.what {
            NoteKind::Left { port, .. } => {
                let link = self.link(told.switch, port);
                let places = link.map(|link| match step {
                    Step::Arrives => Place::Link(link),
                    _ => Place::Queue(link),
                });
                let packet = self.under_way(seen, |place| Some(place) == places);
                // A departure is two steps; a contradiction is counted in the first only.
                if step == Step::Leaves {
                    return match (link, packet) {
                        (Some(port), Some(packet)) => {
                            self.offer(at, EventKind::Dequeue { port, packet })
                        }
                        (None, _) => self.contradicts(),
                        (_, None) => self.stranger(),
                    };
                }
                let Some((link, packet)) = link.zip(packet) else {
                    return;
                };
                if self.ends[link as usize] < self.hosts {
                    self.forget(seen, packet);
                    self.offer(at, EventKind::Deliver { packet });
                }
            }
            NoteKind::Queued {
                from,
                wanted,
                port,
                changes,
            } => {
                let ports = (self.link(told.switch, port)).zip(self.link(told.switch, wanted));
                let Some((port, wanted)) = ports else {
                    return self.contradicts();
                };
                let Some(packet) = self.packet(at, told, from) else {
                    return;
                };
                if from.is_none() {
                    self.evict(at, packet);
                }
                let what = EventKind::Enqueue {
                    port,
                    packet,
                    bytes: seen.bytes,
                    wanted,
                    changes,
                    moved: from.is_none().into(),
                };
                self.offer(at, what);
            }
            NoteKind::Dropped {
                from,
                wanted,
                reason,
            } => {
                let Some(port) = self.link(told.switch, wanted) else {
                    return self.contradicts();
                };
                let Some(packet) = self.packet(at, told, from) else {
                    return;
                };
                self.forget(seen, packet);
                let what = EventKind::Drop {
                    port,
                    packet,
                    reason,
                    waited: 0,
                };
                self.offer(at, what);
            }
            NoteKind::Evicted { port, reason } => {
                let Some(port) = self.link(told.switch, port) else {
                    return self.contradicts();
                };
                let Some(packet) = self.under_way(seen, |place| place == Place::Queue(port)) else {
                    return self.stranger();
                };
                self.forget(seen, packet);
                let waits = self.place(packet) == Some(Place::Queue(port));
                let lost = reason == DropReason::LinkDown as u8;
                if !lost {
                    self.evict(at, packet);
                }
                let what = EventKind::Drop {
                    port,
                    packet,
                    reason,
                    waited: (lost && waits).into(),
                };
                self.offer(at, what);
            }
        }
    }

    /// Returns the packet of a note; a packet from a host is recorded as sent now.
    fn packet(&mut self, at: u64, told: &TimedNote, from: Option<u16>) -> Option<u32> {
        let seen = &told.note.segment;
        let node = self.hosts + told.switch;
        let comes = from.and_then(|port| self.links.get(&(node, port)));
        let host = comes.map(|link| self.ends[*link as usize]);
        let Some(host) = host.filter(|end| *end < self.hosts) else {
            let packet = self.under_way(seen, |place| self.node(place) == Some(node));
            if packet.is_none() {
                self.stranger();
            }
            return packet;
        };
        let Some(send) = self.segments.sent(seen, host) else {
            self.stranger();
            return None;
        };
        let id = self.writer.state().next();
        self.offer(at, send);
        self.live.entry(segment_key(seen)).or_default().push(id);
        Some(id)
    }

    /// Returns the packet with this identity: the first at the place the note expects, else the first.
    fn under_way(&self, seen: &SegmentHeader, fits: impl Fn(Place) -> bool) -> Option<u32> {
        let alike = self.live.get(&segment_key(seen))?;
        let fitting = alike
            .iter()
            .find(|packet| self.place(**packet).is_some_and(&fits));
        fitting.or(alike.first()).copied()
    }

    /// Removes a packet that has left the network.
    fn forget(&mut self, seen: &SegmentHeader, packet: u32) {
        if let Entry::Occupied(mut alike) = self.live.entry(segment_key(seen)) {
            alike.get_mut().retain(|other| *other != packet);
            if alike.get().is_empty() {
                alike.remove();
            }
        }
    }

    /// Returns the node where a packet waits, or to which it is on its way.
    fn node(&self, place: Place) -> Option<u32> {
        match place {
            Place::Nowhere => None,
            Place::Queue(link) => self.begins.get(link as usize).copied(),
            Place::Link(link) => self.ends.get(link as usize).copied(),
        }
    }

    /// Removes a packet from its queue.
    fn evict(&mut self, at: u64, packet: u32) {
        if let Some(Place::Queue(port)) = self.place(packet) {
            self.offer(at, EventKind::Evict { port, packet });
        }
    }

    fn place(&self, packet: u32) -> Option<Place> {
        let packet = self.writer.state().packet(packet)?;
        Some(packet.place)
    }

    fn link(&self, switch: u32, port: u16) -> Option<u32> {
        self.links.get(&(self.hosts + switch, port)).copied()
    }

    fn offer(&mut self, at: u64, what: EventKind) {
        if self.writer.offer(Event { at, what }).is_err() {
            self.contradicts();
        }
    }

    fn contradicts(&mut self) {
        self.left_out.contradicts += 1;
    }

    fn stranger(&mut self) {
        self.left_out.strangers += 1;
    }
}
