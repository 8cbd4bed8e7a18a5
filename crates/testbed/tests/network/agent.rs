//! Tests of the hosts' agent, packet by packet: its programs in the kernel, run by bpftool.

use crate::common::{Bed, PLENTY_NS, inside, star, traces};
use crate::needs_namespaces;
use sidestep_testbed::network::blueprint::{Agent, Blueprint};
use sidestep_testbed::traffic::{Flow, Job, Start, run};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

/// The paper's agent, with the shim's assumptions.
const AGENT: Agent = Agent {
    pass: 2,
    share: (9, 10),
    exceed: false,
    per_host: false,
    first: 3,
    repaired: true,
    recovery: false,
    shortest: 3,
    longest: 256,
};

const FIN: u8 = 1;
const SYN: u8 = 2;
const ACK: u8 = 16;

/// Builds a frame of the connection from port 1 of one host to port 2 of the other, as it leaves the sender.
fn frame(up: bool, flags: u8, seq: u32, ack: u32, window: u16, payload: usize) -> Vec<u8> {
    let mut f = vec![0; 54 + payload];
    f[12] = 8;
    let ends = if up {
        [(2, 2), (1, 1)]
    } else {
        [(1, 1), (2, 2)]
    };
    let [(from, from_port), (to, to_port)] = ends;
    f[14] = 0x45;
    f[16..18].copy_from_slice(&(40 + payload as u16).to_be_bytes());
    f[23] = 6;
    f[26..30].copy_from_slice(&[10, 77, 9, from]);
    f[30..34].copy_from_slice(&[10, 77, 9, to]);
    f[34..36].copy_from_slice(&[0, from_port]);
    f[36..38].copy_from_slice(&[0, to_port]);
    f[38..42].copy_from_slice(&seq.to_be_bytes());
    f[42..46].copy_from_slice(&ack.to_be_bytes());
    f[46] = 0x50;
    f[47] = flags;
    f[48..50].copy_from_slice(&window.to_be_bytes());
    f
}

/// Programs of host 0 of a testbed that has had a run.
struct Host(String);

impl Host {
    /// Runs one of the host's programs on a frame; returns true if the frame passes.
    fn takes(&self, program: &str, frame: &[u8]) -> bool {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), frame).unwrap();
        let pinned = format!("/sys/fs/bpf/sidestep-{}/h0/{program}", self.0);
        let done = Command::new("bpftool")
            .args(["-j", "prog", "run", "pinned", &pinned, "data_in"])
            .arg(file.path())
            .args(["data_out", "-"])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        let value = said.split("\"retval\":").nth(1);
        let value = value.and_then(|rest| rest.split([',', '}']).next());
        match value.map(str::trim) {
            Some("0") => true,
            Some("2") => false,
            _ => panic!("{said} {}", String::from_utf8_lossy(&done.stderr)),
        }
    }

    /// Sends a segment of 100 B.
    fn data(&self, seq: u32) {
        assert!(self.takes("sidestep_down", &frame(false, ACK, seq, 0, 9, 100)));
    }

    fn ack(&self, ack: u32) -> bool {
        self.ack_of(ack, 9)
    }

    fn ack_of(&self, ack: u32, window: u16) -> bool {
        self.takes("sidestep_up", &frame(true, ACK, 0, ack, window, 0))
    }

    /// Receives `length` duplicates of an acknowledgement; returns which pass.
    fn run(&self, ack: u32, length: usize) -> Vec<bool> {
        (0..length).map(|_| self.ack(ack)).collect()
    }

    /// Restarts the connection, which discards its runs.
    fn syn(&self) {
        assert!(self.takes("sidestep_down", &frame(false, SYN, 0, 0, 9, 0)));
    }
}

/// Builds a testbed with this agent, and makes a run on it.
fn bed(agent: Agent) -> Option<Bed> {
    let mut print = star("agent", 2);
    print.settings.fast_retransmit = Some(3);
    print.settings.agent = Some(agent);
    let bed = Bed::up_or_skip(print)?;
    one_run(&bed.0);
    Some(bed)
}

/// Makes a run without a retransmission: on a busy machine a timer may expire while an acknowledgement waits,
/// and the retransmitted segment is answered with duplicates. Each run has fresh programs.
fn one_run(print: &Blueprint) {
    let clean = (0..20).any(|_| nothing_sent_again(print));
    assert!(clean, "something was sent again in each of 20 runs");
}

