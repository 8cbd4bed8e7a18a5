//! Account in the making: a line for each step, and the queue in which the packet is before the next one.

use super::super::packet_text::{instant, kind};
use super::{AccountContext, Leaves};
use crate::trace::packet_id;
use serde_json::{Value, json};
use sidestep_sim::network::End;
use sidestep_sim::why::{AccountEvent, AccountStep, EndState, SentPacket};
use sidestep_switch::{DropReason, Joined};
use sidestep_types::{HostId, PortId, Time};

/// Account of packet `number`, up to the steps added so far.
pub(super) struct Account<'a> {
    story: &'a AccountContext<'a>,
    number: u64,
    steps: &'a [AccountStep],
    sent: &'a SentPacket,
    lines: Vec<Line>,
    /// Queue that holds the packet, after a step that enqueued it.
    waits: Option<Leaves>,
    /// Bytes of the packet on the wire.
    wire: u16,
    detours: usize,
    /// Hosts and switches whose links the packet may have met.
    ends: Vec<End>,
}

/// Step of the account: time and place, sentences and facts.
struct Line {
    at: Time,
    place: String,
    says: Vec<String>,
    facts: Value,
}

impl<'a> Account<'a> {
    /// Begins the account of packet `number`. The first step puts the packet on its NIC.
    pub fn new(
        story: &'a AccountContext<'a>,
        number: u64,
        steps: &'a [AccountStep],
    ) -> Account<'a> {
        let Some(AccountEvent::Sent(sent)) = steps.first().map(|step| &step.what) else {
            unreachable!("an account begins with the packet on its NIC");
        };
        Account {
            story,
            number,
            steps,
            sent,
            lines: Vec::new(),
            waits: None,
            wire: sent.packet.wire,
            detours: 0,
            ends: vec![source(number), End::Host(sent.packet.dst)],
        }
    }

    /// Builds the whole account. `earlier` describes the last packet with the same bytes.
    pub fn tell(mut self, earlier: Option<&str>) -> Value {
        for step in self.steps {
            if let Some(leaves) = self.waits.take() {
                let passage = self.story.passage(leaves, step);
                self.last().says.extend(passage);
            }
            let (here, mut says, facts) = self.step(step, earlier);
            says.retain(|sentence| !sentence.is_empty());
            self.lines.push(Line {
                at: step.at,
                place: self.story.name(here),
                says,
                facts,
            });
        }
        self.say_unfinished();
        self.insert_changes();
        self.into_json()
    }

    fn last(&mut self) -> &mut Line {
        self.lines.last_mut().expect("a packet waits after a step")
    }

    /// Returns the place of a step, its sentences and its facts. Records the queue that holds the packet after
    /// it.
    fn step(&mut self, step: &AccountStep, earlier: Option<&str>) -> (End, Vec<String>, Value) {
        let (story, steps, packet) = (self.story, self.steps, &self.sent.packet);
        let (at, paused) = (step.at, self.sent.paused);
        let (src, dst) = (source(self.number), End::Host(packet.dst));
        let (here, (says, facts)) = match &step.what {
            AccountEvent::Sent(sent) => {
                let by_nic = matches!(
                    steps.get(1).map(|step| &step.what),
                    Some(AccountEvent::Nic(_))
                );
                self.wait(at, src, PortId(0), paused);
                (src, story.sent(sent, earlier, by_nic))
            }
            AccountEvent::Nic(judged) => {
                self.wire = judged.wire;
                if judged.event.joined().is_some() {
                    self.wait(at, src, PortId(0), paused);
                }
                (src, story.by_nic(HostId(host(self.number)), judged))
            }
            AccountEvent::Decided(decided) => {
                let here = End::Switch(decided.switch);
                self.ends.push(here);
                self.wire = decided.judged.wire;
                self.join(at, here, decided.judged.event.joined(), decided.paused);
                (here, story.decided(decided))
            }
            AccountEvent::Evicted(gone) => {
                self.join(at, gone.here, gone.event.joined(), Time::ZERO);
                (gone.here, story.evicted(packet, gone))
            }
            AccountEvent::Lost { from, port } => (*from, self.lost(*from, *port)),
            AccountEvent::Arrived { known, .. } => (dst, story.arrived(packet, *known, steps)),
            AccountEvent::Handed { known, passed } => (dst, self.handed(at, *known, passed)),
            AccountEvent::Withheld { shim, why } => {
                let words = format!("Dropped by its shim {shim}: {why}.");
                let facts = json!({"event": "withheld", "shim": shim, "why": why});
                (dst, (vec![words], facts))
            }
        };
        (here, says, facts)
    }

    /// Records that the packet is queued at `from` since `at`.
    fn wait(&mut self, at: Time, from: End, port: PortId, paused: Time) {
        self.waits = Some(Leaves {
            at,
            from,
            port,
            wire: self.wire,
            paused,
        });
    }

    /// Records the queue that the packet joined, if it did.
    fn join(&mut self, at: Time, from: End, joined: Option<Joined>, paused: Time) {
        if let Some(joined) = joined {
            self.detours += usize::from(joined.detoured());
            self.wait(at, from, joined.port, paused);
        }
    }

    fn lost(&self, from: End, port: PortId) -> (Vec<String>, Value) {
        let to = self.story.cables.leads_to(from, port);
        let reason = DropReason::LinkDown.name();
        let words = format!(
            "Dropped ({reason}): the link to {to} was down, or went down while the packet waited for it or was on it."
        );
        let facts = json!({"event": "dropped", "reason": reason, "to": to});
        (vec![words], facts)
    }

    /// Describes a packet that passed its shims. `passed` are the shims that drop such packets under other
    /// conditions.
    fn handed(
        &self,
        at: Time,
        known: EndState,
        passed: &[(&'static str, String)],
    ) -> (Vec<String>, Value) {
        let since = self.lines.last().map_or(at, |last| last.at);
        let held = at.saturating_sub(since);
        let mut says = vec![match held {
            Time::ZERO => "Its shims let it pass at once.".into(),
            held => format!("Its shims held it for {held}, then passed it on."),
        }];
        let mut reasons = Vec::new();
        for (shim, why) in passed {
            says.push(format!("Shim {shim} let it pass: {why}."));
            reasons.push(json!({"shim": shim, "why": why}));
        }
        let packet = &self.sent.packet;
        says.push(self.story.reached(packet, known, self.steps));
        let facts = json!({"event": "handed", "held_ps": held.ps(), "passed": reasons});
        (says, facts)
    }

    /// Adds, if the packet is still queued, the place where it was when the run ended.
    fn say_unfinished(&mut self) {
        let Some(leaves) = self.waits.take() else {
            return;
        };
        let to = self.story.cables.leads_to(leaves.from, leaves.port);
        let end = instant(self.story.run.outcome.end);
        let words =
            format!("It was still there, or on the way to {to}, when the run ended at {end}.");
        self.last().says.push(words);
    }

    /// Inserts changes of links that the packet may have met, each before the first step that is not earlier.
    fn insert_changes(&mut self) {
        self.ends.sort();
        self.ends.dedup();
        let until = self.steps[self.steps.len() - 1].at;
        for (at, words) in self.story.cables.changes(&self.ends, until) {
            let later = self.lines.iter().position(|line| line.at >= at);
            let change = Line {
                at,
                place: "network".into(),
                says: vec![words],
                facts: json!({"event": "change"}),
            };
            self.lines.insert(later.unwrap_or(self.lines.len()), change);
        }
    }

    fn into_json(self) -> Value {
        let (story, packet) = (self.story, &self.sent.packet);
        let numbers = story.numbers(packet);
        let detours = match self.detours {
            1 => "1 detour".into(),
            n => format!("{n} detours"),
        };
        let run = format!("{}, seed {}", story.run.scheme, story.run.seed);
        let fate = story.fate(self.steps);
        let steps: Vec<Value> = self.lines.into_iter().map(Line::into_json).collect();
        json!({
            "id": packet_id(self.number),
            "flow": packet.flow.0,
            "kind": kind(packet),
            "seq": packet.seq(),
            "subflow": numbers.subflow(packet.seq()),
            "byte": numbers.in_subflow(packet.seq()),
            "data_seq": numbers.in_message(packet),
            "len": packet.len,
            "src": host(self.number),
            "dst": packet.dst.0,
            "detours": self.detours,
            "headline": story.headline(self.number, packet),
            "fate": format!("{run}: {detours}, {fate}"),
            "steps": steps,
        })
    }
}

impl Line {
    fn into_json(self) -> Value {
        let mut facts = self.facts;
        facts["t_ps"] = json!(self.at.ps());
        facts["time"] = json!(instant(self.at));
        facts["at"] = json!(self.place);
        facts["says"] = json!(self.says);
        facts
    }
}

/// Returns the host that sent packet `number`.
fn host(number: u64) -> u32 {
    (number >> 32) as u32
}

fn source(number: u64) -> End {
    End::Host(HostId(host(number)))
}
