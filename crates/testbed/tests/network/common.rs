//! Test support: small networks, and the machine's state before and after.

use sidestep_testbed::Error;
use sidestep_testbed::network::blueprint::{
    Blueprint, Cable, Congestion, End, HostSettings, Kernel, Switch,
};
use sidestep_testbed::network::down::down;
use sidestep_testbed::network::state::State;
use sidestep_testbed::network::switches::Engine;
use sidestep_testbed::network::up::{TestbedPlan, up};
use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Returns the reason why testbeds cannot be built here, if there is one; printed if a test returns early.
pub fn forbidden() -> Option<String> {
    // SAFETY: only reads the user's number.
    if unsafe { libc::geteuid() } != 0 {
        return Some("skipped: not root".into());
    }
    own_links();
    let probe = Command::new("unshare").args(["-n", "true"]).status();
    match probe {
        Ok(status) if status.success() => None,
        other => Some(format!("skipped: no network namespaces: {other:?}")),
    }
}

/// Reports why a test is skipped, past the test harness, which would capture it. Fails if `SIDESTEP_MUST_RUN`
/// is set.
pub fn skip(why: &str) {
    say(why);
    assert!(std::env::var_os("SIDESTEP_MUST_RUN").is_none(), "{why}");
}

/// Prints a message past the test harness, even if `SIDESTEP_MUST_RUN` is set.
pub fn say(why: &str) {
    let _ = writeln!(std::io::stderr(), "{why}");
}

/// Skips a test, with the reason, if the kernel forbids namespaces.
#[macro_export]
macro_rules! needs_namespaces {
    () => {
        if let Some(why) = $crate::common::forbidden() {
            $crate::common::skip(&why);
            return;
        }
    };
}

/// Longer than any run, however busy the machine: a run ends when all is delivered.
pub const PLENTY_NS: u64 = 120_000_000_000;

/// Returns a unique name for a testbed, made of this process and the number of the call.
pub fn own_name(name: &str) -> String {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    format!("be-{name}{}-{call}", std::process::id())
}

/// Returns a blueprint of one switch with this many hosts, under a unique name.
pub fn star(name: &str, hosts: usize) -> Blueprint {
    Blueprint {
        name: own_name(name),
        scale: 10.0,
        hosts,
        switches: vec![Switch {
            name: "s".into(),
            next_hops: (0..hosts).map(|h| vec![h as u16]).collect(),
            decision: "capacity = \"100 pkt\"\nbuffer = \"droptail\"\n".into(),
        }],
        cables: (0..hosts)
            .map(|h| Cable {
                a: End::Host(h),
                b: End::Switch(0),
                rate_bps: 100_000_000,
                delay_ns: 10_000,
            })
            .collect(),
        settings: table1(Congestion::Reno),
        shims: String::new(),
        announces: false,
        fabric_mtu: 0,
        settle_ns: 0,
        seed: 1,
    }
}

/// Returns the host settings of DIBS, Table 1, ten times slower.
pub fn table1(congestion: Congestion) -> HostSettings {
    HostSettings {
        congestion,
        ecn: congestion != Congestion::Reno,
        initial_window: 10,
        fast_retransmit: None,
        sack: false,
        rto_min_us: 100_000,
        rto_max_ms: 60_000,
        idle_restart: false,
        delayed_ack: false,
        receive_window: 65_535,
        send_buffer: 1 << 20,
        mss: 1460,
        ttl: 255,
        kernel: Kernel::Told,
        subflows: None,
        agent: None,
        marks: None,
    }
}

/// DCTCP with the parameters of RFC 8257.
pub const DCTCP: Congestion = Congestion::Dctcp {
    gain: 64,
    initial_alpha: 1024,
};

/// Testbed on bridges, removed when this is dropped.
pub struct Bed(pub Blueprint);

impl Bed {
    pub fn up(blueprint: Blueprint) -> Bed {
        build(&blueprint).unwrap_or_else(|e| panic!("{e}"));
        Bed(blueprint)
    }

