//! Vertigo: a full queue passes on the packets with the most left to send, to a queue that is less full.
//!
//! **Decision**     the wanted port if the packet fits. If not, and evicting waiting packets that rank strictly
//!                  worse makes room, the worst of them are evicted and the packet joins; else the packet
//!                  itself is passed on. An evicted or passed-on packet goes to the shorter queue of `choices`
//!                  ports to a switch, drawn at random. If that is full too, its worst packets, the new one
//!                  included, are dropped until all fit.
//! **State**        none. Reads ranks from the worst on until there is room; `choices` draws for each packet
//!                  that leaves, fewer if fewer ports lead to a switch.
//! **Units**        ranks: the transports here set them to the bytes not acknowledged ([`Packet::rank`]); bytes
//!                  of queue; `mark_at` in packets or bytes.
//! **Errors**       `evicted` for packets that waited, `full` for the packet at hand; construction refuses
//!                  `choices` of 0, of more than 4, or of more than the switch has ports.
//! **Source**       Abdous et al., CoNEXT 2021, section 3.2, and its public simulator.
//! **Deviations**   of two full queues the paper takes either, its simulator and this policy the shorter. The
//!                  port where a packet waited and the one it came in by are among those drawn, as in the
//!                  simulator. Among equal queues, the one drawn first. The mark depends on the queue as it is
//!                  before the last victim leaves it. `deflect` is not in the paper.

use super::detour::Step;
use super::{Buffer, DropReason, Verdict};
use crate::choices::{CHOICES, MOST, of_ports, shortest_drawn};
use crate::why::{self, SwitchSnapshot, both, count};
use crate::{NEVER, Nature, Policy, Queues, Want};
use sidestep_types::{About, Packet, PortId, Refusal, Rng, Settings, Size};

/// Policy that deflects the packets with the largest rank.
#[derive(Clone, Debug, Settings)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Vertigo {
    #[setting(flatten)]
    step: Step,
    /// ports drawn for each packet that leaves a full queue, 1 to 4
    #[setting(default = "2", range = CHOICES)]
    choices: u8,
    /// send packets that leave a full queue to another one; if false they are dropped: Vertigo's queues alone
    #[setting(default = "true")]
    deflect: bool,
}

impl Policy for Vertigo {
    type Settings = Vertigo;
    const ABOUT: About = About {
        name: "vertigo",
        summary: "deflects the packets with the most left to send to shorter queues; meant for \
                  sched srpt",
        source: "Abdous et al., CoNEXT 2021 (Vertigo)",
    };
    const NATURE: Nature = Nature {
        detours: true,
        reorders: true,
        sched: &["srpt", "pfabric", "fifo"],
        ranks: true,
        draws: MOST as u32,
        displaces: true,
        answers: &["enqueue", "evict", "detour", "squeeze", "full", "evicted"],
        ..Nature::PLAIN
    };

    fn build(settings: Vertigo, ports: u16, _: u64) -> Result<Vertigo, Refusal> {
        of_ports(settings.choices, ports)?;
        Ok(settings)
    }
}

impl Buffer for Vertigo {
    #[inline]
    fn admit(
        &mut self,
        pkt: &Packet,
        want: Want,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        if want.fits {
            let mark = self.step.marks(want.depth);
            return Verdict::Enqueue { mark };
        }
        self.full(pkt, want, queues, rng)
    }

    fn marks_at(&self) -> Option<Size> {
        Some(self.step.mark_at.unwrap_or(NEVER))
    }

    fn displaced(
        &mut self,
        pkt: &Packet,
        _: PortId,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        let deflected = self.deflect(pkt, queues, rng);
        deflected.unwrap_or(Verdict::Drop(DropReason::Evicted))
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, want: Want, verdict: Verdict) -> String {
        let rank = count(snapshot.packet.rank());
        let worst = snapshot.queues.worst(want.port).map_or_else(
            || "no packet with a rank waits there".to_string(),
            |worst| format!("the worst that waits there has rank {}", count(worst)),
        );
        let ports = snapshot.queues.to_switch();
        let drawn = ports.len().min(u32::from(self.choices));
        match verdict {
            Verdict::Enqueue { .. } => snapshot.step(want.depth, self.step.mark_at),
            Verdict::Evict { .. } => {
                let mark = snapshot.step(want.depth, self.step.mark_at);
                format!("its rank is {rank}, and {worst}; {mark}")
            }
            Verdict::Detour { port, .. } | Verdict::Squeeze { port, .. } => {
                let depth = snapshot.queues.depth(port);
                format!(
                    "its rank is {rank}, and {worst}; among {drawn} drawn of the {} ports to a \
                     switch, this one has the shortest queue, with {}; {}",
                    ports.len(),
                    both(depth),
                    snapshot.step(depth, self.step.mark_at)
                )
            }
            Verdict::Drop(_) if !self.deflect => {
                format!("its rank is {rank}, {worst}, and nothing is deflected (deflect = false)")
            }
            other => why::verdict(other),
        }
    }
}

