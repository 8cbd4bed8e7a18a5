//! Everyone who observes packets of a run: who wants which, and hears their events.
//!
//! **Decision**     none: nothing that is observed changes the run. A packet that somebody wants is *traced*, as a bit of
//!                  it says; of all others no event is put together.
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

/// The observers of a run.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Observers {
    /// Keeps paths, and what is watched of them.
    pub tracer: Tracer,
    /// Explains one packet, if one is explained.
    #[serde(skip)]
    pub account: Option<Account>,
    /// Records all packets, if the run is recorded.
    #[serde(skip)]
    pub recorder: Option<Recorder>,
    /// Some packet may be wanted.
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

    /// Watches as well.
    pub fn watch(&mut self, watching: Watching, wires: Wires) {
        self.tracer.watch(watching, wires);
        self.wanting |= self.tracer.wants_some();
    }

    /// Tells this one of every packet from now on.
    pub fn record(&mut self, recorder: Recorder) {
        self.wanting = true;
        self.recorder = Some(recorder);
    }

    /// Keeps this account, and the paths that `filter` chooses.
    pub fn explain(&mut self, account: Account, filter: TraceFilter) {
        self.tracer.choose(filter);
        self.wanting = true;
        self.account = Some(account);
    }

    /// Why the observers cannot be kept, if they cannot.
    pub fn cannot_be_kept(&self) -> Option<&'static str> {
        match (&self.recorder, &self.account) {
            (Some(_), _) => Some("the run is recorded"),
            (_, Some(_)) => Some("the run explains a packet"),
            (None, None) => None,
        }
    }

    /// Says whether this packet, its host's `number`, is to be traced.
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

    /// The sender of `flow` sends something again.
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
    fn hear(&mut self, event: &PacketEvent<'_>) {
        self.recorder.hear(event);
        self.account.hear(event);
        self.tracer.hear(event);
    }
}
