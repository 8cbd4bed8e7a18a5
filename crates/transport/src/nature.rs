//! Properties of a transport that others need beside its parameters.

use crate::Ranking;

/// Properties of a configured transport that the warnings of a scenario query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nature {
    /// True if it slows down on marks.
    pub marks: bool,
    /// True if it slows down in proportion to the share of marks, so that marks from a short queue on are enough: a
    /// seventh of rate times round trip (DCTCP, SIGCOMM 2010, section 3.4).
    pub in_proportion: bool,
    /// True if it slows down on delays.
    pub delays: bool,
    /// Buffer policy that it requires, if any: it sends at line rate until a timeout, since switches with this
    /// policy drop the packets with most left to send.
    pub buffer: Option<&'static str>,
    /// Rank that its data carries.
    pub ranking: Ranking,
}
