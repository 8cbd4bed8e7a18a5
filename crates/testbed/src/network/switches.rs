//! Switches between the hosts: a `sidestep switch` process in each switch's namespace.
//!
//! The process may load its decision into the kernel instead (`docs/how-to/ebpf.md`); such a switch adds no delay, and
//! accepts fewer orders. For comparison, a Linux bridge can forward in its place; a bridge has no policy and no
//! rate, and cannot handle loops.

use super::blueprint::{Blueprint, Cable, End, addresses, mac};
use super::hosts::port_interface;
use super::{ended, netns, state, tools};
use crate::error::{Error, failed};
use serde_json::{Value, json};
use sidestep_softswitch::ebpf::ProgramConfig;
use sidestep_softswitch::process::control::ask;
use sidestep_softswitch::process::notes::{self, Note, NotesSummary};
use sidestep_softswitch::setup::Setup;
use std::fmt::Write;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Engine that forwards frames.
#[derive(Clone, Debug, PartialEq)]
pub enum Engine {
    /// Software switches: this program with these arguments, followed by a configuration file.
    Switch(PathBuf, Vec<String>),
    /// Switches in the kernel: started as the software switches.
    Ebpf(PathBuf, Vec<String>),
    /// Linux bridges.
    Bridge,
}

/// Name of the engine with software switches in a testbed's state.
pub const SWITCH: &str = "switch";

/// Name of the engine with switches in the kernel in a testbed's state.
pub const EBPF: &str = "ebpf";

/// Returns true if the switches are ours, which answer questions.
pub fn answers(engine: &str) -> bool {
    [SWITCH, EBPF].contains(&engine)
}

/// Returns the first switch that has ended, and how.
pub fn ended(print: &Blueprint, engine: &str) -> Option<(usize, String)> {
    if !answers(engine) {
        return None;
    }
    let mut all = 0..print.switches.len();
    all.find_map(|i| Some((i, ended::how(print, i)?)))
}

/// Describes the engine's deviations from a scenario.
pub fn differences(engine: &str) -> Vec<String> {
    if engine != EBPF {
        return Vec::new();
    }
    vec![
        "the switches are programs in the kernel, which add no propagation delay: a link takes the \
         time of its bits only".into(),
        "the kernel's token buckets release a frame when its first bit would leave, and their \
         lateness is not counted: runs are marked for late hand-overs and losses, not for stalls \
         of switches"
            .into(),
    ]
}

impl Engine {
    /// Returns the engine's name in a testbed's state.
    pub fn name(&self) -> &'static str {
        match self {
            Engine::Switch(..) => SWITCH,
            Engine::Ebpf(..) => EBPF,
            Engine::Bridge => "bridge",
        }
    }
}

/// Bits of the longest frame on a link, framing included.
const LONGEST_BITS: u64 = 8 * 1538;

/// Longest wait for a switch's first answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Longest wait for the first answer of a switch in the kernel, which is compiled and verified first: half a
/// second on an idle machine.
const PATIENCE_EBPF: Duration = Duration::from_secs(300);

/// Returns the control socket of switch `i`.
pub fn control(testbed: &str, i: usize) -> PathBuf {
    state::folder(testbed).join(format!("s{i}.sock"))
}

/// Returns the log file of switch `i`.
pub fn log(testbed: &str, i: usize) -> PathBuf {
    state::folder(testbed).join(format!("s{i}.log"))
}

/// Starts all switches and waits until each answers.
pub fn start(print: &Blueprint, engine: &Engine) -> Result<(), Error> {
    match engine {
        Engine::Bridge => bridges(print),
        Engine::Switch(program, words) | Engine::Ebpf(program, words) => {
            let mut children = Vec::new();
            for i in 0..print.switches.len() {
                children.push(spawn(print, i, engine.name(), (program, words))?);
            }
            for (i, child) in children.iter_mut().enumerate() {
                wait(print, i, child, patience(engine))?;
            }
            Ok(())
        }
    }
}

