//! JSON for programs, and its version.

use serde_json::{Map, Value, json};

/// Version of the JSON that `--json` prints and the Python package returns. It rises when a key is removed, or
/// changes its meaning, unit or type; new keys do not raise it.
pub const VERSION: u32 = 3;

/// Returns the object with the version in front, as `schema`.
pub fn versioned(value: &Value) -> Value {
    let mut all = Map::new();
    all.insert("schema".into(), json!(VERSION));
    all.extend(value.as_object().cloned().unwrap_or_default());
    Value::Object(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_comes_first_and_the_rest_as_it_was() {
        let text = versioned(&json!({"b": 1, "a": 2})).to_string();
        assert_eq!(text, r#"{"schema":3,"b":1,"a":2}"#);
    }
}
