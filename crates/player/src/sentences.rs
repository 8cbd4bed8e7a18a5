//! Sentences about events: which queue, how full, which alternative.

use crate::cursor::{Cursor, Step};
use crate::flags::{CHANGE_MARKED, CHANGE_TRIMMED, is_ack};
use sidestep_recording::{Event, EventKind, Head, Link, Packet, PacketFlags};

/// Formats a number of bytes, as `149 kB`.
pub(crate) fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", three(bytes as f64 / 1e3)),
        _ => format!("{} MB", three(bytes as f64 / 1e6)),
    }
}

/// Formats a time, as `12.3 µs`.
pub(crate) fn time(ps: u64) -> String {
    match ps {
        0..1_000 => format!("{ps} ps"),
        1_000..1_000_000 => format!("{} ns", three(ps as f64 / 1e3)),
        1_000_000..1_000_000_000 => format!("{} µs", three(ps as f64 / 1e6)),
        1_000_000_000..1_000_000_000_000 => format!("{} ms", three(ps as f64 / 1e9)),
        _ => format!("{} s", three(ps as f64 / 1e12)),
    }
}

/// Formats a number with three significant digits, without trailing zeros after the point.
fn three(value: f64) -> String {
    let places = match value {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    let text = format!("{value:.places$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').into(),
        false => text,
    }
}

fn rate(bps: u64) -> String {
    match bps {
        0..1_000_000 => format!("{bps} bps"),
        1_000_000..1_000_000_000 => format!("{} Mbps", three(bps as f64 / 1e6)),
        _ => format!("{} Gbps", three(bps as f64 / 1e9)),
    }
}

/// Formats a number of packets: `1 packet`, `2 packets`.
pub(crate) fn packets(count: u64) -> String {
    match count {
        1 => "1 packet".into(),
        count => format!("{count} packets"),
    }
}

/// Returns the name of a node.
pub(crate) fn node(head: &Head, node: u32) -> &str {
    let known = head.network.nodes.get(node as usize);
    known.map_or("an unknown node", |node| &node.name)
}

fn link(head: &Head, port: u32) -> Link {
    let known = head.network.links.get(port as usize);
    known.cloned().unwrap_or_default()
}

/// Returns the name of the node that has the port.
pub(crate) fn owner(head: &Head, port: u32) -> &str {
    node(head, link(head, port).from)
}

/// Returns the name of the node to which a port sends.
pub(crate) fn far(head: &Head, port: u32) -> &str {
    node(head, link(head, port).to)
}

/// Formats the depth of a queue and its capacity.
pub(crate) fn holds(head: &Head, port: u32, (packets_, bytes_): (u32, u64)) -> String {
    let link = link(head, port);
    let shared = head.network.nodes.get(link.from as usize);
    let shared = shared.and_then(|node| node.shared_bytes);
    match (link.queue_packets, link.queue_bytes, shared) {
        (Some(most), ..) => format!("{packets_} of {}", packets(most)),
        (None, Some(most), _) => format!("{} of {}", bytes(bytes_), bytes(most)),
        (None, None, Some(most)) => format!(
            "{}, {} of the {} shared by all its queues",
            packets(packets_.into()),
            bytes(bytes_),
            bytes(most)
        ),
        (None, None, None) => packets(packets_.into()),
    }
}

/// Explains a drop: by the clause of the recording, or by its word if it has no clauses.
pub(crate) fn reason(head: &Head, number: u8) -> String {
    let place = usize::from(number);
    match (head.clauses.get(place), head.reasons.get(place)) {
        (Some(clause), _) => clause.clone(),
        (None, Some(word)) => word.replace('_', " "),
        (None, None) => format!("for reason {number}, which has no name in the recording"),
    }
}

/// Describes a packet, as in `data from byte 1460 of flow 7`.
fn what(flow: u32, seq: u64, says: u8) -> String {
    let again = match PacketFlags(says).again() {
        true => ", a retransmission",
        false => "",
    };
    match PacketFlags(says).kind() {
        "data" => format!("data from byte {seq} of flow {flow}{again}"),
        "ack" => format!("an acknowledgement up to byte {seq} of flow {flow}{again}"),
        "syn" => format!("the request to open flow {flow}{again}"),
        _ => format!("the answer that opens flow {flow}{again}"),
    }
}

fn other_end(head: &Head, host: u32, flow: Option<(u32, u32)>) -> String {
    match flow {
        Some((src, dst)) if host == src => format!(" to {}", node(head, dst)),
        Some((src, dst)) if host == dst => format!(" to {}", node(head, src)),
        _ => String::new(),
    }
}

/// Returns a sentence about an event. `ends` are source and destination of its flow, if known.
pub(crate) fn sentence(head: &Head, step: &Step<'_>, ends: Option<(u32, u32)>) -> String {
    let known = |id: u32| step.before.state.packet(id);
    match step.event.what {
        EventKind::Send {
            flow,
            seq,
            says,
            host,
            ..
        } => {
            let mark = match says & PacketFlags::ECHO != 0 && is_ack(says) {
                true => ", echoing a congestion mark",
                false => "",
            };
            format!(
                "{} sends {}{}{mark}",
                node(head, host),
                what(flow, seq, says),
                other_end(head, host, ends)
            )
        }
        EventKind::Enqueue { .. } => enqueue(head, step.event, step.before),
        EventKind::Dequeue { port, packet } => {
            let waited = since(step.event, known(packet));
            format!(
                "its last bit leaves {} for {}, {waited} after it was enqueued",
                owner(head, port),
                far(head, port)
            )
        }
        EventKind::Evict { port, .. } => format!(
            "{} evicts it from the queue to {} to make room for another packet; that queue \
             holds {}",
            owner(head, port),
            far(head, port),
            holds(head, port, step.before.depth(port))
        ),
        EventKind::Drop {
            port,
            reason: why,
            waited,
            ..
        } => {
            let waits = if waited == 1 {
                ", where it waited,"
            } else {
                ""
            };
            format!(
                "{} drops it: {}; the queue to {}{waits} holds {}",
                owner(head, port),
                reason(head, why),
                far(head, port),
                holds(head, port, step.before.depth(port))
            )
        }
        EventKind::Deliver { packet } => match known(packet) {
            Some(packet) => format!(
                "it arrives{}: {}",
                other_end(head, packet.host, ends).replacen(" to ", " at ", 1),
                what(packet.flow, packet.seq, packet.says)
            ),
            None => "it arrives".into(),
        },
        EventKind::Window { .. } => window(head, step.event, ends),
        EventKind::Depth {
            port,
            packets,
            bytes: held,
        } => format!(
            "the queue from {} to {} is measured: it holds {}, {}",
            owner(head, port),
            far(head, port),
            holds(head, port, (packets, held)),
            bytes(held)
        ),
        EventKind::Link { port, rate_bps: 0 } => {
            format!(
                "the link from {} to {} goes down",
                owner(head, port),
                far(head, port)
            )
        }
        EventKind::Link { port, rate_bps } => format!(
            "the rate of the link from {} to {} becomes {}",
            owner(head, port),
            far(head, port),
            rate(rate_bps)
        ),
    }
}

fn since(event: &Event, packet: Option<&Packet>) -> String {
    let since = packet.map_or(event.at, |packet| packet.since);
    time(event.at.saturating_sub(since))
}

fn enqueue(head: &Head, event: &Event, before: &Cursor) -> String {
    let EventKind::Enqueue {
        port,
        wanted,
        changes,
        moved,
        ..
    } = event.what
    else {
        return String::new();
    };
    let done = match (changes & CHANGE_MARKED != 0, changes & CHANGE_TRIMMED != 0) {
        (true, true) => ", trims it and marks it",
        (true, false) => ", and marks it",
        (false, true) => ", and trims it",
        (false, false) => "",
    };
    let (owner_, to) = (owner(head, port), far(head, port));
    if port != wanted {
        let verb = if moved == 1 {
            "deflects it"
        } else {
            "detours it"
        };
        let wanted_ = far(head, wanted);
        return format!(
            "{owner_} {verb} to {to} instead of {wanted_}{done}: the queue to {wanted_} holds {}",
            holds(head, wanted, before.depth(wanted))
        );
    }
    let again = if moved == 1 { " again" } else { "" };
    format!(
        "{owner_} enqueues it for {to}{again}{done}; that queue held {} before",
        holds(head, port, before.depth(port))
    )
}

fn window(head: &Head, event: &Event, ends: Option<(u32, u32)>) -> String {
    let EventKind::Window {
        flow,
        cwnd,
        ssthresh,
        acked,
        retransmits,
        timeouts,
        cause,
    } = event.what
    else {
        return String::new();
    };
    let who = match ends {
        Some((src, _)) => format!("the sender of flow {flow} at {}", node(head, src)),
        None => format!("the sender of flow {flow}"),
    };
    let why = match cause {
        2 => format!("times out for the {} time", nth(timeouts)),
        3 => "retransmits".into(),
        1 => format!("receives an acknowledgement up to byte {acked}"),
        _ => "starts, or was running when the recording began".into(),
    };
    let slow = match ssthresh {
        s if s > 1 << 50 => String::new(),
        s => format!(", its slow-start threshold {}", bytes(s)),
    };
    let again = match retransmits {
        0 => String::new(),
        n => format!(", retransmissions so far: {n}"),
    };
    format!("{who} {why}; its window is {}{slow}{again}", bytes(cwnd))
}

fn nth(count: u32) -> String {
    match count {
        0 | 1 => "first".into(),
        2 => "second".into(),
        3 => "third".into(),
        n => {
            let ending = match (n % 10, n % 100) {
                (_, 11..=13) => "th",
                (1, _) => "st",
                (2, _) => "nd",
                (3, _) => "rd",
                _ => "th",
            };
            format!("{n}{ending}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_a_unit() {
        let said = [999, 1_000, 1_234, 99_960, 150_000, 9_996_000].map(bytes);
        assert_eq!(
            said,
            ["999 B", "1 kB", "1.23 kB", "100 kB", "150 kB", "10 MB"]
        );
        let said = [17, 12_340, 12_300_000, 10_000_000_000, 1_500_000_000_000].map(time);
        assert_eq!(said, ["17 ps", "12.3 ns", "12.3 µs", "10 ms", "1.5 s"]);
    }
}
