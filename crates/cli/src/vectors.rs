//! `sidestep vectors`

use crate::args::VectorsArgs;
use crate::failure::{Failure, Outcome};
use crate::out;
use sidestep_lab::suggest;
use sidestep_vectors::{Seed, Table, tables, tables_named};

/// Prints the rows of one policy, or of a host's machine.
pub fn vectors(args: &VectorsArgs) -> Outcome {
    let asked = find(&args.policy).map_err(|e| Failure::input(format!("vectors: {e}")))?;
    let count = args.count.unwrap_or(asked.shipped_rows());
    out::say(&asked.table(count, Seed(args.seed)));
    Ok(0)
}

/// Finds the table of a policy by name, as `dibs`, or with its kind if several have the name, as
/// `buffer/pfabric`.
///
/// An error suggests a similar name.
fn find(word: &str) -> Result<Box<dyn Table>, String> {
    let mut found = tables_named(word);
    if found.len() > 1 {
        let names: Vec<String> = found.iter().map(|table| table.full_name()).collect();
        let names = names.join(" or ");
        return Err(format!("policy {word:?} is ambiguous: expected {names}"));
    }
    found.pop().ok_or_else(|| {
        let known: Vec<String> = tables()
            .flat_map(|table| [table.entry().name.to_string(), table.full_name()])
            .collect();
        let hint = suggest(word, known.iter().map(String::as_str));
        format!("policy {word:?} is unknown{hint}")
    })
}
