//! Rows of a buffer policy: a switch, a packet, the verdict. Each row queries a new policy, except within a
//! sequence.

use crate::chance::put_draws;
use crate::draw::{
    chance, draw_packet, draw_queues, draw_sum, draw_waiting, put_packet, put_queues,
};
use crate::policy::{Policy, PolicyConstructor};
use crate::row::{Row, mask};
use crate::sequence::{at_first, begin, later, put_empty_at, steps};
use crate::settings::{Setting, settings};
use sidestep_switch::sched::priority::Priority;
use sidestep_switch::testing::StillQueues;
use sidestep_switch::{AnyBuffer, Buffer, Nature, Queues, Verdict};
use sidestep_types::{Packet, PortId, PortSet, Rng, Seed};

/// Returns endless rows.
pub fn rows(
    policy: Policy,
    seed: Seed,
    make: PolicyConstructor<AnyBuffer>,
) -> impl Iterator<Item = Row> {
    let settings = all_settings(policy);
    let sequence = move |n: u32| {
        let setting = &settings[n as usize % settings.len()];
        let cases = Case::draw(policy, n, steps(policy), seed);
        let mut asked = make(&setting.values, cases[0].queues.ports(), cases[0].salt);
        let row = |(step, case): (u32, &Case)| {
            let answer = case.ask(&mut asked);
            let mut row = begin(policy, &setting.words, n, step, &case.queues);
            case.put(policy, setting, &answer, &mut row);
            answer.put(case.port, &mut row);
            row
        };
        (0..).zip(&cases).map(row).collect::<Vec<Row>>()
    };
    (0..).flat_map(sequence)
}

fn all_settings(policy: Policy) -> Vec<Setting> {
    let name = policy.entry.name;
    settings(policy.entry, policy.nature.remembers, |values| {
        !policy.registered || AnyBuffer::build(name, values, 4, 0).is_ok()
    })
}

/// Inputs of a verdict, apart from the policy.
#[derive(Clone)]
struct Case {
    queues: StillQueues,
    packet: Packet,
    port: PortId,
    salt: u64,
    rng: Rng,
    question: Question,
}

/// Question to a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    /// The verdict on a packet that arrives.
    Arrives,
    /// The verdict on a packet that was evicted from that queue.
    Displaced,
}

/// Verdict of a policy, and the random stream after it.
#[derive(Debug, PartialEq)]
struct Answer {
    verdict: Verdict,
    after: Rng,
}

impl Case {
    /// Draws the cases of sequence `number`, which has `steps` steps.
    fn draw(policy: Policy, number: u32, steps: u32, seed: Seed) -> Vec<Case> {
        let nature = policy.nature;
        let mut cases: Vec<Case> = Vec::new();
        for row in number * steps..(number + 1) * steps {
            let rng = seed.stream(("buffer", policy.entry.name, u64::from(row)));
            let mut case = match &cases[..] {
                [] => Case::first(rng, nature),
                [first, ..] => first.later(&cases[cases.len() - 1].queues, rng, nature),
            };
            if nature.displaces {
                case.displace();
            }
            if nature.sums {
                case.sum(cases.last().map(|before| &before.queues));
            }
            cases.push(case);
        }
        cases
    }

    fn first(mut rng: Rng, nature: Nature) -> Case {
        let queues = at_first(draw_queues(&mut rng, nature));
        let packet = draw_packet(&mut rng, nature.control, nature.ranks);
        Case {
            port: draw_port(&mut rng, &queues),
            queues,
            packet,
            salt: rng.next_u64(),
            rng,
            question: Question::Arrives,
        }
    }

    /// Draws the waiting packets of all queues. One ranked packet in three was evicted from the queue it wants;
    /// the packets left there rank no worse.
    fn displace(&mut self) {
        for port in (0..self.queues.ports()).map(PortId) {
            draw_waiting(&mut self.rng, &mut self.queues, port);
        }
        let rank = self.packet.rank();
        if rank > 0 && chance(&mut self.rng, 3) {
            self.question = Question::Displaced;
            self.queues.ingress = None;
            self.queues.waiting[self.port.index()].retain(|waiting| waiting.0 <= rank);
        }
    }

    /// Draws the sum of ranks of all queues. A queue unchanged since `before` keeps its sum.
    fn sum(&mut self, before: Option<&StillQueues>) {
        for port in (0..self.queues.ports()).map(PortId) {
            let at = port.index();
            match before.filter(|before| before.depths[at] == self.queues.depths[at]) {
                Some(before) => self.queues.ranks[at] = before.ranks[at],
                None => draw_sum(&mut self.rng, &mut self.queues, port),
            }
        }
    }

    /// Draws a later case of the sequence that begins with this one. Three in four packets want the same port.
    fn later(&self, before: &StillQueues, mut rng: Rng, nature: Nature) -> Case {
        let queues = later(&mut rng, before, nature);
        let packet = draw_packet(&mut rng, nature.control, nature.ranks);
        let other = chance(&mut rng, 4);
        Case {
            port: if other {
                draw_port(&mut rng, &queues)
            } else {
                self.port
            },
            queues,
            packet,
            salt: self.salt,
            rng,
            question: Question::Arrives,
        }
    }

