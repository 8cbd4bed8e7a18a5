//! Limits that protect the network from the neighbours of a port: addresses learned by the port, and flooded
//! traffic received by it.
//!
//! **Decision**     none; settings that contradict the rest of the config are refused.
//! **Units**        frames a second in millionths, or bits a second with all of Ethernet's framing.
//! **Errors**       a limit of no address or of more than the table holds; a rate that never lets a frame pass.

use super::rate::check_rate;
use super::{Forwarding, PortSetup};
use crate::table::MOST_LEARNED;
use sidestep_config::document::{Table, find};
use sidestep_config::problem::{At, Problems};
use sidestep_config::section::Resolved;
use sidestep_types::{BitRate, Bytes, Param, ParamUnit, Quantity, Time, Unit, parse_quantity};
use std::fmt;

/// Word for "no limit".
pub(super) const OFF: &str = "off";

/// Half of the table, so that one port alone cannot fill it. Assumed.
const LEARN_LIMIT: u32 = MOST_LEARNED as u32 / 2;

/// Burst of a storm that passes at once, as a time at its rate. Assumed.
const BURST: Time = Time::from_ms(100);

pub(super) const LIMIT: Param = Param::with_default(
    "learn_limit",
    ParamUnit::Count,
    "4096",
    "learning: most addresses that this port learns, from 1 to 8192; frames from further addresses \
     are counted",
)
.or_off(OFF);

pub(super) const BROADCAST: Param = storm(
    "storm_broadcast",
    "limit of broadcasts flooded from this port: frames a second like \"1 k/s\", or a rate like \
     \"10 Mbps\"",
);

pub(super) const MULTICAST: Param = storm(
    "storm_multicast",
    "limit of multicasts flooded from this port, like storm_broadcast",
);

pub(super) const UNKNOWN: Param = storm(
    "storm_unknown",
    "learning: limit of frames to unknown stations flooded from this port, like storm_broadcast",
);

pub(super) const STORM_BURST: Param = Param::with_default(
    "storm_burst",
    ParamUnit::Time,
    "100 ms",
    "storms: burst that passes at once, as a time at the limit's rate; one frame always passes",
);

const fn storm(name: &'static str, doc: &'static str) -> Param {
    Param::with_default(name, ParamUnit::File, OFF, doc).or_off(OFF)
}

/// Limits of one port.
#[derive(Clone, Debug, PartialEq)]
pub struct PortBridge {
    /// Most addresses learned by the port; `None`: as many as the table holds.
    pub learn_limit: Option<u32>,
    /// Limits of flooded traffic from the port.
    pub storms: Storms,
}

impl Default for PortBridge {
    fn default() -> PortBridge {
        PortBridge {
            learn_limit: Some(LEARN_LIMIT),
            storms: Storms::default(),
        }
    }
}

/// Most traffic flooded from a port, by kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Storms {
    /// Limit of broadcasts.
    pub broadcast: Option<Pace>,
    /// Limit of multicasts: group addresses other than broadcast.
    pub multicast: Option<Pace>,
    /// Limit of frames to unknown stations.
    pub unknown: Option<Pace>,
    /// Burst that may pass at once, as a time at that rate.
    pub burst: Time,
}

impl Default for Storms {
    fn default() -> Storms {
        Storms {
            broadcast: None,
            multicast: None,
            unknown: None,
            burst: BURST,
        }
    }
}

impl Storms {
    /// Returns keys and values, in the order of the config.
    pub(super) fn all(&self) -> [(&'static str, Option<Pace>); 3] {
        [
            ("storm_broadcast", self.broadcast),
            ("storm_multicast", self.multicast),
            ("storm_unknown", self.unknown),
        ]
    }
}

/// Rate of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Frames in a million seconds.
    Frames(u64),
    /// Bits a second, with Ethernet's preamble, gap and FCS.
    Bits(BitRate),
}

