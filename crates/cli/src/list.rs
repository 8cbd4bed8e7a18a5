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
        let having = KINDS.iter().filter_map(|k| catalog::kind(k));
        let having = having.filter(|kind| kind.items.iter().any(|item| item.name == *name));
        let where_it_is: Vec<String> = having
            .map(|kind| format!("`sidestep list {}`", kind.name))
            .collect();
        return Err(Failure::input(match where_it_is.is_empty() {
            true => format!(
                "list: {name:?} is unknown; expected one of {}",
                KINDS.join(", ")
            ),
            false => format!(
                "list: {name:?} is no kind; see {}",
                where_it_is.join(" and ")
            ),
        }));
    };
    if args.json {
        out::say_json(&json!(kind));
    } else {
        out::say(&kind.to_text(true));
    }
    Ok(0)
}
