//! What can be chosen about a TCP connection. Units are in the types.

use sidestep_types::Time;

/// A TCP connection's settings, the same at both ends.
#[derive(Clone, Debug, PartialEq)]
pub struct TcpConfig {
    /// How the window grows and shrinks.
    pub congestion: Congestion,
    /// How losses are found and repaired.
    pub recovery: Recovery,
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
    /// Open with SYN and SYN-ACK; without, the connection stands already.
    pub handshake: bool,
}

/// How the window grows and shrinks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Congestion {
    /// RFC 5681. With `ecn`, a mark counts as a loss once a round trip (RFC 3168).
    NewReno {
        /// Sends ECN-capable packets.
        ecn: bool,
    },
    /// DCTCP, RFC 8257.
    Dctcp {
        /// Gain of the moving average of marked bytes; the RFC and the paper say 1/16.
        gain: f64,
        /// Alpha before the first window; the RFC says 1.
        initial_alpha: f64,
    },
}

/// How losses are found and repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// RFC 6582: one hole a round trip, by partial acknowledgements.
    NewReno,
    /// RFC 6675: a scoreboard of selective acknowledgements.
    Sack,
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

/// How round-trip samples become a timeout. They differ by orders of magnitude in the tail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimator {
    /// RFC 6298 to the letter.
    Rfc6298,
    /// Linux `tcp_rtt_estimator`: windowed maximum deviation, `rto_min` applied to the variance term.
    Linux,
    /// ns-3 `RttMeanDeviation`.
    Ns3,
    /// INET 3/4: variance starts at a quarter of the initial timeout, both gains 1/8, back-off adds twice the timeout.
    Inet,
}
