//! Windows of one length, one after the other.

use sidestep_types::Time;

/// The window under way, of several of one length.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Window {
    span: Time,
    ends: Time,
    /// No window ends after this.
    last: Time,
    /// What had been counted of each link, or of whatever else, when it began.
    before: Vec<u64>,
}

impl Window {
    /// The first of them; none ends after `last`.
    pub fn first(span: Time, last: Time, counts: usize) -> Window {
        Window {
            span,
            ends: span,
            last,
            before: vec![0; counts],
        }
    }

    /// Is it one of so many counts, as long and of the same run as `other`?
    pub fn is_like(&self, other: &Window) -> bool {
        let of = |window: &Window| (window.span, window.last, window.before.len());
        of(self) == of(other)
    }

    /// When it ends; never when it would end too late.
    pub fn due(&self) -> Time {
        if self.ends <= self.last {
            self.ends
        } else {
            Time::MAX
        }
    }

    /// How long each is.
    pub fn span(&self) -> Time {
        self.span
    }

    /// Ends the window; says how much each count has grown in it.
    pub fn next(&mut self, counts: Vec<u64>) -> Vec<u64> {
        self.ends = self.ends.saturating_add(self.span);
        let before = std::mem::replace(&mut self.before, counts);
        let pairs = self.before.iter().zip(before);
        pairs.map(|(after, before)| after - before).collect()
    }
}
