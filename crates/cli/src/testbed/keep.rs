//! `--keep-stalled`, an option without effect: every run is kept.

use crate::out;

/// Prints a remark if the option was given.
pub fn keeps_all(asked: bool) {
    if asked {
        out::remark(
            "--keep-stalled is not needed any more: every run is kept, and one in which the machine stalled is marked",
        );
    }
}
