//! Tree: one switch at the root, the same fan-out below every switch of a level, hosts below the last.
//!
//! **Decision**     hosts are numbered rack by rack, from the first child of the root on. One path joins any
//!                  two: up to
//!                  the switch that they share, and down.
//! **State**        tiers from the root: `root`, `agg` (`agg1`, `agg2`, … if there are several between),
//!                  `rack`;
//!                  with one level only `rack`. Ports: a switch's children or hosts, then the way up. With
//!                  three
//!                  levels or more, everything below one child of the root is a pod.
//! **Units**        rates per direction; lists go from the root down, the links of hosts last.
//! **Errors**       no level, or more than [`MOST_LEVELS`]; lists with neither one entry nor one for each
//!                  level; a level
//!                  with nothing below, so that there are no hosts; a switch with more ports than there are.
//! **Source**       Mushtaq et al., SIGCOMM 2014 poster (MulBuff), figure 3, says "3-level tree" and 1 Gbps.
//! **Deviations**   the source says no more: fan-outs, rates above hosts and delays are assumed.

use super::{Builder, Link, MAX_PORTS, Topology, at_most_hosts};
use crate::files::Files;
use crate::network::{End, Network, SwitchInfo};
use sidestep_types::{About, BitRate, Refusal, Settings, Time};

/// See the module.
#[derive(Settings)]
pub struct Tree {
    /// levels of switches; MulBuff
    #[setting(default = "3", range = 1..=MOST_LEVELS)]
    levels: u32,
    /// nodes below each switch of a level, from the root on: switches, and hosts at the last level; one for
    /// all, or one per level; assumed
    #[setting(default = "2, 2, 10")]
    fan_out: Vec<u64>,
    /// rate of the links below each level, those of hosts last; one for all, or one per level; those of hosts
    /// as in MulBuff, the others assumed
    #[setting(default = "10 Gbps, 10 Gbps, 1 Gbps")]
    rate: Vec<BitRate>,
    /// delay of the links below each level; assumed: 96 us across the root and back
    #[setting(default = "8 us")]
    delay: Vec<Time>,
}

/// Most levels of switches. Assumed: a path then crosses 15.
pub const MOST_LEVELS: u64 = 8;

impl Topology for Tree {
    const ABOUT: About = About {
        name: "tree",
        summary: "one root, the same fan-out below every switch of a level, hosts below the last",
        source: "Mushtaq et al., SIGCOMM 2014 poster (MulBuff), figure 3",
    };

    fn build_network(self, _: &dyn Files) -> Result<Network, Refusal> {
        let fan_outs = self.fan_outs()?;
        let rates = self.each("rate", &self.rate)?;
        let delays = self.each("delay", &self.delay)?;
        let links = rates.into_iter().zip(delays);
        let links: Vec<Link> = links.map(|(rate, delay)| Link::of(rate, delay)).collect();

        let mut net = Builder::default();
        let tiers = switches(&mut net, &fan_outs);
        let below = |level: usize| (fan_outs[level], links[level]);
        let (racks, above) = tiers.split_last().expect("at least one level");
        let (hosts, link) = below(above.len());
        for rack in racks {
            net.hosts(hosts, *rack, link);
        }
        for (level, parents) in above.iter().enumerate().rev() {
            let (many, link) = below(level);
            let children = tiers[level + 1].chunks_exact(many as usize);
            for (parent, children) in parents.iter().zip(children) {
                for child in children {
                    net.cable(*child, *parent, link);
                }
            }
        }
        net.done(&["fan_out"])
    }
}

impl Tree {
    /// Returns the fan-out below each switch of a level: hosts at the last.
    fn fan_outs(&self) -> Result<Vec<u32>, Refusal> {
        let fan_outs = self.each("fan_out", &self.fan_out)?;
        if fan_outs.contains(&0) {
            let expected = "must be above 0 at every level, since otherwise there are no hosts";
            return Err(Refusal::of("fan_out", expected).got(0));
        }
        if let Some(large) = fan_outs.iter().find(|n| **n > u64::from(MAX_PORTS)) {
            let expected = format!("must be from 1 to {MAX_PORTS} at every level");
            return Err(Refusal::of("fan_out", expected).got(large));
        }
        let all = fan_outs.iter().try_fold(1u64, |all, n| all.checked_mul(*n));
        at_most_hosts(all.unwrap_or(u64::MAX), &["fan_out", "levels"])?;
        Ok(fan_outs.into_iter().map(|n| n as u32).collect())
    }

    /// The `list` called `name`, one entry for each level; a list of one stands for all of them.
    fn each<T: Copy>(&self, name: &'static str, list: &[T]) -> Result<Vec<T>, Refusal> {
        match (list.len() as u32, self.levels) {
            (1, levels) => Ok(vec![list[0]; levels as usize]),
            (n, levels) if n == levels => Ok(list.to_vec()),
            (n, levels) => {
                let entries = if levels == 1 {
                    "one entry".into()
                } else {
                    format!("1 or {levels} entries")
                };
                let expected = format!("{name} must have {entries}, for levels = {levels}");
                Err(Refusal::about(&[name, "levels"], expected).got(n))
            }
        }
    }
}

/// Adds the switches, level by level from the root on.
fn switches(net: &mut Builder, fan_outs: &[u32]) -> Vec<Vec<End>> {
    let (mut many, mut of_pod) = (1, 1);
    let mut tiers = Vec::new();
    for level in 0..fan_outs.len() {
        let tier = tier(level, fan_outs.len());
        let in_pods = level > 0 && fan_outs.len() > 2;
        let made = (0..many).map(|i| {
            net.switch(SwitchInfo {
                pod: in_pods.then(|| (i / of_pod).to_string()),
                ..SwitchInfo::of_tier(&tier, i)
            })
        });
        tiers.push(made.collect());
        many *= fan_outs[level];
        of_pod *= if level > 0 { fan_outs[level] } else { 1 };
    }
    tiers
}

/// Returns the tier name of a level.
fn tier(level: usize, levels: usize) -> String {
    match level {
        _ if level + 1 == levels => "rack".into(),
        0 => "root".into(),
        _ if levels == 3 => "agg".into(),
        _ => format!("agg{level}"),
    }
}
