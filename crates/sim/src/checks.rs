//! Checks before a run: impossible settings and plans are refused.

use crate::config::{NicConfig, SwitchConfig, WorldConfig};
use crate::network::Network;
use crate::plan::{FlowPlan, Joint, TrafficPlan};
use sidestep_switch::Capacity;
use sidestep_transport::shim;
use sidestep_types::{Bytes, FlowId, Framing, Longest, Refusal, Size, Time};

/// Refuses a setting that is impossible in a run of `plan` in a network with this many `switches`.
pub(crate) fn check_settings(
    config: &WorldConfig,
    switches: usize,
    plan: &TrafficPlan,
) -> Result<(), Refusal> {
    let mss = config.largest_mss(plan);
    let empty = config.all_transports().any(|each| each.mss() == 0);
    if empty || mss > MOST_MSS {
        let expected = format!("must be from 1 B to {MOST_MSS} B");
        let got = if empty { 0 } else { mss };
        return Err(Refusal::of("mss", expected).got(format!("{got} B")));
    }
    check_windows(config, plan)?;
    let mut all = config.all_transports();
    if all.any(|each| each.shortest_timeout() == Time::ZERO) {
        let params = ["rto_min", "rto_initial", "rto"];
        return Err(Refusal::about(
            &params,
            "a retransmission timeout must be above 0",
        ));
    }
    if config.ttl == 0 {
        return Err(Refusal::of("ttl", "must be above 0"));
    }
    check_others(config, switches)?;
    check_classes(config, plan)?;
    config.nic.as_ref().map_or(Ok(()), check_nic)?;
    for transport in config.all_transports() {
        shim::check(&config.shims, transport).map_err(|(_, why)| why)?;
    }
    shim::check_mss(&config.shims, mss).map_err(|(_, why)| why)?;
    check_switch(
        &config.switch,
        config.framing,
        shim::longest(&config.shims, mss),
    )
}

/// Refuses flows with segments larger than the window of their receiver.
fn check_windows(config: &WorldConfig, plan: &TrafficPlan) -> Result<(), Refusal> {
    let too_large = |flow: &FlowPlan| {
        let transport = config.transport_of(flow.class);
        let (own, window) = (flow.mss_or(transport.mss()), transport.receive_window());
        (own > transport.mss() && u64::from(own) > window).then_some((own, window))
    };
    match plan.flows.iter().filter_map(too_large).max() {
        None => Ok(()),
        Some((mss, window)) => {
            let expected = format!("a flow's mss must be within the receive window ({window} B)");
            Err(Refusal::of_none(expected).got(format!("{mss} B")))
        }
    }
}

/// Refuses transports for unknown classes, and flows on one connection with different transports.
fn check_classes(config: &WorldConfig, plan: &TrafficPlan) -> Result<(), Refusal> {
    let (own, classes) = (&config.transports.own, plan.classes.len());
    if own.is_empty() {
        return Ok(());
    }
    if own.len() != classes {
        let expected = format!("transports must have one entry for each of the {classes} classes");
        return Err(Refusal::of_none(expected).got(own.len()));
    }
    let of = |flow: FlowId| config.transport_of(plan.flows[flow.0 as usize].class);
    let differs = |joint: &&Joint| of(joint.flow) != of(joint.opener);
    match plan.joint.iter().find(differs) {
        None => Ok(()),
        Some(joint) => Err(Refusal::of_none(format!(
            "flow {} shares the connection of flow {} but has another transport",
            joint.flow.0, joint.opener.0
        ))),
    }
}

/// Refuses unknown kinds of switches, and switches that differ where all must be the same.
fn check_others(config: &WorldConfig, switches: usize) -> Result<(), Refusal> {
    let (switch, others) = (&config.switch, &config.others);
    if !others.of.is_empty() && others.of.len() != switches {
        let expected = format!("others must have one entry for each of the {switches} switches");
        return Err(Refusal::of_none(expected).got(others.of.len()));
    }
    let kinds = others.kinds.len();
    if let Some(kind) = (others.of.iter().flatten()).find(|kind| usize::from(**kind) >= kinds) {
        let expected = format!("a kind of switch must be a number below {kinds}");
        return Err(Refusal::of_none(expected).got(format!("number {kind}")));
    }
    let same = |other: &SwitchConfig| other.pfc == switch.pfc && other.cioq == switch.cioq;
    if !others.kinds.iter().all(same) {
        let wrong = "pfc and fabric must be the same for every switch";
        return Err(Refusal::about(&["pfc", "fabric"], wrong));
    }
    Ok(())
}

/// Refuses settings that are impossible for the queue of a NIC, which has no other port. The parameters are
/// those of `[host]` in a scenario.
pub fn check_nic(nic: &NicConfig) -> Result<(), Refusal> {
    if nic.buffer.nature().detours {
        let expected = "must be a policy that does not detour, since a NIC has no other port";
        return Err(Refusal::of("buffer", expected).got(format!("{:?}", nic.buffer.name())));
    }
    if matches!(nic.capacity, Capacity::Shared { .. }) {
        let expected = "must be a queue size, since a NIC has no other port to share memory with";
        return Err(Refusal::of("capacity", expected).got("\"shared\""));
    }
    Ok(())
}

