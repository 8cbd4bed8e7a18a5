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
//!                  request. Connections that set off the same trigger are a group, which is done when it
//!                  fires.
//! **Units**        starts in picoseconds, sizes in bytes; size 0 is a connection without an end.

use crate::flows::{self, Flow};
use crate::lines::{Text, shown};
use crate::number::scaled;
use crate::{Imported, Options};

/// Reads a matrix as flows.
pub fn import(name: &str, bytes: &[u8], options: &Options) -> Result<Imported, String> {
    let text = Text::read(name, bytes)?;
    let mut reader = Reader {
        text: &text,
        options,
        out: Imported::default(),
        flows: Vec::new(),
        // Counts in the header: nodes, connections, triggers.
        said: [None; 3],
        connections: 0,
        triggers: 0,
    };
    let mut last = 1;
    for (line, row) in text.lines() {
        last = line;
        reader.row(line, row)?;
    }
    reader.finish(last)
}

struct Reader<'a> {
    text: &'a Text<'a>,
    options: &'a Options,
    out: Imported,
    flows: Vec<Flow>,
    said: [Option<u64>; 3],
    connections: u64,
    triggers: u64,
}

/// Keys and values of a connection, after its nodes.
#[derive(Default)]
struct Connection {
    start: Option<u128>,
    size: Option<u64>,
    /// Trigger that starts the connection.
    waits: Option<u64>,
    /// Trigger that the end of the connection sets off.
    sets_off: Option<u64>,
}

const HEAD: [&str; 3] = ["Nodes", "Connections", "Triggers"];

impl Reader<'_> {
    fn row(&mut self, line: usize, row: &str) -> Result<(), String> {
        let text = self.text;
        let mut words = row.split_whitespace();
        let first = words.next().unwrap_or_default();
        if let Some(which) = HEAD.iter().position(|head| *head == first) {
            let number = words.next().and_then(|word| word.parse().ok());
            let number = number
                .ok_or_else(|| text.error(line, &format!("{first} and a number"), &shown(row)))?;
            self.said[which] = Some(number);
            return Ok(());
        }
        match first {
            "Failures" => Ok(()),
            "failure" => {
                self.out
                    .drop("link failures: write them as [[change]] in the scenario", 1);
                Ok(())
            }
            "trigger" => {
                self.triggers += 1;
                Ok(())
            }
            "Grp" => {
                let expected = "a connection between two nodes (groups of nodes are not supported)";
                Err(text.error(line, expected, &shown(row)))
            }
            _ => self.connection(line, row, first, words),
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
        let Connection {
            start,
            size,
            waits,
            sets_off,
        } = self.keys(line, words)?;
        self.connections += 1;
        let wrong = |expected: &str, got: &str| Err(self.text.error(line, expected, got));
        match (waits, start) {
            (None, None) => wrong("a start or a trigger", &shown(row)),
            (Some(_), Some(_)) => wrong("a start or a trigger, not both", &shown(row)),
            (Some(_), None) if self.options.drop_triggered => {
                self.out.drop("connections that wait for a trigger", 1);
                Ok(())
            }
            (Some(trigger), None) => wrong(
                "a connection with a start: a flow list cannot wait for a trigger \
                 (--drop-triggered leaves such connections out)",
                &format!("one that waits for trigger {trigger}"),
            ),
            (None, Some(start)) => {
                // A connection that never ends sets off no trigger.
                let sets_off = sets_off.filter(|_| size.is_some());
                self.flows.push(Flow {
                    start,
                    src,
                    dst,
                    size,
                    class: None,
                    group: sets_off.map(|trigger| format!("trigger {trigger}")),
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
                "Nodes, Connections, Triggers, SRC->DST, trigger or failure",
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
        mut words: impl Iterator<Item = &'w str>,
    ) -> Result<Connection, String> {
        let text = self.text;
        let mut read = Connection::default();
        while let Some(key) = words.next() {
            let wrong = |expected: &str, got: &str| text.error(line, expected, &shown(got));
            let unknown = || {
                wrong(
                    "start, size, id, trigger, send_done_trigger, recv_done_trigger or prio",
                    key,
                )
            };
            if key == "addon" {
                return Err(unknown());
            }
            let value = words.next().unwrap_or_default();
            let digits = |expected: &str| {
                let read = value.parse::<u64>().ok();
                read.ok_or_else(|| wrong(expected, value))
            };
            match key {
                "start" => {
                    let (start, cut) =
                        scaled(value, 0).ok_or_else(|| wrong("a start in picoseconds", value))?;
                    if cut {
                        let expected =
                            "a start in whole picoseconds (old versions wrote microseconds)";
                        return Err(wrong(expected, value));
                    }
                    read.start = Some(start);
                }
                "size" => read.size = Some(digits("a size in bytes")?).filter(|size| *size > 0),
                "id" => drop(digits("a number of the connection")?),
                "trigger" => read.waits = Some(digits("the number of a trigger")?),
                "send_done_trigger" | "recv_done_trigger" => {
                    read.sets_off = Some(digits("the number of a trigger")?);
                }
                "prio" => {
                    digits("a priority")?;
                    self.out.drop(
                        "priorities: Sidestep's queues do not have htsim's priorities",
                        1,
                    );
                }
                _ => return Err(unknown()),
            }
        }
        Ok(read)
    }

    fn finish(self, last: usize) -> Result<Imported, String> {
        let Reader {
            text,
            options,
            mut out,
            flows,
            said,
            connections,
            triggers,
        } = self;
        let found = [None, Some(connections), Some(triggers)];
        for ((head, said), found) in HEAD.iter().zip(said).zip(found) {
            if let Some(found) = found
                && said.unwrap_or(0) != found
            {
                let expected = format!(
                    "{} {}, as the header says",
                    said.unwrap_or(0),
                    head.to_lowercase()
                );
                return Err(text.error(last, &expected, &found.to_string()));
            }
        }
        let Some(nodes) = said[0] else {
            return Err(text.error(last, "a line \"Nodes N\"", "none"));
        };
        out.read("connections", connections);
        out.note(format!(
            "The matrix is for {nodes} nodes: the topology must have at least as many hosts"
        ));
        if flows.iter().any(|flow| flow.group.is_some()) {
            out.note("Connections that set off the same trigger form a group");
        }
        flows::write(flows, options, &mut out)?;
        Ok(out)
    }
}
