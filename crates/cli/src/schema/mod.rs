//! `sidestep schema`: JSON Schemas of users' files, generated from the tables that also drive their parsers.

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
    /// Kind of file
    #[arg(value_enum, default_value_t = SchemaKind::Scenario)]
    pub what: SchemaKind,
}

/// Kind of file with a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaKind {
    /// Scenario, as read by `run` and `check`
    Scenario,
    /// Figure of a paper, which may extend a base, as read by `reproduce`
    Experiment,
    /// Scheme
    Scheme,
    /// Config of a software switch, as read by `sidestep switch`
    Switch,
}

/// Prints a schema.
pub fn schema(args: &SchemaArgs) -> Outcome {
    let text = text(args.what);
    // The output is read by programs: a schema that is not JSON would be a bug here.
    if serde_json::from_str::<Value>(&text).is_err() {
        return Err(Failure::work("the schema is no JSON"));
    }
    out::say(&text);
    Ok(0)
}

/// Returns a schema as a complete file.
pub fn text(what: SchemaKind) -> String {
    match what {
        SchemaKind::Scenario => file(
            scenario(false),
            "A scenario of Sidestep",
            "docs/reference/scenarios.md",
        ),
        SchemaKind::Experiment => file(
            scenario(true),
            "An experiment of Sidestep",
            "docs/reference/experiments.md",
        ),
        SchemaKind::Scheme => file(
            scheme(true),
            "A scheme of Sidestep",
            "docs/reference/scenarios.md",
        ),
        SchemaKind::Switch => file(
            softswitch::config(),
            "The config of a software switch of Sidestep",
            "docs/how-to/softswitch.md",
        ),
    }
}
