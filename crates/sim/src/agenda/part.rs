//! Agenda of one part of a split world, and the part's border: the links by which packets leave the part.
//!
//! A link that leaves the part has no arrivals here. As soon as the departure of a packet is certain, the
//! packet is mailed to the part where the link ends.

use super::{Agenda, Slots, WheelAgenda};
use crate::indexed::fetch;
use crate::parts::Mail;
use crate::pool::NONE;
use sidestep_types::Time;

/// Links that leave a part, and the packets mailed to other parts.
pub struct Border {
    /// Bit set of the links that leave the part.
    leaving: Vec<u64>,
    /// Per leaving link: the last mailed packet of its line; [`NONE`] if no mailed packet is still in the line.
    mailed: Vec<u32>,
    /// Leaving links whose line holds packets that may still be taken back.
    pub(crate) lined: Vec<u32>,
    /// Bit set of the links in `lined`.
    is_lined: Vec<u64>,
    /// Per leaving link: the part where it ends.
    to: Vec<u16>,
    /// Mail of this window or the last one, by receiving part.
    pub(crate) out: Vec<Vec<Mail>>,
    /// Arrival time of the earliest mail; [`Time::MAX`] without mail.
    pub(crate) arrives: Time,
    /// Start of the next transmission among queued packets not mailed yet; no event marks it.
    pub(crate) begins: Time,
    /// End of the window: no mail arrives before it.
    pub(crate) window: Time,
}

impl Default for Border {
    fn default() -> Border {
        Border {
            leaving: Vec::new(),
            mailed: Vec::new(),
            lined: Vec::new(),
            is_lined: Vec::new(),
            to: Vec::new(),
            out: Vec::new(),
            arrives: Time::MAX,
            begins: Time::MAX,
            window: Time::ZERO,
        }
    }
}

impl Border {
    /// Returns the border of one of `parts` parts. For each link, `to` gives the part it leads to if it leaves
    /// this one.
    pub(crate) fn new(parts: usize, to: impl ExactSizeIterator<Item = Option<u16>>) -> Border {
        let (links, mut border) = (to.len(), Border::default());
        let words = links.div_ceil(64);
        (border.leaving, border.is_lined) = (vec![0; words], vec![0; words]);
        (border.mailed, border.to) = (vec![NONE; links], vec![0; links]);
        border.out.resize_with(parts, Vec::new);
        for (link, to) in to.enumerate() {
            if let Some(to) = to {
                border.leaving[link / 64] |= 1 << (link % 64);
                border.to[link] = to;
            }
        }
        border
    }

    /// Returns true if `link` leaves the part.
    #[inline(always)]
    pub(crate) fn leaves(&self, link: u32) -> bool {
        self.leaving
            .get(link as usize / 64)
            .is_some_and(|word| word >> (link % 64) & 1 == 1)
    }

    /// Returns every link that leaves the part.
    pub(crate) fn all(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.mailed.len() as u32).filter(|link| self.leaves(*link))
    }

    /// Mails a packet that arrives at `arrives`.
    #[inline]
    pub(crate) fn post(&mut self, mail: Mail, arrives: Time) {
        let (link, window) = (mail.link, self.window);
        assert!(
            arrives >= window,
            "a packet arrives over link {link} at {arrives}, in the window before {window}"
        );
        self.arrives = self.arrives.min(arrives);
        self.out[usize::from(self.to[link as usize])].push(mail);
    }

    pub(crate) fn mailed(&self, link: u32) -> u32 {
        self.mailed[link as usize]
    }

    pub(crate) fn set_mailed(&mut self, link: u32, parcel: u32) {
        self.mailed[link as usize] = parcel;
    }

    /// Marks `link` for another look when the window ends.
    pub(crate) fn line_up(&mut self, link: u32) {
        let (word, bit) = (link as usize / 64, 1 << (link % 64));
        if self.is_lined[word] & bit == 0 {
            self.is_lined[word] |= bit;
            self.lined.push(link);
        }
    }

    /// Returns the links to look at now, and clears their marks.
    pub(crate) fn take_lined(&mut self) -> Vec<u32> {
        for link in &self.lined {
            self.is_lined[*link as usize / 64] &= !(1 << (link % 64));
        }
        std::mem::take(&mut self.lined)
    }
}

/// Wheel of a part, with its border.
pub struct PartAgenda {
    wheel: WheelAgenda,
    border: Border,
}

impl PartAgenda {
    pub(crate) fn put_border(&mut self, border: Border) {
        self.border = border;
    }

    /// Returns the time of the next event; [`Time::MAX`] without one.
    pub(crate) fn earliest(&mut self) -> Time {
        self.wheel.earliest()
    }
}

impl Agenda for PartAgenda {
    const PART: bool = true;

    fn new(slots: Slots) -> PartAgenda {
        PartAgenda {
            wheel: WheelAgenda::new(slots),
            border: Border::default(),
        }
    }

    #[inline(always)]
    fn schedule(&mut self, slot: u32, at: Time, tie: u32) {
        self.wheel.schedule(slot, at, tie);
    }

    fn cancel(&mut self, slot: u32) {
        self.wheel.cancel(slot);
    }

    #[inline(always)]
    fn pop_until(&mut self, limit: Time) -> Option<(Time, u32)> {
        self.wheel.pop_until(limit)
    }

    fn look(&mut self, wanted: usize) {
        self.wheel.look(wanted);
    }

    #[inline(always)]
    fn fetch(&self, slot: u32) {
        match self.border.leaves(slot) {
            true => fetch(
                self.border
                    .mailed
                    .as_ptr()
                    .wrapping_add(slot as usize)
                    .cast(),
            ),
            false => self.wheel.fetch(slot),
        }
    }

    #[inline(always)]
    fn ahead<const N: usize>(&self, from: usize) -> Option<[u32; N]> {
        self.wheel.ahead(from)
    }

    fn pending(&self) -> Vec<(Time, u32, u32)> {
        self.wheel.pending()
    }

    #[inline(always)]
    fn border(&self) -> &Border {
        &self.border
    }

    #[inline(always)]
    fn border_mut(&mut self) -> &mut Border {
        &mut self.border
    }
}
