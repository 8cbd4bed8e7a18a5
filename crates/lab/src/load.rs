//! Offered load: traffic of each workload, against the capacity of the hosts' links.
//!
//! **Units**        payload and wire bits per second of data packets on their first link, before any loss;
//!                  acknowledgements and retransmissions are not counted. `share` is wire bits over the sum of
//!                  the rates of all hosts' links, `fabric_share` over the one-way capacity of the links
//!                  between switches with hosts and the switches above.

use crate::estimate::cost;
use crate::scenario::Scenario;
use sidestep_sim::workload::{Fabric, Load, Site};

/// Offered load of a scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadReport {
    /// Load of each workload, in the scenario's order.
    pub classes: Vec<ClassLoad>,
    /// Sum of the loads.
    pub sum: ClassLoad,
    /// Capacity of all hosts' links in one direction, bits per second.
    pub capacity_bps: f64,
    /// One-way capacity of the links above the switches with hosts, if there are such links.
    pub fabric: Option<Fabric>,
    /// Notes needed to trust the numbers, one sentence each.
    pub notes: Vec<String>,
}

/// Mean offered load of one workload.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassLoad {
    /// Name of the workload; `sum` for the sum.
    pub name: String,
    /// Flows that start, per second.
    pub flows_per_s: f64,
    /// Queries that start, per second.
    pub queries_per_s: f64,
    /// Payload bits per second.
    pub payload_bps: f64,
    /// Wire bits per second.
    pub wire_bps: f64,
    /// Wire bits over the capacity of all hosts' links.
    pub share: f64,
    /// Payload bits over the capacity of all hosts' links, as a workload's `load` states it.
    pub payload_share: f64,
    /// Wire bits over the capacity of the fabric, if there is one.
    pub fabric_share: Option<f64>,
    /// Payload bits over the capacity of the fabric, as `load` states it with `load_of = "fabric"`.
    pub fabric_payload_share: Option<f64>,
    /// Endless flows, which the rates leave out.
    pub endless: u64,
    /// Flows of closed loops in progress at any instant, which the rates leave out.
    pub active: u64,
    /// Notes needed to trust the numbers, one sentence each.
    pub notes: Vec<String>,
}

impl Scenario {
    /// Reports the traffic each workload offers, and its share of the capacity of the hosts' links.
    pub fn load(&self) -> LoadReport {
        report(self)
    }
}

/// Computes the load with the framing and segment size of the first scheme.
fn report(scenario: &Scenario) -> LoadReport {
    let site = Site::of(&scenario.network);
    let capacity_bps = site.access_bps();
    let of_fabric = |bps: f64| site.fabric.as_ref().map(|fabric| bps / fabric.bps as f64);
    let class = |name: &str, load: Load| ClassLoad {
        name: name.to_string(),
        flows_per_s: load.flows_per_s,
        queries_per_s: load.queries_per_s,
        payload_bps: load.payload_bps,
        wire_bps: load.wire_bps,
        share: load.wire_bps / capacity_bps,
        payload_share: load.payload_bps / capacity_bps,
        fabric_share: of_fabric(load.wire_bps),
        fabric_payload_share: of_fabric(load.payload_bps),
        endless: load.endless,
        active: load.active,
        notes: load.notes,
    };
    let classes: Vec<ClassLoad> = (scenario.traffic.iter())
        .map(|t| {
            class(
                &t.name,
                t.workload.load(cost(scenario, t), scenario.duration),
            )
        })
        .collect();
    let total = |of: fn(&ClassLoad) -> f64| classes.iter().map(of).sum::<f64>();
    let sum = ClassLoad {
        name: "sum".to_string(),
        flows_per_s: total(|c| c.flows_per_s),
        queries_per_s: total(|c| c.queries_per_s),
        payload_bps: total(|c| c.payload_bps),
        wire_bps: total(|c| c.wire_bps),
        share: total(|c| c.share),
        payload_share: total(|c| c.payload_share),
        fabric_share: of_fabric(total(|c| c.wire_bps)),
        fabric_payload_share: of_fabric(total(|c| c.payload_bps)),
        endless: classes.iter().map(|c| c.endless).sum(),
        active: classes.iter().map(|c| c.active).sum(),
        notes: Vec::new(),
    };
    let mut notes = Vec::new();
    if sum.endless > 0 {
        let endless = sum.endless;
        notes.push(format!(
            "{endless} endless flows use the capacity left over and are not in the sum"
        ));
    }
    if sum.active > 0 {
        let active = sum.active;
        notes.push(format!(
            "{active} flows of closed loops use the capacity left over and are not in the sum"
        ));
    }
    LoadReport {
        classes,
        sum,
        capacity_bps,
        fabric: site.fabric,
        notes,
    }
}
