//! Steps at the receiving host: shims and transport.

use super::super::words::{Closes, Numbers};
use super::Story;
use crate::words::count;
use serde_json::{Value, json};
use sidestep_sim::why::{Known, Met, Told};
use sidestep_switch::Changes;
use sidestep_types::Packet;

impl Story<'_> {
    pub(super) fn arrived(
        &self,
        packet: &Packet,
        known: Known,
        steps: &[Told],
    ) -> (Vec<String>, Value) {
        let mut says = vec![self.reached(packet, known, steps)];
        let shimmed = !self.shims.is_empty() && !matches!(known, Known::Complete | Known::Done);
        if shimmed {
            says = vec!["It reached the NIC of its host, then passed to the shims.".to_string()];
            let left = |step: &Told| matches!(step.what, Met::Handed { .. } | Met::Withheld { .. });
            if !steps.iter().any(left) {
                let shims = self.shims.join(", ");
                says.push(format!(
                    "They ({shims}) held it until its flow or the run ended."
                ));
            }
        }
        let facts = json!({
            "event": "delivered",
            "expected": match known { Known::Expected(seq) => Some(seq), _ => None },
            "acknowledged": match known { Known::Acknowledged(seq) => Some(seq), _ => None },
        });
        (says, facts)
    }

    /// Describes the effect of the packet on the transport, given its steps: a queue may have trimmed it.
    pub(super) fn reached(&self, packet: &Packet, known: Known, steps: &[Told]) -> String {
        let cut = |step: &Told| {
            let judged = match &step.what {
                Met::Nic(judged) => judged,
                Met::Decided(decided) => &decided.judged,
                _ => return false,
            };
            let joined = judged.event.joined();
            joined.is_some_and(|joined| joined.changes.has(Changes::TRIMMED))
        };
        match steps.iter().any(cut) {
            true => "It arrived without its payload (trimmed): the receiver requests these bytes \
                     again."
                .into(),
            false => transport(packet, known, self.size(packet), self.numbers(packet)),
        }
    }
}

/// Describes the effect of a packet on the receiving transport.
fn transport(packet: &Packet, known: Known, size: u64, numbers: Numbers) -> String {
    let seq = packet.seq();
    let end = seq + u64::from(packet.len);
    match Closes::of(packet, size, numbers) {
        Some(Closes::Fin) => return "Delivered: its sender has closed the connection.".into(),
        Some(Closes::Last) => {
            return "Delivered: it completes the teardown of the connection.".into();
        }
        Some(Closes::Answer) if matches!(known, Known::Acknowledged(_)) => {
            return "Delivered: it acknowledges the FIN.".into();
        }
        _ => {}
    }
    match known {
        Known::Expected(_) if packet.len == 0 => "Delivered: it opens the connection.".into(),
        Known::Expected(next) if next == seq => {
            format!(
                "Delivered in order: byte {} is the one that the receiver waited for.",
                numbers.byte(seq)
            )
        }
        Known::Expected(next) if next < seq => format!(
            "Delivered ahead of a gap: the receiver still waits for byte {}, {} bytes before this.",
            numbers.byte(next),
            count(seq - next)
        ),
        Known::Expected(next) if next >= end => format!(
            "Delivered, a duplicate: the receiver has these bytes already and waits for byte {}.",
            numbers.byte(next)
        ),
        Known::Expected(next) => format!(
            "Delivered in order: the receiver waited for byte {}, which it contains.",
            numbers.byte(next)
        ),
        Known::Complete => {
            "Delivered, a duplicate: the receiver has every byte of the flow already.".into()
        }
        Known::Acknowledged(before) if seq > before => format!(
            "Delivered: it acknowledges {} bytes more, up to byte {}.",
            count(seq - before),
            numbers.byte(seq)
        ),
        Known::Acknowledged(before) if seq == before => {
            format!(
                "Delivered, a duplicate acknowledgement: the receiver still waits for byte {}.",
                numbers.byte(before)
            )
        }
        Known::Acknowledged(before) => format!(
            "Delivered, an old acknowledgement: all bytes before byte {} were acknowledged \
             already.",
            numbers.byte(before)
        ),
        Known::Done => {
            "Delivered, an old acknowledgement: all bytes of the flow were acknowledged already."
                .into()
        }
    }
}
