//! Paths of single packets: kept while they are under way, dropped when the filter does not want them.

use crate::config::TraceFilter;
use crate::network::End;
use crate::outcome::{PacketTrace, TraceEvent, TraceStep};
use crate::record::Recorder;
use crate::switching::{Done, Evicted, Fate};
use crate::watch::{DetourSeen, Watched, Watcher, Watching, Wires};
use crate::why::{Account, Met};
use sidestep_switch::{Action, DropReason};
use sidestep_transport::{AnySender, Endpoint};
use sidestep_types::{FlowId, HostId, Kind, Packet, PortId, SwitchId, Time};

/// The path of a packet under way.
#[derive(serde::Serialize, serde::Deserialize)]
struct Open {
    path: PacketTrace,
    data: bool,
    class: u8,
    /// Its latency is taken.
    picked: bool,
    /// Bytes of link time.
    wire: u16,
}

/// Records paths.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Tracer {
    filter: TraceFilter,
    /// Per parcel slot: the path of the packet in it.
    open: Vec<Option<Box<Open>>>,
    kept: Vec<PacketTrace>,
    /// Looks at every data packet's path; most runs have none.
    watcher: Option<Box<Watcher>>,
    follows: bool,
    /// It must be asked of each data packet.
    asked: bool,
    /// Some path may be wanted: by it, or by the filter.
    wanting: bool,
    /// It picked the packet that was asked about last.
    picked: bool,
    /// Of the packet that is explained, if one is.
    #[serde(skip)]
    pub account: Option<Box<Account>>,
    /// Records all packets, if the run is recorded.
    #[serde(skip)]
    pub recorder: Option<Box<Recorder>>,
    /// Somebody else wants the path of the packet that was asked about last.
    followed: bool,
}

impl Tracer {
    pub fn new(filter: TraceFilter) -> Tracer {
        Tracer {
            wanting: !matches!(filter, TraceFilter::None),
            filter,
            open: Vec::new(),
            kept: Vec::new(),
            watcher: None,
            follows: false,
            asked: false,
            picked: false,
            account: None,
            recorder: None,
            followed: false,
        }
    }

    /// Tells this one of every packet from now on.
    pub fn record(&mut self, recorder: Recorder) {
        self.wanting = true;
        self.recorder = Some(Box::new(recorder));
    }

    /// Does it record what every packet does?
    fn records(&self) -> bool {
        self.recorder
            .as_ref()
            .is_some_and(|recorder| recorder.is_on())
    }

    /// Is the path of the packet in this slot kept?
    pub fn keeps_path(&self, parcel: u32) -> bool {
        matches!(self.open.get(parcel as usize), Some(Some(_)))
    }

