//! Changes every field of a run that real packets do not measure.

use super::Without;
use sidestep_lab::{Probed, Run};
use sidestep_sim::pfc::Deadlock;
use sidestep_sim::{
    ClassOutcome, End, FlowOutcome, Histogram, NReordering, Outcome, PortOutcome, Totals,
};
use sidestep_switch::DropReason;
use sidestep_switch::ports::Counts;
use sidestep_types::Time;

/// Changes every field that was not measured. For a new field the compiler requires a decision here: if real
/// packets measure it, write `_` and give it a value other than 0 in [`super::measured`]; if not, change it.
pub fn spoil(run: &mut Run, without: Without) {
    let Run {
        scheme: _,
        seed: _,
        plan: _,
        network: _,
        outcome,
        framing: _,
        mss: _,
        probed,
        // Set by the caller, from the switches' notes.
        recording: _,
        interrupted: _,
        marks: _,
        told: _,
        warnings: _,
    } = run;
    let Outcome {
        flows,
        ports,
        classes,
        totals,
        deadlocks,
        // Kernels are not queried for subflows: the table has no rows, rather than rows of 0.
        subflows: _,
        end: _,
        trajectory_hash,
        // Written only if packets are traced, which a testbed does not do.
        traces: _,
    } = outcome;
    flows.iter_mut().for_each(|flow| spoil_flow(flow, without));
    ports.iter_mut().for_each(|port| spoil_port(port, without));
    classes
        .iter_mut()
        .for_each(|class| spoil_class(class, without));
    spoil_totals(totals, without);
    *trajectory_hash = 7;
    deadlocks.push(Deadlock {
        at: Time::ZERO,
        ports: vec![0, 1],
    });
    let Probed {
        drops_at,
        // Real packets are not sampled or logged: the tables have no rows, rather than rows of 0.
        samples: _,
        windows: _,
        thinned: _,
        flows_from: _,
        detours: _,
        detours_missed: _,
        occupancy: _,
        paths: _,
        loops: _,
    } = probed;
    if without.switches {
        drops_at.insert("full".into(), [("edge".into(), 7)].into());
    }
}

fn spoil_flow(flow: &mut FlowOutcome, without: Without) {
    let FlowOutcome {
        started: _,
        finished: _,
        delivered_bytes: _,
        segments,
        retransmits: _,
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
    } = flow;
    let never = [
        spurious_retransmits,
        spurious_timeouts,
        fast_retransmits,
        dsacks,
        undone,
        reordered,
        reordering_extent,
        n_reordering,
        transport_reordered,
        detours,
        drops,
    ];
    never.into_iter().for_each(|count| *count += 7);
    *max_detours += 7;
    *segments += 7 * u32::from(without.data_out);
    *timeouts += 7 * u32::from(without.timeouts);
    *marks += 7 * u32::from(without.marked);
}

fn spoil_port(port: &mut PortOutcome, without: Without) {
    let PortOutcome {
        from,
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
    } = port;
    *pauses += 7;
    *paused += Time::from_us(7);
    *input_peak_bytes += 7;
    let at_host = matches!(from, End::Host(_));
    if at_host || without.switches {
        *counts = Counts::read::<()>(|_| Ok(77), |_| Ok(77)).unwrap();
        *peak_packets += 7;
        *peak_bytes += 7;
    }
    if !at_host && without.switches {
        *packets += 7;
        *wire_bytes += 7_000;
    }
}

fn spoil_class(class: &mut ClassOutcome, without: Without) {
    let ClassOutcome {
        sent,
        delivered,
        detoured,
        detours,
        dropped,
        marked,
        detours_each,
        extra_hops,
        trimmed,
        reordered,
        transport_reordered,
        n_reordering,
    } = class;
    *sent += 7 * u64::from(without.data_out);
    // More than the counts of detoured or reordered packets.
    *delivered += 70 * u64::from(without.data_in);
    *marked += 7 * u64::from(without.marked);
    [
        detoured,
        detours,
        dropped,
        trimmed,
        reordered,
        transport_reordered,
    ]
    .into_iter()
    .for_each(|count| *count += 7);
    detours_each.add(3, 7);
    extra_hops.resize(3, Histogram::default());
    extra_hops[2].add(4, 7);
    n_reordering.counts[NReordering::BUCKETS - 1] += 7;
}

fn spoil_totals(totals: &mut Totals, without: Without) {
    let Totals {
        packet_hops,
        events,
        sent: _,
        delivered: _,
        in_flight,
        detours,
        detoured,
        pauses,
        marks,
        host_marks,
        host_drops,
        trims,
        timeouts,
        retransmits: _,
        spurious_retransmits,
        spurious_timeouts,
        fast_retransmits,
        dsacks,
        undone,
        reinjections,
        shim_held,
        shim_released,
        shim_expired,
        shim_discarded,
        shim_late,
        shim_bypassed,
        shim_dropped,
        shim_duplicates,
        shim_marked,
        shim_repeats,
        shim_mistaken,
        shim_missed,
        drops,
    } = totals;
    let never = [
        events,
        in_flight,
        detoured,
        pauses,
        host_marks,
        host_drops,
        spurious_retransmits,
        spurious_timeouts,
        fast_retransmits,
        dsacks,
        undone,
        reinjections,
        shim_held,
        shim_released,
        shim_expired,
        shim_discarded,
        shim_late,
        shim_bypassed,
        shim_dropped,
        shim_duplicates,
        shim_marked,
        shim_repeats,
        shim_mistaken,
        shim_missed,
    ];
    never.into_iter().for_each(|count| *count += 7);
    *timeouts += 7 * u64::from(without.timeouts);
    if without.switches {
        let decided = [packet_hops, detours, marks, trims];
        decided.into_iter().for_each(|count| *count += 7);
        *drops = [7; DropReason::COUNT];
    }
}
