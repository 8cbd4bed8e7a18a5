//! Where a policy of the caller's is to decide.

use std::fmt;

/// The switch that a policy is made for, as far as a policy may know it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Place {
    /// The switch's number, from zero.
    pub switch: u32,
    /// What it is called: `agg 0.1`.
    pub name: String,
    /// How many ports it has.
    pub ports: u16,
    /// A number of the switch's own for hashes: [`crate::Policy::build`] is given the same.
    pub salt: u64,
    /// The seed of the run.
    pub seed: u64,
    /// The scheme of the run.
    pub scheme: String,
}

impl Place {
    /// No switch of a run: for vectors, whose rows say ports and salt.
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
