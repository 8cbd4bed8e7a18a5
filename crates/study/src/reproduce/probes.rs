//! What a `[probe]` saw: paths, detours, queues.

use super::drawn::{Parts, Sheet, View};

/// Draws what was probed.
pub(super) fn draw(view: &View<'_>) -> Parts {
    let _ = view;
    let why = "this version keeps nothing of such a probe";
    (Err(why.into()), Sheet::default(), String::new())
}
