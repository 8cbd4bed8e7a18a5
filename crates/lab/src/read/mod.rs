//! Reads text into a resolved [`Scenario`](crate::Scenario), reports every problem and keeps the source of
//! every value.
//!
//! Layers, later ones win: defaults, a profile, the scenario's `[switch]` and `[transport]`, the scheme's
//! file, the scenario's `[scheme.NAME.*]`, `[quick]`, the point of a `[sweep]`, `--set`. If a file
//! extends a base, the base is the earlier layer each time.

mod asked;
mod axes;
mod changes;
mod claims;
mod experiment;
mod fixed;
mod head;
mod host;
mod made_for;
mod names;
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

pub use claims::POINTS;
pub use experiment::Outline;
pub use names::SECTIONS;
pub use scheme_file::{SCHEME_KEYS, WORKLOADS};
