//! A line of a registry that was chosen, with settings that were read once.

use crate::{Entry, Param, Value, Values};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A policy or a shim as it was chosen: its line of the registry, what was set, and its settings, from which `M` makes it.
///
/// Two are equal when the same was set about the same line.
pub struct Chosen<M: ?Sized> {
    entry: Entry,
    values: Values,
    make: Arc<M>,
}

impl<M: ?Sized> Chosen<M> {
    /// The line `entry` with `values`, whose settings `make` has.
    pub fn new(entry: Entry, values: &Values, make: Arc<M>) -> Chosen<M> {
        let values = values.clone();
        Chosen {
            entry,
            values,
            make,
        }
    }

    /// Name in the registry.
    pub fn name(&self) -> &'static str {
        self.entry.name
    }

    /// What can be set about it.
    pub fn params(&self) -> &'static [Param] {
        self.entry.params
    }

    /// What was set.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The value of the setting `key`, if there is such a setting.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let has = self.params().iter().any(|param| param.name == key);
        has.then(|| self.values.get(key))
    }
}

impl<M: ?Sized> Deref for Chosen<M> {
    type Target = M;

    fn deref(&self) -> &M {
        &self.make
    }
}

impl<M: ?Sized> Clone for Chosen<M> {
    fn clone(&self) -> Chosen<M> {
        Chosen {
            entry: self.entry,
            values: self.values.clone(),
            make: self.make.clone(),
        }
    }
}

impl<M: ?Sized> PartialEq for Chosen<M> {
    fn eq(&self, other: &Chosen<M>) -> bool {
        self.name() == other.name() && self.values == other.values
    }
}

impl<M: ?Sized> fmt::Debug for Chosen<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple(self.name()).field(&self.values).finish()
    }
}
