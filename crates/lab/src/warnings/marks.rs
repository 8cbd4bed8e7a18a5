//! Warnings about ranks of hosts that lack information, or that no policy reads.

use super::{nature_of, natures};
use crate::scheme::Scheme;
use sidestep_sim::{FlowPlan, TrafficPlan};
use sidestep_transport::shim;
use sidestep_types::Tag;

/// Returns all warnings about the ranks of a scheme. `first` is the plan of its first seed, if it was drawn.
pub(super) fn of(scheme: &Scheme, first: Option<&TrafficPlan>) -> Vec<String> {
    let said = [
        nothing_goes_by_marks(scheme),
        nothing_goes_by_sent(scheme),
        first.and_then(|first| endless_size(scheme, first)),
        first.and_then(|first| too_large_to_say(scheme, first)),
    ];
    said.into_iter().flatten().collect()
}

/// Returns the shim that gives data ranks.
pub(super) fn marks(scheme: &Scheme) -> Option<&shim::Chosen> {
    let mut shims = scheme.config.shims.iter();
    shims.find(|shim| shim.nature().tags)
}

/// Returns the name of a shim that ranks data by the remaining size of a message.
fn marks_what_remains(scheme: &Scheme) -> Option<&'static str> {
    let mark = marks(scheme)?;
    (mark.values().word("by") == "remaining").then_some(mark.name())
}

fn nothing_goes_by_marks(scheme: &Scheme) -> Option<String> {
    let name = marks(scheme)?.name();
    let nic = scheme.config.nic.as_ref();
    let at_nics =
        nic.is_some_and(|nic| nature_of(&nic.buffer, &nic.sched).ranks || nic.sched.nature().ranks);
    let reads = |(_, switch)| natures(switch).iter().any(|(_, _, nature)| nature.ranks);
    (!at_nics && !scheme.switches().any(reads)).then(|| {
        format!(
            "{name} adds a rank (and bytes) to data packets, but no route, buffer or scheduler \
             here uses ranks"
        )
    })
}

/// Warns of switches that count bytes of flows without a policy that uses the counts.
fn nothing_goes_by_sent(scheme: &Scheme) -> Option<String> {
    let reads = |(_, switch)| natures(switch).iter().any(|(_, _, nature)| nature.ranks);
    let counts = scheme.config.switch.sent.is_some();
    (counts && !scheme.switches().any(reads)).then(|| {
        "switch.rank = \"sent\" ranks data by the bytes that switches have seen of its flow, but \
         no route, buffer or scheduler here uses ranks"
            .to_string()
    })
}

fn endless_size(scheme: &Scheme, first: &TrafficPlan) -> Option<String> {
    let name = marks_what_remains(scheme)?;
    let endless = first.flows.iter().filter(|flow| flow.is_endless()).count();
    (endless > 0).then(|| {
        format!(
            "{name} by = \"remaining\" cannot rank endless flows ({endless} in the first seed): \
             their data gets the largest rank; by = \"bytes\" ranks data by bytes sent"
        )
    })
}

/// Warns of sizes that 32 bits do not hold.
fn too_large_to_say(scheme: &Scheme, first: &TrafficPlan) -> Option<String> {
    let name = marks_what_remains(scheme)?;
    let most = u64::from(Tag::UNKNOWN);
    let large = |flow: &&FlowPlan| !flow.is_endless() && flow.size >= most;
    let large = first.flows.iter().filter(large).count();
    (large > 0).then(|| {
        format!(
            "{name} by = \"remaining\" stores sizes in 32 bits: flows of 4 GiB or more ({large} in \
             the first seed) have the largest rank until less remains, and are ordered by sequence \
             number"
        )
    })
}
