//! `kernel.parquet`: what the kernel said of the sender of a flow while it ran, a row each time it was asked.

use crate::columns::{Col, columns};

/// What a kernel said of one sender, once; times are those of the network that is emulated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelRow {
    /// The scheme's name.
    pub scheme: String,
    /// The seed.
    pub seed: u64,
    /// The machine disturbed the run.
    pub disturbed: bool,
    /// The flow, by its number within the seed.
    pub flow: u64,
    /// Of MPTCP, the subflow.
    pub subflow: Option<u64>,
    /// When it was asked, since the run's time zero.
    pub at_us: f64,
    /// What it does about losses and marks.
    pub state: &'static str,
    /// Its window.
    pub window: u64,
    /// Where slow start ends.
    pub ssthresh: Option<u64>,
    /// What was sent and not acknowledged.
    pub unacked: u64,
    /// Smoothed round trip; the mean distance from it; the shortest.
    pub srtt_us: f64,
    /// See above.
    pub rttvar_us: f64,
    /// See above.
    pub min_rtt_us: Option<f64>,
    /// The retransmission timeout.
    pub rto_us: f64,
    /// Duplicate acknowledgements that are taken for a loss.
    pub reordering: u64,
    /// How often it saw reordering.
    pub reordering_seen: Option<u64>,
    /// Segments sent again.
    pub retransmits: u64,
    /// Timeouts.
    pub timeouts: Option<u64>,
    /// Segments that the other end had twice.
    pub dsacks: Option<u64>,
    /// Segments delivered.
    pub delivered: Option<u64>,
    /// Of those, marked.
    pub marked: Option<u64>,
    /// DCTCP's estimate of the marked share.
    pub alpha: Option<f64>,
}

/// The columns of `kernel.parquet`.
pub fn kernel_columns() -> Vec<Col<KernelRow>> {
    columns! { r: KernelRow;
        /// number of the flow within its seed, as in `flows.parquet`
        flow_id: Int = r.flow;
        /// number of the subflow in the order in which the kernel has them, from 0 on; null unless MPTCP
        subflow: OptInt = r.subflow;
        /// name of the scheme
        scheme: Text = &r.scheme;
        /// seed of the run
        seed: Int = r.seed;
        /// the machine disturbed the run (only on a testbed): it is one of `marked` of `summary.json`
        disturbed: Flag = r.disturbed;
        /// when the kernel was asked, since the run's time zero
        at_us: Float = r.at_us;
        /// what the sender does about losses and marks: open, disorder, cwr, recovery, loss
        ca_state: Text = r.state;
        /// congestion window
        window_packets: Int = r.window;
        /// window at which slow start ends; null while nothing has cut it
        ssthresh_packets: OptInt = r.ssthresh;
        /// segments sent and not acknowledged
        unacked_packets: Int = r.unacked;
        /// smoothed round trip
        srtt_us: Float = r.srtt_us;
        /// smoothed distance of round trips from that
        rttvar_us: Float = r.rttvar_us;
        /// the shortest round trip; null when none was measured
        min_rtt_us: OptFloat = r.min_rtt_us;
        /// retransmission timeout, as the next one would be
        rto_us: Float = r.rto_us;
        /// duplicate acknowledgements that are taken for a loss
        reordering_packets: Int = r.reordering;
        /// times that reordering was seen, so far
        reordering_seen: OptInt = r.reordering_seen;
        /// segments sent again, so far
        retransmits: Int = r.retransmits;
        /// retransmission timeouts, so far
        timeouts: OptInt = r.timeouts;
        /// segments that came twice, as the other end said (RFC 2883), so far
        dsacks: OptInt = r.dsacks;
        /// segments delivered, so far
        delivered_packets: OptInt = r.delivered;
        /// of those, segments that came marked
        delivered_marked_packets: OptInt = r.marked;
        /// DCTCP's estimate of the share of marked bytes, from 0 to 1; null without DCTCP, and when the peer refused ECN
        dctcp_alpha: OptFloat = r.alpha;
    }
}
