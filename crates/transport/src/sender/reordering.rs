//! Spurious retransmissions: their detection and the reaction.
//!
//! **Decision**     a retransmission was spurious when a D-SACK reports that its segment has arrived a second
//!                  time, or when it is acknowledged sooner than it can have arrived. Then the threshold rises
//!                  above a share of the reorderings seen, and if all retransmissions of the recovery were
//!                  spurious the window from before the recovery is restored. Where only the time of an
//!                  acknowledgement tells, the window waits until no other hole is open: the repair of a real loss
//!                  may look too soon on a path that has become faster, and the others must still be repaired.
//! **State**        a count for each length of reordering seen, the retransmissions of this recovery and the
//!                  one before, the window from before the cut. Nothing unless a setting needs it.
//! **Units**        bytes and picoseconds. A length is the number of later segments that overtook one.
//! **Errors**       none: duplicates of segments sent once are counted and otherwise ignored.
//! **Source**       RFC 2883; Zhang et al., ICNP 2003 (RR-TCP): a histogram of lengths, and a threshold that
//!                  lets a share of them pass. RFC 3522 and Linux `tcp_try_undo_*` for the window. RFC 4653 for
//!                  limited transmit up to the threshold.
//! **Deviations**   RR-TCP adapts its share to the cost of timeouts and of spurious retransmissions; here the
//!                  share is a setting, and a timeout after duplicates resets the threshold to its initial
//!                  value, as in Linux (`tcp_enter_loss`). RR-TCP returns to the window by slow start; here the
//!                  window is restored at once, as in Linux. RR-TCP's histogram forgets; this one covers the
//!                  whole connection. Limited transmit goes on for a window at most (assumed).

mod smallest;

use std::collections::VecDeque;

use sidestep_types::Time;

use super::{Phase, TcpSender};
use crate::{Ack, ReorderingConfig, TcpConfig, ThresholdRule};
use smallest::Smallest;

/// Most retransmissions remembered; older ones are forgotten (assumed).
const MOST_REPAIRS: usize = 1024;

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Reordering {
    config: ReorderingConfig,
    /// Set if a recovery may be undone.
    keeps_prior: bool,
    /// Set if the threshold adapts.
    moves: bool,
    /// Initial threshold.
    floor: u32,
    threshold: u32,
    /// Number of segments overtaken by n + 1 later ones, by n.
    lengths: Vec<u32>,
    /// Number of overtaken segments in all.
    late: u64,
    smallest: Smallest,
    repairs: VecDeque<Repair>,
    episode: u32,
    /// Set while the window may have to be restored once no hole is open.
    found: bool,
    prior: Option<Prior>,
    /// Newly reported segments of an acknowledgement; empty between two acknowledgements.
    news: Vec<NewArrival>,
}

/// Retransmission of a segment.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Repair {
    seq: u64,
    sent: Time,
    /// Later segments that had arrived when it left, or when it was acknowledged, whichever is more.
    length: u32,
    episode: u32,
}

/// State of the sender at the start of a recovery.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Prior {
    cwnd: u64,
    ssthresh: u64,
    cut: bool,
    cut_end: u64,
    cwr: bool,
    guard: u64,
}

/// Segment whose arrival an acknowledgement is the first to report.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct NewArrival {
    pub seq: u64,
    /// Time of sending; `None` if it was sent more than once.
    pub sent: Option<Time>,
    /// Later segments that had arrived before it.
    pub above: u32,
}

impl Reordering {
    /// Creates the state; `None` if no setting needs it.
    pub(super) fn new(config: &TcpConfig) -> Option<Box<Reordering>> {
        let asked = config.reordering;
        let floor = config.dupack_threshold;
        let moves = asked.rule != ThresholdRule::Fixed && floor.is_some();
        let frto = config.rack.is_some_and(|rack| rack.frto);
        if !moves && !asked.dsack && !asked.undo && !frto {
            return None;
        }
        Some(Box::new(Reordering {
            config: asked,
            keeps_prior: asked.undo || frto,
            moves,
            floor: floor.unwrap_or(0),
            threshold: floor.unwrap_or(0),
            lengths: Vec::new(),
            late: 0,
            smallest: Smallest::NONE,
            repairs: VecDeque::new(),
            episode: 0,
            found: false,
            prior: None,
            news: Vec::new(),
        }))
    }

    /// Counts a late segment that `above` later ones had overtaken.
    fn count(&mut self, above: u32) {
        if !self.moves || above == 0 {
            return;
        }
        let length = above.min(self.config.most) as usize;
        if self.lengths.len() < length {
            self.lengths.resize(length, 0);
        }
        self.lengths[length - 1] = self.lengths[length - 1].saturating_add(1);
        self.late += 1;
    }

