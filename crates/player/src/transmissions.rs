//! Transmission times of packets on links, from which a frame derives their progress.
//!
//! **State**        for each port, the packets on its link in order of departure, and the transmission time of
//!                  each.
//! **Units**        picoseconds.

use sidestep_recording::{Event, EventKind, Place, State};
use std::collections::VecDeque;

/// Transmission times of packets.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkTransmissions {
    ports: Vec<VecDeque<(u32, u64)>>,
}

impl LinkTransmissions {
    /// Begins at `state`; `known` lists packets on links: number and transmission time.
    pub fn begin(state: &State, known: &[(u32, u64)]) -> LinkTransmissions {
        let mut sent = LinkTransmissions {
            ports: vec![VecDeque::new(); state.ports()],
        };
        for (packet, sent_for) in known {
            if let Some(Place::Link(port)) = state.packet(*packet).map(|packet| packet.place) {
                sent.push(port, *packet, *sent_for);
            }
        }
        sent
    }

    /// Applies an event, after `state` has applied it; `sent_for` is the transmission time of its packet.
    #[inline]
    pub fn apply(&mut self, event: &Event, sent_for: u64, state: &State) {
        let EventKind::Dequeue { port, packet } = event.what else {
            return;
        };
        if let Some(link) = self.ports.get_mut(port as usize) {
            // Remove packets that have left the link; doing so at each departure keeps the list short. This
            // packet may have been on the link before.
            while let Some((first, _)) = link.front()
                && (*first == packet || !on(state, *first, port))
            {
                link.pop_front();
            }
        }
        self.push(port, packet, sent_for);
    }

    fn push(&mut self, port: u32, packet: u32, sent_for: u64) {
        if let Some(link) = self.ports.get_mut(port as usize) {
            link.push_back((packet, sent_for));
        }
    }

    /// Returns number and transmission time of the packets on the link that `port` feeds, in order of
    /// departure. `state` must be current. Packets that were on the link when the recording began are missing.
    pub fn of(&self, port: u32, state: &State) -> impl Iterator<Item = (u32, u64)> {
        let link = self.ports.get(port as usize).into_iter().flatten();
        link.copied().filter(move |(id, _)| on(state, *id, port))
    }

    /// Returns the packets on links, for the beginning of the next chunk. `state` must be current.
    pub fn kept(&self, state: &State) -> Vec<(u32, u64)> {
        let ports = 0..self.ports.len() as u32;
        ports.flat_map(|port| self.of(port, state)).collect()
    }

    pub fn memory(&self) -> usize {
        let each = |link: &VecDeque<(u32, u64)>| 32 + link.capacity() * 16;
        self.ports.iter().map(each).sum()
    }
}

/// Returns true if a packet is on the link that `port` feeds.
fn on(state: &State, id: u32, port: u32) -> bool {
    state
        .packet(id)
        .is_some_and(|packet| packet.place == Place::Link(port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_a_link_is_what_is_on_it_with_its_time() {
        let mut state = State::new(1);
        let mut sent = LinkTransmissions::begin(&state, &[]);
        let port = 0;
        let send = EventKind::Send {
            flow: 0,
            seq: 0,
            bytes: 1,
            says: 0,
            host: 0,
            number: 0,
        };
        let enqueue = |packet| EventKind::Enqueue {
            port,
            packet,
            bytes: 1,
            wanted: port,
            moved: 0,
            changes: 0,
        };
        let dequeue = |packet| EventKind::Dequeue { port, packet };
        let gone = EventKind::Deliver { packet: 0 };
        let whats = [
            send,
            send,
            enqueue(0),
            enqueue(1),
            dequeue(0),
            dequeue(1),
            gone,
        ];
        for (what, at) in whats.into_iter().zip(1..) {
            let event = Event { at, what };
            state.apply(&event).unwrap();
            sent.apply(&event, at * 100, &state);
        }
        assert_eq!(sent.kept(&state), [(1, 600)]);
        let again = LinkTransmissions::begin(&state, &sent.kept(&state));
        assert_eq!(again.of(port, &state).collect::<Vec<_>>(), [(1, 600)]);
    }
}
