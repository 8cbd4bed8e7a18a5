//! MPTCP: one flow over several TCPs, each on a separate path.
//!
//! **Decision**     `scheduler`: which subflow carries the next segment. `coupled`: how fast its window grows.
//!                  `data`: which bytes are sent again on another subflow. TCP does everything else: each
//!                  subflow is a [`TcpSender`] and a [`TcpReceiver`].
//! **State**        the subflows, and 48 bytes for each segment in flight: the bytes of the message that it
//!                  carries.
//! **Units**        bytes and picoseconds.
//! **Errors**       none: acknowledgements of unknown subflows are ignored.
//! **Source**       RFC 6824, RFC 8684; RFC 6356 for windows; Raiciu et al., SIGCOMM 2011 (data centres: a
//!                  subflow for each of eight ECMP paths).
//! **Deviations**   the sequence numbers of subflow i begin at i·2^44; the packet's tag, which takes no bytes,
//!                  carries the position of a segment in the message. All subflows exist from the first
//!                  segment on; with `handshake` they open after the first has, with three packets each. No
//!                  data acknowledgement, data FIN, fast close or priority; no subflow is abandoned. More in
//!                  `coupled`, `data`, `receiver`, `scheduler` and `sender`.
//!
//! [`TcpSender`]: crate::TcpSender
//! [`TcpReceiver`]: crate::TcpReceiver

pub mod coupled;
mod data;
mod receiver;
mod scheduler;
mod sender;

use std::sync::Arc;

use sidestep_types::{
    About, Packet, Param, ParamUnit, Refusal, Setting, Settings, Time, Value, Values, settings,
};

pub use receiver::MptcpReceiver;
pub use scheduler::Scheduler;
pub use sender::{Head, MptcpSender, Subflow};

use crate::congestion;
use crate::nature::Nature;
use crate::registry::{Transport, words};
use crate::{AnyReceiver, TcpConfig};

words! {
    /// Coupling of the windows of subflows.
    pub enum Coupling {
        /// All windows grow together as one TCP's on the best path would.
        Lia = "lia",
            "all subflows together take as much of a shared link as one TCP",
            "RFC 6356";
        /// Each window grows as a TCP's.
        Uncoupled = "none",
            "each subflow grows like a separate TCP",
            "RFC 6356 section 1, as the unfair alternative";
    }
}

/// Settings of an MPTCP connection, the same at both ends.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct MptcpConfig {
    /// Settings of each subflow; not Swift, whose windows below one segment are not supported. All subflows
    /// share the receive window.
    #[serde(with = "crate::shared")]
    pub tcp: Arc<TcpConfig>,
    /// Number of subflows, 1 to [`Packet::SUBFLOWS`].
    pub subflows: u8,
    /// Coupling of their windows.
    pub coupling: Coupling,
    /// Set if the bytes that a subflow has in flight when it times out are sent on another subflow as well.
    pub reinject: bool,
    /// Order in which subflows are offered the next segment.
    pub scheduler: Scheduler,
}

impl MptcpConfig {
    /// Returns the payload bytes of a full segment.
    pub fn mss(&self) -> u32 {
        self.tcp.mss
    }

    /// Returns the bytes of the message that the receiver allows beyond the first missing one.
    pub fn receive_window(&self) -> u64 {
        self.tcp.receive_window
    }

    /// Returns a lower bound of the retransmission timeout.
    pub fn shortest_timeout(&self) -> Time {
        self.tcp.rto.min.min(self.tcp.rto.initial)
    }

    pub(crate) fn nature(&self) -> Nature {
        self.tcp.nature()
    }

    /// Creates a receiver that has received nothing.
    pub fn receiver(&self) -> AnyReceiver {
        AnyReceiver::Mptcp(Box::new(MptcpReceiver::new(self)))
    }
}

impl From<TcpConfig> for MptcpConfig {
    /// Creates settings with subflows like this TCP, and everything else by default.
    fn from(tcp: TcpConfig) -> MptcpConfig {
        MptcpConfig {
            tcp: Arc::new(tcp),
            subflows: 8,
            coupling: Coupling::Lia,
            reinject: true,
            scheduler: Scheduler::LowestRtt,
        }
    }
}

const MOST: u64 = Packet::SUBFLOWS as u64;

