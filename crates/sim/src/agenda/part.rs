//! The agenda of one part of a world that is cut, and its border: the links by which packets leave the part.
//!
//! A link that leaves the part has no arrivals here. Its packets are on the border as soon as it is known when they leave,
//! and go to the part where the link ends as mail.

use super::{Agenda, Slots, WheelAgenda};
use crate::indexed::fetch;
use crate::parts::Mail;
use crate::pool::NONE;
use sidestep_types::Time;

/// The links that leave a part, and what waits to be taken to others.
pub struct Border {
    /// One bit a link.
    leaving: Vec<u64>,
    /// Per link that leaves: the last packet of its line that is mailed; [`NONE`] when none that is there was.
    mailed: Vec<u32>,
    /// Links that leave and whose line holds packets that may be taken back.
    pub(crate) lined: Vec<u32>,
    /// One bit a link: it is among those.
    is_lined: Vec<u64>,
    /// Per link that leaves: the part where it ends.
    to: Vec<u16>,
    /// What was mailed in this window or the last one, by the part that it goes to.
    pub(crate) out: Vec<Vec<Mail>>,
    /// When the first of it arrives; [`Time::MAX`] without any.
    pub(crate) arrives: Time,
    /// When the first packet that is not mailed yet and waits in order begins to be sent: no event marks it.
    pub(crate) begins: Time,
    /// Nothing that is mailed arrives before this: the end of the window.
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
    /// The border of one of so many parts, where `to` says of each link to which part it leads, if it leaves this one.
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

    /// Does `link` leave the part?
    #[inline(always)]
    pub(crate) fn leaves(&self, link: u32) -> bool {
        self.leaving
            .get(link as usize / 64)
            .is_some_and(|word| word >> (link % 64) & 1 == 1)
    }

    /// Every link that leaves the part.
    pub(crate) fn all(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.mailed.len() as u32).filter(|link| self.leaves(*link))
    }

    /// Mails a packet, which arrives at `arrives`.
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

    /// Looks at `link` again when the window ends.
    pub(crate) fn line_up(&mut self, link: u32) {
        let (word, bit) = (link as usize / 64, 1 << (link % 64));
        if self.is_lined[word] & bit == 0 {
            self.is_lined[word] |= bit;
            self.lined.push(link);
        }
    }

    /// The links to look at now, none of which is to be looked at again before it says so.
    pub(crate) fn take_lined(&mut self) -> Vec<u32> {
        for link in &self.lined {
            self.is_lined[*link as usize / 64] &= !(1 << (link % 64));
        }
        std::mem::take(&mut self.lined)
    }
}

/// The wheel of a part, with its border.
pub struct PartAgenda {
    wheel: WheelAgenda,
    border: Border,
}

impl PartAgenda {
    pub(crate) fn put_border(&mut self, border: Border) {
        self.border = border;
    }

    /// When the next event is; [`Time::MAX`] without one.
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
