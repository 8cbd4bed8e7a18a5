//! What a switch does between its ports: pauses for its senders, and a fabric that takes time to cross.
//!
//! **Errors**       values that no switch can have are refused by [`sidestep_sim::check_switch`].

use crate::tables::{SwitchFabric, SwitchSettings};
use sidestep_sim::{CioqConfig, PfcConfig, SwitchConfig};
use sidestep_types::Refusal;

/// Reads `pfc` and what belongs to it.
pub(crate) fn pfc(switch: &SwitchSettings) -> Option<PfcConfig> {
    switch.pfc.then_some(PfcConfig {
        xoff: switch.pfc_xoff,
        xon: switch.pfc_xon,
        headroom: switch.pfc_headroom,
    })
}

/// Reads `fabric` and what belongs to it.
pub(crate) fn cioq(switch: &SwitchSettings) -> Option<CioqConfig> {
    (switch.fabric == SwitchFabric::Cioq).then_some(CioqConfig {
        speedup: (switch.speedup.0, switch.speedup.1),
        input_capacity: switch.input_capacity,
    })
}

/// Refuses pauses beside a buffer that they leave without work.
pub(crate) fn go_together(switch: &SwitchConfig) -> Result<(), Refusal> {
    if switch.pfc.is_some() && switch.buffer.nature().detours {
        let name = switch.buffer.name();
        let wrong = format!(
            "pfc and buffer {name:?} do not go together: a switch that pauses who sends to it \
             does not run out of room, so nothing is ever detoured (DIBS section 6)"
        );
        return Err(Refusal::about(&["pfc", "buffer"], wrong));
    }
    Ok(())
}
