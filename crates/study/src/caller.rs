//! Experiments with schemes whose policies are the caller's code, compared with the schemes of the file.

use crate::Error;
use sidestep_lab::Experiment;
pub use sidestep_lab::caller::{
    CallerPolicies, Failure, MakeBuffer, MakeRoute, MakeSched, Part, PolicySite,
};

/// Scheme with the caller's policies.
#[derive(Clone, Debug)]
pub struct CallerScheme {
    /// Name in results.
    pub name: String,
    /// Base scheme, which provides all but the policies: one of the scenario, a shipped one, or a file.
    pub extends: String,
    /// The caller's policies.
    pub own: CallerPolicies,
}

/// Reads an experiment with `read`, which receives the `--set` settings, and adds the schemes `own` at every
/// point.
///
/// If one of them extends a scheme that the file does not list, that scheme is read for it alone: the file's
/// list of schemes does not change.
pub fn with_caller_schemes(
    read: &dyn Fn(&[String]) -> Result<Experiment, Error>,
    sets: &[String],
    own: &[CallerScheme],
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
        let set = format!("schemes={}", all.join(","));
        sets.push(set.clone());
        experiment = read(&sets).map_err(|error| of_extends(error, &set, own))?;
    }
    for one in own {
        // A scheme from a file is named by the file's stem.
        let extends = one.extends.rsplit('/').next().unwrap_or_default();
        let extends = extends.strip_suffix(".toml").unwrap_or(extends);
        let added = experiment.add_caller_scheme(&one.name, extends, &one.own);
        added.map_err(Error::Input)?;
        listed.push(one.name.clone());
    }
    experiment.keep_schemes(&listed);
    Ok(experiment)
}

/// Places an error about a scheme that is read for a caller's scheme there, and not at the internal `set`.
fn of_extends(error: Error, set: &str, own: &[CallerScheme]) -> Error {
    let Error::Wrong(mut problems) = error else {
        return error;
    };
    let place = format!("--set {set}");
    for problem in problems.iter_mut().filter(|problem| problem.file == place) {
        let named = |one: &&CallerScheme| problem.message.contains(&format!("{:?}", one.extends));
        if let Some(one) = own.iter().find(named) {
            problem.file = format!("scheme {:?} extends {:?}", one.name, one.extends);
        }
    }
    Error::Wrong(problems)
}
