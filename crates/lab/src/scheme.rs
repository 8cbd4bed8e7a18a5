//! A scheme: what a paper proposes, as data that names a route, a buffer policy, a scheduler and a transport.

use crate::fabric;
use crate::tables::{SWITCH, TRANSPORT, TRANSPORTS};
use sidestep_config::decision::{POLICIES, decision};
use sidestep_config::section::Resolved;
use sidestep_config::spec::{Choice, Spec};
use sidestep_sim::{SwitchConfig, TraceFilter, WorldConfig};
use sidestep_transport::TransportConfig;
use sidestep_types::{Framing, Refusal, Seed};

/// One thing to compare.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// Its name in results.
    pub name: String,
    /// What it is, in one line.
    pub summary: String,
    /// The paper and section.
    pub source: String,
    /// Its settings.
    pub config: SchemeConfig,
}

/// Everything a run needs to know but its network, plan, seed and trace.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemeConfig {
    /// What a packet costs on a wire.
    pub framing: Framing,
    /// Time to live of a new packet.
    pub ttl: u8,
    /// The same for every switch.
    pub switch: SwitchConfig,
    /// The same for every connection.
    pub transport: TransportConfig,
}

impl SchemeConfig {
    /// The settings of one run.
    pub fn world(&self, seed: Seed, trace: TraceFilter) -> WorldConfig {
        WorldConfig {
            framing: self.framing,
            ttl: self.ttl,
            switch: self.switch.clone(),
            transport: self.transport.clone(),
            seed,
            trace,
        }
    }
}

/// `[switch]`.
pub(crate) const SWITCH_SPEC: Spec<'static> = Spec {
    name: "switch",
    params: SWITCH,
    kind: None,
    policies: POLICIES,
};

/// `[transport]`.
pub(crate) const TRANSPORT_SPEC: Spec<'static> = Spec {
    name: "transport",
    params: TRANSPORT,
    kind: Some(Choice {
        what: "transport",
        entries: TRANSPORTS,
        default: Some(sidestep_transport::DEFAULT),
    }),
    policies: &[],
};

/// Reads `[switch]`. Errors have the section of what is refused, as those of [`decision`].
pub(crate) fn switch(resolved: &Resolved) -> Result<SwitchConfig, (&'static str, Refusal)> {
    let decision = decision(resolved)?;
    let config = SwitchConfig {
        route: decision.route,
        buffer: decision.buffer,
        sched: decision.sched,
        capacity: decision.capacity,
        pfc: fabric::pfc(&resolved.values),
        cioq: fabric::cioq(&resolved.values),
    };
    fabric::go_together(&config).map_err(|e| ("switch", e))?;
    Ok(config)
}

/// Reads `[transport]`.
pub(crate) fn transport(resolved: &Resolved) -> Result<TransportConfig, Refusal> {
    sidestep_transport::build(resolved.kind, &resolved.values)
}
