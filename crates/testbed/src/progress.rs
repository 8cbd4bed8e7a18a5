//! Progress of the testbed's runs.

use sidestep_study::progress::{Board, Line, Show};

/// Progress line on standard error.
pub struct Progress<'a> {
    board: Board,
    line: Line<'a>,
    ended: usize,
}

impl<'a> Progress<'a> {
    /// Creates the progress of `runs` runs.
    pub fn of(runs: usize, show: Show<'a>) -> Progress<'a> {
        Progress {
            board: Board::new(runs),
            line: Line::new(show),
            ended: 0,
        }
    }

    /// Counts one more ended run, with its packet-hops.
    pub fn add(&mut self, packet_hops: u64) {
        self.board.set(self.ended, 1.0, packet_hops);
        self.ended += 1;
        self.line.draw(&self.board);
    }
}
