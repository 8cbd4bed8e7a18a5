//! Paths of single packets: kept while they are under way, dropped when the filter does not want them.

use crate::config::TraceFilter;
use crate::network::End;
use crate::outcome::{PacketTrace, TraceEvent, TraceStep};
use crate::switching::{Done, Evicted, Fate};
use crate::watch::{DetourSeen, Watched, Watcher, Watching, Wires};
use crate::why::{Account, Met};
use sidestep_switch::{Action, DropReason};
use sidestep_transport::{AnySender, Endpoint};
use sidestep_types::{FlowId, HostId, Kind, Packet, PortId, SwitchId, Time};

/// The path of a packet under way.
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
    pub account: Option<Box<Account>>,
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
        }
    }

    /// Keeps this account, and the path of its packet alone.
    pub fn explain(&mut self, account: Account) {
        self.filter = TraceFilter::Ids(vec![account.number]);
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
        let trace = self.open[parcel as usize]
            .as_mut()
            .expect("a traced packet");
        trace.path.steps.push(TraceStep { at: now, what });
    }

    /// A switch dealt with a packet.
    pub fn switched(&mut self, now: Time, parcel: u32, switch: SwitchId, done: &Done) {
        let wanted = done.want.port;
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

    /// A switch took a packet out of the queue where it waited.
    pub fn evicted(&mut self, now: Time, switch: SwitchId, gone: &Evicted) {
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

    /// A packet was lost on a link that is down, or before it.
    pub fn lost(&mut self, now: Time, parcel: u32, from: End, port: PortId) {
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
    pub fn sent_by_nic(&mut self, now: Time, parcel: u32, done: &Done) {
        if let Action::Dropped(reason) = done.action {
            return self.dropped_by_host(now, parcel, reason);
        }
        let joined = done.action.joined(done.want.port);
        let joined = joined.expect("the simulator's pool grows");
        self.step(now, parcel, TraceEvent::QueuedByHost { joined });
    }

    /// The NIC of `host` dropped a packet that waited there.
    pub fn evicted_by_nic(&mut self, now: Time, host: HostId, gone: &Evicted, why: DropReason) {
        if let Some(account) = self.account_at(gone.parcel) {
            account.evicted(now, End::Host(host), gone);
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
        let trace = self.open[parcel as usize].take().expect("a traced packet");
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
