//! Steps at the receiving host: shims and transport.

use super::super::packet_text::{Closes, Numbers};
use super::AccountContext;
use crate::format::count;
use serde_json::{Value, json};
use sidestep_sim::why::{AccountEvent, AccountStep, EndState};
use sidestep_switch::Changes;
use sidestep_types::Packet;

impl AccountContext<'_> {
    pub(super) fn arrived(
        &self,
        packet: &Packet,
        known: EndState,
        steps: &[AccountStep],
    ) -> (Vec<String>, Value) {
        let mut says = vec![self.reached(packet, known, steps)];
        let shimmed =
            !self.shims.is_empty() && !matches!(known, EndState::Complete | EndState::Done);
        if shimmed {
            says = vec!["It reached the NIC of its host, then passed to the shims.".to_string()];
            let left = |step: &AccountStep| {
                matches!(
                    step.what,
                    AccountEvent::Handed { .. } | AccountEvent::Withheld { .. }
                )
            };
            if !steps.iter().any(left) {
                let shims = self.shims.join(", ");
                says.push(format!(
                    "They ({shims}) held it until its flow or the run ended."
                ));
            }
        }
        let facts = json!({
            "event": "delivered",
            "expected": match known { EndState::Expected(seq) => Some(seq), _ => None },
            "acknowledged": match known { EndState::Acknowledged(seq) => Some(seq), _ => None },
        });
        (says, facts)
    }

    /// Describes the effect of the packet on the transport, given its steps: a queue may have trimmed it.
    pub(super) fn reached(
        &self,
        packet: &Packet,
        known: EndState,
        steps: &[AccountStep],
    ) -> String {
        let cut = |step: &AccountStep| {
            let judged = match &step.what {
                AccountEvent::Nic(judged) => judged,
                AccountEvent::Decided(decided) => &decided.judged,
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
fn transport(packet: &Packet, known: EndState, size: u64, numbers: Numbers) -> String {
    let seq = packet.seq();
    let end = seq + u64::from(packet.len);
    match Closes::of(packet, size, numbers) {
        Some(Closes::Fin) => return "Delivered: its sender has closed the connection.".into(),
        Some(Closes::Last) => {
            return "Delivered: it completes the teardown of the connection.".into();
        }
        Some(Closes::Answer) if matches!(known, EndState::Acknowledged(_)) => {
            return "Delivered: it acknowledges the FIN.".into();
        }
        _ => {}
    }
    match known {
        EndState::Expected(_) if packet.len == 0 => "Delivered: it opens the connection.".into(),
        EndState::Expected(next) if next == seq => {
            format!(
                "Delivered in order: byte {} is the one that the receiver waited for.",
                numbers.byte(seq)
            )
        }
        EndState::Expected(next) if next < seq => format!(
            "Delivered ahead of a gap: the receiver still waits for byte {}, {} bytes before this.",
            numbers.byte(next),
            count(seq - next)
        ),
        EndState::Expected(next) if next >= end => format!(
            "Delivered, a duplicate: the receiver has these bytes already and waits for byte {}.",
            numbers.byte(next)
        ),
        EndState::Expected(next) => format!(
            "Delivered in order: the receiver waited for byte {}, which it contains.",
            numbers.byte(next)
        ),
        EndState::Complete => {
            "Delivered, a duplicate: the receiver has every byte of the flow already.".into()
        }
        EndState::Acknowledged(before) if seq > before => format!(
            "Delivered: it acknowledges {} bytes more, up to byte {}.",
            count(seq - before),
            numbers.byte(seq)
        ),
        EndState::Acknowledged(before) if seq == before => {
            format!(
                "Delivered, a duplicate acknowledgement: the receiver still waits for byte {}.",
                numbers.byte(before)
            )
        }
        EndState::Acknowledged(before) => format!(
            "Delivered, an old acknowledgement: all bytes before byte {} were acknowledged \
             already.",
            numbers.byte(before)
        ),
        EndState::Done => {
            "Delivered, an old acknowledgement: all bytes of the flow were acknowledged already."
                .into()
        }
    }
}
