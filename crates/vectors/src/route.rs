//! Rows of a route: next hops and queues, and the port. Every row asks a new policy.

use crate::chance::put_draws;
use crate::draw::{draw_packet, draw_queues, put_packet, put_queues};
use crate::policy::Policy;
use crate::row::Row;
use crate::settings::{Setting, settings};
use sidestep_switch::testing::StillQueues;
use sidestep_switch::{AnyRoute, Hops, Route};
use sidestep_types::{Packet, PortId, Rng, Seed};

/// Rows without end.
pub fn rows(policy: Policy, seed: Seed) -> impl Iterator<Item = Row> {
    let settings = all_settings(policy);
    let row = move |n: u32| {
        let setting = &settings[n as usize % settings.len()];
        let case = Case::draw(policy, n, seed);
        let (port, rng) = case.ask(&mut case.build(policy, setting));
        let mut row = Row::default();
        row.put("row", n);
        row.put("settings", &setting.words);
        case.put(policy, &rng, &mut row);
        row.put("port", port.0);
        row
    };
    (0..).map(row)
}

fn all_settings(policy: Policy) -> Vec<Setting> {
    let name = policy.entry.name;
    settings(policy.entry, |values| {
        AnyRoute::build(name, values, 4, 0).is_ok()
    })
}

/// All that a choice depends on, but for the policy.
#[derive(Clone)]
struct Case {
    queues: StillQueues,
    packet: Packet,
    hops: Vec<PortId>,
    salt: u64,
    rng: Rng,
}

impl Case {
    fn draw(policy: Policy, number: u32, seed: Seed) -> Case {
        let mut rng = seed.stream(("route", policy.entry.name, u64::from(number)));
        let control = policy.nature.control;
        let queues = draw_queues(&mut rng, control, policy.nature.ranks);
        let packet = draw_packet(&mut rng, control, policy.nature.ranks);
        Case {
            hops: draw_hops(&mut rng, queues.ports()),
            queues,
            packet,
            salt: rng.next_u64(),
            rng,
        }
    }

    fn build(&self, policy: Policy, setting: &Setting) -> AnyRoute {
        let (name, ports) = (policy.entry.name, self.queues.ports());
        AnyRoute::build(name, &setting.values, ports, self.salt).expect("it was built before")
    }

    /// The port, and the stream after it was chosen.
    fn ask(&self, policy: &mut AnyRoute) -> (PortId, Rng) {
        let (mut queues, mut rng) = (self.queues.clone(), self.rng.clone());
        let port = policy.pick(&self.packet, Hops::of(&self.hops), &mut queues, &mut rng);
        (port, rng)
    }

    fn put(&self, policy: Policy, after: &Rng, row: &mut Row) {
        put_queues(row, &self.queues);
        row.put_list("hops", self.hops.iter().map(|p| p.0));
        put_packet(row, &self.packet);
        row.put("salt_hex", format!("{:016x}", self.salt));
        put_draws(row, policy, &self.rng, after);
    }
}

/// Some of the ports in rising order, one at least.
fn draw_hops(rng: &mut Rng, ports: u16) -> Vec<PortId> {
    let bits = 1 + rng.below((1 << ports) - 1);
    (0..ports)
        .filter(|p| bits >> p & 1 == 1)
        .map(PortId)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policies;

    #[test]
    fn a_choice_depends_on_ranks_or_on_earlier_ones_only_where_the_nature_says_so() {
        for policy in policies().filter(|policy| policy.seam == "route") {
            let settings = all_settings(policy);
            for n in 0..640 {
                let case = Case::draw(policy, n, Seed(1));
                let new = || case.build(policy, &settings[n as usize % settings.len()]);
                let mut asked = new();
                let first = case.ask(&mut asked);
                let name = policy.entry.name;
                let again = case.ask(&mut asked);
                assert!(again == first || policy.nature.remembers, "{name}");
                let mut other = case.clone();
                if case.packet.rank() > 0 {
                    other.packet.set_rank(u32::MAX - case.packet.rank());
                }
                other.queues.worst.fill(None);
                let ranked = other.ask(&mut new());
                assert!(ranked == first || policy.nature.ranks, "{name}");
            }
        }
    }
}
