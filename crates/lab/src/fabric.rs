//! What a switch does between its ports: pauses for who sends to it, a fabric it takes time to cross.

use sidestep_sim::{CioqConfig, PfcConfig, SwitchConfig};
use sidestep_switch::buffer;
use sidestep_types::{Size, Values};

/// The words of `fabric`.
pub(crate) const FABRICS: &[&str] = &["output", "cioq"];

/// Reads `pfc` and what belongs to it. Errors name the parameter.
pub(crate) fn pfc(values: &Values) -> Result<Option<PfcConfig>, String> {
    if !values.flag("pfc") {
        return Ok(None);
    }
    let xoff = values.bytes("pfc_xoff");
    let xon = values.bytes_or_off("pfc_xon");
    if xoff.0 == 0 {
        return Err("pfc_xoff must be above 0".into());
    }
    if let Some(xon) = xon.filter(|xon| *xon >= xoff) {
        return Err(format!("pfc_xon ({xon}) must be below pfc_xoff ({xoff})"));
    }
    let headroom = values.bytes_or_off("pfc_headroom");
    Ok(Some(PfcConfig {
        xoff,
        xon,
        headroom,
    }))
}

/// Reads `fabric` and what belongs to it. Errors name the parameter.
pub(crate) fn cioq(values: &Values) -> Result<Option<CioqConfig>, String> {
    if values.word("fabric") != "cioq" {
        return Ok(None);
    }
    let speedup = values.fraction("speedup");
    if speedup.0 < speedup.1 {
        let (times, over) = speedup;
        return Err(format!("speedup must be at least 1, got {times}/{over}"));
    }
    let input_capacity = values.size_or_off("input_capacity");
    if input_capacity == Some(Size::Packets(0)) {
        return Err("input_capacity must be at least 1 pkt, got 0 pkt".into());
    }
    Ok(Some(CioqConfig {
        speedup,
        input_capacity,
    }))
}

/// Errors say what cannot be had together, and why.
pub(crate) fn go_together(switch: &SwitchConfig) -> Result<(), String> {
    if switch.pfc.is_none() {
        return Ok(());
    }
    let name = switch.buffer.0.as_str();
    if buffer::nature(name).detours {
        return Err(format!(
            "pfc and buffer {name:?} do not go together: a switch that pauses who sends to it \
             does not run out of room, so nothing is ever detoured (DIBS section 6)"
        ));
    }
    if switch.cioq.is_some() {
        return Err(
            "pfc and fabric = \"cioq\" do not go together yet: what pauses count is in output queues".into(),
        );
    }
    Ok(())
}
