//! What no run can have: refused before it starts.

use crate::config::WorldConfig;
use crate::network::Network;
use crate::plan::{Plan, Start};
use sidestep_types::{HEADER_BYTES, Size, Time};

/// Errors name a setting that no run can have.
pub(crate) fn check_settings(config: &WorldConfig) -> Result<(), String> {
    let transport = &config.transport;
    let mss = transport.mss();
    if !(1..=MOST_MSS).contains(&mss) {
        return Err(format!("mss must be from 1 to {MOST_MSS} B, got {mss}"));
    }
    if transport.shortest_timeout() == Time::ZERO {
        return Err("a retransmission timeout must be above 0".into());
    }
    if config.ttl == 0 {
        return Err("a time to live must be above 0".into());
    }
    check_inner(config)
}

/// Errors name what is wrong with pauses, or with what is between inputs and outputs.
fn check_inner(config: &WorldConfig) -> Result<(), String> {
    let full = config.framing.wire(HEADER_BYTES + config.transport.mss());
    let full = u64::from(full - config.framing.unbuffered());
    let switch = &config.switch;
    if let Some(pfc) = switch.pfc {
        if switch.cioq.is_some() {
            return Err("pauses and a fabric between inputs and outputs do not go together".into());
        }
        if pfc.xoff.0 == 0 || pfc.xon.is_some_and(|xon| xon >= pfc.xoff) {
            return Err("a pause must come above 0 and above the resume".into());
        }
        let room = pfc
            .xoff
            .0
            .saturating_add(pfc.headroom.map_or(full, |h| h.0));
        if room < full {
            return Err(format!(
                "pfc_xoff and pfc_headroom must hold a full packet, {full} B, got {room} B"
            ));
        }
    }
    if let Some(cioq) = switch.cioq {
        let (times, over) = cioq.speedup;
        if over == 0 || times < over {
            return Err(format!("speedup must be at least 1, got {times}/{over}"));
        }
        let little = match cioq.input_capacity {
            Some(Size::Packets(n)) => n == 0,
            Some(Size::Bytes(b)) => b.0 < full,
            None => false,
        };
        if little {
            return Err(format!("input_capacity must hold a full packet, {full} B"));
        }
    }
    Ok(())
}

/// The largest payload whose packet, with headers and framing, fits the 16 bits of a length.
const MOST_MSS: u32 = 65_000;

/// Errors name the first flow or query that the network cannot have.
pub(crate) fn check_plan(network: &Network, plan: &Plan) -> Result<(), String> {
    let hosts = network.hosts;
    if plan.flows.len() >= u32::MAX as usize {
        return Err("more than 4,294,967,294 flows".into());
    }
    if plan.classes.len() > 256 {
        return Err(format!(
            "{} traffic classes, at most 256",
            plan.classes.len()
        ));
    }
    for (f, flow) in plan.flows.iter().enumerate() {
        if flow.src == flow.dst {
            return Err(format!("flow {f} goes from host {} to itself", flow.src.0));
        }
        if flow.src.0 >= hosts || flow.dst.0 >= hosts {
            let worst = flow.src.0.max(flow.dst.0);
            return Err(format!(
                "flow {f} names host {worst}, expected below {hosts}"
            ));
        }
        if flow.size == 0 {
            return Err(format!("flow {f} has no bytes"));
        }
        if usize::from(flow.class) >= plan.classes.len() {
            return Err(format!(
                "flow {f} is of class {}, which is not named",
                flow.class
            ));
        }
        if let Start::After { flow: other, .. } = flow.start {
            let Some(first) = plan.flows.get(other.0 as usize) else {
                return Err(format!(
                    "flow {f} waits for flow {}, which is not planned",
                    other.0
                ));
            };
            if first.dst != flow.src {
                return Err(format!(
                    "flow {f} waits for flow {}, which ends elsewhere",
                    other.0
                ));
            }
        }
    }
    Ok(())
}
