//! Switch settings between input and output port: pauses for senders, and a fabric that takes time to cross.
//!
//! **Errors**       [`sidestep_sim::check_switch`] refuses values that no switch can have.

use crate::tables::{SwitchFabric, SwitchSettings};
use sidestep_sim::{CioqConfig, PfcConfig, SwitchConfig};
use sidestep_types::Refusal;

/// Reads `pfc` and its dependent keys.
pub(crate) fn pfc(switch: &SwitchSettings) -> Option<PfcConfig> {
    switch.pfc.then_some(PfcConfig {
        xoff: switch.pfc_xoff,
        xon: switch.pfc_xon,
        headroom: switch.pfc_headroom,
    })
}

/// Reads `fabric` and its dependent keys.
pub(crate) fn cioq(switch: &SwitchSettings) -> Option<CioqConfig> {
    (switch.fabric == SwitchFabric::Cioq).then_some(CioqConfig {
        speedup: (switch.speedup.0, switch.speedup.1),
        input_capacity: switch.input_capacity,
    })
}

/// Refuses pauses beside a buffer that they make useless.
pub(crate) fn go_together(switch: &SwitchConfig) -> Result<(), Refusal> {
    if switch.pfc.is_some() && switch.buffer.nature().detours {
        let name = switch.buffer.name();
        let wrong = format!(
            "pfc and buffer {name:?} cannot be combined: with pauses a queue never overflows, so \
             no packet is ever detoured (DIBS section 6)"
        );
        return Err(Refusal::about(&["pfc", "buffer"], wrong));
    }
    Ok(())
}