    /// Builds a testbed; skips with the reason and returns `None` if the machine lacks an optional part.
    pub fn up_or_skip(blueprint: Blueprint) -> Option<Bed> {
        match build(&blueprint) {
            Ok(_) => Some(Bed(blueprint)),
            Err(Error::Input(why)) => {
                skip(&format!("skipped: {why}"));
                None
            }
            Err(why) => panic!("{why}"),
        }
    }
}

impl Drop for Bed {
    fn drop(&mut self) {
        if let Err(e) = down(&self.0.name, true) {
            eprintln!("{e}");
        }
    }
}

pub fn build(blueprint: &Blueprint) -> Result<State, Error> {
    let plan = TestbedPlan {
        blueprint,
        engine: &Engine::Bridge,
        note: serde_json::Value::Null,
    };
    up(&plan, &AtomicBool::new(false))
}

/// Returns everything in the machine with a testbed's name, and links outside of any namespace.
pub fn traces(name: &str) -> Vec<String> {
    let mut all = lines("ip", &["netns", "list"]);
    all.retain(|line| line.starts_with(&format!("{name}-")));
    let ours = |link: &String| {
        let named = link.contains("eth0") || link.contains(name);
        named && !own_links().contains(link)
    };
    all.extend(veths().into_iter().filter(ours));
    let own = congestion(name);
    // Needed only on a kernel without DCTCP; else there is nothing to list.
    if sidestep_testbed::network::tools::find("bpftool").is_some() {
        let listed = lines("bpftool", &["struct_ops", "list"]);
        all.extend(listed.into_iter().filter(|l| l.contains(&own)));
    }
    all.extend(lines("pgrep", &["-af", &format!("/run/sidestep/{name}/")]));
    if std::path::Path::new("/run/sidestep").join(name).exists() {
        all.push(format!("/run/sidestep/{name}"));
    }
    all
}

fn lines(program: &str, args: &[&str]) -> Vec<String> {
    let out = Command::new(program).args(args).output();
    let out = out.unwrap_or_else(|e| panic!("{program}: {e}"));
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    text.lines().map(String::from).collect()
}

/// Returns the names of the veth links in no namespace.
fn veths() -> Vec<String> {
    let name = |line: &String| line.split(": ").nth(1).unwrap_or_default().to_string();
    let all = lines("ip", &["-o", "link", "show", "type", "veth"]);
    all.iter().map(name).collect()
}

/// Returns the machine's own veth links, as a container's `eth0`. Read before any test; testbeds create theirs
/// inside namespaces.
fn own_links() -> &'static [String] {
    static OWN: OnceLock<Vec<String>> = OnceLock::new();
    OWN.get_or_init(veths)
}

/// Returns the name of a testbed's own DCTCP: 14 letters, from the testbed's name.
pub fn congestion(name: &str) -> String {
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let hash = name.bytes().fold(0x811c_9dc5, mix);
    format!("dctcp_{hash:08x}")
}

/// Waits until `so` holds, longer than any machine takes.
pub fn until(what: &str, mut so: impl FnMut() -> bool) {
    let began = std::time::Instant::now();
    while !so() {
        assert!(began.elapsed().as_secs() < 120, "not so: {what}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Runs a program in a namespace and returns its output.
pub fn inside(space: &str, words: &[&str]) -> String {
    let mut args = vec!["netns", "exec", space];
    args.extend(words);
    let out = Command::new("ip").args(&args).output().unwrap();
    assert!(
        out.status.success(),
        "{words:?}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// Does work in a namespace, on a temporary thread.
pub fn within<T: Send>(space: &str, work: impl FnOnce() -> T + Send) -> T {
    let file = File::open(format!("/run/netns/{space}")).unwrap();
    std::thread::scope(|scope| {
        let inside = scope.spawn(|| {
            // SAFETY: a plain call on an open descriptor; only this thread moves.
            let moved = unsafe { libc::setns(file.as_raw_fd(), libc::CLONE_NEWNET) };
            assert_eq!(moved, 0, "{space}");
            work()
        });
        inside.join().unwrap()
    })
}
