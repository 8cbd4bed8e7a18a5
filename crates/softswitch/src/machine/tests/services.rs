//! Shims that set the class of service of what a host sends: what code point its frames leave with.

use super::{config, leaving, older};
use crate::frame::sample::Sample;
use crate::machine::Machine;
use crate::setup::Setup;
use sidestep_types::{PortId, Time};

const SYN: u8 = 2;
const ACK: u8 = 16;

/// Hosts 1 and 2 have `by-size`: up to 200 B of a flow in the first class.
fn machine() -> Machine {
    let written = "[switch]\n[[port]]\ninterface = \"p\"\nrate = \"1 Gbps\"\nshims = [\"by-size\"]\n\
                   by-size = { by = \"sent\", thresholds = \"200 B\", dscp = \"46, 8\" }\n";
    let read = Setup::read("o.toml", written).unwrap();
    let mut setup = config("", "1 Gbps");
    for port in [0, 1] {
        setup.ports[port].shims = read.ports[0].shims.clone();
    }
    Machine::new(&setup).unwrap()
}

/// A frame from one of these hosts to the other, or to host 3, whose application asked for code point 1.
fn frame(from: u8, to: u8, seq: u32, flags: u8, payload: usize) -> Sample {
    let ends = ([10, 77, 0, from].into(), [10, 77, 0, to].into());
    let ports = if from < to {
        (40_000, 80)
    } else {
        (80, 40_000)
    };
    Sample {
        seq,
        flags: Some(flags),
        addresses: ends,
        ports,
        tos: 1 << 2 | 2,
        ack: 1,
        ..Sample::tcp(from, to, payload)
    }
}

/// The frame that leaves when `sample` comes from its host.
fn through(machine: &mut Machine, us: u64, from: u8, sample: &Sample) -> Vec<u8> {
    machine.receive(
        Time::from_us(us),
        PortId(u16::from(from) - 1),
        &sample.bytes(),
    );
    let mut out = leaving(machine, Time::from_us(us + 50));
    assert_eq!(out.len(), 1);
    out.remove(0).2
}

/// As it came, but for its age and this code point: checksums included.
fn with_code_point(sample: &Sample, dscp: u8) -> Vec<u8> {
    older(&Sample {
        tos: dscp << 2 | sample.tos & 3,
        ..sample.clone()
    })
}

#[test]
fn what_a_host_sends_has_the_code_point_of_its_class_and_so_has_what_answers() {
    let mut machine = machine();
    let syn = frame(1, 2, 0, SYN, 0);
    assert_eq!(through(&mut machine, 0, 1, &syn), with_code_point(&syn, 46));
    let mut at = 100;
    for (n, dscp) in [(0, 46), (1, 46), (2, 8), (3, 8), (0, 8)] {
        let data = frame(1, 2, 1 + 100 * n, ACK, 100);
        assert_eq!(
            through(&mut machine, at, 1, &data),
            with_code_point(&data, dscp),
            "{n}"
        );
        let answer = Sample {
            ack: 101 + 100 * n,
            ..frame(2, 1, 1, ACK, 0)
        };
        assert_eq!(
            through(&mut machine, at + 50, 2, &answer),
            with_code_point(&answer, dscp),
            "the answer to {n}"
        );
        at += 100;
    }
}

#[test]
fn what_no_shim_sees_keeps_its_code_point() {
    let mut machine = machine();
    let udp = Sample {
        flags: None,
        ..frame(1, 2, 0, 0, 100)
    };
    assert_eq!(through(&mut machine, 0, 1, &udp), older(&udp));
    // A port without shims.
    let other = frame(3, 1, 0, SYN, 0);
    assert_eq!(through(&mut machine, 100, 3, &other), older(&other));
    // It acknowledges, of a connection that nobody opened.
    let answer = frame(2, 3, 5, ACK, 0);
    assert_eq!(through(&mut machine, 200, 2, &answer), older(&answer));
}
