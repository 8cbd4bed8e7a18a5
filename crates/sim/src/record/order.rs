//! Recorded events in the order of time: they are reported in another order.
//!
//! **Decision**     within an instant, ends of transmissions come first, then events in the order in which they
//!                  were reported,
//!                  then queue lengths.
//! **State**        events that others may still precede; the length of each queue, if recorded.
//! **Units**        picoseconds, packets, bytes of buffer.
//! **Errors**       none.
//!
//! Most events are reported when they happen, hence in order; ends of transmissions are reported when the
//! packet arrives, a link's delay later. Two lists are kept and merged, with little to sort in either.

use sidestep_recording::{Event, EventKind, State, Writer};
use std::collections::VecDeque;

/// Events waiting to be written.
#[derive(Default)]
pub(super) struct Ordered {
    told: VecDeque<Event>,
    ends: VecDeque<End>,
    lengths: Option<Lengths>,
}

/// Departure of a packet's last bit from a queue.
struct End {
    at: u64,
    port: u32,
    packet: u32,
}

/// Queue lengths, needed if not every packet is recorded.
struct Lengths {
    changes: VecDeque<Change>,
    /// Per port: packets and bytes of buffer.
    now: Vec<(i64, i64)>,
    /// Per port: the lengths last written.
    said: Vec<(i64, i64)>,
    /// Ports changed at one instant.
    touched: Vec<u32>,
}

/// Packet that joins or leaves a queue.
struct Change {
    at: u64,
    port: u32,
    packets: i64,
    bytes: i64,
}

impl Ordered {
    /// Returns an empty list, with the queue lengths of `state` if they are measured.
    pub fn new(state: &State) -> Ordered {
        let lengths = state.is_measured().then(|| {
            let ports = 0..state.ports() as u32;
            let now = ports.map(|port| state.depth(port));
            let now: Vec<(i64, i64)> = now
                .map(|(packets, bytes)| (packets.into(), bytes as i64))
                .collect();
            Lengths {
                changes: VecDeque::new(),
                said: now.clone(),
                now,
                touched: Vec::new(),
            }
        });
        Ordered {
            lengths,
            ..Ordered::default()
        }
    }

    /// Returns the number of waiting entries.
    #[inline]
    pub fn len(&self) -> usize {
        let changes = self.lengths.as_ref().map_or(0, |all| all.changes.len());
        self.told.len() + self.ends.len() + changes
    }

    /// Adds an event.
    #[inline]
    pub fn tell(&mut self, event: Event) {
        insert(&mut self.told, event, |event| event.at);
    }

    /// Adds the departure of a packet's last bit from the queue of `port`.
    #[inline]
    pub fn end(&mut self, at: u64, port: u32, packet: u32) {
        insert(&mut self.ends, End { at, port, packet }, |end| end.at);
    }

    /// Changes the length of the queue of `port` by `packets` and `bytes` of buffer.
    #[inline]
    pub fn change(&mut self, at: u64, port: u32, packets: i64, bytes: i64) {
        if let Some(lengths) = &mut self.lengths {
            let change = Change {
                at,
                port,
                packets,
                bytes,
            };
            insert(&mut lengths.changes, change, |change| change.at);
        }
    }

    /// Writes the events before `until`.
    pub fn write(&mut self, until: u64, writer: &mut Writer) {
        loop {
            let end = self.ends.front().map_or(u64::MAX, |end| end.at);
            let told = self.told.front().map_or(u64::MAX, |event| event.at);
            let at = end.min(told);
            if at >= until {
                break;
            }
            if let Some(lengths) = &mut self.lengths {
                lengths.write(at, writer);
            }
            if end <= told {
                let Some(End { at, port, packet }) = self.ends.pop_front() else {
                    break;
                };
                let what = EventKind::Dequeue { port, packet };
                writer.push(Event { at, what });
            } else if let Some(event) = self.told.pop_front() {
                writer.push(event);
            }
        }
        if let Some(lengths) = &mut self.lengths {
            lengths.write(until, writer);
        }
    }
}

impl Lengths {
    /// Writes queue lengths at the instants before `until`: one per changed queue and instant, after all
    /// changes of that instant.
    fn write(&mut self, until: u64, writer: &mut Writer) {
        while let Some(at) = self.changes.front().map(|change| change.at)
            && at < until
        {
            while let Some(change) = self.changes.pop_front_if(|change| change.at == at) {
                let (packets, bytes) = &mut self.now[change.port as usize];
                (*packets, *bytes) = (*packets + change.packets, *bytes + change.bytes);
                self.touched.push(change.port);
            }
            self.touched.sort_unstable();
            self.touched.dedup();
            for port in self.touched.drain(..) {
                let now = self.now[port as usize];
                if std::mem::replace(&mut self.said[port as usize], now) == now {
                    continue;
                }
                let what = EventKind::Depth {
                    port,
                    packets: now.0.try_into().expect("a queue has packets or none"),
                    bytes: now.1.try_into().expect("a queue has bytes or none"),
                };
                writer.push(Event { at, what });
            }
        }
    }
}

/// Inserts `item` behind all that are not later.
#[inline]
fn insert<T>(list: &mut VecDeque<T>, item: T, at: impl Fn(&T) -> u64) {
    let instant = at(&item);
    if list.back().is_none_or(|last| at(last) <= instant) {
        list.push_back(item);
        return;
    }
    let later = list.iter().rev().take_while(|other| at(other) > instant);
    list.insert(list.len() - later.count(), item);
}
