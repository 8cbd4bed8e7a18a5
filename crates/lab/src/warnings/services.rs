//! Warnings about classes of service that no policy uses, or no host sets, and flows whose first window exceeds
//! a flow's room.

use super::parts::Part;
use super::{nature_of, natures};
use crate::scheme::Scheme;
use sidestep_sim::{SwitchConfig, TrafficPlan};
use sidestep_transport::shim;
use sidestep_transport::shim::by_size::{Announced, Classes};
use sidestep_types::{FlowId, Settings, Size, Value};

/// Returns the shim that sets the class of service of the packets its host sends.
fn serves(scheme: &Scheme) -> Option<&shim::Chosen> {
    let mut shims = scheme.config.shims.iter();
    shims.find(|shim| shim.nature().serves)
}

/// Warns of classes of service that hosts set, where neither a switch nor a NIC distinguishes them.
pub(super) fn nothing_goes_by_services(scheme: &Scheme) -> Option<String> {
    let name = serves(scheme)?.name();
    let at_nics = (scheme.config.nic.as_ref()).is_some_and(|nic| {
        nature_of(&nic.buffer, &nic.sched).classes || nic.sched.nature().classes
    });
    let reads = |(_, switch)| natures(switch).iter().any(|(_, _, nature)| nature.classes);
    (!at_nics && !scheme.switches().any(reads)).then(|| {
        format!(
            "{name} sets classes of service, but no route, buffer or scheduler here distinguishes \
             them"
        )
    })
}

/// Warns of switches that distinguish classes of service, where no host sets one.
pub(super) fn nobody_sets_services(scheme: &Scheme, switch: &SwitchConfig) -> Option<String> {
    if serves(scheme).is_some() || switch.sched.get("classes") == Some(&Value::Count(1)) {
        return None;
    }
    let natures = natures(switch);
    let read = natures.iter().filter(|(_, _, nature)| nature.classes);
    let read: Vec<String> = read
        .map(|(key, name, _)| format!("{key} {name:?}"))
        .collect();
    let shims = shim::ENTRIES.iter().map(|entry| entry.name);
    let shims: Vec<String> = shims
        .filter(|name| shim::nature(name).serves)
        .map(|name| format!("{name:?}"))
        .collect();
    (!read.is_empty()).then(|| {
        format!(
            "{} {} classes of service, but no shim sets one: all packets are in class 0; add {} to \
             host.shims",
            read.join(" and "),
            if read.len() == 1 {
                "distinguishes"
            } else {
                "tell"
            },
            shims.join(" or ")
        )
    })
}

/// Returns a function from a flow's number and size to the class that it begins in.
fn first_services(scheme: &Scheme) -> impl Fn(FlowId, Option<u64>) -> u8 {
    let marks = serves(scheme).filter(|shim| shim.name() == "by-size");
    let marks = marks.map(|shim| {
        let (values, read) = (shim.values(), "it was read");
        let classes = Classes::read(values).expect(read);
        let announced = Announced::read(values).expect(read);
        (values.word("by") == "size", classes, announced)
    });
    move |flow, size| match &marks {
        None => 0,
        Some((false, classes, _)) => classes.of_size(1),
        Some((true, classes, announced)) => {
            classes.of_size(size.map_or(u64::MAX, |size| announced.of(flow, size)))
        }
    }
}

/// Warns of queues with room by the number of flows, if a flow sends more before its first acknowledgement.
pub(super) fn first_window_is_more_than_a_flow_s_room(
    part: &Part<'_>,
    switch: &SwitchConfig,
    first: &TrafficPlan,
) -> Option<String> {
    let scheme = &*part.scheme;
    let (param, by_flows) = switch.buffer.nature().flows?;
    if switch.buffer.values().word(param) != by_flows {
        return None;
    }
    let Some(Value::Size(per_flow)) = switch.buffer.get("per_flow") else {
        return None;
    };
    let window = u64::from(scheme.config.transport.each_tcp()?.initial_window);
    let mss = u64::from(scheme.config.transport.mss());
    let room = match per_flow {
        Size::Packets(n) => *n,
        Size::Bytes(bytes) => bytes.0 / mss,
    };
    let long = switch.buffer.values().count("long");
    let begins = first_services(scheme);
    let has = part.has(first);
    let own = first.flows.iter().zip(0..).filter(|(flow, _)| has(flow));
    let flows = own.filter(|(flow, number)| {
        let size = (!flow.is_endless()).then_some(flow.size);
        flow.size > room.saturating_mul(mss) && u64::from(begins(FlowId(*number), size)) < long
    });
    let larger = flows.count();
    (window > room && larger > 0).then(|| {
        let buffer = switch.buffer.name();
        format!(
            "an initial window of {window} packets exceeds per_flow = {per_flow} of buffer \
             {buffer:?}: short flows that begin together each send {window} packets at once and \
             have room for {room}, so packets are dropped ({larger} short flows of the first seed \
             are larger than {room} packets); set initial_window to at most {room}, or {param} = \
             \"static\""
        )
    })
}
