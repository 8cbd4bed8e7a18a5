//! Passage from one step to the next.

use super::{AccountContext, Leaves};
use sidestep_sim::why::{AccountEvent, AccountStep};
use sidestep_types::Time;

impl AccountContext<'_> {
    /// Describes how long the packet was queued, was being sent and was on the cable, from the port in `leaves`
    /// to the next step.
    pub(super) fn passage(&self, leaves: Leaves, next: &AccountStep) -> Option<String> {
        let cable = self.cables.at(leaves.from, leaves.port);
        let (span, rate) = self.cables.sending(cable, leaves.wire, leaves.at);
        let delay = self.cables.delay(cable);
        let took = next.at.saturating_sub(leaves.at);
        let paused = match &next.what {
            AccountEvent::Decided(decided) => decided.paused_before,
            AccountEvent::Arrived { paused, .. } => *paused,
            AccountEvent::Evicted(_) => return Some(format!("It waited there for {took}.")),
            AccountEvent::Lost { .. } => {
                return Some(format!("It was queued, or on the cable, for {took}."));
            }
            AccountEvent::Sent(_)
            | AccountEvent::Nic(_)
            | AccountEvent::Handed { .. }
            | AccountEvent::Withheld { .. } => return None,
        };
        let paused = match paused.saturating_sub(leaves.paused) {
            Time::ZERO => String::new(),
            paused => format!(" (the port was paused for {paused} of that)"),
        };
        Some(match took.ps().checked_sub(span.ps() + delay.ps()) {
            Some(0) => format!("It left at once: {span} to send at {rate}, {delay} on the cable."),
            Some(waited) => format!(
                "It waited {}{paused}, then {span} to send at {rate} and {delay} on the cable.",
                Time::from_ps(waited)
            ),
            None => format!(
                "It took {took} to leave and to cross the cable, whose rate changed meanwhile."
            ),
        })
    }
}
