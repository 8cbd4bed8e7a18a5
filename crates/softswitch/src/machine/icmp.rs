//! ICMP messages to the senders of packets that are not forwarded.
//!
//! **Decision**     a message is sent if the config allows its kind and the bucket, common to all ports, holds
//!                  a message.
//! **State**        the bucket.
//! **Errors**       none; a message not sent is counted, by reason.
//! **Source**       RFC 1812, 4.3.2.7 (packets without a message), 4.3.2.8 (rate limit) and 5.3.1 (TTL).
//! **Deviations**   a switch decrements the TTL of bridged packets as well, and so reports their expiry too. A
//!                  message leaves by the port, and to the MAC, that the packet came from, regardless of
//!                  routes.

use super::Machine;
use super::bucket::Bucket;
use super::core::ForwardingRules;
use crate::frame::{self, Frame, FrameContent, ICMP_BYTES, IcmpReason};
use crate::setup::{Mac, Setup};
use crate::table::only;
use sidestep_types::{PortId, Time};
use std::net::IpAddr;

/// Sender of ICMP messages.
#[derive(Debug)]
pub(super) struct IcmpSender {
    says: crate::setup::Icmp,
    mac: Mac,
    /// Source addresses of messages: the first of each family in the config.
    v4: Option<IpAddr>,
    v6: Option<IpAddr>,
    bucket: Bucket,
}

impl IcmpSender {
    /// Returns the sender that `setup` configures, if any.
    pub fn of(setup: &Setup) -> Option<Box<IcmpSender>> {
        let router = setup.router.as_ref()?;
        let first = |v4: bool| {
            router
                .addresses
                .iter()
                .find(|ip| ip.is_ipv4() == v4)
                .copied()
        };
        Some(Box::new(IcmpSender {
            says: router.icmp?,
            mac: router.mac,
            v4: first(true),
            v6: first(false),
            bucket: Bucket::default(),
        }))
    }

    /// Applies another config, and keeps the messages left in the bucket.
    pub fn reload(old: Option<Box<IcmpSender>>, setup: &Setup) -> Option<Box<IcmpSender>> {
        let mut new = IcmpSender::of(setup)?;
        if let Some(old) = old {
            new.bucket = old.bucket;
        }
        Some(new)
    }

    fn says(&self, told: IcmpReason) -> bool {
        match told {
            IcmpReason::TimeExceeded => self.says.time_exceeded,
            _ => self.says.unreachable,
        }
    }

    /// Takes a message out of the bucket; returns false if it is empty.
    fn has_one_left(&mut self, now: Time) -> bool {
        let (cost, depth) = self.says.costs();
        self.bucket.take(now, cost, depth)
    }
}

impl Machine {
    /// Sends an ICMP message about a frame to its sender, by `port`, where the frame came in.
    #[cold]
    pub(super) fn tell_sender(
        &mut self,
        port: PortId,
        frame: &Frame,
        bytes: &[u8],
        told: IcmpReason,
    ) {
        let (Some(teller), FrameContent::Ip(ip)) = (&mut self.teller, &frame.what) else {
            return;
        };
        if !teller.says(told) {
            return;
        }
        let now = self.core.outputs.now;
        let counts = &mut self.core.counts[port.index()];
        let me = if ip.v6 { teller.v6 } else { teller.v4 };
        let mut out = [0; ICMP_BYTES];
        let length = (me.filter(|_| frame::may_tell(bytes, frame)))
            .and_then(|me| frame::tell(bytes, ip, told, me, teller.mac, &mut out));
        let Some(length) = length else {
            counts.frames.icmp_withheld += 1;
            return;
        };
        if !teller.has_one_left(now) {
            counts.frames.icmp_limited += 1;
            return;
        }
        match told {
            IcmpReason::TimeExceeded => counts.frames.icmp_time_exceeded += 1,
            _ => counts.frames.icmp_unreachable += 1,
        }
        let message = frame::read(&out[..length]).expect("a message is a sound frame");
        let how = ForwardingRules {
            from: None,
            ages: false,
            detours: false,
            returns: true,
            macs: None,
        };
        let bytes = &out[..length];
        self.core.forward(&message, bytes, only(&port), how);
    }

    /// Reports a frame to the router's MAC without a route as unreachable.
    #[cold]
    pub(super) fn tell_unreachable(&mut self, port: PortId, frame: &Frame, bytes: &[u8]) {
        let (Some(_), FrameContent::Ip(ip)) = (&self.teller, &frame.what) else {
            return;
        };
        let vlan = super::vlans::vlan_of(self.core.tag);
        let to = frame.ip_destination(bytes);
        let own = to
            .and_then(|to| self.stations.answer(to, vlan))
            .is_some_and(|a| a.router);
        let told = match own {
            true => IcmpReason::of_own(bytes, ip),
            false => Some(IcmpReason::NoRoute),
        };
        match told {
            Some(told) => self.tell_sender(port, frame, bytes, told),
            None => self.core.counts[port.index()].frames.icmp_withheld += 1,
        }
    }
}