/// Parameters of MPTCP beside those of its subflows.
#[derive(Settings)]
struct MptcpOnlySettings {
    /// TCPs that carry the flow, each on the path of its own flow hash: 1 to 16 (Raiciu et al., SIGCOMM 2011:
    /// eight fill a fat tree)
    #[setting(
        default = "8",
        range = 1..=MOST,
        because = "4 of the 48 bits of a sequence number are the subflow number, which leaves each \
                   subflow 2^44 bytes"
    )]
    subflows: u8,
    /// congestion controller of each subflow; dctcp as a choice is assumed
    #[setting(default = crate::DEFAULT)]
    congestion: Controller,
    /// growth of windows after slow start: coupled like one TCP, or each subflow separately (RFC 6356)
    #[setting(default = "lia")]
    coupled: Coupling,
    /// send the bytes that a subflow has in flight when it times out on another subflow as well (RFC 8684
    /// section 3.3.6)
    #[setting(default = "true")]
    reinject: bool,
    /// order in which subflows are offered the next segment; assumed: SIGCOMM 2011 names none
    #[setting(default = "lowest-rtt")]
    scheduler: Scheduler,
}

/// Name of a subflow's controller.
struct Controller(String);

impl Setting for Controller {
    const UNIT: ParamUnit = ParamUnit::Word(CONGESTIONS);

    fn read(_: &'static str, value: &Value) -> Result<Controller, Refusal> {
        match value {
            Value::Word(kind) => Ok(Controller(kind.clone())),
            other => panic!("{other:?} is no word"),
        }
    }
}

/// Names of the controllers that a subflow may have, newreno first.
const CONGESTIONS: &[&str] = &{
    let mut names = [crate::DEFAULT; congestion::ENTRIES.len()];
    let (mut i, mut at) = (0, 1);
    while i < names.len() {
        let name = congestion::ENTRIES[i].name;
        if !same(name, crate::DEFAULT) {
            names[at] = name;
            at += 1;
        }
        i += 1;
    }
    names
};

/// Returns true if a subflow can have the controller called `kind`.
fn of_subflows(kind: &str) -> bool {
    let mut all = congestion::ENTRIES.iter().zip(congestion::OF_SUBFLOWS);
    all.any(|(entry, may)| entry.name == kind && *may)
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// Parameters of MPTCP, then those of each controller that a subflow can have.
const PARTS: &[&[Param]] = &{
    let mut parts = [MptcpOnlySettings::PARAMS; 1 + congestion::ENTRIES.len()];
    let mut i = 0;
    while i < congestion::ENTRIES.len() {
        parts[i + 1] = match congestion::OF_SUBFLOWS[i] {
            true => congestion::ENTRIES[i].params,
            false => &[],
        };
        i += 1;
    }
    parts
};
const ALL: [Param; settings::total(PARTS)] = settings::join(PARTS);

impl Transport for MptcpSender {
    type Settings = MptcpConfig;
    const ABOUT: About = About {
        name: "mptcp",
        summary: "one flow over several TCPs, each on a separate path",
        source: "RFC 8684, RFC 6356; Raiciu et al., SIGCOMM 2011",
    };
}

impl Settings for MptcpConfig {
    const PARAMS: &'static [Param] = &ALL;

    fn read(values: &Values) -> Result<MptcpConfig, Refusal> {
        let own = MptcpOnlySettings::read(values)?;
        let kind = own.congestion.0;
        if !of_subflows(&kind) {
            let expected = format!(
                "congestion = {kind:?} cannot run on subflows: RFC 6356 couples windows that grow \
                 by acknowledged bytes, and no source covers windows that follow a delay or are \
                 below one packet; expected another controller, for example \"newreno\""
            );
            return Err(Refusal::about(&["congestion"], expected));
        }
        let tcp = TcpConfig::of(&kind, values)?;
        if own.coupled == Coupling::Lia && tcp.reordering.undo {
            let expected = "undo restores a window, and RFC 6356 does not say how a restored \
                            window stays coupled: expected coupled = \"none\" or undo = false";
            return Err(Refusal::about(&["undo", "coupled"], expected));
        }
        Ok(MptcpConfig {
            tcp: Arc::new(tcp),
            subflows: own.subflows,
            coupling: own.coupled,
            reinject: own.reinject,
            scheduler: own.scheduler,
        })
    }
}

#[cfg(test)]
mod tests;
