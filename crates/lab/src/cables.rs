//! Cables and switches by name, and the cable changes that a change of a whole switch expands to.
//!
//! A cable's name is its two ends, in either order: `agg 0.0 - core 1`, `host 3 - edge 0.1`.

use sidestep_config::problem::suggest;
use sidestep_sim::{Becomes, Change, End, Network};
use sidestep_types::{HostId, SwitchId, Time};

/// Separator between the two ends in a cable's name.
const JOINS: &str = " - ";

/// Maximum number of names listed in a message.
const MOST_NAMES: usize = 16;

/// Target of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeTarget {
    /// A cable, by its number.
    Cable(u32),
    /// All cables of a switch.
    Switch(SwitchId),
}

/// Change as the scenario states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub at: Time,
    pub about: ChangeTarget,
    pub to: Becomes,
    pub reroute: Option<Time>,
}

/// Returns the name of an end.
fn end_name(network: &Network, end: End) -> String {
    match end {
        End::Host(h) => format!("host {}", h.0),
        End::Switch(s) => network.switches[s.0 as usize].name.clone(),
    }
}

/// Returns the name of a cable.
pub(crate) fn cable_name(network: &Network, cable: u32) -> String {
    let cable = &network.cables[cable as usize];
    let [a, b] = [cable.a, cable.b].map(|end| end_name(network, end));
    format!("{a}{JOINS}{b}")
}

/// Returns every end called `word`: a host, switches, or both.
fn ends(network: &Network, word: &str) -> Vec<End> {
    let number = word.strip_prefix("host ").and_then(|n| n.parse().ok());
    let host = number
        .filter(|n| *n < network.hosts)
        .map(|n| End::Host(HostId(n)));
    let named = (0..).zip(&network.switches).filter(|(_, s)| s.name == word);
    host.into_iter()
        .chain(named.map(|(s, _)| End::Switch(SwitchId(s))))
        .collect()
}

/// Returns the switch called `word`. Errors suggest the nearest name, or count the switches of that name.
pub(crate) fn switch(network: &Network, word: &str) -> Result<SwitchId, String> {
    let found = ends(network, word).into_iter().filter_map(|end| match end {
        End::Switch(s) => Some(s),
        End::Host(_) => None,
    });
    let found: Vec<SwitchId> = found.collect();
    match found[..] {
        [one] => Ok(one),
        [] => Err(format!(
            "no switch is called {word:?}{}",
            nearest(network, word)
        )),
        _ => Err(format!("{} switches are called {word:?}", found.len())),
    }
}

/// Returns a hint at the nearest switch, such as `; did you mean "core 1"?`. For a host, the range of hosts.
fn nearest(network: &Network, word: &str) -> String {
    if word.starts_with("host ") {
        return format!(
            "; hosts are host 0 to host {}",
            network.hosts.saturating_sub(1)
        );
    }
    let hint = suggest(word, network.switches.iter().map(|s| s.name.as_str()));
    let long = network.switches.len() > MOST_NAMES && hint.starts_with("; known");
    if long { String::new() } else { hint }
}

/// Returns the number of the cable called `text`. Errors suggest the nearest name, or count the cables of that
/// name.
pub(crate) fn cable(network: &Network, text: &str) -> Result<u32, String> {
    let splits = text.match_indices(JOINS);
    let splits = splits.map(|(at, _)| (text[..at].trim(), text[at + JOINS.len()..].trim()));
    let splits: Vec<(&str, &str)> = splits.collect();
    let Some(&(a, b)) = splits.first() else {
        let example = network.cables.first().map(|_| cable_name(network, 0));
        let example = example.unwrap_or_default();
        return Err(format!(
            "expected the two ends of a cable like {example:?}, got {text:?}"
        ));
    };
    let joins = |(a, b): &(&str, &str)| -> Vec<u32> {
        let (a, b) = (ends(network, a), ends(network, b));
        let is = |(x, y): (End, End)| a.contains(&x) && b.contains(&y);
        let of = (0..).zip(&network.cables);
        of.filter(|(_, c)| is((c.a, c.b)) || is((c.b, c.a)))
            .map(|(i, _)| i)
            .collect()
    };
    let found: Vec<u32> = splits.iter().flat_map(joins).collect();
    match found[..] {
        [one] => return Ok(one),
        [] => {}
        _ => return Err(format!("{} cables are called {text:?}", found.len())),
    }
    for end in [a, b] {
        if ends(network, end).is_empty() {
            let hint = nearest(network, end);
            return Err(format!("no switch or host is called {end:?}{hint}"));
        }
    }
    let here = ends(network, a);
    let far =
        network
            .cables
            .iter()
            .filter_map(|c| match (here.contains(&c.a), here.contains(&c.b)) {
                (true, _) => Some(end_name(network, c.b)),
                (_, true) => Some(end_name(network, c.a)),
                _ => None,
            });
    let far: Vec<String> = far.take(MOST_NAMES).collect();
    Err(format!(
        "no cable connects {a:?} to {b:?}; cables from {a:?} lead to {}",
        far.join(", ")
    ))
}

