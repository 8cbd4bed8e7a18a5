//! Dialogues with packets that waited and were evicted.

use super::*;
use std::sync::{Arc, Mutex};

/// Queries of a policy about evicted packets: the rank, the port, and the number of packets left there.
type VictimQueries = Arc<Mutex<Vec<(u32, u16, u32)>>>;

/// Policy that evicts while a packet does not fit, and returns a given verdict about the victims.
struct Moves {
    /// Verdicts in turn; the last one repeats.
    at_hand: Vec<Verdict>,
    displaced: Verdict,
    asked: VictimQueries,
}

impl Buffer for Moves {
    fn admit(&mut self, _: &Packet, want: Want, _: &mut dyn Queues, _: &mut Rng) -> Verdict {
        match self.at_hand.len() {
            _ if want.fits => KEEP,
            1 => self.at_hand[0],
            _ => self.at_hand.remove(0),
        }
    }

    fn displaced(
        &mut self,
        pkt: &Packet,
        from: PortId,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        assert_eq!(queues.ingress(), None);
        // The policy's own stream, from which nothing has been drawn.
        assert_eq!(rng.clone().draw(), Seed(1).stream("switch").draw());
        let left = queues.depth(from).packets;
        self.asked.lock().unwrap().push((pkt.rank(), from.0, left));
        self.displaced
    }
}

fn moves(at_hand: &[Verdict], displaced: Verdict) -> (Decider, VictimQueries) {
    let asked = VictimQueries::default();
    let mut decider = decider(2, &[KEEP]);
    decider.set_buffer(AnyBuffer::Custom(Box::new(Moves {
        at_hand: at_hand.to_vec(),
        displaced,
        asked: asked.clone(),
    })));
    (decider, asked)
}

fn srpt() -> AnySched {
    AnySched::build("srpt", &Values::defaults(&[]), 2, 0).unwrap()
}

/// Creates two ranked ports that hold 3000 bytes each.
fn two_ranked() -> TestDriver {
    let mut desk = TestDriver::new(2, 0).ranked(0, srpt()).ranked(1, srpt());
    desk.capacity = Capacity::PerPort(Size::Bytes(sidestep_types::Bytes(3000)));
    desk
}

/// Admits a packet of this rank and size for `wanted`.
fn arrives(
    desk: &mut TestDriver,
    decider: &mut Decider,
    wanted: u16,
    rank: u32,
    bytes: u16,
) -> Option<Event> {
    let mut packet = data();
    packet.wire = bytes;
    packet.set_rank(rank);
    admit(desk, decider, packet, wanted)
}

fn drops(decider: &Decider, port: u16, reason: DropReason) -> u64 {
    decider.counts(PortId(port)).drops[reason as usize]
}

const AWAY: Verdict = Verdict::Detour {
    port: PortId(1),
    mark: true,
};
const SQUEEZE: Verdict = Verdict::Squeeze {
    port: PortId(1),
    mark: true,
};

#[test]
fn victims_leave_for_another_queue_in_order_when_the_packet_has_joined() {
    let mut desk = two_ranked();
    let (mut decider, asked) = moves(&[EVICT], AWAY);
    for rank in [700, 800, 900] {
        arrives(&mut desk, &mut decider, 0, rank, 1000);
    }
    let kept = joined(arrives(&mut desk, &mut decider, 0, 100, 1500));
    let queues = (kept.wanted_queue, kept.ahead.packets);
    assert_eq!((kept.port, queues), (PortId(0), (3, 1)));
    assert_eq!(*asked.lock().unwrap(), [(900, 0, 2), (800, 0, 2)]);
    let moved = |packets: u32| Joined {
        wanted: PortId(0),
        wanted_queue: 2,
        port: PortId(1),
        ahead: Depth {
            packets,
            bytes: packets * 1000,
        },
        changes: Changes::MARKED,
    };
    assert_eq!(desk.moved, [(2, moved(0)), (1, moved(1))]);
    assert_eq!((desk.depth(0), desk.depth(1)), (2, 2));
    let detours = desk.shelf.0.iter().map(|parcel| parcel.packet.detours);
    assert_eq!(detours.collect::<Vec<_>>(), [0, 1, 1, 0]);
    assert!(desk.shelf.0[1].packet.ce() && !desk.shelf.0[0].packet.ce());
    let (left, other) = (*decider.counts(PortId(0)), *decider.counts(PortId(1)));
    assert_eq!((left.detours_out, other.detours_in, other.marks), (2, 2, 2));
    assert_eq!(decider.total().drops.iter().sum::<u64>(), 0);
}

