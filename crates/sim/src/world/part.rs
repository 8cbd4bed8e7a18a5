//! A world that is one part of a run.

use super::World;
use crate::agenda::{Agenda, Border, PartAgenda};
use crate::fabric::{Fabric, Link};
use crate::layout::Far;
use crate::losses::LossLog;
use crate::network::End;
use crate::parts::{Cut, Mail};
use sidestep_switch::Depth;
use sidestep_types::{HostId, SwitchId, Time};

impl World<PartAgenda> {
    /// Keeps what is its own of a world that has not begun: part `me` of `cut`. Says for each link in which part it ends.
    pub(crate) fn become_part(&mut self, cut: &Cut, me: u16) -> Vec<u16> {
        let to_part = |link: &Link| match link.far() {
            Far::Switch(s) => cut.of_end(End::Switch(SwitchId(s))),
            Far::Host(h) => cut.of_end(End::Host(HostId(h))),
        };
        let to: Vec<u16> = self.fabric.links.iter().map(to_part).collect();
        let here = (0..).zip(&self.ends).zip(&to);
        let leaving = here
            .filter(|((_, ends), to)| cut.of_end(ends.from) == me && **to != me)
            .map(|((link, _), _)| link);
        let border = Border::new(to.len(), leaving);
        self.fabric.agenda.put_border(border);
        for host in 0..self.hosts.len() as u32 {
            if cut.of_host(HostId(host)) != me {
                self.hosts[host].starts = Vec::new();
                self.hosts[host].wake_at = Time::MAX;
                self.fabric.forget_wake(host);
            }
        }
        let here = |dst: HostId| cut.of_host(dst) == me;
        let ends_here = self.plan.flows.iter().filter(|flow| here(flow.dst));
        self.unfinished = ends_here.count() as u64;
        self.end = Time::MAX;
        self.tally.losses_mut().wait();
        self.look_ahead();
        to
    }

    /// When the next thing happens, here or where its mail arrives.
    pub(crate) fn earliest(&mut self) -> Time {
        let agenda = &mut self.fabric.agenda;
        let earliest = agenda.earliest();
        let border = agenda.border();
        earliest.min(border.arrives).min(border.begins)
    }

    /// A window begins, or goes on, whose last instant is `until`: nothing that is sent in it arrives in it.
    pub(crate) fn open_window(&mut self, until: Time) {
        let border = self.fabric.agenda.border_mut();
        border.window = until.saturating_add(Time::from_ps(1));
        if border.out.is_empty() {
            border.arrives = Time::MAX;
        }
    }

    /// Serves up to and including `until`, but stops with the instant at which the last flow ended here, and says it then.
    pub(crate) fn serve_own_until(&mut self, until: Time) -> Option<Time> {
        self.serve(until);
        let end = std::mem::replace(&mut self.end, Time::MAX);
        (end < Time::MAX).then_some(end)
    }

    pub(crate) fn close_window(&mut self, until: Time) {
        self.fabric.close_window(until);
    }

    pub(crate) fn take_mail(&mut self) -> impl Iterator<Item = Mail> + '_ {
        self.fabric.agenda.border_mut().out.drain(..)
    }

    pub(crate) fn accept(&mut self, mail: &Mail) {
        self.fabric.accept(mail);
    }

    pub(crate) fn is_served(&mut self, until: Time) {
        self.served = until;
    }

    pub(crate) fn losses_mut(&mut self) -> &mut LossLog {
        self.tally.losses_mut()
    }

    pub(crate) fn mailed_and_here(&self) -> u64 {
        self.fabric.mailed_and_here()
    }

    /// Writes how full the queues of `own` are, in the order of the outcome's ports.
    pub(crate) fn put_depths(
        &mut self,
        at: Time,
        depths: &mut Vec<Depth>,
        own: impl Fn(End) -> bool,
    ) {
        depths.resize(self.ends.len(), Depth::default());
        for (link, ends) in self.ends.iter().enumerate() {
            if own(ends.from) {
                depths[ends.place] = self.fabric.depth_at(link as u32, at);
            }
        }
    }
}

impl Fabric<PartAgenda> {
    /// Nothing happens at `host`: another part has it.
    fn forget_wake(&mut self, host: u32) {
        let slot = self.links.len() as u32 + host;
        self.agenda.cancel(slot);
    }
}
