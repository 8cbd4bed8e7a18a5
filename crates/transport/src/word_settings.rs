//! Settings of a TCP connection whose value is a word.
//!
//! A new setting is a `words!` here, a line of `CHOICES` in `choices.rs` and a field in `config.rs`.

use crate::registry::words;

words! {
    /// Loss recovery of a sender.
    pub enum Recovery {
        /// RFC 6582: one hole a round trip, by partial acknowledgements.
        NewReno = "newreno",
            "repairs one hole per round trip, by partial acknowledgements",
            "RFC 6582";
        /// RFC 5681 alone: one hole, until new data is acknowledged.
        Reno = "reno",
            "repairs one hole for every three duplicates, and the others after a timeout",
            "RFC 5681 section 3.2";
        /// RFC 6675: a scoreboard of selective acknowledgements.
        Sack = "sack",
            "repairs every hole that selective acknowledgements show",
            "RFC 6675, RFC 2018";
    }
}

words! {
    /// Evidence by which a sender considers a segment lost.
    pub enum LossDetection {
        /// RFC 5681, 6582 and 6675: duplicate acknowledgements, or bytes SACKed above a segment.
        Duplicates = "duplicates",
            "a segment is lost once enough duplicates, or SACKed segments above it, have arrived",
            "RFC 5681, RFC 6582, RFC 6675";
        /// RFC 8985: the send times of the segments delivered.
        Rack = "rack",
            "a segment is lost once a later one was delivered and a reordering window has passed",
            "RFC 8985; Linux tcp_rack_detect_loss";
    }
}

words! {
    /// Growth of a window in slow start.
    pub enum Growth {
        /// RFC 5681: a segment for each acknowledgement, while the window limits the sender.
        Rfc5681 = "rfc5681",
            "adds a segment for each acknowledgement, while the window limits the sender",
            "RFC 5681 section 3.1 (equation 2)";
        /// Linux: all bytes delivered, while more than half of the window is in use.
        Linux = "linux",
            "adds all bytes delivered, while more than half of the window is in use",
            "Linux tcp_slow_start, tcp_is_cwnd_limited, tcp_cwnd_validate";
    }
}

words! {
    /// Reduction of the flight to a window that a loss or an echo has cut.
    pub enum Reduction {
        /// RFC 5681, 6675, 8257: the window is cut at once, and no new data leaves before the flight has fallen
        /// below it.
        AtOnce = "at_once",
            "sends no new data until the flight has fallen below the reduced window",
            "RFC 5681, RFC 6675, RFC 8257";
        /// RFC 9937: a share of the data delivered may be sent, from the first acknowledgement on.
        Prr = "prr",
            "sends a share of the bytes delivered during the reduction",
            "RFC 9937; Linux tcp_cwnd_reduction";
    }
}

words! {
    /// Number of duplicate acknowledgements after which a segment counts as lost.
    pub enum ThresholdRule {
        /// Constant: `fast_retransmit`.
        Fixed = "fixed",
            "fixed threshold: `fast_retransmit` duplicates start a recovery",
            "RFC 5681 section 3.2";
        /// Large enough that a share of the reorderings seen would start no recovery; adapted when a duplicate
        /// segment shows that a retransmission was spurious.
        Dsack = "dsack",
            "adapts to the reordering seen when a D-SACK shows that a retransmission was spurious",
            "Zhang et al., ICNP 2003 (RR-TCP); RFC 2883";
        /// Adapted as with `Dsack`, but a retransmission was spurious if it is acknowledged sooner than a round
        /// trip allows.
        Early = "early",
            "adapts to the reordering seen when a retransmission is acknowledged sooner than it \
             can have arrived",
            "after RFC 3522 (Eifel) without timestamps; the report on PLTS asks for adaptive \
             thresholds";
    }
}

words! {
    /// Rule of delayed acknowledgements.
    pub enum AckRule {
        /// Linux: at once at the start of a flow, after a silence and at each change of marks; otherwise as
        /// soon as more than a full segment is unacknowledged, and after half of `rto_min` at the latest.
        Linux = "linux",
            "acknowledges at once at the start of a flow and after a silence, then every second \
             full segment",
            "Linux tcp_event_data_recv, __tcp_ack_snd_check, tcp_delack_max";
        /// ns-3: every second segment from the first on, whatever its size.
        Ns3 = "ns3",
            "acknowledges every second segment from the first on, whatever its size",
            "RFC 1122 4.2.3.2; ns-3 TcpSocketBase::ReceivedData";
    }
}

words! {
    /// Event at which a backed-off timeout returns to the estimator's value.
    pub enum BackoffEnds {
        /// As in the implementation that the estimator models ([`crate::Estimate::BACKOFF_ENDS_AT_ACK`]).
        AsEstimator = "as_estimator",
            "as in the code that the estimator models: ns3 at an acknowledgement, the others at a \
             sample",
            "ns-3, Linux, INET, RFC 6298";
        /// Karn's rule: the first round trip of a segment that was sent once.
        Sample = "sample",
            "ends with the first round trip of a segment that was sent once",
            "RFC 6298 section 5; Linux tcp_ack_update_rtt without timestamps";
        /// First acknowledgement of new data.
        Ack = "ack",
            "ends with the first acknowledgement of new data",
            "ns-3 TcpSocketBase::NewAck; Linux with timestamps";
    }
}

words! {
    /// Rank of a sender's data, for switches that order by it.
    pub enum Ranking {
        /// Bytes of the flow not acknowledged as the packet leaves, its own included.
        Unacknowledged = "unacknowledged",
            "gives data a rank: the unacknowledged bytes of its flow",
            "Alizadeh et al., SIGCOMM 2013 (pFabric): remaining flow size";
        /// No rank.
        Unmarked = "none",
            "gives data no rank: all of it ranks alike, behind ranked data",
            "a host unaware of its switches";
    }
}

impl Ranking {
    /// Returns the rank of a segment as it leaves, with `left` bytes of its flow not acknowledged: [`u32::MAX`]
    /// for 4 GiB and more, and for an endless flow.
    #[inline]
    pub(crate) fn rank(self, left: u64) -> Option<u32> {
        match self {
            Ranking::Unacknowledged => Some(left.min(u64::from(u32::MAX)) as u32),
            Ranking::Unmarked => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_is_what_is_left_as_far_as_32_bits_go_and_none_where_nothing_is_marked() {
        let rank = |left| Ranking::Unacknowledged.rank(left);
        assert_eq!([1, 1 << 32].map(rank), [Some(1), Some(u32::MAX)]);
        assert_eq!(Ranking::Unmarked.rank(1), None);
    }
}
