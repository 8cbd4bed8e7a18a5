//! Observers of a run's packets: which packets each wants, and delivery of their events.
//!
//! **Decision**     none: observing does not change the run. A packet wanted by an observer is *traced*: a bit
//!                  in it
//!                  is set. For all others no event is built.
//! **State**        the observers.
//! **Errors**       none.

use crate::config::TraceFilter;
use crate::event::PacketEvent;
use crate::record::Recorder;
use crate::trace::Tracer;
use crate::watch::{Watching, Wires};
use crate::why::Account;
use sidestep_switch::Sink;
use sidestep_transport::{AnySender, Endpoint};
use sidestep_types::{FlowId, Packet, Time};

/// Observers of a run.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Observers {
    /// Keeps paths, and what is watched of them.
    pub tracer: Tracer,
    /// Explains one packet, if requested.
    #[serde(skip)]
    pub account: Option<Account>,
    /// Records all packets, if the run is recorded.
    #[serde(skip)]
    pub recorder: Option<Recorder>,
    /// True if some packet may be wanted.
    wanting: bool,
}

impl Observers {
    pub fn new(tracer: Tracer) -> Observers {
        Observers {
            wanting: tracer.wants_some(),
            tracer,
            account: None,
            recorder: None,
        }
    }

    /// Adds watching.
    pub fn watch(&mut self, watching: Watching, wires: Wires) {
        self.tracer.watch(watching, wires);
        self.wanting |= self.tracer.wants_some();
    }

    /// Adds a recorder, which receives the events of every packet from now on.
    pub fn record(&mut self, recorder: Recorder) {
        self.wanting = true;
        self.recorder = Some(recorder);
    }

    /// Adds an account, and keeps the paths that `filter` chooses.
    pub fn explain(&mut self, account: Account, filter: TraceFilter) {
        self.tracer.choose(filter);
        self.wanting = true;
        self.account = Some(account);
    }

    /// Returns the reason why the observers cannot be saved, if they cannot.
    pub fn cannot_be_kept(&self) -> Option<&'static str> {
        match (&self.recorder, &self.account) {
            (Some(_), _) => Some("the run is recorded"),
            (_, Some(_)) => Some("the run explains a packet"),
            (None, None) => None,
        }
    }

    /// Returns true if this packet, with its host's `number`, is to be traced.
    #[inline]
    pub fn wants(&mut self, number: u64, packet: &Packet) -> bool {
        self.wanting && self.wants_this(number, packet)
    }

    #[cold]
    #[inline(never)]
    fn wants_this(&mut self, number: u64, packet: &Packet) -> bool {
        let recorded = self.recorder.as_ref();
        self.tracer.wants(number, packet) || recorded.is_some_and(|recorder| recorder.is_on())
    }

    /// Reports that the sender of `flow` retransmits.
    #[cold]
    #[inline(never)]
    pub fn sends_again(&mut self, now: Time, flow: FlowId, end: &Endpoint<AnySender>) {
        if let Some(account) = &mut self.account {
            account.sends_again(now, flow, end.counters());
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.sends_again(now, flow, end);
        }
    }
}

impl Sink<PacketEvent<'_>> for Observers {
    #[cold]
    #[inline(never)]
    fn observe(&mut self, event: &PacketEvent<'_>) {
        self.recorder.observe(event);
        self.account.observe(event);
        self.tracer.observe(event);
    }
}
