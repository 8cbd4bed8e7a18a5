//! Rows of a buffer policy: a switch, a packet, the verdict. Every row asks a new policy.

use crate::chance::put_draws;
use crate::draw::{draw_packet, draw_queues, put_packet, put_queues};
use crate::policy::Policy;
use crate::row::{Row, mask};
use crate::settings::{Setting, settings};
use sidestep_switch::testing::StillQueues;
use sidestep_switch::{AnyBuffer, Buffer, Queues, Verdict};
use sidestep_types::{Packet, PortId, PortSet, Rng, Seed};

/// Rows without end.
pub fn rows(policy: Policy, seed: Seed) -> impl Iterator<Item = Row> {
    let settings = all_settings(policy);
    let row = move |n: u32| {
        let setting = &settings[n as usize % settings.len()];
        let case = Case::draw(policy, n, seed);
        let (verdict, rng) = case.ask(&mut case.build(policy, setting));
        let mut row = Row::default();
        row.put("row", n);
        row.put("settings", &setting.words);
        case.put(policy, setting, &rng, &mut row);
        put_verdict(&mut row, verdict, case.port);
        row
    };
    (0..).map(row)
}

fn all_settings(policy: Policy) -> Vec<Setting> {
    let name = policy.entry.name;
    settings(policy.entry, |values| {
        AnyBuffer::build(name, values, 4, 0).is_ok()
    })
}

/// All that a verdict depends on, but for the policy.
#[derive(Clone)]
struct Case {
    queues: StillQueues,
    packet: Packet,
    port: PortId,
    salt: u64,
    rng: Rng,
}

impl Case {
    fn draw(policy: Policy, number: u32, seed: Seed) -> Case {
        let mut rng = seed.stream(("buffer", policy.entry.name, u64::from(number)));
        let control = policy.nature.control;
        let queues = draw_queues(&mut rng, control, policy.nature.ranks);
        let packet = draw_packet(&mut rng, control, policy.nature.ranks);
        Case {
            port: PortId(rng.below(u64::from(queues.ports())) as u16),
            queues,
            packet,
            salt: rng.next_u64(),
            rng,
        }
    }

    fn build(&self, policy: Policy, setting: &Setting) -> AnyBuffer {
        let (name, ports) = (policy.entry.name, self.queues.ports());
        AnyBuffer::build(name, &setting.values, ports, self.salt).expect("it was built before")
    }

    /// The verdict, and the stream after it.
    fn ask(&self, policy: &mut AnyBuffer) -> (Verdict, Rng) {
        let (mut queues, mut rng) = (self.queues.clone(), self.rng.clone());
        let want = queues.want_for(self.port, &self.packet);
        let verdict = policy.admit(&self.packet, want, &mut queues, &mut rng);
        (verdict, rng)
    }

    fn put(&self, policy: Policy, setting: &Setting, after: &Rng, row: &mut Row) {
        let queues = &self.queues;
        let open = queues.clone().open(&self.packet);
        put_queues(row, queues);
        row.put(
            "candidates_mask_hex",
            mask(candidates(policy, setting, queues)),
        );
        row.put("fits_mask_hex", mask(open));
        row.put("want_port", self.port.0);
        row.put("control_packets", queues.urgent(self.port).packets);
        row.put("control_bytes", queues.urgent(self.port).bytes);
        row.put_some("worst_rank_bytes", queues.worst(self.port));
        put_packet(row, &self.packet);
        row.put("salt_hex", format!("{:016x}", self.salt));
        put_draws(row, policy, &self.rng, after);
    }
}

/// The ports that a packet may be detoured to, full or not.
fn candidates(policy: Policy, setting: &Setting, queues: &StillQueues) -> PortSet {
    let mut ports = queues.to_switch;
    let back = (policy.nature.back).is_none_or(|flag| setting.values.flag(flag));
    if let (Some(ingress), false) = (queues.ingress, back) {
        ports.remove(ingress);
    }
    ports
}

fn put_verdict(row: &mut Row, verdict: Verdict, want: PortId) {
    row.put("verdict", verdict.name());
    row.put_some("port", verdict.port(want).map(|p| p.0));
    row.put("mark", u8::from(verdict.marks()));
    row.put_some("reason", verdict.reason().map(|reason| reason.name()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policies;

    /// How many of 640 cases `other` answers otherwise than a new policy does.
    fn differ(policy: Policy, other: impl Fn(&Setting, &Case) -> (Verdict, Rng)) -> usize {
        let settings = all_settings(policy);
        let differs = |n: &u32| {
            let setting = &settings[*n as usize % settings.len()];
            let case = Case::draw(policy, *n, Seed(1));
            case.ask(&mut case.build(policy, setting)) != other(setting, &case)
        };
        (0..640).filter(differs).count()
    }

    fn buffers() -> impl Iterator<Item = Policy> {
        policies().filter(|policy| policy.seam == "buffer")
    }

    #[test]
    fn a_verdict_depends_on_ranks_where_the_nature_says_so() {
        for policy in buffers() {
            let reversed = |rank: u32| u32::MAX - rank;
            let with_other_ranks = differ(policy, |setting, case| {
                let mut other = case.clone();
                if case.packet.rank() > 0 {
                    other.packet.set_rank(reversed(case.packet.rank()));
                }
                let worst = other.queues.worst.iter_mut();
                worst.for_each(|worst| *worst = worst.map(reversed));
                other.ask(&mut case.build(policy, setting))
            });
            let name = policy.entry.name;
            assert_eq!(with_other_ranks > 0, policy.nature.ranks, "{name}");
        }
    }

    #[test]
    fn a_verdict_depends_on_the_control_packets_that_wait_where_the_nature_says_so() {
        for policy in buffers() {
            let with_more_control = differ(policy, |setting, case| {
                let mut other = case.clone();
                other.queues.urgent.clone_from(&case.queues.depths);
                other.ask(&mut case.build(policy, setting))
            });
            let name = policy.entry.name;
            assert_eq!(with_more_control > 0, policy.nature.control, "{name}");
        }
    }

    #[test]
    fn a_policy_that_is_asked_twice_answers_otherwise_only_where_its_nature_says_that_it_remembers()
    {
        for policy in buffers() {
            let the_second_time = differ(policy, |setting, case| {
                let mut asked = case.build(policy, setting);
                case.ask(&mut asked);
                case.ask(&mut asked)
            });
            let name = policy.entry.name;
            // What is remembered may show later, or of other packets alone.
            assert!(the_second_time == 0 || policy.nature.remembers, "{name}");
        }
    }
}
