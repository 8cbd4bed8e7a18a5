//! `sidestep new-policy`: writes a plug-in crate to start from.

use crate::failure::{Failure, Outcome};
use crate::out;
use clap::Args;
use clap::builder::PossibleValuesParser;
use sidestep_study::caller::CallerScheme;
use sidestep_study::plugin::{self, SEAMS};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sidestep new-policy least-full                       a buffer policy that detours
  sidestep new-policy two-choices --kind route
  sidestep run quickstart --plugin least-full          builds it and runs it beside others

Writes the crate NAME: Cargo.toml, src/lib.rs with a policy of twenty lines and its test, and a \
README. The sources it shares with this program are copied into the folder, so that it builds \
without a checkout. An existing file is never overwritten.")]
pub struct NewPolicyArgs {
    /// Name of the policy, its crate and its scheme: `least-full`
    pub name: String,
    /// Kind of policy: what happens to a packet at its queue (buffer), its next hop (route), or its turn to
    /// leave (sched)
    #[arg(long, value_name = "SEAM", default_value = "buffer", value_parser = PossibleValuesParser::new(SEAMS))]
    pub kind: String,
    /// Folder to write, which must not exist yet [default: NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Writes the crate and prints the next steps.
pub fn new_policy(args: &NewPolicyArgs) -> Outcome {
    let dir = args.out.as_deref().unwrap_or(Path::new(&args.name));
    let written = plugin::write(dir, &args.name, &args.kind);
    let written = written.map_err(|e| Failure {
        status: e.exit_status(),
        words: format!("new-policy: {e}"),
    })?;
    let files: Vec<String> = written
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let dir = dir.display();
    out::say(&format!(
        "wrote {}\n\nNext:\n  sidestep run quickstart --plugin {dir}\n  cargo test --manifest-path {dir}/Cargo.toml\n",
        files.join(", ")
    ));
    Ok(0)
}

/// Loads the schemes of the plug-ins at these paths; crates are built first.
pub fn plugins(places: &[PathBuf]) -> Result<Vec<CallerScheme>, Failure> {
    let load = |place: &PathBuf| {
        plugin::load(place).map_err(|e| Failure {
            status: e.exit_status(),
            words: format!("--plugin: {e}"),
        })
    };
    places.iter().map(load).collect()
}
