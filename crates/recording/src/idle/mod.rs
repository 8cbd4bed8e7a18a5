//! Completion time of a flow that has the network of a run to itself.
//!
//! **Decision**     the flow's segments leave their host in order and back to back. They are stored and forwarded at
//!                  each hop of the shortest paths (fewest links), on which all routes send: no window, no queue
//!                  of others, no handshake, no acknowledgement. With one such path the time is exact:
//!                  [`times::along`]. With several it is the least that any choice among them allows, one path
//!                  for the whole flow or another for each segment: the larger of what the links of both hosts
//!                  allow ([`times::in_turn`]) and what the narrowest cut between their switches allows
//!                  ([`times::across`]). Where the fastest path is nowhere slower than a host's link, that is
//!                  the time along it, less the wait of a short last segment that overtakes all others.
//! **State**        the links between switches, and the paths of the last [`MOST`] pairs of switches. Switches with
//!                  the same neighbours over the same cables (the racks of a pod) count as one.
//! **Units**        picoseconds, bits per second, bytes on the wire.
//! **Errors**       none: without a path there is no time.
//! **Source**       two machines in a row with jobs of two sizes, and cuts of a flow: Ford and Fulkerson, 1956.
//! **Deviations**   packets detoured over longer paths, and changes of links during a run, can be faster. A scheduler at
//!                  the host's own NIC that lets a short last segment pass can gain its time on a slower link.

mod cut;
mod graph;
mod times;
mod ways;

use crate::Link;
use cut::Across;
use graph::{Dag, Graph};
use std::cell::OnceCell;
use std::collections::HashMap;
use ways::Ways;

/// Most pairs of switches whose paths are stored.
const MOST: usize = 1 << 14;

/// Rate and delay of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hop {
    /// Bits per second; 0 counts as no limit.
    pub rate_bps: u64,
    /// Propagation delay, ps.
    pub delay_ps: u64,
}

impl Hop {
    /// Returns the time from the first bit of `bytes` leaving until the last arrives, ps.
    fn crossed(self, bytes: u64) -> u128 {
        self.sent(bytes) + u128::from(self.delay_ps)
    }

    /// Returns the time to send `bytes`, ps.
    fn sent(self, bytes: u64) -> u128 {
        u128::from(time_to_send(bytes, self.rate_bps))
    }

    /// Returns the rate, where no limit is more than any rate.
    fn limit(self) -> u64 {
        if self.rate_bps == 0 {
            u64::MAX
        } else {
            self.rate_bps
        }
    }
}

/// Returns the time to send `bytes`, ps, rounded up; 0 on a link without a rate.
pub fn time_to_send(bytes: u64, rate_bps: u64) -> u64 {
    if rate_bps == 0 {
        return 0;
    }
    let bits = u128::from(bytes) * 8 * 1_000_000_000_000;
    u64::try_from(bits.div_ceil(u128::from(rate_bps))).unwrap_or(u64::MAX)
}

/// Segments of a flow: all but the last are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segments {
    /// Number of segments, at least 1.
    pub count: u64,
    /// Bytes of each but the last on the wire.
    pub full: u64,
    /// Bytes of the last on the wire, at most `full`.
    pub last: u64,
}

/// Path on which one packet is fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fastest {
    /// Time of the packet, ps.
    pub time_ps: u64,
    /// Rate of the host's own link.
    pub nic_bps: u64,
    /// Rate of the slowest link.
    pub slowest_bps: u64,
}

/// Idle network.
#[derive(Debug)]
pub struct Idle {
    graph: Graph,
    /// Per host: its link to a switch and the link back, if it has one of each.
    nics: Vec<[Option<(u32, Hop)>; 2]>,
    /// Paths by the kinds of two switches that differ. `None` if no path joins them.
    paths: HashMap<(u32, u32), Option<Paths>>,
}

/// Paths from one switch to another.
#[derive(Debug)]
struct Paths {
    ways: Ways,
    /// Links of the narrowest cut, once needed.
    cut: OnceCell<Vec<Across>>,
}

