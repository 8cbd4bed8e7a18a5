//! Crossings inside combined input and output queued switches: their begin and their end.

use super::{Fabric, LATE};
use crate::agenda::Agenda;
use crate::cioq::{At, Cioq};
use crate::layout::FarEnd;

impl<A: Agenda> Fabric<A> {
    /// Returns the switch where `link` ends, and the port where its packets come in.
    pub(super) fn input(&self, link: u32) -> At {
        let FarEnd::Switch(switch) = self.links[link].far() else {
            panic!("link {link} ends at a host, which has no input");
        };
        (switch as usize, self.wiring.ingress[link].index())
    }

    fn crossbars(&mut self) -> &mut Cioq {
        self.cioq.as_mut().expect("a network of such switches")
    }

    /// Enqueues a parcel, which came in by `ingress` and will leave by `out`, at its input, and reserves its
    /// place at the output.
    pub(super) fn enter(&mut self, ingress: u32, out: u32, parcel: u32) {
        let bytes = self.buffered(parcel);
        self.links[out].line.grow(bytes);
        let at = self.input(ingress);
        if let Some(output) = self.crossbars().enter(at, out, parcel, bytes) {
            self.cross(ingress, output);
        }
    }

    /// Begins to move the first packet for `output` from the input where `ingress` ends.
    fn cross(&mut self, ingress: u32, output: usize) {
        let at = self.input(ingress);
        let crossing = self.crossbars().cross(at, output);
        let bytes = u32::from(self.pool.get(crossing.parcel).packet.wire);
        let span = self.crossbars().span(at.0, bytes);
        let slot = self.inner_slot(ingress);
        // Like the end of a transmission, it makes room before anything arrives.
        let tie = self.tie(slot, crossing.count) & !LATE;
        self.agenda.schedule(slot, self.now + span, tie);
    }

    /// Ends the crossing from the input where `ingress` ends: the packet has reached its output.
    pub(super) fn crossed(&mut self, ingress: u32) {
        let at = self.input(ingress);
        let (parcel, out) = self.crossbars().crossing(at);
        let bytes = self.buffered(parcel);
        let output = self.crossbars().crossed(at, bytes);
        // From its reserved place into the queue itself.
        self.links[out].line.shrink(bytes);
        self.depth(out);
        self.enqueue(out, parcel);
        let (switch, port) = at;
        if let Some(input) = self.crossbars().next_input(switch, output, port) {
            self.cross(input, output);
        }
        if let Some(output) = self.crossbars().next_output(at, output) {
            self.cross(ingress, output);
        }
    }
}