/// Expands the written changes into changes of single cables, each with the index of the written change that
/// caused it. A cable is up unless it was taken down itself or one of its switches is down.
///
/// Errors name the first change, in order of time, that has no effect or sets the rate of a cable that is down.
pub(crate) fn of_cables(
    network: &Network,
    written: &[Written],
) -> Result<Vec<(usize, Change)>, (usize, String)> {
    let mut cut = vec![false; network.cables.len()];
    let mut off = vec![false; network.switches.len()];
    let mut changes = Vec::new();
    let mut order: Vec<usize> = (0..written.len()).collect();
    order.sort_by_key(|&number| written[number].at);
    for number in order {
        let Written {
            at,
            about,
            to,
            reroute,
        } = written[number];
        let cables: Vec<u32> = match about {
            ChangeTarget::Cable(cable) => vec![cable],
            ChangeTarget::Switch(switch) => {
                let is = |c: &sidestep_sim::Cable| [c.a, c.b].contains(&End::Switch(switch));
                let of = (0..).zip(&network.cables);
                of.filter(|(_, c)| is(c)).map(|(i, _)| i).collect()
            }
        };
        let before: Vec<bool> = cables
            .iter()
            .map(|&c| carries(network, &cut, &off, c))
            .collect();
        let mark = match about {
            ChangeTarget::Cable(cable) => &mut cut[cable as usize],
            ChangeTarget::Switch(switch) => &mut off[switch.0 as usize],
        };
        let down = to == Becomes::Down;
        if matches!(to, Becomes::Rate(_)) {
            if let Some(dead) = before.iter().position(|up| !up) {
                let name = cable_name(network, cables[dead]);
                return Err((
                    number,
                    format!("{name:?} is down at that time, so its rate cannot change"),
                ));
            }
        } else {
            if *mark == down {
                let word = if down { "down" } else { "up" };
                let name = match about {
                    ChangeTarget::Cable(cable) => cable_name(network, cable),
                    ChangeTarget::Switch(switch) => {
                        network.switches[switch.0 as usize].name.clone()
                    }
                };
                let why = format!("{name:?} is already {word} at {at}; remove this change");
                return Err((number, why));
            }
            *mark = down;
        }
        for (cable, before) in cables.into_iter().zip(before) {
            let after = carries(network, &cut, &off, cable);
            if after != before || matches!(to, Becomes::Rate(_)) {
                changes.push((
                    number,
                    Change {
                        at,
                        cable,
                        to,
                        reroute,
                    },
                ));
            }
        }
    }
    Ok(changes)
}

