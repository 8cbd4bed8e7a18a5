//! Reader of scenarios: parses TOML and keeps the line and column of every key and value, combines the layers that
//! set a section, reads values with units, and reports problems with a suggestion.
//!
//! [`document`] parses, [`spec`] describes the contents of a section, [`section`] resolves a section and its
//! policies, [`source`] records the origin of each value, [`problem`] reports errors with their place.
//! [`decision`] reads the section that the simulator and the software switch share, [`differ`] the settings of
//! individual switches that differ from it. No files are opened here.

#![forbid(unsafe_code)]

pub mod decision;
pub mod differ;
pub mod document;
mod gather;
pub mod ledger;
pub mod parts;
pub mod problem;
pub mod section;
pub mod source;
pub mod spec;
pub mod value;
