//! `vlan`, `trunk` and `native`: which VLANs a port carries, and how; in which VLAN a station is.
//!
//! **Decision**     none; what makes no sense, alone or beside the rest, is refused.
//! **Units**        numbers of VLANs, 1 to 4094; 0 stands for none.
//! **Source**       IEEE 802.1Q, 5.4 and table 9-2: 0 is no VLAN and 4095 is reserved.
//! **Deviations**   a port of a switch with VLANs says its own: none is in VLAN 1 by default.

use super::PortSetup;
use super::tags::Tags;
use sidestep_config::decision::Decision;
use sidestep_config::problem::{At, Problems};
use sidestep_config::section::Resolved;
use sidestep_types::{Param, ParamUnit, PortId};

use super::process::NONE;

/// The last VLAN there is.
const LAST: u64 = 4094;

/// In no VLAN: where no port has any.
pub const NO_VLAN: u16 = 0;

pub(super) const VLAN: Param = Param::with_default(
    "vlan",
    ParamUnit::Count,
    NONE,
    "an access port: frames have no tag there, and are in this VLAN, 1 to 4094",
)
.or_off(NONE);

pub(super) const TRUNK: Param = Param::with_default(
    "trunk",
    ParamUnit::List(&ParamUnit::Count),
    NONE,
    "a trunk: frames of these VLANs come and leave by it with a tag of 802.1Q",
)
.or_off(NONE);

pub(super) const NATIVE: Param = Param::with_default(
    "native",
    ParamUnit::Count,
    NONE,
    "trunk: the one of its VLANs whose frames have no tag",
)
.or_off(NONE);

pub(super) const IN_VLAN: Param = Param::with_default(
    "vlan",
    ParamUnit::Count,
    NONE,
    "the VLAN that it is in; needed behind trunks, and by default that of its access ports",
)
.or_off(NONE);

/// What a port carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortVlan {
    /// One VLAN, without tags.
    Access(u16),
    /// Several, with tags.
    Trunk {
        /// Which, in rising order.
        vlans: Vec<u16>,
        /// The one of them that has no tag.
        native: Option<u16>,
    },
}

impl PortVlan {
    /// Is this VLAN among its own?
    pub fn carries(&self, vlan: u16) -> bool {
        match self {
            PortVlan::Access(own) => *own == vlan,
            PortVlan::Trunk { vlans, .. } => vlans.binary_search(&vlan).is_ok(),
        }
    }

    /// The VLAN of frames without a tag, if there may be any.
    pub fn untagged(&self) -> Option<u16> {
        match self {
            PortVlan::Access(own) => Some(*own),
            PortVlan::Trunk { native, .. } => *native,
        }
    }

    /// All of them, in rising order.
    pub fn all(&self) -> &[u16] {
        match self {
            PortVlan::Access(own) => std::slice::from_ref(own),
            PortVlan::Trunk { vlans, .. } => vlans,
        }
    }

    /// Keys and values, as a config has them.
    pub(super) fn words(&self) -> Vec<(&'static str, String)> {
        match self {
            PortVlan::Access(own) => vec![("vlan", own.to_string())],
            PortVlan::Trunk { vlans, native } => {
                let vlans: Vec<String> = vlans.iter().map(u16::to_string).collect();
                let native = native.map(|vlan| ("native", vlan.to_string()));
                let trunk = ("trunk", vlans.join(", "));
                std::iter::once(trunk).chain(native).collect()
            }
        }
    }
}

/// The number of a VLAN.
fn number(n: u64) -> Result<u16, String> {
    match n {
        1..=LAST => Ok(n as u16),
        _ => Err(format!("expected a VLAN from 1 to {LAST}, got {n}")),
    }
}

/// What the three keys of a port say; `Err` when that is refused.
pub(super) fn port_vlan(
    port: &Resolved,
    at: &At,
    problems: &mut Problems,
) -> Result<Option<PortVlan>, ()> {
    let place = |key: &str| port.places.get(&format!("port.{key}")).unwrap_or(at);
    read(port).map_err(|(key, why)| problems.add(place(key), format!("port.{key}: {why}")))
}

