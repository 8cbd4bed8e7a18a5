//! Reload: another config while frames are queued.

use super::core::Ranks;
use super::icmp::IcmpSender;
use super::shims::{self, Shims};
use super::vlans::Vlans;
use super::{Machine, make_sched, needs_ranks};
use crate::setup::{Forwarding, PortVlan, Setup};
use crate::table::Stations;
use sidestep_types::{PortSet, Seed, Time};

impl Machine {
    /// Applies a new config: queued frames stay, in their order of arrival, and so do all counters. The
    /// interfaces must be the same, in the same order, as their order numbers the ports. An error names the
    /// reason and leaves everything unchanged.
    pub fn reload(&mut self, now: Time, setup: &Setup) -> Result<(), String> {
        let interfaces = |setup: &Setup| -> Vec<String> {
            setup
                .ports
                .iter()
                .map(|port| port.interface.clone())
                .collect()
        };
        let (old, new) = (interfaces(&self.setup), interfaces(setup));
        if old != new {
            return Err(format!(
                "a reload cannot change interfaces or their order: expected {}, got {}",
                old.join(", "),
                new.join(", ")
            ));
        }
        let carry = |setup: &Setup| setup.tags.map(|tags| tags.carry);
        if carry(&self.setup) != carry(setup) {
            return Err(
                "a reload cannot change switch.tags, as queued frames carry tags: restart the \
                 switch"
                    .into(),
            );
        }
        if self.setup.mtu != setup.mtu {
            return Err(format!(
                "a reload cannot change switch.mtu, for which memory was allocated: expected {}, \
                 got {}; restart the switch",
                self.setup.mtu, setup.mtu
            ));
        }
        // Everything that can fail is built before anything is changed.
        let salt = self.identity.salt(setup);
        let ports = setup.ports.len() as u16;
        let decision = &setup.decision;
        let route = decision.route.build(ports, salt)?;
        let buffer = decision.buffer.build(ports, salt)?;
        let scheds = setup.ports.iter().map(|_| make_sched(setup, salt));
        let scheds = scheds.collect::<Result<Vec<_>, _>>()?;

        let shims = shims::edges(setup)?;

        self.core.outputs.advance(now);
        let before = std::mem::replace(&mut self.setup, setup.clone());
        let reseeded = before.seed != setup.seed;
        // A stateful route identifies stations by the numbers of the table's lists.
        let moved = before.stations != setup.stations || before.networks != setup.networks;
        if before.decision.route != setup.decision.route || reseeded || moved {
            self.core.decider.set_route(route);
        }
        if before.decision.buffer != setup.decision.buffer || reseeded {
            self.core.decider.set_buffer(buffer);
        }
        if reseeded {
            self.core.decider.set_streams(self.identity.streams(setup));
        }
        let ranks = |setup: &Setup| (setup.rank, setup.rank_gap, setup.tags);
        let same = ranks(&before) == ranks(setup);
        if !needs_ranks(setup) {
            self.core.ranks = None;
        } else if !same || self.core.ranks.is_none() {
            self.core.ranks = Ranks::of(setup);
        }
        self.core.services = setup.services.clone();
        self.core.outputs.capacity = decision.capacity;
        self.core.outputs.switches = super::switches(setup);
        self.core.outputs.to_switch = self.core.outputs.switches;
        self.stations = Stations::new(setup, Seed(setup.seed).salt("stations"));
        self.learning.set_limits(super::limits(setup));
        self.storms.reload(setup);
        self.probes.reload(now, setup);
        if !self.probes.blocks() {
            self.core.blocked = PortSet::EMPTY;
        }
        self.teller = IcmpSender::reload(self.teller.take(), setup);
        let vlans = |setup: &Setup| -> Vec<Option<PortVlan>> {
            setup.ports.iter().map(|port| port.vlan.clone()).collect()
        };
        if vlans(&before) != vlans(setup) {
            self.core.vlans = Vlans::of(setup);
            // An address may have been learned in a VLAN that its port does not carry any more.
            self.learning.clear();
            self.core.tag = 0;
        }
        if setup.forwarding == Forwarding::Static {
            self.learning.clear();
        }
        if self.shims.is_some() || shims.iter().any(Option::is_some) {
            let none = || Box::new(Shims::none(setup));
            let all = self.shims.get_or_insert_with(none);
            all.reload(&mut self.core.outputs, (&before, setup), shims);
        }
        for (index, sched) in scheds.into_iter().enumerate() {
            self.core.outputs.requeue(index, &setup.ports[index], sched);
        }
        Ok(())
    }
}
