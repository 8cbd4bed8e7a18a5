//! Converts observations of the simulator into entries of a record.

use super::seen::{LoggedDetour, LoggedEvent, LoggedPath, LoggedStep, Loops};
use sidestep_sim::{
    DetourSeen, End, LoopCounts, Network, Outcome, PacketTrace, TraceEvent, TraceStep,
};
use sidestep_switch::{Changes, DropReason, Event};
use sidestep_types::SwitchId;
use std::collections::BTreeMap;

pub fn detour(seen: &DetourSeen) -> LoggedDetour {
    LoggedDetour {
        at_ps: seen.at.ps(),
        switch: seen.switch.0,
        wanted: seen.wanted.0,
        taken: seen.taken.0,
    }
}

pub fn loops(seen: &LoopCounts) -> Loops {
    Loops {
        packets: seen.packets,
        detoured: seen.detoured,
        looped: seen.looped,
        lengths: seen.lengths.counts().to_vec(),
    }
}

/// Counts drops by reason and then by the tier of the switch, or by switch where there are no tiers; drops
/// of NICs are under `host`.
pub fn drops_at(network: &Network, outcome: &Outcome) -> BTreeMap<String, BTreeMap<String, u64>> {
    let mut found: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for port in &outcome.ports {
        let place = match port.from {
            End::Switch(switch) => network.switches[switch.0 as usize].tier_or_name(),
            End::Host(_) => "host",
        };
        for reason in DropReason::ALL {
            let count = port.counts.drops[reason as usize];
            if count > 0 {
                let places = found.entry(reason.name().to_string()).or_default();
                *places.entry(place.to_string()).or_default() += count;
            }
        }
    }
    found
}

pub fn path(path: &PacketTrace) -> LoggedPath {
    let step = |step: &TraceStep| {
        let what = match step.what {
            TraceEvent::Sent => LoggedEvent::Sent,
            TraceEvent::Delivered => LoggedEvent::Delivered,
            TraceEvent::At(End::Host(_), _) => return None,
            TraceEvent::At(End::Switch(SwitchId(switch)), event) => match event {
                Event::Enqueue(joined) | Event::Move(joined) => LoggedEvent::Queued {
                    switch,
                    port: joined.port.0,
                    wanted: joined.wanted.0,
                    ahead: joined.ahead.packets,
                    marked: joined.changes.has(Changes::MARKED),
                },
                Event::Drop { port, reason } | Event::Evict { port, reason } => {
                    LoggedEvent::Dropped {
                        switch,
                        wanted: port.0,
                        reason: reason.name().to_string(),
                    }
                }
            },
        };
        Some(LoggedStep {
            at_ps: step.at.ps(),
            what,
        })
    };
    LoggedPath {
        id: path.id,
        flow: path.flow.0,
        seq: path.seq,
        detours: path.detours() as u32,
        steps: path.steps.iter().filter_map(step).collect(),
    }
}
