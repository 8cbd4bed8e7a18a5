//! Offered load: what each workload asks of the network, against what the hosts' links carry.
//!
//! **Units**        payload and wire bits per second of data packets on their first link, before
//!                  anything is lost; acknowledgements and retransmissions are not counted.
//!                  `share` is wire bits over the sum of the rates of all hosts' links, `fabric_share` over what
//!                  the links above the switches that they hang off carry one way.

use crate::estimate::cost;
use crate::scenario::Scenario;
use sidestep_sim::workload::{Fabric, Load, Site};

/// The offered load of a scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadReport {
    /// One per workload, in the scenario's order.
    pub classes: Vec<ClassLoad>,
    /// Their sum.
    pub sum: ClassLoad,
    /// What all hosts' links carry together in one direction, in bits per second.
    pub capacity_bps: f64,
    /// What the links above the switches that hosts hang off carry one way, if there are such.
    pub fabric: Option<Fabric>,
    /// What else must be known to trust the numbers, one sentence each.
    pub notes: Vec<String>,
}

/// What one workload offers on average.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassLoad {
    /// The workload's name; `sum` for the sum.
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
    /// The same of payload bits: what `load` of a workload says.
    pub payload_share: f64,
    /// Wire bits over the capacity of the fabric, if there is one.
    pub fabric_share: Option<f64>,
    /// The same of payload bits: what `load` says with `load_of = "fabric"`.
    pub fabric_payload_share: Option<f64>,
    /// Flows without an end, which the rates leave out.
    pub endless: u64,
    /// Flows of closed loops at any instant, which the rates leave out.
    pub active: u64,
    /// What else must be known, one sentence each.
    pub notes: Vec<String>,
}

impl Scenario {
    /// How much traffic each workload offers, and how much of it the hosts' links could carry.
    pub fn load(&self) -> LoadReport {
        report(self)
    }
}

/// The load with the framing and segment size of the first scheme.
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
            "{endless} flows without an end take what they get: not in the sum"
        ));
    }
    if sum.active > 0 {
        let active = sum.active;
        notes.push(format!(
            "{active} flows of closed loops take what they get: not in the sum"
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
