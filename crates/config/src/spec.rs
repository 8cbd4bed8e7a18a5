//! Contents of a section, and the layers that it is resolved from.

use crate::document::Table;
use crate::source::Origin;
use sidestep_types::{Entry, Param};

/// Allowed contents of a section.
pub struct Spec<'a> {
    /// Dotted name: `switch`, `workload.query`; empty at the top.
    pub name: &'a str,
    /// Parameters of the section itself.
    pub params: &'static [Param],
    /// Choice of the section's `kind`, if it has one.
    pub kind: Option<Choice>,
    /// Policies that the section chooses.
    pub policies: &'a [Choice],
}

/// Choice of one entry from a registry.
#[derive(Clone, Copy)]
pub struct Choice {
    /// Subject of the choice, which is also its key: `buffer`, `topology`.
    pub what: &'static str,
    /// Entries to choose from.
    pub entries: &'static [Entry],
    /// Entry used when no layer chooses one.
    pub default: Option<&'static str>,
}

impl Choice {
    /// Returns a choice for each of all `N` entries, with its name and no alternative: a table of parameters
    /// each.
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

/// Layer of a section.
#[derive(Clone, Copy)]
pub struct Layer<'a> {
    /// Keys and values.
    pub table: &'a Table,
    /// Origin of the layer, recorded as the source of its values.
    pub origin: &'a Origin,
    /// Dotted name of the section in this layer, for messages: that of its [`Spec`], unless the layer is
    /// inherited from another section.
    pub name: &'a str,
    /// Prefix of the section's name in the `[source]` of this layer's file.
    pub prefix: &'a str,
    /// True if the layer holds for all schemes: a parameter that some scheme's policy does not have is no
    /// error.
    pub shared: bool,
}
