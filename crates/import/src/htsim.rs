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
//! **Decision**     a flow list has no "after": connections that wait for a trigger are refused, or left out when
//!                  that is asked for. Connections that set off one trigger are a group: it is done when it fires.
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
        // Of the header: nodes, connections, triggers.
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
                    .drop("failures of links: say them as [[change]]", 1);
                Ok(())
            }
            "trigger" => {
                self.triggers += 1;
                Ok(())
            }
            "Grp" => {
                let expected = "connections of two nodes (groups of nodes are no flows)";
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
        mut words: impl Iterator<Item = &'w str>,
    ) -> Result<(), String> {
        let text = self.text;
        let Some((src, dst)) = ends.split_once("->") else {
            let expected = "Nodes, Connections, Triggers, SRC->DST, trigger or failure";
            return Err(text.error(line, expected, &shown(row)));
        };
        let Some(nodes) = self.said[0] else {
            return Err(text.error(
                line,
                "a line \"Nodes N\" before the first connection",
                &shown(row),
            ));
        };
        let node = |word: &str| -> Result<u32, String> {
            let number = word.parse::<u32>().ok().filter(|n| u64::from(*n) < nodes);
            number.ok_or_else(|| {
                text.error(
                    line,
                    &format!("a node below {nodes}, as Nodes says"),
                    &shown(word),
                )
            })
        };
        let mut flow = Flow {
            start: 0,
            src: node(src)?,
            dst: node(dst)?,
            size: None,
            class: None,
            group: None,
        };
        let (mut starts, mut waits) = (false, None);
        while let Some(key) = words.next() {
            if key == "addon" {
                let expected =
                    "start, size, id, trigger, send_done_trigger, recv_done_trigger or prio";
                return Err(text.error(line, expected, &shown(key)));
            }
            let value = words.next().unwrap_or_default();
            let digits = |expected: &str| {
                let read = value.parse::<u64>().ok();
                read.ok_or_else(|| text.error(line, expected, &shown(value)))
            };
            match key {
                "start" => {
                    let read = scaled(value, 0);
                    let (start, cut) = read
                        .ok_or_else(|| text.error(line, "a start in picoseconds", &shown(value)))?;
                    if cut {
                        let expected =
                            "a start in whole picoseconds (old versions wrote microseconds)";
                        return Err(text.error(line, expected, &shown(value)));
                    }
                    (flow.start, starts) = (start, true);
                }
                "size" => {
                    let size = digits("a size in bytes")?;
                    flow.size = (size > 0).then_some(size);
                }
                "id" => {
                    digits("a number of the connection")?;
                }
                "trigger" => waits = Some(digits("the number of a trigger")?),
                "send_done_trigger" | "recv_done_trigger" => {
                    let trigger = digits("the number of a trigger")?;
                    flow.group = Some(format!("trigger {trigger}"));
                }
                "prio" => {
                    digits("a priority")?;
                    self.out
                        .drop("priorities: Sidestep's queues have none of htsim's", 1);
                }
                _ => {
                    let expected =
                        "start, size, id, trigger, send_done_trigger, recv_done_trigger or prio";
                    return Err(text.error(line, expected, &shown(key)));
                }
            }
        }
        self.connections += 1;
        // What never ends sets off nothing.
        flow.group = flow.group.filter(|_| flow.size.is_some());
        match (waits, starts) {
            (None, false) => {
                return Err(text.error(line, "a start or a trigger", &shown(row)));
            }
            (Some(_), true) => {
                return Err(text.error(line, "a start or a trigger, not both", &shown(row)));
            }
            (Some(_), false) if self.options.drop_triggered => {
                self.out.drop("connections that wait for a trigger", 1);
            }
            (Some(trigger), false) => {
                let expected = "connections with a start: a flow list has no \"after\" \
                                (--drop-triggered leaves out those that wait)";
                let got = format!("one that waits for trigger {trigger}");
                return Err(text.error(line, expected, &got));
            }
            (None, true) => self.flows.push(flow),
        }
        Ok(())
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
            "The matrix is for {nodes} nodes: the topology needs as many hosts"
        ));
        if flows.iter().any(|flow| flow.group.is_some()) {
            out.note("Connections that set off one trigger are a group");
        }
        flows::write(flows, options, &mut out)?;
        Ok(out)
    }
}
