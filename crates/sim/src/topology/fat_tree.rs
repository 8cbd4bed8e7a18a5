//! Fat-tree: k pods of k/2 edge and k/2 aggregation switches, and (k/2)² cores.
//!
//! **Decision**     hosts are numbered pod by pod and edge by edge; core `c` is in group
//!                  `c / (k/2)` and leads to the aggregation switch of that number in every pod.
//! **State**        ports: edge = its k/2 hosts, then `agg 0…`; agg = `edge 0…`, then its cores;
//!                  core = `pod 0…`.
//! **Units**        rates per direction. A divided rate is rounded down to whole bits per second.
//! **Errors**       odd or too large k; cores that are not the same number for every
//!                  aggregation switch; a divisor that leaves a link no rate.
//! **Source**       Al-Fares et al., SIGCOMM 2008; k = 8 at 1 Gbps in DIBS, EuroSys 2014, section 5.3.
//! **Deviations**   DIBS 5.5.4 lowers "the capacity of the links between switches by a factor of
//!                  2, 3 and 4 (providing oversubscription of 1:4, 1:9 and 1:16)".
//!                  `oversubscribe_links` does what the words say: edge-agg and agg-core links
//!                  both run at rate / factor. The paper's ratios are the square of the factor,
//!                  as if each tier multiplied; but links of equal rate in both tiers carry 1:2,
//!                  1:3 and 1:4 of what the hosts can send. `oversubscribe_core` divides the
//!                  agg-core links once more: both at 2 give 1:2 out of a rack and 1:4 out of a
//!                  pod. The paper does not say which network it ran.

use super::{Builder, Link, PORTS, Topology, at_most_hosts};
use crate::files::Files;
use crate::network::{End, Network, SwitchInfo};
use sidestep_types::{About, BitRate, Refusal, Settings, Time};

/// See the module.
#[derive(Settings)]
pub struct FatTree {
    /// ports of every switch; DIBS section 5.3
    #[setting(default = "8", range = 2..=PORTS)]
    k: u32,
    /// rate of every link; DIBS Table 1
    #[setting(default = "1 Gbps")]
    rate: BitRate,
    /// delay of every link; assumed: DIBS is silent
    #[setting(default = "1 us")]
    delay: Time,
    /// divides the rate of every link between switches; DIBS Table 2, section 5.5.4
    #[setting(default = "1", range = 1..=1_000_000)]
    oversubscribe_links: u32,
    /// divides the rate of aggregation-to-core links further; assumed: DIBS names only links between switches
    #[setting(default = "1", range = 1..=1_000_000)]
    oversubscribe_core: u32,
    /// core switches kept, the first ones of every group; a multiple of k/2; assumed: all (k/2)^2
    #[setting(default = "all", off = "all")]
    cores: Option<u64>,
}

/// Returns the `k` of the smallest fat-tree with cores to choose from that has this many hosts.
pub fn smallest(hosts: u32) -> u32 {
    let has = |k: &u32| u64::from(*k).pow(3) / 4 >= u64::from(hosts);
    (4..=u32::MAX).step_by(2).find(has).unwrap_or(u32::MAX)
}

impl Topology for FatTree {
    const ABOUT: About = About {
        name: "fat_tree",
        summary: "k pods of edge and aggregation switches under (k/2)^2 cores; k^3/4 hosts",
        source: "Al-Fares et al., SIGCOMM 2008",
    };

    fn build_network(self, _: &dyn Files) -> Result<Network, Refusal> {
        let k = self.k;
        if k % 2 == 1 {
            return Err(Refusal::of("k", "must be even").got(k));
        }
        let half = k / 2;
        at_most_hosts(u64::from(k) * u64::from(half) * u64::from(half), &["k"])?;
        let kept = kept_per_group(self.cores, half)?;
        let access = Link::of(self.rate, self.delay);
        let fabric = access.slower(self.oversubscribe_links, &["oversubscribe_links"]);
        let core_link = fabric.slower(
            self.oversubscribe_core,
            &["oversubscribe_core", "oversubscribe_links"],
        );

        let mut net = Builder::default();
        let mut tier = |word: &str| -> Vec<End> {
            let names = (0..k).flat_map(|p| (0..half).map(move |i| (p, i)));
            names
                .map(|(p, i)| net.switch(SwitchInfo::of_pod(word, p, i)))
                .collect()
        };
        let (edges, aggs) = (tier("edge"), tier("agg"));
        let at = |pod: u32, i: u32| (pod * half + i) as usize;
        for edge in &edges {
            net.hosts(half, *edge, access);
        }
        for pod in 0..k {
            for e in 0..half {
                for a in 0..half {
                    net.cable(edges[at(pod, e)], aggs[at(pod, a)], fabric);
                }
            }
        }
        for group in 0..half {
            for i in 0..kept {
                // Its number in the whole tree, so that names stay the same when some cores are left out.
                let core = net.switch(SwitchInfo::of_tier("core", group * half + i));
                for pod in 0..k {
                    net.cable(aggs[at(pod, group)], core, core_link);
                }
            }
        }
        net.done(&["k"])
    }
}

/// Returns the number of cores kept of each of the k/2 groups.
fn kept_per_group(cores: Option<u64>, half: u32) -> Result<u32, Refusal> {
    let Some(cores) = cores else {
        return Ok(half);
    };
    let (each, most) = (u64::from(half), u64::from(half) * u64::from(half));
    if cores % each != 0 || !(each..=most).contains(&cores) {
        let expected = format!(
            "must be a multiple of k/2 = {half} from {half} to {most}, so that every aggregation \
             switch keeps the same number of uplinks and at least one"
        );
        return Err(Refusal::of("cores", expected).got(cores));
    }
    Ok((cores / each) as u32)
}
