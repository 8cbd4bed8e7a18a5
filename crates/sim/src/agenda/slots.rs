//! Number of slots of an agenda; only this crate can make one.

/// Slots `0..n` of an agenda.
///
/// The module is private: code outside this crate can neither name the type nor make a value of it. So it can
/// neither implement [`super::Agenda`], whose `new` takes one, nor call that `new`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots(usize);

impl Slots {
    pub(crate) fn new(n: usize) -> Slots {
        // The highest number means "no slot".
        assert!(n < u32::MAX as usize, "an agenda of {n} slots");
        Slots(n)
    }

    pub(super) fn count(self) -> usize {
        self.0
    }
}
