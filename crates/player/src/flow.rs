//! Time series of a flow: its data, its acknowledgements, and the state of its sender.
//!
//! **Units**        picoseconds, bytes.

use crate::chunks::Chunks;
use crate::flags::{CHANGE_MARKED, is_ack};
use crate::refused::Refused;
use sidestep_recording::{EventKind, Flow, PacketFlags};

/// Time series of a flow: `FlowSeries` of `web/src/engine/api.ts`. The columns of each part have equal lengths.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowSeries {
    /// Entry of the flow in the tail.
    pub flow: Option<Flow>,
    /// Data that the flow sent.
    pub sent: SentSegments,
    /// Acknowledgements that arrived at its sender.
    pub acked: Acked,
    /// Packets and acknowledgements that were marked.
    pub marks: At,
    /// Packets and acknowledgements that were dropped.
    pub drops: At,
    /// States of its sender.
    pub windows: Windows,
}

/// Data that was sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SentSegments {
    /// Time of sending, ps.
    pub at: Vec<f64>,
    /// First byte.
    pub seq: Vec<f64>,
    /// Payload, bytes.
    pub bytes: Vec<f64>,
    /// 1 for a retransmission.
    pub again: Vec<u8>,
    /// Packet.
    pub packet: Vec<u32>,
}

/// Acknowledgements that arrived.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Acked {
    /// Time of arrival, ps.
    pub at: Vec<f64>,
    /// Next byte that the receiver expects.
    pub seq: Vec<f64>,
    /// 1 if the acknowledgement echoes a mark.
    pub marked: Vec<u8>,
}

/// Instants at which packets were marked or dropped.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct At {
    /// Time, ps.
    pub at: Vec<f64>,
    /// Packet.
    pub packet: Vec<u32>,
}

/// States of a sender.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Windows {
    /// Time, ps.
    pub at: Vec<f64>,
    /// Congestion window, bytes.
    pub cwnd: Vec<f64>,
    /// Slow-start threshold, bytes.
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
        // The state keeps the fields of packets until they arrive.
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
    fn push(&mut self, at: f64, what: EventKind, sent: u32, known: Option<(u64, u8)>) {
        match what {
            EventKind::Send {
                seq, bytes, says, ..
            } if !is_ack(says) => {
                self.sent.at.push(at);
                self.sent.seq.push(seq as f64);
                self.sent.bytes.push(bytes.into());
                self.sent.again.push(PacketFlags(says).again().into());
                self.sent.packet.push(sent);
            }
            EventKind::Deliver { .. } => {
                if let Some((seq, says)) = known.filter(|(_, says)| is_ack(*says)) {
                    self.acked.at.push(at);
                    self.acked.seq.push(seq as f64);
                    self.acked
                        .marked
                        .push((says & PacketFlags::ECHO != 0).into());
                }
            }
            EventKind::Enqueue {
                packet, changes, ..
            } if changes & CHANGE_MARKED != 0 => self.marks.push(at, packet),
            EventKind::Drop { packet, .. } => self.drops.push(at, packet),
            EventKind::Window {
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