/// Starts switch `i` in its namespace, in a new session so that Ctrl-C does not reach it.
fn spawn(
    print: &Blueprint,
    i: usize,
    engine: &str,
    (program, words): (&PathBuf, &[String]),
) -> Result<Child, Error> {
    let dir = state::folder(&print.name);
    let config = dir.join(format!("s{i}.toml"));
    let doing = format!("cannot write {}", config.display());
    fs::write(&config, self::config(print, i, engine)).map_err(failed(doing))?;
    let log = log(&print.name, i);
    let out: File = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&log)
        .map_err(failed(format!("cannot write {}", log.display())))?;
    let err = out.try_clone().map_err(failed("cannot share a log"))?;
    let space = netns::open(&print.switch_space(i))?;
    let record = ended::open(print, i)?;
    let mut command = Command::new(program);
    command
        .args(words)
        .arg(&config)
        .current_dir(&dir)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err);
    // SAFETY: between fork and exec only plain system calls are made.
    unsafe {
        command.pre_exec(move || {
            if libc::setsid() == -1 {
                return Err(io::Error::last_os_error());
            }
            ended::stay_behind(&record)?;
            netns::enter(&space)
        });
    }
    command
        .spawn()
        .map_err(failed(format!("cannot start {}", program.display())))
}

fn patience(engine: &Engine) -> Duration {
    match engine {
        Engine::Ebpf(..) => PATIENCE_EBPF,
        _ => PATIENCE,
    }
}

