//! Paths of single packets: kept while the packet is in flight, then dropped unless the filter wants them.

use crate::config::TraceFilter;
use crate::event::{PacketAction, PacketEvent};
use crate::outcome::{PacketTrace, TraceEvent, TraceStep};
use crate::watch::{DetourSeen, Watched, Watcher, Watching, Wires};
use sidestep_switch::{DropReason, Event, Sink};
use sidestep_types::{FlowId, Kind, Packet, Time};

/// Path of a packet in flight.
#[derive(serde::Serialize, serde::Deserialize)]
struct Open {
    path: PacketTrace,
    data: bool,
    class: u8,
    /// True if its latency is measured.
    picked: bool,
    /// Bytes of link time.
    wire: u16,
}

/// Recorder of paths.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Tracer {
    filter: TraceFilter,
    /// Per slot of the pool: the path of the packet in it.
    open: Vec<Option<Box<Open>>>,
    kept: Vec<PacketTrace>,
    /// Looks at every data packet's path; most runs have none.
    watcher: Option<Box<Watcher>>,
    follows: bool,
    /// True if the watcher must be called for each data packet.
    asked: bool,
    /// True if the watcher picked the last packet it was called for.
    picked: bool,
    /// True if the path of that packet is wanted.
    wanted: bool,
}

impl Tracer {
    pub fn new(filter: TraceFilter) -> Tracer {
        Tracer {
            filter,
            open: Vec::new(),
            kept: Vec::new(),
            watcher: None,
            follows: false,
            asked: false,
            picked: false,
            wanted: false,
        }
    }

    /// Returns true if the path of any packet may be wanted.
    pub fn wants_some(&self) -> bool {
        self.asked || !matches!(self.filter, TraceFilter::None)
    }

    /// Uses `filter` from now on.
    pub fn choose(&mut self, filter: TraceFilter) {
        self.filter = filter;
    }

    /// Returns true if the path of the packet in this slot is kept.
    pub fn keeps_path(&self, parcel: u32) -> bool {
        self.number(parcel).is_some()
    }

    /// Continues with the filter and the watcher's settings of `built`, the same tracer before the run.
    pub fn restore_constants(&mut self, built: Tracer) -> Result<(), String> {
        match (&mut self.watcher, built.watcher) {
            (None, None) => {}
            (Some(kept), Some(built)) => kept.restore_constants(*built),
            _ => return Err("saved probes do not match the scenario".into()),
        }
        self.filter = built.filter;
        Ok(())
    }

    /// Returns the host's number of a packet whose path is kept.
    pub fn number(&self, parcel: u32) -> Option<u64> {
        let open = self.open.get(parcel as usize)?.as_ref()?;
        Some(open.path.id)
    }

    /// Adds watching.
    pub fn watch(&mut self, watching: Watching, wires: Wires) {
        let watcher = Watcher::new(watching, wires);
        self.follows = watcher.follows();
        self.asked = self.follows || watcher.picks_some();
        self.watcher = Some(Box::new(watcher));
    }

    /// Reports a detour of a packet, traced or not, to the watcher.
    pub fn detour(&mut self, seen: DetourSeen) {
        if let Some(watcher) = &mut self.watcher {
            watcher.detour(seen);
        }
    }

    /// Returns true if the path of this packet, with its host's `number`, must be kept while it is in flight.
    pub fn wants(&mut self, number: u64, packet: &Packet) -> bool {
        self.wanted = self.chooses(number, packet);
        self.wanted
    }

    fn chooses(&mut self, number: u64, packet: &Packet) -> bool {
        if self.asked && packet.carries_data() && self.watches(number, packet) {
            return true;
        }
        match &self.filter {
            TraceFilter::None => false,
            TraceFilter::Detoured(_) | TraceFilter::Dropped => true,
            filter => chooses(filter, number, packet.flow),
        }
    }

    /// Returns true if the watcher wants it.
    fn watches(&mut self, number: u64, packet: &Packet) -> bool {
        let host = (number >> 32) as u32;
        let watcher = self.watcher.as_mut().expect("it asks");
        self.picked = watcher.picks(host, packet);
        self.follows || self.picked
    }

    /// Opens the path of a packet.
    fn open(&mut self, now: Time, parcel: u32, number: u64, packet: &Packet) {
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
        self.open[at] = Some(Box::new(Open {
            path,
            data: packet.carries_data(),
            class: packet.class,
            picked: std::mem::take(&mut self.picked),
            wire: packet.wire,
        }));
    }

    /// Closes the path of a packet.
    fn close(&mut self, trace: Open) {
        if let Some(watcher) = &mut self.watcher {
            if self.follows && trace.data {
                watcher.ended(&trace.path);
            }
            if trace.picked {
                watcher.picked(&trace.path, trace.class, trace.wire);
            }
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

    /// Returns every path kept, those of packets still in flight included, by packet number.
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

impl Sink<PacketEvent<'_>> for Tracer {
    fn observe(&mut self, event: &PacketEvent<'_>) {
        let (now, parcel) = (event.at, event.parcel);
        let what = match event.what {
            PacketAction::Sent { number } if self.wanted => {
                return self.open(now, parcel, number, event.packet);
            }
            PacketAction::Sent { .. } => return,
            PacketAction::At(here, event) => TraceEvent::At(here, event),
            PacketAction::Lost { from, port, .. } => {
                let reason = DropReason::LinkDown;
                TraceEvent::At(from, Event::Drop { port, reason })
            }
            PacketAction::Delivered => TraceEvent::Delivered,
        };
        // Another observer may want packets whose path is not wanted.
        let Some(place) = self.open.get_mut(parcel as usize) else {
            return;
        };
        if let Some(open) = place {
            open.path.steps.push(TraceStep { at: now, what });
        }
        if event.what.ends()
            && let Some(open) = place.take()
        {
            self.close(*open);
        }
    }
}

/// Returns true if a filter that needs no path chooses packet `number` of `flow`.
fn chooses(filter: &TraceFilter, number: u64, flow: FlowId) -> bool {
    match filter {
        TraceFilter::Ids(ids) => ids.contains(&number),
        TraceFilter::Flows(flows) => flows.contains(&flow.0),
        TraceFilter::None | TraceFilter::Detoured(_) | TraceFilter::Dropped => false,
    }
}
