//! Consecutive windows of equal length.

use sidestep_types::Time;

/// Current window of a sequence of windows of equal length.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Window {
    span: Time,
    ends: Time,
    /// Latest end of a window.
    last: Time,
    /// Counts of the links, or of other subjects, when the window began.
    before: Vec<u64>,
}

impl Window {
    /// Returns the first window of a sequence in which none ends after `last`.
    pub fn first(span: Time, last: Time, counts: usize) -> Window {
        Window {
            span,
            ends: span,
            last,
            before: vec![0; counts],
        }
    }

    /// True if the other sequence has the same length of window, end and number of counts.
    pub fn is_like(&self, other: &Window) -> bool {
        let of = |window: &Window| (window.span, window.last, window.before.len());
        of(self) == of(other)
    }

    /// Returns the end of the window; `Time::MAX` if it would end too late.
    pub fn due(&self) -> Time {
        if self.ends <= self.last {
            self.ends
        } else {
            Time::MAX
        }
    }

    /// Returns the length of a window.
    pub fn span(&self) -> Time {
        self.span
    }

    /// Ends the window and returns the growth of each count in it.
    pub fn next(&mut self, counts: Vec<u64>) -> Vec<u64> {
        self.ends = self.ends.saturating_add(self.span);
        let before = std::mem::replace(&mut self.before, counts);
        let pairs = self.before.iter().zip(before);
        pairs.map(|(after, before)| after - before).collect()
    }
}
