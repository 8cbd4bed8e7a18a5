//! Senders told of packets that go no further.
//!
//! **Decision**     what a port's sender may be told is, while the bucket of all of them has a message left.
//! **State**        that bucket.
//! **Errors**       none; what is not said is counted, with why.
//! **Source**       RFC 1812, 4.3.2.7 (of what nothing is said), 4.3.2.8 (how often) and 5.3.1 (TTL).
//! **Deviations**   a switch lowers the TTL of what it bridges as well, and so tells of that too. What is told
//!                  goes back by the port and to the MAC that the packet came from, whatever routes say.

use super::Machine;
use super::bucket::Bucket;
use super::core::How;
use crate::frame::{self, Frame, ICMP_BYTES, Told, What};
use crate::setup::{Mac, Setup};
use crate::table::only;
use sidestep_types::{PortId, Time};
use std::net::IpAddr;

/// Who tells what.
#[derive(Debug)]
pub(super) struct Teller {
    says: crate::setup::Icmp,
    mac: Mac,
    /// The sources of what is told, of each family the first that the config has.
    v4: Option<IpAddr>,
    v6: Option<IpAddr>,
    bucket: Bucket,
}

impl Teller {
    /// That of `setup`, if it has one.
    pub fn of(setup: &Setup) -> Option<Box<Teller>> {
        let router = setup.router.as_ref()?;
        let first = |v4: bool| {
            router
                .addresses
                .iter()
                .find(|ip| ip.is_ipv4() == v4)
                .copied()
        };
        Some(Box::new(Teller {
            says: router.icmp?,
            mac: router.mac,
            v4: first(true),
            v6: first(false),
            bucket: Bucket::default(),
        }))
    }

    /// Another config's, with as many messages left as this one has.
    pub fn reload(old: Option<Box<Teller>>, setup: &Setup) -> Option<Box<Teller>> {
        let mut new = Teller::of(setup)?;
        if let Some(old) = old {
            new.bucket = old.bucket;
        }
        Some(new)
    }

    fn says(&self, told: Told) -> bool {
        match told {
            Told::TimeExceeded => self.says.time_exceeded,
            _ => self.says.unreachable,
        }
    }

    /// Takes a message out of the bucket.
    fn has_one_left(&mut self, now: Time) -> bool {
        let (cost, depth) = self.says.costs();
        self.bucket.take(now, cost, depth)
    }
}

impl Machine {
    /// Tells the sender of a frame, which came in by `port`, what became of it.
    #[cold]
    pub(super) fn tell_sender(&mut self, port: PortId, frame: &Frame, bytes: &[u8], told: Told) {
        let (Some(teller), What::Ip(ip)) = (&mut self.teller, &frame.what) else {
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
            Told::TimeExceeded => counts.frames.icmp_time_exceeded += 1,
            _ => counts.frames.icmp_unreachable += 1,
        }
        let message = frame::read(&out[..length]).expect("a message is a sound frame");
        let how = How {
            from: None,
            ages: false,
            detours: false,
            returns: true,
            macs: None,
        };
        let bytes = &out[..length];
        self.core.forward(&message, bytes, only(&port), how);
    }

    /// Tells the sender of a frame to the router's MAC that it leads nowhere.
    #[cold]
    pub(super) fn tell_unreachable(&mut self, port: PortId, frame: &Frame, bytes: &[u8]) {
        let (Some(_), What::Ip(ip)) = (&self.teller, &frame.what) else {
            return;
        };
        let vlan = super::vlans::vlan_of(self.core.tag);
        let to = frame.ip_destination(bytes);
        let own = to
            .and_then(|to| self.stations.answer(to, vlan))
            .is_some_and(|a| a.router);
        let told = match own {
            true => Told::of_own(bytes, ip),
            false => Some(Told::NoRoute),
        };
        match told {
            Some(told) => self.tell_sender(port, frame, bytes, told),
            None => self.core.counts[port.index()].frames.icmp_withheld += 1,
        }
    }
}
