//! Deficit round robin between the class queues of a port.
//!
//! **Decision**     rounds: at the beginning of each every class that waits is given its quantum, then the classes
//!                  take turns from 0 on. In its turn a class sends while its deficit covers the next packet;
//!                  what is left of it stays for the next round, and nothing of a class that has run empty. A
//!                  class that begins to wait takes part from the next round on.
//! **State**        a deficit for each class, and whose turn it is.
//! **Units**        bytes of link time.
//! **Errors**       none.
//! **Source**       Shreedhar and Varghese, SIGCOMM 1995.
//! **Deviations**   all quanta of a round are given at its beginning rather than each at its turn: then quanta that
//!                  change from round to round are those of one instant.
//!
//! The fluid ideal gives each class that waits its quantum in every round, bit by bit. As long as a class waits it is
//! never a full packet and a quantum away from that, whatever the quanta have been (a property test below). Between
//! two instants at which the same classes wait and share alike, what the fluid ideal gives is its share of all that
//! was sent: no class is then further behind, and of two none further ahead.

use super::classes::{Classes, MOST};
use crate::why::count;
use sidestep_types::{Bytes, Packet, Settings};

/// What a class may send in its turn.
#[derive(Clone, Settings)]
pub struct Quantum {
    /// link time that a class may use in a round, the one with the most of them; a full packet on Ethernet; assumed
    #[setting(default = "1538 B", range = Bytes(LEAST)..=Bytes(LARGEST))]
    quantum: Bytes,
}

/// The shortest frame on a wire: less would only be many rounds for one packet.
const LEAST: u64 = 84;
/// As much as a port sends in 3 ms at 10 Gbps; more would no longer be taking turns.
const LARGEST: u64 = 4_000_000;

/// Whose turn it is among the classes of a port.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Drr {
    quantum: u64,
    deficits: [u64; MOST],
    /// The class whose turn it is; none when it is past the last.
    turn: usize,
}

impl Drr {
    /// Nobody's turn yet.
    pub fn new(settings: Quantum) -> Drr {
        Drr {
            quantum: settings.quantum.0,
            deficits: [0; MOST],
            turn: MOST,
        }
    }

    /// Takes out the packet that leaves next. `weight` says how classes share, and is asked when a round begins, of
    /// those that wait if they are several: the one with the most is given the quantum, the others their part of it, a byte at the least.
    #[inline(always)]
    pub fn pop(
        &mut self,
        classes: &mut Classes,
        weight: impl Fn(&Classes, usize) -> u64,
    ) -> Option<u32> {
        let class = match classes.only() {
            Some(only) => self.give_only(classes, only)?,
            None => self.give(classes, weight)?,
        };
        let popped = classes.pop(class)?;
        if popped.last {
            self.deficits[class] = 0;
            self.turn = match classes.is_empty() {
                true => MOST,
                false => class + 1,
            };
        }
        Some(popped.handle)
    }

    /// Nobody waited but `class` since nothing did, and so many bytes of it have been sent: the state that
    /// [`Drr::pop`] would have left behind, had it been asked. Whenever the deficit covers no packet it is given a quantum,
    /// so less than one is left.
    pub fn resume(&mut self, class: usize, sent: u64) {
        if sent > 0 {
            self.deficits[class] = (self.quantum - sent % self.quantum) % self.quantum;
            self.turn = class;
        }
    }

    /// The next class to send, of which the deficit is what is left of it.
    #[inline(never)]
    fn give(
        &mut self,
        classes: &Classes,
        weight: impl Fn(&Classes, usize) -> u64,
    ) -> Option<usize> {
        if classes.is_empty() {
            return None;
        }
        loop {
            let Some(class) = classes.waiting_from(self.turn) else {
                self.begin(classes, &weight);
                continue;
            };
            let wire = u64::from(classes.head(class)?);
            if wire <= self.deficits[class] {
                self.turn = class;
                self.deficits[class] -= wire;
                return Some(class);
            }
            self.turn = class + 1;
        }
    }

    /// The same where nobody waits but one class: it has as many rounds as it needs.
    #[inline]
    fn give_only(&mut self, classes: &Classes, only: usize) -> Option<usize> {
        let wire = u64::from(classes.head(only)?);
        // Where it had its turn in this round, what is left covers no packet: a turn ends with that.
        let deficit = &mut self.deficits[only];
        while wire > *deficit {
            *deficit += self.quantum;
        }
        *deficit -= wire;
        self.turn = only;
        Some(only)
    }

    /// When `pkt`, which is about to join, leaves: the part of the link that its class has among those that then
    /// wait, and what is before it there.
    pub fn why(
        &self,
        classes: &Classes,
        pkt: &Packet,
        weight: impl Fn(&Classes, usize) -> u64,
    ) -> String {
        let own = classes.of(pkt.service());
        let waiting =
            (0..classes.len()).filter(|c| *c == own || classes.queue(*c as u8).depth.packets > 0);
        let all: u64 = waiting.map(|class| weight(classes, class)).sum();
        let before = classes.queue(own as u8).depth;
        format!(
            "it is of class {own}, which has {} of {} parts of the link; {} that wait there leave first",
            count(weight(classes, own)),
            count(all),
            count(before.packets)
        )
    }

    /// Begins a round of several classes.
    #[inline]
    fn begin(&mut self, classes: &Classes, weight: &impl Fn(&Classes, usize) -> u64) {
        self.turn = 0;
        let most = classes.waiting().map(|class| weight(classes, class)).max();
        let most = most.unwrap_or(1);
        for class in classes.waiting() {
            self.deficits[class] += part(self.quantum, weight(classes, class), most);
        }
    }
}

/// The quantum of a class, of which the one with the most has `quantum`.
fn part(quantum: u64, weight: u64, most: u64) -> u64 {
    match weight == most {
        true => quantum,
        false => (quantum * weight / most).max(1),
    }
}

#[cfg(test)]
mod tests;