fn read(port: &Resolved) -> Result<Option<PortVlan>, (&'static str, String)> {
    let values = &port.values;
    let named = |key: &'static str| {
        let vlan = values.count_or_off(key).map(number).transpose();
        vlan.map_err(|why| (key, why))
    };
    let (access, native) = (named("vlan")?, named("native")?);
    let Some(listed) = values.numbers_or_off("trunk") else {
        if native.is_some() {
            let why = "has no effect: expected trunk beside it; an access port has vlan alone";
            return Err(("native", why.into()));
        }
        return Ok(access.map(PortVlan::Access));
    };
    if access.is_some() {
        let why = "expected either vlan, at an access port, or trunk, got both";
        return Err(("vlan", why.into()));
    }
    let vlans: Result<Vec<u16>, String> = listed.into_iter().map(number).collect();
    let mut vlans = vlans.map_err(|why| ("trunk", why))?;
    vlans.sort_unstable();
    if let Some(twice) = vlans.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(("trunk", format!("has VLAN {} twice", twice[0])));
    }
    if let Some(native) = native.filter(|native| !vlans.contains(native)) {
        return Err(("native", format!("expected one of trunk, got {native}")));
    }
    Ok(Some(PortVlan::Trunk { vlans, native }))
}

/// Refuses ports whose VLANs do not go with those of others, or with the rest of the switch. `places` are theirs.
pub(super) fn agree(
    ports: &[PortSetup],
    places: &[&At],
    decision: &Decision,
    tags: Option<Tags>,
    problems: &mut Problems,
) {
    let Some(first) = ports.iter().position(|port| port.vlan.is_some()) else {
        return;
    };
    let mut refuse = |at: usize, why: &str| {
        problems.add(places[at], format!("port {:?}: {why}", ports[at].name));
    };
    if tags.is_some() {
        refuse(
            first,
            "a VLAN and switch.tags: expected one of the two, as both would stand right behind the addresses",
        );
    }
    if decision.buffer.nature().detours {
        refuse(
            first,
            "a VLAN and a switch.buffer that detours: expected another one, as a port that takes detours may not \
             carry the frame's VLAN",
        );
    }
    for (at, port) in ports.iter().enumerate() {
        match &port.vlan {
            None => {
                let why = format!(
                    "neither vlan nor trunk: expected one of the two, as port {:?} has one",
                    ports[first].name
                );
                refuse(at, &why);
            }
            Some(_) if port.xdp => refuse(
                at,
                "a VLAN and io = \"xdp\": expected io = \"packet\", as AF_XDP does not see a tag that the kernel \
                 keeps beside the frame",
            ),
            Some(PortVlan::Trunk { .. }) if !port.shims.is_empty() => refuse(
                at,
                "a trunk and shims: expected an access port, as shims see frames without tags",
            ),
            Some(_) => {}
        }
    }
}

/// In which VLAN a station or next hop with these ports is; `says` is its own word, `what` its name in messages.
pub(super) fn station_vlan(
    ports: &[PortSetup],
    of: &[PortId],
    says: Option<u64>,
    what: &str,
) -> Result<u16, String> {
    let says = says.map(number).transpose();
    let says = says.map_err(|why| format!("{what}: {why}"))?;
    if !alike(ports, of) {
        return Err(format!(
            "{what}: expected ports that carry the same VLANs in the same way, got others"
        ));
    }
    let Some(vlans) = of
        .first()
        .and_then(|port| ports[port.index()].vlan.as_ref())
    else {
        return match says {
            None => Ok(NO_VLAN),
            Some(vlan) => Err(format!(
                "{what}: VLAN {vlan} has no effect: expected vlan or trunk at the ports"
            )),
        };
    };
    let all: Vec<String> = vlans.all().iter().map(u16::to_string).collect();
    let all = all.join(", ");
    match (says, vlans) {
        (None, PortVlan::Access(own)) => Ok(*own),
        (Some(vlan), _) if vlans.carries(vlan) => Ok(vlan),
        (Some(vlan), _) => Err(format!(
            "{what}: expected a VLAN that its ports carry ({all}), got {vlan}"
        )),
        (None, _) => Err(format!(
            "{what}: stands behind a trunk: expected its vlan, one of {all}"
        )),
    }
}

