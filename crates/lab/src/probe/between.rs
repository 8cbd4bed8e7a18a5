//! Links from one part of a network to another: `core > agg 0`.
//!
//! **Decision**     a part is a switch by its name, a tier (`core`), a tier's pod (`agg 0`), or
//!                  `host` for the hosts where links end.
//! **Errors**       [`Between::read`] reports words without meaning in this network.

use super::neighbours::directed;
use sidestep_config::problem::suggest;
use sidestep_sim::{End, Network, SwitchInfo};

/// Directed links from one part of a network to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Between {
    /// Text of the selection: `core > agg 0`.
    pub says: String,
    /// Indexes of the links among the outcome's ports; at least two.
    pub links: Vec<usize>,
}

/// Form of a selection, for messages.
pub const EXPECTED: &str =
    "links like \"core > agg 0\": from a tier, a tier's pod or a switch to another";

/// Word for all hosts, where links may end.
const HOSTS: &str = "host";

/// Side of a selection.
enum Part {
    Hosts,
    /// Membership of each switch, by number.
    Switches(Vec<bool>),
}

impl Part {
    fn has(&self, end: End) -> bool {
        match (self, end) {
            (Part::Hosts, End::Host(_)) => true,
            (Part::Switches(all), End::Switch(s)) => all[s.0 as usize],
            _ => false,
        }
    }
}

impl Between {
    /// Reads `text` and finds its links in `network`.
    pub fn read(network: &Network, text: &str) -> Result<Between, String> {
        let (from, to) = match text.split('>').collect::<Vec<_>>()[..] {
            [from, to] => (from.trim(), to.trim()),
            _ => return Err(format!("expected {EXPECTED}, got {text:?}")),
        };
        let says = format!("{from} > {to}");
        if from == HOSTS {
            let why = "links out of hosts belong to no tier; start from a switch or a tier";
            return Err(format!("{says:?}: {why}"));
        }
        let (from, to) = (part(network, from, &says)?, part(network, to, &says)?);
        let ends = (network.cables.iter()).flat_map(|cable| [cable.b, cable.a]);
        let links = directed(network).zip(ends);
        let links: Vec<usize> = links
            .filter(|((_, near, _), far)| from.has(*near) && to.has(*far))
            .map(|((place, _, _), _)| place)
            .collect();
        match links.len() {
            0 => Err(format!("{says:?}: no link leads from one to the other")),
            1 => Err(format!(
                "{says:?}: that is a single link; a spread needs at least two"
            )),
            _ => Ok(Between { says, links }),
        }
    }
}

fn part(network: &Network, word: &str, says: &str) -> Result<Part, String> {
    if word == HOSTS {
        return Ok(Part::Hosts);
    }
    let chosen = |is: &dyn Fn(&SwitchInfo) -> bool| -> Option<Part> {
        let all: Vec<bool> = network.switches.iter().map(is).collect();
        all.contains(&true).then_some(Part::Switches(all))
    };
    let found = chosen(&|switch| switch.name == word)
        .or_else(|| chosen(&|switch| switch.tier.as_deref() == Some(word)))
        .or_else(|| chosen(&|switch| in_pod(switch).is_some_and(|pod| pod == word)));
    found.ok_or_else(|| {
        let known = known(network);
        let hint = suggest(word, known.iter().map(String::as_str));
        format!("{says:?}: no tier, pod or switch is called {word:?}{hint}")
    })
}

/// Returns tier and pod of a switch: `agg 0` for one in pod 0.
fn in_pod(switch: &SwitchInfo) -> Option<String> {
    let (tier, pod) = (switch.tier.as_ref()?, switch.pod.as_ref()?);
    Some(format!("{tier} {pod}"))
}

/// Lists the words with a meaning, tiers first.
fn known(network: &Network) -> Vec<String> {
    let switches = || network.switches.iter();
    let mut all: Vec<String> = Vec::new();
    let mut add = |words: &mut dyn Iterator<Item = String>| {
        for word in words {
            if !all.contains(&word) && all.len() < MOST_KNOWN {
                all.push(word);
            }
        }
    };
    add(&mut switches().filter_map(|switch| switch.tier.clone()));
    add(&mut switches().filter_map(in_pod));
    add(&mut switches().map(|switch| switch.name.clone()));
    all
}

/// Maximum number of words searched for a suggestion.
const MOST_KNOWN: usize = 2_000;

#[cfg(test)]
mod tests {
    use super::super::testing::row;
    use super::*;

    fn fat_tree() -> Network {
        let text = "duration = \"1 ms\"\nschemes = \"dctcp\"\n\
            [topology]\nkind = \"fat_tree\"\nk = 4\n[workload.one]\nkind = \"permutation\"\n";
        let read = crate::Scenario::read("t.toml", text, &[], &sidestep_sim::NoFiles);
        let scenario = read.unwrap_or_else(|problems| panic!("{problems:?}"));
        (*scenario.network).clone()
    }

    fn names(network: &Network, says: &str) -> Vec<(String, String)> {
        let name = |end: End| match end {
            End::Host(_) => "host".to_string(),
            End::Switch(s) => network.switches[s.0 as usize].name.clone(),
        };
        let found = Between::read(network, says).unwrap();
        let links = found.links.iter().map(|place| {
            let cable = &network.cables[place / 2];
            match place % 2 {
                0 => (name(cable.a), name(cable.b)),
                _ => (name(cable.b), name(cable.a)),
            }
        });
        links.collect()
    }

    #[test]
    fn links_are_those_from_one_part_to_the_other_and_not_back() {
        let network = fat_tree();
        let down = names(&network, "core > agg 0");
        assert_eq!(down.len(), 4);
        assert!(
            down.iter()
                .all(|(from, to)| from.starts_with("core ") && to.starts_with("agg 0."))
        );
        let up = names(&network, "edge>agg");
        assert_eq!(up.len(), 16);
        assert!(
            up.iter()
                .all(|(from, to)| from.starts_with("edge ") && to.starts_with("agg "))
        );
        let one = names(&network, "agg 0.1 > core");
        assert_eq!(one.len(), 2);
        assert!(one.iter().all(|(from, _)| from == "agg 0.1"));
        assert_eq!(names(&network, "edge 3 > host").len(), 4);
        assert_eq!(names(&network, "edge > host").len(), 16);
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        let network = fat_tree();
        let refused = |text: &str| Between::read(&network, text).unwrap_err();
        assert!(refused("core").starts_with("expected links like \"core > agg 0\""));
        assert!(refused("core > agg > edge").starts_with("expected links like"));
        assert_eq!(
            refused("core > edge 0"),
            "\"core > edge 0\": no link leads from one to the other"
        );
        assert_eq!(
            refused("core 0 > agg 0"),
            "\"core 0 > agg 0\": that is a single link; a spread needs at least two"
        );
        assert_eq!(
            refused("core > aggg"),
            "\"core > aggg\": no tier, pod or switch is called \"aggg\"; did you mean \"agg\"?"
        );
        assert_eq!(
            refused("cor > agg"),
            "\"cor > agg\": no tier, pod or switch is called \"cor\"; did you mean \"core\"?"
        );
        assert!(refused("core > agg 9").contains("did you mean \"agg\"?"));
        assert!(refused("host > edge").contains("links out of hosts"));
        assert!(refused(" > ").contains("called \"\""));
        let row = row();
        let said = Between::read(&row, "switch 0 > host").unwrap_err();
        assert!(said.contains("a single link"), "{said}");
    }
}