    /// Why it cannot be kept, if it cannot.
    pub fn cannot_be_kept(&self) -> Option<&'static str> {
        match (&self.recorder, &self.account) {
            (Some(_), _) => Some("it is recorded"),
            (_, Some(_)) => Some("an account of a packet is kept"),
            (None, None) => None,
        }
    }

    /// Goes on with what `built`, the same before the run, is told to look at.
    pub fn go_on_as(&mut self, built: Tracer) -> Result<(), String> {
        match (&mut self.watcher, built.watcher) {
            (None, None) => {}
            (Some(kept), Some(built)) => kept.go_on_as(*built),
            _ => return Err("what is watched is not the scenario's".into()),
        }
        self.filter = built.filter;
        Ok(())
    }

    /// Keeps this account, and the path of its packet alone.
    pub fn explain(&mut self, account: Account) {
        self.filter = TraceFilter::Ids(vec![account.number]);
        self.wanting = true;
        self.account = Some(Box::new(account));
    }

    /// Keeps this account, and the numbers of all packets: paths that end are forgotten, but for those with more
    /// detours than any has.
    pub fn remember(&mut self, account: Account) {
        self.filter = TraceFilter::Detoured(u8::MAX);
        self.wanting = true;
        self.account = Some(Box::new(account));
    }

    /// The account, when it is of packet `number`.
    #[cold]
    pub fn account_of(&mut self, number: u64) -> Option<&mut Account> {
        self.account
            .as_deref_mut()
            .filter(|account| account.number == number)
    }

    /// The host's number of a traced packet.
    pub fn number(&self, parcel: u32) -> Option<u64> {
        let open = self.open.get(parcel as usize)?.as_ref()?;
        Some(open.path.id)
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

    /// Watches as well.
    pub fn watch(&mut self, watching: Watching, wires: Wires) {
        let watcher = Watcher::new(watching, wires);
        self.follows = watcher.follows();
        self.asked = self.follows || watcher.picks_some();
        self.wanting |= self.asked;
        self.watcher = Some(Box::new(watcher));
    }

    /// A switch detoured a packet.
    pub fn detour(&mut self, seen: DetourSeen) {
        if let Some(watcher) = &mut self.watcher {
            watcher.detour(seen);
        }
    }

    /// Must the path of this packet, its host's `number`, be recorded?
    #[inline]
    pub fn wants(&mut self, number: u64, packet: &Packet) -> bool {
        self.wanting && self.wants_this(number, packet)
    }

    #[cold]
    #[inline(never)]
    fn wants_this(&mut self, number: u64, packet: &Packet) -> bool {
        self.followed = self.wants_path(number, packet);
        self.followed || self.records()
    }

    /// Does somebody want its path?
    fn wants_path(&mut self, number: u64, packet: &Packet) -> bool {
        if self.asked && packet.carries_data() && self.watches(number, packet) {
            return true;
        }
        match &self.filter {
            TraceFilter::None => false,
            TraceFilter::Detoured(_) | TraceFilter::Dropped => true,
            filter => chooses(filter, number, packet.flow),
        }
    }

    /// Does the watcher want it?
    fn watches(&mut self, number: u64, packet: &Packet) -> bool {
        let host = (number >> 32) as u32;
        let watcher = self.watcher.as_mut().expect("it asks");
        self.picked = watcher.picks(host, packet);
        self.follows || self.picked
    }

    /// A packet starts on its way.
    pub fn open(&mut self, now: Time, parcel: u32, number: u64, packet: &Packet) {
        if let Some(recorder) = &mut self.recorder {
            recorder.sent(now, parcel, number, packet);
            if !self.followed {
                return;
            }
        }
        let at = parcel as usize;
        if self.open.len() <= at {
            self.open.resize_with(at + 1, || None);
        }
        let path = PacketTrace {
            id: number,
            flow: packet.flow,
            seq: packet.seq(),
            ack: matches!(packet.kind(), Kind::Ack | Kind::SynAck),
            steps: vec![TraceStep {
                at: now,
                what: TraceEvent::Sent,
            }],
        };
        let data = packet.carries_data();
        self.open[at] = Some(Box::new(Open {
            path,
            data,
            class: packet.class,
            picked: std::mem::take(&mut self.picked),
            wire: packet.wire,
        }));
    }

    /// One more step.
    pub fn step(&mut self, now: Time, parcel: u32, what: TraceEvent) {
        match self.open.get_mut(parcel as usize) {
            Some(Some(trace)) => trace.path.steps.push(TraceStep { at: now, what }),
            _ => assert!(self.recorder.is_some(), "a traced packet"),
        }
    }

    /// A switch dealt with a packet.
    pub fn switched(&mut self, now: Time, parcel: u32, switch: SwitchId, done: &Done, wire: u16) {
        let wanted = done.want.port;
        if let Some(recorder) = &mut self.recorder {
            let done = match done.action {
                Action::Dropped(reason) => Err((wanted, reason)),
                action => Ok(action.joined(wanted).expect("the simulator's pool grows")),
            };
            recorder.switched(now, parcel, switch, done, wire);
        }
        if let Action::Dropped(reason) = done.action {
            return self.dropped(now, parcel, switch, wanted, reason);
        }
        let joined = done.action.joined(wanted);
        let what = TraceEvent::Queued {
            switch,
            joined: joined.expect("the simulator's pool grows"),
            wanted_queue: done.want.depth.packets,
        };
        self.step(now, parcel, what);
    }

    /// A switch took a packet out of the queue where it waited; it has so many bytes of link time.
    pub fn evicted(&mut self, now: Time, switch: SwitchId, gone: &Evicted, wire: u16) {
        if let Some(recorder) = &mut self.recorder {
            let (from, parcel) = (End::Switch(switch), gone.parcel);
            recorder.evicted(now, parcel, from, gone.from);
            match gone.fate {
                Fate::Moved(joined, _) => recorder.took(now, parcel, from, joined, wire, true),
                Fate::Lost(why) => recorder.dropped(now, parcel, from, gone.from, why, false),
            }
        }
        if let Some(account) = self.account_at(gone.parcel) {
            account.evicted(now, End::Switch(switch), gone);
        }
        match gone.fate {
            Fate::Moved(joined, wanted_queue) => {
                let what = TraceEvent::Queued {
                    switch,
                    joined,
                    wanted_queue,
                };
                self.step(now, gone.parcel, what);
            }
            Fate::Lost(reason) => self.dropped(now, gone.parcel, switch, gone.from, reason),
        }
    }

    /// A packet was lost on a link that is down, or before it; its last bit left at `departs`, or would have.
    pub fn lost(&mut self, now: Time, parcel: u32, from: End, port: PortId, departs: Time) {
        if let Some(recorder) = &mut self.recorder {
            recorder.lost(now, parcel, from, port, departs);
        }
        if let Some(account) = self.account_at(parcel) {
            account.tell(now, Met::Lost { from, port });
        }
        match from {
            End::Switch(switch) => self.dropped(now, parcel, switch, port, DropReason::LinkDown),
            End::Host(_) => {
                self.dropped_by_host(now, parcel, DropReason::LinkDown);
            }
        }
    }

    /// The NIC of a host dealt with a packet, before any that it evicted for it.
    pub fn sent_by_nic(&mut self, now: Time, parcel: u32, host: HostId, done: &Done, wire: u16) {
        if let Action::Dropped(reason) = done.action {
            if let Some(recorder) = &mut self.recorder {
                recorder.dropped(now, parcel, End::Host(host), PortId(0), reason, false);
            }
            return self.dropped_by_host(now, parcel, reason);
        }
        let joined = done.action.joined(done.want.port);
        let joined = joined.expect("the simulator's pool grows");
        if let Some(recorder) = &mut self.recorder {
            recorder.took(now, parcel, End::Host(host), joined, wire, false);
        }
        self.step(now, parcel, TraceEvent::QueuedByHost { joined });
    }

    /// The NIC of `host` dropped a packet that waited there.
    pub fn evicted_by_nic(&mut self, now: Time, host: HostId, gone: &Evicted, why: DropReason) {
        if let Some(account) = self.account_at(gone.parcel) {
            account.evicted(now, End::Host(host), gone);
        }
        if let Some(recorder) = &mut self.recorder {
            let (from, parcel) = (End::Host(host), gone.parcel);
            recorder.evicted(now, parcel, from, gone.from);
            recorder.dropped(now, parcel, from, gone.from, why, false);
        }
        self.dropped_by_host(now, gone.parcel, why);
    }

    /// The NIC of a packet's host dropped it, at once or after it had waited there.
    pub fn dropped_by_host(&mut self, now: Time, parcel: u32, reason: DropReason) {
        self.step(now, parcel, TraceEvent::DroppedByHost { reason });
        self.close(parcel);
    }

    /// The account, when it is of this packet.
    #[cold]
    fn account_at(&mut self, parcel: u32) -> Option<&mut Account> {
        let number = self.number(parcel)?;
        self.account_of(number)
    }

    fn dropped(
        &mut self,
        now: Time,
        parcel: u32,
        switch: SwitchId,
        wanted: PortId,
        reason: DropReason,
    ) {
        let what = TraceEvent::Dropped {
            switch,
            wanted,
            reason,
        };
        self.step(now, parcel, what);
        self.close(parcel);
    }

    /// The packet's way has ended.
    pub fn close(&mut self, parcel: u32) {
        let Some(trace) = self.open.get_mut(parcel as usize).and_then(Option::take) else {
            assert!(self.recorder.is_some(), "a traced packet");
            return;
        };
        if let Some(watcher) = &mut self.watcher
            && self.follows
            && trace.data
        {
            watcher.ended(&trace.path);
        }
        if let Some(watcher) = &mut self.watcher
            && trace.picked
        {
            watcher.picked(&trace.path, trace.class, trace.wire);
        }
        if self.keeps(&trace.path) {
            self.kept.push(trace.path);
        }
    }

    fn keeps(&self, trace: &PacketTrace) -> bool {
        match &self.filter {
            TraceFilter::Detoured(least) => trace.detours() >= usize::from(*least),
            TraceFilter::Dropped => trace.was_dropped(),
            filter => chooses(filter, trace.id, trace.flow),
        }
    }

    /// Every path kept, those of packets still under way included, by packet number.
    pub fn finish(mut self) -> (Vec<PacketTrace>, Watched) {
        let open: Vec<_> = self.open.drain(..).flatten().collect();
        for trace in open {
            if self.keeps(&trace.path) {
                self.kept.push(trace.path);
            }
        }
        self.kept.sort_by_key(|t| t.id);
        let watched = self.watcher.map(|watcher| watcher.finish());
        (self.kept, watched.unwrap_or_default())
    }
}

/// Does a filter that needs no path choose packet `number` of `flow`?
fn chooses(filter: &TraceFilter, number: u64, flow: FlowId) -> bool {
    match filter {
        TraceFilter::Ids(ids) => ids.contains(&number),
        TraceFilter::Flows(flows) => flows.contains(&flow.0),
        TraceFilter::None | TraceFilter::Detoured(_) | TraceFilter::Dropped => false,
    }
}
