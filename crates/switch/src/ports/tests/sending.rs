//! Transmissions of ports, and the times at which ports want to be called again.

use super::*;

#[test]
fn ranks_are_those_of_what_waits_under_any_scheduler_the_packet_being_sent_not_among_them() {
    for (name, params) in crate::sched::ENTRIES.iter().map(|e| (e.name, e.params)) {
        let mut desk = TestDriver::new(2, 100);
        if name != "fifo" {
            let sched = AnySched::build(name, &Values::defaults(params), 2, 0).unwrap();
            desk = desk.ranked(1, sched);
            desk.paused = false;
        }
        let queue = |desk: &mut TestDriver, rank| {
            let mut packet = data();
            packet.set_rank(rank);
            let at = desk.shelf.put(packet);
            desk.queue(PortId(1), at);
        };
        let ranks = |desk: &mut TestDriver, port| {
            let ranks = Live(desk).ranks(PortId(port));
            (ranks.packets, ranks.sum)
        };
        assert_eq!(ranks(&mut desk, 1), (0, 0), "{name}");
        queue(&mut desk, 7);
        assert_eq!(ranks(&mut desk, 1), (0, 0), "{name}");
        for rank in [10, 200, 3_000] {
            queue(&mut desk, rank);
        }
        assert_eq!(ranks(&mut desk, 1), (3, 3_210), "{name}");
        assert_eq!(ranks(&mut desk, 0), (0, 0), "{name}");
        if name == "fifo" {
            // The first two have left.
            desk.now = Time::from_us(24);
            assert_eq!(ranks(&mut desk, 1), (1, 3_000));
        }
    }
}

#[test]
fn a_fifo_port_knows_departures_at_once_and_settles_when_asked() {
    let mut desk = TestDriver::new(1, 9);
    let mut decider = decider(1, &[KEEP]);
    for _ in 0..3 {
        forward(&mut desk, &mut decider, 0, 0);
    }
    let departs: Vec<u64> = desk.shelf.0.iter().map(|p| p.departs.as_ns()).collect();
    assert_eq!(departs, [12_000, 24_000, 36_000]);
    desk.now = Time::from_us(24);
    assert_eq!(desk.depth(0), 1, "a bit that leaves now has left");
    forward(&mut desk, &mut decider, 0, 0);
    assert_eq!((desk.depth(0), desk.lines[0].peak().packets), (2, 3));
    // All four are still on the wire or in the queue.
    let taken = [(); 4].map(|()| desk.lines[0].take(&desk.shelf, 0));
    assert_eq!(taken, [0, 1, 2, 3]);
    assert_eq!((desk.lines[0].head(), desk.depth(0)), (NONE, 0));
}

/// Creates one ranked port that may send.
fn sending_desk() -> TestDriver {
    let mut desk = TestDriver::new(1, 9).ranked(0, pfabric());
    desk.paused = false;
    desk
}

#[test]
fn a_ranked_port_chooses_at_the_ends_behind_which_something_waits() {
    let mut desk = sending_desk();
    let mut decider = decider(1, &[KEEP]);
    let mut asked = |desk: &mut TestDriver, rank| {
        forward(desk, &mut decider, 0, rank);
        asks(desk.due)
    };
    assert_eq!(asked(&mut desk, 900), (Some(12), None));
    assert_eq!(asked(&mut desk, 500), (None, Some(12)));
    assert_eq!(asked(&mut desk, 100), (None, None), "planned already");
    assert_eq!(desk.depth(0), 3);
    assert_eq!(desk.lines[0].free_at, Time::from_us(36));
    desk.now = Time::from_us(12);
    assert_eq!((desk.ended(0), desk.depth(0)), (0, 2));
    assert_eq!(asks(desk.start(0)), (None, Some(24)));
    assert_eq!(desk.lines[0].sending(), 2, "rank 100");
    desk.now = Time::from_us(24);
    assert_eq!(desk.ended(0), 2);
    assert_eq!(asks(desk.start(0)), (None, None), "nothing is behind it");
    desk.now = Time::from_us(35);
    assert_eq!(desk.depth(0), 1);
    // A packet that arrives as the last bit leaves finds the port idle.
    desk.now = Time::from_us(36);
    assert_eq!(asked(&mut desk, 700), (None, None));
    assert_eq!((desk.lines[0].sending(), desk.depth(0)), (3, 1));
    assert_eq!(desk.lines[0].peak().packets, 3);
    desk.now = Time::from_us(48);
    assert_eq!((desk.depth(0), desk.lines[0].sending()), (0, NONE));
}

#[test]
fn an_end_is_planned_for_what_is_evicted_before_it() {
    let mut desk = sending_desk();
    let mut decider = decider(1, &[KEEP]);
    forward(&mut desk, &mut decider, 0, 900);
    forward(&mut desk, &mut decider, 0, 500);
    let ranked = desk.ranked[0].as_mut().unwrap();
    let gone = ranked.evict(&mut desk.lines[0], &mut desk.shelf, &desk.wire, 0);
    assert_eq!((gone, desk.depth(0)), (1, 1));
    desk.now = Time::from_us(12);
    assert_eq!(desk.ended(0), 0);
    assert_eq!((asks(desk.start(0)), desk.depth(0)), ((None, None), 0));
    // The next transmission plans its own end.
    forward(&mut desk, &mut decider, 0, 900);
    assert_eq!(asks(desk.due), (None, None));
    forward(&mut desk, &mut decider, 0, 500);
    assert_eq!(asks(desk.due), (None, Some(24)));
}

#[test]
fn a_driver_may_come_back_at_every_end() {
    let mut desk = sending_desk();
    desk.ranked[0].as_mut().unwrap().plan_every_end();
    let mut decider = decider(1, &[KEEP]);
    forward(&mut desk, &mut decider, 0, 900);
    assert_eq!(asks(desk.due), (Some(12), Some(12)));
    forward(&mut desk, &mut decider, 0, 500);
    assert_eq!(asks(desk.due), (None, None));
    desk.now = Time::from_us(12);
    desk.ended(0);
    assert_eq!(asks(desk.start(0)), (None, Some(24)));
}
