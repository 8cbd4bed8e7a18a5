//! Protection of the network by a switch on real interfaces: storms, limits, VLANs, loops, long frames. Skips,
//! with the reason, where the kernel forbids namespaces.
//!
//! The switch is this test program itself, called to run one function only.

use serde_json::Value;
use sidestep_softswitch::process::control;
use sidestep_softswitch::trial::flood::{Source, udp_frame};
use sidestep_softswitch::trial::itself;
use sidestep_softswitch::trial::wiring::Wiring;
use std::fs::File;
use std::io::Write;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longer than any machine takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs the switch; not a test by itself.
#[test]
fn this_program_as_a_switch() {
    itself::switch();
}

/// Running switch, with its network and files.
struct Running {
    child: Child,
    wiring: Wiring,
    room: TempDir,
}

impl Running {
    /// Starts the switch with these lines of `[switch]`, and these of each of its ports.
    fn start(wiring: Wiring, switch: &str, ports: &[(&str, &str)]) -> Running {
        let mut running = Running::begin(wiring, switch, ports);
        let is_up = |counters: Value| {
            let ports = counters["ports"].as_object().unwrap().clone();
            ports.values().all(|port| port["io"]["running"] == true)
        };
        running.until("it answers", |running| {
            assert!(
                running.child.try_wait().unwrap().is_none(),
                "{}",
                running.log()
            );
            running.ask().is_ok_and(is_up)
        });
        running
    }

