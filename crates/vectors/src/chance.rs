//! Random draws shown in a row.

use crate::policy::Policy;
use crate::row::Row;
use crate::table::Table;
use sidestep_types::Rng;
use std::borrow::Cow;

/// Draws that every row shows, used or not. Rows of a policy that uses more show all it can use.
const DRAWS: u32 = 2;

/// Adds the draws available to a policy, and the number of draws it used; `before` and `after` are the states
/// of its stream.
///
/// Panics if the policy used more draws than its nature states.
pub fn put_draws(row: &mut Row, policy: Policy, before: &Rng, after: &Rng) {
    let most = policy.nature.draws;
    let shown = most.max(DRAWS);
    let mut ahead = before.clone();
    let mut taken = None;
    for n in 0..shown {
        taken = taken.or((ahead == *after).then_some(n));
        row.put(column(n), format!("{:08x}", ahead.draw()));
    }
    taken = taken.or((ahead == *after).then_some(shown));
    let taken = taken.filter(|&n| n <= most).unwrap_or_else(|| {
        let name = policy.full_name();
        panic!("{name} uses more random draws than the {most} declared in its Nature")
    });
    row.put("draws_taken", taken);
}

fn column(number: u32) -> Cow<'static, str> {
    match number {
        0 => "draw_1_hex".into(),
        1 => "draw_2_hex".into(),
        _ => format!("draw_{}_hex", number + 1).into(),
    }
}
