//! Wrapper of a plug-in's policy that catches its panics.

use crate::{ForSwitch, Report, drop_quietly};
use sidestep_switch::{
    Buffer, Class, DropReason, Hops, Place, Queues, Route, Sched, Verdict, Want,
};
use sidestep_types::{Packet, PortId, Rng, Time};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Policy whose panics go to a report.
pub struct Guarded<P> {
    policy: P,
    report: Arc<Report>,
}

impl<P: ForSwitch> Guarded<P> {
    /// Makes the policy of the switch at `place`; `None` if that panics.
    pub fn make(place: &Place, report: &Arc<Report>) -> Option<Guarded<P>> {
        let made = caught(report, || Some(P::for_switch(place)), None);
        made.map(|policy| Guarded {
            policy,
            report: Arc::clone(report),
        })
    }
}

/// Returns the answer of `question`, or `otherwise` if it panics.
fn caught<R>(report: &Report, question: impl FnOnce() -> R, otherwise: R) -> R {
    catch_unwind(AssertUnwindSafe(question)).unwrap_or_else(|payload| {
        report.stop(&format!("it panicked: {}", words(&*payload)));
        drop_quietly(payload);
        otherwise
    })
}

fn words(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("without a message")
}

impl<P: Route> Route for Guarded<P> {
    fn pick(
        &mut self,
        pkt: &Packet,
        hops: Hops<'_>,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> PortId {
        let policy = &mut self.policy;
        caught(
            &self.report,
            || policy.pick(pkt, hops, queues, rng),
            PortId(0),
        )
    }
}

impl<P: Buffer> Buffer for Guarded<P> {
    fn admit(
        &mut self,
        pkt: &Packet,
        want: Want,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        let policy = &mut self.policy;
        let otherwise = Verdict::Drop(DropReason::Full);
        caught(
            &self.report,
            || policy.admit(pkt, want, queues, rng),
            otherwise,
        )
    }

    fn displaced(
        &mut self,
        pkt: &Packet,
        from: PortId,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        let policy = &mut self.policy;
        let otherwise = Verdict::Drop(DropReason::Evicted);
        caught(
            &self.report,
            || policy.displaced(pkt, from, queues, rng),
            otherwise,
        )
    }
}

impl<P: Sched> Sched for Guarded<P> {
    fn is_fifo(&self) -> bool {
        caught(&self.report, || self.policy.is_fifo(), false)
    }
    fn passes(&self) -> bool {
        caught(&self.report, || self.policy.passes(), false)
    }
    fn pass(&mut self, pkt: &Packet, now: Time) {
        let policy = &mut self.policy;
        caught(&self.report, || policy.pass(pkt, now), ());
    }
    fn push(&mut self, pkt: &Packet, handle: u32) {
        let policy = &mut self.policy;
        caught(&self.report, || policy.push(pkt, handle), ());
    }
    fn pop(&mut self) -> Option<u32> {
        let policy = &mut self.policy;
        caught(&self.report, || policy.pop(), None)
    }
    fn worst(&self) -> Option<u32> {
        caught(&self.report, || self.policy.worst(), None)
    }
    fn evict(&mut self) -> Option<u32> {
        let policy = &mut self.policy;
        caught(&self.report, || policy.evict(), None)
    }
    /// Collects first, then calls `with` outside of `caught`: `with` belongs to the program, and its panics are
    /// not caught here.
    fn each_worst(&self, with: &mut dyn FnMut(u32, u32) -> bool) {
        let mut all = Vec::new();
        let mut keep = |rank, wire| {
            all.push((rank, wire));
            true
        };
        caught(&self.report, || self.policy.each_worst(&mut keep), ());
        let _ = all.into_iter().all(|(rank, wire)| with(rank, wire));
    }
    fn each_held(&self, with: &mut dyn FnMut(u32)) {
        let mut all = Vec::new();
        caught(
            &self.report,
            || self.policy.each_held(&mut |handle| all.push(handle)),
            (),
        );
        all.into_iter().for_each(with);
    }
    fn queue(&self, service: u8) -> Class {
        caught(
            &self.report,
            || self.policy.queue(service),
            Class::default(),
        )
    }
    fn class_of(&self, service: u8) -> Option<u8> {
        caught(&self.report, || self.policy.class_of(service), None)
    }
    fn counts(&self) -> bool {
        caught(&self.report, || self.policy.counts(), false)
    }
    fn see(&mut self, pkt: &Packet, now: Time) {
        let policy = &mut self.policy;
        caught(&self.report, || policy.see(pkt, now), ());
    }
}
