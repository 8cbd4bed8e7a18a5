//! Schema of a software switch's config.

use serde_json::{Map, Value, json};
use sidestep_softswitch::setup::{TOP, section_schemas};
use sidestep_study::schema::section::{array, object, section};
use sidestep_study::schema::value::value;

/// Returns the schema of the whole file.
pub fn config() -> Value {
    let mut all = Map::new();
    for param in TOP {
        all.insert(param.name.into(), value(param));
    }
    let mut required = Vec::new();
    for part in section_schemas() {
        let mut of = section(part.params, None, part.choices);
        for key in part.lists {
            let words = json!({"type": "array", "items": {"type": ["string", "number"]}});
            of["properties"][*key] = words;
        }
        // Keys without a default are required.
        let needed = part.params.iter().filter(|param| param.default.is_none());
        let needed: Vec<&str> = needed.map(|param| param.name).collect();
        if !needed.is_empty() {
            of["required"] = json!(needed);
        }
        if part.name == "port" {
            required.push(part.name);
        }
        all.insert(part.name.into(), if part.once { of } else { array(of) });
    }
    let mut schema = object(all);
    schema["required"] = json!(required);
    schema
}
