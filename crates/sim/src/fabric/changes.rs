//! Changes of a link between two events: another rate, its failure, its return.
//!
//! Each takes place at the present, before any event of that instant: a packet whose last bit leaves or arrives
//! then has not yet left or arrived. So a queue is read as it was a picosecond before.

use super::{DownLink, Fabric, Queue};
use crate::agenda::Agenda;
use sidestep_switch::ports::{Wire, reschedule};
use sidestep_types::{BitRate, Time};

impl<A: Agenda> Fabric<A> {
    /// Returns the picosecond before the present.
    fn before(&self) -> Time {
        Time::from_ps(self.now.ps().saturating_sub(1))
    }

    /// Changes the rate of `link` for the packets queued before it. The packet being sent leaves at the old
    /// rate.
    pub fn change_rate(&mut self, link: u32, rate: BitRate) {
        let (now, unbuffered) = (self.before(), self.unbuffered);
        let old = *self.wire(link);
        let new = Wire::new(rate, old.delay);
        let line = &mut self.links[link].line;
        if let Some(ranked) = self.wiring.ranked_mut(link) {
            let due = ranked.leave_line(line, &mut self.pool, (now, unbuffered));
            self.plan(link, due);
            let line = &mut self.links[link].line;
            // End of the transmission under way, plus the transmission time of every queued packet.
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

    /// Takes `link` down: nothing is sent or arrives over it. Returns the packets lost; the caller counts and
    /// frees them.
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
        let live_queue = std::mem::replace(queue, Queue::Fifo);
        *queue = Queue::Down(Box::new(DownLink {
            live_queue,
            swallowed: Vec::new(),
        }));
        if link >= self.hosts {
            lost[left..]
                .iter()
                .for_each(|parcel| self.release(link, *parcel));
        }
        lost
    }

    /// Brings `link`, which is down, up again, empty.
    pub fn mend(&mut self, link: u32) {
        let queue = self.queue(link);
        let Queue::Down(dead) = std::mem::replace(queue, Queue::Fifo) else {
            panic!("link {link} comes up and was not down");
        };
        debug_assert!(dead.swallowed.is_empty(), "told at their own instant");
        *queue = dead.live_queue;
    }

    /// Accepts a parcel sent to `link`, which is down: the sender cannot tell. The driver receives it before
    /// any other event.
    #[cold]
    #[inline(never)]
    pub(super) fn swallow(&mut self, link: u32, parcel: u32) {
        let slot = self.ends_slot(link);
        let Queue::Down(dead) = &mut self.wiring.queues[link] else {
            unreachable!("a link that is down");
        };
        dead.swallowed.push(parcel);
        if dead.swallowed.len() == 1 {
            self.agenda.schedule(slot, self.now, super::ENDS);
        }
    }

    /// Returns the packets sent to `link`, which is down, at this instant. The caller counts and frees them.
    pub fn swallowed(&mut self, link: u32) -> Vec<u32> {
        let Queue::Down(dead) = &mut self.wiring.queues[link] else {
            unreachable!("a link that is down");
        };
        let lost = std::mem::take(&mut dead.swallowed);
        if link >= self.hosts {
            lost.iter().for_each(|parcel| self.release(link, *parcel));
        }
        lost
    }
}