impl Pace {
    /// Reads a rate of either kind.
    pub(super) fn read(text: &str) -> Result<Pace, String> {
        let flow = match (
            parse_quantity(text, Unit::PerSecond),
            parse_quantity(text, Unit::Rate),
        ) {
            (Ok(Quantity::PerMegasecond(n)), _) => Pace::Frames(n),
            (_, Ok(Quantity::Rate(rate))) => Pace::Bits(rate),
            _ => {
                return Err(format!(
                    "expected frames a second like \"1 k/s\", a rate like \"10 Mbps\" or {OFF:?}, got {text:?}"
                ));
            }
        };
        // A rate of 0 never lets a frame pass; more than a frame in a nanosecond limits nothing.
        let frames = 1..=1_000_000_000_000_000;
        let sound = match flow {
            Pace::Frames(n) => frames.contains(&n),
            Pace::Bits(rate) => check_rate(rate).is_ok(),
        };
        match sound {
            true => Ok(flow),
            false => Err(format!(
                "expected from 0.000001 /s to 1000 M/s, or a rate of at least 1 kbps, got {text:?}"
            )),
        }
    }

    /// Returns the time that a frame of `wire` bytes on the wire costs.
    pub fn cost(self, wire: u32) -> Time {
        /// Picoseconds of a million seconds.
        const MEGASECOND: u128 = 1_000_000_000_000_000_000;
        match self {
            Pace::Frames(n) => {
                let ps = MEGASECOND.div_ceil(u128::from(n));
                Time::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
            }
            Pace::Bits(rate) => rate.time_to_send(Bytes(u64::from(wire))),
        }
    }
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Six decimal places represent a millionth exactly.
            Pace::Frames(n) => write!(f, "{}.{:06} /s", n / 1_000_000, n % 1_000_000),
            Pace::Bits(rate) => write!(f, "{rate}"),
        }
    }
}

/// Reads the limits of a port; `None` if they are refused.
pub(super) fn bridge(port: &Resolved, at: &At, problems: &mut Problems) -> Option<PortBridge> {
    let values = &port.values;
    let place = |key: &str| port.places.get(&format!("port.{key}")).unwrap_or(at);
    let learn_limit = values.count_or_off("learn_limit");
    let most = MOST_LEARNED as u64;
    if let Some(limit) = learn_limit.filter(|limit| !(1..=most).contains(limit)) {
        let message = format!(
            "port.learn_limit: expected from 1 to {most} (size of the table) or {OFF:?}, got \
             {limit}"
        );
        problems.add(place("learn_limit"), message);
        return None;
    }
    let mut whole = true;
    let mut flow = |key: &str| {
        let read = Pace::read(&values.word_or_off(key)?);
        read.map_err(|why| {
            problems.add(place(key), format!("port.{key}: {why}"));
            whole = false;
        })
        .ok()
    };
    let storms = Storms {
        broadcast: flow("storm_broadcast"),
        multicast: flow("storm_multicast"),
        unknown: flow("storm_unknown"),
        burst: values.time("storm_burst"),
    };
    let none = storms.all().iter().all(|(_, flow)| flow.is_none());
    if whole && none && port.places.contains_key("port.storm_burst") {
        let message = "port.storm_burst has no effect: expected storm_broadcast, storm_multicast or storm_unknown";
        problems.add(place("storm_burst"), message);
    }
    whole.then_some(PortBridge {
        learn_limit: learn_limit.map(|limit| limit as u32),
        storms,
    })
}

/// Refuses settings of a port that only apply to learning switches.
pub(super) fn learns(forwarding: Forwarding, written: &Table, problems: &mut Problems) {
    if forwarding == Forwarding::Learning {
        return;
    }
    for key in ["learn_limit", "storm_unknown"] {
        if let Some(entry) = find(written, key) {
            let message = format!(
                "port.{key} has no effect without switch.forwarding = \"learning\": no address is \
                 learned, and frames to unknown stations are refused"
            );
            problems.add(&entry.at, message);
        }
    }
}

