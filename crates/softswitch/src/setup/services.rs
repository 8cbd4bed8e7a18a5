//! `dscp` of `[switch]`: which code points are which class of service.

use sidestep_config::section::Resolved;
use sidestep_transport::shim::by_size::{MOST_CLASSES, MOST_DSCP};
use sidestep_types::{Param, ParamUnit, Refusal};

pub(super) const DSCP: Param = Param::with_default(
    "dscp",
    ParamUnit::List(&ParamUnit::Count),
    "number",
    "the code point of each class of service, from class 0 on, each from 0 to 63; all others are of the last class; number: a \
     code point is the number of its class",
)
.or_off("number");

/// The code point of each class, as the config lists them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Services(Vec<u8>);

impl Services {
    /// Those of a list; what is refused of it.
    pub fn of(listed: &[u64]) -> Result<Services, Refusal> {
        let refuse = |expected: String| Refusal::of("dscp", expected);
        if !(1..=MOST_CLASSES).contains(&listed.len()) {
            let expected = format!("must be 1 to {MOST_CLASSES}, one a class");
            return Err(refuse(expected).got(listed.len()));
        }
        if let Some(large) = listed.iter().find(|dscp| **dscp > MOST_DSCP) {
            return Err(refuse(format!("must be from 0 to {MOST_DSCP}")).got(large));
        }
        let twice = |(i, dscp): &(usize, &u64)| listed[..*i].contains(dscp);
        if let Some((_, twice)) = listed.iter().enumerate().find(twice) {
            let expected = "must be another one for each class".to_string();
            return Err(refuse(expected).got(format!("{twice} twice")));
        }
        Ok(Services(listed.iter().map(|dscp| *dscp as u8).collect()))
    }

    /// The class of a code point.
    #[inline]
    pub fn class(&self, dscp: u8) -> u8 {
        let place = self.0.iter().position(|of| *of == dscp);
        place.unwrap_or(self.0.len() - 1) as u8
    }

    /// As a config says them.
    pub fn word(&self) -> String {
        let all: Vec<String> = self.0.iter().map(u8::to_string).collect();
        all.join(", ")
    }
}

/// Reads `dscp` of `[switch]`.
pub(super) fn services(switch: &Resolved) -> Result<Option<Services>, Refusal> {
    let listed = switch.values.numbers_or_off("dscp");
    listed.map(|listed| Services::of(&listed)).transpose()
}
