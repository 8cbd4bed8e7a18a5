//! A flow over time: what it sent and what came back, and how its sender stood.
//!
//! **Units**        picoseconds, bytes.

use crate::chunks::Chunks;
use crate::flags::{CHANGE_MARKED, is_ack};
use crate::refused::Refused;
use sidestep_recording::{Flow, Says, What};

/// A flow over time: `FlowSeries` of `web/src/engine/api.ts`. The columns of each part have one length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowSeries {
    /// What the tail knows of it.
    pub flow: Option<Flow>,
    /// Data that it sent.
    pub sent: Sent,
    /// Acknowledgements that arrived at its sender.
    pub acked: Acked,
    /// Packets of it that were marked, acknowledgements among them.
    pub marks: At,
    /// Packets of it that were dropped, acknowledgements among them.
    pub drops: At,
    /// How its sender stood.
    pub windows: Windows,
}

/// Data that was sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sent {
    /// When.
    pub at: Vec<f64>,
    /// The first byte.
    pub seq: Vec<f64>,
    /// How many.
    pub bytes: Vec<f64>,
    /// 1: the same was sent before.
    pub again: Vec<u8>,
    /// The packet.
    pub packet: Vec<u32>,
}

/// Acknowledgements that arrived.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Acked {
    /// When.
    pub at: Vec<f64>,
    /// The byte that the receiver expects next.
    pub seq: Vec<f64>,
    /// 1: it says that a mark came.
    pub marked: Vec<u8>,
}

/// Instants at which something was done to packets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct At {
    /// When.
    pub at: Vec<f64>,
    /// To which packet.
    pub packet: Vec<u32>,
}

/// How a sender stood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Windows {
    /// When.
    pub at: Vec<f64>,
    /// Its window in bytes.
    pub cwnd: Vec<f64>,
    /// Where slow start ends, in bytes.
    pub ssthresh: Vec<f64>,
    /// Bytes acknowledged.
    pub acked: Vec<f64>,
    /// Timeouts so far.
    pub timeouts: Vec<f64>,
}

impl At {
    fn push(&mut self, at: f64, packet: u32) {
        self.at.push(at);
        self.packet.push(packet);
    }
}

pub(crate) fn of(chunks: &mut Chunks<'_>, id: u32) -> Result<FlowSeries, Refused> {
    let mut series = FlowSeries {
        flow: chunks.tail().flows.iter().find(|f| f.id == id).cloned(),
        ..FlowSeries::default()
    };
    for i in 0..chunks.count() {
        if !chunks.has_flow(i, id) {
            continue;
        }
        let decoded = chunks.get(i)?;
        // Packets are known by what they say of themselves until they arrive.
        let mut state = decoded.chunk.state.clone();
        for (event, flow) in decoded.chunk.events.iter().zip(&decoded.flow) {
            if *flow == id {
                let sent = state.next();
                let packet = event.packet().and_then(|id| state.packet(id));
                let known = packet.map(|packet| (packet.seq, packet.says));
                series.push(event.at as f64, event.what, sent, known);
            }
            state.apply(event).map_err(Refused::new)?;
        }
    }
    Ok(series)
}

impl FlowSeries {
    fn push(&mut self, at: f64, what: What, sent: u32, known: Option<(u64, u8)>) {
        match what {
            What::Send {
                seq, bytes, says, ..
            } if !is_ack(says) => {
                self.sent.at.push(at);
                self.sent.seq.push(seq as f64);
                self.sent.bytes.push(bytes.into());
                self.sent.again.push(Says(says).again().into());
                self.sent.packet.push(sent);
            }
            What::Deliver { .. } => {
                if let Some((seq, says)) = known.filter(|(_, says)| is_ack(*says)) {
                    self.acked.at.push(at);
                    self.acked.seq.push(seq as f64);
                    self.acked.marked.push((says & Says::ECHO != 0).into());
                }
            }
            What::Enqueue {
                packet, changes, ..
            } if changes & CHANGE_MARKED != 0 => self.marks.push(at, packet),
            What::Drop { packet, .. } => self.drops.push(at, packet),
            What::Window {
                cwnd,
                ssthresh,
                acked,
                timeouts,
                ..
            } => {
                let windows = &mut self.windows;
                windows.at.push(at);
                windows.cwnd.push(cwnd as f64);
                windows.ssthresh.push(ssthresh as f64);
                windows.acked.push(acked as f64);
                windows.timeouts.push(timeouts.into());
            }
            _ => {}
        }
    }
}
