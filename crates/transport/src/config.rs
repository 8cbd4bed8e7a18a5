//! What can be chosen about a connection. Units are in the types.

use std::sync::Arc;

use sidestep_types::Time;

use crate::registry::Entry;
use crate::{
    AnyReceiver, AnySender, Congestion, Estimator, PfabricConfig, PfabricSender, TcpReceiver,
    TcpSender,
};

/// What a run's connections are, the same at both ends of each.
#[derive(Clone, Debug, PartialEq)]
pub enum TransportConfig {
    /// TCP, with whatever congestion control.
    Tcp(Arc<TcpConfig>),
    /// pFabric.
    Pfabric(Arc<PfabricConfig>),
}

impl TransportConfig {
    /// Payload bytes of a full segment.
    pub fn mss(&self) -> u32 {
        match self {
            TransportConfig::Tcp(tcp) => tcp.mss,
            TransportConfig::Pfabric(pfabric) => pfabric.mss,
        }
    }

    /// The settings, when it is TCP.
    pub fn tcp(&self) -> Option<&TcpConfig> {
        match self {
            TransportConfig::Tcp(tcp) => Some(tcp),
            TransportConfig::Pfabric(_) => None,
        }
    }

    /// A sender of `size` bytes, or of as many as the network takes.
    pub fn sender(&self, size: Option<u64>) -> AnySender {
        match self {
            TransportConfig::Tcp(tcp) => AnySender::Tcp(TcpSender::new(Arc::clone(tcp), size)),
            TransportConfig::Pfabric(pfabric) => {
                AnySender::Pfabric(Box::new(PfabricSender::new(pfabric, size)))
            }
        }
    }

    /// A receiver that has seen nothing.
    pub fn receiver(&self) -> AnyReceiver {
        AnyReceiver::Tcp(match self {
            TransportConfig::Tcp(tcp) => TcpReceiver::new(Arc::clone(tcp)),
            TransportConfig::Pfabric(pfabric) => TcpReceiver::selective(pfabric.receive_window),
        })
    }
}

impl From<TcpConfig> for TransportConfig {
    fn from(tcp: TcpConfig) -> TransportConfig {
        TransportConfig::Tcp(Arc::new(tcp))
    }
}

impl From<PfabricConfig> for TransportConfig {
    fn from(pfabric: PfabricConfig) -> TransportConfig {
        TransportConfig::Pfabric(Arc::new(pfabric))
    }
}

/// A TCP connection's settings, the same at both ends.
#[derive(Clone, Debug, PartialEq)]
pub struct TcpConfig {
    /// How the window grows and shrinks.
    pub congestion: Congestion,
    /// How losses are found and repaired.
    pub recovery: Recovery,
    /// How fast a window that was cut is reached.
    pub reduction: Reduction,
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Initial window in segments.
    pub initial_window: u32,
    /// Bytes the receiver allows beyond the cumulative acknowledgement.
    pub receive_window: u64,
    /// Duplicate acknowledgements that start fast retransmit; `None` turns it off.
    pub dupack_threshold: Option<u32>,
    /// RFC 3042: a new segment on each of the first two duplicate acknowledgements.
    pub limited_transmit: bool,
    /// RFC 5681 4.1: back to the initial window after one RTO of silence.
    pub idle_restart: bool,
    /// `None` acknowledges every segment at once.
    pub delayed_ack: Option<DelayedAck>,
    /// The retransmission timer.
    pub rto: RtoConfig,
    /// Open with SYN, SYN-ACK and ACK; without, the connection stands already.
    pub handshake: bool,
}

