//! The draws that a row shows.

use crate::policy::Policy;
use crate::row::Row;
use crate::table::Table;
use sidestep_types::Rng;
use std::borrow::Cow;

/// Draws that every row shows, taken or not; rows of a policy that takes more show as many as it takes.
const DRAWS: u32 = 2;

/// The draws that a policy finds, and how many of them it took: its stream `before` and `after`.
///
/// Panics when it took more than its nature says.
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
        panic!("{name} takes more draws than the {most} that its nature says")
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
