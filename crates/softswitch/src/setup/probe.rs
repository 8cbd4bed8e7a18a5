//! `loop_probe` and `loop_action` of `[switch]`: whether a switch looks for loops, and what it does about one.
//!
//! **Decision**     none; a port is blocked only where everything else finds its way by learning.
//! **Units**        time from one probe of a port to the next.

use super::Forwarding;
use super::settings::{LoopAction, SwitchSettings};
use sidestep_config::problem::{At, Problems};
use sidestep_config::section::Resolved;
use sidestep_types::Time;

/// More often than that is traffic, less often is never. Assumed.
const OFTEN: Time = Time::from_ms(10);
const SELDOM: Time = Time::from_s(3600);

/// How a switch looks for loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopProbe {
    /// From one probe of a port to the next.
    pub every: Time,
    /// A port of a loop is blocked.
    pub blocks: bool,
}

/// Reads both from `[switch]`.
pub(super) fn probe(
    settings: &SwitchSettings,
    switch: &Resolved,
    at: &At,
    problems: &mut Problems,
) -> Option<LoopProbe> {
    let place = |key: &str| switch.places.get(&format!("switch.{key}")).unwrap_or(at);
    let Some(every) = settings.loop_probe else {
        if switch.places.contains_key("switch.loop_action") {
            let message = "switch.loop_action has no effect: expected loop_probe, as \"1 s\"";
            problems.add(place("loop_action"), message);
        }
        return None;
    };
    if !(OFTEN..=SELDOM).contains(&every) {
        let message = format!("switch.loop_probe: expected from {OFTEN} to {SELDOM}, got {every}");
        problems.add(place("loop_probe"), message);
    }
    let blocks = settings.loop_action == LoopAction::Block;
    if blocks && settings.forwarding == Forwarding::Static {
        let message = "switch.loop_action = \"block\": expected forwarding = \"learning\": with stations from the config \
                       the ways are the config's, and flood = false is what ends a loop";
        problems.add(place("loop_action"), message);
    }
    Some(LoopProbe { every, blocks })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Setup;

    fn read(switch: &str) -> Result<Option<LoopProbe>, String> {
        let text = format!("[switch]\n{switch}\n[[port]]\ninterface = \"p\"\nrate = \"1 Gbps\"\n");
        let setup = Setup::read("s.toml", &text).map_err(|all| all[0].to_string())?;
        assert_eq!(Setup::read("s.toml", &setup.to_toml()).as_ref(), Ok(&setup));
        Ok(setup.probe)
    }

    #[test]
    fn probes_are_off_unless_asked_for_and_read_back() {
        assert_eq!(read(""), Ok(None));
        let every = Time::from_s(1);
        let both = "loop_probe = \"1 s\"\nloop_action = \"block\"\nforwarding = \"learning\"";
        assert_eq!(
            read("loop_probe = \"1 s\""),
            Ok(Some(LoopProbe {
                every,
                blocks: false
            }))
        );
        assert_eq!(
            read(both),
            Ok(Some(LoopProbe {
                every,
                blocks: true
            }))
        );
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_the_reason() {
        for (switch, expected) in [
            (
                "loop_action = \"block\"",
                "switch.loop_action has no effect",
            ),
            (
                "loop_probe = \"9 ms\"",
                "expected from 10 ms to 3600 s, got 9 ms",
            ),
            (
                "loop_probe = \"1 s\"\nloop_action = \"block\"",
                "expected forwarding = \"learning\"",
            ),
        ] {
            let got = read(switch).unwrap_err();
            assert!(got.contains(expected), "{switch}: {got}");
        }
    }
}
