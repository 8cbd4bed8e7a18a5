//! What of a run is recorded for a page to play, and what the recording says of the run.
//!
//! **Decision**     the window: the one that is given, or from just before the first query until the recording is as
//!                  large as it may be.
//! **State**        where the run stands to its window.
//! **Units**        picoseconds; bytes of the recording.
//! **Errors**       none; a window that begins after the end of the run is told in a warning.

use crate::scenario::Scenario;
use crate::scheme::SchemeConfig;
use sidestep_recording::{Flow, Head, Link, Network, Node, Query, Tail};
use sidestep_sim::record::{Recorded, Recording, Sampled};
use sidestep_sim::{End, Outcome, Plan, Start};
use sidestep_switch::{Capacity, DropReason};
use sidestep_types::{Size, Time};

/// A recording whose window nobody gave ends when its chunks take so many bytes. With what stands around them a
/// recording of a fat tree of k = 8 stays below 20 MB.
pub const MOST_BYTES: usize = 18_000_000;

/// A recording whose window nobody gave begins so long before its query.
const LEAD: Time = Time::from_us(50);

/// What to record of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordSpec {
    /// From the first instant to before the second; `None` is around the first query.
    pub window: Option<(Time, Time)>,
    /// How senders stand is recorded of these flows.
    pub flows: Sampled,
}

/// A recording in the hands of a session.
pub(crate) struct Tape {
    /// Until it begins.
    waits: Option<Recording>,
    pub from: Time,
    pub to: Time,
    /// It was told to end.
    pub ended: bool,
}

impl Tape {
    /// Of scheme number `scheme` with `seed`.
    pub fn new(
        scenario: &Scenario,
        scheme: usize,
        seed: u64,
        plan: &Plan,
        spec: &RecordSpec,
    ) -> Tape {
        let (from, to, window) = window(plan, spec);
        let network = network_of(scenario, scheme);
        let scheme = &scenario.schemes[scheme];
        let head = Head {
            source: "simulator".into(),
            time_unit: "ps".into(),
            scenario: scenario.name.clone(),
            scheme: scheme.name.clone(),
            seed: seed.to_string(),
            from: from.ps(),
            window,
            flows: match &spec.flows {
                Sampled::All => "all flows".into(),
                Sampled::Every(0) => "no flow".into(),
                Sampled::Every(every) => format!("every flow whose number {every} divides"),
                Sampled::These(flows) => {
                    let all: Vec<String> = flows.iter().map(u32::to_string).collect();
                    format!("flows {}", all.join(", "))
                }
            },
            reasons: DropReason::ALL.map(|why| why.name().into()).to_vec(),
            network,
        };
        let recording = Recording {
            head,
            flows: spec.flows.clone(),
            most_bytes: spec.window.is_none().then_some(MOST_BYTES),
        };
        Tape {
            waits: Some(recording),
            from,
            to,
            ended: false,
        }
    }

    /// When the session must stop for it next: with everything before its beginning or its end.
    pub fn due(&self) -> Option<Time> {
        let at = match (&self.waits, self.ended) {
            (Some(_), _) => self.from,
            (None, false) => self.to,
            (None, true) => return None,
        };
        Some(at.saturating_sub(Time::from_ps(1)))
    }

    /// What to begin with, if it has not begun.
    pub fn begin(&mut self) -> Option<Recording> {
        self.waits.take()
    }

    /// Has it begun?
    pub fn has_begun(&self) -> bool {
        self.waits.is_none()
    }
}

/// From when to when, and why, in words.
fn window(plan: &Plan, spec: &RecordSpec) -> (Time, Time, String) {
    if let Some((from, to)) = spec.window {
        return (from, to, format!("given: {from}..{to}"));
    }
    let first = |starts: &mut dyn Iterator<Item = Time>| starts.min();
    let query = first(&mut plan.queries.iter().map(|query| query.start));
    let group = first(&mut plan.groups.iter().map(|group| group.start));
    let flow = first(&mut plan.flows.iter().filter_map(|flow| match flow.start {
        Start::At(at) => Some(at),
        Start::After { .. } | Start::Replace { .. } => None,
    }));
    let (at, what) = match (query, group, flow) {
        (Some(at), ..) => (at, "query, which is asked"),
        (None, Some(at), _) => (at, "group of flows, which starts"),
        (None, None, at) => (at.unwrap_or_default(), "flow, which starts"),
    };
    let from = at.saturating_sub(LEAD);
    let words = format!(
        "chosen: from {from}, {} before the first {what} at {at}, until {} MB are full or the run ends",
        at - from,
        MOST_BYTES / 1_000_000
    );
    (from, Time::MAX, words)
}

