//! The queues of NICs, where they decide as a switch with one port does.
//!
//! What is dropped there is counted as at a switch, at the port of the host. Nobody tells the sender: it finds
//! out as from any other loss.

use super::World;
use super::why::send_told;
use crate::agenda::Agenda;
use crate::fabric::Fabric;
use crate::switching::{Fate, Switch, make_sched};
use crate::tally::Tally;
use crate::trace::Tracer;
use sidestep_switch::ports::Counts;
use sidestep_switch::{Action, DropReason, Sched};
use sidestep_types::HostId;

impl<A: Agenda> World<A> {
    /// Gives every host the queue of the configuration.
    pub(super) fn put_nics(&mut self) -> Result<(), String> {
        let Some(nic) = &self.config.nic else {
            return Ok(());
        };
        let seed = self.config.seed;
        let first = self.switches.len() as u32;
        for host in 0..self.hosts.len() as u32 {
            let me = first + host;
            let named = |why| format!("host {host}: {why}");
            let sched = make_sched(&nic.sched, me, 1, seed).map_err(named)?;
            if !sched.is_fifo() {
                self.fabric.rank(host, sched);
            }
            let nic = Switch::nic(nic, me, host, seed).map_err(named)?;
            let host = &mut self.hosts[host];
            host.nic = Some(Box::new(nic));
            host.guarded = true;
        }
        Ok(())
    }

    /// What the NIC of `host` decided, and what it lost to a link that was down.
    pub(super) fn nic_counts(&self, host: u32) -> Counts {
        let nic = self.hosts[host].nic.as_deref();
        let mut counts = nic.map_or_else(Counts::default, Switch::total);
        let lost = self
            .changes
            .as_ref()
            .map_or(0, |changes| changes.lost(host));
        counts.drops[DropReason::LinkDown as usize] += lost;
        counts
    }
}

/// Puts a parcel into the queue of a NIC that decides, or drops it. What others it evicts is dropped.
pub(super) fn send_by_nic<A: Agenda>(
    fabric: &mut Fabric<A>,
    tracer: &mut Tracer,
    tally: &mut Tally,
    nic: &mut Switch,
    parcel: u32,
) {
    let done = match tracer.account {
        None => nic.send(fabric, parcel, &mut ()),
        Some(_) => send_told(fabric, tracer, nic, parcel),
    };
    let (now, host) = (fabric.now, HostId(nic.first_link()));
    let mut drop = |fabric: &mut Fabric<A>, parcel: u32| {
        tally.dropped_at_once(now, &fabric.pool.get(parcel).packet);
        fabric.pool.free(parcel);
    };
    if fabric.pool.get(parcel).packet.traced() {
        let wire = fabric.pool.get(parcel).packet.wire;
        tracer.sent_by_nic(now, parcel, host, &done, wire);
    }
    for gone in nic.evicted.drain(..) {
        let Fate::Lost(reason) = gone.fate else {
            unreachable!("a NIC has no other queue");
        };
        if fabric.pool.get(gone.parcel).packet.traced() {
            tracer.evicted_by_nic(now, host, &gone, reason);
        }
        drop(fabric, gone.parcel);
    }
    if let Action::Dropped(_) = done.action {
        drop(fabric, parcel);
    }
}
