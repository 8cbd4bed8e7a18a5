//! `dscp` of `[switch]`: which code points are which class of service.

use sidestep_transport::shim::by_size::{MOST_CLASSES, MOST_DSCP};
use sidestep_types::{ParamUnit, Refusal, Setting, Value};

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

impl Setting for Services {
    const UNIT: ParamUnit = <Vec<u64>>::UNIT;

    fn read(name: &'static str, value: &Value) -> Result<Services, Refusal> {
        Services::of(&<Vec<u64>>::read(name, value)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Setup;

    /// A config with this line in its `[switch]`.
    fn read(line: &str) -> Result<Setup, String> {
        let text = format!("[switch]\n{line}\n[[port]]\ninterface = \"p\"\nrate = \"1 Gbps\"\n");
        Setup::read("s.toml", &text).map_err(|all| all[0].to_string())
    }

    #[test]
    fn a_code_point_is_in_its_place_and_any_other_in_the_last() {
        let services = Services::of(&[46, 10, 0]).unwrap();
        let classes = [46, 10, 0, 1, 63].map(|dscp| services.class(dscp));
        assert_eq!(classes, [0, 1, 2, 2, 2]);
        assert_eq!(read("").unwrap().services, None);
        let setup = read("dscp = \"46, 10, 0\"").unwrap();
        assert_eq!(setup.services, Some(services));
        assert_eq!(Setup::read("s.toml", &setup.to_toml()).unwrap(), setup);
        assert_eq!(read("dscp = [46, 10, 0]").unwrap().services, setup.services);
    }

    #[test]
    fn tables_that_cannot_be_are_refused_with_the_number() {
        for (list, why) in [
            ("46, 64", "dscp must be from 0 to 63, got 64"),
            (
                "46, 10, 46",
                "dscp must be another one for each class, got 46 twice",
            ),
            (
                "0, 1, 2, 3, 4, 5, 6, 7, 8",
                "dscp must be 1 to 8, one a class, got 9",
            ),
        ] {
            let said = read(&format!("dscp = \"{list}\"")).unwrap_err();
            assert!(said.contains(why), "{said}");
            assert!(said.contains("s.toml:2:"), "{said}");
        }
    }
}
