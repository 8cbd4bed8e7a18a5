//! Tests of a config that changes while frames are queued.

use super::{config, leaving};
use crate::frame::sample::Sample;
use crate::machine::Machine;
use sidestep_types::{BitRate, PortId, Time};

const FULL: Time = Time::from_ns(12_304);

fn numbered(n: u32) -> Sample {
    Sample {
        seq: n,
        ..Sample::tcp(1, 2, 1460)
    }
}

fn order(machine: &mut Machine) -> Vec<(u32, Time)> {
    let out = leaving(machine, Time::from_s(1));
    let seq = |bytes: &[u8]| u32::from_be_bytes(bytes[38..42].try_into().unwrap());
    out.iter()
        .map(|(_, due, bytes)| (seq(bytes), *due))
        .collect()
}

/// Returns a switch with five frames received at once, after a reload in the middle of the second.
fn reloaded(from: &str, to: &str, rate: BitRate) -> (Machine, Time) {
    let mut machine = Machine::new(&config(from, "1 Gbps")).unwrap();
    for n in 0..5 {
        machine.receive(Time::ZERO, PortId(0), &numbered(n).bytes());
    }
    let now = FULL + Time::from_us(2);
    let mut setup = config(to, "1 Gbps");
    setup.ports[1].rate = rate;
    machine.reload(now, &setup).unwrap();
    (machine, now)
}

#[test]
fn another_rate_holds_from_the_next_frame_on() {
    let (mut machine, _) = reloaded("", "", BitRate::mbps(500));
    assert_eq!(machine.held(), 5);
    let expected = [FULL, FULL * 2, FULL * 4, FULL * 6, FULL * 8];
    let got = order(&mut machine);
    assert_eq!(got, (0..5).zip(expected).collect::<Vec<_>>());
}

#[test]
fn another_scheduler_takes_over_what_waits_and_the_frame_on_the_wire_goes_on() {
    let kinds = [
        "sched = \"fifo\"",
        "sched = \"priority\"",
        "sched = \"pfabric\"",
        "sched = \"pfabric\"\nrank = \"dscp\"",
    ];
    for from in kinds {
        for to in kinds {
            let (mut machine, now) = reloaded(from, to, BitRate::gbps(1));
            let counters = machine.counters(now);
            assert_eq!(counters.ports[1].queued_packets, 4, "{from} {to}");
            assert_eq!(
                counters.ports[1].frames.rx_frames + counters.ports[0].frames.rx_frames,
                5
            );
            let got = order(&mut machine);
            let expected: Vec<_> = (0..5).map(|n| (n, FULL * (u64::from(n) + 1))).collect();
            assert_eq!(got, expected, "{from} {to}");
            assert_eq!(machine.counters(Time::from_s(1)).ports[1].queued_packets, 0);
        }
    }
}

#[test]
fn an_acknowledgement_overtakes_once_the_new_scheduler_says_so() {
    let mut machine = Machine::new(&config("", "1 Gbps")).unwrap();
    for n in 0..3 {
        machine.receive(Time::ZERO, PortId(0), &numbered(n).bytes());
    }
    let ack = Sample {
        payload: vec![],
        seq: 9,
        ..numbered(0)
    };
    machine.receive(Time::ZERO, PortId(0), &ack.bytes());
    machine
        .reload(Time::from_us(1), &config("sched = \"priority\"", "1 Gbps"))
        .unwrap();
    let got: Vec<u32> = order(&mut machine).iter().map(|f| f.0).collect();
    assert_eq!(got, [0, 9, 1, 2]);
}

#[test]
fn without_ranks_frames_leave_in_the_order_they_came_again() {
    let mut machine = Machine::new(&config("sched = \"priority\"", "1 Gbps")).unwrap();
    for n in 0..4 {
        // The third is an acknowledgement, which would have gone second.
        let payload = vec![0; if n == 2 { 0 } else { 1460 }];
        let sample = Sample {
            payload,
            ..numbered(n)
        };
        machine.receive(Time::ZERO, PortId(0), &sample.bytes());
    }
    let fifo = config("", "1 Gbps");
    machine.reload(Time::from_us(1), &fifo).unwrap();
    let got: Vec<u32> = order(&mut machine).iter().map(|f| f.0).collect();
    assert_eq!(got, [0, 1, 2, 3]);
}

#[test]
fn a_smaller_capacity_drops_nothing_that_is_queued() {
    let (mut machine, now) = reloaded("", "capacity = \"1 pkt\"", BitRate::gbps(1));
    machine.receive(now, PortId(0), &numbered(5).bytes());
    assert_eq!(order(&mut machine).len(), 5);
    assert_eq!(machine.counters(now).ports[1].drops["full"], 1);
}

#[test]
fn other_interfaces_are_refused_and_nothing_changes() {
    let mut machine = Machine::new(&config("", "1 Gbps")).unwrap();
    let mut setup = config("capacity = \"1 pkt\"", "1 Gbps");
    setup.ports.swap(0, 1);
    let said = machine.reload(Time::ZERO, &setup).unwrap_err();
    assert!(
        said.contains("expected p0, p1, p2, p3, p4, got p1, p0,"),
        "{said}"
    );
    for n in 0..3 {
        machine.receive(Time::ZERO, PortId(0), &numbered(n).bytes());
    }
    assert_eq!(machine.held(), 3);
}
