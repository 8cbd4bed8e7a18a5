//! What is detoured, at the port that it goes to.

use super::*;
use crate::buffer::mulbuff_dibs::MulBuffDibs;
use crate::sched::wps::Wps;
use sidestep_types::Value;

/// Two ports with class queues that count, and flows with room for one packet each.
fn two_ports() -> (Desk, Decider) {
    let wps = || {
        let values = Values::defaults(Wps::ENTRY.params);
        AnySched::build("wps", &values, 2, 0).unwrap()
    };
    let desk = Desk::new(2, 100).ranked(0, wps()).ranked(1, wps());
    let mut values = Values::defaults(MulBuffDibs::ENTRY.params);
    values.set("per_flow", Value::Size(Size::Packets(1)));
    let mut decider = decider(2, &[KEEP]);
    let buffer = AnyBuffer::build("mulbuff-dibs", &values, 2, 0).unwrap();
    decider.set_buffer(buffer);
    (desk, decider)
}

/// A packet of `flow` that wants port `wanted`: the port that it joins.
fn send(desk: &mut Desk, decider: &mut Decider, wanted: u16, flow: u32, ends: bool) -> Option<u16> {
    let mut packet = data();
    packet.flow = FlowId(flow);
    packet.set_ends(ends);
    let event = admit(desk, decider, packet, wanted)?;
    event.joined().map(|joined| joined.port.0)
}

/// How many flows a port counts in class 0.
fn flows(desk: &mut Desk, port: u16) -> u32 {
    Live(&mut *desk).queue(PortId(port), 0).flows
}

#[test]
fn a_detoured_flow_is_counted_where_it_goes_from_when_it_joins_until_its_last_packet_or_a_silence()
{
    let (mut desk, mut decider) = two_ports();
    assert_eq!(send(&mut desk, &mut decider, 0, 1, false), Some(0));
    assert_eq!((flows(&mut desk, 0), flows(&mut desk, 1)), (1, 0));
    // Port 0 has no more room for the flow; port 1, which counts none, takes it all the same, and counts it then.
    assert_eq!(send(&mut desk, &mut decider, 0, 1, false), Some(1));
    assert_eq!((flows(&mut desk, 0), flows(&mut desk, 1)), (1, 1));
    // So a flow of port 1's own finds room for two packets: the one that waits took but one.
    assert_eq!(send(&mut desk, &mut decider, 1, 2, false), Some(1));
    assert_eq!(flows(&mut desk, 1), 2);
    // They leave, none with the word that it was the last: both stay in until they were silent.
    for _ in 0..2 {
        desk.start(1);
        desk.now += Time::from_us(12);
        desk.ended(1);
    }
    assert_eq!(flows(&mut desk, 1), 2);
    desk.now += Time::from_ms(10);
    assert_eq!(send(&mut desk, &mut decider, 1, 3, false), Some(1));
    assert_eq!(flows(&mut desk, 1), 1);
}

#[test]
fn a_detoured_flow_whose_last_packet_leaves_there_is_counted_no_more() {
    let (mut desk, mut decider) = two_ports();
    assert_eq!(send(&mut desk, &mut decider, 0, 1, false), Some(0));
    assert_eq!(send(&mut desk, &mut decider, 0, 1, true), Some(1));
    assert_eq!(flows(&mut desk, 1), 1);
    desk.start(1);
    assert_eq!(flows(&mut desk, 1), 0);
}
