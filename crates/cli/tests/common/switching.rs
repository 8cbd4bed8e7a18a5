//! Test support: `sidestep switch` in a temporary namespace, with hosts around it.
#![allow(dead_code, reason = "each test file uses its part")]

use serde_json::Value;
use sidestep_softswitch::process::control;
use sidestep_softswitch::trial::flood::sink;
use sidestep_softswitch::trial::wiring::{Wiring, mac};
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Creates hosts and their switch's namespace; skips with the reason and returns `None` if namespaces are not
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

/// Returns a config for `hosts` hosts: the lines of `switch` and `process`, and ports at `rate` each.
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

/// Running switch.
pub struct Running {
    /// Process of the switch.
    pub child: Child,
    /// Namespaces of the switch and its hosts.
    pub wiring: Wiring,
    room: Option<TempDir>,
}

impl Running {
    /// Starts a switch for all hosts of `wiring`, with these lines of `[switch]` and `[process]`, and waits
    /// until it answers and all links are up. `ROOM` in the lines stands for a folder that all may write to.
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

    /// As `start_with`, with a datapath.
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

    /// As `start`, with more arguments after the command.
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

    /// As `start`, with these words before the command.
    pub fn start_by(by: &str, wiring: Wiring, rate: &str, switch: &str, process: &str) -> Running {
        Running::spawn(wiring, rate, (switch, process), |config| config, (by, &[]))
    }

    /// Starts a switch with words before and arguments after the command.
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
            // The switch may run as another user, who may have no access to the build folder.
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
        // The kernel reports a link as up some time after both its ends are.
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

    /// Returns a path in its folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.room.as_ref().unwrap().path().join(name)
    }

    /// Returns its output on standard error.
    pub fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap()
    }

    /// Waits until it has printed `words`.
    pub fn says(&self, words: &str) {
        until(words, || self.log().contains(words));
    }

    /// Sends a question to the control socket.
    pub fn ask(&self, question: &str) -> Result<Value, String> {
        control::ask(&self.path("s.sock"), question)
    }

    /// Returns its counters; repeats the question if the answer took too long.
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
        // SAFETY: the child has not been waited for, so its number is still valid.
        let done = unsafe { libc::kill(self.child.id() as i32, signal) };
        assert_eq!(done, 0);
    }

    /// Ends it by SIGTERM; returns the counters it printed.
    pub fn end(self) -> Value {
        self.end_keeping().0
    }

    /// Ends it by SIGTERM; returns the counters it printed, and its folder.
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

/// Returns true if a UDP question from host `from` to `address`, an address of host `to`, is answered.
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

/// Sends 4 MB by TCP from host 0 to host 1, checks that they arrive whole, and returns the rate on the wire in
/// Mbps.
pub fn transfer(running: &Running) -> f64 {
    let hosts = &running.wiring.hosts;
    let sent: Vec<u8> = (0..4_000_000u32).map(|i| (i % 251) as u8).collect();
    let listener = hosts[1].within(|| TcpListener::bind("10.9.0.2:5000").unwrap());
    // Started before the first byte: a late receiver finds many bytes waiting.
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
    // 1448 bytes of payload take 1538 on the wire.
    8.0 * 4.0 / time.as_secs_f64() * 1538.0 / 1448.0
}

/// Returns the bytes that host 0's kernel charges to a socket whose datagrams wait in the switch: 40 datagrams at a port
/// that sends some twelve a second. They are to be free once the switch has them: a sender's small queue, its socket
/// memory and its retransmissions depend on what the kernel takes for still queued in the host.
pub fn charged_to_sender(running: &Running) -> i32 {
    let hosts = &running.wiring.hosts;
    let sink = hosts[1].within(|| UdpSocket::bind("10.9.0.2:0").unwrap());
    let source = hosts[0].within(|| UdpSocket::bind("10.9.0.1:0").unwrap());
    source.connect(sink.local_addr().unwrap()).unwrap();
    for _ in 0..40 {
        source.send(&[0; 1000]).unwrap();
    }
    until("all came in", || for_one(&running.counters(), "h0") >= 40);
    let mut charged = 0;
    // SAFETY: SIOCOUTQ writes one int.
    let status = unsafe { libc::ioctl(source.as_raw_fd(), libc::TIOCOUTQ, &mut charged) };
    assert_eq!(status, 0, "{}", std::io::Error::last_os_error());
    let held = running.counters()["held"].as_u64();
    assert!(
        held > Some(10),
        "the datagrams wait in the switch: {held:?}"
    );
    charged
}

/// Returns the unicast frames received at a port so far. Frames that a host's kernel sends by itself go to a
/// group: address resolution, and reports of its groups.
pub fn for_one(counters: &Value, port: &str) -> u64 {
    let count = |key: &str| counters["ports"][port][key].as_u64().unwrap();
    count("rx_frames") - count("floods") - count("answered")
}

/// Longer than any step on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until `so` holds.
pub fn until(what: &str, mut so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !so() {
        assert!(start.elapsed() < PATIENCE, "not so: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the letter of a process's state: T is stopped.
pub fn state_of(pid: u32) -> char {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let behind = stat.rsplit(')').next().unwrap();
    behind.trim_start().chars().next().unwrap()
}
