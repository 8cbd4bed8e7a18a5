//! Connection matrices of htsim.
//!
//! ```text
//! Nodes 16
//! Connections 2
//! 0->3 id 1 start 0 size 2000000 send_done_trigger 1
//! 1->3 id 2 trigger 1 size 2000000
//! trigger id 1 oneshot
//! ```
//!
//! **Decision**     a flow list has no "after": connections that wait for a trigger are refused, or left out on
//!                  request. Connections that all have to end before a barrier fires are a group, which is done
//!                  when it fires; a oneshot or multishot trigger fires at the end of one connection, so it
//!                  makes no group. Messages of a connection (`msg`) are flows.
//! **Units**        starts in picoseconds, sizes in bytes; size 0 is a connection without an end.
//! **Errors**       each word of the grammar is read or refused by its name.
//! **Source**       `connection_matrix.cpp` and `trigger.cpp` of Broadcom's and Ultra Ethernet's htsim.

use crate::counts::counted;
use crate::flows::{self, Flow};
use crate::lines::{Text, shown};
use crate::number::scaled;
use crate::{Imported, Options};
use std::collections::{BTreeMap, BTreeSet};

/// Reads a matrix as flows.
pub fn import(name: &str, bytes: &[u8], options: &Options) -> Result<Imported, String> {
    let text = Text::read(name, bytes)?;
    let mut reader = Reader {
        text: &text,
        options,
        in_us: in_microseconds(options)?,
        out: Imported::default(),
        // Counts in the header: nodes, connections, triggers, failures.
        said: [None; 4],
        failures: 0,
        connections: Vec::new(),
        triggers: BTreeMap::new(),
    };
    let mut last = 1;
    for (line, row) in text.lines() {
        last = line;
        reader.row(line, row)?;
    }
    reader.finish(last)
}

/// Returns true if `--columns start_us=start` says that starts are microseconds, as htsim itself saves them.
fn in_microseconds(options: &Options) -> Result<Option<bool>, String> {
    let Some(columns) = &options.columns else {
        return Ok(None);
    };
    match columns.pairs()?[..] {
        [("start_us", "start")] => Ok(Some(true)),
        [("start_ps", "start")] => Ok(Some(false)),
        _ => {
            let got = shown(&columns.said());
            Err(format!(
                "--columns: expected start_us=start or start_ps=start, got {got}"
            ))
        }
    }
}

struct Reader<'a> {
    text: &'a Text<'a>,
    options: &'a Options,
    /// Unit of starts, if it was chosen: true for microseconds.
    in_us: Option<bool>,
    out: Imported,
    said: [Option<u64>; 4],
    failures: u64,
    connections: Vec<Connection>,
    triggers: BTreeMap<u64, Kind>,
}

/// Connection or message.
#[derive(Default)]
struct Connection {
    line: usize,
    src: u32,
    dst: u32,
    start: Option<u128>,
    /// Bytes; `None` for a connection without an end.
    size: Option<u64>,
    sized: bool,
    is_message: bool,
    /// Trigger that starts the connection.
    waits: Option<u64>,
    /// Triggers that the end of the connection sets off, at its sender and at its receiver.
    sets_off: [Option<u64>; 2],
}

/// Kind of a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Fires once, when the first connection ends.
    Oneshot,
    /// Fires whenever a connection ends.
    Multishot,
    /// Fires when so many connections have ended.
    Barrier(u64),
}

const HEAD: [&str; 4] = ["Nodes", "Connections", "Triggers", "Failures"];

/// Returns true for the first word of a matrix.
pub fn is_head(word: &str) -> bool {
    HEAD.contains(&word)
}

/// Words of forks of htsim with a meaning that a flow does not have.
const OF_FORKS: [&str; 4] = ["demand", "admitted", "rate", "addon"];

