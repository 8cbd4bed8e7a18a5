//! Values shared by the ends of flows, in the saved state of a run: each end writes a copy, and reads it back
//! as its own.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::Arc;

pub(crate) fn serialize<T: Serialize, S: Serializer>(
    shared: &Arc<T>,
    to: S,
) -> Result<S::Ok, S::Error> {
    T::serialize(shared, to)
}

pub(crate) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Arc<T>, D::Error> {
    T::deserialize(from).map(Arc::new)
}
