//! The keys of `[switch]`, read at once; what each means stands with who reads it.

use super::services::Services;
use super::{Forwarding, Rank};
use crate::frame::Carry;
use sidestep_config::decision::{Memory, RankGap};
use sidestep_transport::shim::mark::Rule;
use sidestep_types::{Param, Settings, Time, Words};

/// `[switch]`, beside its three policies.
#[derive(Clone, Debug, Settings)]
pub(super) struct SwitchSettings {
    #[setting(skip, flatten = Memory)]
    _memory: (),
    /// what policies order by: bytes of the flow so far, the code point, or what the tag says
    #[setting(default = "sent")]
    pub rank: Rank,
    #[setting(flatten)]
    pub gap: RankGap,
    /// the code point of each class of service, from class 0 on, each from 0 to 63; all others are of the last class;
    /// number: a code point is the number of its class
    #[setting(default = "number", off = "number")]
    pub dscp: Option<Services>,
    /// where frames between switches carry the tags of hosts: between Ethernet and IP, or in the header of IPv4
    #[setting(default = "none", off = "none")]
    pub tags: Option<Carry>,
    /// tags: by how much a number is divided each time its packet is sent again: 1, 2, 4 or 8
    #[setting(default = "2")]
    pub boost: u64,
    /// tags: this switch shifts, or hosts have rotated
    #[setting(default = "shift")]
    pub boosting: Rule,
    /// the longest payload of a frame in bytes, from 1280 to 16000; above 1500 frames are jumbo
    #[setting(default = "1500")]
    pub mtu: u64,
    /// how often each port sends a probe; a switch that hears its own names the loop
    #[setting(default = "off", off = "off")]
    pub loop_probe: Option<Time>,
    /// loop_probe: say and count it alone, or block the later one of the two ports while the loop is there (learning)
    #[setting(default = "report")]
    pub loop_action: LoopAction,
    /// stations from the config alone, or from source addresses as well
    #[setting(default = "static")]
    pub forwarding: Forwarding,
}

/// The rows of `[switch]`.
pub(super) const SWITCH: &[Param] = SwitchSettings::PARAMS;

/// What a switch does about a loop.
#[derive(Clone, Copy, Debug, PartialEq, Words)]
pub(super) enum LoopAction {
    Report,
    Block,
}
