//! Summary of a recording: its window, its network, its events by kind.

use crate::format::{Grid, count};
use serde_json::{Value, json};
use sidestep_lab::recorded::{EventKind, Head, KINDS, Reader, Refused, Tail};
use sidestep_types::Time;

/// Summary of a recording. To create one, every chunk is read and verified.
#[derive(Clone, Debug)]
pub struct RecordingSummary {
    file: String,
    bytes: usize,
    head: Head,
    tail: Tail,
    /// Drops by reason.
    drops: Vec<u64>,
    detours: u64,
    deflections: u64,
    marks: u64,
    trims: u64,
}

impl RecordingSummary {
    /// Summarises the recording called `file`.
    pub fn of(file: &str, reader: &Reader<'_>) -> Result<RecordingSummary, Refused> {
        reader.verify()?;
        let mut holds = RecordingSummary {
            file: file.into(),
            bytes: reader.bytes(),
            head: reader.head().clone(),
            tail: reader.tail().clone(),
            drops: vec![0; reader.head().reasons.len()],
            detours: 0,
            deflections: 0,
            marks: 0,
            trims: 0,
        };
        for i in 0..reader.chunks().len() {
            for event in reader.chunk(i)?.events {
                holds.add(&event.what);
            }
        }
        Ok(holds)
    }

    fn add(&mut self, what: &EventKind) {
        match *what {
            EventKind::Enqueue {
                port,
                wanted,
                changes,
                moved,
                ..
            } => {
                self.detours += u64::from(port != wanted);
                self.deflections += u64::from(port != wanted && moved == 1);
                self.marks += u64::from(changes & 1);
                self.trims += u64::from(changes >> 1 & 1);
            }
            EventKind::Drop { reason, .. } => {
                if let Some(drops) = self.drops.get_mut(usize::from(reason)) {
                    *drops += 1;
                }
            }
            _ => {}
        }
    }

    fn events(&self) -> u64 {
        self.tail.counts.iter().map(|crowd| crowd.events).sum()
    }

    /// Returns bytes an event of the whole file, its framing included; `None` without events.
    fn bytes_an_event(&self) -> Option<f64> {
        let events = self.events();
        (events > 0).then(|| (100.0 * self.bytes as f64 / events as f64).round() / 100.0)
    }

    /// Describes the recorded packets.
    fn packets_of(&self) -> &str {
        match self.head.packets.as_str() {
            "" => "all packets",
            some => some,
        }
    }

    /// Converts the summary to JSON.
    pub fn to_json(&self) -> Value {
        let counts = self.tail.counts.iter();
        let counts: serde_json::Map<String, Value> = counts
            .map(|crowd| (crowd.kind.clone(), crowd.events.into()))
            .collect();
        let drops = self.head.reasons.iter().zip(&self.drops);
        let drops: serde_json::Map<String, Value> = drops
            .map(|(reason, drops)| (reason.clone(), (*drops).into()))
            .collect();
        let network = &self.head.network;
        json!({
            "file": self.file,
            "bytes": self.bytes,
            "source": self.head.source,
            "scenario": self.head.scenario,
            "scheme": self.head.scheme,
            "seed": self.head.seed,
            "from_ps": self.head.from,
            "to_ps": self.tail.to,
            "window": self.head.window,
            "ended": self.tail.ended,
            "windows_of": self.head.flows,
            "packets_of": self.packets_of(),
            "left_out": self.tail.left_out.map(|left| json!({"flows": left.flows, "queries": left.queries})),
            "topology": network.kind,
            "hosts": network.nodes.iter().filter(|node| node.host).count(),
            "switches": network.nodes.iter().filter(|node| !node.host).count(),
            "links": network.links.len(),
            "packets": self.tail.packets,
            "flows": self.tail.flows.len(),
            "queries": self.tail.queries.len(),
            "chunks": self.tail.chunks.len(),
            "events": self.events(),
            "bytes_an_event": self.bytes_an_event(),
            "counts": counts,
            "detours": self.detours,
            "deflections": self.deflections,
            "marks": self.marks,
            "trims": self.trims,
            "drops": drops,
        })
    }

    /// Formats the summary for people.
    pub fn to_text(&self) -> String {
        let (head, tail) = (&self.head, &self.tail);
        let time = |ps| Time::from_ps(ps).to_string();
        let network = &head.network;
        let hosts = network.nodes.iter().filter(|node| node.host).count();
        let an_event = match self.bytes_an_event() {
            Some(bytes) => format!(", {bytes} bytes an event"),
            None => String::new(),
        };
        let mut out = format!(
            "{}: {} bytes{an_event}\n\
             {} by the {}, scheme {}, seed {}\n\
             from {} to {}: {}; it ends because {}\n\
             network: {}, {hosts} hosts, {} switches; {} flows, {} queries, {} packets ({}); \
             windows of {}\n\
             \n",
            self.file,
            count(self.bytes as u64),
            head.scenario,
            head.source,
            head.scheme,
            head.seed,
            time(head.from),
            time(tail.to),
            head.window,
            tail.ended,
            network.kind,
            network.nodes.len() - hosts,
            count(tail.flows.len() as u64),
            count(tail.queries.len() as u64),
            count(tail.packets),
            self.packets_of(),
            head.flows,
        );
        if let Some(left) = tail.left_out {
            out.push_str(&format!(
                "left out for lack of room: the last {} flows and {} queries by number\n\n",
                count(left.flows),
                count(left.queries)
            ));
        }
        let mut grid = Grid::default();
        grid.row(["event", "count"].map(String::from));
        grid.rule();
        for (kind, crowd) in KINDS.iter().zip(&tail.counts) {
            grid.row([kind.word().to_string(), count(crowd.events)]);
        }
        grid.rule();
        let own = [
            ("detoured", self.detours),
            ("deflected, of those", self.deflections),
            ("marked", self.marks),
            ("trimmed", self.trims),
        ];
        for (word, n) in own {
            grid.row([word.to_string(), count(n)]);
        }
        for (reason, drops) in head.reasons.iter().zip(&self.drops) {
            grid.row([format!("dropped: {reason}"), count(*drops)]);
        }
        out.push_str(&grid.render(&[]));
        out
    }
}
