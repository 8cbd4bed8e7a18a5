//! A network on paper: hosts, switches and the cables between them.

use sidestep_types::{BitRate, HostId, SwitchId, Time};
use std::fmt;

/// What a cable ends in.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum End {
    /// A host's only NIC.
    Host(HostId),
    /// The next free port of a switch.
    Switch(SwitchId),
}

impl End {
    /// What it is called: `host 7`, or the name of the switch in `network`.
    pub fn name(self, network: &Network) -> String {
        match self {
            End::Host(h) => format!("host {}", h.0),
            End::Switch(s) => network.switches[s.0 as usize].to_string(),
        }
    }
}

/// A full-duplex cable: the same rate and delay both ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cable {
    /// One end of the cable.
    pub a: End,
    /// The other end.
    pub b: End,
    /// Rate of each direction.
    pub rate: BitRate,
    /// Propagation delay of each direction.
    pub delay: Time,
}

/// What a topology says of a switch. The number of the switch is its place in
/// [`Network::switches`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchInfo {
    /// Its name, for people: `edge 0.1`, `core 15`.
    pub name: String,
    /// The tier it belongs to: `edge`, `core`. `None` where the topology has no tiers.
    pub tier: Option<String>,
    /// The pod it belongs to, or the row of a grid. `None` where it belongs to none.
    pub pod: Option<String>,
}

impl SwitchInfo {
    /// A switch of this name, of no tier and of no pod.
    pub fn named(name: impl Into<String>) -> SwitchInfo {
        SwitchInfo {
            name: name.into(),
            ..SwitchInfo::default()
        }
    }

    /// Switch number `i` of a tier, called `tier i`.
    pub fn of_tier(tier: &str, i: u32) -> SwitchInfo {
        SwitchInfo {
            name: format!("{tier} {i}"),
            tier: Some(tier.to_string()),
            pod: None,
        }
    }

    /// Switch number `i` of a tier in a pod, called `tier pod.i`.
    pub fn of_pod(tier: &str, pod: u32, i: u32) -> SwitchInfo {
        SwitchInfo {
            name: format!("{tier} {pod}.{i}"),
            tier: Some(tier.to_string()),
            pod: Some(pod.to_string()),
        }
    }

    /// What counts are kept by: the tier, or the name where there are no tiers.
    pub fn tier_or_name(&self) -> &str {
        self.tier.as_deref().unwrap_or(&self.name)
    }
}

impl fmt::Display for SwitchInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Hosts, switches and cables. A switch's ports are numbered in the order in which `cables` name it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    /// How many hosts there are.
    pub hosts: u32,
    /// What is said of each switch.
    pub switches: Vec<SwitchInfo>,
    /// The cables.
    pub cables: Vec<Cable>,
}

impl Network {
    /// How many ports each switch has.
    pub fn port_counts(&self) -> Vec<u16> {
        let mut ports = vec![0; self.switches.len()];
        for end in self.cables.iter().flat_map(|cable| [cable.a, cable.b]) {
            if let End::Switch(s) = end {
                ports[s.0 as usize] += 1;
            }
        }
        ports
    }
}
