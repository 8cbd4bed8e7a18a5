//! A scheme: what a paper proposes, as data that names a route, a buffer policy, a scheduler and a transport.

use crate::fabric;
use crate::kernel::Kernel;
use crate::marker::Marker;
use crate::own::Own;
use crate::tables::{HOST, RankBy, SWITCH, SwitchSettings, TRANSPORT, TRANSPORTS};
use sidestep_config::decision::{BUFFER, Decision, POLICIES, SCHED};
use sidestep_config::section::Resolved;
use sidestep_config::spec::{Choice, Spec};
use sidestep_sim::{
    Change, ClassTransports, NicConfig, Others, Plan, SwitchConfig, TraceFilter, WorldConfig,
};
use sidestep_transport::{TransportConfig, shim};
use sidestep_types::{Framing, Refusal, Seed, Settings, Values};
use std::num::NonZeroU16;

/// One thing to compare.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// Its name in results.
    pub name: String,
    /// What it is, in one line.
    pub summary: String,
    /// The paper and section.
    pub source: String,
    /// The scenario changes a scheme that is shipped or has a file of its own: what it does not say is that one's.
    pub changed: bool,
    /// Its settings.
    pub config: SchemeConfig,
    /// The tier or the switch that each kind of [`SchemeConfig::others`] is about.
    pub about: Vec<String>,
    /// Policies of the caller's, which no file names.
    pub own: Option<Own>,
}

impl Scheme {
    /// What its switches are, each kind that the network has once: first what is said of all, with
    /// `None`, then those that differ, with the tier or the switch that they are about.
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

/// Everything a run needs to know but its network, plan, seed and trace.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemeConfig {
    /// What a packet costs on a wire.
    pub framing: Framing,
    /// Time to live of a new packet.
    pub ttl: u8,
    /// What every switch is that `others` says nothing of.
    pub switch: SwitchConfig,
    /// Switches that differ from it.
    pub others: Others,
    /// Transport of every workload that names none of its own.
    pub transport: TransportConfig,
    /// Workloads with a transport of their own, in the order of the scenario.
    pub transports: ClassTransports,
    /// The shims of every host, the first nearest to the transport.
    pub shims: Vec<shim::Chosen>,
    /// The queue of every host's NIC; `None` is a FIFO without a limit.
    pub nic: Option<NicConfig>,
    /// On the testbed, how far a host's kernel is told how losses are found and repaired.
    pub kernel: Kernel,
    /// On the testbed, what sets the class of service that `by-size` says.
    pub marker: Marker,
    /// What happens to the network, the same for every scheme of a scenario.
    pub changes: Vec<Change>,
}

impl SchemeConfig {
    /// Transport of the flows of workload number `class`.
    pub fn transport_of(&self, class: u8) -> &TransportConfig {
        self.transports.of(&self.transport, class)
    }

    /// Transports of the classes of `plan`: a class of a flow list has that of its workload.
    pub fn class_transports(&self, plan: &Plan) -> ClassTransports {
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

    /// Gives flows the segments of their workload's transport, where these are not those of the scheme's.
    pub(crate) fn segment(&self, plan: &mut Plan) {
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

    /// Transports that flows of the first `classes` workloads have, each once, with the workloads that have it.
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

    /// The settings of one run of `plan`.
    pub fn world(&self, plan: &Plan, seed: Seed, trace: TraceFilter) -> WorldConfig {
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

/// `[host]`: each shim has a table of its own, and the list of them says which are there; last come the
/// policies of the NIC.
pub const HOST_SPEC: Spec<'static> = Spec {
    name: "host",
    params: HOST,
    kind: None,
    policies: HOST_POLICIES,
};

/// How many of the choices of `[host]` are shims: they come first.
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

/// What is between the ports of switches that decide so; `values` are those of `[switch]`. Errors
/// have the part of what is refused, as those of [`sidestep_config::decision::decision`].
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
