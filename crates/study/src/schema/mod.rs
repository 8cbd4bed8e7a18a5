//! JSON Schemas of the files that users write, generated from the tables that the readers use.
//!
//! **Decision**     a schema refuses unknown keys, values without their unit and words that no registry has.
//!                  Rules that depend on another value or file (a host out of range, layers that complete each
//!                  other) are checked by `sidestep check`.
//! **Deviations**   it refuses a parameter beside a kind without a parameter of that name, which the reader
//!                  accepts if every scheme names another kind.
//! **Units**        JSON Schema draft-07, which taplo and editors support.

pub mod keys;
pub mod section;
pub mod value;

use section::{array, name_or, named, object, section, table_or_list};
use serde_json::{Map, Value, json};
use sidestep_lab::stats::metric::{CLASS_METRICS, METRICS};
use sidestep_lab::tables::{
    CHANGE, CLAIM, FIGURE, LISTS, PLOT, PLOT_LISTS, PROBE, PROBE_LISTS, SCENARIO, WORKLOAD,
};
use sidestep_lab::{
    AROUND, AT, Choice, HOST_SPEC, MAY_DIFFER, POINTS, PROFILE_NAMES, PlotKind, PointCombination,
    SCHEME_KEYS, SECTIONS, SWITCH_SPEC, Spec, TRANSPORT_SPEC, Verdict, WORKLOADS,
};
use sidestep_sim::{topology, workload};
use sidestep_transport::shim;
use sidestep_types::Param;
use value::{list, text_or, value};

/// Formats a schema as a file, with a title and the page that explains its subject.
pub fn file(mut schema: Value, title: &str, page: &str) -> String {
    let mut whole = Map::new();
    whole.insert(
        "$schema".into(),
        json!("http://json-schema.org/draft-07/schema#"),
    );
    whole.insert("title".into(), json!(title));
    whole.insert(
        "description".into(),
        json!(format!("Written by `sidestep schema`; {page} explains it.")),
    );
    whole.append(schema.as_object_mut().expect("a schema is an object"));
    let mut text = String::new();
    print(&Value::Object(whole), 0, &mut text);
    text.push('\n');
    text
}

/// Prints JSON for people: a value that fits is on one line.
fn print(value: &Value, indent: usize, text: &mut String) {
    const WIDTH: usize = 100;
    let short = value.to_string();
    let (open, close, items): (_, _, Vec<(Option<&str>, &Value)>) = match value {
        Value::Array(items) => ('[', ']', items.iter().map(|item| (None, item)).collect()),
        Value::Object(all) => {
            let items = all.iter().map(|(key, item)| (Some(key.as_str()), item));
            ('{', '}', items.collect())
        }
        _ => return text.push_str(&short),
    };
    if indent + short.len() <= WIDTH || items.is_empty() {
        return text.push_str(&short);
    }
    text.push(open);
    for (i, (key, item)) in items.into_iter().enumerate() {
        text.push_str(if i == 0 { "\n" } else { ",\n" });
        text.push_str(&" ".repeat(indent + 2));
        if let Some(key) = key {
            text.push_str(&format!("{}: ", json!(key)));
        }
        print(item, indent + 2, text);
    }
    text.push('\n');
    text.push_str(&" ".repeat(indent));
    text.push(close);
}

/// Returns the schema of a scenario, or of an experiment, which may leave keys to its base.
pub fn scenario(experiment: bool) -> Value {
    let mut all = Map::new();
    for param in SCENARIO {
        all.insert(param.name.into(), value(param));
    }
    for param in LISTS {
        all.insert(param.name.into(), list(param));
    }
    for name in SECTIONS.into_iter().chain(AROUND) {
        if experiment || !["extends", "figure"].contains(&name) {
            all.insert(name.into(), of_section(name));
        }
    }
    let mut schema = object(all);
    schema["definitions"] = definitions();
    let required = json!(["duration", "schemes", "topology", "workload"]);
    if experiment {
        // A base has only the keys that its experiments share, and is no figure.
        schema["anyOf"] = json!([
            {"required": ["extends"]},
            {"required": required},
            {"not": {"required": ["figure"]}},
        ]);
    } else {
        schema["required"] = required;
    }
    schema
}

fn of_section(name: &str) -> Value {
    let kinded = |what, entries| Choice {
        what,
        entries,
        default: None,
    };
    match name {
        "topology" => section(&[], Some(kinded("topology", topology::ENTRIES)), &[]),
        "workload" => {
            let kinds = kinded("workload", workload::ENTRIES);
            let mut workload = section(WORKLOAD, Some(kinds), &[]);
            workload["properties"][TRANSPORT_SPEC.name] = transport_of_workload();
            named(workload)
        }
        "switch" | "transport" | "host" => json!({"$ref": format!("#/definitions/{name}")}),
        "scheme" => named(scheme(false)),
        "probe" => {
            let mut probe = section(PROBE, None, &[]);
            for param in PROBE_LISTS {
                probe["properties"][param.name] = list(param);
            }
            probe
        }
        "change" => table_or_list(section(CHANGE, None, &[]), "^[0-9]+$"),
        "source" => json!({
            "type": "object",
            "description": "sources of values, by dotted key: a citation, or \"assumed\"",
            "additionalProperties": text_or(json!({"type": "string"})),
        }),
        "claim" => array(rows(CLAIM, &[], &claim_words())),
        "plot" => array(rows(PLOT, &PLOT_LISTS, &plot_words())),
        "figure" => rows(FIGURE, &[], &[]),
        "extends" => json!({
            "type": "string",
            "description": "a file that is read first, by its path from this one",
        }),
        "sweep" => json!({
            "type": "object",
            "description": "axes: a dotted key and its values, or a name and tables with `is`",
        }),
        "quick" => json!({
            "type": "object",
            "description": "changes for a quick run: dotted keys, or fewer values of an axis",
        }),
        other => unreachable!("the section {other:?} has no schema"),
    }
}

