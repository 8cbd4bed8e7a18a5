//! `tags`, `boost` and `boosting` of `[switch]`: tags of `mark` in the frames between switches.

use super::PortSetup;
use crate::frame::Carry;
use sidestep_config::problem::{At, Problems};
use sidestep_config::section::Resolved;
use sidestep_transport::shim::{
    self,
    mark::{Boosting, Rule},
};
use sidestep_types::{Param, ParamUnit, Refusal, Values};

pub(super) const TAGS: Param = Param::with_default(
    "tags",
    ParamUnit::Word(&["none", "ethertype", "option"]),
    "none",
    "place of hosts' tags in frames between switches: between Ethernet and IP, or in the header of \
     IPv4",
);

pub(super) const BOOST: Param = Param::with_default(
    "boost",
    ParamUnit::Count,
    "2",
    "tags: divisor of a packet's rank at each retransmission: 1, 2, 4 or 8",
);

pub(super) const BOOSTING: Param = Param::with_default(
    "boosting",
    ParamUnit::Word(&["shift", "rotate"]),
    "shift",
    "tags: division by a shift in this switch, or by a rotation in hosts",
);

/// Position of tags in frames, and their meaning for a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tags {
    /// Position of tags in frames.
    pub carry: Carry,
    /// Divisor of a number at each retransmission.
    pub boost: u64,
    /// Rule of the division: by switches, or by hosts.
    pub rule: Rule,
}

impl Tags {
    /// Returns the tags of a `mark` with these values; an error says what is wrong.
    pub fn of(values: &Values) -> Result<Tags, Refusal> {
        let is = |param: &str, word: &str| values.word(param) == word;
        let tags = Tags {
            carry: match is("carry", "option") {
                true => Carry::Option,
                false => Carry::Ethertype,
            },
            boost: values.count("boost"),
            rule: rule(&values.word("boosting")),
        };
        match Boosting::new(tags.rule, tags.boost) {
            Some(_) => Ok(tags),
            None => Err(boost_refused(tags.boost)),
        }
    }

    /// Returns the rule by which switches rank by number and count.
    pub fn boosting(&self) -> Boosting {
        Boosting::new(self.rule, self.boost).expect("a factor that was read")
    }

    /// Returns the three settings as words, each with its key; all keys but the first are those of `mark`.
    pub fn words(&self) -> [(&'static str, String); 3] {
        let rule = match self.rule {
            Rule::Shift => "shift",
            Rule::Rotate => "rotate",
        };
        [
            ("tags", self.carry.name().into()),
            ("boost", self.boost.to_string()),
            ("boosting", rule.into()),
        ]
    }
}

fn rule(word: &str) -> Rule {
    match word {
        "rotate" => Rule::Rotate,
        _ => Rule::Shift,
    }
}

fn boost_refused(got: u64) -> Refusal {
    Refusal::of("boost", "must be 1, 2, 4 or 8").got(got)
}

/// Reads the three settings of `[switch]`, at `at`.
pub(super) fn tags(switch: &Resolved, at: &At, problems: &mut Problems) -> Option<Tags> {
    let values = &switch.values;
    let place = |key: &str| switch.places.get(key);
    let carry = match values.word("tags").as_str() {
        "ethertype" => Carry::Ethertype,
        "option" => Carry::Option,
        _ => {
            for key in ["switch.boost", "switch.boosting"] {
                if let Some(at) = place(key) {
                    let message =
                        format!("{key} has no effect: expected tags = \"ethertype\" or \"option\"");
                    problems.add(at, message);
                }
            }
            if values.word("rank") == "tag" {
                let message = "switch.rank = \"tag\": expected switch.tags = \"ethertype\" or \
                               \"option\", got \"none\"";
                problems.add(place("switch.rank").unwrap_or(at), message);
            }
            return None;
        }
    };
    let (boost, rule) = (values.count("boost"), rule(&values.word("boosting")));
    if Boosting::new(rule, boost).is_none() {
        switch.refused("", &boost_refused(boost), at, problems);
        return None;
    }
    Some(Tags { carry, boost, rule })
}

/// Refuses a port whose shims tag differently from what this switch reads, or where it reads no tags.
pub(super) fn agree(tags: Option<Tags>, port: &PortSetup, at: &At, problems: &mut Problems) {
    let mut all = port.shims.iter();
    let Some((name, values)) = all.find(|(name, _)| shim::nature(name).tags) else {
        return;
    };
    // Invalid values were refused before.
    let Ok(its) = Tags::of(values) else {
        return;
    };
    let (port, expected) = (&port.name, its.words());
    let Some(tags) = tags else {
        let message = format!(
            "port {port:?}: shim {name:?} needs switch.tags = {:?}, got \"none\"",
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