impl Idle {
    /// Prepares a network of `nodes` nodes, of which the first `hosts` are hosts. Links from or to other nodes are
    /// ignored. A host has one link to a switch and one back.
    pub fn new(hosts: usize, nodes: usize, links: impl Iterator<Item = Link>) -> Idle {
        let mut nics = vec![[None; 2]; hosts];
        let mut between = Vec::new();
        for link in links {
            let (from, to) = (link.from as usize, link.to as usize);
            if from.max(to) >= nodes {
                continue;
            }
            let hop = Hop {
                rate_bps: link.rate_bps,
                delay_ps: link.delay_ps,
            };
            let switch = |node: usize| (node - hosts) as u32;
            match (from < hosts, to < hosts) {
                (true, false) => nics[from][0] = Some((switch(to), hop)),
                (false, true) => nics[to][1] = Some((switch(from), hop)),
                (false, false) => between.push((switch(from), switch(to), hop)),
                (true, true) => {}
            }
        }
        Idle {
            graph: Graph::new(nodes.saturating_sub(hosts), between),
            nics,
            paths: HashMap::new(),
        }
    }

    /// Returns the completion time of a flow from host `src` to host `dst`, ps.
    pub fn completion(&mut self, src: u32, dst: u32, flow: Segments) -> Option<u64> {
        let ends = self.ends(src, dst)?;
        let [first, last] = [ends[0].1, ends[1].1];
        if ends[0].0 == ends[1].0 {
            return Some(fits(times::along(&[first, last], flow)));
        }
        let (graph, paths) = self.paths(ends[0].0, ends[1].0);
        let paths = paths.as_ref()?;
        if let Some(only) = &paths.ways.only {
            let links: Vec<Hop> = [&[first], &only[..], &[last]].concat();
            return Some(fits(times::along(&links, flow)));
        }
        let ways = &paths.ways;
        if flow.count == 1 {
            let between = ways.fastest(flow.last).time(flow.last);
            let ends = first.crossed(flow.last) + last.crossed(flow.last);
            return Some(fits(ends + between));
        }
        let best = ways.fastest(flow.full);
        let lags = [
            best.time(flow.full),
            ways.fastest(flow.last).time(flow.last),
        ];
        let nics = times::in_turn(first, last, lags, flow);
        // On the fastest path nothing waits: no cut is slower.
        if best.slowest() >= first.limit().min(last.limit()) {
            return Some(fits(nics));
        }
        let cut = paths.cut.get_or_init(|| {
            let dag = graph.dag(ends[0].0, ends[1].0);
            dag.map_or_else(Vec::new, |dag| cut::narrowest(graph, &dag))
        });
        Some(fits(nics.max(times::across(first, last, cut, flow))))
    }

    /// Returns the path from host `src` to host `dst` on which a packet of `bytes` is fastest.
    pub fn fastest(&mut self, src: u32, dst: u32, bytes: u64) -> Option<Fastest> {
        let ends = self.ends(src, dst)?;
        let [first, last] = [ends[0].1, ends[1].1];
        let (mut time, mut slowest) = (0, u64::MAX);
        if ends[0].0 != ends[1].0 {
            let (_, paths) = self.paths(ends[0].0, ends[1].0);
            let way = paths.as_ref()?.ways.fastest(bytes);
            (time, slowest) = (way.time(bytes), way.slowest());
        }
        let time = first.crossed(bytes) + time + last.crossed(bytes);
        Some(Fastest {
            time_ps: fits(time),
            nic_bps: first.limit(),
            slowest_bps: slowest.min(first.limit()).min(last.limit()),
        })
    }

    /// Returns the link that `src` feeds and the one that feeds `dst`, each with the switch there.
    fn ends(&self, src: u32, dst: u32) -> Option<[(u32, Hop); 2]> {
        let (src, dst) = (self.nics.get(src as usize)?, self.nics.get(dst as usize)?);
        Some([src[0]?, dst[1]?])
    }

    fn paths(&mut self, from: u32, to: u32) -> (&Graph, &Option<Paths>) {
        if self.paths.len() >= MOST {
            self.paths.clear();
        }
        let graph = &self.graph;
        let key = (graph.kind(from), graph.kind(to));
        let paths = self.paths.entry(key).or_insert_with(|| {
            let dag: Dag = graph.dag(from, to)?;
            Some(Paths {
                ways: Ways::of(graph, &dag),
                cut: OnceCell::new(),
            })
        });
        (graph, paths)
    }
}

fn fits(ps: u128) -> u64 {
    u64::try_from(ps).unwrap_or(u64::MAX)
}
