//! Control socket: one line of JSON is a request, one line of JSON the answer.
//!
//! `{"do": "counters"}`, `{"do": "reload"}`, `{"do": "stop"}`, `{"do": "reset"}` (of lateness and peak queues),
//! `{"do": "capture", "file": "/tmp/x.pcapng", "only": "drops"}`, `{"do": "capture"}` to end one,
//! `{"do": "note"}` and `{"do": "note", "file": "/tmp/x"}`,
//! `{"do": "change", "port": "up0", "link": "down"}`, `{"do": "announce", …}` and so on: [`Question`].
//! An error is an answer too: `{"error": "…"}`. Each connection has its own thread.

use super::capture::Prepared;
use super::files::kind;
use super::log::Log;
use super::notes::Notes;
use super::orders::{Order, OrderSender};
use super::question::{NetworkChange, Question};
use super::report;
use crate::machine::{Announced, Change};
use crate::setup::{Mac, Setup};
use serde_json::{Value, json};
use sidestep_config::problem::suggest;
use sidestep_types::{PortId, PortSet};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Bytes of the longest request.
const LINE: u64 = 64 << 10;
/// Bytes of the longest answer read: counters of 256 ports with their histograms take some hundred kilobytes.
const ANSWER: u64 = 16 << 20;
/// Most simultaneous connections; further ones are closed at once.
const CONNECTIONS: usize = 16;

/// Time after which a silent connection is closed.
const IDLE: Duration = Duration::from_secs(60);

/// Handler of requests.
#[derive(Clone)]
pub struct ControlHandler {
    /// Config at the start of the switch.
    pub setup: Arc<Setup>,
    /// Log for errors of captures.
    pub log: Log,
    /// Sender of orders to the loop.
    pub sender: OrderSender,
    /// Reads the config file again.
    pub reread: Arc<dyn Fn() -> Result<Setup, String> + Send + Sync>,
    /// Returns the reason why the datapath cannot serve a request, if it cannot.
    pub refuses: fn(&Question) -> Option<String>,
}

impl ControlHandler {
    /// Executes a request and returns the answer.
    pub fn answer(&self, question: &str) -> Value {
        self.done(question)
            .unwrap_or_else(|error| json!({"error": error}))
    }

    fn done(&self, question: &str) -> Result<Value, String> {
        let ended = || "the switch is ending".to_string();
        let question = Question::read(question)?;
        if let Some(why) = (self.refuses)(&question) {
            return Err(why);
        }
        match question {
            Question::Counters => {
                let snapshot = self.sender.ask(Order::Counters).ok_or_else(ended)?;
                Ok(report::counters(&self.setup.name, &snapshot))
            }
            Question::Reset => {
                self.sender.ask(Order::Reset).ok_or_else(ended)?;
                Ok(json!({"done": "reset"}))
            }
            Question::Reload => self.reload().map(|()| json!({"done": "reload"})),
            Question::Stop => {
                self.sender.give(Order::Stop);
                Ok(json!({"done": "stop"}))
            }
            Question::Capture { file, drops_only } => {
                self.capture(file.as_deref().map(Path::new), drops_only)
            }
            Question::Note { file } => self.note(file.as_deref().map(Path::new)),
            Question::Change(asked) => self.change(&asked),
            Question::Announce { port, all } => self.announce(&port, all),
        }
    }

    /// Reads the config again and passes it to the switch.
    pub fn reload(&self) -> Result<(), String> {
        let setup = Box::new((self.reread)()?);
        same_doors(&self.setup, &setup)?;
        (self.sender.ask(|answer| Order::Reload(setup, answer)))
            .unwrap_or_else(|| Err("the switch is ending".into()))
    }

    /// Makes the switch apply a change, and answers with the number of frames dropped by it.
    fn change(&self, asked: &NetworkChange) -> Result<Value, String> {
        let change = self.named(asked)?;
        let lost = (self.sender.ask(|answer| Order::Change(change, answer)))
            .unwrap_or_else(|| Err("the switch is ending".into()))?;
        Ok(json!({"done": "change", "dropped": lost}))
    }

    /// Announces what the host behind a port will send, and answers with the number of connections.
    fn announce(&self, port: &str, all: Vec<Announced>) -> Result<Value, String> {
        let (port, many) = (self.port("announce", port)?, all.len());
        (self.sender.ask(|answer| Order::Announce(port, all, answer)))
            .unwrap_or_else(|| Err("the switch is ending".into()))?;
        Ok(json!({"done": "announce", "announced": many}))
    }

