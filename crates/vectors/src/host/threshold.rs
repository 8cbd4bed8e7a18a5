//! Rows of a sender's duplicate threshold: the acknowledgements it receives over a path that reorders, and its
//! reactions.

use super::cells::begin;
use super::dialogue::{self, Dialogue};
use super::tcp;
use crate::row::Row;
use crate::settings::Setting;
use sidestep_transport::{Sender, SenderCounters, ThresholdRule};
use sidestep_types::{Entry, Seed, Words};

/// Returns the rule of this name with the settings it needs, and each of its parameters changed.
pub fn settings(entry: &'static Entry) -> Vec<Setting> {
    let rule = ThresholdRule::from_name(entry.name).expect("it is listed");
    let base = [
        ("fast_retransmit_rule", entry.name),
        ("recovery", "sack"),
        // The early rule learns of spurious retransmissions without D-SACK.
        (
            "dsack",
            if rule == ThresholdRule::Early {
                "false"
            } else {
                "true"
            },
        ),
        ("mss", "1000 B"),
        ("receive_window", "24 kB"),
        ("rto_min", "1 ms"),
        ("rto_initial", "1 ms"),
    ];
    let mut others: Vec<(&str, &[&str])> = vec![
        ("fast_retransmit", &["2", "4"]),
        ("undo", &["true"]),
        ("limited_transmit", &["true"]),
    ];
    if rule != ThresholdRule::Fixed {
        others.push(("fast_retransmit_share", &["1/2", "1"]));
        others.push(("fast_retransmit_most", &["4"]));
    }
    match rule {
        ThresholdRule::Fixed => others.push(("dsack", &["false"])),
        ThresholdRule::Dsack => {}
        ThresholdRule::Early => {
            others.push(("early_repair", &["1/4", "1"]));
            others.push(("dsack", &["true"]));
            others.push(("recovery", &["newreno"]));
        }
    }
    tcp::settings(entry.name, &base, &others, 6)
}

/// Returns the rows of one sender, its receiver, and the path between them.
pub fn sequence(entry: &'static Entry, setting: &Setting, number: u32, seed: Seed) -> Vec<Row> {
    const STEPS: u32 = 96;
    let mut rng = seed.stream(("threshold", entry.name, u64::from(number)));
    let mut dialogue = Dialogue::new(tcp::config(setting), None);
    let row = |step| {
        dialogue.loss = loss(number, step);
        let mut row = begin(setting, (number, step, STEPS));
        let before = dialogue.sender.counters();
        let heard = (step > 0).then(|| dialogue.next());
        row.put("now_ps", dialogue.now.ps());
        dialogue::put_heard(&mut row, heard.as_ref(), "timeout");
        let answers = answers(&dialogue, before);
        let sent = dialogue.send(&mut rng);
        dialogue::put_sent(&mut row, &sent);
        for (column, answer) in answers {
            row.put_some(column, answer);
        }
        row
    };
    (0..STEPS).map(row).collect()
}

/// Returns the loss rate of a step. Some sequences lose nothing, so that all retransmissions are spurious. Some
/// lose nothing until the threshold has risen, and then too much for it.
fn loss(number: u32, step: u32) -> u64 {
    match (number % 3, step) {
        (0, _) | (2, ..40) => 0,
        (1, _) => 32,
        _ => 8,
    }
}

/// Returns the sender's threshold, window and counters after the event.
fn answers(dialogue: &Dialogue, before: SenderCounters) -> [(&'static str, Option<u64>); 5] {
    let (sender, after) = (&dialogue.sender, dialogue.sender.counters());
    let more = |of: fn(&SenderCounters) -> u32| u64::from(of(&after) - of(&before));
    [
        ("threshold_acks", sender.dupthresh().map(u64::from)),
        ("recoveries", Some(more(|counted| counted.fast_retransmits))),
        ("undone", Some(more(|counted| counted.undone))),
        ("cwnd_bytes", Some(sender.cwnd())),
        (
            "ssthresh_bytes",
            Some(sender.ssthresh()).filter(|bytes| *bytes < u64::MAX),
        ),
    ]
}
