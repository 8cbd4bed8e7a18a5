//! Loop detection: the probes a switch sends, and its reaction when they come back.
//!
//! **Decision**     a port that receives an own probe is part of a loop with the port that sent it, for three
//!                  probe periods. If ports are blocked, the later one of the two is, for that time: it
//!                  receives and sends nothing but probes.
//! **State**        per port the time of its last sign of a loop; the time of the next probes. The core stores
//!                  which ports are blocked, as no frame may be routed to them.
//! **Units**        picoseconds of the driver's clock.
//! **Errors**       none. Two switches with one number would take each other's probes for their own: the
//!                  process draws a number at its start.
//! **Deviations**   from no standard: a spanning tree prevents loops, this finds existing ones.

use super::Machine;
use super::core::ForwardingRules;
use super::notices::Noticed;
use crate::frame::{self, Frame, Probe, Refusal};
use crate::setup::{LoopProbe, Setup};
use crate::table::only;
use sidestep_types::{PortId, Time};

/// Number of probes without a return after which a loop is over.
const SILENT: u64 = 3;

/// State of loop detection.
#[derive(Debug)]
pub(super) struct Probes {
    /// Number of the switch.
    id: u64,
    says: Option<LoopProbe>,
    due: Time,
    /// Time of the last own probe that each port received, or had sent and another received.
    heard: Vec<Option<Time>>,
}

impl Probes {
    /// Returns the loop detection that `setup` configures, for a switch with this number.
    pub fn new(setup: &Setup, id: u64) -> Probes {
        let mut probes = Probes {
            id,
            says: None,
            due: Time::MAX,
            heard: vec![None; setup.ports.len()],
        };
        probes.reload(Time::ZERO, setup);
        probes
    }

    /// Applies another config.
    pub fn reload(&mut self, now: Time, setup: &Setup) {
        if self.says == setup.probe {
            return;
        }
        self.says = setup.probe;
        self.due = match self.says {
            Some(probe) => now.saturating_add(probe.every),
            None => Time::MAX,
        };
    }

    /// Returns true if this switch blocks ports.
    pub fn blocks(&self) -> bool {
        self.says.is_some_and(|probe| probe.blocks)
    }

    /// Returns the time of the next probes; [`Time::MAX`] if there are none.
    #[inline]
    pub fn next(&self) -> Time {
        self.due
    }

    /// Returns true if recent probes show that the port is part of a loop.
    pub fn looped(&self, now: Time, port: PortId) -> bool {
        let Some(probe) = self.says else { return false };
        let lasts = probe.every.saturating_mul(SILENT);
        let heard = self.heard[port.index()];
        heard.is_some_and(|heard| now.saturating_sub(heard) <= lasts)
    }
}

impl Machine {
    /// Sets the number by which the switch recognizes its own probes: no other switch may have it.
    pub fn set_number(&mut self, number: u64) {
        self.probes.id = number;
    }

    /// Returns true if a frame goes no further than `port`: it is an own probe, or the port is blocked.
    #[inline]
    pub(super) fn ends_at_port(&mut self, port: PortId, frame: &Frame, bytes: &[u8]) -> bool {
        if self.probes.says.is_none() {
            return false;
        }
        if frame.dst.is_group()
            && let Some(probe) = Probe::of(frame, bytes)
            && probe.switch == self.probes.id
            && usize::from(probe.port) < self.setup.ports.len()
        {
            self.on_probe(port, PortId(probe.port));
            return true;
        }
        if self.core.blocked.has(port) {
            self.core.refuse(port, bytes, Refusal::LoopBlocked);
            return true;
        }
        false
    }

    /// Handles a probe that was sent by `sent` and came in by `port`.
    #[cold]
    fn on_probe(&mut self, port: PortId, sent: PortId) {
        let now = self.core.outputs.now;
        self.core.counts[port.index()].frames.probes_heard += 1;
        for port in [port, sent] {
            self.probes.heard[port.index()] = Some(now);
        }
        let later = port.max(sent);
        let blocks = self.probes.blocks();
        if blocks && !self.core.blocked.has(later) {
            self.core.blocked.insert(later);
            self.core.counts[later.index()].frames.loop_blocks += 1;
            self.learning.forget(later);
        }
        let blocked = blocks.then_some(later);
        self.notices
            .happened(now, port, Noticed::Loop { sent, blocked });
    }

    /// Sends a probe by each port in each of its VLANs, and unblocks ports whose loop is over.
    #[cold]
    pub(super) fn probe(&mut self) {
        let now = self.core.outputs.now;
        let Some(says) = self.probes.says else { return };
        self.probes.due = now.saturating_add(says.every);
        for port in self.core.blocked.iter().collect::<Vec<_>>() {
            if !self.probes.looped(now, port) {
                self.core.blocked.remove(port);
                self.notices.happened(now, port, Noticed::Unblocked);
            }
        }
        for index in 0..self.setup.ports.len() {
            let port = PortId(index as u16);
            let vlans = self.setup.ports[index].vlan.as_ref();
            let vlans = vlans.map_or(vec![0], |vlan| vlan.all().to_vec());
            for vlan in vlans {
                self.send_probe(port, vlan);
            }
        }
    }

    fn send_probe(&mut self, port: PortId, vlan: u16) {
        if self.core.outputs.down.has(port) {
            return;
        }
        let probe = Probe {
            switch: self.probes.id,
            port: port.0,
        };
        let bytes = probe.bytes();
        let frame = frame::read(&bytes).expect("a probe is a sound frame");
        let how = ForwardingRules {
            from: None,
            ages: false,
            detours: false,
            returns: true,
            macs: None,
        };
        self.core.tag = vlan;
        self.core.counts[port.index()].frames.probes_sent += 1;
        self.core.forward(&frame, &bytes, only(&port), how);
    }
}
