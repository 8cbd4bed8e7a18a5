//! Rows of a scheduler: sequences of operations on one queue, and what each answers.

use crate::draw::{draw_packet, put_packet};
use crate::policy::Policy;
use crate::row::Row;
use crate::sequence::STEPS;
use crate::settings::{Setting, settings};
use sidestep_switch::sched::priority::Priority;
use sidestep_switch::{AnySched, Sched};
use sidestep_types::{Packet, Seed};

/// Rows without end.
pub fn rows(policy: Policy, seed: Seed) -> impl Iterator<Item = Row> {
    let name = policy.entry.name;
    let settings = settings(policy.entry, policy.nature.remembers, |values| {
        AnySched::build(name, values, 4, 0).is_ok()
    });
    let sequence = move |n: u32| {
        let setting = &settings[n as usize % settings.len()];
        sequence(policy, setting, n, seed)
    };
    (0..).flat_map(sequence)
}

/// Operations on one queue, which starts empty.
fn sequence(policy: Policy, setting: &Setting, number: u32, seed: Seed) -> Vec<Row> {
    let name = policy.entry.name;
    let mut rng = seed.stream(("sched", name, u64::from(number)));
    let mut sched = AnySched::build(name, &setting.values, 4, 0).expect("it was built before");
    let mut waiting = 0;
    let mut rows = Vec::new();
    for step in 0..STEPS {
        let packet = draw_packet(&mut rng, true, policy.nature.ranks);
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
        let control = sched.queue(Priority::CONTROL).depth;
        row.put("control_packets", control.packets);
        row.put("control_wire_bytes", control.bytes);
        rows.push(row);
    }
    rows
}

fn push(sched: &mut AnySched, packet: &Packet, handle: u32) -> (&'static str, Option<u32>) {
    sched.push(packet, handle);
    ("push", None)
}
