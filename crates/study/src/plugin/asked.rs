//! Policy of a plug-in library, called by the simulator.
//!
//! When the policy calls back, the call is answered here. No panic of the simulator may unwind through the
//! library, whose own panic handler could not interpret it. So the panic is caught, and resumed when the
//! library has returned.

use sidestep_lab::caller::PolicySite;
use sidestep_plugin::{PolicyConstructor, Report};
use sidestep_switch::{Buffer, Class, Depth, Hops, Queues, RankSum, Route, Sched, Verdict, Want};
use sidestep_types::{Bytes, Packet, PortId, PortSet, Rng, Size, Time};
use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex};

/// Policy of a library, with the library's function that drops it.
pub struct Loaded<P: ?Sized + 'static> {
    who: PolicySite,
    /// The policy; `None` once dropped.
    policy: Option<Box<P>>,
    drop: fn(Box<P>),
    report: Arc<Report>,
    words: Arc<Mutex<String>>,
}

impl<P: ?Sized> Loaded<P> {
    /// Creates the policy for `who`. An error is the policy's panic message.
    pub fn make(maker: &PolicyConstructor<P>, who: &PolicySite) -> Result<Loaded<P>, String> {
        let words = Arc::new(Mutex::new(String::new()));
        let report = Arc::new(Report::new(Box::new({
            let words = Arc::clone(&words);
            move |why| *words.lock().expect("no holder panics") = why.to_string()
        })));
        let made = (maker.make)(&who.place, &report);
        let policy = made.ok_or_else(|| words.lock().expect("no holder panics").clone())?;
        Ok(Loaded {
            who: who.clone(),
            policy: Some(policy),
            drop: maker.drop,
            report,
            words,
        })
    }

    fn policy(&mut self) -> &mut P {
        self.policy.as_deref_mut().expect("it is not dropped yet")
    }

    fn there(&self) -> &P {
        self.policy.as_deref().expect("it is not dropped yet")
    }

    /// Ends the run if the policy has stopped.
    #[inline]
    fn look(&self) {
        if self.report.stopped() {
            let words = self.words.lock().expect("no holder panics").clone();
            self.who.stop(words);
        }
    }

    /// Calls the policy with these queues.
    #[inline]
    fn ask<R>(
        &mut self,
        queues: &mut dyn Queues,
        question: impl FnOnce(&mut P, &mut dyn Queues) -> R,
    ) -> R {
        let mut kept = GuardedQueues {
            queues,
            ports: self.who.place.ports,
            report: &Arc::clone(&self.report),
            caught: RefCell::new(None),
        };
        let said = question(self.policy(), &mut kept);
        if let Some(payload) = kept.caught.into_inner() {
            resume_unwind(payload);
        }
        self.look();
        said
    }
}

impl<P: ?Sized> Drop for Loaded<P> {
    fn drop(&mut self) {
        if let Some(policy) = self.policy.take() {
            (self.drop)(policy);
        }
    }
}

impl Route for Loaded<dyn Route + Send> {
    fn pick(
        &mut self,
        pkt: &Packet,
        hops: Hops<'_>,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> PortId {
        self.ask(queues, |policy, queues| policy.pick(pkt, hops, queues, rng))
    }
}

impl Buffer for Loaded<dyn Buffer + Send> {
    fn admit(
        &mut self,
        pkt: &Packet,
        want: Want,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        self.ask(queues, |policy, queues| {
            policy.admit(pkt, want, queues, rng)
        })
    }

    fn displaced(
        &mut self,
        pkt: &Packet,
        from: PortId,
        queues: &mut dyn Queues,
        rng: &mut Rng,
    ) -> Verdict {
        self.ask(queues, |policy, queues| {
            policy.displaced(pkt, from, queues, rng)
        })
    }
}

/// Calls a scheduler, then ends the run if it has stopped.
macro_rules! asked {
    ($self:ident.$($call:tt)*) => {{
        let said = $self.$($call)*;
        $self.look();
        said
    }};
}

impl Sched for Loaded<dyn Sched + Send> {
    fn is_fifo(&self) -> bool {
        asked!(self.there().is_fifo())
    }
    fn passes(&self) -> bool {
        asked!(self.there().passes())
    }
    fn pass(&mut self, pkt: &Packet, now: Time) {
        asked!(self.policy().pass(pkt, now));
    }
    fn push(&mut self, pkt: &Packet, handle: u32) {
        asked!(self.policy().push(pkt, handle));
    }
    fn pop(&mut self) -> Option<u32> {
        asked!(self.policy().pop())
    }
    fn worst(&self) -> Option<u32> {
        asked!(self.there().worst())
    }
    fn evict(&mut self) -> Option<u32> {
        asked!(self.policy().evict())
    }
    fn each_worst(&self, with: &mut dyn FnMut(u32, u32) -> bool) {
        asked!(self.there().each_worst(with));
    }
    fn each_held(&self, with: &mut dyn FnMut(u32)) {
        asked!(self.there().each_held(with));
    }
    fn queue(&self, service: u8) -> Class {
        asked!(self.there().queue(service))
    }
    fn class_of(&self, service: u8) -> Option<u8> {
        asked!(self.there().class_of(service))
    }
    fn counts(&self) -> bool {
        asked!(self.there().counts())
    }
    fn see(&mut self, pkt: &Packet, now: Time) {
        asked!(self.policy().see(pkt, now));
    }
}

