//! `sidestep vectors`

use crate::args::VectorsArgs;
use crate::{Failure, Outcome, out};
use sidestep_study::vectors;

/// Prints the rows of one policy.
pub fn vectors(args: &VectorsArgs) -> Outcome {
    let policy =
        vectors::find(&args.policy).map_err(|e| Failure::input(format!("vectors: {e}")))?;
    out::say(&policy.table(args.count, vectors::Seed(args.seed)));
    Ok(0)
}
