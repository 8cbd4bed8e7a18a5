//! `tags`, `boost` and `boosting` of `[switch]`: what `mark` says of data, in the frames between switches.

use super::settings::SwitchSettings;
use super::{PortSetup, Rank};
use crate::frame::Carry;
use sidestep_config::problem::{At, Problems};
use sidestep_config::section::Resolved;
use sidestep_transport::shim::mark::{Boosting, Rule};
use sidestep_types::{Refusal, Values, Words};

/// How tags travel, and what they mean to a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tags {
    /// Where they are.
    pub carry: Carry,
    /// By how much a number is divided at each repeat.
    pub boost: u64,
    /// Who divides it.
    pub rule: Rule,
}

impl Tags {
    /// Those of a `mark` with these values; what is refused of it.
    pub fn of(values: &Values) -> Result<Tags, Refusal> {
        let tags = Tags {
            carry: Carry::from_name(&values.word("carry")).expect("one of its words"),
            boost: values.count("boost"),
            rule: Rule::from_name(&values.word("boosting")).expect("one of its words"),
        };
        match Boosting::new(tags.rule, tags.boost) {
            Some(_) => Ok(tags),
            None => Err(boost_refused(tags.boost)),
        }
    }

    /// What switches make of a number and a count.
    pub fn boosting(&self) -> Boosting {
        Boosting::new(self.rule, self.boost).expect("a factor that was read")
    }

    /// The three as words, each with its key; the same keys as in `mark`, but for the first.
    pub fn words(&self) -> [(&'static str, String); 3] {
        [
            ("tags", self.carry.word().into()),
            ("boost", self.boost.to_string()),
            ("boosting", self.rule.word().into()),
        ]
    }
}

fn boost_refused(got: u64) -> Refusal {
    Refusal::of("boost", "must be 1, 2, 4 or 8").got(got)
}

/// Reads the three of `[switch]`, at `at`.
pub(super) fn tags(
    settings: &SwitchSettings,
    switch: &Resolved,
    at: &At,
    problems: &mut Problems,
) -> Option<Tags> {
    let place = |key: &str| switch.places.get(key);
    let carry = match settings.tags {
        Some(carry) => carry,
        None => {
            for key in ["switch.boost", "switch.boosting"] {
                if let Some(at) = place(key) {
                    let message =
                        format!("{key} has no effect: expected tags = \"ethertype\" or \"option\"");
                    problems.add(at, message);
                }
            }
            if settings.rank == Rank::Tag {
                let message = "switch.rank: \"tag\" needs tags = \"ethertype\" or \"option\": \
                               frames carry none";
                problems.add(place("switch.rank").unwrap_or(at), message);
            }
            return None;
        }
    };
    let (boost, rule) = (settings.boost, settings.boosting);
    if Boosting::new(rule, boost).is_none() {
        switch.refused("", &boost_refused(boost), at, problems);
        return None;
    }
    Some(Tags { carry, boost, rule })
}

/// Refuses a port whose shims tag otherwise than this switch reads, or where it reads none.
pub(super) fn agree(tags: Option<Tags>, port: &PortSetup, at: &At, problems: &mut Problems) {
    let Some(mark) = port.shims.iter().find(|shim| shim.nature().tags) else {
        return;
    };
    let its = Tags::of(mark.values()).expect("it was read");
    let name = mark.name();
    let (port, expected) = (&port.name, its.words());
    let Some(tags) = tags else {
        let message = format!(
            "port {port:?}: {name:?} tags data, and frames carry no tags: expected switch.tags = {:?}",
            expected[0].1
        );
        return problems.add(at, message);
    };
    for ((key, got), (_, its)) in tags.words().into_iter().zip(expected) {
        if got != its {
            let own = if key == "tags" { "carry" } else { key };
            let message = format!(
                "port {port:?}: {name}.{own} and switch.{key} must be the same: got {its} and {got}"
            );
            problems.add(at, message);
        }
    }
}
