//! Fuzzes an experiment or scenario with any text: it is refused with messages, or resolved to one that reads
//! back the same.
//!
//! Lines that begin with `--set ` and a line `--quick` belong to the command line, all others to the file.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sidestep_fuzz::FewFiles;
use sidestep_lab::{Experiment, Scenario};

fuzz_target!(|input: &str| {
    let (text, sets, quick) = split(input);
    match Experiment::read("fuzz.toml", &text, &sets, quick, &FewFiles) {
        Err(problems) => {
            assert!(!problems.is_empty(), "refused without a reason");
            for problem in problems {
                assert!(!problem.to_string().is_empty());
            }
        }
        Ok(experiment) if experiment.is_sweep() => sweep_reads_back(&experiment),
        Ok(experiment) => reads_back(&experiment.points[0].scenario),
    }
});

fn split(input: &str) -> (String, Vec<String>, bool) {
    let (mut text, mut sets, mut quick) = (String::new(), Vec::new(), false);
    for line in input.split_inclusive('\n') {
        match line.strip_prefix("--set ") {
            Some(set) => sets.push(set.trim_end_matches('\n').to_string()),
            None if line.trim_end() == "--quick" => quick = true,
            None => text.push_str(line),
        }
    }
    (text, sets, quick)
}

/// Checks the axes, the plots and the claims; the values of a point may be written differently.
fn sweep_reads_back(experiment: &Experiment) {
    let points: usize = experiment
        .axes
        .iter()
        .map(|axis| axis.values.len())
        .product();
    assert_eq!(experiment.points.len(), points);
    let written = experiment.to_toml();
    let again = match Experiment::read("fuzz.toml", &written, &[], false, &FewFiles) {
        Ok(again) => again,
        Err(problems) => {
            let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
            panic!("{}\nin what was written:\n{written}", said.join("\n"));
        }
    };
    assert_eq!(again.axes, experiment.axes);
    // Claims and plots about values that no longer exist are left out.
    assert!(
        again
            .claims
            .iter()
            .all(|claim| experiment.claims.contains(claim))
    );
    assert!(
        again
            .plots
            .iter()
            .all(|plot| experiment.plots.contains(plot))
    );
    assert_eq!(again.figure, experiment.figure);
    for scheme in 0..experiment.points[0].scenario.schemes.len() {
        let of = |e: &Experiment| e.points[0].scenario.identity(scheme);
        assert_eq!(of(&again), of(experiment));
    }
}

/// Returns the warnings without their places in the file, which differ in the written text.
fn placeless(scenario: &Scenario) -> Vec<String> {
    let own = |warning: String| match warning.strip_prefix("fuzz.toml:") {
        Some(rest) => rest.splitn(3, ':').last().unwrap_or(rest).to_string(),
        None => warning,
    };
    scenario.warnings().into_iter().map(own).collect()
}

fn reads_back(scenario: &Scenario) {
    assert!(scenario.load().sum.share >= 0.0);
    let written = scenario.to_toml();
    let again = match Scenario::read("fuzz.toml", &written, &[], &FewFiles) {
        Ok(again) => again,
        Err(problems) => {
            let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
            panic!("{}\nin what was written:\n{written}", said.join("\n"));
        }
    };
    assert_eq!(again.to_toml(), written);
    assert_eq!(placeless(&again), placeless(scenario));
    assert_eq!(again.network, scenario.network);
    assert_eq!(again.claims, scenario.claims);
    assert_eq!(again.load(), scenario.load());
    for (one, two) in again.schemes.iter().zip(scenario.schemes.iter()) {
        assert_eq!((&one.name, &one.config), (&two.name, &two.config));
    }
    let (one, two) = (again.plan(1), scenario.plan(1));
    assert_eq!(one.map(|p| p.flows), two.map(|p| p.flows));
}
