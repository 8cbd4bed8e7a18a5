//! Checked policies of the caller: an impossible answer ends the run with the name of the policy.

use super::PolicySite;
use sidestep_switch::why::SwitchSnapshot;
use sidestep_switch::{Class, Hops, Queues, Verdict, Want};
use sidestep_types::{Packet, PortId, Rng, Time};
use std::cell::Cell;

/// Checked route.
pub(super) struct Route {
    pub who: PolicySite,
    pub inner: Box<dyn sidestep_switch::Route + Send>,
}

impl sidestep_switch::Route for Route {
    fn pick(
        &mut self,
        pkt: &Packet,
        hops: Hops<'_>,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> PortId {
        let port = self.inner.pick(pkt, hops, queues, rng);
        there(&self.who, port);
        port
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, hops: Hops<'_>, taken: PortId) -> String {
        self.inner.why(snapshot, hops, taken)
    }
}

/// Stops the run if the switch does not have the port.
fn there(who: &PolicySite, port: PortId) {
    if port.0 >= who.place.ports {
        let last = who.place.ports.saturating_sub(1);
        who.stop(format!("expected a port from 0 to {last}, got {}", port.0));
    }
}

/// Checked buffer policy.
pub(super) struct Buffer {
    pub who: PolicySite,
    pub inner: Box<dyn sidestep_switch::Buffer + Send>,
}

impl sidestep_switch::Buffer for Buffer {
    fn admit(
        &mut self,
        pkt: &Packet,
        want: Want,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        let verdict = self.inner.admit(pkt, want, queues, rng);
        match verdict {
            Verdict::Detour { port, .. } | Verdict::Squeeze { port, .. } => there(&self.who, port),
            Verdict::Evict { .. } if queues.worst(want.port).is_none() => {
                let port = want.port.0;
                let why = "the verdict evict needs a queued packet and a scheduler that ranks";
                self.who
                    .stop(format!("{why}: there is none at port {port}"));
            }
            Verdict::Trim if !pkt.carries_data() => {
                self.who
                    .stop("the verdict trim needs a packet that carries data");
            }
            _ => {}
        }
        verdict
    }

    fn displaced(
        &mut self,
        pkt: &Packet,
        from: PortId,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        let verdict = self.inner.displaced(pkt, from, queues, rng);
        match verdict {
            Verdict::Detour { port, .. } | Verdict::Squeeze { port, .. } => there(&self.who, port),
            Verdict::Drop(_) => {}
            other => {
                let why = "expected detour, squeeze or drop for an evicted packet";
                self.who.stop(format!("{why}, got {}", other.name()));
            }
        }
        verdict
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, want: Want, verdict: Verdict) -> String {
        self.inner.why(snapshot, want, verdict)
    }
}

/// Checked scheduler, with the handles it holds.
pub(super) struct Sched {
    who: PolicySite,
    port: PortId,
    inner: Box<dyn sidestep_switch::Sched + Send>,
    /// Bitmap of the handles held: they are numbers of slots, and dense.
    held: Vec<u64>,
    waiting: u32,
    /// True if the scheduler named a worst packet.
    named: Cell<bool>,
}

impl Sched {
    pub fn new(
        who: PolicySite,
        port: PortId,
        inner: Box<dyn sidestep_switch::Sched + Send>,
    ) -> Sched {
        Sched {
            who,
            port,
            inner,
            held: Vec::new(),
            waiting: 0,
            named: Cell::new(false),
        }
    }

    fn stop(&self, why: &str) -> ! {
        self.who
            .stop(format!("the scheduler of port {} {why}", self.port.0))
    }

    /// Removes the packet that `does` named from those held.
    fn leaves(&mut self, does: &str, handle: Option<u32>) -> Option<u32> {
        let handle = handle?;
        let (word, bit) = (handle as usize / 64, 1 << (handle % 64));
        match self.held.get_mut(word) {
            Some(held) if *held & bit != 0 => *held &= !bit,
            _ => self.stop(&format!(
                "{does} packet {handle}, expected one of the {} queued packets",
                self.waiting
            )),
        }
        self.waiting -= 1;
        Some(handle)
    }
}

impl sidestep_switch::Sched for Sched {
    fn is_fifo(&self) -> bool {
        self.inner.is_fifo()
    }
    fn passes(&self) -> bool {
        self.inner.passes()
    }
    fn pass(&mut self, pkt: &Packet, now: Time) {
        self.inner.pass(pkt, now);
    }
    fn push(&mut self, pkt: &Packet, handle: u32) {
        let word = handle as usize / 64;
        if self.held.len() <= word {
            self.held.resize(word + 1, 0);
        }
        self.held[word] |= 1 << (handle % 64);
        self.waiting += 1;
        self.inner.push(pkt, handle);
    }
    fn pop(&mut self) -> Option<u32> {
        let handle = self.inner.pop();
        if handle.is_none() && self.waiting > 0 {
            let waiting = self.waiting;
            self.stop(&format!(
                "popped nothing, expected one of the {waiting} queued packets"
            ));
        }
        self.leaves("popped", handle)
    }
    fn worst(&self) -> Option<u32> {
        let worst = self.inner.worst();
        self.named.set(worst.is_some());
        worst
    }
    fn evict(&mut self) -> Option<u32> {
        let handle = self.inner.evict();
        if handle.is_none() && self.named.get() && self.waiting > 0 {
            self.stop("evicted nothing, expected the packet that it named as the worst");
        }
        self.leaves("evicted", handle)
    }
    fn each_worst(&self, with: &mut dyn FnMut(u32, u32) -> bool) {
        self.inner.each_worst(with);
    }
    fn each_held(&self, with: &mut dyn FnMut(u32)) {
        let held = |handle: u32| {
            let word = self.held.get(handle as usize / 64).copied();
            word.unwrap_or_default() >> (handle % 64) & 1 == 1
        };
        self.inner.each_held(&mut |handle| {
            if !held(handle) {
                self.stop(&format!("named packet {handle}, which is not queued"));
            }
            with(handle);
        });
    }
    fn queue(&self, service: u8) -> Class {
        self.inner.queue(service)
    }
    fn class_of(&self, service: u8) -> Option<u8> {
        self.inner.class_of(service)
    }
    fn counts(&self) -> bool {
        self.inner.counts()
    }
    fn see(&mut self, pkt: &Packet, now: Time) {
        self.inner.see(pkt, now);
    }
    fn why(&self, pkt: &Packet) -> String {
        self.inner.why(pkt)
    }
}
