//! What others must know about a transport beside its parameters.

use crate::Ranking;

/// What the warnings of a scenario ask of a transport as it is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nature {
    /// It slows down on marks.
    pub marks: bool,
    /// It slows down on delays.
    pub delays: bool,
    /// It sends at line rate until a timeout, since switches with this buffer policy drop what has
    /// most left to send.
    pub buffer: Option<&'static str>,
    /// What it marks data with.
    pub ranking: Ranking,
}