#[test]
fn victims_go_on_even_where_they_made_too_little_room() {
    let mut desk = two_ranked();
    let (mut decider, asked) = moves(&[EVICT, Verdict::Drop(DropReason::Full)], AWAY);
    arrives(&mut desk, &mut decider, 0, 700, 1000);
    let event = arrives(&mut desk, &mut decider, 0, 100, 3001);
    assert_eq!(event, dropped(0, DropReason::Full));
    assert_eq!(*asked.lock().unwrap(), [(700, 0, 0)]);
    assert_eq!((desk.depth(0), desk.depth(1)), (0, 1));
    assert_eq!(drops(&decider, 0, DropReason::Evicted), 0);
}

#[test]
fn what_goes_back_to_where_it_waited_has_taken_no_detour() {
    let mut desk = two_ranked();
    let back = Verdict::Detour {
        port: PortId(0),
        mark: true,
    };
    let (mut decider, _) = moves(&[EVICT], back);
    for rank in [700, 800, 100] {
        arrives(&mut desk, &mut decider, 0, rank, 1500);
    }
    assert_eq!((desk.moved[0].0, desk.depth(0)), (1, 3));
    assert_eq!(desk.shelf.0[1].packet.detours, 0);
    let counts = decider.counts(PortId(0));
    let detours = (counts.detours_out, counts.detours_in);
    assert_eq!((detours, counts.marks), ((0, 0), 1));
}

#[test]
fn what_may_not_take_detours_is_dropped_and_nobody_asked() {
    let mut desk = two_ranked();
    let (mut decider, asked) = moves(&[EVICT], AWAY);
    for rank in [700, 800] {
        arrives(&mut desk, &mut decider, 0, rank, 1500);
    }
    desk.homebound = vec![1];
    arrives(&mut desk, &mut decider, 0, 100, 1500);
    assert_eq!((desk.evicted, desk.moved.len()), (vec![1], 0));
    assert_eq!(*asked.lock().unwrap(), []);
    assert_eq!(drops(&decider, 0, DropReason::Evicted), 1);
}

#[test]
fn a_victim_may_squeeze_others_out_who_are_asked_nothing() {
    let mut desk = two_ranked();
    let (mut decider, asked) = moves(&[EVICT], SQUEEZE);
    for (port, rank) in [(1, 850), (1, 950), (0, 700), (0, 800)] {
        arrives(&mut desk, &mut decider, port, rank, 1500);
    }
    arrives(&mut desk, &mut decider, 0, 100, 1500);
    assert_eq!(*asked.lock().unwrap(), [(800, 0, 2)]);
    let (moved, ahead) = (desk.moved[0].0, desk.moved[0].1.ahead.packets);
    assert_eq!((moved, ahead, desk.evicted), (3, 1, vec![1]));
    let at = |port| drops(&decider, port, DropReason::Evicted);
    assert_eq!((at(0), at(1)), (0, 1));
}

