//! Keys of `--set`, for completions, from the schema of a scenario.

use super::scenario;
use serde_json::Value;
use sidestep_lab::catalog;
use sidestep_lab::shipped::SCENARIOS;
use std::collections::BTreeSet;

/// Sections that no run reads, or that are lists.
const LEFT_OUT: [&str; 5] = ["source", "claim", "plot", "sweep", "quick"];

/// Returns the keys in alphabetical order, each with the `=` that follows. A key that ends with a full stop is continued by
/// the user: a scheme, or switches that differ. Workloads have the names that shipped scenarios use.
pub fn keys() -> Vec<String> {
    let root = scenario(false);
    let mut found = BTreeSet::new();
    let sections = root["properties"].as_object().into_iter().flatten();
    for (name, of) in sections.filter(|(name, _)| !LEFT_OUT.contains(&name.as_str())) {
        match name.as_str() {
            "workload" => {
                for workload in workloads() {
                    walk(one(of), &root, &format!("{name}.{workload}"), &mut found);
                }
            }
            "scheme" => {
                let shipped = catalog::kind("schemes").map_or(Vec::new(), |kind| kind.items);
                found.extend(
                    shipped
                        .iter()
                        .map(|scheme| format!("{name}.{}.", scheme.name)),
                );
            }
            _ => walk(of, &root, name, &mut found),
        }
    }
    found.into_iter().collect()
}

/// Adds the keys of a schema at `key`.
fn walk(schema: &Value, root: &Value, key: &str, found: &mut BTreeSet<String>) {
    if let Some(to) = schema["$ref"].as_str() {
        let place = to.trim_start_matches('#');
        return walk(
            root.pointer(place).unwrap_or(&Value::Null),
            root,
            key,
            found,
        );
    }
    if let Some(ways) = schema["anyOf"].as_array() {
        return ways.iter().for_each(|way| walk(way, root, key, found));
    }
    if let Some(below) = schema["properties"].as_object() {
        let each = below.iter();
        return each.for_each(|(name, of)| walk(of, root, &format!("{key}.{name}"), found));
    }
    if schema["type"] == "object" {
        found.insert(format!("{key}."));
    } else if schema["items"]["type"] != "object" {
        found.insert(format!("{key}="));
    }
}

/// Returns the schema of one table among those with names of the user.
fn one(named: &Value) -> &Value {
    let all = named["patternProperties"].as_object();
    all.and_then(|all| all.values().next())
        .unwrap_or(&Value::Null)
}

/// Returns the names of the workloads of all shipped scenarios.
fn workloads() -> BTreeSet<&'static str> {
    let lines = SCENARIOS.iter().flat_map(|(_, text)| text.lines());
    let named = lines.filter_map(|line| line.strip_prefix("[workload.")?.split([']', '.']).next());
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_lab::Scenario;
    use sidestep_sim::NoFiles;

    #[test]
    fn every_value_of_a_shipped_scenario_has_its_key() {
        let keys = keys();
        let (_, text) = SCENARIOS
            .iter()
            .find(|(name, _)| *name == "quickstart")
            .unwrap();
        let read = Scenario::read("quickstart", text, &[], &NoFiles).unwrap();
        let missing: Vec<&str> = (read.settings().iter())
            .map(|setting| setting.key.as_str())
            .filter(|key| !keys.contains(&format!("{key}=")))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
        for key in [
            "workload.query.degree=",
            "transport.rto_min=",
            "schemes=",
            "scheme.dibs.",
            "switch.at.",
        ] {
            assert!(keys.iter().any(|own| own == key), "{key}: {keys:?}");
        }
        assert!(!keys.iter().any(|key| key.starts_with("claim")));
    }
}
