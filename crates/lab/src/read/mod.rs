//! From text to a resolved [`Scenario`](crate::Scenario), with every problem reported and every value's source kept.
//!
//! Layers, later ones win: defaults, a profile, the scenario's `[switch]` and `[transport]`, the scheme's
//! file, the scenario's `[scheme.NAME.*]`, `[quick]`, the point of a `[sweep]`, `--set`. Of two
//! files, a base and the one that extends it, the base's is the earlier layer each time.

mod asked;
mod axes;
mod changes;
mod claims;
mod experiment;
mod fixed;
mod head;
mod host;
mod made_for;
mod plots;
mod point;
mod points;
mod probe;
mod profile;
mod reader;
mod scheme_file;
mod schemes;
mod silent;
mod switches;
mod traffic;
mod transports;
mod words;

pub use claims::POINTS;
pub use experiment::Outline;
pub use scheme_file::{SCHEME_KEYS, WORKLOADS};
pub use words::SECTIONS;
