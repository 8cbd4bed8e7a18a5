//! Valid frames for tests, benchmarks and trials of a switch.

use super::ETHERNET_BYTES;
use super::bytes::ones_sum;
use crate::setup::Mac;
use std::net::IpAddr;

/// TCP segment or UDP datagram in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// MACs: destination and source.
    pub macs: (Mac, Mac),
    /// IP addresses of one family: source and destination.
    pub addresses: (IpAddr, IpAddr),
    /// Source and destination port.
    pub ports: (u16, u16),
    /// Flags of TCP; `None` makes it UDP.
    pub flags: Option<u8>,
    /// Sequence number of TCP.
    pub seq: u32,
    /// Next byte expected of the other direction.
    pub ack: u32,
    /// Window of TCP.
    pub window: u16,
    /// Options of TCP, in words of four bytes.
    pub options: Vec<u8>,
    /// Time to live, or hop limit.
    pub ttl: u8,
    /// Differentiated services and ECN: the whole byte.
    pub tos: u8,
    /// Bytes of payload.
    pub payload: Vec<u8>,
}

impl Sample {
    /// Returns TCP from host `from` to host `to`, 10.77.0.N with MAC 02:00:00:00:00:N, with `payload` bytes.
    pub fn tcp(from: u8, to: u8, payload: usize) -> Sample {
        let mac = |n| Mac([2, 0, 0, 0, 0, n]);
        Sample {
            macs: (mac(to), mac(from)),
            addresses: ([10, 77, 0, from].into(), [10, 77, 0, to].into()),
            ports: (40_000, 80),
            flags: Some(0x10),
            seq: 1,
            ack: 0,
            window: u16::MAX,
            options: Vec::new(),
            ttl: 64,
            tos: 0,
            payload: vec![0xab; payload],
        }
    }

    /// Returns the sample between the same hosts by IPv6: fd77::N.
    pub fn over_v6(mut self) -> Sample {
        let v6 = |ip: IpAddr| match ip {
            IpAddr::V4(ip) => {
                let [.., n] = ip.octets();
                IpAddr::from([0xfd77, 0, 0, 0, 0, 0, 0, u16::from(n)])
            }
            v6 => v6,
        };
        self.addresses = (v6(self.addresses.0), v6(self.addresses.1));
        self
    }

    /// Returns the bytes of the frame. Panics if the addresses are not of one family.
    pub fn bytes(&self) -> Vec<u8> {
        let inner = self.inner();
        let mut out = Vec::with_capacity(ETHERNET_BYTES + 60 + inner.len());
        out.extend(self.macs.0.0);
        out.extend(self.macs.1.0);
        match self.addresses {
            (IpAddr::V4(from), IpAddr::V4(to)) => {
                out.extend([0x08, 0x00, 0x45, self.tos]);
                out.extend((20 + inner.len() as u16).to_be_bytes());
                out.extend([0, 0, 0x40, 0, self.ttl, self.protocol(), 0, 0]);
                out.extend(from.octets());
                out.extend(to.octets());
                let sum = !ones_sum(&out[ETHERNET_BYTES..]);
                out[24..26].copy_from_slice(&sum.to_be_bytes());
            }
            (IpAddr::V6(from), IpAddr::V6(to)) => {
                out.extend([0x86, 0xdd, 0x60 | self.tos >> 4, self.tos << 4, 0, 0]);
                out.extend((inner.len() as u16).to_be_bytes());
                out.extend([self.protocol(), self.ttl]);
                out.extend(from.octets());
                out.extend(to.octets());
            }
            other => panic!("{other:?} are of two families"),
        }
        out.extend(inner);
        out
    }

    fn protocol(&self) -> u8 {
        if self.flags.is_some() { 6 } else { 17 }
    }

    fn inner(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend(self.ports.0.to_be_bytes());
        out.extend(self.ports.1.to_be_bytes());
        let checksum = if let Some(flags) = self.flags {
            out.extend(self.seq.to_be_bytes());
            out.extend(self.ack.to_be_bytes());
            let words = 5 + self.options.len() as u8 / 4;
            out.extend([words << 4, flags]);
            out.extend(self.window.to_be_bytes());
            out.extend([0; 4]);
            out.extend(&self.options);
            16
        } else {
            out.extend((8 + self.payload.len() as u16).to_be_bytes());
            out.extend([0, 0]);
            6
        };
        out.extend(&self.payload);
        let sum = !self.transport_sum(&out);
        out[checksum..checksum + 2].copy_from_slice(&sum.to_be_bytes());
        out
    }

    /// Returns the sum over segment and pseudo-header: 0xffff if the segment's checksum is right.
    pub(super) fn transport_sum(&self, segment: &[u8]) -> u16 {
        let mut all = Vec::new();
        match self.addresses {
            (IpAddr::V4(from), IpAddr::V4(to)) => all.extend([from.octets(), to.octets()].concat()),
            (IpAddr::V6(from), IpAddr::V6(to)) => all.extend([from.octets(), to.octets()].concat()),
            other => panic!("{other:?} are of two families"),
        }
        all.extend((segment.len() as u32).to_be_bytes());
        all.extend([0, 0, 0, self.protocol()]);
        all.extend(segment);
        ones_sum(&all)
    }
}

/// Returns an ARP request for `target` by 10.77.0.`from` with the MAC of [`Sample::tcp`].
pub fn arp_request(from: u8, target: [u8; 4]) -> Vec<u8> {
    let asker = [2, 0, 0, 0, 0, from];
    let mut out = vec![0xff; 6];
    out.extend(asker);
    out.extend([0x08, 0x06, 0, 1, 0x08, 0, 6, 4, 0, 1]);
    out.extend(asker);
    out.extend([10, 77, 0, from]);
    out.extend([0; 6]);
    out.extend(target);
    out
}

/// Returns a neighbour solicitation for fd77::`target` by fd77::`from`.
pub fn solicitation(from: u8, target: u8) -> Vec<u8> {
    let address = |n: u8| [0xfd, 0x77, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, n];
    let asker = [2, 0, 0, 0, 0, from];
    let group = [0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0, 0, target];
    let mut icmp = vec![135, 0, 0, 0, 0, 0, 0, 0];
    icmp.extend(address(target));
    icmp.extend([1, 1]);
    icmp.extend(asker);
    let mut pseudo: Vec<u8> = address(from).to_vec();
    pseudo.extend(group);
    pseudo.extend((icmp.len() as u32).to_be_bytes());
    pseudo.extend([0, 0, 0, 58]);
    pseudo.extend(&icmp);
    icmp[2..4].copy_from_slice(&(!ones_sum(&pseudo)).to_be_bytes());
    let mut out = vec![0x33, 0x33, 0xff, 0, 0, target];
    out.extend(asker);
    out.extend([0x86, 0xdd, 0x60, 0, 0, 0, 0, icmp.len() as u8, 58, 255]);
    out.extend(address(from));
    out.extend(group);
    out.extend(icmp);
    out
}
