//! Schema of one parameter: its unit as a pattern, its words, its default, its description.

use serde_json::{Map, Value, json};
use sidestep_types::{Param, ParamUnit, Unit};

/// Returns the schema of a parameter's value.
pub fn value(param: &Param) -> Value {
    let mut ways = plain(param.unit);
    let words: Vec<&str> = param.off.into_iter().chain(param.word).collect();
    if !words.is_empty() {
        ways.push(json!({"enum": words}));
    }
    explained(param, one_of(ways))
}

/// Returns the schema of a parameter with one or several values: words separated by commas, or a list.
pub fn list(param: &Param) -> Value {
    let item = one_of(plain(param.unit));
    let one = match unit_pattern(param.unit) {
        Some(one) => {
            let off: String = param.off.map(|off| format!("|{off}")).unwrap_or_default();
            json!({"type": "string", "pattern": format!(r"^\s*(?:{one}(?:\s*,\s*{one})*{off})\s*$")})
        }
        None => item.clone(),
    };
    explained(
        param,
        one_of(vec![one, json!({"type": "array", "items": item})]),
    )
}

/// Adds the alternatives to a string: the reader accepts numbers and flags as their text.
pub fn text_or(string: Value) -> Value {
    json!({"anyOf": [string, {"type": ["number", "boolean"]}]})
}

fn one_of(mut ways: Vec<Value>) -> Value {
    if ways.len() == 1 {
        return ways.remove(0);
    }
    json!({"anyOf": ways})
}

fn explained(param: &Param, schema: Value) -> Value {
    let mut all = Map::new();
    let example = match param.unit {
        ParamUnit::File => String::new(),
        unit => format!(" ({})", unit.example()),
    };
    all.insert(
        "description".into(),
        json!(format!("{}{example}", param.doc)),
    );
    if let Some(default) = param.default.filter(|text| !text.is_empty()) {
        all.insert("default".into(), natural(param.unit, default));
    }
    all.extend(schema.as_object().expect("a schema is an object").clone());
    Value::Object(all)
}

/// Writes a default as in a file: counts and flags are bare.
fn natural(unit: ParamUnit, text: &str) -> Value {
    let bare = matches!(unit, ParamUnit::Count | ParamUnit::Flag);
    let read = bare.then(|| serde_json::from_str(text).ok()).flatten();
    read.unwrap_or_else(|| json!(text))
}

/// Lists the forms of a value with this unit.
fn plain(unit: ParamUnit) -> Vec<Value> {
    let string = unit_pattern(unit)
        .map(|one| json!({"type": "string", "pattern": format!(r"^\s*{one}\s*$")}));
    match unit {
        ParamUnit::Count => vec![
            json!({"type": "integer", "minimum": 0}),
            json!({"type": "string", "pattern": r"^\s*[0-9_]*[0-9][0-9_]*\s*$"}),
        ],
        ParamUnit::Flag => vec![
            json!({"type": "boolean"}),
            json!({"enum": ["true", "false"]}),
        ],
        ParamUnit::Fraction => {
            vec![
                json!({"type": "number", "minimum": 0}),
                string.expect("it has a pattern"),
            ]
        }
        ParamUnit::ByteRange | ParamUnit::Counts => {
            vec![
                json!({"type": "integer", "minimum": 0}),
                string.expect("it has a pattern"),
            ]
        }
        ParamUnit::Word(words) => vec![json!({"enum": words})],
        ParamUnit::File => vec![json!({"type": ["string", "number", "boolean"]})],
        ParamUnit::List(each) => {
            let items = json!({"type": "array", "minItems": 1, "items": one_of(plain(*each))});
            let bare = plain(*each)
                .into_iter()
                .filter(|way| way["type"] != "string");
            bare.chain(string).chain([items]).collect()
        }
        _ => vec![string.expect("it has a pattern")],
    }
}

/// Decimal number, as the reader accepts it.
const NUMBER: &str = r"(?:[0-9_]+\.?[0-9_]*|\.[0-9_]+)";

/// Returns the pattern of one value, without anchors; `None` for units without a pattern.
fn unit_pattern(unit: ParamUnit) -> Option<String> {
    let with = |units: &[Unit]| {
        let names = units.iter().flat_map(|unit| unit.names());
        let names: Vec<&str> = names.map(|(name, _)| *name).collect();
        format!(r"{NUMBER}\s*(?:{})", names.join("|"))
    };
    Some(match unit {
        ParamUnit::Time => with(&[Unit::Time]),
        ParamUnit::Bytes => with(&[Unit::Bytes]),
        ParamUnit::Rate => with(&[Unit::Rate]),
        ParamUnit::PerSecond => with(&[Unit::PerSecond]),
        ParamUnit::Size => with(&[Unit::Packets, Unit::Bytes]),
        ParamUnit::ByteRange => {
            let one = format!(r"(?:{}|[0-9_]+)", with(&[Unit::Bytes]));
            format!(r"{one}(?:\s*\.\.\s*{one})?")
        }
        ParamUnit::Counts => r"[0-9_]*[0-9][0-9_]*(?:\s+[0-9_]*[0-9][0-9_]*)*".into(),
        ParamUnit::Fraction => format!(r"(?:[0-9]+\s*/\s*[0-9]+|{NUMBER})"),
        ParamUnit::List(ParamUnit::Count) => several("[0-9_]*[0-9][0-9_]*"),
        ParamUnit::List(each) => several(&unit_pattern(*each)?),
        _ => return None,
    })
}

/// Returns the pattern of one or more values, separated by commas.
fn several(one: &str) -> String {
    format!(r"{one}(?:\s*,\s*{one})*")
}
