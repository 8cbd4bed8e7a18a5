//! Scheme: a route, a buffer policy, a scheduler and a transport, as a paper proposes them, in data.

use crate::caller::CallerPolicies;
use crate::fabric;
use crate::kernel::Kernel;
use crate::marker::Marker;
use crate::tables::{HOST, RankBy, SWITCH, SwitchSettings, TRANSPORT, TRANSPORTS};
use sidestep_config::decision::{BUFFER, Decision, POLICIES, SCHED};
use sidestep_config::section::Resolved;
use sidestep_config::spec::{Choice, Spec};
use sidestep_sim::{
    Change, ClassTransports, NicConfig, SwitchConfig, SwitchOverrides, TraceFilter, TrafficPlan,
    WorldConfig,
};
use sidestep_transport::{TransportConfig, shim};
use sidestep_types::{Framing, Refusal, Seed, Settings, Values};
use std::num::NonZeroU16;

/// Scheme to compare.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// Name in results.
    pub name: String,
    /// Description in one line.
    pub summary: String,
    /// Paper and section.
    pub source: String,
    /// True if the scenario changes a shipped scheme, or one in a separate file, and inherits the other
    /// settings.
    pub changed: bool,
    /// Settings of the scheme.
    pub config: SchemeConfig,
    /// Tier or switch that each kind of [`SchemeConfig::others`] applies to.
    pub about: Vec<String>,
    /// Policies of the caller, which no file names.
    pub own: Option<CallerPolicies>,
}

impl Scheme {
    /// Iterates over the kinds of switches that the network has: first the common one, with
    /// `None`, then those that differ, with the tier or the switch they apply to.
    pub fn switches(&self) -> impl Iterator<Item = (Option<&str>, &SwitchConfig)> {
        let others = &self.config.others;
        let has = |kind: Option<u16>| others.of.contains(&kind);
        let all = (others.of.is_empty() || has(None)).then_some((None, &self.config.switch));
        let about = self.about.iter().map(|about| Some(about.as_str()));
        let differ = (0..).zip(about.zip(&others.kinds));
        all.into_iter().chain(
            differ
                .filter(move |(k, _)| has(Some(*k)))
                .map(|(_, kind)| kind),
        )
    }
}

/// Settings of a run, apart from its network, plan, seed and trace.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemeConfig {
    /// Framing: overhead of a packet on a wire.
    pub framing: Framing,
    /// Time to live of a new packet.
    pub ttl: u8,
    /// Configuration of every switch that `others` does not mention.
    pub switch: SwitchConfig,
    /// Switches that differ from `switch`.
    pub others: SwitchOverrides,
    /// Transport of every workload that does not choose its own.
    pub transport: TransportConfig,
    /// Transports of workloads that choose their own, in the order of the scenario.
    pub transports: ClassTransports,
    /// Shims of every host, the first nearest to the transport.
    pub shims: Vec<shim::Chosen>,
    /// Queue of every host's NIC; `None` is an unlimited FIFO.
    pub nic: Option<NicConfig>,
    /// On the testbed, extent to which loss recovery is set up in a host's kernel.
    pub kernel: Kernel,
    /// On the testbed, component that sets the class of service that `by-size` chooses.
    pub marker: Marker,
    /// Changes of the network during the run, the same for every scheme of a scenario.
    pub changes: Vec<Change>,
}

impl SchemeConfig {
    /// Returns the transport of the flows of workload number `class`.
    pub fn transport_of(&self, class: u8) -> &TransportConfig {
        self.transports.of(&self.transport, class)
    }

    /// Returns the transports of the classes of `plan`: a class of a flow list has the transport of its
    /// workload.
    pub fn class_transports(&self, plan: &TrafficPlan) -> ClassTransports {
        let own = &self.transports.own;
        let (workloads, others) = plan.classes.split_at(own.len().min(plan.classes.len()));
        let of_list = |class: &String| {
            let workload = class
                .split_once('/')
                .map_or(&class[..], |(workload, _)| workload);
            let place = workloads.iter().position(|name| name == workload);
            place.and_then(|place| own[place].clone())
        };
        let own = match self.transports.is_empty() {
            true => Vec::new(),
            false => own
                .iter()
                .cloned()
                .chain(others.iter().map(of_list))
                .collect(),
        };
        ClassTransports { own }
    }

