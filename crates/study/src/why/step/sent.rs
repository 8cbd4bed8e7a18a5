//! Departure of a packet from its sender.

use super::super::packet_text::{ahead, instant};
use super::AccountContext;
use crate::format::count;
use serde_json::{Value, json};
use sidestep_sim::why::{Again, Cause, SentPacket};
use sidestep_switch::why::listed;
use sidestep_transport::shim;
use sidestep_types::{Packet, Tag};

impl AccountContext<'_> {
    pub(super) fn sent(
        &self,
        sent: &SentPacket,
        earlier: Option<&str>,
        by_nic: bool,
    ) -> (Vec<String>, Value) {
        let packet = &sent.packet;
        let new = match (packet.carries_data(), sent.again) {
            (_, Some(again)) => again_words(&again),
            (_, None) if packet.sent_again() => "Sent again.".into(),
            (true, None) => "Sent for the first time.".into(),
            (false, None) => "Sent.".into(),
        };
        let serves = self.shims.iter().any(|name| shim::nature(name).serves);
        let wears = [
            (packet.ect(), "ECN-capable".to_string()),
            (packet.ece(), "with ECE (echo of a mark)".into()),
            (
                packet.cwr() && packet.carries_data(),
                "with CWR (window reduced)".into(),
            ),
            (serves, format!("of service {}", packet.service())),
            (
                packet.carries_data() && packet.tag().tagged(),
                format!("rank {}", count(u64::from(packet.rank()))),
            ),
        ];
        let tag = marked(packet);
        let wears: Vec<String> = (wears.into_iter().filter(|(has, _)| *has))
            .map(|(_, words)| words)
            .chain(tag.iter().flat_map(tag_words))
            .collect();
        let wears = match wears.is_empty() {
            true => String::new(),
            false => format!(", {}", listed(wears)),
        };
        let says = vec![
            format!("{new} {}", earlier.unwrap_or_default())
                .trim_end()
                .to_string(),
            format!(
                "{} bytes on the wire, TTL {}, flow hash {:#010x}{wears}.",
                count(u64::from(packet.wire)),
                packet.ttl,
                packet.hash
            ),
            // A NIC that decides describes its queue itself.
            match by_nic {
                true => String::new(),
                false => format!("On the NIC {}.", ahead(sent.ahead)),
            },
        ];
        let facts = json!({
            "event": "sent",
            "retransmission": packet.sent_again(),
            "cause": sent.again.map(|again| cause_word(again.cause)),
            "wire_bytes": packet.wire,
            "ttl": packet.ttl,
            "hash": format!("{:#010x}", packet.hash),
            "service": packet.service(),
            "tag": tag.as_ref().map(tag_facts),
            "ahead_packets": sent.ahead.packets,
            "ahead_bytes": sent.ahead.bytes,
        });
        (says, facts)
    }
}

/// Returns the tag of a packet that a shim has marked. A transport sets the rank only.
fn marked(packet: &Packet) -> Option<Tag> {
    let tag = packet.carries_data().then(|| packet.tag())?;
    (tag.tagged() && tag.remaining() > 0).then_some(tag)
}

/// Describes the contents of a tag beside the rank.
fn tag_words(tag: &Tag) -> Vec<String> {
    let left = match (tag.sent(), tag.remaining()) {
        (Some(before), _) => format!("a count of {} before it", count(u64::from(before))),
        (None, Tag::UNKNOWN) => "remaining size unknown".to_string(),
        (None, bytes) => format!("{} bytes remaining", count(u64::from(bytes))),
    };
    let again = match tag.retransmissions() {
        0 => None,
        1 => Some("tagged as sent again once".to_string()),
        times => Some(format!("tagged as sent again {times} times")),
    };
    let id = format!("flow id {}", tag.flow_id());
    let ends = [(tag.first(), "first"), (tag.last(), "last")];
    let ends = ends.into_iter().filter(|(is, _)| *is);
    let ends = ends.map(|(_, end)| format!("{end} of its message"));
    let first = std::iter::once(left).chain(again);
    first.chain([id]).chain(ends).collect()
}

fn tag_facts(tag: &Tag) -> Value {
    let known = tag.remaining() != Tag::UNKNOWN;
    json!({
        "rank": tag.rank(),
        "remaining_bytes": known.then(|| tag.remaining()),
        "sent_before": tag.sent(),
        "retransmissions": tag.retransmissions(),
        "flow_id": tag.flow_id(),
        "first": tag.first(),
        "last": tag.last(),
    })
}

fn cause_word(cause: Cause) -> &'static str {
    match cause {
        Cause::Unknown => "unknown",
        Cause::Timeout => "timeout",
        Cause::Fast => "fast retransmit",
        Cause::Cut => "cut",
    }
}

fn again_words(again: &Again) -> String {
    let since = instant(again.since);
    let counters = &again.counters;
    match again.cause {
        Cause::Timeout => format!(
            "Sent again, since the retransmission timer ran out at {since} (timeout {} of its flow).",
            counters.timeouts
        ),
        Cause::Fast => format!(
            "Sent again, in the fast retransmit begun at {since} by acknowledgements of later \
             packets (number {} of its flow).",
            counters.fast_retransmits
        ),
        Cause::Cut => {
            format!("Sent again, since a queue had trimmed it; the sender learned that at {since}.")
        }
        Cause::Unknown => "Sent again.".into(),
    }
}
