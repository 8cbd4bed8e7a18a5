//! Outcome of a split run, joined from the outcomes of its parts.
//!
//! Each number is counted in one part: for a flow some at its source and the rest at its destination; for a
//! port its decisions at the sender and its arrivals at the receiver. In all other parts it is 0. So everything
//! adds up.

use crate::counts::Totals;
use crate::outcome::{ClassOutcome, FlowOutcome, Outcome, PortOutcome};
use crate::run_counts;
use crate::watch::Watched;

/// Adds the outcome of another part.
pub(super) fn join(all: &mut Outcome, other: Outcome) {
    let Outcome {
        flows,
        ports,
        classes,
        subflows,
        totals,
        deadlocks,
        end,
        trajectory_hash,
        traces,
    } = other;
    for (flow, more) in all.flows.iter_mut().zip(flows) {
        add_flow(flow, &more);
    }
    for (port, more) in all.ports.iter_mut().zip(ports) {
        add_port(port, &more);
    }
    for (class, more) in all.classes.iter_mut().zip(classes) {
        ClassOutcome::merge(class, &more);
    }
    all.subflows.extend(subflows);
    all.subflows.sort_unstable_by_key(|s| (s.flow, s.subflow));
    add_totals(&mut all.totals, &totals);
    all.deadlocks.extend(deadlocks);
    all.end = all.end.max(end);
    all.trajectory_hash = all.trajectory_hash.wrapping_add(trajectory_hash);
    all.traces.extend(traces);
}

fn add_flow(flow: &mut FlowOutcome, more: &FlowOutcome) {
    let FlowOutcome {
        started,
        finished,
        delivered_bytes,
        segments,
        retransmits,
        timeouts,
        spurious_retransmits,
        spurious_timeouts,
        fast_retransmits,
        dsacks,
        undone,
        reordered,
        reordering_extent,
        n_reordering,
        transport_reordered,
        marks,
        detours,
        max_detours,
        drops,
    } = *more;
    flow.started = flow.started.or(started);
    flow.finished = flow.finished.or(finished);
    flow.delivered_bytes += delivered_bytes;
    flow.segments += segments;
    flow.retransmits += retransmits;
    flow.timeouts += timeouts;
    flow.spurious_retransmits += spurious_retransmits;
    flow.spurious_timeouts += spurious_timeouts;
    flow.fast_retransmits += fast_retransmits;
    flow.dsacks += dsacks;
    flow.undone += undone;
    flow.reordered += reordered;
    flow.reordering_extent += reordering_extent;
    flow.n_reordering += n_reordering;
    flow.transport_reordered += transport_reordered;
    flow.marks += marks;
    flow.detours += detours;
    flow.max_detours += max_detours;
    flow.drops += drops;
}

fn add_port(port: &mut PortOutcome, more: &PortOutcome) {
    let PortOutcome {
        from: _,
        port: _,
        to: _,
        rate: _,
        packets,
        wire_bytes,
        counts,
        peak_packets,
        peak_bytes,
        pauses,
        paused,
        input_peak_bytes,
    } = more;
    port.packets += packets;
    port.wire_bytes += wire_bytes;
    port.counts += counts;
    port.peak_packets += peak_packets;
    port.peak_bytes += peak_bytes;
    port.pauses += pauses;
    port.paused += *paused;
    port.input_peak_bytes += input_peak_bytes;
}

/// Defines `add_totals`, which sums all counts of a run.
macro_rules! sum {
    (
        work { $($(#[$work_doc:meta])* $work:ident $(by $work_teller:ident)?;)* }
        signals { $($(#[$signal_doc:meta])* $signal:ident $(by $signal_teller:ident)?;)* }
    ) => {
        fn add_totals(totals: &mut Totals, more: &Totals) {
            $(totals.$work += more.$work;)*
            $(totals.$signal += more.$signal;)*
            for (sum, more) in totals.drops.iter_mut().zip(more.drops) {
                *sum += more;
            }
        }
    };
}

run_counts!(sum);

/// Checks that another part has watched nothing: a split run refuses to watch.
pub(super) fn add_watched(all: &mut Watched, other: Watched) {
    assert!(
        *all == Watched::default() && other == Watched::default(),
        "nothing is watched"
    );
}
