//! `kernel.parquet`: the kernel's state of a flow's sender while it runs, one row for each time it was read.

use crate::columns::{Col, columns};

/// State of one sender in the kernel at one instant. Times are those of the emulated network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelRow {
    /// Name of the scheme.
    pub scheme: String,
    /// Seed.
    pub seed: u64,
    /// True if the machine disturbed the run.
    pub disturbed: bool,
    /// Number of the flow within the seed.
    pub flow: u64,
    /// Subflow, with MPTCP.
    pub subflow: Option<u64>,
    /// Time of the reading, since the run's time zero.
    pub at_us: f64,
    /// State of loss recovery: open, disorder, cwr, recovery or loss.
    pub state: &'static str,
    /// Congestion window, packets.
    pub window: u64,
    /// Window at which slow start ends, packets.
    pub ssthresh: Option<u64>,
    /// Segments sent and not acknowledged.
    pub unacked: u64,
    /// Smoothed round trip.
    pub srtt_us: f64,
    /// Mean deviation of round trips from `srtt_us`.
    pub rttvar_us: f64,
    /// Shortest round trip.
    pub min_rtt_us: Option<f64>,
    /// Retransmission timeout.
    pub rto_us: f64,
    /// Duplicate acknowledgements that count as a loss.
    pub reordering: u64,
    /// Number of times the sender saw reordering.
    pub reordering_seen: Option<u64>,
    /// Segments sent again.
    pub retransmits: u64,
    /// Timeouts.
    pub timeouts: Option<u64>,
    /// Duplicate segments that the receiver reported.
    pub dsacks: Option<u64>,
    /// Segments delivered.
    pub delivered: Option<u64>,
    /// Delivered segments that were marked.
    pub marked: Option<u64>,
    /// DCTCP's estimate of the marked share.
    pub alpha: Option<f64>,
}

/// Returns the columns of `kernel.parquet`.
pub fn kernel_columns() -> Vec<Col<KernelRow>> {
    columns! { r: KernelRow;
        /// number of the flow within its seed, as in `flows.parquet`
        flow_id: Int = r.flow;
        /// number of the subflow in the kernel's order, from 0; null unless MPTCP
        subflow: OptInt = r.subflow;
        /// name of the scheme
        scheme: Text = &r.scheme;
        /// seed of the run
        seed: Int = r.seed;
        /// true if the machine disturbed the run (testbed only); such runs are in `marked` of `summary.json`
        disturbed: Flag = r.disturbed;
        /// time of the reading, since the run's time zero
        at_us: Float = r.at_us;
        /// state of the sender's loss recovery: open, disorder, cwr, recovery, loss
        ca_state: Text = r.state;
        /// congestion window
        window_packets: Int = r.window;
        /// window at which slow start ends; null until a loss or mark sets it
        ssthresh_packets: OptInt = r.ssthresh;
        /// segments sent and not acknowledged
        unacked_packets: Int = r.unacked;
        /// smoothed round trip
        srtt_us: Float = r.srtt_us;
        /// smoothed deviation of round trips from srtt_us
        rttvar_us: Float = r.rttvar_us;
        /// shortest round trip; null if none was measured
        min_rtt_us: OptFloat = r.min_rtt_us;
        /// retransmission timeout, as the next one would be
        rto_us: Float = r.rto_us;
        /// duplicate acknowledgements that count as a loss
        reordering_packets: Int = r.reordering;
        /// times that reordering was seen, so far
        reordering_seen: OptInt = r.reordering_seen;
        /// segments sent again, so far
        retransmits: Int = r.retransmits;
        /// retransmission timeouts, so far
        timeouts: OptInt = r.timeouts;
        /// duplicate segments that the receiver reported (RFC 2883), so far
        dsacks: OptInt = r.dsacks;
        /// segments delivered, so far
        delivered_packets: OptInt = r.delivered;
        /// delivered segments that were marked, so far
        delivered_marked_packets: OptInt = r.marked;
        /// DCTCP's estimate of the share of marked bytes, 0 to 1; null without DCTCP or where the peer refused ECN
        dctcp_alpha: OptFloat = r.alpha;
    }
}
