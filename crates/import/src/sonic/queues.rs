//! Queues of the ports of a SONiC switch, and the choice of one.
//!
//! **Decision**     rows count by the queues and ports in their keys: `Ethernet0,Ethernet4|3-4` is four queues,
//!                  and `host|asic0|Ethernet0|3` is one of a chassis. Queues with the same buffer profile and
//!                  the same WRED profile are of one kind. If there are several kinds, the user chooses one.

use super::file::{File, quoted, unquoted};
use crate::counts::{counted, counting};
use crate::{Options, natural};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Largest number of a queue; no chip has more queues for a port.
const MOST: u32 = 63;

/// Most kinds that a message lists.
const LISTED: usize = 6;

/// Port, with its host and chip in a chassis; in natural order.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Port(String);

impl Port {
    /// Returns the name without host and chip.
    fn short(&self) -> &str {
        self.0.rsplit('|').next().unwrap_or(&self.0)
    }
}

impl Ord for Port {
    fn cmp(&self, other: &Port) -> Ordering {
        natural::order(&self.0, &other.0)
    }
}

impl PartialOrd for Port {
    fn partial_cmp(&self, other: &Port) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Numbers of queues by port.
type Places = BTreeMap<Port, BTreeSet<u32>>;

/// Queues with the same profiles.
#[derive(Clone, Debug)]
pub struct Kind<'a> {
    /// Name in BUFFER_PROFILE; `None` if no row of BUFFER_QUEUE has these queues.
    pub profile: Option<&'a str>,
    /// Name in WRED_PROFILE.
    pub wred: Option<&'a str>,
    places: Places,
}

impl Kind<'_> {
    /// Returns the number of queues.
    pub fn many(&self) -> usize {
        self.places.values().map(BTreeSet::len).sum()
    }

    /// Describes the queues: `queues 0-2, 5-6 of 28 ports`.
    pub fn words(&self) -> String {
        let ports = counted(self.places.len() as u64, "ports");
        let mut sets = self.places.values();
        let first = sets.next().cloned().unwrap_or_default();
        if sets.all(|set| *set == first) {
            return format!("{} of {ports}", numbered(&first));
        }
        let all: BTreeSet<u32> = self.places.values().flatten().copied().collect();
        format!(
            "{} of {ports} (not the same of each: {})",
            counted(self.many() as u64, "queues"),
            ranges(&all)
        )
    }

    /// Names the profiles: `profile "lossy", no WRED profile`.
    pub fn profiles(&self) -> String {
        let profile = self.profile.map_or("no profile".to_string(), |name| {
            format!("profile {}", quoted(name))
        });
        let wred = self.wred.map_or("no WRED profile".to_string(), |name| {
            format!("WRED profile {}", quoted(name))
        });
        format!("{profile}, {wred}")
    }

    /// Returns the argument of `--queue` that chooses this kind among `others`.
    fn flag(&self, others: &[Kind<'_>]) -> String {
        let mine = self.places.values().flatten();
        let taken: BTreeSet<u32> = (others.iter())
            .filter(|other| (other.profile, other.wred) != (self.profile, self.wred))
            .flat_map(|other| other.places.values().flatten().copied())
            .collect();
        if let Some(queue) = mine.filter(|queue| !taken.contains(queue)).min() {
            return queue.to_string();
        }
        let first = self
            .places
            .iter()
            .find_map(|(port, set)| Some((port, set.first()?)));
        first.map_or(String::new(), |(port, queue)| {
            format!("'{}|{queue}'", unquoted(&port.0))
        })
    }
}

/// All queues that the configuration names, by kind.
pub struct Queues<'a> {
    pub kinds: Vec<Kind<'a>>,
}

