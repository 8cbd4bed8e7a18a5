//! What a switch's config says; `docs/softswitch.md` describes the file.

mod bridge;
mod hosts;
mod icmp;
mod known;
mod mac;
mod mtu;
mod ports;
mod probe;
mod process;
mod rate;
mod read;
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
pub use known::{Known, TOP, known};
pub use mac::Mac;
pub use mtu::{DEFAULT_MTU, MOST_MTU, interface_fits};
pub use probe::LoopProbe;
pub use rate::check_rate;
pub use services::Services;
pub use shims::{SILENCE, to_toml as shims_to_toml};
pub use tags::Tags;
pub use vlans::{NO_VLAN, PortVlan, alike};

use sidestep_config::decision::Decision;
use sidestep_transport::shim;
use sidestep_types::{BitRate, PortId, Time, Words};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

/// A whole config.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// For logs and metrics.
    pub name: String,
    /// Of draws and the hash salt.
    pub seed: u64,
    /// The policies, and how much the switch may hold.
    pub decision: Decision,
    /// What pFabric orders by.
    pub rank: Rank,
    /// By what was sent: a flow that has said nothing for longer starts anew.
    pub rank_gap: Time,
    /// Which code points are which class; without it a code point is the number of its class.
    pub services: Option<Services>,
    /// How frames between switches carry tags, if they do.
    pub tags: Option<Tags>,
    /// How stations are found.
    pub forwarding: Forwarding,
    /// The longest payload of a frame, in bytes.
    pub mtu: u32,
    /// How it looks for loops, if it does.
    pub probe: Option<LoopProbe>,
    /// What the process around the switch does.
    pub process: ProcessSetup,
    /// The ports; their order numbers them.
    pub ports: Vec<PortSetup>,
    /// Who is known to be where.
    pub stations: Vec<Station>,
    /// The switch as a router, if it is one.
    pub router: Option<Router>,
    /// Prefixes behind next hops.
    pub networks: Vec<Network>,
}

/// What the rank of a real packet is: TCP does not say how much a flow has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Rank {
    /// Bytes of the flow that came by here so far: the least served first.
    Sent,
    /// The code point of the IP header.
    Dscp,
    /// What the tag of the frame says, and how often its packet was sent again.
    Tag,
}

/// How stations are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Words)]
pub enum Forwarding {
    /// From the config alone.
    Static,
    /// From source addresses as well.
    Learning,
}

/// What the process around the switch does; by default nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProcessSetup {
    /// The Unix socket for control and counters.
    pub control: Option<PathBuf>,
    /// Where Prometheus finds the counters, on the loopback.
    pub metrics: Option<SocketAddr>,
    /// Who it becomes.
    pub user: RunAs,
    /// Whether it ends at a system call that a running switch does not make. One that keeps its privileges makes any.
    pub seccomp: bool,
    /// SCHED_FIFO, when the kernel allows it.
    pub realtime: bool,
    /// Poll all the time instead of sleeping to the next departure.
    pub busy: bool,
    /// How long it polls before it sleeps, after the last frame and before the next departure.
    pub poll: Time,
    /// Where frames are written, with what became of them.
    pub capture: Option<PathBuf>,
    /// Keep drops, detours and trims alone.
    pub capture_drops_only: bool,
}

/// Who the process becomes once everything is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RunAs {
    /// Whoever it is: its privileges are kept.
    #[default]
    Keep,
    /// The user `sidestep`, or a number that nobody has.
    Auto,
    /// A user, by name or number.
    User(String),
}

impl RunAs {
    /// What a config says, or the command.
    pub fn from_word(word: &str) -> RunAs {
        match word {
            process::KEEP => RunAs::Keep,
            process::AUTO => RunAs::Auto,
            name => RunAs::User(name.into()),
        }
    }

    /// The word for it.
    pub fn word(&self) -> &str {
        match self {
            RunAs::Keep => process::KEEP,
            RunAs::Auto => process::AUTO,
            RunAs::User(name) => name,
        }
    }
}

/// One port.
#[derive(Clone, Debug, PartialEq)]
pub struct PortSetup {
    /// Its name.
    pub name: String,
    /// The Linux interface.
    pub interface: String,
    /// What its egress is paced to, all of Ethernet's framing included.
    pub rate: BitRate,
    /// Added after the last bit has left.
    pub delay: Time,
    /// Does a switch hang off it?
    pub to_switch: bool,
    /// Does it get what is flooded?
    pub flood: bool,
    /// AF_XDP instead of AF_PACKET.
    pub xdp: bool,
    /// Its host's shims, the first nearest to the host.
    pub shims: Vec<shim::Chosen>,
    /// How the network is guarded against what comes in by it.
    pub bridge: PortBridge,
    /// Which VLANs it carries; nothing where the switch has none.
    pub vlan: Option<PortVlan>,
}

/// Someone with an address, and the ports toward it.
#[derive(Clone, Debug, PartialEq)]
pub struct Station {
    /// Its MAC.
    pub mac: Mac,
    /// Its IP addresses.
    pub addresses: Vec<IpAddr>,
    /// The next hops, one or more.
    pub ports: Vec<PortId>,
    /// Its VLAN; [`NO_VLAN`] where the switch has none.
    pub vlan: u16,
}

/// The switch's own addresses.
#[derive(Clone, Debug, PartialEq)]
pub struct Router {
    /// Frames to this MAC are routed.
    pub mac: Mac,
    /// What it answers for.
    pub addresses: Vec<IpAddr>,
    /// What senders are told, if anything.
    pub icmp: Option<Icmp>,
}

/// A prefix behind a next hop.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// The prefix's address.
    pub prefix: IpAddr,
    /// Its length in bits.
    pub length: u8,
    /// The ports toward the next hop, one or more.
    pub ports: Vec<PortId>,
    /// The MAC that frames get.
    pub next_hop: Mac,
    /// The VLAN that they get; [`NO_VLAN`] where the switch has none.
    pub vlan: u16,
}
