//! World that is one part of a split run.

use super::World;
use crate::agenda::{Agenda, Border, PartAgenda};
use crate::fabric::{Fabric, Link};
use crate::layout::{FarEnd, LinkEnds};
use crate::losses::LossLog;
use crate::network::End;
use crate::parts::{Cut, Mail};
use sidestep_switch::Depth;
use sidestep_types::{HEADER_BYTES, HostId, SwitchId, Time};

impl World<PartAgenda> {
    /// Turns a world that has not begun into part `me` of `cut`: removes what belongs to other parts.
    pub(crate) fn become_part(&mut self, cut: &Cut, me: u16) {
        let to = |(link, ends): (&Link, &LinkEnds)| {
            let to = match link.far() {
                FarEnd::Switch(s) => cut.of_switch(SwitchId(s)),
                FarEnd::Host(h) => cut.of_host(HostId(h)),
            };
            (cut.of_end(ends.from) == me && to != me).then_some(to)
        };
        let border = Border::new(
            cut.parts(),
            self.fabric.links.iter().zip(&self.ends).map(to),
        );
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
    }

    /// Returns the time of the next happening, here or where mail from here arrives.
    pub(crate) fn earliest(&mut self) -> Time {
        let agenda = &mut self.fabric.agenda;
        let earliest = agenda.earliest();
        let border = agenda.border();
        earliest.min(border.arrives).min(border.begins)
    }

    /// Opens a window whose last instant is `until`, or prolongs it unless `fresh`: nothing sent in it arrives
    /// in it.
    pub(crate) fn open_window(&mut self, until: Time, fresh: bool) {
        let border = self.fabric.agenda.border_mut();
        border.window = until.saturating_add(Time::from_ps(1));
        if fresh {
            border.arrives = Time::MAX;
        }
    }

    /// Serves up to and including `until`, but stops at the instant at which the last flow ended here, and then
    /// returns it.
    pub(crate) fn serve_own_until(&mut self, until: Time) -> Option<Time> {
        self.serve(until);
        let end = std::mem::replace(&mut self.end, Time::MAX);
        (end < Time::MAX).then_some(end)
    }

    /// Returns a lower bound of the time at which the last flow ends here. Each flow ends with a packet, and
    /// packets for one host arrive one after the other; but a shim may hand over many at once.
    pub(crate) fn last_not_before(&self, here: impl Fn(HostId) -> bool) -> Time {
        if self.shimmed {
            return Time::ZERO;
        }
        let mut left = vec![0u64; self.hosts.len()];
        for (flow, seen) in self.plan.flows.iter().zip(&self.flows) {
            left[flow.dst.0 as usize] += u64::from(seen.finished.is_none() && here(flow.dst));
        }
        let most = left.into_iter().max().unwrap_or(0);
        let bytes = self.config.framing.wire(HEADER_BYTES);
        let wires = self.fabric.wiring.wires.iter();
        let gap = wires.map(|wire| wire.time_to_send(bytes)).min();
        let gap = gap.unwrap_or(Time::ZERO).ps();
        let all = gap.saturating_mul(most.saturating_sub(1));
        self.fabric.now.saturating_add(Time::from_ps(all))
    }

    pub(crate) fn close_window(&mut self, until: Time) {
        self.fabric.close_window(until);
    }

    /// Returns the mail for part `to`.
    pub(crate) fn mail_to(&mut self, to: usize) -> &mut Vec<Mail> {
        &mut self.fabric.agenda.border_mut().out[to]
    }

    pub(crate) fn accept(&mut self, mail: &Mail) {
        self.fabric.accept(mail);
    }

    /// Prefetches the link over which `mail` comes.
    #[inline]
    pub(crate) fn prefetch_link(&self, mail: &Mail) {
        self.fabric.links.fetch(mail.link);
        self.fabric.agenda.fetch(mail.link);
    }

    /// Prefetches the packet behind which `mail` goes.
    #[inline]
    pub(crate) fn prefetch_line(&self, mail: &Mail) {
        let line = &self.fabric.links[mail.link].line;
        self.fabric.pool.fetch(line.tail());
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

    /// Writes the queue depths of this part's ports (`own`), in the order of the outcome's ports.
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
    /// Cancels the wake of `host`, which belongs to another part.
    fn forget_wake(&mut self, host: u32) {
        let slot = self.links.len() as u32 + host;
        self.agenda.cancel(slot);
    }
}
