//! What a switch does between its ports: pauses for its senders, and a fabric that takes time to cross.

use sidestep_sim::{CioqConfig, PfcConfig, SwitchConfig};
use sidestep_switch::buffer;
use sidestep_types::{Refusal, Size, Values};

/// The words of `fabric`.
pub(crate) const FABRICS: &[&str] = &["output", "cioq"];

/// Reads `pfc` and what belongs to it.
pub(crate) fn pfc(values: &Values) -> Result<Option<PfcConfig>, Refusal> {
    if !values.flag("pfc") {
        return Ok(None);
    }
    let xoff = values.bytes("pfc_xoff");
    let xon = values.bytes_or_off("pfc_xon");
    if xoff.0 == 0 {
        return Err(Refusal::of("pfc_xoff", "must be above 0"));
    }
    if let Some(xon) = xon.filter(|xon| *xon >= xoff) {
        let wrong = format!("pfc_xon ({xon}) must be below pfc_xoff ({xoff})");
        return Err(Refusal::about(&["pfc_xon", "pfc_xoff"], wrong));
    }
    let headroom = values.bytes_or_off("pfc_headroom");
    Ok(Some(PfcConfig {
        xoff,
        xon,
        headroom,
    }))
}

/// Reads `fabric` and what belongs to it.
pub(crate) fn cioq(values: &Values) -> Result<Option<CioqConfig>, Refusal> {
    if values.word("fabric") != "cioq" {
        return Ok(None);
    }
    let speedup = values.fraction("speedup");
    if speedup.0 < speedup.1 {
        let (times, over) = speedup;
        let refusal = Refusal::of("speedup", "must be at least 1");
        return Err(refusal.got(format!("{times}/{over}")));
    }
    let input_capacity = values.size_or_off("input_capacity");
    if input_capacity == Some(Size::Packets(0)) {
        return Err(Refusal::of("input_capacity", "must be at least 1 pkt").got("0 pkt"));
    }
    Ok(Some(CioqConfig {
        speedup,
        input_capacity,
    }))
}

/// Errors say what cannot be had together, and why.
pub(crate) fn go_together(switch: &SwitchConfig) -> Result<(), Refusal> {
    if switch.pfc.is_none() {
        return Ok(());
    }
    let name = switch.buffer.0.as_str();
    if buffer::nature(name).detours {
        let wrong = format!(
            "pfc and buffer {name:?} do not go together: a switch that pauses who sends to it \
             does not run out of room, so nothing is ever detoured (DIBS section 6)"
        );
        return Err(Refusal::about(&["pfc", "buffer"], wrong));
    }
    if switch.cioq.is_some() {
        let wrong = "pfc and fabric = \"cioq\" do not go together yet: what pauses count is in \
                     output queues";
        return Err(Refusal::about(&["pfc", "fabric"], wrong));
    }
    Ok(())
}
