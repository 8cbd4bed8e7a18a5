//! What a scheduler orders real packets by: TCP does not say how much a flow has left.
//!
//! **Decision**     how many bytes of the flow came by here before: the least served goes first.
//! **State**        65,536 places, one for each value of 16 bits of the flow's hash. A flow that
//!                  has said nothing for 100 ms starts anew, and so does one whose place another
//!                  has taken.
//! **Units**        payload bytes.
//! **Source**       least attained service: Bai et al., NSDI 2015 (PIAS), for the idea that bytes
//!                  sent stand for bytes left; the sizes here are assumed.

use sidestep_types::Time;

const PLACES: usize = 1 << 16;

/// A message after so long is taken for a new one; assumed.
const IDLE: Time = Time::from_ms(100);

#[derive(Clone, Copy)]
struct Flow {
    hash: u32,
    sent: u32,
    seen: Time,
}

/// Bytes that came by, flow by flow.
pub(super) struct Sent(Box<[Flow]>);

impl Sent {
    pub fn new() -> Sent {
        let nobody = Flow {
            hash: 0,
            sent: 0,
            seen: Time::ZERO,
        };
        Sent(vec![nobody; PLACES].into_boxed_slice())
    }

    /// The rank of a packet with `payload` bytes of the flow with this hash.
    pub fn rank(&mut self, now: Time, hash: u32, payload: u16) -> u32 {
        let flow = &mut self.0[hash as usize % PLACES];
        if flow.hash != hash || now.saturating_sub(flow.seen) > IDLE {
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
        let mut sent = Sent::new();
        let mut rank = |ms, hash| sent.rank(Time::from_ms(ms), hash, 1460);
        assert_eq!([rank(0, 7), rank(1, 7), rank(2, 7)], [0, 1460, 2920]);
        assert_eq!(rank(2, 8), 0);
        assert_eq!(rank(103, 7), 0, "a new message");
        assert_eq!(rank(104, 7 + (1 << 16)), 0);
        assert_eq!(rank(105, 7), 0, "the place was taken");
    }
}