fn nothing_sent_again(print: &Blueprint) -> bool {
    let job = Job {
        flows: vec![Flow {
            src: 0,
            dst: 1,
            bytes: Some(100_000),
            start: Start::At(0),
            back_on: None,
            says: None,
            mss: None,
        }],
        lasts_ns: 0,
        horizon_ns: PLENTY_NS,
    };
    let ran = run(print, &job, &AtomicBool::new(false)).unwrap();
    assert_eq!(ran.flows[0].delivered, 100_000);
    let of_agent = &ran.hosts[0].tcp;
    assert!(of_agent["AgentAcks"] > 0, "{of_agent:?}");
    let clean = ran.flows[0].sender.retransmits == 0;
    // Nothing is lost or reordered on the way.
    assert!(!clean || of_agent["AgentDropped"] == 0, "{of_agent:?}");
    clean
}

#[test]
fn duplicates_are_held_to_the_usual_length_of_a_run() {
    needs_namespaces!();
    let Some(bed) = bed(AGENT) else { return };
    let host = Host(bed.0.name.clone());
    for n in 0..20 {
        host.data(1000 + n * 100);
    }
    assert!(host.ack(1100));
    // No run was counted yet: a length of 3 passes.
    assert_eq!(host.run(1100, 5), [true; 5]);
    assert!(host.ack(1200));
    // The only run had length 5: two pass, two are dropped, from the fifth on all pass.
    let held = [true, true, false, false, true, true];
    assert_eq!(host.run(1200, 6), held);
    assert!(host.ack(1300));
    // Now 5 and 6: nine tenths do not exceed 6. A run of two does not count.
    assert_eq!(host.run(1300, 2), [true; 2]);
    assert!(host.ack(1400));
    assert_eq!(host.run(1400, 6), [true, true, false, false, false, true]);
    // An acknowledgement that changes the window, carries data or is old passes, and is no duplicate.
    assert!(host.ack(1500));
    assert_eq!(host.run(1500, 2), [true; 2]);
    assert!(host.ack_of(1500, 10));
    assert!(host.ack_of(1400, 10));
    assert!(host.takes("sidestep_up", &frame(true, ACK, 0, 1500, 10, 7)));
    assert!(host.takes("sidestep_up", &frame(true, ACK | FIN, 0, 1500, 10, 0)));
    assert!(!host.ack_of(1500, 10));
    // All is acknowledged: without outstanding data there are no duplicates.
    assert!(host.ack(3000));
    assert_eq!(host.run(3000, 9), [true; 9]);
    // A new connection with the same name has no earlier runs.
    host.syn();
    host.data(8000);
    host.data(8100);
    assert_eq!(host.run(8000, 4), [true; 4]);
}

#[test]
fn a_run_that_was_repaired_may_be_left_out_and_recovery_let_through() {
    needs_namespaces!();
    let spared = Agent {
        repaired: false,
        recovery: true,
        exceed: true,
        first: 5,
        per_host: true,
        ..AGENT
    };
    let Some(bed) = bed(spared) else { return };
    let host = Host(bed.0.name.clone());
    for n in 0..20 {
        host.data(1000 + n * 100);
    }
    let first = [true, true, false, false, true];
    assert_eq!(host.run(1000, 5), first);
    // The segment is retransmitted: that run does not count, and duplicates pass until 3000 is acknowledged.
    host.data(1000);
    assert!(host.ack(1100));
    assert_eq!(host.run(1100, 4), [true; 4]);
    assert!(host.ack(3000));
    host.data(3000);
    host.data(3100);
    // The run during recovery had length 4 and counts: more than 4 pass.
    assert_eq!(host.run(3000, 5), first);
    // Runs are counted per host, so a new connection shares them, 4 and 5: more than 5 pass.
    assert!(host.ack(3100));
    host.syn();
    host.data(1000);
    let longer = [true, true, false, false, false, true];
    assert_eq!(host.run(1000, 6), longer);
}

#[test]
fn each_run_has_fresh_programs_and_down_takes_them_away() {
    needs_namespaces!();
    let Some(bed) = bed(AGENT) else { return };
    let host = Host(bed.0.name.clone());
    host.data(1000);
    host.data(1100);
    assert_eq!(host.run(1000, 8), [true; 8]);
    assert!(host.ack(1100));
    assert_eq!(host.run(1100, 3), [true, true, false]);
    one_run(&bed.0);
    host.data(1000);
    assert_eq!(host.run(1000, 3), [true; 3]);
    for side in ["ingress", "egress"] {
        let space = bed.0.host_space(1);
        let filters = inside(&space, &["tc", "filter", "show", "dev", "eth0", side]);
        assert_eq!(filters.matches("direct-action").count(), 1, "{filters}");
    }
    let name = bed.0.name.clone();
    let pins = format!("/sys/fs/bpf/sidestep-{name}");
    assert!(Path::new(&pins).exists());
    drop(bed);
    assert!(!Path::new(&pins).exists());
    assert_eq!(traces(&name), [""; 0]);
}