/// True if this cable is up, given the cut cables and the switches that are off.
fn carries(network: &Network, cut: &[bool], off: &[bool], cable: u32) -> bool {
    let on = |end: End| match end {
        End::Host(_) => true,
        End::Switch(s) => !off[s.0 as usize],
    };
    let Some(ends) = network.cables.get(cable as usize) else {
        return false;
    };
    !cut[cable as usize] && on(ends.a) && on(ends.b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_sim::{NoFiles, topology};
    use sidestep_types::{BitRate, Values};

    fn network(name: &str) -> Network {
        let entry = topology::ENTRIES
            .iter()
            .find(|entry| entry.name == name)
            .unwrap();
        topology::build(name, &Values::defaults(entry.params), &NoFiles).unwrap()
    }

    #[test]
    fn a_cable_is_known_by_its_ends_in_either_order() {
        for name in ["fat_tree", "testbed", "jellyfish", "leaf_spine"] {
            let network = network(name);
            for number in 0..network.cables.len() as u32 {
                let name = cable_name(&network, number);
                assert_eq!(cable(&network, &name), Ok(number));
                let (a, b) = name.split_once(JOINS).unwrap();
                assert_eq!(cable(&network, &format!(" {b}  -  {a}")), Ok(number));
            }
        }
    }

    #[test]
    fn what_is_not_there_is_refused_with_the_nearest() {
        let network = network("testbed");
        let said = |text| cable(&network, text).unwrap_err();
        assert_eq!(
            said("edge 0 - agg0"),
            "no switch or host is called \"agg0\"; did you mean \"agg 0\"?"
        );
        assert_eq!(
            said("host 77 - edge 0"),
            "no switch or host is called \"host 77\"; hosts are host 0 to host 5"
        );
        assert_eq!(
            said("agg 0 - host 0"),
            "no cable connects \"agg 0\" to \"host 0\"; cables from \"agg 0\" lead to edge 0, edge 1, edge 2"
        );
        assert_eq!(
            said("agg 0"),
            "expected the two ends of a cable like \"host 0 - edge 0\", got \"agg 0\""
        );
        let mut twice = network.clone();
        twice.cables.push(twice.cables[0]);
        let first = cable_name(&twice, 0);
        assert_eq!(
            cable(&twice, &first).unwrap_err(),
            format!("2 cables are called {first:?}")
        );
        assert_eq!(switch(&network, "edge 1"), Ok(SwitchId(1)));
        assert_eq!(
            switch(&network, "egde 1").unwrap_err(),
            "no switch is called \"egde 1\"; did you mean \"edge 1\"?"
        );
        twice.switches[1].name = "edge 0".into();
        assert_eq!(
            switch(&twice, "edge 0").unwrap_err(),
            "2 switches are called \"edge 0\""
        );
    }

    fn at(us: u64, about: ChangeTarget, to: Becomes) -> Written {
        let (at, reroute) = (Time::from_us(us), None);
        Written {
            at,
            about,
            to,
            reroute,
        }
    }

    #[test]
    fn a_cable_is_up_while_nobody_took_it_down_and_its_switches_are_up() {
        let network = network("testbed");
        let one = cable(&network, "edge 0 - agg 0").unwrap();
        let (edge, agg) = (
            ChangeTarget::Switch(SwitchId(0)),
            switch(&network, "agg 0").unwrap(),
        );
        let agg = ChangeTarget::Switch(agg);
        let (down, up) = (Becomes::Down, Becomes::Up);
        let of = |written: &[Written]| {
            let found = of_cables(&network, written).unwrap().into_iter();
            let found = found.filter(|(_, change)| change.cable == one);
            found
                .map(|(number, change)| (number, change.to))
                .collect::<Vec<_>>()
        };
        let cut = ChangeTarget::Cable(one);
        assert_eq!(
            of(&[
                at(1, agg, down),
                at(2, edge, down),
                at(3, agg, up),
                at(4, edge, up)
            ]),
            [(0, down), (3, up)]
        );
        assert_eq!(
            of(&[
                at(1, cut, down),
                at(2, agg, down),
                at(3, cut, up),
                at(4, agg, up)
            ]),
            [(0, down), (3, up)]
        );
        // Changes apply in order of time, not in the order written.
        assert_eq!(
            of(&[at(4, cut, up), at(1, cut, down)]),
            [(1, down), (0, up)]
        );
        let slow = Becomes::Rate(BitRate::bps(7));
        let all = of_cables(&network, &[at(1, agg, slow)]).unwrap();
        assert_eq!(all.len(), 3);
        let said = |written: &[Written]| of_cables(&network, written).unwrap_err();
        assert_eq!(
            said(&[at(1, cut, up)]),
            (
                0,
                "\"edge 0 - agg 0\" is already up at 1 us; remove this change".into()
            )
        );
        assert_eq!(
            said(&[at(1, agg, down), at(1, agg, down)]),
            (
                1,
                "\"agg 0\" is already down at 1 us; remove this change".into()
            )
        );
        let slower = said(&[at(2, agg, slow), at(1, cut, down)]);
        assert_eq!(
            slower,
            (
                0,
                "\"edge 0 - agg 0\" is down at that time, so its rate cannot change".into()
            )
        );
    }
}
