//! Queues of NICs that have a buffer policy: they decide as a switch with one port does.
//!
//! Drops there are counted as at a switch, at the port of the host. The sender is not informed: it detects them
//! like any other loss.

use super::World;
use super::why::send_with_reasons;
use crate::agenda::Agenda;
use crate::event::{PacketAction, PacketEvent};
use crate::fabric::Fabric;
use crate::network::End;
use crate::observers::Observers;
use crate::switching::{Switch, make_sched};
use crate::tally::Tally;
use sidestep_switch::ports::Counts;
use sidestep_switch::{DropReason, Sched, Sink};
use sidestep_types::HostId;

impl<A: Agenda> World<A> {
    /// Gives every host the NIC queue of the configuration.
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

    /// Returns the counts of the NIC of `host`: its decisions, and packets lost to a link that was down.
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

/// Enqueues a parcel at a NIC with a buffer policy, or drops it. Drops the packets evicted for it.
pub(super) fn send_by_nic<A: Agenda>(
    fabric: &mut Fabric<A>,
    observers: &mut Observers,
    tally: &mut Tally,
    nic: &mut Switch,
    parcel: u32,
) {
    let event = match &mut observers.account {
        None => nic.send(fabric, parcel, &mut ()),
        Some(account) => send_with_reasons(fabric, account, nic, parcel),
    };
    let (at, host) = (fabric.now, HostId(nic.first_link()));
    // The packet sent comes first, then the packets it evicted.
    let sent = std::iter::once((parcel, event));
    for (parcel, event) in sent.chain(nic.evicted.drain(..)) {
        let packet = fabric.pool.get(parcel).packet;
        if packet.traced() {
            observers.observe(&PacketEvent {
                at,
                parcel,
                packet: &packet,
                what: PacketAction::At(End::Host(host), event),
            });
        }
        if event.dropped().is_some() {
            tally.dropped_at_once(at, &packet);
            fabric.pool.free(parcel);
        }
    }
}
