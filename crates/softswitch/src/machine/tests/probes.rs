//! Tests of loop detection by probes.

use super::{config, in_vlans, leaving};
use crate::frame::sample::Sample;
use crate::frame::{Probe, read};
use crate::machine::{Machine, Noticed};
use crate::setup::{LoopProbe, Mac, Setup};
use sidestep_types::{PortId, Time};

fn probing(blocks: bool) -> Setup {
    let mut setup = config("forwarding = \"learning\"", "1 Gbps");
    let every = Time::from_s(1);
    setup.probe = Some(LoopProbe { every, blocks });
    setup
}

/// Returns the frames that leave within a millisecond, by port.
fn sent(machine: &mut Machine, now: Time) -> Vec<(u16, Vec<u8>)> {
    // Due probes are made at that instant.
    let mut all = leaving(machine, now);
    all.extend(leaving(machine, now + Time::from_ms(1)));
    all.into_iter()
        .map(|(port, _, bytes)| (port, bytes))
        .collect()
}

/// Sends the probes due at `s` seconds, one by each port; a frame that leaves by one end of `cable` comes in by
/// the other.
fn round(machine: &mut Machine, s: u64, cable: Option<(u16, u16)>) {
    let now = Time::from_s(s);
    for (port, bytes) in sent(machine, now) {
        let Some((a, b)) = cable else { continue };
        let comes = if port == a { b } else { a };
        if [a, b].contains(&port) {
            machine.receive(now, PortId(comes), &bytes);
        }
    }
}

fn told(machine: &mut Machine) -> Vec<(u16, Noticed)> {
    let all = std::iter::from_fn(|| machine.poll_notice());
    all.map(|notice| (notice.port.0, notice.what)).collect()
}

#[test]
fn each_port_sends_a_probe_every_so_often() {
    let mut machine = Machine::new(&probing(false)).unwrap();
    machine.set_number(77);
    assert_eq!(machine.next_departure(), Some(Time::from_s(1)));
    assert_eq!(leaving(&mut machine, Time::from_ms(999)), []);
    for s in [1, 2] {
        let out = sent(&mut machine, Time::from_s(s));
        let said: Vec<(u16, Option<Probe>)> = (out.iter())
            .map(|(port, bytes)| (*port, Probe::of(&read(bytes).unwrap(), bytes)))
            .collect();
        let own = |port| Some(Probe { switch: 77, port });
        let all: Vec<_> = (0..5).map(|port| (port, own(port))).collect();
        assert_eq!(said, all);
    }
    assert_eq!(
        machine.counters(Time::from_s(2)).ports[4]
            .frames
            .probes_sent,
        2
    );
    assert_eq!(
        Machine::new(&config("", "1 Gbps"))
            .unwrap()
            .next_departure(),
        None,
        "off"
    );
}

#[test]
fn a_switch_that_hears_its_own_probe_names_both_ports_until_it_is_silent() {
    let mut machine = Machine::new(&probing(false)).unwrap();
    round(&mut machine, 1, Some((0, 2)));
    let is = |sent, port| {
        (
            port,
            Noticed::Loop {
                sent: PortId(sent),
                blocked: None,
            },
        )
    };
    assert_eq!(told(&mut machine), [is(0, 2), is(2, 0)]);
    let looped = |machine: &mut Machine, s: u64| -> Vec<bool> {
        machine
            .counters(Time::from_s(s))
            .ports
            .iter()
            .map(|p| p.looped)
            .collect()
    };
    assert_eq!(looped(&mut machine, 1), [true, false, true, false, false]);
    let counters = machine.counters(Time::from_s(1));
    assert_eq!(
        (
            counters.ports[2].frames.probes_heard,
            counters.ports[1].frames.probes_heard
        ),
        (1, 0)
    );
    assert_eq!(counters.learned, 0, "its own address is nobody's");
    assert_eq!(machine.held(), 0, "a probe ends here");
    for s in 2..=5 {
        round(&mut machine, s, None);
    }
    assert_eq!(looped(&mut machine, 5), [false; 5]);
    assert_eq!(told(&mut machine), []);
}

#[test]
fn the_probe_of_another_switch_is_any_other_frame() {
    let mut machine = Machine::new(&probing(true)).unwrap();
    machine.set_number(1);
    let other = Probe { switch: 2, port: 0 }.bytes();
    machine.receive(Time::ZERO, PortId(1), &other);
    assert_eq!(
        machine.held(),
        4,
        "flooded, so that its own switch hears it"
    );
    assert_eq!(
        (
            machine.counters(Time::ZERO).ports[1].frames.floods,
            told(&mut machine)
        ),
        (1, vec![])
    );
}

