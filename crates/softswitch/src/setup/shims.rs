//! `shims` of a `[[port]]`: what stands between the link and the host behind it.

use super::tables::words;
use sidestep_config::document::Entry;
use sidestep_config::problem::{Problems, suggest};
use sidestep_config::section::Resolved;
use sidestep_config::spec::Choice;
use sidestep_config::value::{quoted, shown};
use sidestep_transport::shim;
use sidestep_types::{ParamUnit, Time};

/// After so long a connection may be forgotten, and what shims know of it.
pub const SILENCE: Time = Time::from_s(10);

/// Each shim has a table of its own, as in a scenario's `[host]`.
pub(super) const SHIMS: &[Choice] = &Choice::each::<{ shim::ENTRIES.len() }>(shim::ENTRIES);

/// The shims that `list` names, with the values that the port gives them.
pub(super) fn shims(
    list: &[&Entry],
    port: &Resolved,
    problems: &mut Problems,
) -> Option<Vec<shim::Chosen>> {
    let mut all: Vec<shim::Chosen> = Vec::new();
    let mut whole = true;
    let listed = words(list, "shims", problems)?;
    for &(name, at) in &listed {
        let Some((_, values)) = port.policies.iter().find(|(known, _)| *known == name) else {
            let hint = suggest(name, shim::ENTRIES.iter().map(|entry| entry.name));
            problems.add(at, format!("port.shims: {name:?} is unknown{hint}"));
            whole = false;
            continue;
        };
        if all.iter().any(|before| before.name() == name) {
            problems.add(at, format!("port.shims: {name:?} is there twice"));
            whole = false;
        }
        let read = shim::choose(name, values).and_then(|shim| shim.build().map(|_| shim));
        let shim = match read {
            Ok(shim) => shim,
            Err(why) => {
                port.refused(name, &why, at, problems);
                whole = false;
                continue;
            }
        };
        let nature = shim.nature();
        if nature.adds > 0 && !nature.tags {
            let message = format!(
                "port.shims: {name:?} makes packets longer, by up to {} B, and not by a tag: real frames stay as \
                 they are",
                nature.adds
            );
            problems.add(at, message);
            whole = false;
        }
        if let Some((param, word)) = shim::reads_sizes(&shim) {
            let message = format!(
                "port.{name}.{param}: {word:?} goes by sizes that applications say, and no frame says one{}",
                instead(&shim, param, word)
            );
            let of = format!("port.{name}.{param}");
            problems.add(port.places.get(&of).unwrap_or(at), message);
            whole = false;
        }
        if let Some(param) = nature.holds.filter(|param| values.time(param) >= SILENCE) {
            let message = format!(
                "port.{name}.{param}: expected less than {SILENCE}, after which a connection may be forgotten, got {}",
                values.time(param)
            );
            problems.add(at, message);
            whole = false;
        }
        all.push(shim);
    }
    if let Err((name, why)) = shim::tags_arrive(&all) {
        let at = &list.first().expect("it names them").at;
        port.refused(name, &why, at, problems);
        whole = false;
    }
    for entry in shim::ENTRIES {
        let (name, of) = (entry.name, format!("port.{}.", entry.name));
        let said = port.places.iter().find(|(key, _)| key.starts_with(&of));
        if let (Some((key, at)), false) = (said, listed.iter().any(|(listed, _)| *listed == name)) {
            let message = format!("{key} has no effect: expected {name:?} in shims");
            problems.add(at, message);
            whole = false;
        }
    }
    whole.then_some(all)
}

/// What a shim's parameter may be instead of `word`, for a message.
fn instead(shim: &shim::Chosen, param: &str, word: &str) -> String {
    let unit = shim
        .params()
        .iter()
        .find(|p| p.name == param)
        .map(|p| p.unit);
    let Some(ParamUnit::Word(words)) = unit else {
        return String::new();
    };
    let others: Vec<String> = (words.iter().filter(|other| **other != word))
        .map(|other| format!("{other:?}"))
        .collect();
    format!(": expected {}", others.join(" or "))
}

/// The lines of a port that say its shims, with every value written out.
pub fn to_toml(shims: &[shim::Chosen]) -> String {
    let names: Vec<String> = shims.iter().map(|shim| quoted(shim.name())).collect();
    let mut out = format!("shims = [{}]\n", names.join(", "));
    for shim in shims {
        let words = shown(shim).into_iter();
        let words: Vec<String> = words
            .map(|(key, value)| format!("{key} = {}", quoted(&value)))
            .collect();
        out.push_str(&format!("{} = {{ {} }}\n", shim.name(), words.join(", ")));
    }
    out
}
