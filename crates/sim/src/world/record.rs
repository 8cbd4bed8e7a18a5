//! Recording of a world.

use super::World;
use crate::agenda::Agenda;
use crate::pool::NONE;
use crate::record::{Layout, Packets, Recorded, Recorder, Recording, UnderWay};
use sidestep_recording::{Cause, Packet, PacketFlags, Place, State};
use sidestep_types::{FlowId, HostId, Kind, Time};

impl<A: Agenda> World<A> {
    /// Records the run from `recording.head.from` on. Costs time, does not change results.
    ///
    /// Panics unless all events before that instant have been served and none later, and unless the head says
    /// whether all packets are recorded.
    pub fn record(&mut self, recording: Recording) {
        let from = Time::from_ps(recording.head.from);
        let begins = match from.ps().checked_sub(1) {
            None => self.tally.is_fresh(),
            Some(before) => self.served == Time::from_ps(before) && self.now() < from,
        };
        assert!(begins, "a recording begins at its instant");
        assert!(
            self.observers.account.is_none(),
            "a run that explains a packet is not recorded"
        );
        let (state, known) = self.under_way(from, &recording.packets);
        let mut recorder = Recorder::begin(recording, self.layout(), state, known);
        for (f, end) in self.senders.iter().enumerate() {
            if let Some(end) = end {
                recorder.window(from, FlowId(f as u32), &end.endpoint, Cause::Start);
            }
        }
        let taken: Vec<u32> = self.fabric.pool.taken().collect();
        for at in taken {
            self.fabric.pool.get_mut(at).packet.set_traced(true);
        }
        self.observers.record(recorder);
    }

    /// Ends the recording just before `to`, or with the run, unless it has ended already.
    ///
    /// Panics unless all events before that instant have been served.
    pub fn end_recording(&mut self, to: Time) {
        self.look_at_senders();
        let served = self.served.saturating_add(Time::from_ps(1));
        assert!(
            to <= served || self.unfinished == 0,
            "a recording ends at {to}, but the run has only reached {}",
            self.served
        );
        let end = self.now() + Time::from_ps(1);
        let to = match self.unfinished {
            0 => to.min(end),
            _ => to,
        };
        let left = self.fabric.parcels().into_iter();
        let left = left.filter_map(|(parcel, link, departs)| {
            let departs = departs.filter(|departs| *departs < to)?;
            Some((parcel, link, departs))
        });
        let left: Vec<_> = left.collect();
        let Some(recorder) = &mut self.observers.recorder else {
            return;
        };
        recorder.end(to, left);
        let taken: Vec<u32> = self.fabric.pool.taken().collect();
        for at in taken {
            let kept = self.observers.tracer.keeps_path(at);
            let packet = &mut self.fabric.pool.get_mut(at).packet;
            packet.set_traced(kept);
        }
    }

    /// Returns the finished recording; `None` if nothing was recorded.
    pub fn recorded(&mut self) -> Option<Recorded> {
        let recorder = self.observers.recorder.as_mut()?;
        if recorder.is_on() {
            return None;
        }
        Some(self.observers.recorder.take()?.finish())
    }

    /// Returns the place of every recorded packet just before `from`, and the packets in flight then.
    fn under_way(&self, from: Time, packets: &Packets) -> (State, Vec<UnderWay>) {
        let layout = self.layout();
        let mut state = match packets {
            Packets::All => State::new(self.ends.len()),
            _ => State::measured(self.ends.len()),
        };
        let mut known = Vec::new();
        for (parcel, link, departs) in self.fabric.parcels() {
            let packet = self.fabric.pool.get(parcel).packet;
            let port = layout.port(link);
            let left = departs.filter(|departs| *departs < from);
            let buffer = layout.buffer(packet.wire);
            if left.is_none() {
                let (packets, bytes) = state.depth(port);
                state.measure(port, packets + 1, bytes + u64::from(buffer));
            }
            if !packets.has(packet.flow.0, None) {
                let id = NONE;
                known.push(UnderWay {
                    parcel,
                    id,
                    link,
                    buffer,
                });
                continue;
            }
            let again = if packet.sent_again() {
                PacketFlags::AGAIN
            } else {
                0
            };
            let plan = &self.plan.flows[packet.flow.0 as usize];
            let answers = matches!(packet.kind(), Kind::Ack | Kind::SynAck);
            let HostId(host) = if answers { plan.dst } else { plan.src };
            let row = Packet {
                id: 0,
                flow: packet.flow.0,
                seq: packet.seq(),
                bytes: packet.len.into(),
                says: packet.kind() as u8 | again,
                host,
                number: Packet::NO_NUMBER,
                place: match left {
                    Some(_) => Place::Link(port),
                    None => Place::Queue(port),
                },
                buffer,
                since: left.unwrap_or(from).ps(),
                over: false,
            };
            let id = state.put(row).expect("a port of this network");
            known.push(UnderWay {
                parcel,
                id,
                link,
                buffer,
            });
        }
        (state, known)
    }

    fn layout(&self) -> Layout {
        let links = 0..self.ends.len() as u32;
        let delays = links.map(|link| self.fabric.wire(link).delay).collect();
        let firsts = self.switches.iter().map(|switch| switch.first_link());
        Layout::new(
            &self.ends,
            delays,
            firsts.collect(),
            self.fabric.unbuffered,
            self.config.nic.is_some(),
        )
    }

    /// Records the windows of senders changed by the last event, if the run is recorded.
    #[inline]
    pub(super) fn look_at_senders(&mut self) {
        if let Some(recorder) = &mut self.observers.recorder
            && recorder.has_touched()
        {
            recorder.look(|flow| {
                let end = self.senders[flow.0 as usize].as_deref()?;
                Some(&end.endpoint)
            });
        }
    }
}
