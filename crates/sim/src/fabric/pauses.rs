//! Pauses on the fabric's links: sending and arrival of pause frames, and the links they stop.

use super::Fabric;
use crate::agenda::Agenda;
use crate::pfc::FramePlan;
use crate::pool::NONE;
use sidestep_types::Time;

impl<A: Agenda> Fabric<A> {
    /// Counts `parcel`, now queued for `out`, against the link it came in by, and sends a pause there when one
    /// is due.
    pub(super) fn hold(&mut self, ingress: u32, out: u32, parcel: u32) {
        let bytes = self.buffered(parcel);
        let Some(pfc) = &mut self.pfc else { return };
        if pfc.hold(ingress, out, parcel, bytes) {
            self.send_frame(ingress, true);
        }
    }

    /// Handles a packet that came over `ingress` and found no room: sends a pause when one is due.
    pub(super) fn turned_away(&mut self, ingress: u32) {
        let Some(pfc) = &mut self.pfc else { return };
        if pfc.turned_away(ingress) {
            self.send_frame(ingress, true);
        }
    }

    /// Stops counting `parcel`, which left by `out` or was taken out of its queue, and sends a resume when one
    /// is due.
    pub(super) fn release(&mut self, out: u32, parcel: u32) {
        let bytes = self.buffered(parcel);
        let Some(pfc) = &mut self.pfc else { return };
        if let Some(ingress) = pfc.release(out, parcel, bytes) {
            self.send_frame(ingress, false);
        }
    }

    /// Handles the end of the transmission of `parcel` by `link`, in a network with pauses.
    pub(super) fn left(&mut self, link: u32, parcel: u32) {
        let now = self.now;
        let line = &mut self.links[link].line;
        if line.settled().packets == 0 {
            // Pauses delayed it beyond the computed time.
            line.free_at = now;
        }
        if link >= self.hosts {
            self.release(link, parcel);
        }
        let pfc = self.pfc.as_mut().expect("a network with pauses");
        if pfc.paused(link) {
            pfc.stopped(link, now);
        }
    }

    /// Sends a pause or resume to the sender of `ingress`: behind the packet on the wire, ahead of all others.
    fn send_frame(&mut self, ingress: u32, pause: bool) {
        let Some(pfc) = &self.pfc else { return };
        let (back, bytes) = pfc.way_back(ingress);
        let sending = self.links[back].line.sending();
        let mut begins = self.now;
        if sending != NONE {
            begins = begins.max(self.pool.get(sending).departs);
        }
        let wire = self.wire(back);
        let arrives = begins + wire.time_to_send(bytes) + wire.delay;
        let pfc = self.pfc.as_mut().expect("a network with pauses");
        if let Some(plan) = pfc.send(ingress, pause, arrives) {
            self.plan_frame(ingress, plan);
        }
    }

    fn plan_frame(&mut self, ingress: u32, plan: FramePlan) {
        let slot = self.inner_slot(ingress);
        let tie = self.tie(slot, plan.count);
        self.agenda.schedule(slot, plan.at, tie);
    }

    /// Handles a pause or resume that has reached the sender of `link`.
    pub(super) fn frame_arrived(&mut self, link: u32) {
        let now = self.now;
        let pfc = self.pfc.as_mut().expect("a network with pauses");
        let (pause, next) = pfc.frame_arrived(link, now);
        let idle = self.links[link].line.sending() == NONE;
        if idle && pause {
            pfc.stopped(link, now);
        }
        if let Some(plan) = next {
            self.plan_frame(link, plan);
        }
        if idle && !pause {
            self.send_next(link);
        }
    }

    /// Returns the number of pauses that switches have sent.
    pub fn pauses(&self) -> u64 {
        self.pfc.as_ref().map_or(0, |pfc| pfc.pauses())
    }

    /// Returns how often and how long the sender of `link` has been paused by `end`.
    pub fn paused(&self, link: u32, end: Time) -> (u64, Time) {
        let pfc = self.pfc.as_ref();
        pfc.map_or_else(Default::default, |pfc| pfc.seen(link, end))
    }

    /// Returns the deadlocks: links that wait for each other forever, with the time when the last of them
    /// stopped.
    pub fn deadlocks(&self) -> Vec<(Time, Vec<u32>)> {
        let idle = |link| self.links[link].line.sending() == NONE;
        let pfc = self.pfc.as_ref();
        pfc.map_or_else(Vec::new, |pfc| pfc.deadlocks(idle))
    }
}
