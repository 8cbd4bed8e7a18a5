//! Tests of rates, links and next hops that change while frames are queued.

use super::{config, leaving, older, watched};
use crate::frame::sample::Sample;
use crate::machine::{Change, Counters, FrameAction, Machine};
use crate::setup::Mac;
use sidestep_switch::{DropReason, Event};
use sidestep_types::{BitRate, PortId, PortSet, Time};

/// Time of a full frame at 1 Gbps.
const FULL: Time = Time::from_ns(12_304);

fn numbered(n: u32) -> Sample {
    Sample {
        seq: n,
        ..Sample::tcp(1, 2, 1460)
    }
}

fn machine(switch: &str) -> Machine {
    Machine::new(&config(switch, "1 Gbps")).unwrap()
}

fn port(n: u16) -> PortSet {
    [PortId(n)].into_iter().collect()
}

/// Receives numbered frames for host 2 at `at`.
fn come(machine: &mut Machine, at: Time, numbers: std::ops::Range<u32>) {
    for n in numbers {
        machine.receive(at, PortId(0), &numbered(n).bytes());
    }
}

/// Returns the frames that leave by `now`: sequence number and due time.
fn order(machine: &mut Machine, now: Time) -> Vec<(u32, Time)> {
    let out = leaving(machine, now);
    let seq = |bytes: &[u8]| u32::from_be_bytes(bytes[38..42].try_into().unwrap());
    out.iter()
        .map(|(_, due, bytes)| (seq(bytes), *due))
        .collect()
}

fn to_other(stations: Vec<(Mac, Vec<PortId>)>) -> Change {
    Change::Ways {
        stations,
        detours: None,
    }
}

fn link_down(counters: &Counters, port: usize) -> u64 {
    counters.ports[port].drops["link_down"]
}

#[test]
fn what_waits_leaves_at_the_new_rate_to_the_picosecond() {
    for sched in ["fifo", "priority", "pfabric", "srpt"] {
        let mut machine = machine(&format!("sched = {sched:?}"));
        come(&mut machine, Time::ZERO, 0..4);
        let at = FULL + Time::from_us(2);
        let half = BitRate::mbps(500);
        assert_eq!(machine.change(at, &Change::Rate(port(1), half)), Ok(0));
        // And back, while the third is on its way.
        assert_eq!(order(&mut machine, FULL * 3).len(), 2);
        let full = BitRate::gbps(1);
        machine
            .change(FULL * 3, &Change::Rate(port(1), full))
            .unwrap();
        let rest = order(&mut machine, Time::from_s(1));
        assert_eq!(rest, [(2, FULL * 4), (3, FULL * 5)], "{sched}");
        assert_eq!(machine.counters(FULL).ports[1].queued_packets, 0);
    }
}

#[test]
fn a_dead_link_loses_what_waits_what_is_sent_and_what_is_on_the_wire() {
    for sched in ["fifo", "priority", "pfabric", "srpt"] {
        let mut setup = config(&format!("sched = {sched:?}"), "1 Gbps");
        setup.ports[1].delay = Time::from_us(100);
        let mut machine = Machine::new(&setup).unwrap();
        let log = watched(&mut machine);
        come(&mut machine, Time::ZERO, 0..5);
        // Two on the wire, one in transmission, two queued.
        let at = FULL * 2 + Time::from_us(1);
        assert_eq!(machine.change(at, &Change::Down(port(1))), Ok(5));
        let gone = FrameAction::Switched(Event::Evict {
            port: PortId(1),
            reason: DropReason::LinkDown,
        });
        let told: Vec<FrameAction> = log.lock().unwrap()[5..].iter().map(|e| e.1).collect();
        assert_eq!(told, [gone; 5], "{sched}");
        come(&mut machine, at, 5..7);
        let counters = machine.counters(at);
        assert_eq!(link_down(&counters, 1), 7);
        assert!(!counters.ports[1].link_up && counters.ports[0].link_up);
        assert_eq!(counters.ports[1].queued_packets, 0);
        assert_eq!((machine.held(), machine.next_departure()), (0, None));
        // Frames by the link are refused as well.
        machine.receive(at, PortId(1), &Sample::tcp(2, 1, 9).bytes());
        assert_eq!(machine.counters(at).ports[1].refused["link_down"], 1);
        assert_eq!(machine.held(), 0);
        // Once it is up again it behaves like an idle link.
        let again = at + Time::from_us(7);
        assert_eq!(machine.change(again, &Change::Up(port(1))), Ok(0));
        come(&mut machine, again, 7..9);
        let first = again + FULL + Time::from_us(100);
        let expected = [(7, first), (8, first + FULL)];
        assert_eq!(order(&mut machine, Time::from_s(1)), expected, "{sched}");
        assert_eq!(machine.counters(again).changes, 2);
    }
}

#[test]
fn what_is_out_of_a_link_when_it_goes_down_is_not_lost_though_nobody_asked_for_it_yet() {
    let mut setup = config("", "1 Gbps");
    setup.ports[1].delay = Time::from_us(5);
    let mut machine = Machine::new(&setup).unwrap();
    come(&mut machine, Time::ZERO, 0..4);
    machine.receive(FULL, PortId(0), &Sample::tcp(1, 3, 1460).bytes());
    let due = |n: u64| FULL * n + Time::from_us(5);
    assert_eq!(machine.change(due(2), &Change::Down(port(1))), Ok(2));
    assert_eq!(machine.next_departure(), Some(due(1)));
    let out: Vec<_> = leaving(&mut machine, Time::from_s(1))
        .iter()
        .map(|f| (f.0, f.1))
        .collect();
    assert_eq!(out, [(1, due(1)), (2, FULL * 2), (1, due(2))]);
    assert_eq!((machine.held(), machine.next_departure()), (0, None));
}