fn transport_of_workload() -> Value {
    let own = WORKLOAD
        .iter()
        .find(|param| param.name == TRANSPORT_SPEC.name);
    let kinds = TRANSPORT_SPEC.kind.expect("[transport] has kinds");
    let doc = own.expect("a workload has a transport").doc;
    name_or(&kinds, doc, "#/definitions/transport")
}

/// Returns the definitions used in several places: at the top, and in each scheme.
fn definitions() -> Value {
    json!({"switch": switch(), "transport": of_spec(&TRANSPORT_SPEC), "host": host()})
}

fn of_spec(spec: &Spec<'static>) -> Value {
    section(spec.params, spec.kind, spec.policies)
}

fn switch() -> Value {
    let mut switch = of_spec(&SWITCH_SPEC);
    // The keys that may differ have the same schema as above.
    let names = MAY_DIFFER.iter().map(|param| param.name);
    let names = names.chain(SWITCH_SPEC.policies.iter().map(|choice| choice.what));
    let above = |name| json!({"$ref": format!("#/definitions/switch/properties/{name}")});
    let mut differs = object(names.map(|name| (name.to_string(), above(name))).collect());
    differs["description"] = json!("other settings of the switches of one tier, or of one switch");
    switch["properties"][AT] = json!({
        "type": "object",
        "description": "switches with other settings, by tier or name",
        "additionalProperties": differs,
    });
    switch
}

fn host() -> Value {
    let mut host = of_spec(&HOST_SPEC);
    let shims: Vec<&str> = shim::ENTRIES.iter().map(|entry| entry.name).collect();
    let listed = HOST_SPEC.params.iter().find(|param| param.name == "shims");
    let mut listed = list(listed.expect("[host] has shims"));
    listed["examples"] = json!(shims);
    host["properties"]["shims"] = listed;
    host
}

/// Returns the schema of a scheme's file, or of a scheme within a scenario.
pub fn scheme(file: bool) -> Value {
    let mut all = Map::new();
    for name in SCHEME_KEYS {
        let of = match name {
            "summary" => json!({"type": "string", "description": "summary in one line"}),
            "paper" => json!({"type": "string", "description": "the paper and section"}),
            "profile" => json!({
                "enum": PROFILE_NAMES,
                "description": "profile of the senders, overridden by [transport]; by default the \
                                scenario's",
            }),
            name => of_section(name),
        };
        all.insert(name.into(), of);
    }
    if file {
        all.insert("source".into(), of_section("source"));
    } else {
        let own = [(TRANSPORT_SPEC.name.to_string(), transport_of_workload())];
        let mut workloads = named(object(own.into_iter().collect()));
        workloads["description"] = json!("workloads with another transport under this scheme");
        all.insert(WORKLOADS.into(), workloads);
    }
    let mut schema = object(all);
    if file {
        schema["definitions"] = definitions();
    }
    schema
}

/// Returns the schema of a table whose values are texts, except points, `lists`, and keys with a fixed set of
/// `words`.
fn rows(params: &'static [Param], lists: &[&str], words: &[(&str, Value)]) -> Value {
    let mut all = Map::new();
    for param in params {
        let mut of = if POINTS.contains(&param.name) {
            json!({"type": "object", "description": param.doc})
        } else if lists.contains(&param.name) {
            list(param)
        } else {
            value(param)
        };
        if let Some((_, known)) = words.iter().find(|(name, _)| *name == param.name) {
            of = json!({"description": param.doc});
            of.as_object_mut()
                .expect("it was made one")
                .extend(known.as_object().expect("words are a schema").clone());
        }
        all.insert(param.name.into(), of);
    }
    let required = params.iter().filter(|param| param.default.is_none());
    let required: Vec<&str> = required.map(|param| param.name).collect();
    let mut schema = object(all);
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn claim_words() -> Vec<(&'static str, Value)> {
    let names: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
    // A metric of one class is called `fct_p99_ms:storage`.
    let own: Vec<&str> = CLASS_METRICS.iter().map(|metric| metric.name).collect();
    let of_class = format!("^(?:{}):.+$", own.join("|"));
    let verdicts: Vec<&str> = Verdict::ALL.iter().map(|(name, _)| *name).collect();
    let over: Vec<&str> = PointCombination::ALL
        .iter()
        .map(|(name, _)| *name)
        .collect();
    vec![
        (
            "metric",
            json!({"anyOf": [{"enum": names}, {"type": "string", "pattern": of_class}]}),
        ),
        ("over", json!({"enum": over})),
        ("expect", json!({"enum": verdicts})),
        ("testbed_expect", json!({"enum": verdicts})),
    ]
}

fn plot_words() -> Vec<(&'static str, Value)> {
    let kinds: Vec<&str> = PlotKind::ALL.iter().map(|(name, _)| *name).collect();
    vec![
        ("kind", json!({"enum": kinds})),
        ("log", json!({"enum": ["x", "y", "xy"]})),
    ]
}
