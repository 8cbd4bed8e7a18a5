//! Numbers of the directed links, with the owner and the far end of each.

use crate::fib::Ports;
use crate::network::{End, Network};
use sidestep_types::{BitRate, HostId, PortId, SwitchId, Time};
use std::ops::Range;

/// Far end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FarEnd {
    Host(u32),
    Switch(u32),
}

/// Ends of a directed link, and its place in the outcome.
pub(crate) struct LinkEnds {
    pub from: End,
    pub port: PortId,
    pub to: End,
    pub place: usize,
}

/// Rate and delay of a link, its far end, and the port there.
pub(crate) type LinkSpec = (BitRate, Time, FarEnd, PortId);

/// Lays the directed links in the order of their owners: every host's NIC, then every switch's ports.
pub(crate) fn lay_links(network: &Network, ports: &Ports) -> (Vec<LinkSpec>, Vec<LinkEnds>) {
    let mut links = Vec::new();
    let mut ends = Vec::new();
    let owners = owners(network, ports);
    let mut lay = |from: End, port: usize, cable: u32, is_a: bool| {
        let c = &network.cables[cable as usize];
        let to = if is_a { c.b } else { c.a };
        let far = match to {
            End::Host(h) => FarEnd::Host(h.0),
            End::Switch(s) => FarEnd::Switch(s.0),
        };
        let place = place(cable, is_a);
        // The other direction of a cable has the place beside it.
        links.push((c.rate, c.delay, far, owners[place ^ 1]));
        ends.push(LinkEnds {
            from,
            port: PortId(port as u16),
            to,
            place,
        });
    };
    for (h, &(cable, is_a)) in ports.of_host.iter().enumerate() {
        lay(End::Host(HostId(h as u32)), 0, cable, is_a);
    }
    for (s, list) in ports.of_switch.iter().enumerate() {
        for (p, &(_, cable, is_a)) in list.iter().enumerate() {
            lay(End::Switch(SwitchId(s as u32)), p, cable, is_a);
        }
    }
    (links, ends)
}

/// Returns the place in the outcome of one direction of `cable`: the one that leaves its first end if `is_a`,
/// or its second.
fn place(cable: u32, is_a: bool) -> usize {
    2 * cable as usize + usize::from(!is_a)
}

/// Returns, by place, the port that feeds the link.
fn owners(network: &Network, ports: &Ports) -> Vec<PortId> {
    let mut owners = vec![PortId(0); 2 * network.cables.len()];
    for list in &ports.of_switch {
        for (p, &(_, cable, is_a)) in list.iter().enumerate() {
            owners[place(cable, is_a)] = PortId(p as u16);
        }
    }
    owners
}

/// Returns, per switch, the links that its ports feed.
pub(crate) fn port_ranges(ends: &[LinkEnds]) -> Vec<Range<u32>> {
    let mut ranges: Vec<Range<u32>> = Vec::new();
    for (link, end) in (0..).zip(ends) {
        if let End::Switch(s) = end.from {
            ranges.resize(ranges.len().max(s.0 as usize + 1), link..link);
            ranges[s.0 as usize].end = link + 1;
        }
    }
    ranges
}

/// Returns, per link, the other direction of its cable.
pub(crate) fn backs(ends: &[LinkEnds]) -> Vec<u32> {
    let mut by_place = vec![0; ends.len()];
    for (link, end) in (0..).zip(ends) {
        by_place[end.place] = link;
    }
    ends.iter().map(|end| by_place[end.place ^ 1]).collect()
}