    /// Raises the threshold to one more than the length that `share` of all reorderings do not exceed, if that
    /// is above the current threshold.
    fn raise(&mut self) {
        if !self.moves {
            return;
        }
        let pass = (self.late as f64 * self.config.share).ceil() as u64;
        let mut passed = 0;
        let within = self.lengths.iter().position(|count| {
            passed += u64::from(*count);
            passed >= pass
        });
        if let Some(length) = within.filter(|_| self.late > 0) {
            // The length is one more than its index, the threshold one more than the length.
            let wanted = (length as u32 + 2).min(self.config.most);
            self.threshold = self.threshold.max(wanted);
        }
    }

    /// Returns true if a segment sent at `sent` and acknowledged now was acknowledged too soon for a round
    /// trip.
    fn early(&self, now: Time, sent: Time) -> bool {
        let took = now.saturating_sub(sent).ps() as f64;
        self.judges_by_time()
            && (self.smallest.get())
                .is_some_and(|least| took < least.ps() as f64 * self.config.early)
    }

    /// Returns true if the time of an acknowledgement may show that a retransmission was spurious.
    fn judges_by_time(&self) -> bool {
        self.config.rule == ThresholdRule::Early
    }

    /// Handles the arrival of the segment of `news`, which was sent more than once. Returns true if one of its
    /// retransmissions was spurious.
    fn repaired(&mut self, now: Time, news: NewArrival) -> bool {
        let mut found = false;
        let mut i = 0;
        while i < self.repairs.len() {
            let repair = self.repairs[i];
            i += 1;
            if repair.seq != news.seq {
                continue;
            }
            let length = repair.length.max(news.above);
            if self.early(now, repair.sent) {
                i -= 1;
                self.repairs.remove(i);
                self.needless(length);
                found = true;
            } else if self.config.dsack {
                self.repairs[i - 1].length = length;
            } else {
                // Nothing shows that it was spurious.
                i -= 1;
                self.repairs.remove(i);
                self.prior = self.prior.filter(|_| repair.episode != self.episode);
            }
        }
        found
    }

    /// Handles a D-SACK of `[from, to)`. Returns true if a retransmission of it was spurious.
    fn duplicated(&mut self, from: u64, to: u64) -> bool {
        let of = |repair: &Repair| (from..to).contains(&repair.seq);
        let Some(repair) = (self.repairs.iter().position(of)).and_then(|i| self.repairs.remove(i))
        else {
            return false;
        };
        self.needless(repair.length);
        true
    }

    fn needless(&mut self, length: u32) {
        self.count(length);
        self.raise();
    }

    /// Returns the state at the start of the current or last recovery, if all its retransmissions were
    /// spurious.
    fn undone(&mut self) -> Option<Prior> {
        let left = self.repairs.iter().any(|r| r.episode == self.episode);
        let prior = self.prior.take_if(|_| !left && self.config.undo);
        self.found = self.prior.is_some();
        prior
    }
}

impl TcpSender {
    /// Returns the number of duplicates that begins a recovery now; `None` if duplicates begin none.
    pub fn dupthresh(&self) -> Option<u32> {
        match &self.reordering {
            Some(reordering) if reordering.moves => Some(reordering.threshold),
            _ => self.config.dupack_threshold,
        }
    }

    /// Returns the number of duplicates on which a new segment may leave: 2 (RFC 3042), or an adapted threshold
    /// if that is more.
    pub(super) fn transmits_on(&self) -> u32 {
        match &self.reordering {
            Some(reordering) if reordering.moves => reordering.threshold.max(2),
            _ => 2,
        }
    }

    /// Reads an acknowledgement before it is handled, for its reports of retransmissions and of reordering.
    #[cold]
    #[inline(never)]
    pub(super) fn notice(&mut self, now: Time, ack: &Ack) {
        let Some(mut reordering) = self.reordering.take() else {
            return;
        };
        let mut news = std::mem::take(&mut reordering.news);
        self.board.news(ack.ack, ack.arrived(), &mut news);
        if !self.sack
            && let Some(head) = news.first_mut()
        {
            head.above = self.segments_presumed_arrived();
        }
        let mut found = false;
        for segment in news.drain(..) {
            match segment.sent {
                Some(sent) => {
                    let rtt = now.saturating_sub(sent);
                    reordering.smallest.add(rtt, ack.ack, self.next_seq);
                    reordering.count(segment.above);
                }
                None => found |= reordering.repaired(now, segment),
            }
        }
        reordering.news = news;
        self.reordering = Some(reordering);
        self.notice_duplicate(now, ack, found);
    }

    /// Handles the D-SACK of an acknowledgement, which is new even if the acknowledgement was overtaken.
    #[cold]
    #[inline(never)]
    pub(super) fn notice_duplicate(&mut self, now: Time, ack: &Ack, mut found: bool) {
        let Some(reordering) = &mut self.reordering else {
            return;
        };
        if reordering.config.dsack
            && let Some((from, to)) = ack.duplicate()
        {
            self.counters.dsacks = self.counters.dsacks.saturating_add(1);
            found |= reordering.duplicated(from, to);
        }
        let judged = reordering.judges_by_time();
        let mut complete = found;
        if judged {
            reordering.found |= found;
            complete = reordering.found && !self.holes_after(ack);
        }
        if complete && let Some(prior) = self.reordering.as_mut().and_then(|r| r.undone()) {
            if judged {
                // The acknowledgement was for the original. It gives no sample (Karn), which would do the same.
                self.timer.end_back_off();
            }
            self.undo(now, prior);
        }
    }