#[test]
fn a_squeezed_victim_goes_itself_where_what_waits_ranks_no_worse() {
    for rival in [800, 750] {
        let mut desk = two_ranked();
        let (mut decider, _) = moves(&[EVICT], SQUEEZE);
        for (port, rank) in [(1, 100), (1, rival), (0, 700), (0, 800)] {
            arrives(&mut desk, &mut decider, port, rank, 1500);
        }
        arrives(&mut desk, &mut decider, 0, 100, 1500);
        assert_eq!((desk.evicted, desk.moved.len()), (vec![3], 0), "{rival}");
        assert_eq!(drops(&decider, 0, DropReason::Evicted), 1);
        assert_eq!(decider.total().detours_out, 0);
    }
}

#[test]
fn the_packet_at_hand_squeezes_in_as_far_as_it_ranks_better() {
    let mut desk = two_ranked();
    let (mut decider, asked) = moves(&[SQUEEZE], AWAY);
    for (port, rank) in [(0, 100), (0, 100), (1, 400), (1, 600), (1, 600)] {
        let bytes = if port == 0 { 1500 } else { 1000 };
        arrives(&mut desk, &mut decider, port, rank, bytes);
    }
    let event = arrives(&mut desk, &mut decider, 0, 500, 1500);
    let expected = Joined {
        wanted: PortId(0),
        wanted_queue: 2,
        port: PortId(1),
        ahead: Depth {
            packets: 1,
            bytes: 1000,
        },
        changes: Changes::MARKED,
    };
    assert_eq!(joined(event), expected);
    assert_eq!(desk.evicted, [4, 3], "the last of equals first");
    let (left, other) = (*decider.counts(PortId(0)), *decider.counts(PortId(1)));
    assert_eq!((left.detours_out, other.detours_in), (1, 1));
    assert_eq!((left.marks, other.marks), (0, 1));
    let packet = &desk.shelf.0[5].packet;
    assert!(packet.detours == 1 && packet.ce());
    // Packets of ranks 500 and 400 wait there now: rank 400 evicts only one of them, which is not enough.
    let event = arrives(&mut desk, &mut decider, 0, 400, 3000);
    assert_eq!(event, dropped(0, DropReason::Full));
    assert_eq!(desk.evicted, [4, 3, 5]);
    assert_eq!(drops(&decider, 1, DropReason::Evicted), 3);
    assert_eq!(drops(&decider, 0, DropReason::Full), 1);
    assert_eq!(*asked.lock().unwrap(), [], "a squeeze displaces nobody");
}

#[test]
fn a_squeeze_keeps_what_may_not_take_detours_where_it_wants_to_go() {
    let mut desk = two_ranked();
    let (mut decider, _) = moves(&[SQUEEZE], AWAY);
    desk.homebound_at_hand = true;
    for (port, rank) in [(0, 900), (0, 900), (1, 800), (1, 900)] {
        arrives(&mut desk, &mut decider, port, rank, 1500);
    }
    let away = arrives(&mut desk, &mut decider, 0, 100, 1500);
    assert_eq!(away, dropped(0, DropReason::Full));
    let stays = arrives(&mut desk, &mut decider, 1, 100, 1500);
    assert_eq!(joined(stays).port, PortId(1));
    assert_eq!(decider.total().detours_out, 0);
    assert_eq!(desk.shelf.0[4].packet.detours, 0);
}

#[test]
fn nothing_ranks_worse_on_a_fifo_port() {
    let mut desk = TestDriver::new(2, 1);
    let (mut decider, _) = moves(&[SQUEEZE], AWAY);
    for port in [0, 1, 0] {
        arrives(&mut desk, &mut decider, port, 100, 1500);
    }
    assert_eq!((desk.depth(0), desk.depth(1)), (1, 1));
    assert_eq!(drops(&decider, 0, DropReason::Full), 1);
}

