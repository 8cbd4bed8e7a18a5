//! Memory of a run in progress, and of the record kept afterwards.
//!
//! **Decision**     each planned flow takes memory for the whole run: its plan, its outcome, the indexes of its
//!                  ends and its start, its place in a shared connection. An open flow also has two ends and
//!                  its packets in flight. Open flows are a share of those that began within the first timeout
//!                  (a flow that loses its first packets waits that long), all endless flows, and all flows of
//!                  closed loops in progress. When a run is over, both ends of each flow are freed, and a run
//!                  that writes tables has a row for each flow.
//! **Units**        bytes.
//! **Source**       measured: `crates/lab/tests/memory.rs` compares this with the allocator, within a factor of
//!                  two; for fat-trees of 128 to 65,536 hosts the peak of the whole program, a release, was within 1.15.
//! **Deviations**   the share of open flows is assumed for all loads. Where a network collapses, so that most
//!                  flows are still in progress when the run ends, a run takes up to three times as much.

use super::{Estimate, cost, flows_of};
use crate::recording::RecordSpec;
use crate::scenario::{Scenario, Traffic};
use crate::stats::Sample;
use sidestep_sim::Network;
use sidestep_sim::workload::{Load, Site};
use sidestep_switch::AttainedService;
use sidestep_types::Time;

/// Program itself, with its output and figures: measured with `quickstart`.
pub(super) const ALWAYS: f64 = 34e6;

/// Planned flow: plan 48, outcome 104, two ends' places 16, start 16, half of its connection's 24, and 12 of
/// the list of flows that share one. Growing lists add slack.
const A_FLOW: f64 = 230.0;

/// Open flow: sender, receiver, their buffers, timers and packets.
const AN_OPEN_FLOW: f64 = 1_600.0;

/// Share of the flows begun within the first timeout that are still open: 5 to 60 % in the settings of Vertigo.
const OPEN: f64 = 1.0 / 3.0;

/// Flow of a finished run while its tables are written.
const A_ROW: f64 = 330.0;

/// Directed link with its queue and its rows: fat-trees of 8,192 and 65,536 hosts, of which a burst or a permutation uses
/// every tenth link or every one.
const A_LINK: f64 = 450.0;

/// Pair of a switch and a switch with hosts in the tables of next hops.
const A_PAIR: f64 = 6.0;

/// Directed link in a further part of a run: every part has tables of the whole network.
const A_LINK_AGAIN: f64 = 350.0;

/// Sample stored as counts, one for each rounded time from a microsecond to a minute.
const ROUNDED: f64 = 500e3;

/// Samples over a subset of a workload's flows: by size, short, long, of groups.
const PARTS: f64 = 8.0;

/// Returns the memory of the scenario's largest run, with or without tables of flows.
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
    let sent = if counts {
        AttainedService::BYTES as f64
    } else {
        0.0
    };
    running.max(over)
        + 2.0 * network.cables.len() as f64 * A_LINK
        + switches * (with_hosts(network) * A_PAIR + sent)
        + f64::from(network.hosts) * shims.unwrap_or(0) as f64
}

/// Returns the number of switches with hosts.
fn with_hosts(network: &Network) -> f64 {
    let mut racks = Site::of(network).racks;
    racks.sort_unstable();
    racks.dedup();
    racks.len() as f64
}

/// Returns the memory of each further part of a run that is cut for threads.
pub(super) fn of_part(scenario: &Scenario) -> f64 {
    let flows: f64 = (scenario.traffic.iter())
        .map(|of| flows_of(scenario, of))
        .sum();
    flows * A_FLOW + 2.0 * scenario.network.cables.len() as f64 * A_LINK_AGAIN
}

/// Events for each packet-hop that is recorded: 2.2 to 2.6, measured.
const EVENTS: f64 = 2.6;

/// Recorded event: 8 bytes, measured, in a list that doubles as it grows.
const AN_EVENT: f64 = 16.0;

/// Flow in a recording's tail, as a value and as text, compressed and read back.
const A_TAIL_FLOW: f64 = 500.0;

/// Chunk being written, and events that wait to be put in order.
const A_CHUNK: f64 = 8e6;

/// Returns the memory that recording adds to a run with this estimate.
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

/// Returns the flows of workload number `class` that are open at the same time.
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

/// Returns the memory of a run's record. A sample of very many values is stored as a count for each rounded
/// time.
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
    // Completion times, slowdowns and completion times of answers, and completion times of queries.
    let whole = 3.0 * list(flows) + list(queries);
    let most = PARTS * list(Sample::EACH as f64);
    let parts = if queries > 0.0 {
        0.0
    } else {
        (2.0 * 8.0 * flows).min(most)
    };
    whole + parts
}

/// Returns the memory of a sample with this number of times.
fn list(times: f64) -> f64 {
    match times <= Sample::EACH as f64 {
        true => 8.0 * times,
        false => ROUNDED,
    }
}
