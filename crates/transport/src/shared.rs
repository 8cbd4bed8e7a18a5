//! What ends of flows share, in the state of a run: each keeps a copy there, and has its own when it is read.

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
