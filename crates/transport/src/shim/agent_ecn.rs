//! Agent-ecn: filters duplicate acknowledgements from the sender until one signals congestion.
//!
//! **Decision**     a duplicate acknowledgement without ECE is dropped; one with ECE goes on. `until` sets how
//!                  long later duplicates without ECE then go on as well: not at all, until the cumulative
//!                  acknowledgement moves, or until it has passed all data sent when the first duplicate with
//!                  ECE arrived. All other packets go on: acknowledgements that move, old ones, those with SACK
//!                  blocks, data, handshakes.
//! **State**        for each open flow and each of its subflows, the state of `duplicates.rs` and the
//!                  acknowledgement up to which duplicates go on.
//! **Units**        bytes, acknowledgements.
//! **Errors**       none; a stack refuses the agent above a sender that reads SACK, or no duplicates.
//! **Source**       Dixit et al., Purdue CSD TR 11-011 (PLTS), section III-C2.
//! **Deviations**   none known. The report drops until the agent "sees a packet with the ECE bit set", and then
//!                  describes what it does with a duplicate that has it: only duplicates are examined here. It
//!                  lets duplicates pass "until their ECE bit are set", read as: as long as it is.
//!
//! A dropped duplicate is not held and released late: the report drops it, and an acknowledgement is
//! cumulative, so that the next one carries all of its information. The sender lacks only the count. Each
//! duplicate tells NewReno that a packet has left the network: at the threshold it starts the
//! recovery, before the threshold it allows limited transmit, and in recovery it adds a segment to the window.
//! Under the agent only the duplicates that go on have these effects, so that a window grows by less in
//! recovery, and the timeout detects a loss without a mark.

use sidestep_types::{About, FlowId, Packet, Refusal, Settings, Time, Words};

use super::duplicates::{AckKind, Streams};
use super::registry::Registered;
use super::{Counters, Nature, Shim, Up};

/// Shim that drops duplicates without ECE.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct AgentEcn {
    until: Until,
    streams: Streams<PassUntil>,
    counters: Counters,
}

/// Acknowledgement up to which all duplicates go on.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
struct PassUntil(Option<u64>);

/// Event that ends the passing of duplicates without ECE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, Words)]
enum Until {
    Unmarked,
    Moved,
    Recovered,
}

impl Until {
    /// Describes how long duplicates after one that echoes a mark go on; `None` if they do not.
    fn lasts(self) -> Option<&'static str> {
        match self {
            Until::Unmarked => None,
            Until::Moved => Some("until the acknowledgement moves"),
            Until::Recovered => Some("until all data sent by then is acknowledged"),
        }
    }
}

/// Settings of [`AgentEcn`].
#[derive(Clone, Settings)]
pub struct AgentEcnSettings {
    /// duplicates that pass once one echoes a mark: only those that echo one (PLTS, as its sentence is read
    /// here), all until the acknowledgement moves (assumed), or all until it reaches the data sent by then
    /// (assumed)
    #[setting(default = "unmarked")]
    until: Until,
}

impl Registered for AgentEcn {
    type Settings = AgentEcnSettings;
    const ABOUT: About = About {
        name: "agent-ecn",
        summary: "drops duplicate acknowledgements until one echoes a mark",
        source: "PLTS section III-C2",
    };
    const NATURE: Nature = Nature {
        duplicates: true,
        echoes: true,
        ..Nature::PLAIN
    };

    fn build(settings: AgentEcnSettings) -> Result<AgentEcn, Refusal> {
        Ok(AgentEcn {
            until: settings.until,
            streams: Streams::new(),
            counters: Counters::default(),
        })
    }
}

impl Shim for AgentEcn {
    fn open(&mut self, flow: FlowId, _size: Option<u64>) {
        self.streams.open(flow);
    }

    fn close(&mut self, flow: FlowId) {
        self.streams.close(flow);
    }

    fn down(&mut self, _now: Time, packet: &mut Packet) {
        self.streams.down(packet);
    }

    fn up(&mut self, _now: Time, packet: &mut Packet) -> Up {
        let Some((heard, stream)) = self.streams.up(packet) else {
            return Up::Pass;
        };
        if heard != AckKind::Duplicate {
            stream.own.0 = stream.own.0.filter(|end| stream.acked < *end);
            return Up::Pass;
        }
        self.counters.duplicates += 1;
        if packet.ece() && stream.own.0.is_none() {
            stream.own.0 = match self.until {
                Until::Unmarked => None,
                Until::Moved => Some(stream.acked + 1),
                Until::Recovered => Some(stream.sent),
            };
        }
        match packet.ece() || stream.own.0.is_some() {
            true => Up::Pass,
            false => Up::Drop,
        }
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn why(&self, packet: &Packet) -> String {
        let run = (self.streams.duplicate(packet)).map_or(0, |stream| stream.run);
        let others = match self.until.lasts() {
            None => "only duplicates that echo a mark go on".to_string(),
            Some(lasts) => format!("after the first one that echoes a mark, all go on {lasts}"),
        };
        format!("it is duplicate {run} of its run and echoes no mark (ECE); {others}")
    }

    fn why_passed(&self, packet: &Packet) -> Option<String> {
        let run = self.streams.duplicate(packet)?.run;
        let echoes = match (packet.ece(), self.until.lasts()) {
            (false, Some(lasts)) => {
                format!("echoes no mark (ECE), but an earlier duplicate did, so all go on {lasts}")
            }
            _ => "echoes a mark (ECE)".into(),
        };
        Some(format!("it is duplicate {run} of its run and {echoes}"))
    }
}
