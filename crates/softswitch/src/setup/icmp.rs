//! `icmp` of `[router]`: ICMP messages to senders about their packets.
//!
//! **Decision**     none; the router needs an address as the source of messages.
//! **Units**        messages a second, in millionths.
//! **Source**       RFC 1812, 4.3.2.8: the rate is configurable, here for the whole router.

use super::bridge::Pace;
use sidestep_config::problem::{At, Problems};
use sidestep_config::section::Resolved;
use sidestep_types::{Param, ParamUnit, Value};

/// Messages that may be sent at once. Assumed.
const BURST: u32 = 10;

pub(super) const ICMP: Param = Param::with_default(
    "icmp",
    ParamUnit::Word(&["none", "time_exceeded", "unreachable", "all"]),
    "none",
    "ICMP messages to senders: about packets whose TTL expires here, packets to the router's MAC \
     without a route, or both",
);

pub(super) const ICMP_RATE: Param = Param::with_default(
    "icmp_rate",
    ParamUnit::PerSecond,
    "100 /s",
    "icmp: limit of messages over all ports; a burst of ten is allowed",
);

/// ICMP messages that the router sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Icmp {
    /// True to report packets whose TTL has expired.
    pub time_exceeded: bool,
    /// True to report packets without a route.
    pub unreachable: bool,
    /// Messages in a million seconds.
    pub rate: u64,
}

impl Icmp {
    /// Returns the word for the kinds of messages.
    pub(super) fn word(&self) -> &'static str {
        match (self.time_exceeded, self.unreachable) {
            (true, true) => "all",
            (true, false) => "time_exceeded",
            (false, true) => "unreachable",
            (false, false) => "none",
        }
    }

    /// Returns the rate in the form of a config.
    pub(super) fn rate_word(&self) -> String {
        Pace::Frames(self.rate).to_string()
    }

    /// Returns the cost of one message, and the depth of the bucket.
    pub fn costs(&self) -> (sidestep_types::Time, sidestep_types::Time) {
        let cost = Pace::Frames(self.rate).cost(0);
        (cost, cost.saturating_mul(u64::from(BURST)))
    }
}

/// Reads the setting from `[router]`, which has `addresses` addresses.
pub(super) fn icmp(
    router: &Resolved,
    addresses: usize,
    at: &At,
    problems: &mut Problems,
) -> Option<Icmp> {
    let values = &router.values;
    let place = |key: &str| router.places.get(&format!("router.{key}")).unwrap_or(at);
    let word = values.word("icmp");
    if word == "none" {
        if router.places.contains_key("router.icmp_rate") {
            let message = "router.icmp_rate has no effect: expected icmp = \"time_exceeded\", \"unreachable\" or \"all\"";
            problems.add(place("icmp_rate"), message);
        }
        return None;
    }
    if addresses == 0 {
        let message = format!(
            "router.icmp = {word:?}: messages need a source: expected router.addresses, got none"
        );
        problems.add(place("icmp"), message);
    }
    let rate = match values.get("icmp_rate") {
        Value::PerMegasecond(n) if (1..=1_000_000_000_000).contains(n) => *n,
        _ => {
            let message = "router.icmp_rate: expected from 0.000001 /s to 1 M/s";
            problems.add(place("icmp_rate"), message);
            return None;
        }
    };
    Some(Icmp {
        time_exceeded: word != "unreachable",
        unreachable: word != "time_exceeded",
        rate,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Setup;

    fn read(router: &str) -> Result<Option<Icmp>, String> {
        let text = format!(
            "[switch]\n[[port]]\ninterface = \"p\"\nrate = \"1 Gbps\"\n[router]\nmac = \"02:00:00:00:00:01\"\n{router}\n"
        );
        let setup = Setup::read("s.toml", &text).map_err(|all| all[0].to_string())?;
        assert_eq!(Setup::read("s.toml", &setup.to_toml()).as_ref(), Ok(&setup));
        Ok(setup.router.expect("there is one").icmp)
    }

    #[test]
    fn what_is_told_and_how_often_is_read_and_reads_back() {
        assert_eq!(read("addresses = [\"10.0.0.1\"]"), Ok(None));
        let icmp = read("addresses = [\"10.0.0.1\"]\nicmp = \"all\"")
            .unwrap()
            .unwrap();
        assert_eq!(
            (icmp.time_exceeded, icmp.unreachable, icmp.rate),
            (true, true, 100_000_000)
        );
        let icmp =
            read("addresses = [\"10.0.0.1\"]\nicmp = \"unreachable\"\nicmp_rate = \"0.5 /s\"");
        let icmp = icmp.unwrap().unwrap();
        assert_eq!(
            (icmp.time_exceeded, icmp.unreachable, icmp.rate),
            (false, true, 500_000)
        );
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_the_reason() {
        for (router, expected) in [
            (
                "icmp = \"all\"",
                "messages need a source: expected router.addresses",
            ),
            ("icmp_rate = \"1 /s\"", "router.icmp_rate has no effect"),
            (
                "addresses = [\"10.0.0.1\"]\nicmp = \"all\"\nicmp_rate = \"2 M/s\"",
                "to 1 M/s",
            ),
            ("icmp = \"some\"", "time_exceeded"),
        ] {
            let got = read(router).unwrap_err();
            assert!(got.contains(expected), "{router}: {got}");
        }
    }
}
