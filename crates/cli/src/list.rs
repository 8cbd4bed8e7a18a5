//! `sidestep list`

use crate::args::ListArgs;
use crate::failure::{Failure, Outcome};
use crate::out;
use serde_json::{Value, json};
use sidestep_study::catalog::{self, KINDS};

/// Prints all kinds, or one kind with its parameters.
pub fn list(args: &ListArgs) -> Outcome {
    let Some(name) = &args.kind else {
        let kinds = KINDS.iter().filter_map(|k| catalog::kind(k));
        if args.json {
            let all: Vec<Value> = kinds.map(|k| json!(k)).collect();
            out::say_json(&json!({"kinds": all}));
        } else {
            let all: Vec<String> = kinds.map(|k| k.to_text(false)).collect();
            out::say(&all.join("\n"));
        }
        return Ok(0);
    };
    let Some(kind) = catalog::kind(name) else {
        return Err(Failure::input(format!(
            "list: {name:?} is unknown; expected one of {}",
            KINDS.join(", ")
        )));
    };
    if args.json {
        out::say_json(&json!(kind));
    } else {
        out::say(&kind.to_text(true));
    }
    Ok(0)
}
