//! Reader of scenarios: TOML in which every key and value has a place, sections resolved from layers, values
//! with units, and problems reported with a suggestion.
//!
//! [`document`] parses, [`spec`] describes the contents of a section, [`section`] resolves a section and its
//! policies, [`source`] records the origin of each value, [`problem`] reports errors with their place.
//! [`decision`] is the section that the simulator and the software switch share, [`differ`] its variants for
//! individual switches. No files are opened here.

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
