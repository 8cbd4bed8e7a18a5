//! Rows of a scheduler: sequences of operations on one queue, and the answer to each.

use crate::draw::{chance, draw_packet, put_packet};
use crate::policy::{Policy, PolicyConstructor, STEPS};
use crate::row::Row;
use crate::settings::{Setting, settings};
use sidestep_switch::sched::priority::Priority;
use sidestep_switch::{AnySched, Sched};
use sidestep_types::{Packet, Seed, Time};

/// Returns endless rows.
pub fn rows(
    policy: Policy,
    seed: Seed,
    make: PolicyConstructor<AnySched>,
) -> impl Iterator<Item = Row> {
    let name = policy.entry.name;
    let settings = settings(policy.entry, policy.nature.remembers, |values| {
        !policy.registered || AnySched::build(name, values, 4, 0).is_ok()
    });
    let sequence = move |n: u32| {
        let setting = &settings[n as usize % settings.len()];
        sequence(policy, setting, n, seed, &make)
    };
    (0..).flat_map(sequence)
}

/// Performs a sequence of operations on one queue, which starts empty.
fn sequence(
    policy: Policy,
    setting: &Setting,
    number: u32,
    seed: Seed,
    make: &PolicyConstructor<AnySched>,
) -> Vec<Row> {
    let name = policy.entry.name;
    let mut rng = seed.stream(("sched", name, u64::from(number)));
    let mut sched = make(&setting.values, 4, 0);
    let (mut waiting, mut now) = (0, Time::ZERO);
    let mut rows = Vec::new();
    for step in 0..STEPS {
        let mut packet = draw_packet(&mut rng, true, policy.nature.ranks);
        if policy.nature.classes {
            // At once, or after up to a small packet's time, or after up to a flow's timeout, which the other
            // settings make short.
            let most = [1, 700, 6_000][rng.below(3) as usize];
            now += Time::from_ns(rng.below(most));
            packet.set_ends(chance(&mut rng, 4));
        }
        // Handles are the numbers of the steps. More packets come than leave, so that the scheduler has a
        // choice.
        let (word, answer) = match rng.below(8) {
            _ if waiting == 0 && step > 1 => push(&mut sched, &packet, now, step),
            0..=4 => push(&mut sched, &packet, now, step),
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
        if policy.nature.classes {
            row.put("now_ps", now.ps());
        }
        row.put("operation", word);
        put_packet(&mut row, &packet);
        if policy.nature.classes {
            row.put("ends", u8::from(packet.ends()));
        }
        if word != "push" {
            row.blank_from("kind");
        }
        row.put_some("answer_step", answer);
        row.put("waiting_packets", waiting);
        row.put_some("worst_rank_bytes", sched.worst());
        match policy.nature.classes {
            true => put_classes(&mut row, &sched, setting),
            false => {
                let control = sched.queue(Priority::CONTROL).depth;
                row.put("control_packets", control.packets);
                row.put("control_wire_bytes", control.bytes);
            }
        }
        rows.push(row);
    }
    rows
}

/// Adds the depth of each class, and its number of flows.
fn put_classes(row: &mut Row, sched: &AnySched, setting: &Setting) {
    let classes = setting.values.count("classes") as u8;
    let of = |class| sched.queue(class);
    row.put_list("class_packets", (0..classes).map(|c| of(c).depth.packets));
    row.put_list("class_wire_bytes", (0..classes).map(|c| of(c).depth.bytes));
    row.put_list("class_flows", (0..classes).map(|c| of(c).flows));
}

/// Pushes a packet as a port does.
fn push(
    sched: &mut AnySched,
    packet: &Packet,
    now: Time,
    handle: u32,
) -> (&'static str, Option<u32>) {
    if sched.counts() {
        sched.see(packet, now);
    }
    sched.push(packet, handle);
    ("push", None)
}
