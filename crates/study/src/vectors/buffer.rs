//! Rows of a buffer policy: a switch, a packet, the verdict. Every row asks a new policy.

use super::settings::{Setting, settings};
use super::still::{Still, draw_packet, put_packet};
use super::{Row, csv, mask};
use sidestep_switch::{AnyBuffer, Buffer, Queues, Verdict, buffer};
use sidestep_types::{Entry, PortId, PortSet, Rng, Seed};

pub fn table(entry: &'static Entry, count: u32, seed: Seed) -> String {
    csv(rows(entry, seed).take(count as usize))
}

/// Rows without end.
pub fn rows(entry: &'static Entry, seed: Seed) -> impl Iterator<Item = Row> {
    let builds = |values: &_| AnyBuffer::build(entry.name, values, 4, 0).is_ok();
    let settings = settings(entry, builds);
    let row = move |n: u32| {
        let setting = &settings[n as usize % settings.len()];
        one(
            entry,
            setting,
            n,
            seed.stream(("buffer", entry.name, u64::from(n))),
        )
    };
    (0..).map(row)
}

fn one(entry: &Entry, setting: &Setting, number: u32, mut rng: Rng) -> Row {
    let control = buffer::nature(entry.name).sched == Some("priority");
    let mut still = Still::draw(&mut rng, control);
    let packet = draw_packet(&mut rng, control);
    let port = PortId(rng.below(u64::from(still.ports)) as u16);
    let want = still.want(port, &packet);
    let salt = rng.next_u64();
    let mut policy = AnyBuffer::build(entry.name, &setting.values, still.ports, salt)
        .expect("it was built before");
    let before = rng.clone();
    let verdict = policy.admit(&packet, want, &mut still, &mut rng);

    let mut row = Row::default();
    row.put("row", number);
    row.put("settings", &setting.words);
    still.put(&mut row);
    row.put(
        "candidates_mask_hex",
        mask(candidates(entry, setting, &still)),
    );
    row.put("fits_mask_hex", mask(still.open(&packet)));
    row.put("want_port", port.0);
    row.put("control_packets", still.urgent(port).packets);
    row.put("control_bytes", still.urgent(port).bytes);
    row.put_some("worst_rank_bytes", still.worst(port));
    put_packet(&mut row, &packet);
    row.put("salt_hex", format!("{salt:016x}"));
    row.put_draws(&before, &rng);
    put_verdict(&mut row, verdict, port);
    row
}

/// The ports that a packet may be detoured to, full or not.
fn candidates(entry: &Entry, setting: &Setting, still: &Still) -> PortSet {
    let mut ports = still.to_switch;
    let has = entry.params.iter().any(|param| param.name == "ingress");
    if let (Some(ingress), true) = (still.ingress, has && !setting.values.flag("ingress")) {
        ports.remove(ingress);
    }
    ports
}

fn put_verdict(row: &mut Row, verdict: Verdict, want: PortId) {
    let (word, port, mark, reason) = match verdict {
        Verdict::Enqueue { mark } => ("enqueue", Some(want), mark, None),
        Verdict::Detour(port) => ("detour", Some(port), true, None),
        Verdict::Evict { mark } => ("evict", Some(want), mark, None),
        Verdict::Trim => ("trim", Some(want), false, None),
        Verdict::Drop(reason) => ("drop", None, false, Some(reason.name())),
    };
    row.put("verdict", word);
    row.put_some("port", port.map(|p| p.0));
    row.put("mark", u8::from(mark));
    row.put_some("reason", reason);
}
