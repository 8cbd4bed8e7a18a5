//! Description of a network: hosts, switches and the cables between them.

use sidestep_types::{BitRate, HostId, SwitchId, Time};
use std::fmt;

/// End of a cable.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum End {
    /// The only NIC of a host.
    Host(HostId),
    /// The next free port of a switch.
    Switch(SwitchId),
}

impl End {
    /// Returns its name: `host 7`, or the name of the switch in `network`.
    pub fn name(self, network: &Network) -> String {
        match self {
            End::Host(h) => format!("host {}", h.0),
            End::Switch(s) => network.switches[s.0 as usize].to_string(),
        }
    }
}

/// Full-duplex cable: the same rate and delay both ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cable {
    /// First end.
    pub a: End,
    /// The other end.
    pub b: End,
    /// Rate of each direction.
    pub rate: BitRate,
    /// Propagation delay of each direction.
    pub delay: Time,
}

/// Description of a switch. The number of the switch is its place in [`Network::switches`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchInfo {
    /// Name, for people: `edge 0.1`, `core 15`.
    pub name: String,
    /// Tier: `edge`, `core`. `None` in a topology without tiers.
    pub tier: Option<String>,
    /// Pod, or row of a grid. `None` if the switch belongs to none.
    pub pod: Option<String>,
}

impl SwitchInfo {
    /// Returns a switch of this name, without tier or pod.
    pub fn named(name: impl Into<String>) -> SwitchInfo {
        SwitchInfo {
            name: name.into(),
            ..SwitchInfo::default()
        }
    }

    /// Returns switch number `i` of a tier, called `tier i`.
    pub fn of_tier(tier: &str, i: u32) -> SwitchInfo {
        SwitchInfo {
            name: format!("{tier} {i}"),
            tier: Some(tier.to_string()),
            pod: None,
        }
    }

    /// Returns switch number `i` of a tier in a pod, called `tier pod.i`.
    pub fn of_pod(tier: &str, pod: u32, i: u32) -> SwitchInfo {
        SwitchInfo {
            name: format!("{tier} {pod}.{i}"),
            tier: Some(tier.to_string()),
            pod: Some(pod.to_string()),
        }
    }

    /// Returns the name under which counts are grouped: the tier, or the switch's name without tiers.
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
    /// Number of hosts.
    pub hosts: u32,
    /// Description of each switch.
    pub switches: Vec<SwitchInfo>,
    /// All cables.
    pub cables: Vec<Cable>,
}

impl Network {
    /// Returns the number of ports of each switch.
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
