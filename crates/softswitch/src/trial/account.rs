//! Checks of a running switch's counters: every counter exists, and its memory does not grow with frames.

use serde_json::Value;

/// Growth that any program may show, due to its allocator, besides a byte for each frame.
const BREATH_KB: u64 = 4096;

/// Returns a message if a switch grew by too much while it received `frames` frames.
pub(super) fn leaks(frames: u64, grown_kb: u64) -> Option<String> {
    let most_kb = BREATH_KB + frames / 1024;
    (grown_kb > most_kb).then(|| {
        format!("resident memory: expected to grow by at most {most_kb} kB with {frames} frames, got {grown_kb} kB")
    })
}

/// Returns the count at `path`; a missing count is an error, as it would pass for 0.
pub(super) fn count(counters: &Value, path: &str) -> Result<u64, String> {
    let value = counters.pointer(path).and_then(Value::as_u64);
    value.ok_or_else(|| format!("no counter at {path} in the switch's answer: {counters}"))
}

/// Returns the frames that port `number` read, or dropped before the decision with a count.
pub(super) fn taken(counters: &Value, number: usize) -> Result<u64, String> {
    let mut sum = 0;
    for name in ["received", "kernel_drops", "unfinished_checksum"] {
        sum += count(counters, &format!("/ports/p{number}/io/{name}"))?;
    }
    Ok(sum)
}

/// Returns all frames that were dropped or refused at port `number`, for any reason.
pub(super) fn all_reasons(counters: &Value, number: usize) -> Result<u64, String> {
    let mut sum = 0;
    for what in ["drops", "refused"] {
        let path = format!("/ports/p{number}/{what}");
        let reasons = counters.pointer(&path).and_then(Value::as_object);
        let missing = || format!("no reasons at {path} in the switch's answer: {counters}");
        for reason in reasons.ok_or_else(missing)?.keys() {
            sum += count(counters, &format!("{path}/{reason}"))?;
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_that_keeps_two_bytes_of_each_frame_leaks() {
        assert_eq!(leaks(10 << 20, 4096 + (10 << 10)), None);
        let why = leaks(10 << 20, 20 << 10).expect("two bytes a frame");
        assert!(
            why.contains("at most 14336 kB with 10485760 frames, got 20480 kB"),
            "{why}"
        );
    }
}
