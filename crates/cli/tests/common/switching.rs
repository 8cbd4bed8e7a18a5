//! `sidestep switch` in a namespace of its own, with hosts around it.
#![allow(dead_code, reason = "each test file uses its part")]

use serde_json::Value;
use sidestep_softswitch::process::control;
use sidestep_softswitch::trial::flood::sink;
use sidestep_softswitch::trial::wiring::{Wiring, mac};
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The hosts and their switch's namespace, or `None`, having printed why, where namespaces are not
/// allowed.
pub fn wiring(hosts: usize) -> Option<Wiring> {
    match Wiring::new(hosts) {
        Ok(wiring) => Some(wiring),
        Err(why) => {
            super::skip(&format!("skipped: {why}"));
            None
        }
    }
}

/// A config for `hosts` hosts: the lines of `switch` and `process`, ports at `rate` each.
pub fn config(hosts: usize, rate: &str, switch: &str, process: &str) -> String {
    let mut text = format!("name = \"t\"\n[switch]\n{switch}\n[process]\n{process}\n");
    for number in 0..hosts {
        let (mac, last) = (mac(number), number + 1);
        let unread = sink(number as u8)
            .map(|byte| format!("{byte:02x}"))
            .join(":");
        text += &format!(
            "[[port]]\nname = \"h{number}\"\ninterface = \"p{number}\"\nrate = \"{rate}\"\n\
             leads_to = \"host\"\n\
             [[station]]\nmac = \"{mac}\"\naddresses = [\"10.9.0.{last}\", \"fd09::{last:x}\"]\n\
             ports = [\"h{number}\"]\n\
             [[station]]\nmac = \"{unread}\"\nports = [\"h{number}\"]\n"
        );
    }
    text
}

/// A switch that runs.
pub struct Running {
    /// The process.
    pub child: Child,
    /// What it belongs to.
    pub wiring: Wiring,
    room: Option<TempDir>,
}

impl Running {
    /// Starts a switch for all hosts of `wiring`, whose config says these lines of `[switch]` and
    /// `[process]`, and waits until it answers and has found all links up. `ROOM` in them is a folder that all may write to.
    pub fn start(wiring: Wiring, rate: &str, switch: &str, process: &str) -> Running {
        Running::start_with(wiring, rate, switch, process, |config| config)
    }

    /// As `start`, with a config that `change` has changed.
    pub fn start_with(
        wiring: Wiring,
        rate: &str,
        switch: &str,
        process: &str,
        change: impl FnOnce(String) -> String,
    ) -> Running {
        Running::spawn(wiring, rate, (switch, process), change, ("", &[]))
    }

    /// The same by a datapath.
    pub fn start_on(
        datapath: &str,
        wiring: Wiring,
        rate: &str,
        switch: &str,
        process: &str,
        change: impl FnOnce(String) -> String,
    ) -> Running {
        let words = ["--datapath", datapath];
        Running::spawn(wiring, rate, (switch, process), change, ("", &words))
    }

    /// As `start`, with more words behind the command.
    pub fn start_as(
        wiring: Wiring,
        rate: &str,
        switch: &str,
        process: &str,
        words: &[&str],
    ) -> Running {
        Running::spawn(
            wiring,
            rate,
            (switch, process),
            |config| config,
            ("", words),
        )
    }

    /// As `start`, by these words before the command.
    pub fn start_by(by: &str, wiring: Wiring, rate: &str, switch: &str, process: &str) -> Running {
        Running::spawn(wiring, rate, (switch, process), |config| config, (by, &[]))
    }

    /// With words before and behind the command.
    fn spawn(
        wiring: Wiring,
        rate: &str,
        (switch, process): (&str, &str),
        change: impl FnOnce(String) -> String,
        (before, behind): (&str, &[&str]),
    ) -> Running {
        let room = tempfile::tempdir().unwrap();
        fs::set_permissions(room.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let place = room.path().display().to_string();
        let process = format!("control = \"ROOM/s.sock\"\n{process}").replace("ROOM", &place);
        let text = change(config(wiring.hosts.len(), rate, switch, &process));
        fs::write(room.path().join("t.toml"), text).unwrap();
        let log = fs::File::create(room.path().join("log")).unwrap();
        let mut sidestep = env!("CARGO_BIN_EXE_sidestep").to_string();
        if !before.is_empty() {
            // Perhaps as another user, who need not reach the folder that it was built in.
            let copy = room.path().join("sidestep");
            let copied = Command::new("cp").arg(&sidestep).arg(&copy).status();
            assert!(copied.unwrap().success());
            sidestep = copy.display().to_string();
        }
        let sidestep = sidestep.as_str();
        let mut words = before.split_whitespace().chain([sidestep]);
        let child = (wiring.switch.command(words.next().unwrap_or(sidestep)))
            .args(words)
            .args(["switch", "--json"])
            .arg(room.path().join("t.toml"))
            .args(behind)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut running = Running {
            child,
            wiring,
            room: Some(room),
        };
        let start = Instant::now();
        // The kernel says that a link is up some time after both its ends are.
        let is_up = |counters: Value| {
            let ports = counters["ports"].as_object().unwrap().clone();
            ports.values().all(|port| port["io"]["running"] == true)
        };
        while !running.ask("counters").is_ok_and(is_up) {
            let log = running.log();
            assert!(start.elapsed() < PATIENCE, "no answer: {log}");
            assert!(running.child.try_wait().unwrap().is_none(), "ended: {log}");
            std::thread::sleep(Duration::from_millis(10));
        }
        running
    }

    /// A path in its folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.room.as_ref().unwrap().path().join(name)
    }

