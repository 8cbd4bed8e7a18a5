//! Rows of a route: next hops, queues, and the port chosen. Each row queries a new policy, except within a
//! sequence.

use crate::chance::put_draws;
use crate::draw::{draw_packet, draw_queues, put_packet, put_queues};
use crate::policy::{Policy, PolicyConstructor};
use crate::row::Row;
use crate::sequence::{at_first, begin, later, put_empty_at, steps};
use crate::settings::{Setting, settings};
use sidestep_switch::testing::StillQueues;
use sidestep_switch::{AnyRoute, Hops, Nature, Route};
use sidestep_types::{HostId, Packet, PortId, Rng, Seed};

/// Returns endless rows.
pub fn rows(
    policy: Policy,
    seed: Seed,
    make: PolicyConstructor<AnyRoute>,
) -> impl Iterator<Item = Row> {
    let settings = all_settings(policy);
    let sequence = move |n: u32| {
        let setting = &settings[n as usize % settings.len()];
        let cases = Case::draw(policy, n, steps(policy), seed);
        let mut asked = make(&setting.values, cases[0].queues.ports(), cases[0].salt);
        let row = |(step, case): (u32, &Case)| {
            let (port, rng) = case.ask(&mut asked);
            let mut row = begin(policy, &setting.words, n, step, &case.queues);
            case.put(policy, &rng, &mut row);
            row.put("port", port.0);
            row
        };
        (0..).zip(&cases).map(row).collect::<Vec<Row>>()
    };
    (0..).flat_map(sequence)
}

fn all_settings(policy: Policy) -> Vec<Setting> {
    let name = policy.entry.name;
    settings(policy.entry, policy.nature.remembers, |values| {
        !policy.registered || AnyRoute::build(name, values, 4, 0).is_ok()
    })
}

/// Inputs of a choice, apart from the policy.
#[derive(Clone)]
struct Case {
    queues: StillQueues,
    packet: Packet,
    way: Way,
    salt: u64,
    rng: Rng,
}

/// Next hops toward one destination, as [`Hops`].
#[derive(Clone, Debug)]
struct Way {
    ports: Vec<PortId>,
    set: u32,
    prefix: u32,
}

/// Destinations of a sequence's packets, different sets of next hops toward them, and flows to each
/// destination.
const PREFIXES: usize = 4;
const SETS: usize = 2;
const FLOWS: u64 = 2;

impl Case {
    /// Draws the cases of sequence `number`, which has `steps` steps.
    fn draw(policy: Policy, number: u32, steps: u32, seed: Seed) -> Vec<Case> {
        let name = policy.entry.name;
        let nature = policy.nature;
        let first_row = u64::from(number * steps);
        let first = Case::first(seed.stream(("route", name, first_row)), nature);
        let mut rng = seed.stream(("ways", name, first_row));
        let ways = draw_ways(&mut rng, &first);
        let mut cases = vec![first];
        for row in (first_row + 1..).take(steps as usize - 1) {
            let rng = seed.stream(("route", name, row));
            cases.push(cases[cases.len() - 1].later(&ways, rng, nature));
        }
        if nature.remembers {
            let mut rng = seed.stream(("flows", name, first_row));
            draw_flows(&mut rng, &mut cases);
        }
        cases
    }

    fn first(mut rng: Rng, nature: Nature) -> Case {
        let queues = at_first(draw_queues(&mut rng, nature));
        let packet = draw_packet(&mut rng, nature.control, nature.ranks);
        Case {
            way: Way {
                ports: draw_hops(&mut rng, queues.ports()),
                set: 0,
                prefix: 0,
            },
            queues,
            packet,
            salt: rng.next_u64(),
            rng,
        }
    }

    /// Draws the next case of the sequence, for one of these ways.
    fn later(&self, ways: &[Way], mut rng: Rng, nature: Nature) -> Case {
        Case {
            queues: later(&mut rng, &self.queues, nature),
            packet: draw_packet(&mut rng, nature.control, nature.ranks),
            way: ways[rng.below(PREFIXES as u64) as usize].clone(),
            salt: self.salt,
            rng,
        }
    }

    #[cfg(test)]
    fn build(&self, policy: Policy, setting: &Setting) -> AnyRoute {
        let (name, ports) = (policy.entry.name, self.queues.ports());
        AnyRoute::build(name, &setting.values, ports, self.salt).expect("it was built before")
    }

    /// Queries the policy. Returns the port, and the random stream after the choice.
    fn ask(&self, policy: &mut AnyRoute) -> (PortId, Rng) {
        let (mut queues, mut rng) = (self.queues.clone(), self.rng.clone());
        let port = policy.pick(&self.packet, self.way.hops(), &mut queues, &mut rng);
        (port, rng)
    }

