//! Agent-ecn: keeps duplicate acknowledgements from the sender until one says that there is congestion.
//!
//! **Decision**     a duplicate acknowledgement that carries no ECE is dropped; one that does goes on.
//!                  `until` says how long others then go on as well: not at all, until the
//!                  cumulative acknowledgement moves, or until it has passed what had been sent when
//!                  the first of them came. All else goes on: acknowledgements that move, old ones,
//!                  those with SACK blocks, data, handshakes.
//! **State**        of each open flow and each of its subflows what `duplicates.rs` says, and up to which
//!                  acknowledgement duplicates go on.
//! **Units**        bytes, acknowledgements.
//! **Errors**       none of its own; a stack refuses it above a sender that reads SACK, or none.
//! **Source**       Dixit et al., Purdue CSD TR 11-011 (PLTS), section III-C2.
//! **Deviations**   none known. The report drops until the agent "sees a packet with the ECE bit set", and
//!                  then says what it does with a duplicate that has it: only those are asked here. It
//!                  lets duplicates pass "until their ECE bit are set", read as: as long as it is.
//!
//! What is dropped is not held to be released late: the report drops it, and an acknowledgement is
//! cumulative, so that the next one says all that it said. What its sender misses is the count. Each
//! duplicate tells NewReno that a packet has left the network: at the threshold that starts the
//! repair, before it limited transmit, and in recovery it adds a segment to the window. Under the
//! agent only the duplicates that go on do, so that a window grows by less in recovery, and a loss
//! without a mark is found by the timeout.

use sidestep_types::{About, FlowId, Packet, Refusal, Settings, Time, Words};

use super::duplicates::{Heard, Streams};
use super::registry::Registered;
use super::{Counters, Nature, Shim, Up};

/// Drops duplicates without ECE.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct AgentEcn {
    until: Until,
    streams: Streams<Told>,
    counters: Counters,
}

/// Up to which acknowledgement duplicates go on, whatever they carry.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
struct Told(Option<u64>);

/// What ends that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, Words)]
enum Until {
    Unmarked,
    Moved,
    Recovered,
}

impl Until {
    /// For how long duplicates behind one that echoes a mark go on; `None`: not for that.
    fn lasts(self) -> Option<&'static str> {
        match self {
            Until::Unmarked => None,
            Until::Moved => Some("until the acknowledgement moves"),
            Until::Recovered => Some("until all is acknowledged that had been sent by then"),
        }
    }
}

/// Settings of [`AgentEcn`].
#[derive(Clone, Settings)]
pub struct AgentEcnSettings {
    /// how long duplicates pass once one echoes a mark: as long as each does (PLTS, as its sentence is read here), until
    /// the acknowledgement moves (assumed), or until it reaches what had been sent then (assumed)
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
        if heard != Heard::Duplicate {
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
            None => "those that do go on".to_string(),
            Some(lasts) => format!("the first that does lets those behind it go on {lasts}"),
        };
        format!("it is duplicate {run} of its run and echoes no mark (ECE), and {others}")
    }

    fn why_passed(&self, packet: &Packet) -> Option<String> {
        let run = self.streams.duplicate(packet)?.run;
        let echoes = match (packet.ece(), self.until.lasts()) {
            (false, Some(lasts)) => format!(
                "echoes no mark (ECE), but an earlier one did, which lets those behind it go on {lasts}"
            ),
            _ => "echoes a mark (ECE)".into(),
        };
        Some(format!("it is duplicate {run} of its run and {echoes}"))
    }
}
