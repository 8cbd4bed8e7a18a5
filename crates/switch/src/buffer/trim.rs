//! Packet trimming: a packet that finds the queue full loses its payload, and its header goes first.
//!
//! **Decision**     data joins if it fits beside the data that waits. Else its payload is cut off and the
//!                  header joins the control packets, as long as fewer than `headers` of them wait; else
//!                  drop. Other control packets join under the same limit.
//! **State**        none. Reads how many control packets wait; no draws.
//! **Units**        the limit of data is the switch's own; `headers`, `mark_at` in packets or bytes.
//! **Errors**       none; refusals are counted as `full`, trimmed packets as such.
//! **Source**       Cheng et al., NSDI 2014 (Cutting Payload); DIBS names it as an alternative.
//!                  Control packets first: Handley et al., SIGCOMM 2017 (NDP), section 3.1.
//! **Deviations**   Cutting Payload has one queue; here headers and acknowledgements overtake, as
//!                  in NDP. NDP trims the arriving packet or the one at the tail, at random, and serves ten
//!                  headers per data packet; here the arriving packet is trimmed, and headers strictly go
//!                  first.

use super::{Buffer, DropReason, Verdict};
use crate::queues::reaches;
use crate::sched::priority::Priority;
use crate::why::{SwitchSnapshot, both, bytes, packets};
use crate::{Depth, Nature, Policy, Queues, Want};
use sidestep_types::{About, Packet, Refusal, Rng, Settings, Size};

/// Policy that trims packets.
#[derive(Clone, Debug, Settings)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Trim {
    /// limit of control packets (headers and acknowledgements) that wait at a port, beyond its capacity;
    /// assumed
    #[setting(default = "100 pkt")]
    headers: Size,
    /// mark when the waiting data already holds this much; off in the paper, where headers are the signal
    #[setting(default = "off", off = "off")]
    mark_at: Option<Size>,
}

impl Policy for Trim {
    type Settings = Trim;
    const ABOUT: About = About {
        name: "trim",
        summary: "cuts the payload of packets that do not fit and sends the header first; needs \
                  sched priority",
        source: "Cheng et al., NSDI 2014 (Cutting Payload)",
    };
    const NATURE: Nature = Nature {
        sched: &["priority"],
        control: true,
        answers: &["enqueue", "trim", "full"],
        ..Nature::PLAIN
    };

    fn build(settings: Trim, _: u16, _: u64) -> Result<Trim, Refusal> {
        Ok(settings)
    }
}

impl Buffer for Trim {
    #[inline(never)]
    fn admit(&mut self, pkt: &Packet, want: Want, queues: &mut dyn Queues, _: &mut Rng) -> Verdict {
        let control = queues.queue(want.port, Priority::CONTROL).depth;
        let header_room = !reaches(control, self.headers);
        if !pkt.carries_data() {
            return decide(false, false, false, header_room);
        }
        let data = Depth {
            packets: want.depth.packets - control.packets,
            bytes: want.depth.bytes - control.bytes,
        };
        let room = want.fits || queues.would_fit(pkt, data);
        let mark = self.mark_at.is_some_and(|k| reaches(data, k));
        decide(true, room, mark, header_room)
    }

    fn why(&self, snapshot: &mut SwitchSnapshot<'_>, want: Want, verdict: Verdict) -> String {
        let control = snapshot.queues.queue(want.port, Priority::CONTROL).depth;
        let headers = match self.headers {
            Size::Packets(n) => packets(n),
            Size::Bytes(b) => bytes(b.0),
        };
        let data = Depth {
            packets: want.depth.packets.saturating_sub(control.packets),
            bytes: want.depth.bytes.saturating_sub(control.bytes),
        };
        let waits = format!(
            "of that, control packets: {}, of at most {headers} (headers)",
            both(control)
        );
        match verdict {
            Verdict::Enqueue { .. } if snapshot.packet.carries_data() => {
                format!("{waits}; {}", snapshot.step(data, self.mark_at))
            }
            Verdict::Trim => format!("there is no room for its data, but for its header: {waits}"),
            _ => waits,
        }
    }
}

/// Decides about a packet with or without `data`, given whether there is room for it and for its header.
pub fn decide(data: bool, room: bool, mark: bool, header_room: bool) -> Verdict {
    match (data, room, header_room) {
        (true, true, _) => Verdict::Enqueue { mark },
        (true, false, true) => Verdict::Trim,
        (false, _, true) => Verdict::Enqueue { mark: false },
        (_, _, false) => Verdict::Drop(DropReason::Full),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Class;
    use crate::testing::{StillQueues, data};
    use sidestep_types::{FlowId, HostId, Kind};

    /// Returns the verdict on `pkt` while `packets` wait, `control` of them control packets, with a capacity of
    /// 8.
    fn said(pkt: &Packet, packets: u32, control: u32) -> Verdict {
        let mut trim = Trim {
            headers: Size::Packets(10),
            mark_at: Some(Size::Packets(5)),
        };
        let mut q = StillQueues::of(&[packets], 8, &[]);
        let depth = Depth {
            packets: control,
            bytes: control * 64,
        };
        q.classes[0] = vec![Class { depth, flows: 0 }];
        let want = q.want(0);
        trim.admit(pkt, want, &mut q, &mut Rng::from_seed(0))
    }

    #[test]
    fn data_is_kept_then_cut_then_dropped() {
        assert_eq!(said(&data(), 4, 0), Verdict::Enqueue { mark: false });
        assert_eq!(said(&data(), 7, 0), Verdict::Enqueue { mark: true });
        assert_eq!(said(&data(), 8, 0), Verdict::Trim);
        assert_eq!(said(&data(), 17, 9), Verdict::Trim);
        assert_eq!(said(&data(), 18, 10), Verdict::Drop(DropReason::Full));
    }

    #[test]
    fn headers_that_wait_take_no_room_from_data() {
        assert_eq!(said(&data(), 12, 8), Verdict::Enqueue { mark: false });
        assert_eq!(said(&data(), 17, 10), Verdict::Enqueue { mark: true });
    }

    #[test]
    fn control_packets_join_a_full_queue_until_there_are_too_many_of_them() {
        let mut header = data();
        header.trim(84);
        let ack = Packet::new(Kind::Ack, FlowId(0), HostId(0), 0);
        for pkt in [header, ack] {
            assert_eq!(said(&pkt, 17, 9), Verdict::Enqueue { mark: false });
            assert_eq!(said(&pkt, 18, 10), Verdict::Drop(DropReason::Full));
            assert_eq!(said(&pkt, 10, 10), Verdict::Drop(DropReason::Full));
        }
    }
}
