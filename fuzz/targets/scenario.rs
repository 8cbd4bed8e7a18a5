//! Any text as a scenario: refused with messages, or resolved to one that reads back the same.
//!
//! Lines that begin with `--set ` are the command line's, all others the file's.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sidestep_fuzz::FewFiles;
use sidestep_lab::Scenario;

fuzz_target!(|input: &str| {
    let (text, sets) = split(input);
    match Scenario::read("fuzz.toml", &text, &sets, &FewFiles) {
        Err(problems) => {
            assert!(!problems.is_empty(), "refused without a reason");
            for problem in problems {
                assert!(!problem.to_string().is_empty());
            }
        }
        Ok(scenario) => reads_back(&scenario),
    }
});

fn split(input: &str) -> (String, Vec<String>) {
    let (mut text, mut sets) = (String::new(), Vec::new());
    for line in input.split_inclusive('\n') {
        match line.strip_prefix("--set ") {
            Some(set) => sets.push(set.trim_end_matches('\n').to_string()),
            None => text.push_str(line),
        }
    }
    (text, sets)
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
    assert_eq!(again.warnings(), scenario.warnings());
    assert_eq!(again.network, scenario.network);
    assert_eq!(again.claims, scenario.claims);
    assert_eq!(again.load(), scenario.load());
    for (one, two) in again.schemes.iter().zip(&scenario.schemes) {
        assert_eq!((&one.name, &one.config), (&two.name, &two.config));
    }
    let (one, two) = (again.plan(1), scenario.plan(1));
    assert_eq!(one.map(|p| p.flows), two.map(|p| p.flows));
}