/// Refuses pauses and switch fabrics that are impossible with packets of up to `longest`. The parameters are
/// those of `[switch]` in a scenario.
pub fn check_switch(
    switch: &SwitchConfig,
    framing: Framing,
    longest: impl Into<Longest>,
) -> Result<(), Refusal> {
    let longest = longest.into();
    let full = u64::from(framing.wire(longest.ip()) - framing.unbuffered());
    let full_packet = format!("must hold a full packet, {full} B with {longest}");
    if let Some(pfc) = switch.pfc {
        if switch.cioq.is_some() {
            let wrong = "pfc and fabric = \"cioq\" cannot be combined yet: pauses count packets in \
                         output queues";
            return Err(Refusal::about(&["pfc", "fabric"], wrong));
        }
        let xoff = pfc.xoff;
        if xoff.0 == 0 {
            return Err(Refusal::of("pfc_xoff", "must be above 0"));
        }
        if let Some(xon) = pfc.xon.filter(|xon| *xon >= xoff) {
            let wrong = format!("pfc_xon ({xon}) must be below pfc_xoff ({xoff})");
            return Err(Refusal::about(&["pfc_xon", "pfc_xoff"], wrong));
        }
        // The value of "auto" always holds more than a packet.
        let room = pfc.headroom.map(|more| xoff.0.saturating_add(more.0));
        if let Some(room) = room.filter(|room| *room < full) {
            let wrong = format!("pfc_xoff and pfc_headroom together {full_packet}");
            return Err(Refusal::about(&["pfc_xoff", "pfc_headroom"], wrong).got(Bytes(room)));
        }
    }
    if let Some(cioq) = switch.cioq {
        let (times, over) = cioq.speedup;
        if over == 0 || times < over {
            let refusal = Refusal::of("speedup", "must be at least 1");
            return Err(refusal.got(format!("{times}/{over}")));
        }
        match cioq.input_capacity {
            Some(Size::Packets(0)) => {
                let refusal = Refusal::of("input_capacity", "must be at least 1 pkt");
                return Err(refusal.got("0 pkt"));
            }
            Some(Size::Bytes(bytes)) if bytes.0 < full => {
                return Err(Refusal::of("input_capacity", full_packet).got(bytes));
            }
            Some(_) | None => {}
        }
    }
    Ok(())
}

/// Largest payload whose packet, with headers and framing, fits the 16 bits of a length.
const MOST_MSS: u32 = 65_000;

/// Refuses the first flow that is impossible in the network. A plan has no parameters to blame.
pub(crate) fn check_plan(network: &Network, plan: &TrafficPlan) -> Result<(), Refusal> {
    let refuse = |why: String| Err(Refusal::of_none(why));
    let hosts = network.hosts;
    if plan.flows.len() >= u32::MAX as usize {
        return refuse("more than 4,294,967,294 flows".into());
    }
    if plan.classes.len() > 256 {
        return refuse(format!(
            "{} traffic classes, at most 256",
            plan.classes.len()
        ));
    }
    for (f, flow) in plan.flows.iter().enumerate() {
        if flow.src == flow.dst {
            return refuse(format!("flow {f} goes from host {} to itself", flow.src.0));
        }
        if flow.src.0 >= hosts || flow.dst.0 >= hosts {
            let worst = flow.src.0.max(flow.dst.0);
            return refuse(format!(
                "flow {f} names host {worst}, expected below {hosts}"
            ));
        }
        if flow.size == 0 {
            return refuse(format!("flow {f} has no bytes"));
        }
        if flow.size > FlowPlan::LARGEST && !flow.is_endless() {
            return refuse(format!(
                "flow {f} has {} bytes, expected at most {}",
                flow.size,
                FlowPlan::LARGEST
            ));
        }
        if usize::from(flow.class) >= plan.classes.len() {
            return refuse(format!(
                "flow {f} is of class {}, which the plan does not name",
                flow.class
            ));
        }
        if let Some(other) = flow.start.follows() {
            let Some(first) = plan.flows.get(other.0 as usize) else {
                return refuse(format!(
                    "flow {f} waits for flow {}, which is not in the plan",
                    other.0
                ));
            };
            if first.dst != flow.src {
                return refuse(format!(
                    "flow {f} waits for flow {}, which does not end at the host that sends flow {f}",
                    other.0
                ));
            }
        }
    }
    check_joint(plan)
}

/// Refuses connections that two hosts cannot share.
fn check_joint(plan: &TrafficPlan) -> Result<(), Refusal> {
    let refuse = |why: String| Err(Refusal::of_none(why));
    if !plan.joint.is_sorted_by(|a, b| a.flow < b.flow) {
        return refuse(
            "flows that share a connection must be in the order of their numbers".into(),
        );
    }
    for joint in &plan.joint {
        let (f, o) = (joint.flow.0, joint.opener.0);
        let connection = |flow| plan.joint_place(flow).map(|i| plan.joint[i].opener);
        let (Some(flow), Some(opener)) = (plan.flows.get(f as usize), plan.flows.get(o as usize))
        else {
            return refuse(format!(
                "flow {f} shares a connection with flow {o}, and one of them is not in the plan"
            ));
        };
        if connection(joint.opener) != Some(joint.opener) || o > f {
            return refuse(format!(
                "flow {f} shares the connection of flow {o}, but flow {o} does not open it"
            ));
        }
        if flow.is_endless() {
            return refuse(format!("flow {f} is endless and cannot share a connection"));
        }
        if flow.mss != opener.mss {
            return refuse(format!(
                "flow {f} shares the connection of flow {o} but has another mss"
            ));
        }
        if (flow.src, flow.dst) == (opener.src, opener.dst) {
            continue;
        }
        if (flow.src, flow.dst) != (opener.dst, opener.src) {
            return refuse(format!(
                "flow {f} shares the connection of flow {o} but joins other hosts"
            ));
        }
        let asks = |r: &FlowId| {
            let from = plan.flows.get(r.0 as usize).map(|request| request.src);
            connection(*r) == Some(joint.opener) && from == Some(opener.src)
        };
        if flow.start.follows().filter(asks).is_none() {
            return refuse(format!(
                "flow {f} answers on the connection of flow {o} but follows no flow of that \
                 connection"
            ));
        }
    }
    Ok(())
}