    /// Gives flows the segment size of their workload's transport, where it differs from the scheme's.
    pub(crate) fn segment(&self, plan: &mut TrafficPlan) {
        let transports = self.class_transports(plan);
        if transports.is_empty() {
            return;
        }
        for flow in &mut plan.flows {
            let mss = transports.of(&self.transport, flow.class).mss();
            if flow.mss.is_none() && mss != self.transport.mss() {
                flow.mss = u16::try_from(mss).ok().and_then(NonZeroU16::new);
            }
        }
    }

    /// Returns the distinct transports of the first `classes` workloads, each with the workloads that use it.
    pub fn each_transport(&self, classes: usize) -> Vec<(&TransportConfig, Vec<u8>)> {
        let mut each: Vec<(&TransportConfig, Vec<u8>)> = Vec::new();
        for class in 0..u8::try_from(classes).expect("a scenario has at most 255 workloads") {
            let own = self.transport_of(class);
            match each.iter_mut().find(|(other, _)| *other == own) {
                Some((_, all)) => all.push(class),
                None => each.push((own, vec![class])),
            }
        }
        each
    }

    /// Returns the settings of one run of `plan`.
    pub fn world(&self, plan: &TrafficPlan, seed: Seed, trace: TraceFilter) -> WorldConfig {
        WorldConfig {
            framing: self.framing,
            ttl: self.ttl,
            switch: self.switch.clone(),
            others: self.others.clone(),
            transport: self.transport.clone(),
            transports: self.class_transports(plan),
            shims: self.shims.clone(),
            nic: self.nic.clone(),
            seed,
            changes: self.changes.clone(),
            trace,
        }
    }
}

/// `[switch]`.
pub const SWITCH_SPEC: Spec<'static> = Spec {
    name: "switch",
    params: SWITCH,
    kind: None,
    policies: POLICIES,
};

/// `[transport]`.
pub const TRANSPORT_SPEC: Spec<'static> = Spec {
    name: "transport",
    params: TRANSPORT,
    kind: Some(Choice {
        what: "transport",
        entries: TRANSPORTS,
        default: Some(sidestep_transport::DEFAULT),
    }),
    policies: &[],
};

/// `[host]`: each shim has its table, and a list names the shims in use; the policies of the NIC come
/// last.
pub const HOST_SPEC: Spec<'static> = Spec {
    name: "host",
    params: HOST,
    kind: None,
    policies: HOST_POLICIES,
};

/// Number of choices of `[host]` that are shims: they come first.
pub(crate) const SHIMS: usize = shim::ENTRIES.len();

const HOST_POLICIES: &[Choice] = &{
    let shims = Choice::each::<SHIMS>(shim::ENTRIES);
    let mut all = [BUFFER; SHIMS + 2];
    let mut i = 0;
    while i < SHIMS {
        all[i] = shims[i];
        i += 1;
    }
    all[SHIMS + 1] = SCHED;
    all
};

/// Builds the configuration of switches with these decisions; `values` are those of `[switch]`. Errors
/// name the part that is refused, as those of [`sidestep_config::decision::decision`] do.
pub(crate) fn switch(
    decision: Decision,
    values: &Values,
) -> Result<SwitchConfig, (&'static str, Refusal)> {
    let settings = SwitchSettings::read(values).map_err(|why| ("", why))?;
    let config = SwitchConfig {
        route: decision.route,
        buffer: decision.buffer,
        sched: decision.sched,
        capacity: decision.capacity,
        sent: (settings.rank == RankBy::Sent).then_some(settings.gap.rank_gap),
        pfc: fabric::pfc(&settings),
        cioq: fabric::cioq(&settings),
    };
    fabric::go_together(&config).map_err(|e| ("", e))?;
    Ok(config)
}

/// Reads `[transport]`.
pub(crate) fn transport(resolved: &Resolved) -> Result<TransportConfig, Refusal> {
    sidestep_transport::build(resolved.kind, &resolved.values)
}
