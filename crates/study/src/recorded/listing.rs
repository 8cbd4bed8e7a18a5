//! Events of a switch or a packet in a window of time, as text or JSON, for tests and for users without a
//! browser.

use crate::format::count;
use crate::trace::{packet_id, parse_packet_id};
use serde_json::{Value, json};
use sidestep_lab::recorded::{
    Cause, Event, EventKind, Packet, PacketFlags, Reader, Refused, State,
};
use sidestep_types::Time;

/// Filter for events.
#[derive(Clone, Debug)]
pub struct EventFilter {
    /// Events at this switch or host, by name.
    pub node: Option<String>,
    /// Events of this packet: its host and its number there, as `100:3`.
    pub packet: Option<String>,
    /// From the first instant to before the second.
    pub during: (Time, Time),
    /// Maximum number of events.
    pub most: usize,
}

/// Events found, one line each.
#[derive(Clone, Debug)]
pub struct Listing {
    rows: Vec<(u64, Value, String)>,
    /// True if there were more events.
    more: bool,
}

/// Lists the events that match `about`. Errors name what does not exist.
pub fn list(reader: &Reader<'_>, about: &EventFilter) -> Result<Listing, String> {
    let refused = |e: Refused| e.to_string();
    let nodes = &reader.head().network.nodes;
    let node = match &about.node {
        None => None,
        Some(name) => Some(
            nodes
                .iter()
                .position(|node| node.name == *name)
                .ok_or_else(|| {
                    let all = nodes.iter().map(|node| node.name.as_str());
                    format!(
                        "expected a switch or host of the recording, got {name:?}{}",
                        sidestep_lab::suggest(name, all)
                    )
                })? as u32,
        ),
    };
    let packet = match &about.packet {
        None => None,
        Some(text) => Some(parse_packet_id(text).ok_or_else(|| {
            format!("expected a host and a packet number like 100:3, got {text:?}")
        })?),
    };
    let (from, to) = (about.during.0.ps(), about.during.1.ps());
    let mut listing = Listing {
        rows: Vec::new(),
        more: false,
    };
    for i in reader.chunk_at(from)..reader.chunks().len() {
        if reader.chunks()[i].from >= to || listing.more {
            break;
        }
        let chunk = reader.chunk(i).map_err(refused)?;
        let mut state = chunk.state;
        for (at, event) in chunk.events.iter().enumerate() {
            state
                .apply(event)
                .map_err(|why| format!("event {at} of chunk {i}: {why}"))?;
            if event.at < from || event.at >= to {
                continue;
            }
            let told = ListedEvent::of(reader, &state, event);
            let of_node = node.is_none_or(|node| told.node == Some(node));
            let of_packet =
                packet.is_none_or(|id| told.packet.is_some_and(|packet| number(packet) == id));
            if !of_node || !of_packet {
                continue;
            }
            if listing.rows.len() == about.most {
                listing.more = true;
                break;
            }
            listing.rows.push((event.at, told.to_json(), told.words()));
        }
    }
    Ok(listing)
}

impl Listing {
    /// Converts the events to JSON.
    pub fn to_json(&self) -> Value {
        let rows: Vec<&Value> = self.rows.iter().map(|row| &row.1).collect();
        json!({"events": rows, "more": self.more})
    }

    /// Formats the events for people.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for (at, _, words) in &self.rows {
            let at = Time::from_ps(*at).to_string();
            out.push_str(&format!("{at:>18}  {words}\n"));
        }
        match (self.rows.len(), self.more) {
            (0, _) => out.push_str("no such event is recorded\n"),
            (n, true) => out.push_str(&format!(
                "only the first {} are listed; --most N lists more\n",
                count(n as u64)
            )),
            _ => {}
        }
        out
    }
}

/// Returns the number that a packet's host gave it.
fn number(packet: &Packet) -> u64 {
    match packet.number {
        Packet::NO_NUMBER => u64::MAX,
        number => u64::from(packet.host) << 32 | number,
    }
}

/// Event with its node, port, packet and queue.
struct ListedEvent<'a> {
    reader: &'a Reader<'a>,
    event: &'a Event,
    /// Node at which it takes place, if there is one.
    node: Option<u32>,
    port: Option<u32>,
    packet: Option<&'a Packet>,
    /// Packets and bytes queued at its port, after the event.
    depth: Option<(u32, u64)>,
}

