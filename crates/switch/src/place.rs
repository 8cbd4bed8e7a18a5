//! Identity of the switch for which a custom policy is made.

use std::fmt;

/// Switch and run for which a policy is made, as far as a policy may know them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Place {
    /// Number of the switch, from zero.
    pub switch: u32,
    /// Name of the switch: `agg 0.1`.
    pub name: String,
    /// Number of ports.
    pub ports: u16,
    /// Hash salt of this switch; [`crate::Policy::build`] receives the same.
    pub salt: u64,
    /// Seed of the run.
    pub seed: u64,
    /// Scheme of the run.
    pub scheme: String,
}

impl Place {
    /// Creates a place outside any run, for conformance vectors, whose rows give ports and salt.
    pub fn of_vectors(ports: u16, salt: u64) -> Place {
        Place {
            switch: 0,
            name: "vectors".into(),
            ports,
            salt,
            seed: 0,
            scheme: "vectors".into(),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "switch {} ({})", self.switch, self.name)
    }
}