    /// What it said on standard error.
    pub fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap()
    }

    /// Waits until it has said `words`.
    pub fn says(&self, words: &str) {
        until(words, || self.log().contains(words));
    }

    /// Asks by the control socket.
    pub fn ask(&self, question: &str) -> Result<Value, String> {
        control::ask(&self.path("s.sock"), question)
    }

    /// Its counters; asked again where the answer took too long.
    pub fn counters(&self) -> Value {
        let mut answer = Err(String::new());
        until("the switch says its counters", || {
            answer = self.ask("counters");
            answer.is_ok()
        });
        answer.unwrap()
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: i32) {
        // SAFETY: the child has not been waited for, so that the number is its own.
        let done = unsafe { libc::kill(self.child.id() as i32, signal) };
        assert_eq!(done, 0);
    }

    /// Ends it by SIGTERM; the counters that it printed.
    pub fn end(self) -> Value {
        self.end_keeping().0
    }

    /// Ends it by SIGTERM; the counters that it printed, and its folder.
    pub fn end_keeping(mut self) -> (Value, TempDir) {
        self.signal(libc::SIGTERM);
        let out = std::io::read_to_string(self.child.stdout.take().unwrap()).unwrap();
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}: {}", self.log());
        assert_eq!(out.lines().count(), 1, "one line of JSON: {out}");
        let last = serde_json::from_str(&out).unwrap();
        (last, self.room.take().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Does a question by UDP from host `from` to `address`, which is host `to`'s, get its answer
/// at all?
pub fn reach(wiring: &Wiring, from: usize, to: usize, address: &str) -> bool {
    let any = if address.contains(':') {
        "[::]:0"
    } else {
        "0.0.0.0:0"
    };
    let server = wiring.hosts[to].within(|| UdpSocket::bind((address, 0)).unwrap());
    let client = wiring.hosts[from].within(|| UdpSocket::bind(any).unwrap());
    for socket in [&server, &client] {
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
    }
    let mut room = [0; 16];
    client
        .send_to(b"question", server.local_addr().unwrap())
        .unwrap();
    let Ok((_, asker)) = server.recv_from(&mut room) else {
        return false;
    };
    server.send_to(b"answer", asker).unwrap();
    matches!(client.recv(&mut room), Ok(6))
}

/// Sends 4 MB by TCP from host 0 to host 1, asks that they arrive whole; says how many Mbps that was on the wire.
pub fn transfer(running: &Running) -> f64 {
    let hosts = &running.wiring.hosts;
    let sent: Vec<u8> = (0..4_000_000u32).map(|i| (i % 251) as u8).collect();
    let listener = hosts[1].within(|| TcpListener::bind("10.9.0.2:5000").unwrap());
    // From before the first byte: a receiver that comes late finds many waiting.
    let start = Instant::now();
    let (got, time) = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut stream = hosts[0].within(|| TcpStream::connect("10.9.0.2:5000").unwrap());
            stream.write_all(&sent).unwrap();
        });
        let (mut stream, _) = listener.accept().unwrap();
        let mut got = Vec::new();
        stream.read_to_end(&mut got).unwrap();
        (got, start.elapsed())
    });
    assert!(
        got == sent,
        "{} of {} bytes, or others",
        got.len(),
        sent.len()
    );
    // 1448 bytes of payload in 1538 on the wire.
    8.0 * 4.0 / time.as_secs_f64() * 1538.0 / 1448.0
}

/// Frames that came by a port for one host, so far. Those that a host's kernel sends of its own accord are for a
/// group: it looks for an address, or reports its groups.
pub fn for_one(counters: &Value, port: &str) -> u64 {
    let count = |key: &str| counters["ports"][port][key].as_u64().unwrap();
    count("rx_frames") - count("floods") - count("answered")
}

/// Longer than anything takes on a busy machine; what is awaited for so long does not happen.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until it is so.
pub fn until(what: &str, mut so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !so() {
        assert!(start.elapsed() < PATIENCE, "not so: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The letter of a process's state: T is stopped.
pub fn state_of(pid: u32) -> char {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let behind = stat.rsplit(')').next().unwrap();
    behind.trim_start().chars().next().unwrap()
}
