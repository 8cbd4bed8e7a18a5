//! Rows of a sender that detects losses by time: its inputs over a path that loses and reorders, and its
//! retransmissions.

use super::cells::begin;
use super::dialogue::{self, Dialogue};
use super::tcp;
use crate::row::Row;
use crate::settings::Setting;
use sidestep_transport::{LossDetection, Sender};
use sidestep_types::{Entry, Seed};

/// Returns true if `entry` has a table here: the rows of thresholds belong to `duplicates`.
pub fn has(entry: &Entry) -> bool {
    entry.name == LossDetection::Rack.name()
}

/// Rows of a sequence.
pub const STEPS: u32 = 96;

/// Returns the detection of this name with all its parts, and each of its parameters changed.
pub fn settings(entry: &'static Entry) -> Vec<Setting> {
    let base = [
        ("loss_detection", entry.name),
        ("recovery", "sack"),
        ("tail_loss_probe", "true"),
        ("frto", "true"),
        ("dsack", "true"),
        ("undo", "true"),
        ("measured_round_trip", "50 us"),
        ("mss", "1000 B"),
        ("receive_window", "24 kB"),
        ("rto_min", "1 ms"),
        ("rto_initial", "1 ms"),
    ];
    let others: [(&str, &[&str]); 10] = [
        ("fast_retransmit", &["2", "6"]),
        ("tail_loss_probe", &["false"]),
        ("probe_ack_delay", &["100 us"]),
        ("timer_margin", &["30 us"]),
        ("frto", &["false"]),
        ("dsack", &["false"]),
        ("undo", &["false"]),
        ("jiffy", &["200 us"]),
        ("window_growth", &["linux"]),
        ("reduction", &["at_once"]),
    ];
    tcp::settings(entry.name, &base, &others, 8)
}

/// Returns `n` if one segment in `n` is lost; 0 if none is. Some sequences lose every segment from step 12 to
/// the first timeout.
fn loss(number: u32, step: u32, timeouts: u32) -> u64 {
    // Sequences of one setting get different loss patterns.
    match ((number + number / 16) % 4, step) {
        (0, _) => 6,
        (1, _) => 0,
        (2, 12..) if timeouts == 0 => 1,
        (2, _) => 24,
        _ => 12,
    }
}

/// Returns the rows of a sender with a flow of 30 to 60 segments, its receiver, and the path between them.
pub fn sequence(entry: &'static Entry, setting: &Setting, number: u32, seed: Seed) -> Vec<Row> {
    let mut rng = seed.stream(("detection", entry.name, u64::from(number)));
    let size = 1000 * (30 + rng.below(31));
    let mut dialogue = Dialogue::new(tcp::config(setting), Some(size));
    let row = |step| {
        dialogue.loss = loss(number, step, dialogue.sender.counters().timeouts);
        let mut row = begin(setting, (number, step, STEPS));
        let before = dialogue.sender.counters();
        let over = dialogue.sender.is_done();
        let heard = (step > 0 && !over).then(|| dialogue.next());
        row.put("now_ps", dialogue.now.ps());
        dialogue::put_heard(&mut row, heard.as_ref(), "timer");
        let heard = dialogue.sender.counters();
        let windows = (dialogue.sender.cwnd(), dialogue.sender.ssthresh());
        let sent = dialogue.send(&mut rng);
        dialogue::put_sent(&mut row, &sent);
        let after = dialogue.sender.counters();
        row.put("timeouts", after.timeouts - before.timeouts);
        row.put("probes", after.probes - before.probes);
        row.put(
            "recoveries",
            heard.fast_retransmits - before.fast_retransmits,
        );
        row.put("undone", after.undone - before.undone);
        row.put("cwnd_bytes", windows.0);
        row.put_some(
            "ssthresh_bytes",
            Some(windows.1).filter(|bytes| *bytes < u64::MAX),
        );
        let due = dialogue.sender.deadline();
        row.put_some("deadline_ps", due.map(|due| due.ps()));
        row
    };
    (0..STEPS).map(row).collect()
}