#[test]
fn a_blocked_port_takes_and_gives_probes_alone_until_nothing_comes_back() {
    let mut machine = Machine::new(&probing(true)).unwrap();
    let mac = |host| Mac([2, 0, 0, 0, 0, host]);
    let frame = |from, to: Mac| {
        let mut bytes = Sample::tcp(from, 2, 0).bytes();
        bytes[..6].copy_from_slice(&to.0);
        bytes
    };
    // A host at the place of the later loop.
    machine.receive(Time::ZERO, PortId(2), &frame(11, mac(2)));
    round(&mut machine, 1, Some((0, 2)));
    let blocked = Some(PortId(2));
    let is = |sent, port| {
        (
            port,
            Noticed::Loop {
                sent: PortId(sent),
                blocked,
            },
        )
    };
    assert_eq!(told(&mut machine), [is(0, 2), is(2, 0)]);
    let counters = machine.counters(Time::from_s(1));
    assert!(counters.ports[2].blocked && !counters.ports[0].blocked);
    assert_eq!(
        (
            counters.ports[2].learned,
            counters.ports[2].frames.loop_blocks
        ),
        (0, 1)
    );
    let now = Time::from_ms(1_100);
    machine.receive(now, PortId(2), &frame(11, mac(2)));
    machine.receive(now, PortId(1), &frame(2, Mac::BROADCAST));
    machine.receive(now, PortId(1), &frame(2, mac(11)));
    // A station that the config has at that port.
    machine.receive(now, PortId(1), &frame(2, mac(3)));
    let out: Vec<u16> = sent(&mut machine, now).iter().map(|f| f.0).collect();
    assert_eq!(out.len(), 6, "two floods to the other three");
    assert!(!out.contains(&2));
    let counters = machine.counters(now);
    let refused = |port: usize| counters.ports[port].refused["loop_blocked"];
    assert_eq!((refused(1), refused(2)), (1, 1));
    // Probes still leave by the port, and the loop is still there.
    round(&mut machine, 2, Some((0, 2)));
    for s in 3..=5 {
        round(&mut machine, s, None);
    }
    assert!(machine.counters(Time::from_s(5)).ports[2].blocked);
    assert_eq!(told(&mut machine), []);
    round(&mut machine, 6, None);
    assert!(!machine.counters(Time::from_s(6)).ports[2].blocked);
    assert_eq!(told(&mut machine), [(2, Noticed::Unblocked)]);
    machine.receive(Time::from_ms(6_100), PortId(2), &frame(11, mac(2)));
    assert_eq!(machine.held(), 1);
}

#[test]
fn a_reload_without_blocking_unblocks() {
    let mut setup = probing(true);
    let mut machine = Machine::new(&setup).unwrap();
    round(&mut machine, 1, Some((3, 3)));
    assert!(
        machine.counters(Time::from_s(1)).ports[3].blocked,
        "a loop behind one port"
    );
    machine.reload(Time::from_s(1), &setup).unwrap();
    assert!(machine.counters(Time::from_s(1)).ports[3].blocked);
    setup.probe = None;
    machine.reload(Time::from_s(1), &setup).unwrap();
    let counters = machine.counters(Time::from_s(1));
    assert!(!counters.ports[3].blocked && !counters.ports[3].looped);
    assert_eq!(machine.next_departure(), None);
}

#[test]
fn a_probe_is_sent_in_each_vlan_of_a_port() {
    let mut setup = in_vlans("forwarding = \"learning\"");
    setup.probe = probing(false).probe;
    let mut machine = Machine::new(&setup).unwrap();
    let out = sent(&mut machine, Time::from_s(1));
    let tags = |of: u16| -> Vec<Option<u8>> {
        let of = out.iter().filter(|(port, _)| *port == of);
        of.map(|(_, bytes)| (bytes[12] == 0x81).then(|| bytes[15]))
            .collect()
    };
    assert_eq!(tags(0), [None]);
    assert_eq!(tags(3), [Some(10), Some(20), None]);
    assert_eq!(tags(4), [Some(10), Some(20)]);
    // A cable between the trunks: probes with tags count as well.
    for (_, bytes) in out.iter().filter(|(port, _)| *port == 4) {
        machine.receive(Time::from_s(1), PortId(3), bytes);
    }
    let counters = machine.counters(Time::from_s(1));
    assert_eq!(
        (
            counters.ports[3].frames.probes_heard,
            counters.ports[3].frames.floods
        ),
        (2, 0)
    );
}
