//! `--keep-stalled`

use sidestep_testbed::attempt::Keep;

/// Which runs `--keep-stalled` keeps, and which are kept without it.
pub fn keep(stalled: bool) -> Keep {
    match stalled {
        true => Keep::Stalled,
        false => Keep::InTime,
    }
}