/// Queues of a switch, wrapped so that no panic leaves them.
struct GuardedQueues<'a> {
    queues: &'a mut dyn Queues,
    ports: u16,
    report: &'a Report,
    caught: RefCell<Option<Box<dyn Any + Send>>>,
}

impl GuardedQueues<'_> {
    /// Returns true if the port exists; otherwise stops the policy.
    fn has(&self, port: PortId) -> bool {
        let has = port.0 < self.ports;
        if !has {
            let last = self.ports.saturating_sub(1);
            let why = format!(
                "it queried port {}: expected a port from 0 to {last}",
                port.0
            );
            self.report.stop(&why);
        }
        has
    }

    fn keep<R>(
        &mut self,
        port: Option<PortId>,
        otherwise: R,
        question: impl FnOnce(&mut dyn Queues) -> R,
    ) -> R {
        if port.is_some_and(|port| !self.has(port)) {
            return otherwise;
        }
        let queues = &mut *self.queues;
        let said = catch_unwind(AssertUnwindSafe(|| question(queues)));
        said.unwrap_or_else(|payload| {
            self.caught.borrow_mut().get_or_insert(payload);
            otherwise
        })
    }

    fn keep_still<R>(
        &self,
        port: Option<PortId>,
        otherwise: R,
        question: impl FnOnce(&dyn Queues) -> R,
    ) -> R {
        if port.is_some_and(|port| !self.has(port)) {
            return otherwise;
        }
        let said = catch_unwind(AssertUnwindSafe(|| question(&*self.queues)));
        said.unwrap_or_else(|payload| {
            self.caught.borrow_mut().get_or_insert(payload);
            otherwise
        })
    }
}

impl Queues for GuardedQueues<'_> {
    fn now(&self) -> Time {
        self.keep_still(None, Time::ZERO, |queues| queues.now())
    }
    fn depth(&mut self, port: PortId) -> Depth {
        self.keep(Some(port), Depth::default(), |queues| queues.depth(port))
    }
    fn shortest(&mut self, ports: &[PortId], from: usize) -> usize {
        let wrong = ports.iter().copied().find(|port| port.0 >= self.ports);
        self.keep(wrong, 0, |queues| queues.shortest(ports, from))
    }
    fn open(&mut self, pkt: &Packet) -> PortSet {
        self.keep(None, PortSet::EMPTY, |queues| queues.open(pkt))
    }
    fn open_among(&mut self, pkt: &Packet, among: PortSet) -> PortSet {
        let wrong = among.iter().find(|port| port.0 >= self.ports);
        self.keep(wrong, PortSet::EMPTY, |queues| {
            queues.open_among(pkt, among)
        })
    }
    fn buffered(&self, pkt: &Packet) -> u32 {
        self.keep_still(None, 0, |queues| queues.buffered(pkt))
    }
    fn would_fit(&mut self, pkt: &Packet, depth: Depth) -> bool {
        self.keep(None, false, |queues| queues.would_fit(pkt, depth))
    }
    fn limit(&mut self) -> Option<Size> {
        self.keep(None, None, |queues| queues.limit())
    }
    fn to_switch(&self) -> PortSet {
        self.keep_still(None, PortSet::EMPTY, |queues| queues.to_switch())
    }
    fn ingress(&self) -> Option<PortId> {
        self.keep_still(None, None, |queues| queues.ingress())
    }
    fn worst(&self, port: PortId) -> Option<u32> {
        self.keep_still(Some(port), None, |queues| queues.worst(port))
    }
    /// `with` is the library's code and may panic, so it is called outside `catch_unwind`.
    fn each_worst(&self, port: PortId, with: &mut dyn FnMut(u32, u32) -> bool) {
        let mut all = Vec::new();
        self.keep_still(Some(port), (), |queues| {
            queues.each_worst(port, &mut |rank, bytes| {
                all.push((rank, bytes));
                true
            });
        });
        let _ = all.into_iter().all(|(rank, bytes)| with(rank, bytes));
    }
    fn could_fit(&mut self, pkt: &Packet, port: PortId) -> bool {
        self.keep(Some(port), false, |queues| queues.could_fit(pkt, port))
    }
    fn ranks(&mut self, port: PortId) -> RankSum {
        self.keep(Some(port), RankSum::default(), |queues| queues.ranks(port))
    }
    fn queue(&mut self, port: PortId, service: u8) -> Class {
        self.keep(Some(port), Class::default(), |queues| {
            queues.queue(port, service)
        })
    }
    fn see(&mut self, port: PortId, pkt: &Packet) {
        self.keep(Some(port), (), |queues| queues.see(port, pkt));
    }
    fn empty_at(&self, port: PortId) -> Time {
        self.keep_still(Some(port), Time::ZERO, |queues| queues.empty_at(port))
    }
    fn time_to_send(&self, port: PortId, bytes: Bytes) -> Time {
        self.keep_still(Some(port), Time::ZERO, |queues| {
            queues.time_to_send(port, bytes)
        })
    }
}
