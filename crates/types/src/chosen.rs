//! Policy or shim chosen by the user: registry line, values, and typed settings that were read once.

use crate::{Entry, Param, Value, Values};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Policy or shim that a user chose, before it is built: its registry line, the values of its settings, and a
/// factory `M` that has the typed settings and builds it. The factory is the target of `Deref`.
///
/// Two choices are equal if their names and values are equal; factories are not compared.
pub struct Chosen<M: ?Sized> {
    entry: Entry,
    values: Values,
    factory: Arc<M>,
}

impl<M: ?Sized> Chosen<M> {
    /// Creates the choice of `entry` with `values`. `factory` must have been read from the same values.
    pub fn new(entry: Entry, values: &Values, factory: Arc<M>) -> Chosen<M> {
        let values = values.clone();
        Chosen {
            entry,
            values,
            factory,
        }
    }

    /// Returns the name in the registry.
    pub fn name(&self) -> &'static str {
        self.entry.name
    }

    /// Returns the description of each setting.
    pub fn params(&self) -> &'static [Param] {
        self.entry.params
    }

    /// Returns the values of all settings, defaults included.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Returns the value of the setting `key`; `None` if there is no such setting.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let has = self.params().iter().any(|param| param.name == key);
        has.then(|| self.values.get(key))
    }
}

impl<M: ?Sized> Deref for Chosen<M> {
    type Target = M;

    fn deref(&self) -> &M {
        &self.factory
    }
}

impl<M: ?Sized> Clone for Chosen<M> {
    fn clone(&self) -> Chosen<M> {
        Chosen {
            entry: self.entry,
            values: self.values.clone(),
            factory: self.factory.clone(),
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