impl Vertigo {
    /// Decides about a packet that does not fit. Separate function, to keep it out of the path of packets that
    /// fit.
    #[inline(never)]
    fn full(&self, pkt: &Packet, want: Want, queues: &mut dyn Queues, rng: &mut Rng) -> Verdict {
        if queues.could_fit(pkt, want.port) {
            let mark = self.step.marks(want.depth);
            return Verdict::Evict { mark };
        }
        let deflected = self.deflect(pkt, queues, rng);
        deflected.unwrap_or(Verdict::Drop(DropReason::Full))
    }

    /// Returns the verdict on a packet that leaves a full queue; `None` if no port leads to a switch or
    /// deflection is off.
    fn deflect(&self, pkt: &Packet, queues: &mut dyn Queues, rng: &mut Rng) -> Option<Verdict> {
        if !self.deflect {
            return None;
        }
        let (port, depth) = shortest_drawn(rng, self.choices, queues.to_switch(), queues)?;
        let mark = self.step.marks(depth);
        Some(match queues.would_fit(pkt, depth) {
            true => Verdict::Detour { port, mark },
            false => Verdict::Squeeze { port, mark },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Depth;
    use crate::buffer::detour::tests::made;
    use crate::choices::draw_different;
    use crate::testing::{StillQueues, data};
    use sidestep_types::Values;

    const FULL: Verdict = Verdict::Drop(DropReason::Full);

    fn ranked(rank: u32) -> Packet {
        let mut pkt = data();
        pkt.set_rank(rank);
        pkt
    }

    /// Creates six ports: 0 and 1 lead to hosts, 2 to 5 to switches; 0 and 3 are full.
    fn six_ports() -> StillQueues {
        StillQueues::of(&[100, 0, 5, 100, 99, 0], 100, &[2, 3, 4, 5])
    }

    fn said(sets: &[(&str, &str)], q: &mut StillQueues, port: u16, rank: u32) -> Verdict {
        let mut rng = Rng::from_seed(u64::from(rank));
        let want = q.want(port);
        made::<Vertigo>(sets)
            .unwrap()
            .admit(&ranked(rank), want, q, &mut rng)
    }

    #[test]
    fn what_fits_joins_and_is_marked_by_its_queue() {
        let sets = [("mark_at", "5 pkt")];
        let join = |mark| Verdict::Enqueue { mark };
        assert_eq!(said(&sets, &mut six_ports(), 2, 9), join(true));
        assert_eq!(said(&sets, &mut six_ports(), 5, 9), join(false));
        let off = [("mark_at", "off")];
        assert_eq!(said(&off, &mut six_ports(), 2, 9), join(false));
    }

    #[test]
    fn a_full_queue_evicts_only_what_ranks_strictly_worse_and_only_if_that_is_enough() {
        let mut q = six_ports();
        q.waiting[0] = vec![(90, 1500), (70, 1500)];
        assert_eq!(said(&[], &mut q, 0, 89), Verdict::Evict { mark: true });
        assert!(matches!(said(&[], &mut q, 0, 90), Verdict::Detour { .. }));
        // In bytes, only two small packets rank worse.
        q.capacity = crate::Capacity::PerPort(Size::Bytes(sidestep_types::Bytes(150_000)));
        q.waiting[0] = vec![(90, 700), (80, 700), (70, 100)];
        assert_eq!(said(&[], &mut q, 0, 69), Verdict::Evict { mark: true });
        assert!(matches!(said(&[], &mut q, 0, 70), Verdict::Detour { .. }));
    }

    #[test]
    fn what_leaves_goes_to_the_shorter_of_two_drawn_ports_and_never_to_a_host() {
        let mut rng = Rng::from_seed(4);
        let mut policy = made::<Vertigo>(&[]).unwrap();
        let mut q = six_ports();
        let mut seen = [0u32; 6];
        for _ in 0..6_000 {
            match policy.displaced(&ranked(9), PortId(0), &mut q, &mut rng) {
                Verdict::Detour { port, mark } => {
                    assert_eq!(mark, port.0 == 4, "only port 4 has 20 packets and room");
                    seen[port.index()] += 1;
                }
                other => panic!("{other:?}"),
            }
        }
        // Of the six pairs, port 5 is the shorter in three, port 2 in two more, port 4 in the pair with port 3.
        // Standard deviation: at most 39.
        for (seen, expected) in seen.into_iter().zip([0, 0, 2_000, 0, 1_000, 3_000]) {
            assert!(seen.abs_diff(expected) < 160, "{seen} of {expected}");
        }
    }

    #[test]
    fn between_equal_queues_the_one_drawn_first_and_so_a_fair_coin_decides() {
        let mut rng = Rng::from_seed(4);
        let mut policy = made::<Vertigo>(&[]).unwrap();
        let mut q = StillQueues::of(&[9, 9], 100, &[0, 1]);
        let mut first = 0;
        for _ in 0..4_000 {
            let mut drawn = Vec::new();
            draw_different(&mut rng.clone(), 2, 2, |number| drawn.push(number as u16));
            let verdict = policy.displaced(&ranked(9), PortId(0), &mut q, &mut rng);
            assert_eq!(verdict.port(PortId(0)), Some(PortId(drawn[0])));
            first += u32::from(drawn[0] == 0);
        }
        // Standard deviation: 32.
        assert!(first.abs_diff(2_000) < 130, "{first}");
    }

    #[test]
    fn the_shortest_of_all_that_are_drawn_is_the_one_with_the_fewest_bytes() {
        let mut q = six_ports();
        // Port 5 holds as many packets as port 4 and more than port 2, in fewer bytes than either.
        q.depths[5] = Depth {
            packets: 99,
            bytes: 99 * 64,
        };
        // The packet came in by that very port, or waited there.
        q.ingress = Some(PortId(5));
        for seed in 0..40 {
            let mut rng = Rng::from_seed(seed);
            let mut policy = made::<Vertigo>(&[("choices", "4")]).unwrap();
            let verdict = policy.displaced(&ranked(9), PortId(5), &mut q, &mut rng);
            assert_eq!(verdict.port(PortId(0)), Some(PortId(5)));
        }
    }

    #[test]
    fn where_the_shorter_is_full_too_it_is_squeezed_in() {
        let mut q = StillQueues::of(&[100, 100, 100], 100, &[1, 2]);
        assert!(matches!(
            said(&[("mark_at", "off")], &mut q, 0, 9),
            Verdict::Squeeze {
                port: PortId(1 | 2),
                mark: false
            }
        ));
        let one = [("choices", "1")];
        let mut q = StillQueues::of(&[100, 0, 100], 100, &[2]);
        let squeeze = Verdict::Squeeze {
            port: PortId(2),
            mark: true,
        };
        assert_eq!(said(&one, &mut q, 0, 9), squeeze);
    }

    #[test]
    fn with_no_port_to_a_switch_or_no_deflection_what_leaves_is_dropped() {
        let displaced = |sets: &[(&str, &str)], q: &mut StillQueues| {
            let mut rng = Rng::from_seed(4);
            let mut policy = made::<Vertigo>(sets).unwrap();
            policy.displaced(&ranked(9), PortId(0), q, &mut rng)
        };
        let evicted = Verdict::Drop(DropReason::Evicted);
        let mut star = StillQueues::of(&[100, 0], 100, &[]);
        assert_eq!(said(&[], &mut star, 0, 9), FULL);
        assert_eq!(displaced(&[], &mut star), evicted);
        let off = [("deflect", "false")];
        assert_eq!(said(&off, &mut six_ports(), 0, 9), FULL);
        assert_eq!(displaced(&off, &mut six_ports()), evicted);
        let mut q = six_ports();
        q.worst[0] = Some(90);
        q.waiting[0] = vec![(90, 1500)];
        assert_eq!(said(&off, &mut q, 0, 9), Verdict::Evict { mark: true });
    }

    #[test]
    fn no_choices_or_too_many_are_refused() {
        for (choices, words) in [("0", "must be from 1 to 4, got 0"), ("5", "got 5")] {
            let refused = made::<Vertigo>(&[("choices", choices)]).unwrap_err();
            assert!(refused.to_string().contains(words), "{refused}");
        }
        let values = Values::defaults(Vertigo::ENTRY.params);
        let narrow = Vertigo::from_values(&values, 1, 0).unwrap_err().to_string();
        assert_eq!(
            narrow,
            "choices must be at most 1, the number of ports of the switch, got 2"
        );
    }
}
