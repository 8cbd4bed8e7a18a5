//! Strict priority: packets without data overtake packets with data.
//!
//! **Decision**     the oldest control packet (acknowledgements, handshakes, trimmed headers); if there
//!                  is none, the oldest packet with data.
//! **State**        two queues: class 0 is control, class 1 is data.
//! **Units**        bytes of link time of the waiting packets.
//! **Errors**       none.
//! **Source**       Handley et al., SIGCOMM 2017 (NDP), section 3.1, for trimmed headers.
//! **Deviations**   NDP serves ten headers per data packet so that data is never starved;
//!                  here control packets always go first.

use super::Sched;
use super::classes::Queue;
use crate::why::count;
use crate::{Class, Nature, Policy};
use sidestep_types::{About, Packet, Refusal};

/// Two queues: control before data.
#[derive(Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Priority {
    classes: [Queue; 2],
}

impl Priority {
    /// Class of packets without data, which is served first.
    pub const CONTROL: u8 = 0;
    /// Class of packets with data.
    pub const DATA: u8 = 1;
}

impl Policy for Priority {
    type Settings = ();
    const ABOUT: About = About {
        name: "priority",
        summary: "acknowledgements, handshakes and trimmed headers before data",
        source: "Handley et al., SIGCOMM 2017 (NDP)",
    };

    const NATURE: Nature = Nature {
        control: true,
        ..Nature::PLAIN
    };

    fn build(_: (), _: u16, _: u64) -> Result<Priority, Refusal> {
        Ok(Priority::default())
    }
}

impl Sched for Priority {
    fn passes(&self) -> bool {
        true
    }

    fn push(&mut self, pkt: &Packet, handle: u32) {
        let class = match pkt.carries_data() {
            true => Priority::DATA,
            false => Priority::CONTROL,
        };
        self.classes[usize::from(class)].push(handle, pkt.wire, ());
    }

    fn pop(&mut self) -> Option<u32> {
        let [control, data] = &mut self.classes;
        let (handle, ()) = control.pop().or_else(|| data.pop())?;
        Some(handle)
    }

    fn each_held(&self, with: &mut dyn FnMut(u32)) {
        self.classes.iter().for_each(|queue| queue.each(with));
    }

    fn why(&self, pkt: &Packet) -> String {
        let waits = |class: usize| count(self.classes[class].depth().packets);
        let [control, data] = [0, 1].map(waits);
        match pkt.carries_data() {
            true => format!(
                "it is a data packet: it leaves after {control} control and {data} data packets \
                 that wait, and after control packets that arrive later"
            ),
            false => format!(
                "it is a control packet: it leaves after {control} other control packets that \
                 wait, and before {data} data packets"
            ),
        }
    }

    fn queue(&self, service: u8) -> Class {
        let Some(queue) = self.classes.get(usize::from(service)) else {
            return Class::default();
        };
        Class {
            depth: queue.depth(),
            flows: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Depth;
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
        let waits = |sched: &Priority| [0, 1, 2].map(|class| sched.queue(class).depth);
        let two_of_data = Depth {
            packets: 2,
            bytes: 3000,
        };
        let none = Depth::default();
        let both = Depth {
            packets: 2,
            bytes: 84 + 96,
        };
        assert_eq!(waits(&sched), [both, two_of_data, none]);
        let first = sched.pop();
        let one = Depth {
            packets: 1,
            bytes: 96,
        };
        assert_eq!((first, waits(&sched)), (Some(1), [one, two_of_data, none]));
        sched.push(&data(), 4);
        let order: Vec<u32> = std::iter::from_fn(|| sched.pop()).collect();
        assert_eq!(order, [3, 0, 2, 4]);
        assert_eq!(waits(&sched), [none; 3]);
        assert_eq!((sched.worst(), sched.evict()), (None, None));
    }
}
