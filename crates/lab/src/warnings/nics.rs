//! Warnings about the queues of NICs.

use super::parts::Part;
use super::signals::{marks_too_late, reacts_to_marks, silent};
use crate::ideal::Ideal;
use crate::scenario::{Scenario, Setting};
use crate::scheme::Scheme;
use crate::tables::HOST;
use sidestep_config::source::default;
use sidestep_sim::TrafficPlan;
use sidestep_switch::Capacity;
use sidestep_types::{Bytes, Size};

/// Returns the warnings of one scheme.
pub(super) fn of(scenario: &Scenario, part: &Part<'_>, first: Option<&TrafficPlan>) -> Vec<String> {
    let late = (part.scheme.config.nic.as_ref())
        .and_then(|nic| marks_too_late(&nic.buffer, nic.capacity))
        .map(|warning| format!("at NICs: {warning}"));
    let unmarked = first.and_then(|first| waits_unmarked(scenario, part, first));
    late.into_iter().chain(unmarked).collect()
}

/// Length of a long queue, packets: as long as a switch port of the paper. A longer wait decides completion
/// times.
const LONG: u64 = 100;

/// True if the capacity of a NIC was given, and so is intended.
fn said(scenario: &Scenario, scheme: &Scheme) -> bool {
    let doc = HOST.iter().find(|param| param.name == "capacity");
    let unsaid = default(doc.expect("a parameter of [host]").doc);
    let own = |s: &&Setting| s.scheme.as_ref() == Some(&scheme.name) && s.key == "host.capacity";
    (scenario.settings.iter().find(own)).is_some_and(|setting| setting.source != unsaid)
}

/// Warns of flows that only their own NIC slows down, and of the packets they can queue there.
fn waits_unmarked(scenario: &Scenario, part: &Part<'_>, first: &TrafficPlan) -> Option<String> {
    let scheme = &*part.scheme;
    let config = &scheme.config;
    let signals = config.nic.as_ref().is_some_and(|nic| {
        let short = matches!(nic.capacity, Capacity::PerPort(Size::Packets(n)) if n <= LONG);
        short || !silent(&nic.buffer, &nic.sched)
    });
    if signals || said(scenario, scheme) || !reacts_to_marks(scheme) {
        return None;
    }
    let window = config.transport.receive_window();
    let mss = config.transport.mss();
    let mut ideal = Ideal::new(&scenario.network, config.framing, mss);
    let mut sends = vec![0u32; scenario.network.hosts as usize];
    first
        .flows
        .iter()
        .for_each(|flow| sends[flow.src.0 as usize] += 1);
    let (mut most, mut flows) = (0, 0u64);
    // Behind the only flow of a host no other packets wait.
    let has = part.has(first);
    let own = || first.flows.iter().filter(|flow| has(flow));
    let shared = own().filter(|flow| sends[flow.src.0 as usize] > 1);
    for flow in shared {
        // In slow start a sender has as much in flight as has been acknowledged.
        let mss = u64::from(flow.mss_or(mss));
        let sent = match flow.is_endless() {
            true => window,
            false => window.min(flow.size / 2),
        };
        let sent = sent / mss;
        if sent <= LONG {
            continue;
        }
        let Some(held) = ideal.held_by_path(flow) else {
            continue;
        };
        let waits = sent.saturating_sub(held);
        if waits > LONG {
            flows += 1;
            most = most.max(waits);
        }
    }
    let percent = 100.0 * flows as f64 / own().count().max(1) as f64;
    (flows > 0).then(|| {
        format!(
            "{percent:.2} % of the flows can queue more than {LONG} packets (up to {most}) in the \
             sender's own NIC, where nothing marks them; only receive_window ({}) limits it, and \
             other flows of the host wait behind them. Set host.buffer = \"ecn\" to mark there, or \
             host.capacity = \"unlimited\" if that is intended",
            Bytes(window)
        )
    })
}
