//! Rows of a route: next hops and queues, and the port. Every row asks a new policy.

use super::settings::{Setting, settings};
use super::still::{Still, draw_packet, put_packet};
use super::{Row, csv};
use sidestep_switch::{AnyRoute, Route};
use sidestep_types::{Entry, PortId, Rng, Seed};

pub fn table(entry: &'static Entry, count: u32, seed: Seed) -> String {
    let builds = |values: &_| AnyRoute::build(entry.name, values, 4, 0).is_ok();
    let settings = settings(entry, builds);
    let row = |n: u32| {
        let setting = &settings[n as usize % settings.len()];
        one(
            entry,
            setting,
            n,
            seed.stream(("route", entry.name, u64::from(n))),
        )
    };
    csv((0..count).map(row))
}

fn one(entry: &Entry, setting: &Setting, number: u32, mut rng: Rng) -> Row {
    let mut still = Still::draw(&mut rng, false);
    let packet = draw_packet(&mut rng, false);
    let hops = draw_hops(&mut rng, still.ports);
    let salt = rng.next_u64();
    let mut policy = AnyRoute::build(entry.name, &setting.values, still.ports, salt)
        .expect("it was built before");
    let before = rng.clone();
    let port = policy.pick(&packet, &hops, &mut still, &mut rng);

    let mut row = Row::default();
    row.put("row", number);
    row.put("settings", &setting.words);
    still.put(&mut row);
    row.put_list("hops", hops.iter().map(|p| p.0));
    put_packet(&mut row, &packet);
    row.put("salt_hex", format!("{salt:016x}"));
    row.put_draws(&before, &rng);
    row.put("port", port.0);
    row
}

/// Some of the ports in rising order, one at least.
fn draw_hops(rng: &mut Rng, ports: u16) -> Vec<PortId> {
    let bits = 1 + rng.below((1 << ports) - 1);
    (0..ports)
        .filter(|p| bits >> p & 1 == 1)
        .map(PortId)
        .collect()
}
