//! `sidestep schema`: JSON Schemas of what a user writes, made of the tables by which it is read.

mod softswitch;

use crate::failure::{Failure, Outcome};
use crate::out;
use clap::{Args, ValueEnum};
use serde_json::Value;
use sidestep_study::schema::{file, scenario, scheme};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sidestep schema > scenario.schema.json     `#:schema ./scenario.schema.json`
                                             is then a scenario's first line
  sidestep schema scheme > scheme.schema.json
  taplo check mine.toml                      checks a file that has such a line

Editors with taplo (Even Better TOML) then complete keys and words, show what \
they mean, and underline mistakes.")]
pub struct SchemaArgs {
    /// What the file is
    #[arg(value_enum, default_value_t = What::Scenario)]
    pub what: What,
}

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// A scenario, as `run` and `check` take it
    Scenario,
    /// A figure of a paper, which may extend a base, as `reproduce` takes it
    Experiment,
    /// A scheme
    Scheme,
    /// The config of a software switch, as `sidestep switch` takes it
    Switch,
}

/// Prints a schema.
pub fn schema(args: &SchemaArgs) -> Outcome {
    let text = text(args.what);
    // What is printed is read by machines: a schema that is no JSON would be a mistake of this code.
    if serde_json::from_str::<Value>(&text).is_err() {
        return Err(Failure::work("the schema is no JSON"));
    }
    out::say(&text);
    Ok(0)
}

/// A schema, as a file of its own.
pub fn text(what: What) -> String {
    match what {
        What::Scenario => file(
            scenario(false),
            "A scenario of Sidestep",
            "docs/scenarios.md",
        ),
        What::Experiment => file(
            scenario(true),
            "An experiment of Sidestep",
            "docs/experiments.md",
        ),
        What::Scheme => file(scheme(true), "A scheme of Sidestep", "docs/scenarios.md"),
        What::Switch => file(
            softswitch::config(),
            "The config of a software switch of Sidestep",
            "docs/softswitch.md",
        ),
    }
}
