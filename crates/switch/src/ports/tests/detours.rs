//! Detoured packets at the port that they join.

use super::*;
use crate::buffer::mulbuff_dibs::MulBuffDibs;
use crate::sched::wps::Wps;
use sidestep_types::Value;

/// Creates two ports with class queues that count flows, with room for one packet per flow.
fn two_ports() -> (TestDriver, Decider) {
    let wps = || {
        let values = Values::defaults(Wps::ENTRY.params);
        AnySched::build("wps", &values, 2, 0).unwrap()
    };
    let desk = TestDriver::new(2, 100).ranked(0, wps()).ranked(1, wps());
    let mut values = Values::defaults(MulBuffDibs::ENTRY.params);
    values.set("per_flow", Value::Size(Size::Packets(1)));
    let mut decider = decider(2, &[KEEP]);
    let buffer = AnyBuffer::build("mulbuff-dibs", &values, 2, 0).unwrap();
    decider.set_buffer(buffer);
    (desk, decider)
}

/// Sends a packet of `flow` that wants port `wanted`, and returns the port that it joins.
fn send(
    desk: &mut TestDriver,
    decider: &mut Decider,
    wanted: u16,
    flow: u32,
    ends: bool,
) -> Option<u16> {
    let mut packet = data();
    packet.flow = FlowId(flow);
    packet.set_ends(ends);
    let event = admit(desk, decider, packet, wanted)?;
    event.joined().map(|joined| joined.port.0)
}

/// Returns the number of flows that a port counts in class 0.
fn flows(desk: &mut TestDriver, port: u16) -> u32 {
    Live(&mut *desk).queue(PortId(port), 0).flows
}

#[test]
fn a_detoured_flow_is_counted_where_it_goes_from_when_it_joins_until_its_last_packet_or_a_silence()
{
    let (mut desk, mut decider) = two_ports();
    assert_eq!(send(&mut desk, &mut decider, 0, 1, false), Some(0));
    assert_eq!((flows(&mut desk, 0), flows(&mut desk, 1)), (1, 0));
    // Port 0 has no more room for the flow. Port 1 counts no flow yet, accepts the packet nevertheless, and
    // counts its flow then.
    assert_eq!(send(&mut desk, &mut decider, 0, 1, false), Some(1));
    assert_eq!((flows(&mut desk, 0), flows(&mut desk, 1)), (1, 1));
    // A second flow, which wants port 1, still finds room: two flows count there, and only one packet waits.
    assert_eq!(send(&mut desk, &mut decider, 1, 2, false), Some(1));
    assert_eq!(flows(&mut desk, 1), 2);
    // Both packets leave without being marked as the last of their flow: both flows count until they have been
    // silent.
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