fn wait(print: &Blueprint, i: usize, child: &mut Child, patience: Duration) -> Result<(), Error> {
    let (socket, log) = (control(&print.name, i), log(&print.name, i));
    let said = || {
        let text = fs::read_to_string(&log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().rev().take(5).collect();
        lines.into_iter().rev().collect::<Vec<_>>().join("; ")
    };
    let began = Instant::now();
    loop {
        // Queried, as a listening socket is not enough: a switch answers once its loop runs.
        if ask(&socket, "counters").is_ok() {
            return Ok(());
        }
        if let Ok(Some(status)) = child.try_wait() {
            return Err(Error::Work(format!(
                "switch {} exited at its start ({status}): {}",
                print.switches[i].name,
                said()
            )));
        }
        if began.elapsed() > patience {
            return Err(Error::Work(format!(
                "switch {} does not answer on {}: expected an answer within {} s, got none; its \
                 last output: {}",
                print.switches[i].name,
                socket.display(),
                patience.as_secs(),
                said()
            )));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the counters of each switch since its start or last reset, as it answers. Empty with bridges, which
/// have no such counters.
pub fn counters(print: &Blueprint, engine: &str) -> Result<Vec<Value>, Error> {
    ask_all(print, engine, "counters")
}

/// Resets the counters of every switch.
pub fn reset(print: &Blueprint, engine: &str) -> Result<(), Error> {
    ask_all(print, engine, "reset").map(drop)
}

/// Makes every switch record the TCP segments it handles from now on.
pub fn note(print: &Blueprint, engine: &str) -> Result<(), Error> {
    ask_all(print, engine, "note").map(drop)
}

/// Returns the records of every switch, and stops the recording.
pub fn noted(print: &Blueprint, engine: &str) -> Result<Vec<(NotesSummary, Vec<Note>)>, Error> {
    if engine != SWITCH {
        return Ok(Vec::new());
    }
    // Switches run without privileges and must be able to write here.
    let dir = state::folder(&print.name).join("notes");
    let doing = || format!("cannot make {}", dir.display());
    fs::create_dir_all(&dir).map_err(failed(doing()))?;
    // Sticky bit: switches run as different users, and must not remove each other's files.
    let open = fs::Permissions::from_mode(0o1733);
    fs::set_permissions(&dir, open).map_err(failed(doing()))?;
    let one = |i: usize| {
        let file = dir.join(format!("s{i}"));
        let question = json!({"do": "note", "file": file.display().to_string()});
        ask_one(print, i, &question.to_string())?;
        let read = notes::read(&file).map_err(Error::Work);
        let _ = fs::remove_file(&file);
        read
    };
    let all = (0..print.switches.len()).map(one).collect();
    let _ = fs::remove_dir_all(&dir);
    all
}

fn ask_one(print: &Blueprint, i: usize, what: &str) -> Result<Value, Error> {
    ask(&control(&print.name, i), what).map_err(|why| {
        let said = match ended::why_silent(print, i) {
            Some(how) => how,
            None => format!("switch {}: {why}", print.switches[i].name),
        };
        Error::Work(format!(
            "{said}; its log is {}",
            log(&print.name, i).display()
        ))
    })
}

fn ask_all(print: &Blueprint, engine: &str, what: &str) -> Result<Vec<Value>, Error> {
    if !answers(engine) {
        return Ok(Vec::new());
    }
    let one = |i: usize| ask_one(print, i, what);
    (0..print.switches.len()).map(one).collect()
}

/// Returns the configuration of switch `i`.
///
/// A host's end of a cable cannot delay, so the switch's port to it delays for both directions. Switches in the
/// kernel add no delay and do not handle IPv6 addresses.
pub fn config(print: &Blueprint, i: usize, engine: &str) -> String {
    let in_kernel = engine == EBPF;
    let mut out = String::new();
    let quoted = |text: &str| format!("{text:?}");
    let _ = writeln!(out, "name = {}", quoted(&print.switches[i].name));
    let _ = writeln!(
        out,
        "seed = {}",
        print.seed.wrapping_add(i as u64) & (i64::MAX as u64)
    );
    let _ = write!(out, "\n[switch]\n{}", print.switches[i].decision);
    let socket = control(&print.name, i).display().to_string();
    // Many switches share few cores: a polling switch would take the time of the others.
    let _ = writeln!(
        out,
        "\n[process]\ncontrol = {}\npoll = \"0 us\"",
        quoted(&socket)
    );
    for (p, ((cable, far), flood)) in print.ports(i).iter().zip(&print.flooded()[i]).enumerate() {
        let (leads_to, delay) = match far {
            End::Host(_) => ("host", 2 * cable.delay_ns),
            End::Switch(_) => ("switch", cable.delay_ns),
        };
        let name = port_interface(p);
        let _ = writeln!(
            out,
            "\n[[port]]\nname = {0}\ninterface = {0}",
            quoted(&name)
        );
        let _ = writeln!(
            out,
            "rate = \"{} bps\"\ndelay = \"{} ns\"",
            cable.rate_bps,
            if in_kernel { 0 } else { delay }
        );
        let _ = writeln!(out, "leads_to = {}\nflood = {flood}", quoted(leads_to));
        if leads_to == "host" {
            out.push_str(&print.shims);
        }
    }
    for (h, ports) in print.switches[i].next_hops.iter().enumerate() {
        let ports: Vec<String> = ports
            .iter()
            .map(|p| quoted(&port_interface(usize::from(*p))))
            .collect();
        let own: Vec<String> = addresses(h)
            .iter()
            .filter(|a| a.is_ipv4() || !in_kernel)
            .map(|a| quoted(&a.to_string()))
            .collect();
        let _ = writeln!(out, "\n[[station]]\nmac = {}", quoted(&mac(h)));
        let _ = writeln!(
            out,
            "addresses = [{}]\nports = [{}]",
            own.join(", "),
            ports.join(", ")
        );
    }
    out
}

/// Refuses a blueprint that switches in the kernel cannot run, before anything is built.
pub fn check_ebpf(print: &Blueprint) -> Result<(), Error> {
    let frame_ns = |cable: &Cable| LONGEST_BITS * 1_000_000_000 / cable.rate_bps;
    if let Some(cable) = (print.cables.iter()).find(|cable| cable.delay_ns > frame_ns(cable)) {
        return Err(Error::Input(format!(
            "--datapath ebpf: the program in the kernel adds no propagation delay, so a link's \
             delay must be below the time of its longest frame: expected at most {} ns as \
             measured, got {} ns; use --datapath packet",
            frame_ns(cable),
            cable.delay_ns
        )));
    }
    for i in 0..print.switches.len() {
        let name = &print.switches[i].name;
        let setup = Setup::read(name, &config(print, i, EBPF)).map_err(|all| {
            let all: Vec<String> = all.iter().map(ToString::to_string).collect();
            Error::Input(all.join("\n"))
        })?;
        if let Err(why) = ProgramConfig::of(&setup) {
            return Err(Error::Input(format!(
                "--datapath ebpf: the program in the kernel cannot do all of switch {name}; use \
                 --datapath packet\n\
                 {why}"
            )));
        }
    }
    Ok(())
}

fn bridges(print: &Blueprint) -> Result<(), Error> {
    if !print.shims.is_empty() {
        return Err(Error::Input(
            "--bridge: expected no host.shims: shims run at the ports of software switches, and \
             bridges have none"
                .into(),
        ));
    }
    let between = |c: &&Cable| matches!((c.a, c.b), (End::Switch(_), End::Switch(_)));
    let loops = print.cables.iter().filter(between).count();
    if loops >= print.switches.len() {
        return Err(Error::Input(format!(
            "--bridge: Linux bridges cannot handle loops: expected at most {} cables between {} \
             switches, got {loops}",
            print.switches.len() - 1,
            print.switches.len()
        )));
    }
    for i in 0..print.switches.len() {
        let mut lines = vec!["link add br0 type bridge stp_state 0 forward_delay 0".to_string()];
        for p in 0..print.ports(i).len() {
            lines.push(format!("link set {} master br0", port_interface(p)));
        }
        lines.push("link set br0 up".into());
        tools::ip(Some(&print.switch_space(i)), &lines)?;
    }
    Ok(())
}
