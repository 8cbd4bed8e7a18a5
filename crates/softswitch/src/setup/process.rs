//! `[process]`: settings of the process around the switch.

use super::tables::table;
use super::{ProcessSetup, RunAs};
use sidestep_config::document::Table;
use sidestep_config::problem::{At, Problems};
use sidestep_config::section::section;
use sidestep_types::{Param, ParamUnit, Time};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Word for "without".
pub(super) const NONE: &str = "none";

/// Longest useful polling: beyond the time that sleeping takes, polling gains nothing.
const LONGEST_POLL: Time = Time::from_ms(1);

/// Word for "keep the present user".
pub(super) const KEEP: &str = "keep";

/// Word for "any unprivileged user".
pub(super) const AUTO: &str = "auto";

pub(super) const PROCESS: &[Param] = &[
    Param::with_default(
        "control",
        ParamUnit::File,
        NONE,
        "path of the Unix socket for control and counters",
    )
    .or_off(NONE),
    Param::with_default(
        "metrics",
        ParamUnit::File,
        NONE,
        "loopback address and port of the metrics endpoint for Prometheus",
    )
    .or_off(NONE),
    Param::with_default(
        "user",
        ParamUnit::File,
        AUTO,
        "user that the process becomes once its sockets are open: a name or number; auto: the user \
         sidestep if it exists, else a free number",
    )
    .or_off(KEEP),
    Param::with_default(
        "seccomp",
        ParamUnit::Flag,
        "true",
        "end the process at a system call that a running switch does not need; with user = \
         \"keep\" all are allowed",
    ),
    Param::with_default(
        "realtime",
        ParamUnit::Flag,
        "true",
        "run with SCHED_FIFO if the kernel allows it",
    ),
    Param::with_default(
        "wait",
        ParamUnit::Word(&["sleep", "busy"]),
        "sleep",
        "sleep in ppoll until the next departure, or poll all the time",
    ),
    Param::with_default(
        "poll",
        ParamUnit::Time,
        "50 us",
        "with wait = \"sleep\": time of polling after the last frame and before the next departure",
    ),
    Param::with_default(
        "capture",
        ParamUnit::File,
        NONE,
        "file to which frames and their events are written (pcapng)",
    )
    .or_off(NONE),
    Param::with_default(
        "capture_only",
        ParamUnit::Word(&["all", "drops"]),
        "drops",
        "capture all frames, or only drops, detours and trims",
    ),
];

/// Reads `[process]`.
pub(super) fn process(root: &Table, at: &At, problems: &mut Problems) -> Option<ProcessSetup> {
    let (table, at) = table(root, "process", at, problems)?;
    let resolved = section("process", PROCESS, &[], &table, &at, problems)?;
    let values = &resolved.values;
    let path = |key| values.word_or_off(key).map(PathBuf::from);
    let place = |key: &str| {
        resolved
            .places
            .get(&format!("process.{key}"))
            .unwrap_or(&at)
    };
    let metrics = match values.word_or_off("metrics") {
        None => None,
        Some(text) => match loopback(&text) {
            Ok(address) => Some(address),
            Err(message) => {
                problems.add(place("metrics"), format!("process.metrics: {message}"));
                None
            }
        },
    };
    for key in ["control", "user", "capture"] {
        if values.word_or_off(key).is_some_and(|word| word.is_empty()) {
            problems.add(place(key), format!("process.{key} is empty"));
        }
    }
    let busy = values.word("wait") == "busy";
    let poll = values.time("poll");
    if let Some(at) = resolved.places.get("process.poll") {
        if busy {
            let why = "has no effect: wait = \"busy\" polls all the time";
            problems.add(at, format!("process.poll {why}"));
        }
        if poll > LONGEST_POLL {
            let why = format!("expected at most {LONGEST_POLL}, got {poll}");
            problems.add(at, format!("process.poll: {why}"));
        }
    }
    Some(ProcessSetup {
        control: path("control"),
        metrics,
        user: (values.word_or_off("user")).map_or(RunAs::Keep, |word| RunAs::from_word(&word)),
        seccomp: values.flag("seccomp"),
        realtime: values.flag("realtime"),
        busy,
        poll: if busy { Time::ZERO } else { poll },
        capture: path("capture"),
        capture_drops_only: values.word("capture_only") == "drops",
    })
}

fn loopback(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr = text.parse().map_err(|_| {
        format!("expected an address and a port like \"127.0.0.1:9470\", got {text:?}")
    })?;
    if !address.ip().is_loopback() {
        return Err(format!(
            "expected an address of the loopback, got {}: counters are for this machine alone",
            address.ip()
        ));
    }
    Ok(address)
}
