//! Schema of a section: its keys, those of its kind, and the policies it chooses.

use super::value::value;
use serde_json::{Map, Value, json};
use sidestep_lab::Choice;
use sidestep_types::{Entry, Param};

/// Returns the schema of a table with these keys and no other.
pub fn object(properties: Map<String, Value>) -> Value {
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

/// Returns the schema of a table of tables, with names chosen by the user.
pub fn named(of: Value) -> Value {
    json!({
        "type": "object",
        "patternProperties": {"^[A-Za-z0-9_-]+$": of},
        "additionalProperties": false,
    })
}

/// Returns the schema of a list of tables.
pub fn array(of: Value) -> Value {
    json!({"type": "array", "items": of})
}

/// Returns the schema of a list of tables, or of tables by their number, with names of this pattern.
pub fn table_or_list(of: Value, numbers: &str) -> Value {
    json!({"anyOf": [
        {"type": "array", "items": of},
        {"type": "object", "patternProperties": {numbers: of}, "additionalProperties": false},
    ]})
}

/// Returns the schema of a section with parameters, policies, and possibly a kind.
pub fn section(params: &'static [Param], kind: Option<Choice>, policies: &[Choice]) -> Value {
    let mut schema = match kind {
        Some(choice) => chosen(&choice, params),
        None => object(Map::new()),
    };
    for param in params {
        schema["properties"][param.name] = value(param);
    }
    for choice in policies {
        schema["properties"][choice.what] = policy(choice);
    }
    schema
}

/// Returns the schema of a policy: its name, or a table with its kind and parameters.
fn policy(choice: &Choice) -> Value {
    let table = chosen(choice, &[]);
    json!({
        "description": format!("which {}", choice.what),
        "default": choice.default,
        "anyOf": [kinds(choice), table],
    })
}

/// Returns the schema of an entry's name, or of a table described elsewhere.
pub fn name_or(choice: &Choice, doc: &str, table: &str) -> Value {
    json!({"description": doc, "anyOf": [kinds(choice), {"$ref": table}]})
}

/// Returns the schema of a registry's names, each with its description.
fn kinds(choice: &Choice) -> Value {
    let name = |entry: &Entry| json!({"const": entry.name, "description": entry.summary});
    let ways: Vec<Value> = choice.entries.iter().map(name).collect();
    json!({"anyOf": ways})
}

/// Returns the schema of a table with a `kind` and its parameters. Without a kind it may have parameters of
/// any, since another layer may choose the kind. `shared` are parameters of the section for every kind.
fn chosen(choice: &Choice, shared: &'static [Param]) -> Value {
    let mut all = Map::new();
    let mut kind = kinds(choice);
    if let Some(default) = choice.default {
        kind["default"] = json!(default);
    }
    all.insert("kind".into(), kind);
    let mut ways: Vec<(&'static str, Vec<Value>)> = Vec::new();
    for param in choice.entries.iter().flat_map(|entry| entry.params) {
        let of = value(param);
        match ways.iter_mut().find(|(name, _)| *name == param.name) {
            Some((_, known)) if known.contains(&of) => {}
            Some((_, known)) => known.push(of),
            None => ways.push((param.name, vec![of])),
        }
    }
    let several = ways.iter().filter(|(_, known)| known.len() > 1);
    let several: Vec<&str> = several.map(|(name, _)| *name).collect();
    for (name, mut known) in ways {
        let of = match known.len() {
            1 => known.remove(0),
            // The rule of the kind selects one of them.
            _ => json!({"anyOf": known}),
        };
        all.insert(name.into(), of);
    }
    let mut schema = object(all);
    let rules = choice
        .entries
        .iter()
        .map(|entry| rule(entry, shared, &several));
    schema["allOf"] = json!(rules.collect::<Vec<Value>>());
    schema
}

/// Returns the rule of one kind: it allows only its own parameters, and for a name whose meaning differs in
/// `several` kinds, its own meaning.
fn rule(entry: &Entry, shared: &'static [Param], several: &[&str]) -> Value {
    let own = entry
        .params
        .iter()
        .filter(|param| several.contains(&param.name));
    let own: Map<String, Value> = own
        .map(|param| (param.name.to_string(), value(param)))
        .collect();
    let names = entry.params.iter().chain(shared).map(|param| param.name);
    let names: Vec<&str> = ["kind"].into_iter().chain(names).collect();
    json!({
        "if": {"properties": {"kind": {"const": entry.name}}, "required": ["kind"]},
        "then": {"properties": own, "propertyNames": {"enum": names}},
    })
}
