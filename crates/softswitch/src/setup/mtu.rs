//! `mtu` of `[switch]`: the longest payload of a frame.
//!
//! **Decision**     none; an MTU beyond the slots of a receive ring, or below IPv6's minimum, is refused.
//! **Units**        bytes of payload, without Ethernet's header, a VLAN tag and FCS.
//! **Source**       RFC 8200, section 5: 1280 bytes at least.
//! **Deviations**   an MTU above 1500 is outside the Ethernet standard (IEEE 802.3, 3.2.7).

use super::PortSetup;
use super::settings::SwitchSettings;
use sidestep_config::problem::{At, Problems};
use sidestep_config::section::Resolved;

/// MTU of standard Ethernet.
pub const DEFAULT_MTU: u32 = 1500;

/// Longest payload that fits into a slot of a receive ring.
pub const MOST_MTU: u32 = 16_000;

/// Least MTU that IPv6 requires of a link.
const LEAST: u32 = 1280;

/// Longest payload that AF_XDP has room for: a place of 2 KiB, less what the kernel keeps free in it.
const MOST_XDP: u32 = 1778;

/// Reads the MTU from `[switch]`.
pub(super) fn mtu(
    settings: &SwitchSettings,
    switch: &Resolved,
    at: &At,
    problems: &mut Problems,
) -> Option<u32> {
    let mtu = settings.mtu;
    let place = switch.places.get("switch.mtu").unwrap_or(at);
    if !(u64::from(LEAST)..=u64::from(MOST_MTU)).contains(&mtu) {
        let message = format!(
            "switch.mtu: expected from {LEAST}, which IPv6 needs, to {MOST_MTU}, for which a slot of the receive \
             ring has room, got {mtu}"
        );
        problems.add(place, message);
        return None;
    }
    if mtu > u64::from(DEFAULT_MTU) && settings.tags.is_some() {
        let message = format!(
            "switch.mtu: expected at most {DEFAULT_MTU} with switch.tags, which longer frames \
             cannot carry, got {mtu}"
        );
        problems.add(place, message);
    }
    Some(mtu as u32)
}

/// Refuses a port that cannot move frames of this MTU.
pub(super) fn fits(mtu: u32, port: &PortSetup, at: &At, problems: &mut Problems) {
    if port.xdp && mtu > MOST_XDP {
        let message = format!(
            "port {:?}: io = \"xdp\" has room for {MOST_XDP} B of payload: expected io = \"packet\" with switch.mtu = {mtu}",
            port.name
        );
        problems.add(at, message);
    }
}

/// Refuses an interface that would lose the longest frames of a switch; `has` is its MTU.
pub fn interface_fits(mtu: u32, port: &PortSetup, has: u32) -> Result<(), String> {
    if mtu <= DEFAULT_MTU || has >= mtu {
        return Ok(());
    }
    let (name, interface) = (&port.name, &port.interface);
    Err(format!(
        "port {name}: interface {interface:?} has an MTU of {has}: switch.mtu = {mtu} needs as \
         much: ip link set {interface} mtu {mtu}, and the same at the other end"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Setup;

    fn read(switch: &str, port: &str) -> Result<Setup, String> {
        let text =
            format!("[switch]\n{switch}\n[[port]]\ninterface = \"p\"\nrate = \"1 Gbps\"\n{port}\n");
        Setup::read("s.toml", &text).map_err(|all| all[0].to_string())
    }

    #[test]
    fn an_mtu_is_what_ring_and_interfaces_can_have() {
        assert_eq!(read("", "").unwrap().mtu, DEFAULT_MTU);
        let setup = read("mtu = 9000", "").unwrap();
        assert_eq!(Setup::read("s.toml", &setup.to_toml()), Ok(setup.clone()));
        let port = &setup.ports[0];
        assert_eq!(interface_fits(9000, port, 9000), Ok(()));
        let said = interface_fits(9000, port, 8999).unwrap_err();
        assert!(said.contains("ip link set p mtu 9000"), "{said}");
        assert_eq!(interface_fits(DEFAULT_MTU, port, 500), Ok(()), "as ever");
    }

    #[test]
    fn what_cannot_be_carried_is_refused_with_the_reason() {
        for (switch, port, expected) in [
            (
                "mtu = 16001",
                "",
                "a slot of the receive ring has room, got 16001",
            ),
            ("mtu = 1279", "", "expected from 1280, which IPv6 needs"),
            (
                "mtu = 1501\ntags = \"option\"",
                "",
                "expected at most 1500 with switch.tags",
            ),
            ("mtu = 1779", "io = \"xdp\"", "has room for 1778 B"),
            ("mtu = 9000\ncapacity = \"8 kB\"", "", "capacity"),
        ] {
            let got = read(switch, port).unwrap_err();
            assert!(got.contains(expected), "{switch}: {got}");
        }
        assert!(read("mtu = 1778", "io = \"xdp\"").is_ok());
    }
}