/// Returns keys and values of a port in the form of a config; `learning` says whether the switch learns.
pub(super) fn words(port: &PortSetup, learning: bool) -> Vec<(&'static str, String)> {
    let bridge = &port.bridge;
    let mut all = Vec::new();
    let storms = &bridge.storms;
    for (key, flow) in storms.all() {
        if learning || key != "storm_unknown" {
            all.push((key, flow.map_or(OFF.into(), |flow| flow.to_string())));
        }
    }
    if storms.all().iter().any(|(_, flow)| flow.is_some()) {
        all.push(("storm_burst", storms.burst.to_string()));
    }
    if learning {
        let limit = bridge.learn_limit;
        all.push(("learn_limit", limit.map_or(OFF.into(), |n| n.to_string())));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Setup;

    /// Reads a config with this line in its port.
    fn read(forwarding: &str, port: &str) -> Result<Setup, String> {
        let text = format!(
            "[switch]\nforwarding = {forwarding:?}\n[[port]]\ninterface = \"p\"\nrate = \"1 Gbps\"\n{port}\n"
        );
        Setup::read("s.toml", &text).map_err(|all| all[0].to_string())
    }

    #[test]
    fn limits_read_and_read_back() {
        let setup = read("learning", "").unwrap();
        assert_eq!(setup.ports[0].bridge, PortBridge::default());
        let port = "learn_limit = 7\nstorm_broadcast = \"1.5 k/s\"\nstorm_unknown = \"10 Mbps\"\nstorm_burst = \"1 s\"";
        let setup = read("learning", port).unwrap();
        let bridge = &setup.ports[0].bridge;
        assert_eq!(bridge.learn_limit, Some(7));
        assert_eq!(bridge.storms.broadcast, Some(Pace::Frames(1_500_000_000)));
        assert_eq!(bridge.storms.multicast, None);
        assert_eq!(bridge.storms.unknown, Some(Pace::Bits(BitRate::mbps(10))));
        assert_eq!(bridge.storms.burst, Time::from_s(1));
        assert_eq!(Setup::read("s.toml", &setup.to_toml()), Ok(setup));
        let setup = read("learning", "learn_limit = \"off\"").unwrap();
        assert_eq!(setup.ports[0].bridge.learn_limit, None);
        assert_eq!(Setup::read("s.toml", &setup.to_toml()), Ok(setup));
        let setup = read("static", "storm_multicast = \"0.000001 /s\"").unwrap();
        assert_eq!(Setup::read("s.toml", &setup.to_toml()), Ok(setup));
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_its_place() {
        for (forwarding, port, expected) in [
            ("learning", "learn_limit = 0", "expected from 1 to 8192"),
            ("learning", "learn_limit = 8193", "got 8193"),
            (
                "static",
                "learn_limit = 9",
                "has no effect without switch.forwarding = \"learning\"",
            ),
            (
                "static",
                "storm_unknown = \"1 /s\"",
                "port.storm_unknown has no effect",
            ),
            (
                "learning",
                "storm_unknown = \"9\"",
                "expected frames a second like \"1 k/s\", a rate",
            ),
            ("learning", "storm_unknown = \"1 kB\"", "got \"1 kB\""),
            (
                "learning",
                "storm_multicast = \"0 /s\"",
                "expected from 0.000001 /s",
            ),
            (
                "learning",
                "storm_broadcast = \"999 bps\"",
                "at least 1 kbps",
            ),
            (
                "learning",
                "storm_burst = \"1 s\"",
                "port.storm_burst has no effect",
            ),
        ] {
            let got = read(forwarding, port).unwrap_err();
            assert!(got.contains(expected), "{port}: {got}");
            assert!(got.starts_with("s.toml:6:"), "{port}: {got}");
        }
    }

    #[test]
    fn a_frame_costs_its_share_of_a_second() {
        assert_eq!(Pace::Frames(1_000_000).cost(84), Time::from_s(1));
        assert_eq!(
            Pace::Frames(3_000_000_000_000).cost(84),
            Time::from_ps(333_334)
        );
        assert_eq!(Pace::Bits(BitRate::mbps(1)).cost(125), Time::from_ms(1));
    }
}
