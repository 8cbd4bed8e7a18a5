//! Border of a part of a split world: links that leave the part, and packets that enter it.
//!
//! A link between two parts exists twice. In the part of its sender it is a queue: its line holds the packets
//! until their last bit has left, and none of them arrives. In the part where it ends it is a wire: its line
//! holds the packets in flight, which arrive one after the other as in a world of one piece. Packets go from
//! one to the other as mail, as soon as their departure is final: at a FIFO port when they are queued, at any
//! other when their transmission begins.

use super::{Fabric, Queue};
use crate::agenda::Agenda;
use crate::parts::Mail;
use crate::pool::NONE;
use sidestep_types::Time;

impl<A: Agenda> Fabric<A> {
    /// Queues a parcel on `link`, which leaves the part.
    #[inline(never)]
    pub(super) fn enqueue_leaving(&mut self, link: u32, parcel: u32) {
        let queue = self.wiring.queues.get(link as usize);
        match queue {
            None | Some(Queue::Fifo) => {
                let bytes = self.buffered(parcel);
                let l = &mut self.links[link];
                let wire = &self.wiring.wires[l.wire];
                l.line.grow(bytes);
                l.line.queue(&mut self.pool, wire, self.now, parcel);
                self.mail(link, Time::MAX);
            }
            Some(Queue::Ranked(ranked)) => {
                match ranked.is_in_line() {
                    true => self.enqueue_in_line(link, parcel),
                    false => self.enqueue_ranked(link, parcel),
                }
                self.mail(link, self.now);
            }
            Some(Queue::Down(_)) => unreachable!("no link that is cut goes down"),
        }
        self.forget_gone(link);
    }

    /// Mails the packets of `link`, which leaves the part, whose transmission has begun by `upto`. Packets
    /// queued in order at a port with class queues may still be taken back: they are looked at again when the
    /// window ends.
    pub(super) fn mail(&mut self, link: u32, upto: Time) {
        let l = &self.links[link];
        let wire = &self.wiring.wires[l.wire];
        let border = self.agenda.border();
        let mut last = border.mailed(link);
        let mut next = match last {
            NONE => l.line.head(),
            last => self.pool.get(last).next,
        };
        while next != NONE {
            let parcel = self.pool.get(next);
            let (departs, packet) = (parcel.departs, &parcel.packet);
            let begins = departs - wire.time_to_send(u32::from(packet.wire));
            let border = self.agenda.border_mut();
            if begins > upto {
                border.line_up(link);
                border.begins = border.begins.min(begins);
                break;
            }
            let arrives = departs + wire.delay;
            let packet = *packet;
            border.post(
                Mail {
                    link,
                    departs,
                    packet,
                },
                arrives,
            );
            (last, next) = (next, parcel.next);
        }
        self.agenda.border_mut().set_mailed(link, last);
    }

    /// Frees the packets that have left by `link`, as far as its queue is up to date.
    fn forget_gone(&mut self, link: u32) {
        let mailed = self.agenda.border().mailed(link);
        loop {
            let line = &mut self.links[link].line;
            let head = line.head();
            if head == NONE || head == line.sending() || mailed == NONE {
                return;
            }
            let parcel = line.take(&self.pool, self.unbuffered);
            self.pool.free(parcel);
            if parcel == mailed {
                return self.agenda.border_mut().set_mailed(link, NONE);
            }
        }
    }

    /// Closes the window that ends at `until`: mails the packets whose transmission began in it without an
    /// event.
    pub fn close_window(&mut self, until: Time) {
        if self.agenda.border().lined.is_empty() {
            return;
        }
        self.agenda.border_mut().begins = Time::MAX;
        for link in self.agenda.border_mut().take_lined() {
            self.mail(link, until);
        }
    }

    /// Accepts a packet that another part sends over a link that ends here.
    pub fn accept(&mut self, mail: &Mail) {
        let at = self.pool.put(mail.packet);
        self.pool.get_mut(at).departs = mail.departs;
        let first = self.links[mail.link].line.carry(&mut self.pool, at);
        if first {
            self.plan_first(mail.link, mail.departs);
        }
    }

    /// Returns the number of packets that are both here and in another part: mailed, but still in a line here.
    pub fn mailed_and_here(&self) -> u64 {
        let border = self.agenda.border();
        let of = |link: u32| {
            let (mut count, mut next) = (0, self.links[link].line.head());
            let last = border.mailed(link);
            while last != NONE && next != NONE {
                count += 1;
                next = match next == last {
                    true => NONE,
                    false => self.pool.get(next).next,
                };
            }
            count
        };
        border.all().map(of).sum()
    }
}
