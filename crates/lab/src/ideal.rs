//! Completion time of a flow that has the network to itself.
//!
//! The flow's segments leave back to back at the first link's rate and are stored and forwarded at each hop of
//! shortest paths: no window, no queue, no handshake, no acknowledgement. A slowdown is a completion time
//! divided by this one. It depends on the network alone, so that it is the same for every scheme: the order of
//! the cables does not matter, and no route over shortest paths is faster ([`sidestep_recording::idle`] has the
//! closed forms, which the page uses as well).

use sidestep_recording::Link;
use sidestep_recording::idle::{Idle, Segments};
use sidestep_sim::FlowPlan;
use sidestep_sim::network::{End, Network};
use sidestep_types::{BitRate, Bytes, Framing, HEADER_BYTES, HostId, Time};

/// Ideal completion times over one network.
pub struct Ideal {
    idle: Idle,
    framing: Framing,
    /// Segment size of flows that do not set their own.
    mss: u32,
}

/// Path of a flow over an idle network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trip {
    /// Rate of the sender's own link.
    pub nic: BitRate,
    /// Rate of the slowest link of the path on which a full packet is fastest.
    pub slowest: BitRate,
    /// Time until the acknowledgement of a full packet returns.
    pub round: Time,
}

impl Ideal {
    /// Computes times of flows cut into segments of `mss` payload bytes, unless a flow sets its own segment
    /// size.
    pub fn new(network: &Network, framing: Framing, mss: u32) -> Ideal {
        let hosts = network.hosts as usize;
        let node = |end: End| match end {
            End::Host(h) => h.0,
            End::Switch(s) => network.hosts + s.0,
        };
        let links = network.cables.iter().flat_map(|cable| {
            let ends = [(cable.a, cable.b), (cable.b, cable.a)];
            ends.map(|(from, to)| Link {
                from: node(from),
                to: node(to),
                rate_bps: cable.rate.as_bps(),
                delay_ps: cable.delay.ps(),
                ..Link::default()
            })
        });
        Ideal {
            idle: Idle::new(hosts, hosts + network.switches.len(), links),
            framing,
            mss,
        }
    }

    /// Returns the payload bytes of a full segment of `flow`.
    pub fn mss(&self, flow: &FlowPlan) -> u32 {
        flow.mss_or(self.mss)
    }

    /// Returns the ideal completion time of `flow`; `None` if it is endless or no path joins its hosts.
    pub fn of(&mut self, flow: &FlowPlan) -> Option<Time> {
        let finite = (!flow.is_endless()).then_some(flow.size)?;
        self.segmented(flow.src, flow.dst, finite, self.mss(flow))
    }

    /// Returns the ideal completion time of `bytes` from `src` to `dst`, in segments of the default size.
    pub fn fct(&mut self, src: HostId, dst: HostId, bytes: u64) -> Option<Time> {
        self.segmented(src, dst, bytes, self.mss)
    }

    /// Returns the number of full packets of `flow` in flight on its path, until the acknowledgement of the
    /// first returns: packets of a larger window wait at the sender's own NIC. `None` if no path joins its
    /// hosts, or the path has a link slower than the NIC.
    pub fn held_by_path(&mut self, flow: &FlowPlan) -> Option<u64> {
        let trip = self.trip(flow)?;
        let each = trip.nic.time_to_send(self.full(flow));
        (trip.slowest >= trip.nic).then(|| trip.round.ps().div_ceil(each.ps()))
    }

    /// Returns the path of `flow`; `None` if no path joins its hosts.
    pub(crate) fn trip(&mut self, flow: &FlowPlan) -> Option<Trip> {
        let (full, ack) = (self.full(flow).0, self.wire(0).0);
        let there = self.idle.fastest(flow.src.0, flow.dst.0, full)?;
        let back = self.idle.fastest(flow.dst.0, flow.src.0, ack)?;
        Some(Trip {
            nic: BitRate::bps(there.nic_bps),
            slowest: BitRate::bps(there.slowest_bps),
            round: Time::from_ps(there.time_ps) + Time::from_ps(back.time_ps),
        })
    }

    /// Returns the bytes of a full packet of `flow` on the wire.
    pub(crate) fn full(&self, flow: &FlowPlan) -> Bytes {
        self.wire(u64::from(self.mss(flow)))
    }

    fn segmented(&mut self, src: HostId, dst: HostId, bytes: u64, mss: u32) -> Option<Time> {
        let mss = u64::from(mss);
        let count = bytes.div_ceil(mss).max(1);
        let flow = Segments {
            count,
            full: self.wire(mss).0,
            last: self.wire(bytes - (count - 1) * mss).0,
        };
        let ps = self.idle.completion(src.0, dst.0, flow)?;
        Some(Time::from_ps(ps))
    }