    /// Returns true if other segments still count as missing when `ack` has been handled.
    fn holes_after(&self, ack: &Ack) -> bool {
        let first_unacked = ack.ack.max(self.first_unacked);
        let acked = first_unacked - self.first_unacked;
        match self.phase {
            Phase::Loss => first_unacked < self.recover,
            _ if self.sack => {
                self.board.holds_beyond(first_unacked)
                    || ack.arrived().any(|(_, to)| to > first_unacked)
            }
            // The first newly acknowledged segment filled the hole; duplicates stand for the others.
            _ => acked == 0 || self.presumed_arrived > acked.saturating_sub(self.window.mss),
        }
    }

    /// Restores the window and ends the recovery (Linux `tcp_undo_cwnd_reduction`).
    pub(super) fn undo(&mut self, now: Time, prior: Prior) {
        self.counters.undone = self.counters.undone.saturating_add(1);
        self.reducing = false;
        let inflated = self.phase == Phase::Fast;
        let own = if inflated { 0 } else { self.window.cwnd };
        self.window.cwnd = prior.cwnd.max(own);
        self.window.ssthresh = self.window.ssthresh.max(prior.ssthresh);
        self.control.undo(&mut self.window);
        self.cut = prior.cut && self.first_unacked <= prior.cut_end;
        self.cut_end = prior.cut_end;
        self.cwr &= prior.cwr;
        // Otherwise a loss among the segments in flight when the spurious recovery began would wait for the
        // timer.
        self.guard = prior.guard;
        self.dupacks = 0;
        if self.rack.is_some() && self.phase == Phase::Loss {
            self.board.unmark(); // Linux tcp_try_undo_loss; a recovery keeps its marks.
        }
        if self.phase != Phase::Open {
            self.close_episode(now);
        } else {
            self.set_phase(Phase::Open);
        }
    }

    /// Saves the state before a recovery that duplicates or, with `timeout`, the timer begins.
    #[cold]
    #[inline(never)]
    pub(super) fn remember(&mut self, timeout: bool) {
        let presumed_arrived = self.segments_presumed_arrived();
        let arrived = if self.sack {
            self.board.segments_sacked()
        } else {
            presumed_arrived
        };
        let Some(reordering) = &mut self.reordering else {
            return;
        };
        if self.phase != Phase::Open {
            return; // The same recovery goes on, by the timer.
        }
        if timeout && arrived >= reordering.floor {
            reordering.threshold = reordering.floor;
        }
        reordering.episode = reordering.episode.wrapping_add(1);
        reordering.found = false;
        let before = reordering.episode.wrapping_sub(1);
        reordering.repairs.retain(|r| r.episode == before);
        self.control.remember();
        let window = &self.window;
        reordering.prior = reordering.keeps_prior.then_some(Prior {
            cwnd: if self.reducing {
                window.ssthresh
            } else {
                window.cwnd
            },
            ssthresh: window.ssthresh,
            cut: self.cut,
            cut_end: self.cut_end,
            cwr: self.cwr,
            guard: self.guard,
        });
    }

    /// Takes the state saved at the start of the current recovery, to restore it.
    pub(super) fn take_prior(&mut self) -> Option<Prior> {
        self.reordering.as_mut()?.prior.take()
    }

    /// Returns true if an acknowledgement may report on retransmissions; called where losses are detected by
    /// time.
    #[inline]
    pub(super) fn needs_notice(&self, ack: &Ack) -> bool {
        self.reordering.as_ref().is_some_and(|reordering| {
            !reordering.repairs.is_empty() || reordering.found || ack.duplicate().is_some()
        })
    }

    /// Forgets the saved window: something was lost, or a mark has cut the window since.
    pub(super) fn forget_prior(&mut self) {
        if let Some(reordering) = &mut self.reordering {
            reordering.prior = None;
        }
    }

    /// Records that slot `i` of the board is about to be retransmitted.
    #[cold]
    #[inline(never)]
    pub(super) fn note_repair(&mut self, now: Time, i: usize) {
        let length = if self.sack {
            self.board.sacked_above(i)
        } else {
            self.segments_presumed_arrived()
        };
        let (seq, cut) = self.board.slot(i);
        let Some(reordering) = &mut self.reordering else {
            return;
        };
        if cut {
            return;
        }
        if reordering.repairs.len() == MOST_REPAIRS {
            reordering.repairs.pop_front();
            reordering.prior = None;
        }
        reordering.repairs.push_back(Repair {
            seq,
            sent: now,
            length,
            episode: reordering.episode,
        });
    }

    /// Returns the segments that have arrived according to duplicates; used without SACK.
    fn segments_presumed_arrived(&self) -> u32 {
        let segments = self.presumed_arrived.div_ceil(self.window.mss);
        u32::try_from(segments).unwrap_or(u32::MAX)
    }
}
