//! FIFO: packets leave in order of arrival.
//!
//! **Decision**     the oldest packet.
//! **State**        the queue, if the driver keeps one.
//! **Units**        none.
//! **Errors**       none.
//! **Source**       the plain queue of every paper here.
//! **Deviations**   none.

use super::Sched;
use crate::Policy;
use sidestep_types::{About, Packet, Refusal};
use std::collections::VecDeque;

/// First-in, first-out queue.
#[derive(Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Fifo(VecDeque<u32>);

impl Policy for Fifo {
    type Settings = ();
    const ABOUT: About = About {
        name: "fifo",
        summary: "packets leave in the order of arrival",
        source: "the plain queue",
    };

    fn build(_: (), _: u16, _: u64) -> Result<Fifo, Refusal> {
        Ok(Fifo::default())
    }
}

impl Sched for Fifo {
    fn is_fifo(&self) -> bool {
        true
    }
    fn passes(&self) -> bool {
        true
    }

    fn push(&mut self, _: &Packet, handle: u32) {
        self.0.push_back(handle);
    }
    fn pop(&mut self) -> Option<u32> {
        self.0.pop_front()
    }
    fn each_held(&self, with: &mut dyn FnMut(u32)) {
        self.0.iter().for_each(|handle| with(*handle));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::data;

    #[test]
    fn packets_leave_in_the_order_they_came() {
        let mut fifo = Fifo::default();
        (0..5).for_each(|handle| fifo.push(&data(), handle));
        let order: Vec<u32> = std::iter::from_fn(|| fifo.pop()).collect();
        assert_eq!(order, [0, 1, 2, 3, 4]);
    }
}
