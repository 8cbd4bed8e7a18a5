//! What a running switch says of itself, added up: each count is there, and its memory does not grow with frames.

use serde_json::Value;

/// What any program may take more, as its allocator has it, beside a byte for each frame.
const BREATH_KB: u64 = 4096;

/// What is wrong with a switch that grew by so much while so many frames came.
pub(super) fn leaks(frames: u64, grown_kb: u64) -> Option<String> {
    let most_kb = BREATH_KB + frames / 1024;
    (grown_kb > most_kb).then(|| {
        format!("resident memory: expected to grow by at most {most_kb} kB with {frames} frames, got {grown_kb} kB")
    })
}

/// The count at `path`, which is there: one that is missing would pass for 0.
pub(super) fn count(counters: &Value, path: &str) -> Result<u64, String> {
    let value = counters.pointer(path).and_then(Value::as_u64);
    value.ok_or_else(|| format!("the switch says no count at {path}: {counters}"))
}

/// Frames by port `number` that were read, or dropped where that is counted, before the switch decides.
pub(super) fn taken(counters: &Value, number: usize) -> Result<u64, String> {
    let mut sum = 0;
    for name in ["received", "kernel_drops", "unfinished_checksum"] {
        sum += count(counters, &format!("/ports/p{number}/io/{name}"))?;
    }
    Ok(sum)
}

/// All frames by port `number` that were dropped or refused, whatever the reason.
pub(super) fn all_reasons(counters: &Value, number: usize) -> Result<u64, String> {
    let mut sum = 0;
    for what in ["drops", "refused"] {
        let path = format!("/ports/p{number}/{what}");
        let reasons = counters.pointer(&path).and_then(Value::as_object);
        let missing = || format!("the switch says no reasons at {path}: {counters}");
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
