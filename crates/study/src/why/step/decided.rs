//! Decisions of a switch or a NIC.

use super::super::packet_text::ahead;
use super::AccountContext;
use crate::format::count;
use serde_json::{Value, json};
use sidestep_sim::network::End;
use sidestep_sim::why::{Decided, DecisionResult, Displaced};
use sidestep_switch::why::{both, listed};
use sidestep_switch::{Changes, DropReason, InClass, Joined};
use sidestep_types::{HostId, Packet};

impl AccountContext<'_> {
    pub(super) fn decided(&self, decided: &Decided) -> (Vec<String>, Value) {
        let here = End::Switch(decided.switch);
        let wanted = self.port(here, decided.judged.reasons.want.port);
        let mut says = vec![format!(
            "Arrived from {} at port {}, TTL {}.",
            self.name(decided.from),
            decided.ingress.0,
            decided.ttl
        )];
        let reasons = &decided.judged.reasons;
        let hops: Vec<String> = reasons
            .hops
            .iter()
            .map(|port| self.port(here, *port))
            .collect();
        let called = |seam, name| self.called(seam, name);
        says.push(match &reasons.route {
            None => format!("Its host is attached to this switch, at {wanted}."),
            Some((route, why)) if hops.len() == 1 => {
                format!(
                    "Route {}: it wants {wanted}, {why}.",
                    called("route", route)
                )
            }
            Some((route, why)) => {
                format!(
                    "Route {}: of {} next hops ({}) it wants {wanted}: {why}.",
                    called("route", route),
                    hops.len(),
                    listed(hops.clone())
                )
            }
        });
        let unasked = match decided.ttl {
            0 => "its TTL expired here",
            _ => "its input buffer is full",
        };
        let (more, mut facts) = self.judged(here, &decided.judged, unasked);
        says.extend(more);
        facts["from"] = json!(self.name(decided.from));
        facts["ingress"] = json!(decided.ingress.0);
        facts["ttl"] = json!(decided.ttl);
        facts["next_hops"] = reasons.hops.iter().map(|port| port.0).collect();
        facts["route"] = self.policy("route", &reasons.route);
        (says, facts)
    }

    /// Describes the decision of a host's NIC, where NICs decide.
    pub(super) fn by_nic(&self, host: HostId, judged: &DecisionResult) -> (Vec<String>, Value) {
        self.judged(End::Host(host), judged, "the NIC has no buffer policy")
    }

    fn judged(&self, here: End, judged: &DecisionResult, unasked: &str) -> (Vec<String>, Value) {
        let why = &judged.reasons;
        let mut says = vec![format!("Queue: {}.", why.room)];
        says.extend(why.class.as_ref().map(class_words));
        says.push(match &why.buffer {
            Some((buffer, said)) => {
                let buffer = self.called("buffer", buffer);
                format!("Buffer {buffer}: {}: {said}.", why.done)
            }
            None => format!("Switch: {}: {unasked}.", why.done),
        });
        if judged.displaced > 0 {
            says.push(match judged.displaced {
                1 => "1 queued packet was evicted for it.".into(),
                many => format!("{many} queued packets were evicted for it."),
            });
        }
        if let (Some((sched, said)), Some(joined)) = (&why.sched, judged.event.joined()) {
            let port = self.port(here, joined.port);
            let sched = self.called("sched", sched);
            says.push(format!(
                "Scheduler {sched}: at {port} {}; {said}.",
                ahead(joined.ahead)
            ));
        }
        let joined = judged
            .event
            .joined()
            .map(|joined| self.joined(here, &joined));
        let event = match judged.event.joined() {
            Some(joined) if joined.detoured() => "detoured",
            Some(_) => "queued",
            None => "dropped",
        };
        let facts = json!({
            "event": event,
            "wanted_port": why.want.port.0,
            "wanted_to": self.cables.leads_to(here, why.want.port),
            "queue_packets": why.want.depth.packets,
            "queue_bytes": why.want.depth.bytes,
            "fits": why.want.fits,
            "class": why.class.as_ref().map(class_facts),
            "verdict": why.verdict,
            "reason": judged.event.dropped().map(DropReason::name),
            "displaced": judged.displaced,
            "buffer": self.policy("buffer", &why.buffer),
            "sched": self.policy("sched", &why.sched),
            "joined": joined,
        });
        (says, facts)
    }

    /// Converts the name of a policy and its reason to JSON.
    fn policy(&self, seam: &str, told: &Option<(&'static str, String)>) -> Value {
        let told = told.as_ref();
        told.map_or(
            Value::Null,
            |(name, why)| json!({"name": self.called(seam, name), "why": why}),
        )
    }

    /// Converts to JSON how a packet joined a queue, and the changes made to it there.
    fn joined(&self, here: End, joined: &Joined) -> Value {
        let changes: Vec<&str> = joined.changes.words().collect();
        json!({
            "port": joined.port.0,
            "to": self.cables.leads_to(here, joined.port),
            "ahead_packets": joined.ahead.packets,
            "ahead_bytes": joined.ahead.bytes,
            "changes": changes,
            "marked": joined.changes.has(Changes::MARKED),
        })
    }

    pub(super) fn evicted(&self, packet: &Packet, gone: &Displaced) -> (Vec<String>, Value) {
        let from = self.port(gone.here, gone.event.wanted());
        let by = gone.by.map_or("another packet".into(), |by| {
            format!(
                "a packet of flow {} ({}, rank {})",
                by.flow.0,
                self.carries(&by),
                count(u64::from(by.rank()))
            )
        });
        let mut says = vec![format!(
            "Evicted from the queue of {from}, with rank {}, to make room for {by}.",
            count(u64::from(packet.rank()))
        )];
        let (joined, dropped) = (gone.event.joined(), gone.event.dropped());
        says.push(match joined {
            Some(joined) => format!(
                "It joins the queue of {} instead, where {}{}.",
                self.port(gone.here, joined.port),
                ahead(joined.ahead),
                match joined.changes.has(Changes::MARKED) {
                    true => ", and is marked",
                    false => "",
                }
            ),
            None => format!("Dropped ({}).", dropped.map_or("?", DropReason::name)),
        });
        let facts = json!({
            "event": if joined.is_some() { "evicted" } else { "dropped" },
            "from_port": gone.event.wanted().0,
            "by_flow": gone.by.map(|by| by.flow.0),
            "by_seq": gone.by.map(|by| by.seq()),
            "by_rank": gone.by.map(|by| by.rank()),
            "port": joined.map(|joined| joined.port.0),
            "joined": joined.map(|joined| self.joined(gone.here, &joined)),
            "reason": dropped.map(DropReason::name),
        });
        (says, facts)
    }
}

/// Describes the class queue of the packet, and its occupancy.
fn class_words(class: &InClass) -> String {
    let waits = match class.depth.packets {
        0 | 1 => "waits",
        _ => "wait",
    };
    let flows = match class.flows {
        None => String::new(),
        Some(1) => ", and 1 flow is counted".into(),
        Some(n) => format!(", and {} flows are counted", count(u64::from(n))),
    };
    format!(
        "Class: its service {} maps to class {}, where {} {waits}{flows}.",
        class.service,
        class.class,
        both(class.depth)
    )
}

fn class_facts(class: &InClass) -> Value {
    json!({
        "service": class.service,
        "class": class.class,
        "queue_packets": class.depth.packets,
        "queue_bytes": class.depth.bytes,
        "flows": class.flows,
    })
}
