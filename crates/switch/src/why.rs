//! Explanations of single decisions: a clause with the numbers that led to the decision.
//!
//! **Decision**     none. The explanation is made between a decision and its execution, only for packets that
//!                  somebody wants explained (`sidestep why`); an ordinary run makes none.
//! **State**        none. The queues are as the policy saw them.
//! **Units**        packets, bytes of buffer.
//! **Errors**       none.
//! **Source**       Open vSwitch's `ofproto/trace` explains packets in the same way.
//! **Deviations**   random draws are over by then and are not shown; the possible outcomes are.
//!
//! Each seam has a method `why` with a default, so that a policy without an explanation is explained by its
//! verdict.

use crate::queues::reaches;
use crate::{Capacity, Depth, DropReason, Queues, Verdict, Want};
use sidestep_types::{Packet, PortId, PortSet, Size};

/// Packet at a switch, with the state that an explanation can use.
pub struct SwitchSnapshot<'a> {
    /// Packet, as the policy saw it.
    pub packet: &'a Packet,
    /// Queues, as the policy saw them.
    pub queues: &'a mut dyn Queues,
    /// Buffer capacity of the switch.
    pub capacity: Capacity,
    /// Number of ports.
    pub ports: u16,
    /// Name of a port, such as `port 2 to agg 0.1`.
    pub name: &'a dyn Fn(PortId) -> String,
}

impl SwitchSnapshot<'_> {
    /// Returns the names of these ports: `a`, `a and b`, `a, b and c`.
    pub fn names(&self, ports: impl IntoIterator<Item = PortId>) -> String {
        listed(ports.into_iter().map(|port| (self.name)(port)).collect())
    }

    /// Lists these ports with the bytes that each holds.
    pub fn depths(&mut self, ports: impl IntoIterator<Item = PortId>) -> String {
        let each = ports.into_iter().map(|port| {
            let held = self.queues.depth(port);
            format!("{} holds {}", (self.name)(port), bytes(held.bytes))
        });
        listed(each.collect())
    }

    /// Returns the ports other than `want` that lead to a switch.
    pub fn others(&self, want: PortId) -> PortSet {
        let mut others = self.queues.to_switch();
        others.remove(want);
        others
    }

    /// Describes the depth of the wanted queue, its limit, and whether the packet fits.
    pub fn room(&mut self, want: Want) -> String {
        let Want { port, depth, fits } = want;
        let (name, room) = (
            (self.name)(port),
            if fits { "there is room" } else { "full" },
        );
        let most = match self.capacity {
            Capacity::Unlimited => "without a limit".into(),
            Capacity::PerPort(Size::Packets(n)) => format!("of at most {}", packets(n)),
            Capacity::PerPort(Size::Bytes(b)) => format!("of at most {}", bytes(b.0)),
            Capacity::Shared { memory, alpha } => {
                let ports = (0..self.ports).map(PortId);
                let used: u64 = ports
                    .map(|port| u64::from(self.queues.depth(port).bytes))
                    .sum();
                let free = memory.0.saturating_sub(used);
                let most = u128::from(free) * u128::from(alpha.0) / u128::from(alpha.1);
                format!(
                    "of a threshold of {} (alpha {}/{} of the {} free)",
                    bytes(most as u64),
                    alpha.0,
                    alpha.1,
                    bytes(free)
                )
            }
        };
        format!("{name} holds {} {most}: {room}", both(depth))
    }

    /// Describes whether a packet that finds `depth` is marked from `level` on.
    pub fn step(&self, depth: Depth, level: Option<Size>) -> String {
        let Some(level) = level else {
            return "not marked, since marking is off (mark_at = off)".into();
        };
        let (held, level_words) = match level {
            Size::Packets(n) => (packets(u64::from(depth.packets)), count(n)),
            Size::Bytes(b) => (bytes(depth.bytes), count(b.0)),
        };
        match (reaches(depth, level), self.packet.ect()) {
            (false, _) => format!("not marked, since {held} < K = {level_words}"),
            (true, true) => format!("marked, because {held} ≥ K = {level_words}"),
            (true, false) => {
                format!("not marked although {held} ≥ K = {level_words}: it is not ECN-capable")
            }
        }
    }
}

/// Explains a decision by its verdict alone: the default of every buffer policy.
pub(crate) fn verdict(verdict: Verdict) -> String {
    match verdict {
        Verdict::Enqueue { mark: false } => "it fits".into(),
        Verdict::Enqueue { mark: true } => "it fits, and the policy marks it".into(),
        Verdict::Detour { .. } => "the policy chose that port".into(),
        Verdict::Evict { .. } => "waiting packets of worse rank are evicted to make room".into(),
        Verdict::Squeeze { .. } => {
            "the packets of worst rank there, possibly this one, are dropped until the rest fits"
                .into()
        }
        Verdict::Trim => "only the header goes on".into(),
        Verdict::Drop(DropReason::Full) => "it does not fit".into(),
        Verdict::Drop(reason) => reason.row().to_string(),
    }
}

/// Describes the verdict as the beginning of a sentence.
pub fn done(snapshot: &SwitchSnapshot<'_>, verdict: Verdict) -> String {
    match verdict {
        Verdict::Enqueue { .. } => "enqueued".into(),
        Verdict::Detour { port, .. } => format!("detoured to {}", (snapshot.name)(port)),
        Verdict::Evict { .. } => "enqueued after evicting others".into(),
        Verdict::Squeeze { port, .. } => format!("squeezed into {}", (snapshot.name)(port)),
        Verdict::Trim => "its payload is cut off".into(),
        Verdict::Drop(reason) => format!("dropped ({})", reason.name()),
    }
}

/// Describes how many waiting packets leave before a packet of `rank`. `each_worst` lists their ranks.
pub(crate) fn ranked(
    rank: u32,
    each_worst: impl FnOnce(&mut dyn FnMut(u32, u32) -> bool),
) -> String {
    let (mut before, mut behind) = (0_u64, 0_u64);
    each_worst(&mut |other, _| {
        *(if other <= rank {
            &mut before
        } else {
            &mut behind
        }) += 1;
        true
    });
    match (before, behind) {
        (0, 0) => format!("no other packet waits (its rank is {})", count(rank)),
        _ => format!(
            "{} waiting: {} with rank {} or better leave before it, {} after it",
            packets(before + behind),
            before,
            count(rank),
            behind
        ),
    }
}

/// Formats a number: `12,345`
pub fn count(n: impl Into<u64>) -> String {
    let digits = n.into().to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats a number of packets: `1 packet`, `31 packets`
pub fn packets(n: impl Into<u64>) -> String {
    match n.into() {
        1 => "1 packet".into(),
        n => format!("{} packets", count(n)),
    }
}

/// Formats a number of bytes: `1,518 bytes`
pub fn bytes(n: impl Into<u64>) -> String {
    format!("{} bytes", count(n))
}

/// Formats a depth: `31 packets (47,058 bytes)`
pub fn both(depth: Depth) -> String {
    match depth.packets {
        0 if depth.bytes == 0 => "nothing".into(),
        n => format!("{} ({})", packets(n), bytes(depth.bytes)),
    }
}

/// Joins words into a list: `a`, `a and b`, `a, b and c`; `none` for an empty list.
pub fn listed(mut words: Vec<String>) -> String {
    match (words.pop(), words.is_empty()) {
        (None, _) => "none".into(),
        (Some(only), true) => only,
        (Some(last), false) => format!("{} and {last}", words.join(", ")),
    }
}

#[cfg(test)]
mod tests;
