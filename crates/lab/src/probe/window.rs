//! Windows of one length, one after the other.

use sidestep_types::Time;

/// The window under way, of several of one length.
pub struct Window {
    span: Time,
    ends: Time,
    /// No window ends after this.
    last: Time,
    /// Bytes of each link when it began.
    before: Vec<u64>,
}

impl Window {
    /// The first of them; none ends after `last`.
    pub fn first(span: Time, last: Time, links: usize) -> Window {
        Window {
            span,
            ends: span,
            last,
            before: vec![0; links],
        }
    }

    /// When it ends; never when it would end too late.
    pub fn due(&self) -> Time {
        if self.ends <= self.last {
            self.ends
        } else {
            Time::MAX
        }
    }

    /// Ends the window; says what each link carried in it.
    pub fn next(&mut self, bytes: Vec<u64>) -> Vec<u64> {
        self.ends = self.ends.saturating_add(self.span);
        let before = std::mem::replace(&mut self.before, bytes);
        let pairs = self.before.iter().zip(before);
        pairs.map(|(after, before)| after - before).collect()
    }
}
