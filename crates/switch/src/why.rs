//! What a policy says of one decision: the numbers that made it, in a clause that people read.
//!
//! **Decision**     none: it is asked between a decision and what that does, of the packets that somebody wants
//!                  explained (`sidestep why`), and of none in an ordinary run.
//! **State**        none. The queues are as the policy saw them.
//! **Units**        packets, bytes of buffer.
//! **Errors**       none.
//! **Source**       Open vSwitch's `ofproto/trace` explains a packet in this manner.
//! **Deviations**   draws are over by then and are not told: what a policy could have drawn is.
//!
//! Each seam has a method `why` with a default, so that a policy that says nothing more is explained by its verdict.

use crate::queues::reaches;
use crate::{Capacity, Depth, DropReason, Queues, Verdict, Want};
use sidestep_types::{Packet, PortId, PortSet, Size};

/// A packet at a switch, with what may be asked about it.
pub struct Scene<'a> {
    /// The packet, as the policy saw it.
    pub packet: &'a Packet,
    /// The queues, as the policy saw them.
    pub queues: &'a mut dyn Queues,
    /// How much the switch may hold.
    pub capacity: Capacity,
    /// How many ports it has.
    pub ports: u16,
    /// What a port is called, as in `port 2 to agg 0.1`.
    pub name: &'a dyn Fn(PortId) -> String,
}

impl Scene<'_> {
    /// What these ports are called: `a`, `a and b`, `a, b and c`.
    pub fn names(&self, ports: impl IntoIterator<Item = PortId>) -> String {
        listed(ports.into_iter().map(|port| (self.name)(port)).collect())
    }

    /// These ports, with how much each holds.
    pub fn depths(&mut self, ports: impl IntoIterator<Item = PortId>) -> String {
        let each = ports.into_iter().map(|port| {
            let held = self.queues.depth(port);
            format!("{} holds {}", (self.name)(port), bytes(held.bytes))
        });
        listed(each.collect())
    }

    /// The ports other than `want` that lead to a switch.
    pub fn others(&self, want: PortId) -> PortSet {
        let mut others = self.queues.to_switch();
        others.remove(want);
        others
    }

    /// How full the wanted queue is, and whether there is room for the packet.
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

    /// Whether a packet that finds `depth` is marked from `level` on.
    pub fn step(&self, depth: Depth, level: Option<Size>) -> String {
        let Some(level) = level else {
            return "not marked, since nothing is (mark_at = off)".into();
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

/// What a verdict alone says: the default of every buffer policy.
pub(crate) fn verdict(verdict: Verdict) -> String {
    match verdict {
        Verdict::Enqueue { mark: false } => "what fits is kept".into(),
        Verdict::Enqueue { mark: true } => "what fits is kept, and the policy marks it".into(),
        Verdict::Detour { .. } => "the policy sends it there".into(),
        Verdict::Evict { .. } => "what waits there and ranks worse makes room".into(),
        Verdict::Squeeze { .. } => {
            "the worst that wait there are dropped until all fits, itself perhaps".into()
        }
        Verdict::Trim => "its header goes on without it".into(),
        Verdict::Drop(DropReason::Full) => "what does not fit is dropped".into(),
        Verdict::Drop(reason) => reason.row().to_string(),
    }
}

/// What is done with the packet, as a sentence begins.
pub fn done(scene: &Scene<'_>, verdict: Verdict) -> String {
    match verdict {
        Verdict::Enqueue { .. } => "kept".into(),
        Verdict::Detour { port, .. } => format!("detoured to {}", (scene.name)(port)),
        Verdict::Evict { .. } => "kept in the place of others".into(),
        Verdict::Squeeze { port, .. } => format!("pressed into {}", (scene.name)(port)),
        Verdict::Trim => "its payload is cut off".into(),
        Verdict::Drop(reason) => format!("dropped ({})", reason.name()),
    }
}

/// How many of those that wait leave before a packet of `rank`: `each_worst` names their ranks.
pub(crate) fn ranked(
    rank: u32,
    each_worst: impl FnOnce(&mut dyn FnMut(u32, u32) -> bool),
) -> String {
    let (mut before, mut behind) = (0, 0);
    each_worst(&mut |other, _| {
        *(if other <= rank {
            &mut before
        } else {
            &mut behind
        }) += 1;
        true
    });
    match (before, behind) {
        (0, 0) => format!("nothing waits that its rank {} must pass", count(rank)),
        _ => format!(
            "of {} that wait {} of its rank {} or better leave first, and it passes {}",
            before + behind,
            before,
            count(rank),
            behind
        ),
    }
}

/// `12,345`
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

/// `1 packet`, `31 packets`
pub fn packets(n: impl Into<u64>) -> String {
    match n.into() {
        1 => "1 packet".into(),
        n => format!("{} packets", count(n)),
    }
}

/// `1,518 bytes`
pub fn bytes(n: impl Into<u64>) -> String {
    format!("{} bytes", count(n))
}

/// `31 packets (47,058 bytes)`
pub fn both(depth: Depth) -> String {
    match depth.packets {
        0 if depth.bytes == 0 => "nothing".into(),
        n => format!("{} ({})", packets(n), bytes(depth.bytes)),
    }
}

/// `a`, `a and b`, `a, b and c`; `none`.
pub fn listed(mut words: Vec<String>) -> String {
    match (words.pop(), words.is_empty()) {
        (None, _) => "none".into(),
        (Some(only), true) => only,
        (Some(last), false) => format!("{} and {last}", words.join(", ")),
    }
}

#[cfg(test)]
mod tests;
