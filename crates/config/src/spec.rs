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

impl Choice {
    /// One for each of all `N` entries, with its name and no other to choose: a table of parameters each.
    pub const fn each<const N: usize>(entries: &'static [Entry]) -> [Choice; N] {
        const fn only(entry: &'static Entry) -> Choice {
            Choice {
                what: entry.name,
                entries: std::slice::from_ref(entry),
                default: Some(entry.name),
            }
        }
        assert!(entries.len() == N, "as many choices as entries");
        let mut all = [only(&entries[0]); N];
        let mut i = 1;
        while i < N {
            all[i] = only(&entries[i]);
            i += 1;
        }
        all
    }
}

/// One layer of a section.
#[derive(Clone, Copy)]
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
