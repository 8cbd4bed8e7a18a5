//! Classes of service that nobody goes by.

use super::nature_of;
use super::ranks::natures;
use crate::scheme::Scheme;
use sidestep_config::decision::Named;
use sidestep_switch::sched;
use sidestep_transport::shim;

/// A shim that sets the class of service of what its host sends.
fn serves(scheme: &Scheme) -> Option<&Named> {
    let mut shims = scheme.config.shims.iter();
    shims.find(|(name, _)| shim::nature(name).serves)
}

/// Hosts set classes of service, and neither a switch nor a NIC tells them apart.
pub(super) fn nothing_goes_by_services(scheme: &Scheme) -> Option<String> {
    let (name, _) = serves(scheme)?;
    let at_nics = (scheme.config.nic.as_ref()).is_some_and(|nic| {
        nature_of(&nic.buffer, &nic.sched).classes || sched::nature(&nic.sched.0).classes
    });
    let reads = |(_, switch)| natures(switch).iter().any(|(_, _, nature)| nature.classes);
    (!at_nics && !scheme.switches().any(reads)).then(|| {
        format!(
            "{name} sets classes of service, but no route, buffer or scheduler here tells them apart"
        )
    })
}
