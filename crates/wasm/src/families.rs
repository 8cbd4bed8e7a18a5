//! The registry of families: which one answers a question.

use crate::calls::{Family, Outcome, unknown};

/// Who answers: one line for each family.
const FAMILIES: &[Family] = &[
    #[cfg(feature = "player")]
    crate::player::FAMILY,
    #[cfg(feature = "lab")]
    crate::lab::FAMILY,
];

/// Asks the family that has this method.
pub fn call(method: &str, arguments: &str, bytes: Vec<u8>) -> Outcome {
    let (name, question) = method.split_once('.').unwrap_or((method, ""));
    match FAMILIES.iter().find(|family| family.name == name) {
        Some(family) => (family.answer)(question, arguments, bytes),
        None => unknown(method),
    }
}