    fn begin(wiring: Wiring, switch: &str, ports: &[(&str, &str)]) -> Running {
        let room = tempfile::tempdir().unwrap();
        let socket = room.path().join("s.sock").display().to_string();
        let mut text = format!(
            "name = \"t\"\n[switch]\n{switch}\n[process]\ncontrol = {socket:?}\nuser = \"keep\"\n"
        );
        for (interface, lines) in ports {
            text += &format!("[[port]]\ninterface = \"{interface}\"\nrate = \"1 Gbps\"\n{lines}\n");
        }
        let config = room.path().join("t.toml");
        std::fs::write(&config, text).unwrap();
        let log = File::create(room.path().join("log")).unwrap();
        let program = std::env::current_exe().unwrap();
        let child = (wiring.switch.command(program.to_str().unwrap()))
            .args(itself::words("this_program_as_a_switch"))
            .arg(config)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        Running {
            child,
            wiring,
            room,
        }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.room.path().join("log")).unwrap()
    }

    fn ask(&self) -> Result<Value, String> {
        control::ask(&self.room.path().join("s.sock"), "counters")
    }

    /// Returns a counter of one of its ports.
    fn count(&self, path: &str) -> u64 {
        let mut counters = self.ask();
        let began = Instant::now();
        while counters.is_err() && began.elapsed() < PATIENCE {
            counters = self.ask();
        }
        let counters = counters.unwrap();
        let count = counters.pointer(&format!("/ports/{path}"));
        let count = count.and_then(|value| value.as_u64().or(value.as_bool().map(u64::from)));
        count.unwrap_or_else(|| panic!("no count at {path}: {counters}"))
    }

    /// Waits until the condition holds.
    fn until(&mut self, what: &str, mut so: impl FnMut(&mut Running) -> bool) {
        let began = Instant::now();
        while !so(self) {
            let log = self.log();
            assert!(
                began.elapsed() < PATIENCE,
                "not so: {what}; {:?}; {log}",
                self.ask()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until the log contains these words.
    fn says(&mut self, words: &str) {
        self.until(words, |running| running.log().contains(words));
    }

    /// Sends frames from host `number`.
    fn send(&self, number: usize, frames: &[Vec<u8>]) {
        self.wiring.hosts[number].within(|| {
            let mut source = Source::open("eth0").unwrap();
            source.send(frames.iter().map(|frame| &frame[..]));
        });
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn wiring(hosts: usize) -> Option<Wiring> {
    match Wiring::new(hosts) {
        Ok(wiring) => Some(wiring),
        Err(why) => {
            let _ = writeln!(std::io::stderr(), "skipped: {why}");
            assert!(std::env::var_os("SIDESTEP_MUST_RUN").is_none(), "{why}");
            None
        }
    }
}

const LEARNING: &str = "forwarding = \"learning\"";

#[test]
fn a_storm_and_a_limit_are_counted_and_said_once() {
    let Some(wiring) = wiring(2) else { return };
    let guards = "storm_broadcast = \"0.001 /s\"\nlearn_limit = 3";
    let mut running = Running::start(wiring, LEARNING, &[("p0", guards), ("p1", "")]);
    let frames: Vec<Vec<u8>> = (0..40)
        .map(|n| {
            let mut frame = udp_frame(100, 0, 1);
            frame[..6].fill(0xff);
            frame[10..12].copy_from_slice(&[9, n]);
            frame
        })
        .collect();
    running.send(0, &frames);
    // One may pass, or a broadcast of the host itself did.
    running.until("a storm", |r| r.count("p0/refused/storm_broadcast") >= 39);
    running.says("port p0: broadcasts exceed storm_broadcast");
    running.says("port p0: learn_limit of 3 addresses reached; ");
    assert_eq!(running.log().matches("exceed storm_broadcast").count(), 1);
    assert_eq!(running.count("p0/learned"), 3);
    assert!(running.count("p0/learn_limited") >= 37);
}

/// Returns a frame with a tag of 802.1Q.
fn tagged(frame: &[u8], tag: u16) -> Vec<u8> {
    let [a, b] = tag.to_be_bytes();
    [&frame[..12], &[0x81, 0, a, b], &frame[12..]].concat()
}

#[test]
fn tags_cross_interfaces_and_stay_in_their_vlan() {
    let Some(wiring) = wiring(3) else { return };
    let ports = [
        ("p0", "trunk = \"10, 20\""),
        ("p1", "vlan = 10"),
        ("p2", "vlan = 20"),
    ];
    let mut running = Running::start(wiring, LEARNING, &ports);
    let (there, back) = (udp_frame(200, 0, 1), udp_frame(200, 1, 0));
    // To a group, so that the whole VLAN and nobody else gets it.
    let to_all = |frame: &[u8]| {
        let mut frame = frame.to_vec();
        frame[..6].copy_from_slice(&[0x01, 0, 0x5e, 0, 0, 9]);
        frame
    };
    let many = 20;
    running.send(0, &vec![tagged(&to_all(&there), 5 << 13 | 10); many]);
    running.send(0, &[tagged(&there, 30), there.clone()]);
    running.send(1, &vec![to_all(&back); many]);
    running.send(1, &[tagged(&back, 10)]);
    running.until("all came", |r| {
        r.count("p0/refused/vlan_other") == 1
            && r.count("p0/refused/vlan_untagged") >= 1
            && r.count("p1/refused/vlan_tagged") == 1
    });
    // Frames without room in the kernel are counted before the switch: there are none here.
    running.until("all left", |r| {
        r.count("p1/io/sent") >= many as u64 && r.count("p0/io/sent") >= many as u64
    });
    // The test's frames have 200 B, with a tag 204; frames that hosts send themselves by IPv6 are shorter.
    let (frames, bytes) = (running.count("p0/tx_frames"), running.count("p0/tx_bytes"));
    assert!(
        bytes >= 204 * many as u64 && frames >= many as u64,
        "{bytes}"
    );
    assert!(running.count("p2/copies") < many as u64, "another VLAN");
    assert_eq!(running.count("p1/refused/vlan"), 0);
}

#[test]
fn a_loop_is_named_with_both_ports_and_blocked_while_it_is_there() {
    let Some(wiring) = wiring(1) else { return };
    wiring
        .switch
        .ip("link add l0 type veth peer name l1")
        .unwrap();
    for end in ["l0", "l1"] {
        wiring.switch.ip(&format!("link set {end} up")).unwrap();
    }
    let switch = format!("{LEARNING}\nloop_probe = \"50 ms\"\nloop_action = \"block\"");
    let mut running = Running::start(wiring, &switch, &[("p0", ""), ("l0", ""), ("l1", "")]);
    running.says("receives probes that this switch sends by port");
    running.until("it is blocked", |r| r.count("l1/blocked") == 1);
    let log = running.log();
    assert!(
        log.contains("; port l1 is blocked until the loop is gone"),
        "{log}"
    );
    assert_eq!(
        (running.count("l0/blocked"), running.count("p0/looped")),
        (0, 0)
    );
    running.wiring.switch.ip("link set l1 down").unwrap();
    running.says("port l1 is unblocked: no probe comes back");
}

/// Returns two hosts whose interfaces, and the first of the switch's, have room for long frames.
fn long_wiring() -> Option<Wiring> {
    let wiring = wiring(2)?;
    for space in &wiring.hosts {
        space.ip("link set eth0 mtu 9000").unwrap();
    }
    wiring.switch.ip("link set p0 mtu 9000").unwrap();
    Some(wiring)
}

#[test]
fn long_frames_pass_where_interfaces_have_room_and_else_the_start_says_so() {
    let switch = format!("{LEARNING}\nmtu = 9000");
    let ports = [("p0", ""), ("p1", "")];
    let Some(wiring) = long_wiring() else { return };
    let mut refused = Running::begin(wiring, &switch, &ports);
    refused.says("interface \"p1\" has an MTU of 1500: switch.mtu = 9000 needs as much");
    assert!(!refused.child.wait().unwrap().success());
    let Some(wiring) = long_wiring() else { return };
    wiring.switch.ip("link set p1 mtu 9000").unwrap();
    let mut running = Running::start(wiring, &switch, &ports);
    running.send(0, &[udp_frame(9014, 0, 1)]);
    running.until("it left", |r| r.count("p1/io/sent_bytes") >= 9014);
    assert_eq!(running.count("p0/refused/oversized"), 0);
}
