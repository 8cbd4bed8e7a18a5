//! Offered load: what each workload asks of the network, against what the hosts' links carry.
use crate::Scenario;

/// The offered load of a scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadReport {}

pub(crate) fn report(_: &Scenario) -> LoadReport {
    LoadReport {}
}
