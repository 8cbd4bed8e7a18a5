//! A paper's claims beside our numbers: reproduced, not reproduced, or can't tell.

mod evaluate;
mod known;
mod place;
mod result;
mod several;
mod terms;

pub use evaluate::evaluate;
pub use result::{ClaimPoint, ClaimResult};
pub(crate) use terms::NO_NUMBER;
pub use terms::{Accept, Claim, Compare, Over, Verdict};
