//! `--keep-stalled`, an option without effect: every run is kept.

use crate::out;

/// Prints a remark if the option was given.
pub fn keeps_all(asked: bool) {
    if asked {
        out::remark(
            "--keep-stalled has no effect: every run is kept, and marked if the machine stalled",
        );
    }
}
