//! Age of a message: the amount sent of it, where its size is unknown.
//!
//! **Decision**     a message ends when nothing has left for longer than `gap`, and new data follows: then its
//!                  number rises and the count restarts. A repeat after the pause belongs to the message
//!                  before: the pause was due to a loss, not to the application. Repeats do not count.
//! **State**        the count, the message's number modulo 8, and the time of the last packet.
//! **Units**        packets, or bytes of payload; picoseconds.
//! **Errors**       none.
//! **Source**       Abdous et al., CoNEXT 2021 (Vertigo), section 3.1, flow aging; the gap of 360 us is its
//!                  simulator's.
//! **Deviations**   none known. The authors' host restarts the count at a repeat as well; the treatment of
//!                  repeats is assumed.

use sidestep_types::Time;

/// Unit of the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Unit {
    /// Packets.
    Packets,
    /// Bytes of payload.
    Bytes,
}

/// Amount sent of the current message.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Age {
    sent: u32,
    id: u8,
    /// Time of the last packet.
    left: Option<Time>,
}

impl Age {
    /// Counts data of `len` bytes that leaves for the first time; returns the amount sent before it, and the
    /// message's number.
    pub fn first_sending(&mut self, now: Time, gap: Time, unit: Unit, len: u16) -> (u32, u8) {
        if (self.left).is_some_and(|left| now.saturating_sub(left) > gap) {
            (self.sent, self.id) = (0, (self.id + 1) % 8);
        }
        self.left = Some(now);
        let before = self.sent;
        self.sent = before.saturating_add(match unit {
            Unit::Packets => 1,
            Unit::Bytes => u32::from(len),
        });
        (before, self.id)
    }

    /// Records a repeat, which leaves now.
    pub fn repeat(&mut self, now: Time) {
        self.left = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAP: Time = Time::from_us(360);

    fn sent(age: &mut Age, us: u64, unit: Unit) -> (u32, u8) {
        age.first_sending(Time::from_us(us), GAP, unit, 1_000)
    }

    #[test]
    fn a_message_ends_after_a_gap_and_not_before() {
        let mut age = Age::default();
        assert_eq!(sent(&mut age, 5, Unit::Bytes), (0, 0));
        assert_eq!(sent(&mut age, 5, Unit::Bytes), (1_000, 0));
        assert_eq!(
            sent(&mut age, 365, Unit::Bytes),
            (2_000, 0),
            "the gap itself"
        );
        assert_eq!(sent(&mut age, 726, Unit::Bytes), (0, 1));
        assert_eq!(sent(&mut age, 727, Unit::Bytes), (1_000, 1));
    }

    #[test]
    fn packets_count_one_each() {
        let mut age = Age::default();
        let all = [0, 1, 2].map(|us| sent(&mut age, us, Unit::Packets).0);
        assert_eq!(all, [0, 1, 2]);
    }

    #[test]
    fn a_repeat_ends_no_message_however_long_nothing_left() {
        let mut age = Age::default();
        assert_eq!(sent(&mut age, 0, Unit::Bytes), (0, 0));
        age.repeat(Time::from_ms(10));
        assert_eq!(sent(&mut age, 10_100, Unit::Bytes), (1_000, 0));
    }

    #[test]
    fn the_number_of_a_message_is_counted_modulo_8_and_the_count_has_an_end() {
        let mut age = Age::default();
        let ids = (0..10).map(|ms| sent(&mut age, ms * 1_000, Unit::Bytes).1);
        assert_eq!(ids.collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6, 7, 0, 1]);
        age.sent = u32::MAX - 1;
        assert_eq!(sent(&mut age, 9_000, Unit::Bytes).0, u32::MAX - 1);
        assert_eq!(sent(&mut age, 9_000, Unit::Bytes).0, u32::MAX);
    }
}
