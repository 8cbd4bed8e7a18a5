//! `--keep-stalled`: what it asked for is so without it.

use crate::out;

/// Says so to whoever asks for it.
pub fn keeps_all(asked: bool) {
    if asked {
        out::remark(
            "--keep-stalled is not needed any more: every run is kept, and one in which the machine stalled is marked",
        );
    }
}
