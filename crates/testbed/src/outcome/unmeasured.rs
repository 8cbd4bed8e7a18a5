//! The names of what real packets do not tell: keys of a summary, metrics, and columns of tables.
//!
//! **Decision**     a name stands here exactly when what is shown under it depends on a field that nobody
//!                  measured. The tests beside this file go over all fields and all that is shown.

use crate::traffic::{FlowRan, Ran};
use sidestep_lab::Unmeasured;
use sidestep_lab::stats::metric;
use sidestep_switch::DropReason;
use sidestep_switch::ports::Counts;

/// Never known of real packets: what became of a flow's packets in the switches, what a network
/// without a clock of its own would have to say, and pauses, which no testbed has.
const NEVER: [&str; 63] = [
    "detoured_share",
    "detoured_data_share",
    "detoured_query_share",
    "detoured_background_share",
    "detours_per_packet",
    "detours_p99",
    "detours_max",
    "stretch_mean",
    "extra_hops_p99",
    "spurious_retransmits",
    "spurious_share",
    "spurious_timeouts",
    "fast_retransmits",
    "dsacks",
    "undone",
    "reordered_share",
    "transport_reordered_share",
    "reordering_p99",
    "reordering_p99_at_least",
    "reinjections",
    "host_marks",
    "host_drops",
    "shim_held",
    "shim_released",
    "shim_expired",
    "shim_discarded",
    "shim_late",
    "shim_bypassed",
    "shim_dropped",
    "shim_duplicates",
    "shim_marked",
    "shim_repeats",
    "shim_mistaken",
    "shim_missed",
    "pauses",
    "deadlocks",
    "in_flight",
    "events",
    "trajectory_hash",
    "classes.detoured",
    "classes.detours",
    "classes.detours_delivered",
    "classes.dropped",
    "classes.detours_each",
    "classes.extra_hops",
    "classes.trimmed",
    "classes.reordered",
    "classes.transport_reordered",
    "classes.n_reordering",
    "flows.spurious_retransmits",
    "flows.spurious_timeouts",
    "flows.fast_retransmits",
    "flows.dsacks",
    "flows.undone",
    "flows.reordered",
    "flows.reordering_extent",
    "flows.n_reordering",
    "flows.transport_reordered",
    "flows.detours",
    "flows.max_detours",
    "flows.drops",
    "ports.host.peak_packets",
    "ports.host.peak_bytes",
];

/// The same of the ports of hosts and of switches.
const NEVER_AT_PORTS: [&str; 3] = ["pauses", "paused_ns", "input_peak_bytes"];

/// Not known with bridges, which count nothing of the kind: these, and [`decided`].
const OF_SWITCHES: [&str; 13] = [
    "drops",
    "drop_share",
    "drops_at",
    "detours",
    "packet_hops",
    "link_use",
    "link_use_mean",
    "link_use_max",
    "ports.switch.packets",
    "ports.switch.wire_bytes",
    "ports.switch.utilisation",
    "ports.switch.peak_packets",
    "ports.switch.peak_bytes",
];

/// What was not counted: always, without switches that count, and by an older kernel.
pub fn of(ran: &Ran, switches: bool) -> Unmeasured {
    let mut all = Unmeasured::of(NEVER);
    for end in ["host", "switch"] {
        all.add(&Unmeasured::of(at_ports(end, NEVER_AT_PORTS)));
    }
    all.add(&Unmeasured::of(at_ports("host", decided())));
    if !switches {
        all.add(&Unmeasured::of(OF_SWITCHES));
        all.add(&Unmeasured::of(at_ports("switch", decided())));
        let over_all = decided().filter(|name| metric::find(name).is_some());
        all.add(&Unmeasured::of(over_all));
    }
    let mut older = |known: fn(&FlowRan) -> bool, names: &[&str]| {
        if !ran.flows.iter().all(known) {
            all.add(&Unmeasured::of(names.iter().copied()));
        }
    };
    older(
        |flow| flow.sender.total_rto.is_some(),
        &[
            "timeouts",
            "query_timeout_share",
            "response_timeout_share",
            "flows.timeouts",
        ],
    );
    older(
        |flow| flow.sender.data_segments_out.is_some(),
        &["classes.sent", "flows.packets"],
    );
    older(
        |flow| flow.receiver.data_segments_in.is_some(),
        &["classes.delivered"],
    );
    older(
        |flow| flow.sender.delivered_marked.is_some(),
        &["classes.marked", "flows.marks"],
    );
    all
}

/// What a switch counts of its decisions at a port: columns, and metrics where it is one over all ports.
fn decided() -> impl Iterator<Item = &'static str> {
    let counts = Counts::ALL.iter().map(|count| count.name);
    counts.chain(DropReason::ALL.map(DropReason::counted_as))
}

/// These columns of the ports of hosts or switches.
fn at_ports(
    end: &str,
    columns: impl IntoIterator<Item = &'static str>,
) -> impl Iterator<Item = String> {
    let columns = columns.into_iter();
    columns.map(move |column| format!("ports.{end}.{column}"))
}
