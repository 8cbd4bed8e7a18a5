//! `sidestep testbed status`

use super::args::StatusArgs;
use crate::failure::Outcome;
use crate::out;
use serde_json::{Value, json};
use sidestep_testbed::overview::Overview;

/// Prints the state of one testbed, or of all. Exit status 1 if a part is missing.
pub fn status(args: &StatusArgs) -> Outcome {
    let beds = Overview::of(&args.name)?;
    if args.json {
        let all: Vec<Value> = beds.iter().map(Overview::to_json).collect();
        out::say_json(&json!({"testbeds": all}));
    } else if beds.is_empty() {
        out::say("no testbed is up\n");
    } else {
        for bed in &beds {
            out::say(&bed.to_text());
        }
    }
    Ok(u8::from(!beds.iter().all(Overview::is_whole)))
}
