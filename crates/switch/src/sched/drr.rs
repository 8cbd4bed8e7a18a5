//! Deficit round robin between the class queues of a port.
//!
//! **Decision**     rounds. At the beginning of a round every class that waits gets its quantum; then the
//!                  classes take turns from 0 on. In its turn a class sends while its deficit covers the next
//!                  packet. The rest of the deficit stays for the next round, unless the class has run empty. A
//!                  class that begins to wait takes part from the next round on.
//! **State**        a deficit per class, and the class whose turn it is.
//! **Units**        bytes of link time.
//! **Errors**       none.
//! **Source**       Shreedhar and Varghese, SIGCOMM 1995.
//! **Deviations**   all quanta of a round are given at its beginning rather than each at its turn, so that
//!                  quanta that change from round to round are all taken at one instant.
//!
//! The fluid ideal gives each class that waits its quantum in every round, bit by bit. As long as a class
//! waits, it is less than a full packet and a quantum away from that ideal, whatever the quanta have been (a
//! property test below). Between two instants at which the same classes wait with the same weights, the fluid
//! ideal gives a class its share of all bytes sent: no class is further behind than this bound, and of two
//! classes neither is further ahead.

use super::classes::{Classes, MOST};
use crate::why::count;
use sidestep_types::{Bytes, Packet, Settings};

/// Setting of the bytes that a class may send in a round.
#[derive(Clone, Settings)]
pub struct Quantum {
    /// bytes of link time in a round for the class with the largest share; a full packet on Ethernet; assumed
    #[setting(default = "1538 B", range = Bytes(LEAST)..=Bytes(LARGEST))]
    quantum: Bytes,
}

/// Shortest frame on a wire: a smaller quantum only needs many rounds for one packet.
const LEAST: u64 = 84;
/// About 3 ms of a port at 10 Gbps: with more, classes would hardly take turns.
const LARGEST: u64 = 4_000_000;

/// State of the round robin between the classes of a port.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Drr {
    quantum: u64,
    deficits: [u64; MOST],
    /// Class whose turn it is; past the last class before a new round.
    turn: usize,
}

impl Drr {
    /// Creates the state before the first round.
    pub fn new(settings: Quantum) -> Drr {
        Drr {
            quantum: settings.quantum.0,
            deficits: [0; MOST],
            turn: MOST,
        }
    }

    /// Removes the packet that leaves next. `weight` gives the shares of the classes; it is called for all
    /// classes that wait when a round begins, if there are several. The class with the largest weight gets the
    /// quantum, each other class its proportion of it, at least a byte.
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

    /// Sets the state that [`Drr::pop`] would have left after sending `sent` bytes of `class`, the only class
    /// that has waited since no packet waited. A class gets a quantum whenever its deficit covers no packet, so
    /// less than a quantum is left.
    pub fn resume(&mut self, class: usize, sent: u64) {
        if sent > 0 {
            self.deficits[class] = (self.quantum - sent % self.quantum) % self.quantum;
            self.turn = class;
        }
    }

    /// Returns the next class to send, and subtracts the packet from its deficit.
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

    /// Handles the case of a single waiting class: it gets as many rounds as it needs.
    #[inline]
    fn give_only(&mut self, classes: &Classes, only: usize) -> Option<usize> {
        let wire = u64::from(classes.head(only)?);
        // If the class had its turn in this round, the rest of its deficit covers no packet: a turn ends only
        // then.
        let deficit = &mut self.deficits[only];
        while wire > *deficit {
            *deficit += self.quantum;
        }
        *deficit -= wire;
        self.turn = only;
        Some(only)
    }

    /// Explains when `pkt`, which is about to join, leaves: the share of its class among the classes that then
    /// wait, and the packets before it in its class.
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
            "it is in class {own}, whose share of the link is {}/{}; it leaves after the {} that \
             wait there",
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

/// Returns the quantum of a class of this weight, when the class with the largest weight `most` has `quantum`.
fn part(quantum: u64, weight: u64, most: u64) -> u64 {
    match weight == most {
        true => quantum,
        false => (quantum * weight / most).max(1),
    }
}

#[cfg(test)]
mod tests;
