//! Tests of the class of service of real frames: the code point set by shims, the class in the switch, and the
//! counting of flows in a class.

use super::{config, leaving, older};
use crate::frame::sample::Sample;
use crate::machine::Machine;
use crate::setup::Setup;
use sidestep_types::{PortId, Time};

const FIN: u8 = 1;
const SYN: u8 = 2;
const RST: u8 = 4;
const ACK: u8 = 16;

/// Returns a switch whose hosts 1 and 2 have `by-size`: up to 200 B of a flow are in the first class.
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

/// Returns a frame from one of these hosts to the other, or to host 3, whose application set code point 1.
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

/// Returns the frame that leaves when `sample` comes in from its host.
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

/// Returns the frame of `sample` after a switch, with this code point: checksums included.
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
    // An acknowledgement of a connection without a SYN.
    let answer = frame(2, 3, 5, ACK, 0);
    assert_eq!(through(&mut machine, 200, 2, &answer), older(&answer));
}

/// Versions of a segment: unchanged over IPv4, and over IPv6.
const VERSIONS: [fn(Sample) -> Sample; 2] = [|sample| sample, Sample::over_v6];

/// Returns a switch with class queues at every port, and in the first class room for a packet of each counted
/// flow.
fn counting(dscp: &str) -> Machine {
    let words = format!(
        "capacity = \"250 kB\"\nbuffer = {{ kind = \"mulbuff\", per_flow = \"1 pkt\", mark_at = \"off\" }}\n\
         sched = {{ kind = \"ps\", count = \"exact\", silence = \"10 ms\" }}\n{dscp}"
    );
    Machine::new(&config(&words, "100 Mbps")).unwrap()
}

/// Returns a segment of connection number `connection` from host 1 to host 2 in the class of this code point.
fn segment(connection: u16, flags: u8, payload: usize, dscp: u8) -> Sample {
    Sample {
        ports: (40_000 + connection, 80),
        tos: dscp << 2 | 2,
        payload: vec![7; payload],
        ..frame(1, 2, 1, flags, payload)
    }
}

/// Receives `sample` at this time; returns true if it was admitted.
fn comes(machine: &mut Machine, us: u64, sample: &Sample) -> bool {
    let now = Time::from_us(us);
    leaving(machine, now);
    let before = machine.counters(now).ports[1].drops["full"];
    machine.receive(now, PortId(0), &sample.bytes());
    machine.counters(now).ports[1].drops["full"] == before
}

/// Returns the number of flows counted in the first class, measured with data of one of them: all of it comes
/// at once, one packet is being sent, and there is room for one of each flow.
fn flows(machine: &mut Machine, us: u64, probe: u16, over: fn(Sample) -> Sample) -> usize {
    let data = over(segment(probe, ACK, 500, 0));
    let fits = (0..20).filter(|_| comes(machine, us, &data)).count();
    fits - 1
}

#[test]
fn a_switch_counts_flows_by_syn_fin_rst_and_silence_as_frames_say_them() {
    for over in VERSIONS {
        let mut machine = counting("");
        // SYNs add three flows, answers and acknowledgements none.
        for connection in 1..=3 {
            assert!(comes(
                &mut machine,
                0,
                &over(segment(connection, SYN, 0, 0))
            ));
        }
        comes(&mut machine, 100, &over(segment(4, SYN | ACK, 0, 0)));
        comes(&mut machine, 100, &over(segment(5, ACK, 0, 0)));
        assert_eq!(flows(&mut machine, 1_000, 1, over), 3);
        // A FIN behind the last byte ends a flow, as soon as it has left.
        assert!(comes(
            &mut machine,
            2_000,
            &over(segment(2, FIN | ACK, 500, 0))
        ));
        assert_eq!(flows(&mut machine, 3_000, 1, over), 2);
        // A retransmission of that flow counts until it has left, and no longer.
        assert!(comes(
            &mut machine,
            4_000,
            &over(segment(2, FIN | ACK, 500, 0))
        ));
        assert_eq!(flows(&mut machine, 5_000, 1, over), 2);
        // An RST ends a flow.
        assert!(comes(&mut machine, 6_000, &over(segment(3, RST, 0, 0))));
        assert_eq!(flows(&mut machine, 7_000, 1, over), 1);
        // A SYN of the same ports is another flow, and so is data of a connection whose SYN was not seen.
        assert!(comes(&mut machine, 8_000, &over(segment(3, SYN, 0, 0))));
        assert!(comes(&mut machine, 8_000, &over(segment(6, ACK, 500, 0))));
        assert_eq!(flows(&mut machine, 9_000, 1, over), 3);
        // A FIN without data ends a flow.
        assert!(comes(
            &mut machine,
            10_000,
            &over(segment(3, FIN | ACK, 0, 0))
        ));
        assert_eq!(flows(&mut machine, 11_000, 1, over), 2);
        // The last flow was silent for 10 ms.
        assert_eq!(flows(&mut machine, 17_900, 1, over), 2);
        assert_eq!(flows(&mut machine, 18_100, 1, over), 1);
        // All flows end by silence: the new one is alone.
        assert_eq!(flows(&mut machine, 60_000, 7, over), 1);
    }
}

#[test]
fn code_points_are_sorted_by_the_switchs_table() {
    for (table, code_point, first) in [
        ("", 0, true),
        ("", 1, false),
        ("", 46, false),
        ("dscp = \"46, 10\"", 46, true),
        ("dscp = \"46, 10\"", 10, false),
        ("dscp = \"46, 10\"", 0, false),
        ("dscp = \"0, 46\"", 0, true),
    ] {
        for over in VERSIONS {
            let mut machine = counting(table);
            let data = over(segment(1, ACK, 500, code_point));
            let fits = (0..20).filter(|_| comes(&mut machine, 0, &data)).count();
            // One flow has room for one packet in the first class; the long queue holds 25 kB.
            assert_eq!(fits == 2, first, "{table} {code_point}: {fits}");
            // The switch sorts by the code point, and does not change it.
            let (_, _, bytes) = leaving(&mut machine, Time::from_us(100)).remove(0);
            assert_eq!(bytes, older(&data));
        }
    }
}
