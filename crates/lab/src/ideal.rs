//! Completion time of a flow that has its path to itself.
//!
//! The flow's segments leave back to back at the first link's rate and are stored and forwarded at each hop of
//! a shortest path: no window, no queue, no handshake, no acknowledgement. A slowdown is a completion time
//! divided by this one. It depends on the network alone, so that it is the same for every scheme.

use sidestep_sim::FlowPlan;
use sidestep_sim::network::{End, Network};
use sidestep_types::{BitRate, Bytes, Framing, HEADER_BYTES, HostId, Time};
use std::collections::VecDeque;

/// Next node on a shortest path and the cable to it, if there is a path.
type Hop = Option<(u32, u32)>;

/// Ideal completion times over one network.
pub struct Ideal<'a> {
    network: &'a Network,
    framing: Framing,
    /// Segment size of flows that do not set their own.
    mss: u32,
    /// Neighbours of each node, with the cable; hosts first, then switches.
    neighbours: Vec<Vec<(usize, usize)>>,
    /// For each destination node, once queried: the cable towards it from every node, along a shortest path. A
    /// host with a single cable, to a switch, uses the entry of that switch, which all hosts there share.
    towards: Vec<Option<Vec<Hop>>>,
}

impl<'a> Ideal<'a> {
    /// Computes times of flows cut into segments of `mss` payload bytes, unless a flow sets its own segment
    /// size.
    pub fn new(network: &'a Network, framing: Framing, mss: u32) -> Ideal<'a> {
        let nodes = network.hosts as usize + network.switches.len();
        let mut neighbours = vec![Vec::new(); nodes];
        for (cable, c) in network.cables.iter().enumerate() {
            let (a, b) = (node(network, c.a), node(network, c.b));
            neighbours[a].push((b, cable));
            neighbours[b].push((a, cable));
        }
        let towards = vec![None; nodes];
        Ideal {
            network,
            framing,
            mss,
            neighbours,
            towards,
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
        let path = self.path(flow.src, flow.dst)?;
        let nic = path.first()?.0;
        if path.iter().any(|(rate, _)| *rate < nic) {
            return None;
        }
        let mss = self.mss(flow);
        let there = self.segmented(flow.src, flow.dst, u64::from(mss), mss)?;
        let back = self.segmented(flow.dst, flow.src, 0, mss)?;
        let each = nic.time_to_send(self.wire(u64::from(mss)));
        Some((there + back).ps().div_ceil(each.ps()))
    }

    fn segmented(&mut self, src: HostId, dst: HostId, bytes: u64, mss: u32) -> Option<Time> {
        let path = self.path(src, dst)?;
        let mss = u64::from(mss);
        let full = self.wire(mss);
        let segments = bytes.div_ceil(mss).max(1);
        let last = self.wire(bytes - (segments - 1) * mss);
        let delay = path.iter().fold(Time::ZERO, |sum, &(_, d)| sum + d);
        Some(delay + store_and_forward(&path, segments, full, last))
    }

    fn wire(&self, payload: u64) -> Bytes {
        let ip = payload as u32 + HEADER_BYTES;
        Bytes(u64::from(self.framing.wire(ip)))
    }

    fn path(&mut self, src: HostId, dst: HostId) -> Option<Vec<(BitRate, Time)>> {
        let dst = dst.0 as usize;
        let (target, last) = match self.neighbours[dst][..] {
            [(switch, cable)] if switch >= self.network.hosts as usize => (switch, Some(cable)),
            _ => (dst, None),
        };
        if self.towards[target].is_none() {
            self.towards[target] = Some(self.search(target));
        }
        let towards = self.towards[target].as_ref().expect("just searched");
        let mut at = src.0 as usize;
        let mut path = Vec::new();
        while at != target {
            let (next, cable) = towards[at]?;
            let cable = &self.network.cables[cable as usize];
            path.push((cable.rate, cable.delay));
            at = next as usize;
        }
        let last = last.map(|cable| &self.network.cables[cable]);
        path.extend(last.map(|cable| (cable.rate, cable.delay)));
        Some(path)
    }

    /// Searches breadth first from `target`; hosts do not forward.
    fn search(&self, target: usize) -> Vec<Hop> {
        let mut towards = vec![None; self.neighbours.len()];
        let mut queue = VecDeque::from([target]);
        while let Some(at) = queue.pop_front() {
            if at != target && at < self.network.hosts as usize {
                continue;
            }
            for &(next, cable) in &self.neighbours[at] {
                if next != target && towards[next].is_none() {
                    towards[next] = Some((at as u32, cable as u32));
                    queue.push_back(next);
                }
            }
        }
        towards
    }
}

/// Returns the time at which the last of `segments` has crossed all links, propagation apart.
///
/// Segment j leaves link i after it has arrived there and segment j - 1 has left. All segments but the last are
/// equal, so the longest chain of waits goes link by link with the first segment, waits for the rest at the
/// slowest link so far, and continues with the last one.
fn store_and_forward(path: &[(BitRate, Time)], segments: u64, full: Bytes, last: Bytes) -> Time {
    let of_last: Vec<Time> = path.iter().map(|(r, _)| r.time_to_send(last)).collect();
    let rest = |from: usize| of_last[from..].iter().fold(Time::ZERO, |sum, &t| sum + t);
    if segments == 1 {
        return rest(0);
    }
    let (mut along, mut slowest, mut longest) = (Time::ZERO, Time::ZERO, Time::ZERO);
    for (i, (rate, _)) in path.iter().enumerate() {
        let one = rate.time_to_send(full);
        along += one;
        slowest = slowest.max(one);
        longest = longest.max(along + slowest * (segments - 2) + rest(i));
    }
    longest
}

fn node(network: &Network, end: End) -> usize {
    match end {
        End::Host(h) => h.0 as usize,
        End::Switch(s) => network.hosts as usize + s.0 as usize,
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
