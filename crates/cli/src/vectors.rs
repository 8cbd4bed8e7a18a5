//! `sidestep vectors`

use crate::args::VectorsArgs;
use crate::failure::{Failure, Outcome};
use crate::out;
use sidestep_study::lab::suggest;
use sidestep_vectors::{Policy, Seed, named, policies};

/// Prints the rows of one policy.
pub fn vectors(args: &VectorsArgs) -> Outcome {
    let policy = find(&args.policy).map_err(|e| Failure::input(format!("vectors: {e}")))?;
    let count = args.count.unwrap_or(policy.shipped_rows());
    out::say(&policy.table(count, Seed(args.seed)));
    Ok(0)
}

/// The policy called `dibs` or, where several seams have one of that name, `buffer/pfabric`.
///
/// Errors say what was probably meant.
fn find(word: &str) -> Result<Policy, String> {
    let found = named(word);
    match found[..] {
        [one] => Ok(one),
        [] => {
            let known: Vec<String> = policies()
                .flat_map(|p| [p.entry.name.to_string(), p.full_name()])
                .collect();
            let hint = suggest(word, known.iter().map(String::as_str));
            Err(format!("policy {word:?} is unknown{hint}"))
        }
        _ => {
            let names: Vec<String> = found.iter().map(Policy::full_name).collect();
            let names = names.join(" or ");
            Err(format!(
                "policy {word:?} stands for several: expected {names}"
            ))
        }
    }
}