#[test]
fn a_link_stays_down_over_a_reload_and_its_rate_may_change_meanwhile() {
    let mut machine = machine("");
    come(&mut machine, Time::ZERO, 0..1);
    machine.change(Time::ZERO, &Change::Down(port(1))).unwrap();
    machine.reload(Time::ZERO, &config("", "1 Gbps")).unwrap();
    let half = BitRate::mbps(500);
    machine
        .change(Time::ZERO, &Change::Rate(port(1), half))
        .unwrap();
    come(&mut machine, Time::ZERO, 1..3);
    assert_eq!(link_down(&machine.counters(Time::ZERO), 1), 3);
    assert_eq!(machine.counters(Time::ZERO).ports[1].rate_bps, 500_000_000);
    machine.change(Time::ZERO, &Change::Up(port(1))).unwrap();
    come(&mut machine, Time::ZERO, 3..4);
    assert_eq!(order(&mut machine, Time::from_s(1)), [(3, FULL * 2)]);
    // A reload sets the rate of the file again.
    machine
        .reload(Time::from_s(1), &config("", "1 Gbps"))
        .unwrap();
    assert_eq!(
        machine.counters(Time::ZERO).ports[1].rate_bps,
        1_000_000_000
    );
}

#[test]
fn a_detour_onto_a_dead_link_is_lost_and_one_elsewhere_is_not() {
    let mut machine = machine("capacity = \"1 pkt\"\nbuffer = \"dibs\"");
    machine.change(Time::ZERO, &Change::Down(port(3))).unwrap();
    for n in 0..64 {
        let at = FULL * (2 * n);
        come(&mut machine, at, 0..2);
    }
    let end = Time::from_s(1);
    let sent = leaving(&mut machine, end);
    let counters = machine.counters(end);
    let to = |port: u16| sent.iter().filter(|f| f.0 == port).count() as u64;
    assert_eq!(to(1), 64);
    assert_eq!(to(3), 0);
    assert_eq!(to(4) + link_down(&counters, 3), 64);
    assert!(to(4) > 0 && link_down(&counters, 3) > 0);
    assert_eq!(machine.held(), 0);
    // Once the switch has received the change, nothing is sent there.
    let open = |ports: &[u16]| Change::Ways {
        stations: Vec::new(),
        detours: Some(ports.iter().map(|p| PortId(*p)).collect()),
    };
    let said = machine.change(end, &open(&[1, 4])).unwrap_err();
    assert!(said.contains("got \"p1\", which leads to a host"), "{said}");
    machine.change(end, &open(&[4])).unwrap();
    for n in 0..16 {
        come(&mut machine, end + FULL * (2 * n), 0..2);
    }
    let later = Time::from_s(2);
    let sent = leaving(&mut machine, later);
    assert_eq!(sent.iter().filter(|f| f.0 == 4).count(), 16);
    assert_eq!(
        link_down(&machine.counters(later), 3),
        link_down(&counters, 3)
    );
}

#[test]
fn other_ways_lead_elsewhere_and_a_route_that_remembers_forgets() {
    let route = "route = { kind = \"power-of-two\", memory = 4 }";
    let mut machine = machine(route);
    let behind = |n: u32| Sample {
        seq: n,
        ..Sample::tcp(1, 4, 1460)
    };
    for n in 0..8 {
        machine.receive(Time::ZERO, PortId(0), &behind(n).bytes());
    }
    let mac = "02:00:00:00:00:04".parse().unwrap();
    let ways = to_other(vec![(mac, vec![PortId(2), PortId(4)])]);
    assert_eq!(machine.change(Time::ZERO, &ways), Ok(0));
    assert_eq!(leaving(&mut machine, Time::from_ms(1)).len(), 8);
    for n in 0..8 {
        machine.receive(Time::from_ms(1), PortId(0), &behind(n).bytes());
    }
    let after = leaving(&mut machine, Time::from_s(1));
    assert!(after.iter().all(|f| f.0 != 3), "by a port that is no way");
    assert_eq!(after.len(), 8);
    let nobody = "02:00:00:00:00:99".parse().unwrap();
    let ways = to_other(vec![(mac, vec![PortId(3)]), (nobody, vec![PortId(3)])]);
    let said = machine.change(Time::from_s(1), &ways).unwrap_err();
    assert!(
        said.contains("no station has the MAC 02:00:00:00:00:99"),
        "{said}"
    );
    // Everything is unchanged.
    machine.receive(Time::from_s(1), PortId(0), &behind(9).bytes());
    assert_ne!(leaving(&mut machine, Time::from_s(2))[0].0, 3);
    assert_eq!(machine.counters(Time::from_s(2)).changes, 1);
}

#[test]
fn a_reload_that_moves_stations_makes_a_route_forget_too() {
    let text = "route = { kind = \"power-of-two\", memory = 4 }";
    let mut machine = machine(text);
    let behind = Sample::tcp(1, 4, 1460);
    for _ in 0..8 {
        machine.receive(Time::ZERO, PortId(0), &behind.bytes());
    }
    leaving(&mut machine, Time::from_ms(1));
    let mut setup = config(text, "1 Gbps");
    setup.stations[3].ports = vec![PortId(2), PortId(4)];
    machine.reload(Time::from_ms(1), &setup).unwrap();
    for _ in 0..8 {
        machine.receive(Time::from_ms(1), PortId(0), &behind.bytes());
    }
    let after = leaving(&mut machine, Time::from_s(1));
    assert!(after.iter().all(|f| f.0 != 3), "by a port that is no way");
    assert_eq!(after[0].2, older(&behind));
}