impl Default for TcpConfig {
    /// What a scenario that says nothing gets.
    fn default() -> TcpConfig {
        TcpConfig {
            congestion: Congestion::NewReno { ecn: false },
            recovery: Recovery::NewReno,
            reduction: Reduction::AtOnce,
            mss: 1460,
            initial_window: 10,
            receive_window: 1 << 20,
            dupack_threshold: Some(3),
            limited_transmit: false,
            idle_restart: false,
            delayed_ack: None,
            rto: RtoConfig {
                estimator: Estimator::Rfc6298,
                min: Time::from_ms(10),
                initial: Time::from_ms(10),
                max: Time::from_s(60),
                granularity: Time::from_us(1),
                backoff: true,
            },
            handshake: false,
        }
    }
}

/// How losses are found and repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// RFC 6582: one hole a round trip, by partial acknowledgements.
    NewReno,
    /// RFC 6675: a scoreboard of selective acknowledgements.
    Sack,
}

impl Recovery {
    /// The recovery of this name.
    pub fn from_name(name: &str) -> Option<Recovery> {
        match name {
            "newreno" => Some(Recovery::NewReno),
            "sack" => Some(Recovery::Sack),
            _ => None,
        }
    }

    /// Its name everywhere.
    pub fn name(self) -> &'static str {
        match self {
            Recovery::NewReno => "newreno",
            Recovery::Sack => "sack",
        }
    }
}

/// Every recovery.
pub fn recoveries() -> &'static [Entry] {
    &[
        Entry {
            name: "newreno",
            summary: "repairs one hole a round trip, by partial acknowledgements",
            source: "RFC 6582",
        },
        Entry {
            name: "sack",
            summary: "repairs every hole that selective acknowledgements show",
            source: "RFC 6675, RFC 2018",
        },
    ]
}

/// How fast a window that a loss or an echo has cut is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Reduction {
    /// RFC 5681, 6675, 8257: the window is the smaller one at once, and nothing new leaves
    /// before the flight has fallen below it.
    #[default]
    AtOnce,
    /// RFC 9937: what leaves is a share of what arrives, from the first acknowledgement on.
    Prr,
}

impl Reduction {
    /// The reduction of this name.
    pub fn from_name(name: &str) -> Option<Reduction> {
        match name {
            "at_once" => Some(Reduction::AtOnce),
            "prr" => Some(Reduction::Prr),
            _ => None,
        }
    }

    /// Its name everywhere.
    pub fn name(self) -> &'static str {
        match self {
            Reduction::AtOnce => "at_once",
            Reduction::Prr => "prr",
        }
    }
}

/// Every reduction.
pub fn reductions() -> &'static [Entry] {
    &[
        Entry {
            name: "at_once",
            summary: "sends nothing new until the flight has fallen below the cut window",
            source: "RFC 5681, RFC 6675, RFC 8257",
        },
        Entry {
            name: "prr",
            summary: "sends a share of what is delivered while the window comes down",
            source: "RFC 9937; Linux tcp_cwnd_reduction",
        },
    ]
}

/// Acknowledge every `segments`-th full segment, or after `timeout` (RFC 1122, RFC 5681 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayedAck {
    /// Segments per acknowledgement.
    pub segments: u32,
    /// The longest wait.
    pub timeout: Time,
}

/// The retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RtoConfig {
    /// How round-trip samples become a timeout.
    pub estimator: Estimator,
    /// No timeout is shorter.
    pub min: Time,
    /// The timeout before the first sample.
    pub initial: Time,
    /// No timeout is longer, back-off included.
    pub max: Time,
    /// RFC 6298's clock granularity G.
    pub granularity: Time,
    /// Double the timeout each time it runs out (RFC 6298 5.5).
    pub backoff: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_recovery_reads_back() {
        for entry in recoveries() {
            let found = Recovery::from_name(entry.name).expect("a listed name is known");
            assert_eq!(found.name(), entry.name);
        }
        assert_eq!(Recovery::from_name("rack"), None);
    }

    #[test]
    fn every_listed_reduction_reads_back() {
        for entry in reductions() {
            let found = Reduction::from_name(entry.name).expect("a listed name is known");
            assert_eq!(found.name(), entry.name);
        }
        assert_eq!(Reduction::from_name("halving"), None);
    }
}
