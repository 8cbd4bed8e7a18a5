//! Strict priority: packets that carry no data overtake those that do.
//!
//! **Decision**     the oldest control packet (acknowledgements, handshakes, trimmed headers), and
//!                  when there is none the oldest packet with data.
//! **State**        two queues.
//! **Units**        none.
//! **Errors**       none.
//! **Source**       Handley et al., SIGCOMM 2017 (NDP), section 3.1, for trimmed headers.
//! **Deviations**   NDP serves ten headers for one packet of data so that data is never starved;
//!                  here control packets always go first.

use super::Sched;
use crate::{Depth, Nature, Policy};
use sidestep_types::{Entry, Packet, Refusal, Values};
use std::collections::VecDeque;

/// Control before data.
#[derive(Debug, Default)]
pub struct Priority {
    control: VecDeque<(u32, u16)>,
    /// Bytes of link time of the control packets.
    control_bytes: u32,
    data: VecDeque<u32>,
}

impl Policy for Priority {
    const ENTRY: Entry = Entry {
        name: "priority",
        summary: "acknowledgements, handshakes and trimmed headers before data",
        source: "Handley et al., SIGCOMM 2017 (NDP)",
        params: &[],
    };

    const NATURE: Nature = Nature {
        control: true,
        ..Nature::PLAIN
    };

    fn build(_: &Values, _: u16, _: u64) -> Result<Priority, Refusal> {
        Ok(Priority::default())
    }
}

impl Sched for Priority {
    fn passes(&self) -> bool {
        true
    }

    fn push(&mut self, pkt: &Packet, handle: u32) {
        if pkt.carries_data() {
            self.data.push_back(handle);
        } else {
            self.control.push_back((handle, pkt.wire));
            self.control_bytes += u32::from(pkt.wire);
        }
    }

    fn pop(&mut self) -> Option<u32> {
        let Some((handle, wire)) = self.control.pop_front() else {
            return self.data.pop_front();
        };
        self.control_bytes -= u32::from(wire);
        Some(handle)
    }

    fn urgent(&self) -> Depth {
        Depth {
            packets: self.control.len() as u32,
            bytes: self.control_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::data;
    use sidestep_types::{FlowId, HostId, Kind};

    #[test]
    fn control_packets_go_first_and_each_kind_keeps_its_order() {
        let mut header = data();
        header.trim(84);
        let mut ack = Packet::new(Kind::Ack, FlowId(0), HostId(0), 0);
        ack.wire = 96;
        let mut sched = Priority::default();
        for (handle, pkt) in [data(), header, data(), ack].iter().enumerate() {
            sched.push(pkt, handle as u32);
        }
        let both = Depth {
            packets: 2,
            bytes: 84 + 96,
        };
        assert_eq!(sched.urgent(), both);
        let first = sched.pop();
        let one = Depth {
            packets: 1,
            bytes: 96,
        };
        assert_eq!((first, sched.urgent()), (Some(1), one));
        sched.push(&data(), 4);
        let order: Vec<u32> = std::iter::from_fn(|| sched.pop()).collect();
        assert_eq!(order, [3, 0, 2, 4]);
        assert_eq!(sched.urgent(), Depth::default());
        assert_eq!((sched.worst(), sched.evict()), (None, None));
    }
}