    /// Returns the number of a port. Names and numbers are fixed while the switch runs.
    fn port(&self, doing: &str, name: &str) -> Result<PortId, String> {
        let ports = &self.setup.ports;
        let found = ports.iter().position(|port| port.name == name);
        found.map(|index| PortId(index as u16)).ok_or_else(|| {
            let hint = suggest(name, ports.iter().map(|port| port.name.as_str()));
            format!("{doing}: port {name:?} is unknown{hint}")
        })
    }

    /// Replaces port names in a change by port numbers.
    fn named(&self, asked: &NetworkChange) -> Result<Change, String> {
        let port = |name: &String| self.port("change", name);
        let set = |names: &[String]| names.iter().map(port).collect::<Result<PortSet, String>>();
        Ok(match asked {
            NetworkChange::Rate { ports, rate } => Change::Rate(set(ports)?, *rate),
            NetworkChange::Link { ports, up: false } => Change::Down(set(ports)?),
            NetworkChange::Link { ports, up: true } => Change::Up(set(ports)?),
            NetworkChange::Ways { stations, detours } => {
                let way = |(mac, names): &(Mac, Vec<String>)| {
                    let ports = names.iter().map(port).collect::<Result<Vec<_>, String>>()?;
                    Ok((*mac, ports))
                };
                Change::Ways {
                    stations: stations
                        .iter()
                        .map(way)
                        .collect::<Result<Vec<_>, String>>()?,
                    detours: detours.as_deref().map(set).transpose()?,
                }
            }
        })
    }

    fn capture(&self, path: Option<&Path>, drops_only: bool) -> Result<Value, String> {
        let capture = match path {
            Some(path) => {
                let prepared = Prepared::open(path, true, &self.setup.ports)?;
                Some(prepared.start(drops_only, self.log.clone())?)
            }
            None => None,
        };
        let told = match capture {
            Some(_) => "started",
            None => "ended",
        };
        let before = self.sender.ask(|answer| Order::Capture(capture, answer));
        let (before, writing) = before.ok_or("the switch is ending")?;
        if let Some(writing) = writing {
            let _ = writing.join();
        }
        Ok(json!({
            "done": "capture",
            "capture": told,
            "before": {"kept": before.kept, "lost": before.lost},
        }))
    }
}

impl ControlHandler {
    /// Starts noting the events of segments, or writes the notes and ends.
    fn note(&self, path: Option<&Path>) -> Result<Value, String> {
        let notes = path.is_none().then(Notes::begin);
        let before = self.sender.ask(|answer| Order::Note(notes, answer));
        let before = before.ok_or("the switch is ending")?;
        let Some(path) = path else {
            return Ok(json!({"done": "note", "note": "started"}));
        };
        let before = before.ok_or(
            "note: no notes are being taken; first ask for them by {\"do\": \"note\"} without a \
             file",
        )?;
        let (notes, lost) = before.write(path)?;
        Ok(json!({"done": "note", "note": "ended", "notes": notes, "lost": lost}))
    }
}

/// Checks that a new config needs the same sockets and threads, which are made once.
fn same_doors(now: &Setup, then: &Setup) -> Result<(), String> {
    let interfaces = |setup: &Setup| -> Vec<(String, String, bool)> {
        let doors = setup.ports.iter();
        doors
            .map(|p| (p.name.clone(), p.interface.clone(), p.xdp))
            .collect()
    };
    let (old, new) = (interfaces(now), interfaces(then));
    if old != new {
        let changed = (new.iter()).find(|port| !old.contains(port));
        let what = match changed {
            Some((name, interface, _)) => format!("port {name:?} on interface {interface:?}"),
            None => format!("{} ports instead of {}", new.len(), old.len()),
        };
        return Err(format!("{what}: a change of ports needs a restart"));
    }
    if now.process != then.process || now.name != then.name {
        return Err("a change of name or [process] needs a restart".into());
    }
    Ok(())
}