#[test]
fn what_could_fit_is_known_before_anything_is_evicted() {
    let mut desk = two_ranked();
    let (mut decider, _) = moves(&[AWAY], AWAY);
    for (rank, bytes) in [(500, 1500), (700, 500), (900, 1000)] {
        arrives(&mut desk, &mut decider, 0, rank, bytes);
    }
    let could = |desk: &mut TestDriver, rank, bytes| {
        let mut packet = data();
        packet.wire = bytes;
        packet.set_rank(rank);
        Live(desk).could_fit(&packet, PortId(0))
    };
    assert!(could(&mut desk, 600, 1500) && !could(&mut desk, 600, 1501));
    assert!(could(&mut desk, 899, 1000) && !could(&mut desk, 900, 1));
    assert!(could(&mut desk, 400, 3000));
    // This many bytes of each packet take no buffer, both of the arriving packet and of the two that leave.
    desk.unbuffered = 20;
    assert!(could(&mut desk, 600, 1480) && !could(&mut desk, 600, 1481));
    let mut packet = data();
    let beside = |bytes| Depth { packets: 2, bytes };
    assert!(Live(&mut desk).would_fit(&packet, beside(1520)));
    assert!(!Live(&mut desk).would_fit(&packet, beside(1521)));
    desk.unbuffered = 0;
    desk.capacity = Capacity::Shared {
        memory: sidestep_types::Bytes(3000),
        alpha: (1, 1),
    };
    assert!(
        !Live(&mut desk).would_fit(&packet, Depth::default()),
        "all is used"
    );
    // After the eviction of the two worst, 1500 bytes stay. That equals alpha times the free memory, and it
    // would have to be less.
    packet.set_rank(600);
    assert!(!Live(&mut desk).could_fit(&packet, PortId(0)));
    packet.set_rank(400);
    assert!(Live(&mut desk).could_fit(&packet, PortId(0)));
}

#[test]
fn the_last_eviction_says_whether_the_packet_is_marked() {
    for last in [false, true] {
        let mut desk = two_ranked();
        let says = [!last, last].map(|mark| Verdict::Evict { mark });
        let (mut decider, _) = moves(&says, AWAY);
        for (rank, bytes) in [(700, 1500), (800, 1500), (100, 3000)] {
            arrives(&mut desk, &mut decider, 0, rank, bytes);
        }
        assert_eq!(desk.shelf.0[2].packet.ce(), last);
        assert_eq!(decider.counts(PortId(0)).marks, u64::from(last));
    }
}

#[test]
fn what_a_policy_that_was_stopped_had_evicted_is_not_the_next_packets() {
    let mut desk = two_ranked();
    let (mut decider, asked) = moves(&[EVICT, Verdict::Trim, EVICT], AWAY);
    for rank in [700, 800] {
        arrives(&mut desk, &mut decider, 0, rank, 1500);
    }
    let stopped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        arrives(&mut desk, &mut decider, 0, 100, 3000);
    }));
    assert!(stopped.is_err());
    arrives(&mut desk, &mut decider, 0, 100, 3000);
    assert_eq!(*asked.lock().unwrap(), [(700, 0, 1)]);
}

#[test]
#[should_panic(expected = "said Trim of a packet that it had evicted")]
fn a_policy_that_trims_what_it_evicted_is_stopped() {
    let mut desk = two_ranked();
    let (mut decider, _) = moves(&[EVICT], Verdict::Trim);
    for rank in [3, 2, 1] {
        arrives(&mut desk, &mut decider, 0, rank, 1500);
    }
}

#[test]
fn a_victim_moved_to_a_port_that_is_not_there_stops_the_policy() {
    let port = PortId(7);
    for verdict in [
        Verdict::Detour { port, mark: false },
        Verdict::Squeeze { port, mark: false },
    ] {
        let stopped = std::panic::catch_unwind(|| {
            let mut desk = two_ranked();
            let (mut decider, _) = moves(&[EVICT], verdict);
            for rank in [3, 2, 1] {
                arrives(&mut desk, &mut decider, 0, rank, 1500);
            }
        });
        let said = stopped.unwrap_err().downcast::<String>().unwrap();
        assert!(said.contains("port 7 of a switch with 2"), "{said}");
    }
}
