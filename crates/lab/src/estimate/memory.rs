//! What a run takes of memory while it is made, and what is kept of it afterwards.
//!
//! **Decision**     each flow of the plan takes room for as long as the run: its plan, its outcome, where its ends and its start
//!                  stand, its place in a connection that it shares. A flow that is open has two ends beside, with what is under
//!                  way. Open is a share of those that began within the first timeout, for as long waits who loses its
//!                  first packets; those without an end; and of closed loops all that are under way. When a run is over its ends
//!                  are freed, and of one that writes tables each flow has its row.
//! **Units**        bytes.
//! **Source**       measured: `crates/lab/tests/memory.rs` holds it against the allocator within a factor of two.
//! **Deviations**   the share that is open is assumed for all loads. Where a network collapses, so that most flows are still
//!                  under way when the run ends, it takes up to three times as much.

use super::{Estimate, cost, flows_of};
use crate::recording::RecordSpec;
use crate::scenario::{Scenario, Traffic};
use crate::stats::Sample;
use sidestep_sim::workload::Load;
use sidestep_switch::Sent;
use sidestep_types::Time;

/// The program itself, with what it prints and draws: measured with `quickstart`.
pub(super) const ALWAYS: f64 = 28e6;

/// A flow of the plan: plan 48, outcome 104, two ends' places 16, start 16, and a half of its connection's 24 and 12 of
/// the list of those that share one. Lists that grow have some more.
const A_FLOW: f64 = 230.0;

/// Its sender, its receiver, what both hold, its timers and its packets.
const AN_OPEN_FLOW: f64 = 1_600.0;

/// Of the flows that began within the first timeout, those that are open still: 5 to 60 % in the settings of Vertigo.
const OPEN: f64 = 1.0 / 3.0;

/// A flow of a run that is over, as its tables are made.
const A_ROW: f64 = 330.0;

/// A directed link with its queue and its rows.
const A_LINK: f64 = 1_500.0;

/// A pair of switches in the tables of next hops.
const A_PAIR: f64 = 6.0;

/// A directed link in a further part of a run: every part has tables of the whole network.
const A_LINK_AGAIN: f64 = 350.0;

/// A count for each rounded time from a microsecond to a minute.
const ROUNDED: f64 = 500e3;

/// Samples of a part of a workload's flows: by size, short, long, of groups.
const PARTS: f64 = 8.0;

/// Of the largest of a scenario's runs, of which it writes tables or does not.
pub(super) fn of_run(scenario: &Scenario, tables: bool) -> f64 {
    let network = &scenario.network;
    let (mut flows, mut open) = (0.0, 0.0);
    for (class, of) in (0..).zip(&scenario.traffic) {
        let load = of.workload.load(cost(scenario, of), scenario.duration);
        let own = flows_of(scenario, of);
        flows += own;
        open += open_of(scenario, class, &load).min(own);
    }
    let running = flows * A_FLOW + open * AN_OPEN_FLOW;
    let over = if tables { flows * A_ROW } else { 0.0 };
    let switches = network.switches.len() as f64;
    let shims = scenario.schemes.iter();
    let shims = shims
        .map(|scheme| {
            scheme
                .config
                .shims
                .iter()
                .map(|shim| shim.bytes())
                .sum::<u64>()
        })
        .max();
    let mut schemes = scenario.schemes.iter();
    let counts = schemes.any(|scheme| scheme.config.switch.sent.is_some());
    let sent = if counts { Sent::BYTES as f64 } else { 0.0 };
    running.max(over)
        + 2.0 * network.cables.len() as f64 * A_LINK
        + switches * (switches * A_PAIR + sent)
        + f64::from(network.hosts) * shims.unwrap_or(0) as f64
}

/// Of each further part of a run that is cut for threads.
pub(super) fn of_part(scenario: &Scenario) -> f64 {
    let flows: f64 = (scenario.traffic.iter())
        .map(|of| flows_of(scenario, of))
        .sum();
    flows * A_FLOW + 2.0 * scenario.network.cables.len() as f64 * A_LINK_AGAIN
}

/// Events of a packet-hop that is recorded: 2.2 to 2.6, measured.
const EVENTS: f64 = 2.6;

/// An event in a recording: 8 bytes, measured, in a list that doubles as it grows.
const AN_EVENT: f64 = 16.0;

/// A flow in a recording's tail, as it is and as text, packed and read again.
const A_TAIL_FLOW: f64 = 500.0;

/// A chunk in the making, and events that wait for their order.
const A_CHUNK: f64 = 8e6;

/// Of the recording of a run that takes so much without one.
pub(super) fn of_recording(scenario: &Scenario, spec: &RecordSpec, run: &Estimate) -> f64 {
    let duration = scenario.duration.as_s_f64();
    let share = spec.window.map_or(1.0, |(from, to)| {
        let within = to.min(scenario.duration).saturating_sub(from);
        within.as_s_f64() / duration.max(f64::MIN_POSITIVE)
    });
    let events = run.hops * share * EVENTS * AN_EVENT;
    let events = match spec.window {
        Some(_) => events,
        None => events.min(2.0 * spec.most() as f64),
    };
    events + run.flows * A_TAIL_FLOW + A_CHUNK
}

/// Flows of workload number `class` that are open at once.
fn open_of(scenario: &Scenario, class: u8, load: &Load) -> f64 {
    let timeout = |scheme: &crate::scheme::Scheme| {
        let transport = scheme.config.transport_of(class);
        let tcp = transport.each_tcp().map(|tcp| tcp.rto.initial);
        tcp.unwrap_or_else(|| transport.shortest_timeout())
    };
    let first = scenario.schemes.iter().map(timeout).max();
    let first = first.unwrap_or(Time::ZERO).min(scenario.duration);
    OPEN * load.flows_per_s * first.as_s_f64() + (load.endless + load.active) as f64
}

/// Of the record of a run: of very many each sample is a count for each rounded time.
pub(super) fn kept(scenario: &Scenario) -> f64 {
    scenario
        .traffic
        .iter()
        .map(|of| kept_of(scenario, of))
        .sum()
}

fn kept_of(scenario: &Scenario, of: &Traffic) -> f64 {
    let load = of.workload.load(cost(scenario, of), scenario.duration);
    let flows = flows_of(scenario, of);
    let queries = load.queries_per_s * scenario.duration.as_s_f64();
    // How long they took, over what an idle network would have taken, and of answers or of all together.
    let whole = 3.0 * list(flows) + list(queries);
    let most = PARTS * list(Sample::EACH as f64);
    let parts = if queries > 0.0 {
        0.0
    } else {
        (2.0 * 8.0 * flows).min(most)
    };
    whole + parts
}

/// A sample of so many times.
fn list(times: f64) -> f64 {
    match times <= Sample::EACH as f64 {
        true => 8.0 * times,
        false => ROUNDED,
    }
}
