//! The steps of an account as sentences, with their numbers beside them.

mod arrived;
mod decided;
mod passage;
mod sent;

use super::words::{Cables, Numbers, carries, instant, kind};
use crate::trace::packet_id;
use serde_json::{Value, json};
use sidestep_lab::own::Own;
use sidestep_lab::{Run, Scenario};
use sidestep_sim::network::End;
use sidestep_sim::why::{Met, Told};
use sidestep_switch::DropReason;
use sidestep_types::{HostId, Packet, PortId, Time};

/// What the registry calls a policy that is not in it.
const CUSTOM: &str = "custom";

/// What is needed to tell an account.
pub(super) struct Story<'a> {
    scenario: &'a Scenario,
    run: &'a Run,
    cables: Cables<'a>,
    shims: Vec<&'a str>,
    /// Of each class of the plan.
    numbers: Vec<Numbers>,
    /// The policies of the caller's that switches have: seam and name.
    own: Vec<(&'static str, &'a str)>,
}

/// Where a packet waits to be sent.
#[derive(Clone, Copy)]
struct Leaves {
    at: Time,
    from: End,
    port: PortId,
    wire: u16,
    paused: Time,
}

impl<'a> Story<'a> {
    /// Of a run of scheme number `scheme`.
    pub fn of(scenario: &'a Scenario, scheme: usize, run: &'a Run) -> Story<'a> {
        let scheme = &scenario.schemes[scheme];
        let config = &scheme.config;
        Story {
            scenario,
            run,
            cables: Cables::new(&scenario.network, &config.changes),
            shims: config.shims.iter().map(|(name, _)| name.as_str()).collect(),
            numbers: Numbers::of_classes(config, &run.plan),
            own: scheme.own.iter().flat_map(Own::names).collect(),
        }
    }

    /// What the policy of `seam` is called: one of the caller's has no name in the registry.
    fn called<'b>(&'b self, seam: &str, name: &'b str) -> &'b str {
        let own = self.own.iter().find(|own| own.0 == seam);
        own.filter(|_| name == CUSTOM).map_or(name, |own| own.1)
    }

    /// The whole account of packet `number`; `earlier` is what became of the same bytes before.
    pub fn tell(&self, number: u64, steps: &[Told], earlier: Option<&str>) -> Value {
        let Some(Met::Sent(sent)) = steps.first().map(|step| &step.what) else {
            unreachable!("an account begins with the packet on its NIC");
        };
        let (t0, packet) = (steps[0].at, &sent.packet);
        let src = HostId((number >> 32) as u32);
        let by_nic = matches!(steps.get(1).map(|step| &step.what), Some(Met::Nic(_)));
        let mut told: Vec<(Time, String, Vec<String>, Value)> = Vec::new();
        let mut waits: Option<Leaves> = None;
        let mut wire = packet.wire;
        let mut detours = 0;
        let mut ends = vec![End::Host(src), End::Host(packet.dst)];
        for step in steps {
            if let Some(leaves) = waits.take() {
                let last = &mut told.last_mut().expect("it waits after a step").2;
                last.extend(self.passage(leaves, step));
            }
            let (at, mut says, facts) = match &step.what {
                Met::Sent(sent) => {
                    let (says, facts) = self.sent(sent, earlier, by_nic);
                    waits = Some(Leaves {
                        at: step.at,
                        from: End::Host(src),
                        port: PortId(0),
                        wire,
                        paused: sent.paused,
                    });
                    (End::Host(src), says, facts)
                }
                Met::Nic(judged) => {
                    wire = judged.wire;
                    waits = judged.event.joined().map(|_| Leaves {
                        at: step.at,
                        from: End::Host(src),
                        port: PortId(0),
                        wire,
                        paused: sent.paused,
                    });
                    let (says, facts) = self.by_nic(src, judged);
                    (End::Host(src), says, facts)
                }
                Met::Decided(decided) => {
                    let here = End::Switch(decided.switch);
                    ends.push(here);
                    wire = decided.judged.wire;
                    if let Some(joined) = decided.judged.event.joined() {
                        detours += usize::from(joined.detoured());
                        waits = Some(Leaves {
                            at: step.at,
                            from: here,
                            port: joined.port,
                            wire,
                            paused: decided.paused,
                        });
                    }
                    let (says, facts) = self.decided(decided);
                    (here, says, facts)
                }
                Met::Evicted(gone) => {
                    let here = gone.here;
                    if let Some(joined) = gone.event.joined() {
                        detours += usize::from(joined.detoured());
                        waits = Some(Leaves {
                            at: step.at,
                            from: here,
                            port: joined.port,
                            wire,
                            paused: Time::ZERO,
                        });
                    }
                    let (says, facts) = self.evicted(packet, gone);
                    (here, says, facts)
                }
                Met::Lost { from, port } => {
                    let to = self.cables.leads_to(*from, *port);
                    let words = format!(
                        "Dropped ({}): the link to {to} was down, or went down while the packet waited for it or was on it.",
                        DropReason::LinkDown.name()
                    );
                    let facts = json!({"event": "dropped", "reason": DropReason::LinkDown.name(), "to": to});
                    (*from, vec![words], facts)
                }
                Met::Arrived { known, .. } => {
                    let (says, facts) = self.arrived(packet, *known, steps);
                    (End::Host(packet.dst), says, facts)
                }
                Met::Handed { known, passed } => {
                    let held = step
                        .at
                        .saturating_sub(told.last().map_or(step.at, |last| last.0));
                    let words = match held {
                        Time::ZERO => "Its shims let it pass at once.".into(),
                        held => format!("Its shims held it for {held}, and let it go on now."),
                    };
                    let mut says = vec![words];
                    let reasons = passed.iter();
                    says.extend(
                        reasons.map(|(shim, why)| format!("Shim {shim} let it pass: {why}.")),
                    );
                    says.push(self.reached(packet, *known, steps));
                    let reasons = passed.iter();
                    let reasons = reasons.map(|(shim, why)| json!({"shim": shim, "why": why}));
                    let reasons: Vec<Value> = reasons.collect();
                    let facts = json!({"event": "handed", "held_ps": held.ps(), "passed": reasons});
                    (End::Host(packet.dst), says, facts)
                }
                Met::Withheld { shim, why } => {
                    let words = format!("Dropped by its shim {shim}: {why}.");
                    let facts = json!({"event": "withheld", "shim": shim, "why": why});
                    (End::Host(packet.dst), vec![words], facts)
                }
            };
            says.retain(|sentence| !sentence.is_empty());
            told.push((step.at, self.name(at), says, facts));
        }
        let end = self.run.outcome.end;
        if let Some(leaves) = waits {
            let to = self.cables.leads_to(leaves.from, leaves.port);
            let words = format!(
                "There, or on its way to {to}, it still was when the run ended at {}.",
                instant(end)
            );
            told.last_mut().expect("it was sent").2.push(words);
        }
        ends.sort();
        ends.dedup();
        for (at, words) in self
            .cables
            .changes(&ends, steps.last().map_or(t0, |step| step.at))
        {
            let place = told
                .iter()
                .position(|step| step.0 >= at)
                .unwrap_or(told.len());
            told.insert(
                place,
                (
                    at,
                    "network".into(),
                    vec![words],
                    json!({"event": "change"}),
                ),
            );
        }
        let fate = self.fate(t0, steps);
        json!({
            "id": packet_id(number),
            "flow": packet.flow.0,
            "kind": kind(packet),
            "seq": packet.seq(),
            "subflow": self.numbers(packet).subflow(packet.seq()),
            "byte": self.numbers(packet).in_subflow(packet.seq()),
            "data_seq": self.numbers(packet).in_message(packet),
            "len": packet.len,
            "src": src.0,
            "dst": packet.dst.0,
            "detours": detours,
            "headline": self.headline(number, packet),
            "fate": format!(
                "{}, seed {}: {}, {fate}",
                self.run.scheme,
                self.run.seed,
                match detours {
                    1 => "1 detour".into(),
                    n => format!("{n} detours"),
                }
            ),
            "steps": told.into_iter().map(|(t, at, says, mut facts)| {
                facts["t_ps"] = json!(t.ps());
                facts["time"] = json!(instant(t));
                facts["at"] = json!(at);
                facts["says"] = json!(says);
                facts
            }).collect::<Vec<_>>(),
        })
    }

    fn name(&self, end: End) -> String {
        end.name(&self.scenario.network)
    }

    fn port(&self, here: End, port: PortId) -> String {
        match here {
            End::Host(_) => "its NIC".into(),
            End::Switch(_) => format!("port {} to {}", port.0, self.cables.leads_to(here, port)),
        }
    }

    fn headline(&self, number: u64, packet: &Packet) -> String {
        let flow = &self.run.plan.flows[packet.flow.0 as usize];
        let class = &self.run.plan.classes[usize::from(flow.class)];
        format!(
            "packet {} of flow {} ({class}): host {} to host {}, {}",
            packet_id(number),
            packet.flow.0,
            number >> 32,
            packet.dst.0,
            self.carries(packet)
        )
    }

    /// How sequence numbers of the packet's flow are read.
    fn numbers(&self, packet: &Packet) -> Numbers {
        self.numbers[usize::from(packet.class)]
    }

    fn carries(&self, packet: &Packet) -> String {
        carries(packet, self.size(packet), self.numbers(packet))
    }

    /// Of its flow.
    fn size(&self, packet: &Packet) -> u64 {
        self.run.plan.flows[packet.flow.0 as usize].size
    }

    fn fate(&self, t0: Time, steps: &[Told]) -> String {
        let last = steps.last().expect("it was sent");
        let span = last.at.saturating_sub(t0);
        let dropped = |reason: DropReason| format!("dropped ({}) after {span}", reason.name());
        let otherwise = || "still on its way when the run ended".to_string();
        match &last.what {
            Met::Arrived { .. } | Met::Handed { .. } | Met::Withheld { .. } => {
                let arrived = steps
                    .iter()
                    .find(|step| matches!(step.what, Met::Arrived { .. }));
                let span = arrived.map_or(span, |step| step.at.saturating_sub(t0));
                match &last.what {
                    Met::Withheld { shim, .. } => {
                        format!("at its host after {span}, where its shim {shim} dropped it")
                    }
                    _ => format!("delivered after {span}"),
                }
            }
            Met::Lost { .. } => dropped(DropReason::LinkDown),
            Met::Nic(judged) => judged.event.dropped().map_or_else(otherwise, dropped),
            Met::Decided(decided) => decided
                .judged
                .event
                .dropped()
                .map_or_else(otherwise, dropped),
            Met::Evicted(gone) => gone.event.dropped().map_or_else(otherwise, dropped),
            Met::Sent(_) => otherwise(),
        }
    }
}