impl Reader<'_> {
    fn row(&mut self, line: usize, row: &str) -> Result<(), String> {
        let text = self.text;
        let mut words = row.split_whitespace();
        let first = words.next().unwrap_or_default();
        if let Some(which) = HEAD.iter().position(|head| *head == first) {
            let number = words.next().and_then(|word| word.parse().ok());
            let number = number.filter(|_| words.next().is_none());
            let number = number
                .ok_or_else(|| text.error(line, &format!("{first} and a number"), &shown(row)))?;
            if self.said[which].replace(number).is_some() {
                return Err(text.error(line, &format!("one line of {first}"), "a second one"));
            }
            return Ok(());
        }
        match first {
            "failure" => self.failure(line, words),
            "trigger" => self.trigger(line, row, words),
            "Grp" => {
                let expected = "a connection between two nodes (groups of nodes are not supported)";
                Err(text.error(line, expected, &shown(row)))
            }
            _ => self.connection(line, row, first, words),
        }
    }

    /// Reads a link failure, which is counted and left out.
    fn failure<'w>(
        &mut self,
        line: usize,
        mut words: impl Iterator<Item = &'w str>,
    ) -> Result<(), String> {
        while let Some(key) = words.next() {
            let value = words.next().unwrap_or_default();
            let (fits, expected) = match key {
                "switch_type" => (["TOR", "AGG", "CORE"].contains(&value), "TOR, AGG or CORE"),
                "switch_id" | "link_id" => (value.parse::<u32>().is_ok(), "a number"),
                _ => {
                    let expected = "switch_type, switch_id or link_id";
                    return Err(self.text.error(line, expected, &shown(key)));
                }
            };
            if !fits {
                let expected = format!("{expected} after {key}");
                return Err(self.text.error(line, &expected, &shown(value)));
            }
        }
        self.failures += 1;
        let what = "link failures: write them as [[change]] in the scenario";
        self.out.drop(what, 1);
        Ok(())
    }

    /// Reads `trigger id 1 barrier count 2`.
    fn trigger<'w>(
        &mut self,
        line: usize,
        row: &str,
        mut words: impl Iterator<Item = &'w str>,
    ) -> Result<(), String> {
        let text = self.text;
        let (mut id, mut kind, mut count) = (None, None, None);
        while let Some(key) = words.next() {
            let mut number = |least: u64| {
                let word = words.next().unwrap_or_default();
                let read = word.parse().ok().filter(|n| *n >= least);
                let expected = format!("a number from {least} on after {key}");
                read.ok_or_else(|| text.error(line, &expected, &shown(word)))
            };
            let named = match key {
                "id" => {
                    id = Some(number(1)?);
                    continue;
                }
                "count" => {
                    count = Some(number(1)?);
                    continue;
                }
                "oneshot" => Kind::Oneshot,
                "multishot" => Kind::Multishot,
                "barrier" => Kind::Barrier(0),
                _ => {
                    let expected = "id, oneshot, multishot, barrier or count";
                    return Err(text.error(line, expected, &shown(key)));
                }
            };
            if kind.replace(named).is_some() {
                return Err(text.error(line, "one of oneshot, multishot and barrier", &shown(row)));
            }
        }
        let (Some(id), Some(mut kind)) = (id, kind) else {
            let expected = "a trigger with an id and a kind: oneshot, multishot or barrier";
            return Err(text.error(line, expected, &shown(row)));
        };
        match (&mut kind, count) {
            (Kind::Barrier(many), Some(count)) => *many = count,
            (Kind::Barrier(_), None) => {
                return Err(text.error(line, "a barrier with a count", &shown(row)));
            }
            (_, Some(_)) => return Err(text.error(line, "a count of a barrier only", &shown(row))),
            _ => {}
        }
        match self.triggers.insert(id, kind) {
            None => Ok(()),
            Some(_) => Err(text.error(line, "each trigger once", &shown(row))),
        }
    }

    fn connection<'w>(
        &mut self,
        line: usize,
        row: &str,
        ends: &str,
        words: impl Iterator<Item = &'w str>,
    ) -> Result<(), String> {
        let (src, dst) = self.ends(line, row, ends)?;
        let read = self.keys(line, words)?;
        let wrong = |expected: &str, got: &str| Err(self.text.error(line, expected, got));
        match (read.waits, read.start) {
            (None, None) => wrong("a start or a trigger", &shown(row)),
            (Some(_), Some(_)) => wrong("a start or a trigger, not both", &shown(row)),
            (Some(trigger), None) if !self.options.drop_triggered => wrong(
                "a connection with a start: a flow list cannot wait for a trigger \
                 (--drop-triggered leaves such connections out)",
                &format!("one that waits for trigger {trigger}"),
            ),
            _ => {
                self.connections.push(Connection {
                    line,
                    src,
                    dst,
                    ..read
                });
                Ok(())
            }
        }
    }

    /// Reads the two nodes of `SRC->DST`.
    fn ends(&self, line: usize, row: &str, ends: &str) -> Result<(u32, u32), String> {
        let wrong = |expected: &str, got: &str| self.text.error(line, expected, &shown(got));
        let (src, dst) = ends.split_once("->").ok_or_else(|| {
            wrong(
                "Nodes, Connections, Triggers, Failures, SRC->DST, trigger or failure",
                row,
            )
        })?;
        let nodes = self.said[0]
            .ok_or_else(|| wrong("a line \"Nodes N\" before the first connection", row))?;
        let node = |word: &str| {
            let number = word.parse::<u32>().ok().filter(|n| u64::from(*n) < nodes);
            number.ok_or_else(|| wrong(&format!("a node below {nodes}, as Nodes says"), word))
        };
        Ok((node(src)?, node(dst)?))
    }

    /// Reads the keys and values after the two nodes.
    fn keys<'w>(
        &mut self,
        line: usize,
        words: impl Iterator<Item = &'w str>,
    ) -> Result<Connection, String> {
        let text = self.text;
        let mut words = words.peekable();
        let mut read = Connection::default();
        while let Some(key) = words.next() {
            let wrong = |expected: &str, got: &str| text.error(line, expected, &shown(got));
            if key == "msg" {
                read.is_message = true;
                // The number of the message may be left out.
                words.next_if(|word| word.bytes().all(|b| b.is_ascii_digit()));
                continue;
            }
            if OF_FORKS.contains(&key) {
                let expected =
                    "a connection of htsim: this word of a fork has no counterpart in a flow list";
                return Err(wrong(expected, key));
            }
            let value = words.next().unwrap_or_default();
            let digits = |expected: &str| {
                let read = value.parse::<u64>().ok();
                read.ok_or_else(|| wrong(expected, value))
            };
            match key {
                "start" => read.start = Some(self.start(line, value)?),
                "size" => {
                    read.sized = true;
                    read.size = Some(digits("a size in bytes")?).filter(|size| *size > 0);
                }
                "id" => drop(digits("a number of the connection")?),
                "trigger" => read.waits = Some(digits("the number of a trigger")?),
                "send_done_trigger" => {
                    read.sets_off[0] = Some(digits("the number of a trigger")?);
                }
                "recv_done_trigger" => {
                    read.sets_off[1] = Some(digits("the number of a trigger")?);
                }
                "prio" => {
                    digits("a priority")?;
                    self.out.drop(
                        "priorities: Sidestep's queues do not have htsim's priorities",
                        1,
                    );
                }
                _ => {
                    let expected = "start, size, id, msg, trigger, send_done_trigger, recv_done_trigger or prio";
                    return Err(wrong(expected, key));
                }
            }
        }
        Ok(read)
    }

    /// Reads a start. With a point it can be of picoseconds, or of microseconds as htsim saves it.
    fn start(&self, line: usize, value: &str) -> Result<u128, String> {
        let wrong = |expected: &str| self.text.error(line, expected, &shown(value));
        let digits = if self.in_us == Some(true) { 6 } else { 0 };
        let (start, cut) = scaled(value, digits).ok_or_else(|| wrong("a start in picoseconds"))?;
        if cut {
            return Err(wrong(
                "a start in whole picoseconds (for one in microseconds: --columns start_us=start)",
            ));
        }
        if start > 0 && self.in_us.is_none() && value.contains('.') {
            return Err(wrong(
                "a start without a point: htsim reads picoseconds and saves microseconds (--columns \
                 start_us=start or start_ps=start chooses)",
            ));
        }
        Ok(start)
    }

    /// Compares the counts in the header with those of the lines, and finds the triggers that are named.
    fn check(&self, last: usize) -> Result<u64, String> {
        let text = self.text;
        let found = [
            None,
            Some(self.connections.len() as u64),
            Some(self.triggers.len() as u64),
            Some(self.failures),
        ];
        for ((head, said), found) in HEAD.iter().zip(self.said).zip(found) {
            let said = said.unwrap_or(0);
            if let Some(found) = found
                && said != found
            {
                let expected = format!("{said} {}, as the header says", head.to_lowercase());
                return Err(text.error(last, &expected, &found.to_string()));
            }
        }
        for of in &self.connections {
            let named = of.sets_off.into_iter().chain([of.waits]).flatten();
            for trigger in named {
                if !self.triggers.contains_key(&trigger) {
                    let got = format!("none for trigger {trigger}");
                    return Err(text.error(of.line, "a line \"trigger id N …\"", &got));
                }
            }
        }
        self.said[0].ok_or_else(|| text.error(last, "a line \"Nodes N\"", "none"))
    }

    fn finish(mut self, last: usize) -> Result<Imported, String> {
        let nodes = self.check(last)?;
        self.out.read("connections", self.connections.len() as u64);
        self.out.note(format!(
            "The matrix is for {nodes} nodes: the topology must have at least as many hosts"
        ));
        self.out.note(match self.in_us {
            Some(true) => "Starts are read in microseconds, as --columns says",
            _ => "Starts are read in picoseconds, as htsim does",
        });
        let messages = self.connections.iter().filter(|of| of.is_message).count();
        if messages > 0 {
            self.out.note(format!(
                "{}; htsim sends those with the same id over one connection",
                counted(messages as u64, "messages (msg) are read as a flow each")
            ));
        }
        let no_size = self.connections.iter().filter(|of| !of.sized).count();
        if no_size > 0 {
            self.out.note(counted(
                no_size as u64,
                "connections are read as without an end: they name no size",
            ));
        }
        let groups = self.groups();
        let mut flows = Vec::with_capacity(self.connections.len());
        for of in &self.connections {
            let Some(start) = of.start else {
                self.out.drop("connections that wait for a trigger", 1);
                continue;
            };
            let group = of
                .sets_off
                .into_iter()
                .flatten()
                .find(|id| groups.contains(id));
            flows.push(Flow {
                start,
                src: of.src,
                dst: of.dst,
                size: of.size,
                class: None,
                group: group
                    .filter(|_| of.size.is_some())
                    .map(|id| format!("trigger {id}")),
            });
        }
        flows::write(flows, self.options, &mut self.out)?;
        Ok(self.out)
    }

    /// Returns the barriers whose connections all have a start, and which fire when the last of them ends.
    fn groups(&mut self) -> BTreeSet<u64> {
        // Times each trigger is set off, and true if all these connections have a start. A connection without an
        // end sets off no trigger.
        let mut set_off: BTreeMap<u64, (u64, bool)> = BTreeMap::new();
        for of in self.connections.iter().filter(|of| of.size.is_some()) {
            for id in of.sets_off.into_iter().flatten() {
                let (times, started) = set_off.entry(id).or_insert((0, true));
                *times += 1;
                *started &= of.start.is_some();
            }
        }
        let mut groups = BTreeSet::new();
        let (mut single, mut partial) = (0, 0);
        for (id, kind) in &self.triggers {
            let Some((times, started)) = set_off.get(id) else {
                continue;
            };
            match kind {
                Kind::Oneshot | Kind::Multishot => single += 1,
                Kind::Barrier(many) if many == times && *started => {
                    groups.insert(*id);
                }
                Kind::Barrier(_) => partial += 1,
            }
        }
        if !groups.is_empty() {
            self.out
                .note("Connections that must all end before a barrier fires form a group");
        }
        if single > 0 {
            self.out.note(format!(
                "{} at the end of one connection",
                counted(
                    single as u64,
                    "oneshot or multishot triggers make no group: they fire"
                )
            ));
        }
        if partial > 0 {
            self.out.note(format!(
                "{} for fewer or more connections than have a start and set them off",
                counted(partial as u64, "barriers make no group: they wait")
            ));
        }
        groups
    }
}