    fn put(&self, policy: Policy, after: &Rng, row: &mut Row) {
        put_queues(row, &self.queues);
        put_empty_at(row, policy, &self.queues);
        row.put_list("hops", self.way.ports.iter().map(|p| p.0));
        if policy.nature.remembers {
            row.put("hop_set", self.way.set);
            row.put("prefix", self.way.prefix);
            row.put("dst_host", self.packet.dst.0);
        }
        put_packet(row, &self.packet);
        row.put("salt_hex", format!("{:016x}", self.salt));
        put_draws(row, policy, &self.rng, after);
    }
}

impl Way {
    fn hops(&self) -> Hops<'_> {
        Hops {
            ports: &self.ports,
            set: self.set,
            prefix: self.prefix,
        }
    }
}

/// Draws the ways of the sequence that begins with `first`. The way of `first` uses the first set; the
/// destinations use the sets in turn.
fn draw_ways(rng: &mut Rng, first: &Case) -> Vec<Way> {
    let mut sets = vec![first.way.ports.clone()];
    while sets.len() < SETS {
        let ports = draw_hops(rng, first.queues.ports());
        if !sets.contains(&ports) {
            sets.push(ports);
        }
    }
    let way = |prefix: usize| Way {
        ports: sets[prefix % SETS].clone(),
        set: (prefix % SETS) as u32,
        prefix: prefix as u32,
    };
    (0..PREFIXES).map(way).collect()
}

/// Assigns the packets to a few recurring flows. The flows to every other destination share one host.
fn draw_flows(rng: &mut Rng, cases: &mut [Case]) {
    let hash = |_| std::array::from_fn(|_| rng.draw());
    let hashes: [[u32; FLOWS as usize]; PREFIXES] = std::array::from_fn(hash);
    for case in cases {
        let (prefix, flow) = (case.way.prefix, rng.below(FLOWS));
        let host = if prefix % 2 == 0 { flow as u32 } else { 0 };
        case.packet.hash = hashes[prefix as usize][flow as usize];
        case.packet.dst = HostId(prefix * FLOWS as u32 + host);
    }
}

/// Draws at least one of the ports, in rising order.
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
    use crate::policy::{SHIPPED, STEPS};

    /// Counts the answers in some sequences that differ from those of `other`. `other` gets a case, the policy
    /// of an identical sequence, and a new policy.
    fn differ(
        policy: Policy,
        other: impl Fn(&Case, &mut AnyRoute, &mut AnyRoute) -> (PortId, Rng),
    ) -> usize {
        let settings = all_settings(policy);
        let differ = |n: u32| {
            let new = |case: &Case| case.build(policy, &settings[n as usize % settings.len()]);
            let cases = Case::draw(policy, n, STEPS, Seed(1));
            let (mut asked, mut twin) = (new(&cases[0]), new(&cases[0]));
            let differs =
                |case: &&Case| case.ask(&mut asked) != other(case, &mut twin, &mut new(case));
            cases.iter().filter(differs).count()
        };
        (0..SHIPPED).map(differ).sum()
    }

    fn routes() -> impl Iterator<Item = Policy> {
        policies().filter(|policy| policy.seam == "route")
    }

    #[test]
    fn a_new_policy_at_every_step_answers_otherwise_exactly_where_the_nature_says_that_it_remembers()
     {
        for policy in routes() {
            let otherwise = differ(policy, |case, _, new| case.ask(new));
            let name = policy.entry.name;
            assert_eq!(otherwise > 0, policy.nature.remembers, "{name}");
        }
    }

    #[test]
    fn what_is_remembered_of_one_set_or_place_shows_for_another_when_their_numbers_are_equal() {
        let mut any = false;
        for policy in routes() {
            let otherwise = differ(policy, |case, twin, _| {
                let mut other = case.clone();
                (other.way.set, other.way.prefix) = (0, 0);
                other.ask(twin)
            });
            let name = policy.entry.name;
            assert!(otherwise == 0 || policy.nature.remembers, "{name}");
            any |= otherwise > 0;
        }
        assert!(any, "no route keeps its memory by set or by place");
    }

    #[test]
    fn a_choice_depends_on_ranks_only_where_the_nature_says_so() {
        for policy in routes() {
            let otherwise = differ(policy, |case, twin, _| {
                let mut other = case.clone();
                if case.packet.rank() > 0 {
                    other.packet.set_rank(u32::MAX - case.packet.rank());
                }
                other.queues.worst.fill(None);
                other.ask(twin)
            });
            let name = policy.entry.name;
            assert!(otherwise == 0 || policy.nature.ranks, "{name}");
        }
    }
}