    #[cfg(test)]
    fn build(&self, policy: Policy, setting: &Setting) -> AnyBuffer {
        let (name, ports) = (policy.entry.name, self.queues.ports());
        AnyBuffer::build(name, &setting.values, ports, self.salt).expect("it was built before")
    }

    fn ask(&self, policy: &mut AnyBuffer) -> Answer {
        let (mut queues, mut after) = (self.queues.clone(), self.rng.clone());
        let want = queues.want_for(self.port, &self.packet);
        let (packet, port) = (&self.packet, self.port);
        let verdict = match self.question {
            Question::Arrives => policy.admit(packet, want, &mut queues, &mut after),
            Question::Displaced => policy.displaced(packet, port, &mut queues, &mut after),
        };
        Answer { verdict, after }
    }

    fn put(&self, policy: Policy, setting: &Setting, answer: &Answer, row: &mut Row) {
        let queues = &self.queues;
        let open = queues.clone().open(&self.packet);
        put_queues(row, queues);
        put_empty_at(row, policy, queues);
        row.put(
            "candidates_mask_hex",
            mask(candidates(policy, setting, queues)),
        );
        row.put("fits_mask_hex", mask(open));
        row.put("want_port", self.port.0);
        match policy.nature.classes {
            true => {
                let of = &queues.classes[self.port.index()];
                row.put_list("class_packets", of.iter().map(|c| c.depth.packets));
                row.put_list("class_bytes", of.iter().map(|c| c.depth.bytes));
                row.put_list("class_flows", of.iter().map(|c| c.flows));
            }
            false => {
                let control = queues.clone().queue(self.port, Priority::CONTROL).depth;
                row.put("control_packets", control.packets);
                row.put("control_bytes", control.bytes);
            }
        }
        row.put_some("worst_rank_bytes", queues.worst(self.port));
        if policy.nature.displaces {
            let worst = (0..queues.ports()).map(|port| queues.worst(PortId(port)));
            row.put_list("worst_ranks_bytes", worst.map(rank_or_dash));
            let waiting = &queues.waiting[self.port.index()];
            row.put_list("waiting_rank_bytes", waiting.iter().map(|w| w.0));
            row.put_list("waiting_buffer_bytes", waiting.iter().map(|w| w.1));
            row.put("question", self.question.word());
        }
        if policy.nature.sums {
            row.put_list("waiting_packets", queues.ranks.iter().map(|r| r.packets));
            row.put_list("rank_sum_bytes", queues.ranks.iter().map(|r| r.sum));
        }
        put_packet(row, &self.packet);
        row.put("salt_hex", format!("{:016x}", self.salt));
        put_draws(row, policy, &self.rng, &answer.after);
    }
}

impl Question {
    fn word(self) -> &'static str {
        match self {
            Question::Arrives => "arrives",
            Question::Displaced => "displaced",
        }
    }
}

impl Answer {
    fn put(&self, want: PortId, row: &mut Row) {
        let verdict = self.verdict;
        row.put("verdict", verdict.name());
        row.put_some("port", verdict.port(want).map(|p| p.0));
        row.put("mark", u8::from(verdict.marks()));
        row.put_some("reason", verdict.reason().map(|reason| reason.name()));
    }
}

/// Formats a rank, or `-` for none: a value of a list cannot be empty.
fn rank_or_dash(rank: Option<u32>) -> String {
    rank.map_or("-".to_string(), |rank| rank.to_string())
}

fn draw_port(rng: &mut Rng, queues: &StillQueues) -> PortId {
    PortId(rng.below(u64::from(queues.ports())) as u16)
}

