//! Counters of proportional rate reduction (see `reduction`).

/// Reduction in progress.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Prr {
    /// Bytes in flight when it began; 0 before the first step.
    pub flight: u64,
    /// Bytes delivered since.
    pub delivered: u64,
    /// Bytes retransmitted since; `cut_end` tells the bytes sent for the first time.
    pub resent: u64,
}

impl Prr {
    /// Returns SndCnt of RFC 9937, in full segments unless `ssthresh` is nearer.
    pub fn share(
        &self,
        pipe: u64,
        ssthresh: u64,
        delivered: u64,
        out: u64,
        safe: bool,
        mss: u64,
    ) -> u64 {
        let share = if pipe > ssthresh {
            let due = u128::from(self.delivered) * u128::from(ssthresh);
            let due = due.div_ceil(u128::from(self.flight)).min(u128::from(pipe)) as u64;
            due.next_multiple_of(mss).saturating_sub(out)
        } else {
            let owed = self.delivered.saturating_sub(out).max(delivered);
            let grown = owed.next_multiple_of(mss) + if safe { mss } else { 0 };
            grown.min(ssthresh - pipe)
        };
        // The first acknowledgement always lets one segment leave: a fast retransmit must not wait.
        if share == 0 && out == 0 { mss } else { share }
    }
}