/// The network of a scenario as a recording of scheme number `scheme` has it, to draw it before there is one.
///
/// Panics when the scenario has no such scheme.
pub fn network_of(scenario: &Scenario, scheme: usize) -> Network {
    let settings = &mut scenario.settings.iter();
    let kind = settings.find(|setting| setting.key == "topology.kind");
    Network {
        kind: kind.map_or_else(String::new, |kind| kind.value.trim_matches('"').into()),
        ..network(&scenario.network, &scenario.schemes[scheme].config)
    }
}

/// Hosts, then switches; links in the order of cables.
fn network(network: &sidestep_sim::Network, config: &SchemeConfig) -> Network {
    let hosts = network.hosts;
    let number = |end: End| match end {
        End::Host(host) => host.0,
        End::Switch(switch) => hosts + switch.0,
    };
    let capacity = |node: u32| match node.checked_sub(hosts) {
        Some(switch) => config.others.kind(&config.switch, switch as usize).capacity,
        None => match &config.nic {
            Some(nic) => nic.capacity,
            None => Capacity::Unlimited,
        },
    };
    let mut nodes: Vec<Node> = (0..hosts)
        .map(|host| Node {
            name: format!("host {host}"),
            host: true,
            ..Node::default()
        })
        .collect();
    nodes.extend(network.switches.iter().map(|switch| Node {
        name: switch.name.clone(),
        tier: switch.tier.clone(),
        pod: switch.pod.clone(),
        ..Node::default()
    }));
    for (node, at) in nodes.iter_mut().zip(0..) {
        if let Capacity::Shared { memory, .. } = capacity(at) {
            node.shared_bytes = Some(memory.0);
        }
    }
    let mut ports = vec![0; nodes.len()];
    let mut links = Vec::new();
    for cable in &network.cables {
        for (from, to) in [(cable.a, cable.b), (cable.b, cable.a)] {
            let (from, to) = (number(from), number(to));
            let port = ports[from as usize];
            ports[from as usize] += 1;
            let (queue_packets, queue_bytes) = match capacity(from) {
                Capacity::PerPort(Size::Packets(n)) => (Some(n), None),
                Capacity::PerPort(Size::Bytes(bytes)) => (None, Some(bytes.0)),
                Capacity::Unlimited | Capacity::Shared { .. } => (None, None),
            };
            links.push(Link {
                from,
                port,
                to,
                rate_bps: cable.rate.as_bps(),
                delay_ps: cable.delay.ps(),
                queue_packets,
                queue_bytes,
            });
        }
    }
    Network {
        kind: String::new(),
        nodes,
        links,
    }
}

/// The bytes of a recording, with what became of the flows and queries that were under way in it.
pub(crate) fn finish(recorded: Recorded, from: Time, plan: &Plan, outcome: &Outcome) -> Vec<u8> {
    let to = recorded.to;
    let ended = match (recorded.full, to > outcome.end) {
        (true, _) => format!("{} MB are full", MOST_BYTES / 1_000_000),
        (false, true) => "the run ends".into(),
        (false, false) => "the window ends".into(),
    };
    let under_way =
        |start: Time, end: Option<Time>| start < to && end.is_none_or(|end| end >= from);
    let mut flows = Vec::new();
    let mut answered = vec![(0, Time::ZERO); plan.queries.len()];
    for ((planned, seen), id) in plan.flows.iter().zip(&outcome.flows).zip(0..) {
        if let (Some(query), false, Some(at)) = (planned.query, planned.request, seen.finished) {
            let (responses, last) = &mut answered[query as usize];
            (*responses, *last) = (*responses + 1, at.max(*last));
        }
        let Some(start) = seen.started else { continue };
        if !under_way(start, seen.finished) {
            continue;
        }
        flows.push(Flow {
            id,
            src: planned.src.0,
            dst: planned.dst.0,
            bytes: (!planned.is_endless()).then_some(planned.size),
            class: planned.class.into(),
            query: planned.query,
            start: start.ps(),
            end: seen.finished.map(Time::ps),
            tuple: None,
        });
    }
    let queries = plan.queries.iter().zip(answered).zip(0..);
    let queries = queries.filter_map(|((query, (responses, last)), id)| {
        let end = (responses == query.responses).then_some(last);
        under_way(query.start, end).then_some(Query {
            id,
            target: query.target.0,
            class: query.class.into(),
            responses: query.responses,
            start: query.start.ps(),
            end: end.map(Time::ps),
        })
    });
    recorded.finish(Tail {
        ended,
        classes: plan.classes.clone(),
        flows,
        queries: queries.collect(),
        ..Tail::default()
    })
}
