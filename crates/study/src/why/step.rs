//! The steps of an account as sentences, with their numbers beside them.

use super::words::{Cables, ahead, carries, instant, kind};
use crate::trace::packet_id;
use crate::words::count;
use serde_json::{Value, json};
use sidestep_lab::{Run, Scenario};
use sidestep_sim::network::End;
use sidestep_sim::why::{Again, Cause, Decided, Displaced, Known, Met, Sent, Told};
use sidestep_switch::why::listed;
use sidestep_switch::{Changes, DropReason};
use sidestep_types::{HostId, Packet, PortId, SwitchId, Time};

/// What is needed to tell an account.
pub(super) struct Story<'a> {
    scenario: &'a Scenario,
    run: &'a Run,
    cables: Cables<'a>,
    shims: Vec<&'a str>,
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
        let config = &scenario.schemes[scheme].config;
        Story {
            scenario,
            run,
            cables: Cables::new(&scenario.network, &config.changes),
            shims: config.shims.iter().map(|(name, _)| name.as_str()).collect(),
        }
    }

    /// The whole account of packet `number`; `earlier` is what became of the same bytes before.
    pub fn tell(&self, number: u64, steps: &[Told], earlier: Option<&str>) -> Value {
        let Some(Met::Sent(sent)) = steps.first().map(|step| &step.what) else {
            unreachable!("an account begins with the packet on its NIC");
        };
        let (t0, packet) = (steps[0].at, &sent.packet);
        let src = HostId((number >> 32) as u32);
        let mut told: Vec<(Time, String, Vec<String>, Value)> = Vec::new();
        let mut waits: Option<Leaves> = None;
        let mut detours = 0;
        let mut ends = vec![End::Host(src), End::Host(packet.dst)];
        for step in steps {
            if let Some(leaves) = waits.take() {
                let last = &mut told.last_mut().expect("it waits after a step").2;
                last.push(self.passage(leaves, step));
            }
            let (at, mut says, facts) = match &step.what {
                Met::Sent(sent) => {
                    let (says, facts) = self.sent(sent, earlier);
                    waits = Some(Leaves {
                        at: step.at,
                        from: End::Host(src),
                        port: PortId(0),
                        wire: packet.wire,
                        paused: sent.paused,
                    });
                    (End::Host(src), says, facts)
                }
                Met::Decided(decided) => {
                    let here = End::Switch(decided.switch);
                    ends.push(here);
                    if let Some(joined) = decided.joined {
                        detours += usize::from(joined.detoured());
                        waits = Some(Leaves {
                            at: step.at,
                            from: here,
                            port: joined.port,
                            wire: decided.wire,
                            paused: decided.paused,
                        });
                    }
                    let (says, facts) = self.decided(decided);
                    (here, says, facts)
                }
                Met::Evicted(gone) => {
                    let here = End::Switch(gone.switch);
                    if let Some(joined) = gone.joined {
                        detours += usize::from(joined.detoured());
                        waits = Some(Leaves {
                            at: step.at,
                            from: here,
                            port: joined.port,
                            wire: packet.wire,
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
                Met::Handed(known) => {
                    let held = step
                        .at
                        .saturating_sub(told.last().map_or(step.at, |last| last.0));
                    let words = match held {
                        Time::ZERO => "Its shims let it pass at once.".into(),
                        held => format!("Its shims held it for {held}, and let it go on now."),
                    };
                    let says = vec![words, transport(packet, *known)];
                    (
                        End::Host(packet.dst),
                        says,
                        json!({"event": "handed", "held_ps": held.ps()}),
                    )
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

    fn port(&self, switch: SwitchId, port: PortId) -> String {
        let to = self.cables.leads_to(End::Switch(switch), port);
        format!("port {} to {to}", port.0)
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
            carries(packet)
        )
    }

    fn fate(&self, t0: Time, steps: &[Told]) -> String {
        let last = steps.last().expect("it was sent");
        let span = last.at.saturating_sub(t0);
        let dropped = |reason: DropReason| format!("dropped ({}) after {span}", reason.name());
        match &last.what {
            Met::Arrived { .. } | Met::Handed(_) => {
                let arrived = steps
                    .iter()
                    .find(|step| matches!(step.what, Met::Arrived { .. }));
                let span = arrived.map_or(span, |step| step.at.saturating_sub(t0));
                format!("delivered after {span}")
            }
            Met::Lost { .. } => dropped(DropReason::LinkDown),
            Met::Decided(decided) if decided.dropped.is_some() => {
                dropped(decided.dropped.expect("just seen"))
            }
            Met::Evicted(gone) if gone.dropped.is_some() => {
                dropped(gone.dropped.expect("just seen"))
            }
            _ => "still on its way when the run ended".into(),
        }
    }

    fn sent(&self, sent: &Sent, earlier: Option<&str>) -> (Vec<String>, Value) {
        let packet = &sent.packet;
        let new = match (packet.carries_data(), sent.again) {
            (_, Some(again)) => again_words(&again),
            (_, None) if packet.retransmit() => "Sent again.".into(),
            (true, None) => "Sent for the first time.".into(),
            (false, None) => "Sent.".into(),
        };
        let wears = [
            (packet.ect(), "ECN-capable".to_string()),
            (packet.ece(), "with the echo of a mark".into()),
            (
                packet.cwr() && packet.carries_data(),
                "with the word that the window was reduced (CWR)".into(),
            ),
            (
                packet.carries_data() && packet.tag().tagged(),
                format!("rank {}", count(u64::from(packet.rank()))),
            ),
        ];
        let wears: Vec<String> = (wears.into_iter().filter(|(has, _)| *has))
            .map(|(_, words)| words)
            .collect();
        let wears = match wears.is_empty() {
            true => String::new(),
            false => format!(", {}", listed(wears)),
        };
        let says = vec![
            format!("{new} {}", earlier.unwrap_or_default())
                .trim_end()
                .to_string(),
            format!(
                "{} bytes on the wire, time to live {}, flow hash {:#010x}{wears}.",
                count(u64::from(packet.wire)),
                packet.ttl,
                packet.hash
            ),
            format!("On the NIC {}.", ahead(sent.ahead)),
        ];
        let facts = json!({
            "event": "sent",
            "retransmission": packet.retransmit(),
            "cause": sent.again.map(|again| cause_word(again.cause)),
            "wire_bytes": packet.wire,
            "ttl": packet.ttl,
            "hash": format!("{:#010x}", packet.hash),
            "ahead_packets": sent.ahead.packets,
            "ahead_bytes": sent.ahead.bytes,
        });
        (says, facts)
    }

    fn decided(&self, decided: &Decided) -> (Vec<String>, Value) {
        let here = decided.switch;
        let wanted = self.port(here, decided.want.port);
        let mut says = vec![format!(
            "Came from {} by port {}, with {} left of its time to live.",
            self.name(decided.from),
            decided.ingress.0,
            decided.ttl
        )];
        let hops: Vec<String> = decided
            .hops
            .iter()
            .map(|port| self.port(here, *port))
            .collect();
        says.push(match &decided.route {
            None => format!("Its host hangs off this switch: it wants {wanted}."),
            Some((route, why)) if hops.len() == 1 => {
                format!("Route {route}: it wants {wanted}, {why}.")
            }
            Some((route, why)) => {
                format!(
                    "Route {route}: of {} next hops ({}) it wants {wanted}: {why}.",
                    hops.len(),
                    listed(hops.clone())
                )
            }
        });
        says.push(format!("Queue: {}.", decided.room));
        says.push(match &decided.buffer {
            Some((buffer, why)) => format!("Buffer {buffer}: {}: {why}.", decided.done),
            None if decided.ttl == 0 => {
                format!("Switch: {}: its time to live ran out here.", decided.done)
            }
            None => format!("Switch: {}: it is crowded out at its input.", decided.done),
        });
        if decided.displaced > 0 {
            let many = decided.displaced;
            says.push(format!(
                "For it {many} that waited had to leave their queue."
            ));
        }
        if let (Some((sched, why)), Some(joined)) = (&decided.sched, &decided.joined) {
            let port = self.port(here, joined.port);
            says.push(format!(
                "Scheduler {sched}: at {port} {}; {why}.",
                ahead(joined.ahead)
            ));
        }
        let joined = decided.joined.map(|joined| {
            let changes: Vec<&str> = joined.changes.words().collect();
            json!({
                "port": joined.port.0,
                "to": self.cables.leads_to(End::Switch(here), joined.port),
                "ahead_packets": joined.ahead.packets,
                "ahead_bytes": joined.ahead.bytes,
                "changes": changes,
                "marked": joined.changes.has(Changes::MARKED),
            })
        });
        let policy = |told: &Option<(&'static str, String)>| {
            told.as_ref()
                .map(|(name, why)| json!({"name": name, "why": why}))
        };
        let event = match (decided.joined, decided.dropped) {
            (Some(joined), _) if joined.detoured() => "detoured",
            (Some(_), _) => "queued",
            _ => "dropped",
        };
        let facts = json!({
            "event": event,
            "from": self.name(decided.from),
            "ingress": decided.ingress.0,
            "ttl": decided.ttl,
            "next_hops": decided.hops.iter().map(|port| port.0).collect::<Vec<_>>(),
            "wanted_port": decided.want.port.0,
            "wanted_to": self.cables.leads_to(End::Switch(here), decided.want.port),
            "queue_packets": decided.want.depth.packets,
            "queue_bytes": decided.want.depth.bytes,
            "fits": decided.want.fits,
            "verdict": decided.verdict,
            "reason": decided.dropped.map(DropReason::name),
            "displaced": decided.displaced,
            "route": policy(&decided.route),
            "buffer": policy(&decided.buffer),
            "sched": policy(&decided.sched),
            "joined": joined,
        });
        (says, facts)
    }

    fn evicted(&self, packet: &Packet, gone: &Displaced) -> (Vec<String>, Value) {
        let from = self.port(gone.switch, gone.from);
        let by = gone.by.map_or("another packet".into(), |by| {
            format!(
                "a packet of flow {} ({}, rank {})",
                by.flow.0,
                carries(&by),
                count(u64::from(by.rank()))
            )
        });
        let mut says = vec![format!(
            "Taken out of the queue of {from}, where it waited with rank {}, to make room for {by}.",
            count(u64::from(packet.rank()))
        )];
        says.push(match (gone.joined, gone.dropped) {
            (Some(joined), _) => format!(
                "It joins the queue of {} instead, where {}.",
                self.port(gone.switch, joined.port),
                ahead(joined.ahead)
            ),
            (None, reason) => format!("Dropped ({}).", reason.map_or("?", DropReason::name)),
        });
        let facts = json!({
            "event": if gone.joined.is_some() { "evicted" } else { "dropped" },
            "from_port": gone.from.0,
            "by_flow": gone.by.map(|by| by.flow.0),
            "by_seq": gone.by.map(|by| by.seq()),
            "by_rank": gone.by.map(|by| by.rank()),
            "port": gone.joined.map(|joined| joined.port.0),
            "reason": gone.dropped.map(DropReason::name),
        });
        (says, facts)
    }

    fn arrived(&self, packet: &Packet, known: Known, steps: &[Told]) -> (Vec<String>, Value) {
        let last = steps.iter().rev().find_map(|step| match &step.what {
            Met::Decided(decided) => decided.joined.map(|joined| joined.changes),
            _ => None,
        });
        let trimmed = last.is_some_and(|changes| changes.has(Changes::TRIMMED));
        let mut says = Vec::new();
        if trimmed {
            says.push(
                "It came without its payload: the receiver asks for these bytes again.".to_string(),
            );
        } else {
            says.push(transport(packet, known));
        }
        let shimmed = !self.shims.is_empty() && !matches!(known, Known::Complete | Known::Done);
        if shimmed {
            says =
                vec!["It reached the NIC of its host, and went up through its shims.".to_string()];
            if !steps.iter().any(|step| matches!(step.what, Met::Handed(_))) {
                let shims = self.shims.join(", ");
                says.push(format!(
                    "They ({shims}) dropped it, or held it when the run ended."
                ));
            }
        }
        let facts = json!({
            "event": "delivered",
            "expected": match known { Known::Expected(seq) => Some(seq), _ => None },
            "acknowledged": match known { Known::Acknowledged(seq) => Some(seq), _ => None },
        });
        (says, facts)
    }

    /// How long it waited, was sent and was on its way from where it `leaves` until the next step.
    fn passage(&self, leaves: Leaves, next: &Told) -> String {
        let cable = self.cables.at(leaves.from, leaves.port);
        let (span, rate) = self.cables.sending(cable, leaves.wire, leaves.at);
        let delay = self.cables.delay(cable);
        let took = next.at.saturating_sub(leaves.at);
        let paused = match &next.what {
            Met::Decided(decided) => decided.paused_before,
            Met::Arrived { paused, .. } => *paused,
            Met::Evicted(_) => return format!("It waited there for {took}."),
            Met::Lost { .. } => return format!("It was there, or on the cable, for {took}."),
            Met::Sent(_) | Met::Handed(_) => return String::new(),
        };
        let paused = match paused.saturating_sub(leaves.paused) {
            Time::ZERO => String::new(),
            paused => format!(" (while it was there, pauses stopped that port for {paused})"),
        };
        match took.ps().checked_sub(span.ps() + delay.ps()) {
            Some(0) => format!("It left at once: {span} to send at {rate}, {delay} on the cable."),
            Some(waited) => format!(
                "It waited {}{paused}, then {span} to send at {rate} and {delay} on the cable.",
                Time::from_ps(waited)
            ),
            None => format!("It was {took} on its way, as the rate of the cable changed."),
        }
    }
}

fn cause_word(cause: Cause) -> &'static str {
    match cause {
        Cause::Unknown => "unknown",
        Cause::Timeout => "timeout",
        Cause::Fast => "fast retransmit",
        Cause::Cut => "cut",
    }
}

fn again_words(again: &Again) -> String {
    let since = instant(again.since);
    let counters = &again.counters;
    match again.cause {
        Cause::Timeout => format!(
            "Sent again, since the retransmission timer ran out at {since} (timeout {} of its flow).",
            counters.timeouts
        ),
        Cause::Fast => format!(
            "Sent again, in the fast retransmit that acknowledgements of what came later began at {since} (number {} of \
             its flow).",
            counters.fast_retransmits
        ),
        Cause::Cut => format!(
            "Sent again, since a switch had cut the payload off; its sender heard that at {since}."
        ),
        Cause::Unknown => "Sent again.".into(),
    }
}

/// What the packet is to the transport that gets it.
fn transport(packet: &Packet, known: Known) -> String {
    let seq = packet.seq();
    let end = seq + u64::from(packet.len);
    match known {
        Known::Expected(_) if packet.len == 0 => "Delivered: it opens the connection.".into(),
        Known::Expected(next) if next == seq => {
            format!(
                "Delivered in order: byte {} is the one that the receiver waited for.",
                count(seq)
            )
        }
        Known::Expected(next) if next < seq => format!(
            "Delivered ahead of a gap: the receiver still waits for byte {}, {} bytes before this.",
            count(next),
            count(seq - next)
        ),
        Known::Expected(next) if next >= end => format!(
            "Delivered in vain: the receiver waits for byte {} and has these bytes already.",
            count(next)
        ),
        Known::Expected(next) => format!(
            "Delivered in order: the receiver waited for byte {}, which is among these.",
            count(next)
        ),
        Known::Complete => {
            "Delivered in vain: the receiver has every byte of the flow already.".into()
        }
        Known::Acknowledged(before) if seq > before => format!(
            "Delivered: it acknowledges {} bytes more, up to byte {}.",
            count(seq - before),
            count(seq)
        ),
        Known::Acknowledged(before) if seq == before => {
            format!(
                "Delivered: a duplicate, the sender knew already that byte {} is waited for.",
                count(before)
            )
        }
        Known::Acknowledged(before) => format!(
            "Delivered late: all before byte {} was acknowledged already.",
            count(before)
        ),
        Known::Done => "Delivered late: the sender knew already that all had arrived.".into(),
    }
}
