//! What happens to a link between two events: another rate, its end, its return.
//!
//! Each takes place at the present, before anything of that instant: a packet whose last bit leaves
//! or arrives then has not left and not arrived. So a queue is looked at as it was a picosecond before.

use super::{Dead, Fabric, Queue};
use crate::agenda::Agenda;
use sidestep_switch::ports::{Wire, reschedule};
use sidestep_types::{BitRate, Time};

impl<A: Agenda> Fabric<A> {
    /// Just before the present.
    fn before(&self) -> Time {
        Time::from_ps(self.now.ps().saturating_sub(1))
    }

    /// What waits before `link` will leave at `rate`. What is being sent leaves as it began.
    pub fn change_rate(&mut self, link: u32, rate: BitRate) {
        let (now, unbuffered) = (self.before(), self.unbuffered);
        let old = *self.wire(link);
        let new = Wire::new(rate, old.delay);
        let line = &mut self.links[link].line;
        if let Some(ranked) = self.wiring.ranked_mut(link) {
            let due = ranked.leave_line(line, &mut self.pool, (now, unbuffered));
            self.plan(link, due);
            let line = &mut self.links[link].line;
            // The end of the transmission under way, and the time of every packet that waits.
            let waits = |wire: &Wire| -> Time {
                let waiting = self.pool.waiting(link);
                let spans = waiting.map(|packet| wire.time_to_send(u32::from(packet.wire)));
                spans.fold(Time::ZERO, Time::saturating_add)
            };
            line.free_at = (line.free_at.saturating_sub(waits(&old))).saturating_add(waits(&new));
        } else {
            let waiting = reschedule(&mut None, None, line, &mut self.pool, now, unbuffered);
            for parcel in waiting {
                line.grow(u32::from(self.pool.get(parcel).packet.wire) - unbuffered);
                line.queue(&mut self.pool, &new, now, parcel);
            }
        }
        let wires = &mut self.wiring.wires;
        let known = wires.iter().position(|wire| *wire == new);
        let index = known.unwrap_or(wires.len());
        if known.is_none() {
            wires.push(new);
        }
        self.links[link].wire = index as u32;
    }

    /// `link` goes down: nothing more arrives over it, and nothing is sent. Says which packets that
    /// costs; they are the caller's to count and to free.
    pub fn cut(&mut self, link: u32) -> Vec<u32> {
        let (now, unbuffered) = (self.before(), self.unbuffered);
        self.agenda.cancel(link);
        let ends = self.ends_slot(link);
        self.agenda.cancel(ends);
        if let Some(pfc) = &mut self.pfc {
            pfc.cut(link, self.now);
            let frames = self.inner_slot(link);
            self.agenda.cancel(frames);
        }
        let line = &mut self.links[link].line;
        if let Some(ranked) = self.wiring.ranked_mut(link) {
            ranked.leave_line(line, &mut self.pool, (now, unbuffered));
        }
        let (mut lost, left) = line.clear(&self.pool, now, unbuffered);
        if let Some(ranked) = self.wiring.ranked_mut(link) {
            lost.extend(ranked.clear(line, &mut self.pool, unbuffered));
        }
        line.free_at = self.now;
        let queue = self.queue(link);
        let else_ = std::mem::replace(queue, Queue::Fifo);
        *queue = Queue::Dead(Box::new(Dead {
            else_,
            swallowed: Vec::new(),
        }));
        if link >= self.hosts {
            lost[left..]
                .iter()
                .for_each(|parcel| self.release(link, *parcel));
        }
        lost
    }

    /// `link`, which is down, comes up again, with nothing on it.
    pub fn mend(&mut self, link: u32) {
        let queue = self.queue(link);
        let Queue::Dead(dead) = std::mem::replace(queue, Queue::Fifo) else {
            panic!("link {link} comes up and was not down");
        };
        debug_assert!(dead.swallowed.is_empty(), "told at their own instant");
        *queue = dead.else_;
    }

    /// A parcel is sent to `link`, which is down. Whoever sends does not know; the driver hears of it
    /// before anything else happens.
    #[cold]
    #[inline(never)]
    pub(super) fn swallow(&mut self, link: u32, parcel: u32) {
        let slot = self.ends_slot(link);
        let Queue::Dead(dead) = &mut self.wiring.queues[link] else {
            unreachable!("a link that is down");
        };
        dead.swallowed.push(parcel);
        if dead.swallowed.len() == 1 {
            self.agenda.schedule(slot, self.now, super::ENDS);
        }
    }

    /// What was sent to `link`, which is down, at this instant. The caller's to count and to free.
    pub fn swallowed(&mut self, link: u32) -> Vec<u32> {
        let Queue::Dead(dead) = &mut self.wiring.queues[link] else {
            unreachable!("a link that is down");
        };
        let lost = std::mem::take(&mut dead.swallowed);
        if link >= self.hosts {
            lost.iter().for_each(|parcel| self.release(link, *parcel));
        }
        lost
    }
}
