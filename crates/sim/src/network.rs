//! A network on paper: hosts, switches and the cables between them.

use sidestep_types::{BitRate, HostId, SwitchId, Time};

/// What a cable ends in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// A host's only NIC.
    Host(HostId),
    /// The next free port of a switch.
    Switch(SwitchId),
}

/// A full-duplex cable: the same rate and delay both ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cable {
    /// One end.
    pub a: End,
    /// The other end.
    pub b: End,
    /// Rate of each direction.
    pub rate: BitRate,
    /// Propagation delay of each direction.
    pub delay: Time,
}

/// Hosts, switches and cables. A switch's ports are numbered in the order in which `cables` name it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    /// How many hosts there are.
    pub hosts: u32,
    /// A name for each switch, for people: `edge 0.1`, `agg 3.2`, `core 15`.
    pub switches: Vec<String>,
    /// The cables.
    pub cables: Vec<Cable>,
}
