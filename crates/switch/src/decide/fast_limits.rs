//! Fast path for most packets: a decision by one look at the wanted queue.

use crate::queues::Room;
use crate::{AnyBuffer, Buffer, Capacity, Depth};

/// Depths below which a packet joins a queue without further steps, and depths from which it is marked. A hop
/// compares four numbers with the two of the queue, whatever the policy and the capacity. Packets that do not
/// pass are decided in full ([`crate::Decider::admit`]), so the limits may be too low but never too high. The
/// default admits nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FastLimits {
    packets: u32,
    bytes: u32,
    mark_packets: u32,
    mark_bytes: u32,
}

impl FastLimits {
    /// Returns the limits for `buffer` and `capacity`. Admits nothing if the policy does more
    /// ([`Buffer::marks_at`]) or if queues share memory.
    pub(super) fn of(buffer: &AnyBuffer, capacity: Capacity) -> FastLimits {
        let Some(marks_at) = buffer.marks_at() else {
            return FastLimits::default();
        };
        let Some(room) = capacity.own_room() else {
            return FastLimits::default();
        };
        let marks = Room::of(marks_at);
        FastLimits {
            packets: narrow(room.packets),
            bytes: narrow(room.bytes),
            mark_packets: narrow(marks.packets),
            mark_bytes: narrow(marks.bytes),
        }
    }

    /// Returns true if a queue of this `depth` has room for `bytes` more.
    #[inline(always)]
    pub(super) fn admits(&self, depth: Depth, bytes: u32) -> bool {
        depth.packets < self.packets
            && u64::from(depth.bytes) + u64::from(bytes) <= u64::from(self.bytes)
    }

    /// Returns true if a packet that joins a queue of this `depth` is marked.
    #[inline(always)]
    pub(super) fn marks(&self, depth: Depth) -> bool {
        depth.packets >= self.mark_packets || depth.bytes >= self.mark_bytes
    }
}

fn narrow(limit: u64) -> u32 {
    u32::try_from(limit).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::ENTRIES;
    use crate::buffer::ecn::Ecn;
    use crate::queues::reaches;
    use crate::testing::{StillQueues, data};
    use crate::{NEVER, Policy, Verdict};
    use sidestep_types::{Bytes, Rng, Size, Value, Values};

    const FRAME: u32 = 1500;

    fn sizes() -> Vec<Size> {
        let packets = [0, 1, 5, 40, u64::from(u32::MAX), u64::MAX];
        let bytes = [0, 1499, 1500, 1501, 7500, 60_000, u64::MAX];
        let (packets, bytes) = (
            packets.map(Size::Packets),
            bytes.map(|b| Size::Bytes(Bytes(b))),
        );
        packets.into_iter().chain(bytes).collect()
    }

    fn marking(mark_at: Size) -> AnyBuffer {
        let mut values = Values::defaults(Ecn::ENTRY.params);
        values.set("mark_at", Value::Size(mark_at));
        AnyBuffer::build("ecn", &values, 4, 0).expect("any size")
    }

    #[test]
    fn what_it_lets_in_fits_and_is_marked_as_the_policy_says() {
        let own = sizes().into_iter().map(Capacity::PerPort);
        for capacity in own.chain([Capacity::Unlimited]) {
            for mark_at in sizes() {
                let fast_limits = FastLimits::of(&marking(mark_at), capacity);
                for (packets, each) in (0..50).flat_map(|n| [(n, 64), (n, FRAME)]) {
                    let bytes = packets * each;
                    let depth = Depth { packets, bytes };
                    let at = format!("{capacity:?}, {mark_at}, {depth:?}");
                    assert_eq!(
                        fast_limits.admits(depth, FRAME),
                        capacity.fits_own(depth, FRAME),
                        "{at}"
                    );
                    assert_eq!(fast_limits.marks(depth), reaches(depth, mark_at), "{at}");
                }
            }
        }
        let (memory, alpha) = (Bytes(100_000), (1, 1));
        let shared = Capacity::Shared { memory, alpha };
        assert_eq!(
            FastLimits::of(&marking(NEVER), shared),
            FastLimits::default()
        );
        assert!(!FastLimits::default().admits(Depth::default(), 0));
    }

    #[test]
    fn a_policy_that_decides_by_one_says_the_same_at_length_and_draws_nothing() {
        let mut fast_limits = 0;
        for entry in ENTRIES {
            let values = Values::defaults(entry.params);
            let Ok(mut buffer) = AnyBuffer::build(entry.name, &values, 4, 0) else {
                continue;
            };
            let Some(marks_at) = buffer.marks_at() else {
                continue;
            };
            fast_limits += 1;
            for packets in 0..100 {
                let mut queues = StillQueues::of(&[packets, 3, 3, 3], 100, &[1, 2, 3]);
                let (want, mut rng) = (queues.want(0), Rng::from_seed(1));
                let before = rng.clone();
                let said = buffer.admit(&data(), want, &mut queues, &mut rng);
                let mark = reaches(want.depth, marks_at);
                assert_eq!(
                    said,
                    Verdict::Enqueue { mark },
                    "{} at {packets}",
                    entry.name
                );
                assert_eq!(rng, before, "{}", entry.name);
            }
        }
        assert!(fast_limits >= 8, "{fast_limits} policies");
        assert!(!reaches(
            Depth {
                packets: u32::MAX,
                bytes: u32::MAX
            },
            NEVER
        ));
    }
}
