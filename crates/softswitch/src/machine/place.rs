//! Recipient of a frame: a station, a learned address, all ports, or the requester of an answer.
//!
//! **Decision**     that of a bridge, and of a router for frames to its MAC: `docs/how-to/softswitch.md`.
//! **State**        that of the machine.
//! **Errors**       a frame without a recipient is refused, with a reason.

use super::Machine;
use super::core::ForwardingRules;
use super::notices::Noticed;
use super::vlans::{moved, vlan_of};
use super::watch::FrameAction;
use crate::frame::{self, ANSWER_BYTES, Frame, FrameContent, IcmpReason, Refusal};
use crate::setup::{Forwarding, Mac};
use crate::table::{Answer, Learned, only};
use sidestep_types::PortId;
use std::net::IpAddr;

impl Machine {
    /// Finds the recipient of a frame, and informs its sender if its TTL has expired.
    #[inline]
    pub(super) fn place(&mut self, port: PortId, frame: &Frame, bytes: &[u8]) {
        if self.ends_at_port(port, frame, bytes) {
            return;
        }
        let tag = self.core.tag;
        self.find_way(port, frame, bytes);
        if self.core.expired {
            self.core.expired = false;
            // Back into the frame's original VLAN.
            self.core.tag = tag;
            self.tell_sender(port, frame, bytes, IcmpReason::TimeExceeded);
        }
    }

    #[inline]
    fn find_way(&mut self, port: PortId, frame: &Frame, bytes: &[u8]) {
        let learns = self.setup.forwarding == Forwarding::Learning;
        let vlan = vlan_of(self.core.tag);
        if learns {
            self.learn(port, frame.src, vlan);
        }
        let group = frame.dst.is_group();
        let to_router = !group && self.stations.is_router(frame.dst);
        if let FrameContent::Asks(ip) = frame.what
            && (group || to_router)
            && let Some(answer) = self.stations.answer(ip, vlan)
            && answer.mac != frame.src
        {
            return self.answer(port, ip, answer, bytes);
        }
        let is_ip = matches!(frame.what, FrameContent::Ip(_));
        let mut how = ForwardingRules {
            from: Some(port),
            ages: is_ip && !group,
            detours: is_ip,
            // A real frame does not say whether it was detoured. Only a switch may send one back.
            returns: is_ip && !learns && self.core.outputs.switches.has(port),
            macs: None,
        };
        if group {
            return self.flood(port, frame, bytes, how);
        }
        if to_router {
            let to = frame.ip_destination(bytes);
            let Some(hop) = to.and_then(|ip| self.stations.route(ip)) else {
                self.core.refuse(port, bytes, Refusal::NoStation);
                return self.tell_unreachable(port, frame, bytes);
            };
            how.macs = Some((hop.mac, frame.dst));
            if self.core.vlans.is_some() {
                // Into another VLAN it may leave by the trunk of its arrival.
                how.returns |= hop.vlan != vlan;
                self.core.tag = moved(self.core.tag, hop.vlan);
            }
            return self.core.forward(frame, bytes, hop.ways.hops(), how);
        }
        if let Some(hops) = self.stations.hops(frame.dst, vlan) {
            return self.core.forward(frame, bytes, hops, how);
        }
        if !learns {
            return self.core.refuse(port, bytes, Refusal::NoStation);
        }
        match self.learning.find(self.core.outputs.now, frame.dst, vlan) {
            Some(at) => self.core.forward(frame, bytes, only(&at), how),
            None => self.flood(port, frame, bytes, how),
        }
    }

    /// Learns that the sender of a frame is at `port`.
    #[inline]
    fn learn(&mut self, port: PortId, mac: Mac, vlan: u16) {
        let now = self.core.outputs.now;
        let counts = &mut self.core.counts[port.index()];
        match self.learning.see(now, mac, vlan, port) {
            Learned::Known | Learned::New => {}
            Learned::Moved => counts.frames.moves += 1,
            Learned::Full => self.not_learned += 1,
            Learned::PortFull => {
                counts.frames.learn_limited += 1;
                let what = Noticed::LearnLimit(mac, self.learning.limit(port));
                self.notices.happened(now, port, what);
            }
        }
    }

    /// Floods a frame to every port that takes flooded frames except its ingress, unless the ingress has
    /// exceeded its limit.
    fn flood(&mut self, port: PortId, frame: &Frame, bytes: &[u8], how: ForwardingRules) {
        let now = self.core.outputs.now;
        if let Some((why, what)) = self.storms.stops(now, port, frame.dst, bytes.len()) {
            self.notices.happened(now, port, what);
            return self.core.refuse(port, bytes, why);
        }
        let how = ForwardingRules {
            detours: false,
            ..how
        };
        self.core.counts[port.index()].frames.floods += 1;
        let (vlan, blocked) = (vlan_of(self.core.tag), self.core.blocked);
        for &to in self.stations.flood() {
            let vlans = self.core.vlans.as_ref();
            if to != port && !blocked.has(to) && vlans.is_none_or(|vlans| vlans.carries(to, vlan)) {
                self.core.counts[to.index()].frames.copies += 1;
                self.core.forward(frame, bytes, only(&to), how);
            }
        }
    }

    /// Answers a request for `ip`, by the port it came from.
    fn answer(&mut self, port: PortId, ip: IpAddr, answer: Answer, asked: &[u8]) {
        self.core.counts[port.index()].frames.answered += 1;
        self.core.tell(Some(port), asked, FrameAction::Answered);
        let mut out = [0; ANSWER_BYTES];
        let length = frame::answer_to(asked, ip, answer.mac, answer.router, &mut out);
        let bytes = &out[..length];
        let frame = frame::read(bytes).expect("an answer is a sound frame");
        let how = ForwardingRules {
            from: None,
            ages: false,
            detours: false,
            returns: true,
            macs: None,
        };
        self.core.forward(&frame, bytes, only(&port), how);
    }
}