/// Do these ports carry the same VLANs in the same way?
pub fn alike(ports: &[PortSetup], of: &[PortId]) -> bool {
    let vlans = |port: &PortId| &ports[port.index()].vlan;
    of.windows(2).all(|pair| vlans(&pair[0]) == vlans(&pair[1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Setup;

    /// Two ports with these lines, a third one with `third`, and a station behind the ports of `station`.
    fn read(switch: &str, ports: [&str; 3], station: &str) -> Result<Setup, String> {
        let mut text = format!("[switch]\n{switch}\n");
        for (n, lines) in ports.iter().enumerate() {
            text += &format!("[[port]]\ninterface = \"p{n}\"\nrate = \"1 Gbps\"\n{lines}\n");
        }
        if !station.is_empty() {
            text += &format!("[[station]]\nmac = \"02:00:00:00:00:01\"\n{station}\n");
        }
        let said = |all: Vec<sidestep_config::problem::Problem>| {
            let lines: Vec<String> = all.iter().map(ToString::to_string).collect();
            lines.join("\n")
        };
        Setup::read("s.toml", &text).map_err(said)
    }

    const SOUND: [&str; 3] = [
        "vlan = 10",
        "trunk = \"20, 10\"\nnative = 20",
        "trunk = [10, 20]\nnative = 20",
    ];

    #[test]
    fn ports_and_stations_say_their_vlans_and_read_back() {
        let setup = read("", SOUND, "ports = [\"p1\", \"p2\"]\nvlan = 20").unwrap();
        let trunk = PortVlan::Trunk {
            vlans: vec![10, 20],
            native: Some(20),
        };
        let all: Vec<_> = setup.ports.iter().map(|port| port.vlan.clone()).collect();
        assert_eq!(
            all,
            [Some(PortVlan::Access(10)), Some(trunk.clone()), Some(trunk)]
        );
        assert_eq!(setup.stations[0].vlan, 20);
        assert_eq!(Setup::read("s.toml", &setup.to_toml()), Ok(setup));
        let setup = read("", SOUND, "ports = [\"p0\"]").unwrap();
        assert_eq!(setup.stations[0].vlan, 10, "of its port");
        let setup = read("", [""; 3], "ports = [\"p0\"]").unwrap();
        assert_eq!(setup.stations[0].vlan, NO_VLAN);
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_the_reason() {
        let [a, b, c] = SOUND;
        for (switch, ports, station, expected) in [
            (
                "",
                ["vlan = 0", b, c],
                "",
                "port.vlan: expected a VLAN from 1 to 4094, got 0",
            ),
            (
                "",
                [a, "trunk = 4095", c],
                "",
                "port.trunk: expected a VLAN from 1 to 4094, got 4095",
            ),
            (
                "",
                [a, "trunk = \"7, 7\"", c],
                "",
                "port.trunk: has VLAN 7 twice",
            ),
            (
                "",
                [a, "vlan = 7\ntrunk = 8", c],
                "",
                "expected either vlan, at an access port, or trunk",
            ),
            (
                "",
                [a, "vlan = 7\nnative = 7", c],
                "",
                "port.native: has no effect",
            ),
            (
                "",
                [a, "trunk = 8\nnative = 7", c],
                "",
                "port.native: expected one of trunk, got 7",
            ),
            (
                "",
                [a, b, ""],
                "",
                "port \"p2\": neither vlan nor trunk: expected one of the two, as port \"p0\"",
            ),
            ("tags = \"option\"", SOUND, "", "a VLAN and switch.tags"),
            (
                "buffer = \"dibs\"",
                SOUND,
                "",
                "a VLAN and a switch.buffer that detours",
            ),
            (
                "",
                [a, b, "trunk = 7\nio = \"xdp\""],
                "",
                "a VLAN and io = \"xdp\"",
            ),
            (
                "",
                [a, b, "trunk = 7\nshims = [\"order\"]"],
                "",
                "a trunk and shims",
            ),
            (
                "",
                SOUND,
                "ports = [\"p0\", \"p1\"]",
                "expected ports that carry the same VLANs",
            ),
            (
                "",
                SOUND,
                "ports = [\"p1\"]",
                "stands behind a trunk: expected its vlan, one of 10, 20",
            ),
            (
                "",
                SOUND,
                "ports = [\"p1\"]\nvlan = 30",
                "expected a VLAN that its ports carry (10, 20), got 30",
            ),
            (
                "",
                [""; 3],
                "ports = [\"p1\"]\nvlan = 30",
                "VLAN 30 has no effect",
            ),
        ] {
            let got = read(switch, ports, station).unwrap_err();
            assert!(got.contains(expected), "{expected}\n{got}");
        }
    }
}
