//! What a user writes, understood: TOML in which every key and value knows its place, sections
//! resolved from layers, values with units, and what is wrong with them said with a suggestion.
//!
//! [`document`] parses, [`spec`] says what a section may hold, [`section`] resolves one and its
//! policies, [`source`] keeps where each value comes from, [`problem`] says what is wrong and where. [`decision`] is the section
//! that the simulator and the software switch have in common, [`differ`] what it says of switches that differ. No files are opened here.

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