/// Creates the socket at `path`, for its owner only. A socket that nobody answers at is replaced; any other
/// file is left alone, and is an error.
pub fn listen(path: &Path) -> Result<UnixListener, String> {
    let say = |e: std::io::Error| format!("process.control {}: {e}", path.display());
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(say)?;
    }
    // A link to a socket is not a socket: removing it would leave the socket behind.
    match std::fs::symlink_metadata(path) {
        Ok(there) if !there.file_type().is_socket() => {
            return Err(format!(
                "process.control {}: expected a socket or no file, got {}",
                path.display(),
                kind(there.file_type())
            ));
        }
        Ok(_) => match UnixStream::connect(path) {
            Ok(_) => {
                return Err(format!(
                    "process.control {}: another switch answers there",
                    path.display()
                ));
            }
            Err(e) if e.kind() == ErrorKind::ConnectionRefused => {
                std::fs::remove_file(path).map_err(say)?;
            }
            Err(_) => {}
        },
        Err(_) => {}
    }
    // SAFETY: plain calls; no other thread makes files at this time.
    let before = unsafe { libc::umask(0o177) };
    let listener = UnixListener::bind(path);
    // SAFETY: as above.
    unsafe { libc::umask(before) };
    listener.map_err(say)
}

/// Answers clients until the process ends.
pub fn serve(listener: &UnixListener, handler: &ControlHandler) {
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // For example too many open files: do not retry at once.
            std::thread::sleep(Duration::from_millis(100));
            continue;
        };
        if open.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS {
            open.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let (handler, counted) = (handler.clone(), Arc::clone(&open));
        let work = move || {
            let _ = converse(&stream, &handler);
            counted.fetch_sub(1, Ordering::Relaxed);
        };
        let thread = std::thread::Builder::new().name("control".into());
        if thread.spawn(work).is_err() {
            open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

fn converse(stream: &UnixStream, handler: &ControlHandler) -> std::io::Result<()> {
    stream.set_read_timeout(Some(IDLE))?;
    stream.set_write_timeout(Some(Duration::from_secs(5)))?;
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if (&mut reader).take(LINE).read_line(&mut line)? == 0 {
            return Ok(());
        }
        let whole = line.ends_with('\n') || (line.len() as u64) < LINE;
        let mut answer = match whole {
            true => handler.answer(&line).to_string(),
            false => json!({"error": too_long()}).to_string(),
        };
        answer.push('\n');
        (&mut &*stream).write_all(answer.as_bytes())?;
        if !whole {
            // Everything after this is the rest of the same line, and no request.
            return Ok(());
        }
    }
}

fn too_long() -> String {
    format!("expected a request of at most {LINE} bytes, got more")
}

/// Sends a request to the switch whose control socket is at `path`; `question` is JSON, or the word for `do`.
pub fn ask(path: &Path, question: &str) -> Result<Value, String> {
    let say = |e: std::io::Error| match e.kind() {
        ErrorKind::NotFound | ErrorKind::ConnectionRefused => {
            format!("no switch answers at {}: {e}", path.display())
        }
        _ => format!("control socket {}: {e}", path.display()),
    };
    let question = match question.trim_start().starts_with('{') {
        true => question.replace('\n', " "),
        false => json!({"do": question}).to_string(),
    };
    let mut stream = UnixStream::connect(path).map_err(say)?;
    (stream.set_read_timeout(Some(Duration::from_secs(10)))).map_err(say)?;
    (stream.write_all(format!("{question}\n").as_bytes())).map_err(say)?;
    let mut line = String::new();
    let mut answer = BufReader::new(stream).take(ANSWER);
    answer.read_line(&mut line).map_err(say)?;
    if answer.limit() == 0 && !line.ends_with('\n') {
        return Err(format!(
            "control socket {}: expected an answer of at most {ANSWER} bytes, got more",
            path.display()
        ));
    }
    let answer: Value = serde_json::from_str(&line).map_err(|e| {
        format!(
            "control socket {}: expected JSON, got another answer: {e}",
            path.display()
        )
    })?;
    match answer["error"].as_str() {
        Some(error) => Err(error.to_string()),
        None => Ok(answer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_a_socket_that_nobody_answers_at_is_replaced() {
        let room = tempfile::tempdir().unwrap();
        let at = |name: &str| room.path().join(name);
        std::fs::write(at("file"), "kept").unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        symlink(at("file"), at("link")).unwrap();
        for (name, got) in [
            ("file", "a file"),
            ("folder", "a folder"),
            ("link", "a symbolic link"),
        ] {
            let error = listen(&at(name)).unwrap_err();
            let expected = format!("expected a socket or no file, got {got}");
            assert!(error.contains(&expected), "{error}");
        }
        assert_eq!(std::fs::read_to_string(at("file")).unwrap(), "kept");
        let first = listen(&at("socket")).unwrap();
        let error = listen(&at("socket")).unwrap_err();
        assert!(error.contains("another switch answers"), "{error}");
        drop(first);
        listen(&at("socket")).unwrap();
    }
}
