//! Switch settings between input and output port: pauses for senders, and a fabric that takes time to cross.
//!
//! **Errors**       [`sidestep_sim::check_switch`] refuses values that no switch can have.

use sidestep_sim::{CioqConfig, PfcConfig, SwitchConfig};
use sidestep_switch::buffer;
use sidestep_types::{Refusal, Values};

/// Words of `fabric`.
pub(crate) const FABRICS: &[&str] = &["output", "cioq"];

/// Reads `pfc` and its dependent keys.
pub(crate) fn pfc(values: &Values) -> Option<PfcConfig> {
    values.flag("pfc").then(|| PfcConfig {
        xoff: values.bytes("pfc_xoff"),
        xon: values.bytes_or_off("pfc_xon"),
        headroom: values.bytes_or_off("pfc_headroom"),
    })
}

/// Reads `fabric` and its dependent keys.
pub(crate) fn cioq(values: &Values) -> Option<CioqConfig> {
    (values.word("fabric") == "cioq").then(|| CioqConfig {
        speedup: values.fraction("speedup"),
        input_capacity: values.size_or_off("input_capacity"),
    })
}

/// Refuses pauses beside a buffer that they make useless.
pub(crate) fn go_together(switch: &SwitchConfig) -> Result<(), Refusal> {
    let name = switch.buffer.0.as_str();
    if switch.pfc.is_some() && buffer::nature(name).detours {
        let wrong = format!(
            "pfc and buffer {name:?} cannot be combined: with pauses a queue never overflows, so \
             no packet is ever detoured (DIBS section 6)"
        );
        return Err(Refusal::about(&["pfc", "buffer"], wrong));
    }
    Ok(())
}
