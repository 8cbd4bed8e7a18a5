//! Registry of the families that answer questions.

use crate::calls::{Family, Outcome, unknown};

/// Families, one line each.
const FAMILIES: &[Family] = &[
    #[cfg(feature = "player")]
    crate::player::FAMILY,
    #[cfg(feature = "lab")]
    crate::lab::FAMILY,
];

/// Calls the family that has this method.
pub fn call(method: &str, arguments: &str, bytes: Vec<u8>) -> Outcome {
    let (name, question) = method.split_once('.').unwrap_or((method, ""));
    match FAMILIES.iter().find(|family| family.name == name) {
        Some(family) => (family.answer)(question, arguments, bytes),
        None => unknown(method),
    }
}
