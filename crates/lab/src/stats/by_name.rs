//! Classes in JSON: an object, each class under its name, in their order.

use super::ClassSummary;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::Serializer;
use std::fmt;

pub(super) fn serialize<S: Serializer>(all: &[ClassSummary], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(all.iter().map(|class| (&class.name, class)))
}

pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<ClassSummary>, D::Error> {
    from.deserialize_map(InOrder)
}

struct InOrder;

impl<'d> Visitor<'d> for InOrder {
    type Value = Vec<ClassSummary>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of classes by name")
    }

    fn visit_map<A: MapAccess<'d>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some((_, class)) = map.next_entry::<String, ClassSummary>()? {
            all.push(class);
        }
        Ok(all)
    }
}
