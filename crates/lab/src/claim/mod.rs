//! Claims of a paper compared with our numbers: reproduced, not reproduced, or can't tell.

mod accept;
mod evaluate;
mod marked;
mod number;
mod place;
mod result;
mod several;
mod terms;

pub use accept::Accept;
pub use evaluate::{evaluate, evaluate_runs};
pub use place::over;
pub use result::{ClaimPoint, ClaimResult, Unmarked};
pub(crate) use terms::NO_NUMBER;
pub use terms::{Claim, Compare, PointCombination, Verdict};
