//! Ranks that a switch computes by itself, for hosts that do not mark packets.
//!
//! **Decision**     rank of a packet: bytes of its flow that came by before, so the least served flow goes
//!                  first.
//! **State**        [`PLACES`] places, one for each value of 16 bits of the flow's hash. The count of a
//!                  flow restarts after a silence longer than `gap`, and after another flow has taken
//!                  its place.
//! **Units**        payload bytes, repeats included; picoseconds.
//! **Errors**       none; the caller must refuse a `gap` of 0.
//! **Source**       least attained service: Bai et al., NSDI 2015 (PIAS), for the idea that bytes
//!                  sent stand for bytes left; the sizes here are assumed.
//! **Deviations**   a switch can recognise neither retransmissions nor packets that a detour brought
//!                  back: both are counted again.

use sidestep_types::Time;

/// Most flows that are tracked at a time.
pub const PLACES: usize = 1 << 16;

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Flow {
    hash: u32,
    sent: u32,
    seen: Time,
}

/// Bytes that came by, per flow.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AttainedService {
    flows: Box<[Flow]>,
    gap: Time,
}

impl AttainedService {
    /// Memory of one table, in bytes.
    pub const BYTES: usize = PLACES * size_of::<Flow>();

    /// Creates an empty table. Packets after a silence longer than `gap` start a new message.
    pub fn new(gap: Time) -> AttainedService {
        let nobody = Flow {
            hash: 0,
            sent: 0,
            seen: Time::ZERO,
        };
        AttainedService {
            flows: vec![nobody; PLACES].into_boxed_slice(),
            gap,
        }
    }

    /// Returns the rank of a packet with `payload` bytes from the flow with this hash, and counts those bytes.
    pub fn rank(&mut self, now: Time, hash: u32, payload: u16) -> u32 {
        let flow = &mut self.flows[hash as usize % PLACES];
        if flow.hash != hash || now.saturating_sub(flow.seen) > self.gap {
            flow.hash = hash;
            flow.sent = 0;
        }
        flow.seen = now;
        let rank = flow.sent;
        flow.sent = flow.sent.saturating_add(u32::from(payload));
        rank
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rank_is_what_came_before_until_the_flow_pauses_or_loses_its_place() {
        let mut sent = AttainedService::new(Time::from_ms(100));
        let mut rank = |ms, hash| sent.rank(Time::from_ms(ms), hash, 1460);
        assert_eq!([rank(0, 7), rank(1, 7), rank(2, 7)], [0, 1460, 2920]);
        assert_eq!(rank(2, 8), 0);
        assert_eq!(rank(102, 7), 4380, "the gap itself");
        assert_eq!(rank(203, 7), 0, "a new message");
        assert_eq!(rank(204, 7 + PLACES as u32), 0);
        assert_eq!(rank(205, 7), 0, "the place was taken");
    }
}
