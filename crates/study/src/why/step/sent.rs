//! How a packet leaves its sender.

use super::super::words::{ahead, instant};
use super::Story;
use crate::words::count;
use serde_json::{Value, json};
use sidestep_sim::why::{Again, Cause, Sent};
use sidestep_switch::why::listed;

impl Story<'_> {
    pub(super) fn sent(
        &self,
        sent: &Sent,
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
        let wears = [
            (packet.ect(), "ECN-capable".to_string()),
            (packet.ece(), "with the echo of a mark".into()),
            (
                packet.cwr() && packet.carries_data(),
                "with the word that the window was reduced (CWR)".into(),
            ),
            (
                packet.carries_data() && packet.tag().tagged(),
                format!("rank {}", count(u64::from(packet.rank()))),
            ),
        ];
        let wears: Vec<String> = (wears.into_iter().filter(|(has, _)| *has))
            .map(|(_, words)| words)
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
                "{} bytes on the wire, time to live {}, flow hash {:#010x}{wears}.",
                count(u64::from(packet.wire)),
                packet.ttl,
                packet.hash
            ),
            // A NIC that decides says so itself.
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
            "ahead_packets": sent.ahead.packets,
            "ahead_bytes": sent.ahead.bytes,
        });
        (says, facts)
    }
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
            "Sent again, in the fast retransmit that acknowledgements of what came later began at {since} (number {} of \
             its flow).",
            counters.fast_retransmits
        ),
        Cause::Cut => format!(
            "Sent again, since a queue on its way had cut the payload off; its sender heard that at {since}."
        ),
        Cause::Unknown => "Sent again.".into(),
    }
}
