//! `shims` of a `[[port]]`: shims between the link and the host behind it.

use super::tables::words;
use sidestep_config::decision::Named;
use sidestep_config::document::Entry;
use sidestep_config::problem::{Problems, suggest};
use sidestep_config::section::Resolved;
use sidestep_config::spec::Choice;
use sidestep_config::value::{quoted, show};
use sidestep_transport::shim;
use sidestep_types::{ParamUnit, Time};

/// Silence after which a connection may be forgotten, together with its state in shims.
pub const SILENCE: Time = Time::from_s(10);

/// Tables of the shims' parameters, one for each shim, as in a scenario's `[host]`.
pub(super) const SHIMS: &[Choice] = &Choice::each::<{ shim::ENTRIES.len() }>(shim::ENTRIES);

/// Returns the shims that `list` names, with the values that the port gives them.
pub(super) fn shims(
    list: &[&Entry],
    port: &Resolved,
    problems: &mut Problems,
) -> Option<Vec<Named>> {
    let mut all: Vec<Named> = Vec::new();
    let mut whole = true;
    for (name, at) in words(list, "shims", problems)? {
        let Some((_, values)) = port.policies.iter().find(|(known, _)| *known == name) else {
            let hint = suggest(name, shim::ENTRIES.iter().map(|entry| entry.name));
            problems.add(at, format!("port.shims: {name:?} is unknown{hint}"));
            whole = false;
            continue;
        };
        if all.iter().any(|(before, _)| before == name) {
            problems.add(at, format!("port.shims: {name:?} is listed twice"));
            whole = false;
        }
        if let Err(why) = shim::build(name, values) {
            port.refused(name, &why, at, problems);
            whole = false;
        }
        let nature = shim::nature(name);
        if nature.adds > 0 && !nature.tags {
            let message = format!(
                "port.shims: {name:?} adds up to {} B to packets, which is not possible for real \
                 frames",
                nature.adds
            );
            problems.add(at, message);
            whole = false;
        }
        if let Some((param, word)) = shim::reads_sizes(name, values) {
            let message = format!(
                "port.{name}.{param}: {word:?} needs message sizes from applications, which frames \
                 do not carry{}",
                instead(name, param, word)
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
        all.push((name.to_string(), values.clone()));
    }
    if let Err((name, why)) = shim::tags_arrive(&all) {
        let at = &list.first().expect("it names them").at;
        port.refused(name, &why, at, problems);
        whole = false;
    }
    for entry in shim::ENTRIES {
        let (name, of) = (entry.name, format!("port.{}.", entry.name));
        let said = port.places.iter().find(|(key, _)| key.starts_with(&of));
        if let (Some((key, at)), false) = (said, all.iter().any(|(listed, _)| listed == name)) {
            let message = format!("{key} has no effect: expected {name:?} in shims");
            problems.add(at, message);
            whole = false;
        }
    }
    whole.then_some(all)
}

/// Returns the other values that a shim's parameter may have, for a message.
fn instead(name: &str, param: &str, word: &str) -> String {
    let entry = shim::ENTRIES.iter().find(|entry| entry.name == name);
    let params = entry.map_or(&[][..], |entry| entry.params);
    let unit = params.iter().find(|p| p.name == param).map(|p| p.unit);
    let Some(ParamUnit::Word(words)) = unit else {
        return String::new();
    };
    let others: Vec<String> = (words.iter().filter(|other| **other != word))
        .map(|other| format!("{other:?}"))
        .collect();
    format!(": expected {}", others.join(" or "))
}

/// Returns the lines of a port that configure its shims, with every value written out.
pub fn to_toml(shims: &[Named]) -> String {
    let names: Vec<String> = shims.iter().map(|(name, _)| quoted(name)).collect();
    let mut out = format!("shims = [{}]\n", names.join(", "));
    for (name, values) in shims {
        let entry = shim::ENTRIES.iter().find(|entry| entry.name == name);
        let params = entry.map_or(&[][..], |entry| entry.params).iter();
        let words: Vec<String> = params
            .map(|p| format!("{} = {}", p.name, quoted(&show(values.get(p.name), p))))
            .collect();
        out.push_str(&format!("{name} = {{ {} }}\n", words.join(", ")));
    }
    out
}