/// Returns the ports to which a packet may be detoured, full or not.
fn candidates(policy: Policy, setting: &Setting, queues: &StillQueues) -> PortSet {
    let mut ports = queues.to_switch;
    let back = (policy.nature.back).is_none_or(|flag| setting.values.flag(flag));
    if let (Some(ingress), false) = (queues.ingress, back) {
        ports.remove(ingress);
    }
    ports
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::control;
    use crate::policies;
    use crate::policy::{SHIPPED, STEPS};
    use sidestep_switch::DropReason;

    /// Counts the cases, of 640, in which the answer of `other` differs from a new policy's.
    fn differ(policy: Policy, other: impl Fn(&Setting, &Case) -> Answer) -> usize {
        let settings = all_settings(policy);
        let differs = |n: &u32| {
            let setting = &settings[*n as usize % settings.len()];
            let case = &Case::draw(policy, *n, 1, Seed(1))[0];
            case.ask(&mut case.build(policy, setting)) != other(setting, case)
        };
        (0..640).filter(differs).count()
    }

    fn buffers() -> impl Iterator<Item = Policy> {
        policies().filter(|policy| policy.seam == "buffer")
    }

    /// Returns the case with every rank reversed.
    fn reversed(case: &Case) -> Case {
        let reversed = |rank: u32| u32::MAX - rank;
        let mut other = case.clone();
        if case.packet.rank() > 0 {
            other.packet.set_rank(reversed(case.packet.rank()));
        }
        let worst = other.queues.worst.iter_mut();
        worst.for_each(|worst| *worst = worst.map(reversed));
        for waiting in &mut other.queues.waiting {
            waiting.iter_mut().for_each(|w| w.0 = reversed(w.0));
            waiting.reverse();
        }
        for ranks in &mut other.queues.ranks {
            ranks.sum = u64::from(ranks.packets) * u64::from(u32::MAX) - ranks.sum;
        }
        other
    }

    /// Checks whole sequences if the policy remembers: earlier ranks may be all that it uses.
    #[test]
    fn a_verdict_depends_on_ranks_where_the_nature_says_so() {
        for policy in buffers() {
            let settings = all_settings(policy);
            let differs = |n: &u32| {
                let setting = &settings[*n as usize % settings.len()];
                let cases = Case::draw(policy, *n, steps(policy), Seed(1));
                let [mut one, mut other] = [(); 2].map(|()| cases[0].build(policy, setting));
                cases
                    .iter()
                    .any(|case| case.ask(&mut one) != reversed(case).ask(&mut other))
            };
            let sequences = 640 / steps(policy);
            let with_other_ranks = (0..sequences).filter(differs).count();
            let name = policy.entry.name;
            assert_eq!(with_other_ranks > 0, policy.nature.ranks, "{name}");
        }
    }

    #[test]
    fn a_verdict_depends_on_the_sum_of_ranks_where_the_nature_says_so() {
        for policy in buffers() {
            let with_other_sums = differ(policy, |setting, case| {
                let mut other = case.clone();
                for ranks in &mut other.queues.ranks {
                    ranks.sum = u64::from(ranks.packets) * 100;
                }
                other.ask(&mut case.build(policy, setting))
            });
            let name = policy.entry.name;
            assert_eq!(with_other_sums > 0, policy.nature.sums, "{name}");
        }
    }

    #[test]
    fn what_is_evicted_may_go_on_where_the_nature_says_so() {
        let dropped = Verdict::Drop(DropReason::Evicted);
        for policy in buffers() {
            let settings = all_settings(policy);
            let goes_on = (0..640).any(|n| {
                let mut case = Case::draw(policy, n, 1, Seed(1)).remove(0);
                case.question = Question::Displaced;
                let setting = &settings[n as usize % settings.len()];
                case.ask(&mut case.build(policy, setting)).verdict != dropped
            });
            let name = policy.entry.name;
            assert_eq!(goes_on, policy.nature.displaces, "{name}");
        }
    }

    #[test]
    fn a_verdict_depends_on_the_control_packets_that_wait_where_the_nature_says_so() {
        // A scheduler with classes of service has no class for control packets.
        for policy in buffers().filter(|policy| !policy.nature.classes) {
            let with_more_control = differ(policy, |setting, case| {
                let mut other = case.clone();
                for (class, depth) in other.queues.classes.iter_mut().zip(&case.queues.depths) {
                    *class = control(*depth);
                }
                other.ask(&mut case.build(policy, setting))
            });
            let name = policy.entry.name;
            assert_eq!(with_more_control > 0, policy.nature.control, "{name}");
        }
    }

    #[test]
    fn a_verdict_depends_on_classes_and_their_flows_where_the_nature_says_so() {
        for policy in buffers() {
            let with_other_classes = differ(policy, |setting, case| {
                let mut other = case.clone();
                other.queues.classes.iter_mut().for_each(|of| of.reverse());
                other.ask(&mut case.build(policy, setting))
            });
            let with_more_flows = differ(policy, |setting, case| {
                let mut other = case.clone();
                let classes = other.queues.classes.iter_mut().flatten();
                classes.for_each(|class| class.flows += 50);
                other.ask(&mut case.build(policy, setting))
            });
            let Nature { classes, flows, .. } = policy.nature;
            let name = policy.entry.name;
            assert_eq!(with_other_classes > 0, classes, "{name}");
            assert_eq!(with_more_flows > 0, flows.is_some(), "{name}");
        }
    }

    #[test]
    fn a_new_policy_at_every_step_answers_otherwise_exactly_where_the_nature_says_that_it_remembers()
     {
        for policy in buffers() {
            let settings = all_settings(policy);
            let otherwise = |n: u32| {
                let setting = &settings[n as usize % settings.len()];
                let cases = Case::draw(policy, n, STEPS, Seed(1));
                let mut same = cases[0].build(policy, setting);
                let differs = |case: &&Case| {
                    case.ask(&mut same) != case.ask(&mut case.build(policy, setting))
                };
                cases.iter().filter(differs).count()
            };
            let otherwise: usize = (0..SHIPPED).map(otherwise).sum();
            let name = policy.entry.name;
            assert_eq!(otherwise > 0, policy.nature.remembers, "{name}");
        }
    }
}