    fn wire(&self, payload: u64) -> Bytes {
        let ip = payload as u32 + HEADER_BYTES;
        Bytes(u64::from(self.framing.wire(ip)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_sim::Start;
    use sidestep_sim::network::{Cable, SwitchInfo};
    use sidestep_types::SwitchId;

    /// Builds host 0 - switch 0 - switch 1 - host 1, with these rates.
    fn line(gbps: [u64; 3]) -> Network {
        let (h, s) = (|n| End::Host(HostId(n)), |n| End::Switch(SwitchId(n)));
        let ends = [(h(0), s(0)), (s(0), s(1)), (s(1), h(1))];
        let cables = ends.iter().zip(gbps).map(|(&(a, b), g)| Cable {
            a,
            b,
            rate: BitRate::gbps(g),
            delay: Time::from_us(1),
        });
        Network {
            hosts: 2,
            switches: ["a", "b"].map(SwitchInfo::named).to_vec(),
            cables: cables.collect(),
        }
    }

    fn fct(gbps: [u64; 3], bytes: u64) -> Time {
        Ideal::new(&line(gbps), Framing::Ip, 1460)
            .fct(HostId(0), HostId(1), bytes)
            .unwrap()
    }

    #[test]
    fn one_segment_is_stored_and_forwarded_at_each_hop() {
        assert_eq!(fct([1, 1, 1], 1460), Time::from_us(3 * 12 + 3));
    }

    #[test]
    fn ten_segments_follow_each_other_at_the_slowest_link() {
        // 12 us a segment at 1 Gbps, 1.2 us at 10 Gbps.
        assert_eq!(fct([1, 1, 1], 14_600), Time::from_us(12 * 12 + 3));
        assert_eq!(
            fct([10, 1, 10], 14_600),
            Time::from_ps(1_200_000 * 2 + 120_000_000 + 3_000_000)
        );
    }

    #[test]
    fn it_agrees_with_segment_by_segment_counting() {
        for gbps in [[1, 1, 1], [10, 1, 40], [1, 10, 1], [40, 10, 1], [10, 40, 1]] {
            for bytes in [1, 40, 1460, 1461, 2919, 2920, 14_601, 20_000, 99_999] {
                let network = line(gbps);
                let ideal = Ideal::new(&network, Framing::Ethernet, 1460);
                let mut free = [Time::ZERO; 3];
                let mut left = bytes;
                let mut done = Time::ZERO;
                while left > 0 {
                    let payload = left.min(1460);
                    left -= payload;
                    let mut at = Time::ZERO;
                    for (i, g) in gbps.iter().enumerate() {
                        let sent =
                            at.max(free[i]) + BitRate::gbps(*g).time_to_send(ideal.wire(payload));
                        free[i] = sent;
                        at = sent + Time::from_us(1);
                    }
                    done = at;
                }
                let mut ideal = ideal;
                assert_eq!(
                    ideal.fct(HostId(0), HostId(1), bytes),
                    Some(done),
                    "{gbps:?} {bytes}"
                );
            }
        }
    }

    #[test]
    fn a_flow_has_segments_of_its_own_size() {
        let network = line([1, 1, 1]);
        let mut ideal = Ideal::new(&network, Framing::Ip, 1460);
        let mut flow = FlowPlan {
            src: HostId(0),
            dst: HostId(1),
            size: 960,
            start: Start::At(Time::ZERO),
            class: 0,
            query: None,
            request: false,
            mss: None,
        };
        assert_eq!(
            (ideal.mss(&flow), ideal.of(&flow)),
            (1460, Some(Time::from_us(3 * 8 + 3)))
        );
        // Ten segments of 96 bytes and a header each: 1.088 us at each of three links.
        flow.mss = std::num::NonZeroU16::new(96);
        let expected = Time::from_ns(12 * 1_088 + 3_000);
        assert_eq!((ideal.mss(&flow), ideal.of(&flow)), (96, Some(expected)));
        flow.size = FlowPlan::ENDLESS;
        assert_eq!(ideal.of(&flow), None);
    }

    #[test]
    fn a_path_holds_a_round_trip_of_packets() {
        let held = |gbps| {
            let flow = FlowPlan {
                src: HostId(0),
                dst: HostId(1),
                size: 1,
                start: Start::At(Time::ZERO),
                class: 0,
                query: None,
                request: false,
                mss: None,
            };
            Ideal::new(&line(gbps), Framing::Ip, 1460).held_by_path(&flow)
        };
        // Packets of 12 us: three, their acknowledgement's 3 of 0.32 us, and six delays of 1 us.
        assert_eq!(held([1, 1, 1]), Some(4));
        assert_eq!(held([1, 10, 10]), Some(2));
        assert_eq!(held([10, 1, 10]), None);
    }

    #[test]
    fn without_a_path_there_is_none() {
        let mut network = line([1, 1, 1]);
        network.cables.remove(1);
        assert_eq!(
            Ideal::new(&network, Framing::Ip, 1460).fct(HostId(0), HostId(1), 1),
            None
        );
    }
}
