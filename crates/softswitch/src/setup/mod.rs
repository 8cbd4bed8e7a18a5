//! Config of a switch; `docs/how-to/softswitch.md` describes the file.

mod bridge;
mod hosts;
mod icmp;
mod mac;
mod mtu;
mod ports;
mod probe;
mod process;
mod rate;
mod read;
mod section_schemas;
mod services;
mod settings;
mod shims;
mod tables;
mod tags;
#[cfg(test)]
mod tests;
mod vlans;
mod write;

pub use bridge::{Pace, PortBridge, Storms};
pub use icmp::Icmp;
pub use mac::Mac;
pub use mtu::{DEFAULT_MTU, MOST_MTU, interface_fits};
pub use probe::LoopProbe;
pub use rate::check_rate;
pub use section_schemas::{SectionSchema, TOP, section_schemas};
pub use services::Services;
pub use shims::{SILENCE, to_toml as shims_to_toml};
pub use tags::Tags;
pub use vlans::{NO_VLAN, PortVlan, alike};

use sidestep_config::decision::Decision;
use sidestep_transport::shim;
use sidestep_types::{BitRate, PortId, Time, Words};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

/// Complete config.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Name of the switch, for logs and metrics.
    pub name: String,
    /// Seed of random draws and of the hash salt.
    pub seed: u64,
    /// Policies, and capacity of the switch.
    pub decision: Decision,
    /// Source of ranks, by which pFabric orders packets.
    pub rank: Rank,
    /// For [`Rank::Sent`]: silence after which a flow's rank starts at 0 again.
    pub rank_gap: Time,
    /// Map from code points to classes; `None`: a code point is the number of its class.
    pub services: Option<Services>,
    /// Tags of frames between switches, if they have any.
    pub tags: Option<Tags>,
    /// Method of finding stations.
    pub forwarding: Forwarding,
    /// Longest payload of a frame, in bytes.
    pub mtu: u32,
    /// Loop detection, if enabled.
    pub probe: Option<LoopProbe>,
    /// Settings of the process around the switch.
    pub process: ProcessSetup,
    /// Ports; their order numbers them.
    pub ports: Vec<PortSetup>,
    /// Configured stations.
    pub stations: Vec<Station>,
    /// Router of the switch, if it has one.
    pub router: Option<Router>,
    /// Prefixes behind next hops.
    pub networks: Vec<Network>,
}

/// Source of a real packet's rank: TCP does not carry the remaining size of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Rank {
    /// Bytes of the flow that have passed here so far: the least served first.
    Sent,
    /// Code point of the IP header.
    Dscp,
    /// Tag of the frame: its number, and the retransmissions of its packet.
    Tag,
}

/// Method of finding stations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Forwarding {
    /// Config only.
    Static,
    /// Config and source addresses.
    Learning,
}

/// Settings of the process around the switch; by default everything is off.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProcessSetup {
    /// Unix socket for control and counters.
    pub control: Option<PathBuf>,
    /// Address of the metrics endpoint for Prometheus, on the loopback.
    pub metrics: Option<SocketAddr>,
    /// User that the process becomes.
    pub user: RunAs,
    /// True to end the process at a system call that a running switch does not make. A process that keeps its
    /// privileges may make any.
    pub seccomp: bool,
    /// True to use SCHED_FIFO, if the kernel allows it.
    pub realtime: bool,
    /// True to poll all the time instead of sleeping to the next departure.
    pub busy: bool,
    /// Time of polling before sleep, after the last frame and before the next departure.
    pub poll: Time,
    /// File of the capture of frames and their events.
    pub capture: Option<PathBuf>,
    /// True to capture only drops, detours and trims.
    pub capture_drops_only: bool,
}

/// User that the process becomes once everything is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RunAs {
    /// Unchanged: its privileges are kept.
    #[default]
    Keep,
    /// User `sidestep`, or a free number.
    Auto,
    /// User by name or number.
    User(String),
}

impl RunAs {
    /// Reads the word in a config or on the command line.
    pub fn from_word(word: &str) -> RunAs {
        match word {
            process::KEEP => RunAs::Keep,
            process::AUTO => RunAs::Auto,
            name => RunAs::User(name.into()),
        }
    }

    /// Returns the word for the user.
    pub fn word(&self) -> &str {
        match self {
            RunAs::Keep => process::KEEP,
            RunAs::Auto => process::AUTO,
            RunAs::User(name) => name,
        }
    }
}

/// Settings of one port.
#[derive(Clone, Debug, PartialEq)]
pub struct PortSetup {
    /// Name of the port.
    pub name: String,
    /// Linux interface of the port.
    pub interface: String,
    /// Rate of the egress, with all of Ethernet's framing.
    pub rate: BitRate,
    /// Delay added after the last bit has left.
    pub delay: Time,
    /// True if the port leads to a switch.
    pub to_switch: bool,
    /// True if flooded frames leave by the port.
    pub flood: bool,
    /// True for AF_XDP, false for AF_PACKET.
    pub xdp: bool,
    /// Shims of the host, the first nearest to the host.
    pub shims: Vec<shim::Chosen>,
    /// Limits that protect the network from traffic of the port.
    pub bridge: PortBridge,
    /// VLANs of the port; `None` if the switch has none.
    pub vlan: Option<PortVlan>,
}

/// Configured station, and the ports toward it.
#[derive(Clone, Debug, PartialEq)]
pub struct Station {
    /// MAC of the station.
    pub mac: Mac,
    /// IP addresses of the station.
    pub addresses: Vec<IpAddr>,
    /// Ports toward the station, one or more.
    pub ports: Vec<PortId>,
    /// VLAN of the station; [`NO_VLAN`] if the switch has none.
    pub vlan: u16,
}

/// Router: the switch's own addresses.
#[derive(Clone, Debug, PartialEq)]
pub struct Router {
    /// MAC of the router: frames to it are routed.
    pub mac: Mac,
    /// IP addresses that the switch answers for.
    pub addresses: Vec<IpAddr>,
    /// ICMP messages to senders, if any.
    pub icmp: Option<Icmp>,
}

/// Prefix behind a next hop.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// Address of the prefix.
    pub prefix: IpAddr,
    /// Length of the prefix in bits.
    pub length: u8,
    /// Ports toward the next hop, one or more.
    pub ports: Vec<PortId>,
    /// Destination MAC that frames get.
    pub next_hop: Mac,
    /// VLAN that frames get; [`NO_VLAN`] if the switch has none.
    pub vlan: u16,
}
