//! How many runs of the testbed have ended.

use sidestep_study::progress::{Board, Line, Show};

/// A line on standard error.
pub struct Progress<'a> {
    board: Board,
    line: Line<'a>,
    ended: usize,
}

impl<'a> Progress<'a> {
    /// Of so many `runs`.
    pub fn of(runs: usize, show: Show<'a>) -> Progress<'a> {
        Progress {
            board: Board::new(runs),
            line: Line::new(show),
            ended: 0,
        }
    }

    /// One more has ended, with so many packet-hops.
    pub fn add(&mut self, packet_hops: u64) {
        self.board.set(self.ended, 1.0, packet_hops);
        self.ended += 1;
        self.line.draw(&self.board);
    }
}
