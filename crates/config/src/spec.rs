//! What a section may say, and the layers that say it.

use crate::document::Table;
use crate::source::Origin;
use sidestep_types::{Entry, Param};

/// What a section may say.
pub struct Spec<'a> {
    /// Its dotted name: `switch`, `workload.query`; empty at the top.
    pub name: &'a str,
    /// Its own parameters.
    pub params: &'static [Param],
    /// The section itself has a `kind`.
    pub kind: Option<Choice>,
    /// The policies it chooses.
    pub policies: &'a [Choice],
}

/// One choice from a registry.
#[derive(Clone, Copy)]
pub struct Choice {
    /// What is chosen, which is also its key: `buffer`, `topology`.
    pub what: &'static str,
    /// The entries to choose from.
    pub entries: &'static [Entry],
    /// The entry when no layer chooses one.
    pub default: Option<&'static str>,
}

/// One layer of a section.
pub struct Layer<'a> {
    /// Its keys and values.
    pub table: &'a Table,
    /// Where it comes from, for the sources of its values.
    pub origin: &'a Origin,
    /// Its dotted name there, for messages: that of its [`Spec`], unless it is inherited from another section.
    pub name: &'a str,
    /// What stands before the section's name in the `[source]` of this layer's file.
    pub prefix: &'a str,
    /// It holds for all schemes: a parameter that some scheme's policy does not have is no error.
    pub shared: bool,
}