impl<'a> Queues<'a> {
    /// Reads BUFFER_QUEUE and QUEUE.
    pub fn read(file: &File<'a>) -> Result<Queues<'a>, String> {
        let mut all: BTreeMap<(Port, u32), [Option<&'a str>; 2]> = BTreeMap::new();
        for (which, (table, field)) in [("BUFFER_QUEUE", "profile"), ("QUEUE", "wred_profile")]
            .into_iter()
            .enumerate()
        {
            for (key, row) in file.table(table).into_iter().flatten() {
                let place = format!("{table}.{key}");
                let (ports, queues) =
                    places(key).map_err(|expected| file.wrong(table, expected, key))?;
                let fields = file.row(table, key, row)?;
                let Some(name) = file.reference(fields, &place, field)? else {
                    continue;
                };
                let each = ports
                    .iter()
                    .flat_map(|port| queues.iter().map(move |queue| (port, *queue)));
                for (port, queue) in each {
                    let slot = &mut all.entry((port.clone(), queue)).or_default()[which];
                    if let Some(other) = slot.replace(name).filter(|other| *other != name) {
                        let port = unquoted(&port.0);
                        let expected = format!("one {field} of queue {queue} of {port}");
                        let got = format!("{name} and, in another row, {other}");
                        return Err(file.wrong(&place, &expected, &got));
                    }
                }
            }
        }
        let mut kinds: BTreeMap<[Option<&'a str>; 2], Places> = BTreeMap::new();
        for ((port, queue), profiles) in all {
            let places = kinds.entry(profiles).or_default();
            places.entry(port).or_default().insert(queue);
        }
        let mut kinds: Vec<Kind<'a>> = (kinds.into_iter())
            .map(|([profile, wred], places)| Kind {
                profile,
                wred,
                places,
            })
            .collect();
        // By their lowest queue, and by the first port in natural order.
        let first = |kind: &Kind<'a>| {
            let port = kind.places.keys().next().cloned();
            (kind.places.values().flatten().min().copied(), port)
        };
        kinds.sort_by_key(first);
        Ok(Queues { kinds })
    }

    /// Returns the chosen kind, or the only one. `None` if no queue has the chosen profile, or if
    /// BUFFER_QUEUE has no queues and none is chosen.
    pub fn choose(&self, file: &File<'a>, options: &Options) -> Result<Option<Kind<'a>>, String> {
        let buffered = self.kinds.iter().any(|kind| kind.profile.is_some());
        let known: Vec<Kind<'a>> = (self.kinds.iter())
            .filter(|kind| kind.profile.is_some() == buffered)
            .cloned()
            .collect();
        let mut found = known.clone();
        if let Some(wanted) = &options.queue {
            let expected = "a queue like 3, 3-4 or Ethernet0|3";
            let wanted_places = wanted_queues(wanted)
                .ok_or_else(|| format!("--queue: expected {expected}, got {}", quoted(wanted)))?;
            let exact = wanted_places.exact(&known);
            found
                .iter_mut()
                .for_each(|kind| wanted_places.keep(&mut kind.places, &exact));
            found.retain(|kind| !kind.places.is_empty());
            if found.is_empty() {
                let all = list(&known, &known);
                return Err(
                    file.wrong("BUFFER_QUEUE", "--queue with one of its queues", wanted) + &all,
                );
            }
        }
        if let Some(profile) = &options.profile {
            let of_it = |kind: &Kind<'_>| kind.profile.is_none_or(|name| name == profile);
            if options.queue.is_some() && !found.iter().any(of_it) {
                let expected = format!("queues with --profile {}", quoted(profile));
                let got = "other profiles".to_string() + &list(&found, &known);
                return Err(format!(
                    "{}: --queue: expected {expected}, got {got}",
                    file.name
                ));
            }
            found.retain(of_it);
        }
        match &found[..] {
            [] => Ok(None),
            // Without BUFFER_QUEUE, only --queue says which of the queues is meant.
            _ if !buffered && options.queue.is_none() => Ok(None),
            [one] => Ok(Some(one.clone())),
            several => {
                let whose = match &options.queue {
                    Some(_) => "--queue names",
                    None => "the switch has",
                };
                Err(format!(
                    "{}: BUFFER_QUEUE: {whose} {} kinds of queues: choose one with --queue{}",
                    file.name,
                    several.len(),
                    list(several, &known)
                ))
            }
        }
    }

    /// Returns the queues of `kind` at whose ports PFC is on for them, and the number of these ports.
    pub fn lossless(
        &self,
        file: &File<'a>,
        kind: &Kind<'_>,
    ) -> Result<Option<(String, usize)>, String> {
        let maps = file.table("MAP_PFC_PRIORITY_TO_QUEUE");
        let mut on: BTreeSet<u32> = BTreeSet::new();
        let mut ports = 0;
        for (key, row) in file.table("PORT_QOS_MAP").into_iter().flatten() {
            let fields = file.row("PORT_QOS_MAP", key, row)?;
            let place = format!("PORT_QOS_MAP.{key}");
            let Some(enabled) = file.text(fields, &place, "pfc_enable")? else {
                continue;
            };
            let named = file.text(fields, &place, "pfc_to_queue_map")?;
            let named = named.as_deref().and_then(|name| name.rsplit('|').next());
            let named = named.map(|name| name.trim_end_matches(']'));
            let map = match named.and_then(|name| Some((name, maps?.get(name)?))) {
                Some((name, map)) => Some(file.row("MAP_PFC_PRIORITY_TO_QUEUE", name, map)?),
                None => None,
            };
            let mut paused: BTreeSet<u32> = BTreeSet::new();
            for priority in enabled.split(',').map(str::trim) {
                let mapped = match map {
                    Some(map) => file.text(map, "MAP_PFC_PRIORITY_TO_QUEUE", priority)?,
                    None => None,
                };
                paused.extend(mapped.as_deref().unwrap_or(priority).parse::<u32>().ok());
            }
            for name in key.rsplit('|').next().unwrap_or(key).split(',') {
                let of_port = (kind.places.iter()).filter(|(port, _)| port.short() == name.trim());
                for (_, queues) in of_port {
                    let both: Vec<u32> = queues.intersection(&paused).copied().collect();
                    ports += usize::from(!both.is_empty());
                    on.extend(both);
                }
            }
        }
        Ok((ports > 0).then(|| (numbered(&on), ports)))
    }
}

/// Lists kinds, one a line, each with the argument that chooses it.
fn list(kinds: &[Kind<'_>], known: &[Kind<'_>]) -> String {
    let mut text = String::new();
    for kind in kinds.iter().take(LISTED) {
        let flag = kind.flag(known);
        text.push_str(&format!(
            "\n  --queue {flag}: {}, {}",
            kind.words(),
            kind.profiles()
        ));
    }
    match kinds.len().saturating_sub(LISTED) {
        0 => text,
        more => format!("{text}\n  and {more} more"),
    }
}

/// Queues that `--queue` names.
struct Wanted {
    /// Ports; empty for all.
    ports: Vec<String>,
    queues: BTreeSet<u32>,
}

impl Wanted {
    /// Returns the wanted ports that are whole names; others may be names without host and chip.
    fn exact(&self, kinds: &[Kind<'_>]) -> BTreeSet<String> {
        let whole = |name: &&String| {
            let port = Port((*name).clone());
            kinds.iter().any(|kind| kind.places.contains_key(&port))
        };
        self.ports.iter().filter(whole).cloned().collect()
    }

    fn keep(&self, places: &mut Places, exact: &BTreeSet<String>) {
        places.retain(|port, queues| {
            let short = |name: &String| name == port.short() && !exact.contains(name);
            let named = |name: &String| *name == port.0 || short(name);
            queues.retain(|queue| self.queues.contains(queue));
            !queues.is_empty() && (self.ports.is_empty() || self.ports.iter().any(named))
        });
    }
}

fn wanted_queues(word: &str) -> Option<Wanted> {
    if !word.contains('|') {
        let queues = numbers(word)?;
        return Some(Wanted {
            ports: Vec::new(),
            queues,
        });
    }
    let (ports, queues) = places(word).ok()?;
    let ports = ports.into_iter().map(|port| port.0).collect();
    Some(Wanted { ports, queues })
}

/// Reads a key: `Ethernet0,Ethernet4|3-4`, `host|asic0|Ethernet0|3`. Errors are what was expected.
fn places(key: &str) -> Result<(Vec<Port>, BTreeSet<u32>), &'static str> {
    const KEY: &str = "keys like Ethernet0|3-4";
    let (ports, queues) = key.rsplit_once('|').ok_or(KEY)?;
    let (before, ports) = match ports.rsplit_once('|') {
        Some((chip, ports)) => (format!("{}|", chip.trim()), ports),
        None => (String::new(), ports),
    };
    let ports: Vec<Port> = (ports.split(','))
        .map(|port| Port(format!("{before}{}", port.trim())))
        .collect();
    if ports.iter().any(|port| port.short().is_empty()) {
        return Err(KEY);
    }
    let queues = numbers(queues).ok_or("keys that end with queues from 0 to 63, like 3 or 3-4")?;
    Ok((ports, queues))
}

/// Reads `3`, `3-4` or `0,3-4`.
fn numbers(word: &str) -> Option<BTreeSet<u32>> {
    let number = |word: &str| {
        word.trim()
            .parse::<u32>()
            .ok()
            .filter(|number| *number <= MOST)
    };
    let mut all = BTreeSet::new();
    for part in word.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return None;
        }
        all.extend(first..=last);
    }
    Some(all)
}

/// Formats queues: `queue 3`, `queues 0-2, 5`.
fn numbered(all: &BTreeSet<u32>) -> String {
    format!("{} {}", counting(all.len() as u64, "queues"), ranges(all))
}

/// Formats numbers: `0-2, 5`.
fn ranges(all: &BTreeSet<u32>) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for number in all {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => runs.push((*number, *number)),
        }
    }
    let run = |(first, last): (u32, u32)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    runs.into_iter().map(run).collect::<Vec<_>>().join(", ")
}
