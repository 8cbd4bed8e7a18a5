//! What a transport goes by, and switches, shims or hosts do not say: marks, echoes, losses, delays.

use super::{nature, nature_of};
use crate::scheme::Scheme;
use sidestep_sim::SwitchConfig;
use sidestep_switch::{Capacity, buffer, sched};
use sidestep_types::{Size, Value};

pub(super) fn nothing_marks(scheme: &Scheme, switch: &SwitchConfig) -> Option<String> {
    (silent(&switch.buffer, &switch.sched) && reacts_to_marks(scheme)).then(|| {
        let buffer = switch.buffer.name();
        format!("the transport slows down on marks, but buffer {buffer:?} as set marks nothing on its way")
    })
}

pub(super) fn nothing_marks_for_agent(scheme: &Scheme, switch: &SwitchConfig) -> Option<String> {
    let name = reads_echoes(scheme)?;
    let nic = scheme.config.nic.as_ref();
    if let Some(nic) = nic.filter(|nic| silent(&nic.buffer, &nic.sched)) {
        return Some(format!(
            "{name} lets duplicate acknowledgements pass that echo a mark, and buffer {:?} of [host] \
             marks nothing: what a NIC loses costs a timeout",
            nic.buffer.name()
        ));
    }
    let silent = reacts_to_marks(scheme) && silent(&switch.buffer, &switch.sched);
    silent.then(|| {
        format!(
            "{name} lets duplicate acknowledgements pass that echo a mark, and buffer {:?} as set marks \
             nothing: what it loses costs a timeout",
            switch.buffer.name()
        )
    })
}

pub(super) fn nothing_echoes(scheme: &Scheme) -> Option<String> {
    let name = reads_echoes(scheme)?;
    (!reacts_to_marks(scheme)).then(|| {
        format!(
            "{name} lets duplicate acknowledgements pass that echo a mark, and transport {} asks for no \
             echo: all of them are dropped, and each loss costs a timeout",
            scheme.config.transport.name()
        )
    })
}

/// A shim that keeps duplicates back, but not those that start a repair.
pub(super) fn passes_too_many(scheme: &Scheme) -> Option<String> {
    let threshold = scheme.config.transport.tcp()?.dupack_threshold?;
    scheme.config.shims.iter().find_map(|shim| {
        let param = shim.nature().passes?;
        let (name, passes) = (shim.name(), shim.values().count(param));
        (passes >= u64::from(threshold)).then(|| {
            format!(
                "{name} lets the first {passes} duplicate acknowledgements of a run pass, and \
                 fast_retransmit = {threshold} has started by then: expected {param} below \
                 {threshold}"
            )
        })
    })
}

pub(super) fn marks_too_late(buffer: &buffer::Chosen, capacity: Capacity) -> Option<String> {
    let Capacity::PerPort(capacity) = capacity else {
        return None;
    };
    let Some(Value::Size(mark_at)) = buffer.get("mark_at") else {
        return None;
    };
    let late = match (mark_at, capacity) {
        (Size::Packets(mark), Size::Packets(room)) => *mark >= room,
        (Size::Bytes(mark), Size::Bytes(room)) => *mark >= room,
        _ => false,
    };
    late.then(|| format!("mark_at ({mark_at}) is not below capacity ({capacity}): a queue is full before it marks"))
}

pub(super) fn detours_without_signal(scheme: &Scheme, switch: &SwitchConfig) -> Option<String> {
    let hears = reacts_to_marks(scheme) || goes_by_delays(scheme);
    let alone = nature(switch).detours && !hears;
    alone.then(|| {
        "detours hide losses, and this transport slows down on losses alone: it needs one that \
         reacts to marks (DIBS section 3)"
            .to_string()
    })
}

pub(super) fn line_rate_without_priorities(
    scheme: &Scheme,
    switch: &SwitchConfig,
) -> Option<String> {
    let transport = &scheme.config.transport;
    let expected = transport.nature().buffer?;
    let buffer = switch.buffer.name();
    let evicts = nature(switch).answers.contains(&"evict");
    (buffer != expected && !evicts).then(|| {
        format!(
            "transport {} sends at line rate until a timeout, since its switches drop what \
             has most left to send: buffer {buffer:?} does not (SIGCOMM 2013)",
            transport.name()
        )
    })
}

/// Delays that say how a flow ranks, for who takes them for the length of a queue. Who deflects what it has no
/// room for keeps the queue that makes them.
pub(super) fn delays_by_rank(scheme: &Scheme, switch: &SwitchConfig) -> Option<String> {
    let nature = nature(switch);
    let ranks = nature.answers.contains(&"evict") && !nature.displaces;
    (ranks && goes_by_delays(scheme)).then(|| {
        format!(
            "transport {} slows down on delays, and under buffer {:?} they say how a flow ranks, not how \
             long the queue is: what has most left to send is dropped, what has least leaves first",
            scheme.config.transport.name(),
            switch.buffer.name()
        )
    })
}

/// Acknowledgements that wait, for who takes their delay for one of the network.
pub(super) fn delays_of_hosts(scheme: &Scheme) -> Option<String> {
    let transport = &scheme.config.transport;
    let delayed = transport.tcp()?.delayed_ack?;
    goes_by_delays(scheme).then(|| {
        format!(
            "delayed_ack = {:?}: transport {} takes the wait of an acknowledgement for one of the network, \
             and slows down for it",
            delayed.timeout.to_string(),
            transport.name()
        )
    })
}

/// A shim that goes by echoes of marks.
fn reads_echoes(scheme: &Scheme) -> Option<&'static str> {
    let mut shims = scheme.config.shims.iter();
    let reads = shims.find(|shim| shim.nature().echoes)?;
    Some(reads.name())
}

pub(super) fn reacts_to_marks(scheme: &Scheme) -> bool {
    scheme.config.transport.nature().marks
}

fn goes_by_delays(scheme: &Scheme) -> bool {
    scheme.config.transport.nature().delays
}

/// A buffer policy that marks nothing.
pub(super) fn silent(buffer: &buffer::Chosen, sched: &sched::Chosen) -> bool {
    !nature_of(buffer, sched).marks || buffer.get("mark_at") == Some(&Value::Off)
}
