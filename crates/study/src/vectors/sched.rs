//! Rows of a scheduler: sequences of operations on one queue, and what each answers.

use super::settings::{Setting, settings};
use super::still::{draw_packet, put_packet};
use super::{Row, csv};
use sidestep_switch::{AnySched, Sched};
use sidestep_types::{Entry, Packet, Rng, Seed};

/// Operations on one queue, which starts empty.
const STEPS: u32 = 16;

pub fn table(entry: &'static Entry, count: u32, seed: Seed) -> String {
    let builds = |values: &_| AnySched::build(entry.name, values, 4, 0).is_ok();
    let settings = settings(entry, builds);
    let sequence = |n: u32| {
        let setting = &settings[n as usize % settings.len()];
        sequence(
            entry,
            setting,
            n,
            seed.stream(("sched", entry.name, u64::from(n))),
        )
    };
    let sequences = 0..count.div_ceil(STEPS);
    csv(sequences.flat_map(sequence).take(count as usize))
}

fn sequence(entry: &Entry, setting: &Setting, number: u32, mut rng: Rng) -> Vec<Row> {
    let mut sched =
        AnySched::build(entry.name, &setting.values, 4, 0).expect("it was built before");
    let mut waiting = 0;
    let mut rows = Vec::new();
    for step in 0..STEPS {
        let packet = draw_packet(&mut rng, true);
        // Handles are the numbers of the steps. More come than leave, so that there is a choice.
        let (word, answer) = match rng.below(8) {
            _ if waiting == 0 && step > 1 => push(&mut sched, &packet, step),
            0..=4 => push(&mut sched, &packet, step),
            5 | 6 => ("pop", sched.pop()),
            _ => ("evict", sched.evict()),
        };
        waiting = if word == "push" {
            waiting + 1
        } else {
            waiting - u32::from(answer.is_some())
        };
        let mut row = Row::default();
        row.put("row", number * STEPS + step);
        row.put("settings", &setting.words);
        row.put("queue", number);
        row.put("step", step);
        row.put("operation", word);
        put_packet(&mut row, &packet);
        if word != "push" {
            row.blank_from("kind");
        }
        row.put_some("answer_step", answer);
        row.put("waiting_packets", waiting);
        row.put_some("worst_rank_bytes", sched.worst());
        row.put("control_packets", sched.urgent().packets);
        row.put("control_wire_bytes", sched.urgent().bytes);
        rows.push(row);
    }
    rows
}

fn push(sched: &mut AnySched, packet: &Packet, handle: u32) -> (&'static str, Option<u32>) {
    sched.push(packet, handle);
    ("push", None)
}