impl<'a> ListedEvent<'a> {
    fn of(reader: &'a Reader<'a>, state: &'a State, event: &'a Event) -> ListedEvent<'a> {
        let port = event.port();
        let id = match event.what {
            EventKind::Send { .. } => state.next().checked_sub(1),
            _ => event.packet(),
        };
        let link = port.and_then(|port| reader.head().network.links.get(port as usize));
        let flows = &reader.tail().flows;
        let node = match event.what {
            EventKind::Send { host, .. } => Some(host),
            EventKind::Window { flow, .. } => flows.iter().find(|f| f.id == flow).map(|f| f.src),
            EventKind::Deliver { packet } => state.packet(packet).and_then(|packet| {
                let flow = flows.iter().find(|flow| flow.id == packet.flow)?;
                let answers = ["ack", "syn_ack"].contains(&PacketFlags(packet.says).kind());
                Some(if answers { flow.src } else { flow.dst })
            }),
            _ => link.map(|link| link.from),
        };
        ListedEvent {
            reader,
            event,
            node,
            port,
            packet: id.and_then(|id| state.packet(id)),
            depth: port.map(|port| state.depth(port)),
        }
    }

    fn name(&self, node: u32) -> &str {
        let nodes = &self.reader.head().network.nodes;
        nodes
            .get(node as usize)
            .map_or("a node", |node| node.name.as_str())
    }

    /// Formats a port: `agg 0.1 port 3 to core 2`, or `host 5`.
    fn place(&self, port: u32) -> String {
        match self.reader.head().network.links.get(port as usize) {
            None => format!("port {port}"),
            Some(link) => format!(
                "{} port {} to {}",
                self.name(link.from),
                link.port,
                self.name(link.to)
            ),
        }
    }

    fn packet_id(&self) -> Option<String> {
        let packet = self.packet?;
        Some(match number(packet) {
            u64::MAX => format!("sent by host {} before the recording", packet.host),
            number => packet_id(number),
        })
    }

    fn to_json(&self) -> Value {
        let kind = self.event.what.kind();
        let mut out = json!({"at_ps": self.event.at, "event": kind.word()});
        let mut values = Vec::new();
        self.event.what.each(|value| values.push(value));
        for (field, value) in kind.fields().iter().zip(values) {
            out[*field] = value.into();
        }
        if let Some(id) = self.packet_id() {
            out["id"] = id.into();
        }
        if let Some(node) = self.node {
            out["node"] = self.name(node).into();
        }
        if let Some((packets, bytes)) = self.depth {
            out["queue_packets"] = packets.into();
            out["queue_bytes"] = bytes.into();
        }
        out
    }

    fn words(&self) -> String {
        let what = self.event.what;
        let place = self.port.map(|port| self.place(port)).unwrap_or_default();
        let packet = match (self.packet, self.packet_id()) {
            (Some(packet), Some(id)) => {
                let says = PacketFlags(packet.says);
                let again = if says.again() { " again" } else { "" };
                format!(
                    "packet {id}, {}{again} {} of flow {}",
                    says.kind(),
                    packet.seq,
                    packet.flow
                )
            }
            _ => String::new(),
        };
        let queue = match self.depth {
            Some((packets, bytes)) => {
                format!("{packets} packets, {} bytes queued", count(bytes))
            }
            None => String::new(),
        };
        match what {
            EventKind::Send { .. } => format!(
                "{}: sends {packet}",
                self.name(self.node.unwrap_or(u32::MAX))
            ),
            EventKind::Enqueue {
                port,
                wanted,
                changes,
                moved,
                ..
            } => {
                let mut how = String::new();
                if changes & 1 == 1 {
                    how.push_str(", marked");
                }
                if changes & 2 == 2 {
                    how.push_str(", trimmed");
                }
                if port != wanted {
                    let word = if moved == 1 { "deflected" } else { "detoured" };
                    how.push_str(&format!(", {word} from {}", self.place(wanted)));
                }
                format!("{place}: enqueue{how}: {packet}; {queue}")
            }
            EventKind::Dequeue { .. } => format!("{place}: dequeue: {packet}; {queue}"),
            EventKind::Evict { .. } => format!("{place}: evict: {packet}; {queue}"),
            EventKind::Drop { reason, .. } => {
                let reasons = &self.reader.head().reasons;
                let reason = reasons
                    .get(usize::from(reason))
                    .map_or("unknown", |why| why.as_str());
                format!("{place}: drop, {reason}: {packet}; {queue}")
            }
            EventKind::Deliver { .. } => {
                let host = self.node.map_or("its host", |node| self.name(node));
                format!("{host}: deliver: {packet}")
            }
            EventKind::Window {
                flow,
                cwnd,
                acked,
                cause,
                retransmits,
                timeouts,
                ..
            } => {
                let cause = Cause::WORDS
                    .get(usize::from(cause))
                    .copied()
                    .unwrap_or("unknown");
                format!(
                    "flow {flow}: window of {} bytes, {} acknowledged, {retransmits} \
                     retransmissions, {timeouts} timeouts ({cause})",
                    count(cwnd),
                    count(acked)
                )
            }
            EventKind::Depth { packets, bytes, .. } => {
                format!(
                    "{place}: {packets} packets, {} bytes measured",
                    count(bytes)
                )
            }
            EventKind::Link { rate_bps: 0, .. } => format!("{place}: the link goes down"),
            EventKind::Link { rate_bps, .. } => {
                format!("{place}: the link has {} bps", count(rate_bps))
            }
        }
    }
}
