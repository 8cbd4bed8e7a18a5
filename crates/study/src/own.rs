//! Experiments with schemes whose policies are the caller's, compared with those that the file names.

use crate::Error;
use sidestep_lab::Experiment;
pub use sidestep_lab::own::{Failure, MakeBuffer, MakeRoute, MakeSched, Own, Part, Who};

/// A scheme of the caller's.
#[derive(Clone, Debug)]
pub struct OwnScheme {
    /// Its name in results.
    pub name: String,
    /// The scheme that it is but for its policies: one of the scenario's, a shipped one, or a file.
    pub extends: String,
    /// Its policies.
    pub own: Own,
}

/// Reads an experiment by `read`, which is given what `--set` says, and adds these schemes at every point.
///
/// One that extends what the file does not list has that read for it alone: the listed schemes are those of the file.
pub fn with_own(
    read: &dyn Fn(&[String]) -> Result<Experiment, Error>,
    sets: &[String],
    own: &[OwnScheme],
) -> Result<Experiment, Error> {
    let mut experiment = read(sets)?;
    let names = |experiment: &Experiment| -> Vec<String> {
        let schemes = experiment.points[0].scenario.schemes.iter();
        schemes.map(|scheme| scheme.name.clone()).collect()
    };
    let mut listed = names(&experiment);
    let mut all = listed.clone();
    for one in own {
        if !all.contains(&one.extends) {
            all.push(one.extends.clone());
        }
    }
    if all.len() > listed.len() {
        let mut sets = sets.to_vec();
        sets.push(format!("schemes={}", all.join(",")));
        experiment = read(&sets)?;
    }
    for one in own {
        // A file is known by its stem.
        let extends = one.extends.rsplit('/').next().unwrap_or_default();
        let extends = extends.strip_suffix(".toml").unwrap_or(extends);
        let added = experiment.add_own(&one.name, extends, &one.own);
        added.map_err(Error::Input)?;
        listed.push(one.name.clone());
    }
    experiment.keep_schemes(&listed);
    Ok(experiment)
}
