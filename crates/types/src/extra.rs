//! Fields of a packet beyond its header: SACK blocks, or the tag of data.
//!
//! **State**        24 bytes, read as one or the other by [`crate::Kind`]: an acknowledgement has no
//!                  tag, and data has no SACK blocks.
//! **Units**        bytes, except where a field is a number or a flag. The words of a [`Tag`]:
//!
//! | word | bits | field |
//! |---|---|---|
//! | 0 | 32 | rank: the sort key of switches, smallest first |
//! | 1 | 32 | remaining: bytes of the flow still to be sent, this packet's included; or what was sent before |
//! | 2 | 0 to 3 | number of retransmissions |
//! | 2 | 4 to 6 | flow id: number of the message in its connection, modulo 8 |
//! | 2 | 7, 8, 9 | first of its flow, last of its flow, tagged |
//! | 2 | 10 | set if there is a data sequence number |
//! | 2 | 11 | set if word 1 counts what was sent before |
//! | 2 | 12 to 31 | free |
//! | 3, 4 | 64 | data sequence number |
//! | 5 | 32 | free |
//!
//! **Source**       Abdous et al., CoNEXT 2021 (Vertigo), section 3.1, for the tag: RFS 32 bits, RETCNT
//!                  4, flow id 3, flags; RFC 8684 section 3.3 for the data sequence number of MPTCP;
//!                  RFC 2018 for SACK blocks.
//! **Deviations**   Vertigo boosts its only number (RFS) in place. Here `rank` is the sort key, and
//!                  `remaining` or `sent` is the number it was computed from. The flags *last* and *tagged*
//!                  are additions: a Vertigo host tags everything.

/// Storage of 24 bytes for either SACK blocks or a [`Tag`].
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Extra {
    words: [u32; 6],
}

impl Extra {
    /// Storage without a block or a tag.
    pub(crate) const NONE: Extra = Extra { words: [0; 6] };

    #[inline]
    pub(crate) fn sack(self) -> SackBlocks {
        SackBlocks { words: self.words }
    }

    #[inline]
    pub(crate) fn set_sack(&mut self, sack: SackBlocks) {
        self.words = sack.words;
    }

    #[inline]
    pub(crate) fn tag(self) -> Tag {
        Tag { words: self.words }
    }

    #[inline]
    pub(crate) fn set_tag(&mut self, tag: Tag) {
        self.words = tag.words;
    }
}

/// Up to three SACK blocks, as `[start, end)` byte ranges above the cumulative acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SackBlocks {
    /// Start and end of each block in turn. An end of 0 means no block.
    words: [u32; 6],
}

impl SackBlocks {
    /// Empty list of blocks.
    pub const NONE: SackBlocks = SackBlocks { words: [0; 6] };

    /// Adds a block, given relative to the cumulative acknowledgement. Ignores a fourth block.
    ///
    /// Panics when the block is empty.
    pub fn push(&mut self, start: u32, end: u32) {
        assert!(start < end, "a SACK block covers at least one byte");
        if let Some(free) = self.words.chunks_exact_mut(2).find(|b| b[1] == 0) {
            free.copy_from_slice(&[start, end]);
        }
    }

    /// Iterates over the blocks, most recent first, relative to the cumulative acknowledgement.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        let blocks = self.words.chunks_exact(2).map(|b| (b[0], b[1]));
        blocks.take_while(|b| b.1 != 0)
    }

    /// Returns the number of blocks.
    pub fn len(&self) -> u32 {
        self.iter().count() as u32
    }

    /// Returns true if there is no block.
    pub fn is_empty(&self) -> bool {
        self.words[1] == 0
    }
}

/// Information that a host attaches to a data packet, for switches and for the receiving host. The head of this
/// module lists the widths of the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tag {
    words: [u32; 6],
}

const RETRANSMISSIONS: (u32, u32) = (0, 4);
const FLOW_ID: (u32, u32) = (4, 3);
const FIRST: u32 = 1 << 7;
const LAST: u32 = 1 << 8;
const TAGGED: u32 = 1 << 9;
const MAPPED: u32 = 1 << 10;
const COUNTS: u32 = 1 << 11;

impl Tag {
    /// Empty tag: the packet is unmarked.
    pub const NONE: Tag = Tag { words: [0; 6] };

    /// Value of [`Tag::remaining`] for a marked packet whose remaining size is unknown or exceeds 32 bits.
    /// Consumers of remaining sizes must do without it.
    pub const UNKNOWN: u32 = u32::MAX;

    /// Returns true if the tag has a rank. A packet without a rank is unmarked, whatever else is set.
    #[inline]
    pub fn tagged(&self) -> bool {
        self.words[2] & TAGGED != 0
    }

    /// Returns the sort key of switches, smallest first; `u32::MAX` for an unmarked packet.
    #[inline]
    pub fn rank(&self) -> u32 {
        if self.tagged() {
            self.words[0]
        } else {
            u32::MAX
        }
    }

    /// Sets [`Tag::rank`]. The packet is marked from now on.
    #[inline]
    pub fn set_rank(&mut self, rank: u32) {
        self.words[0] = rank;
        self.words[2] |= TAGGED;
    }

    /// Clears [`Tag::rank`]. The packet is unmarked from now on.
    pub fn clear_rank(&mut self) {
        self.words[0] = 0;
        self.words[2] &= !TAGGED;
    }

    /// Returns the bytes of the flow still to be sent, this packet's included. Returns 0 if the host did not
    /// set them, and [`Tag::UNKNOWN`] if the host does not know them or counts what was sent.
    pub fn remaining(&self) -> u32 {
        match self.counts() {
            true => Tag::UNKNOWN,
            false => self.words[1],
        }
    }

    /// Sets [`Tag::remaining`].
    pub fn set_remaining(&mut self, bytes: u32) {
        self.words[1] = bytes;
        self.words[2] &= !COUNTS;
    }

    /// Returns the packets or bytes of the message that were sent before this packet. `None` if the host
    /// reports the remaining size instead.
    pub fn sent(&self) -> Option<u32> {
        self.counts().then_some(self.words[1])
    }

    /// Sets [`Tag::sent`].
    pub fn set_sent(&mut self, before: u32) {
        self.words[1] = before;
        self.words[2] |= COUNTS;
    }

    /// Returns how often these bytes were sent before: 4 bits.
    pub fn retransmissions(&self) -> u8 {
        self.bits(RETRANSMISSIONS)
    }

    /// Sets [`Tag::retransmissions`].
    ///
    /// Panics in debug builds above 15.
    pub fn set_retransmissions(&mut self, times: u8) {
        debug_assert!(times < 16, "a tag counts 15 retransmissions, got {times}");
        self.set_bits(RETRANSMISSIONS, times);
    }

    /// Returns the number of the message in its connection, modulo 8: 3 bits.
    pub fn flow_id(&self) -> u8 {
        self.bits(FLOW_ID)
    }

    /// Sets [`Tag::flow_id`].
    ///
    /// Panics in debug builds above 7.
    pub fn set_flow_id(&mut self, id: u8) {
        debug_assert!(id < 8, "a flow id is below 8, got {id}");
        self.set_bits(FLOW_ID, id);
    }

    /// Returns true for the first packet of a flow.
    pub fn first(&self) -> bool {
        self.words[2] & FIRST != 0
    }

    /// Sets [`Tag::first`].
    pub fn set_first(&mut self, on: bool) {
        self.words[2] = self.words[2] & !FIRST | if on { FIRST } else { 0 };
    }

    /// Returns true for the last packet of a flow.
    pub fn last(&self) -> bool {
        self.words[2] & LAST != 0
    }

    /// Sets [`Tag::last`].
    pub fn set_last(&mut self, on: bool) {
        self.words[2] = self.words[2] & !LAST | if on { LAST } else { 0 };
    }

    /// Returns the position of the first byte in the data that several connections carry together; 0 with a
    /// single connection.
    pub fn data_seq(&self) -> u64 {
        u64::from(self.words[3]) | u64::from(self.words[4]) << 32
    }

    /// Sets [`Tag::data_seq`].
    pub fn set_data_seq(&mut self, seq: u64) {
        (self.words[3], self.words[4]) = (seq as u32, (seq >> 32) as u32);
        self.words[2] |= MAPPED;
    }

    /// Returns [`Tag::data_seq`] if it was set.
    pub fn mapped(&self) -> Option<u64> {
        (self.words[2] & MAPPED != 0).then(|| self.data_seq())
    }

    fn counts(&self) -> bool {
        self.words[2] & COUNTS != 0
    }

    fn bits(&self, (from, width): (u32, u32)) -> u8 {
        (self.words[2] >> from & ((1 << width) - 1)) as u8
    }

    fn set_bits(&mut self, (from, width): (u32, u32), value: u8) {
        let mask = ((1 << width) - 1) << from;
        self.words[2] = self.words[2] & !mask | u32::from(value) << from & mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fourth_sack_block_is_ignored() {
        let mut s = SackBlocks::NONE;
        for i in 1..=4 {
            s.push(i * 10, i * 10 + 5);
        }
        assert_eq!(s.iter().collect::<Vec<_>>(), [(10, 15), (20, 25), (30, 35)]);
        assert_eq!(s.len(), 3);
    }

    /// All fields of a tag, in the order of [`SETTERS`].
    fn fields(tag: &Tag) -> [u64; 7] {
        [
            u64::from(tag.rank()),
            u64::from(tag.remaining()),
            u64::from(tag.retransmissions()),
            u64::from(tag.flow_id()),
            u64::from(tag.first()),
            u64::from(tag.last()),
            tag.data_seq(),
        ]
    }

    /// Setter of a field, and the largest value that it accepts.
    type Setter = (fn(&mut Tag, u64), u64);

    const SETTERS: [Setter; 7] = [
        (|tag, n| tag.set_rank(n as u32), u32::MAX as u64),
        (|tag, n| tag.set_remaining(n as u32), u32::MAX as u64),
        (|tag, n| tag.set_retransmissions(n as u8), 15),
        (|tag, n| tag.set_flow_id(n as u8), 7),
        (|tag, n| tag.set_first(n == 1), 1),
        (|tag, n| tag.set_last(n == 1), 1),
        (|tag, n| tag.set_data_seq(n), u64::MAX),
    ];

    #[test]
    fn each_field_of_a_tag_keeps_its_bits_apart_from_the_others_at_their_extremes() {
        for (f, (set, most)) in SETTERS.into_iter().enumerate() {
            for (others, value) in [(false, most), (true, 0)] {
                let mut tag = Tag::NONE;
                tag.set_rank(0);
                for (other, largest) in SETTERS {
                    other(&mut tag, if others { largest } else { 0 });
                }
                let mut expected = fields(&tag);
                set(&mut tag, value);
                expected[f] = value;
                assert_eq!(fields(&tag), expected, "field {f} set to {value}");
                assert!(tag.tagged(), "field {f}");
            }
        }
    }

    #[test]
    fn a_tag_says_what_remains_or_what_was_sent_and_nothing_else_of_it_moves() {
        let mut tag = Tag::NONE;
        SETTERS.iter().for_each(|(set, most)| set(&mut tag, *most));
        assert_eq!((tag.remaining(), tag.sent()), (u32::MAX, None));
        let before = fields(&tag);
        for sent in [0, 7, u32::MAX] {
            tag.set_sent(sent);
            assert_eq!((tag.remaining(), tag.sent()), (Tag::UNKNOWN, Some(sent)));
            assert_eq!(fields(&tag), before);
        }
        tag.set_remaining(9);
        assert_eq!((tag.remaining(), tag.sent()), (9, None));
        assert_eq!(fields(&tag)[2..], before[2..]);
    }

    #[test]
    fn a_tag_without_a_rank_is_unmarked_whatever_else_is_set() {
        let mut tag = Tag::NONE;
        for (set, most) in &SETTERS[1..] {
            set(&mut tag, *most);
            assert_eq!((tag.tagged(), tag.rank()), (false, u32::MAX));
        }
        tag.set_rank(0);
        assert_eq!((tag.tagged(), tag.rank()), (true, 0));
        let before = fields(&tag);
        tag.clear_rank();
        assert_eq!((tag.tagged(), tag.rank()), (false, u32::MAX));
        assert_eq!(fields(&tag)[1..], before[1..]);
    }

    #[test]
    fn a_data_sequence_number_of_0_is_one() {
        let mut tag = Tag::NONE;
        assert_eq!((tag.mapped(), tag.data_seq()), (None, 0));
        tag.set_data_seq(0);
        assert_eq!(tag.mapped(), Some(0));
        tag.set_data_seq(u64::MAX);
        assert_eq!(tag.mapped(), Some(u64::MAX));
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "a tag counts 15 retransmissions, got 16")]
    fn a_sixteenth_retransmission_has_no_room() {
        let mut tag = Tag::NONE;
        tag.set_retransmissions(16);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "a flow id is below 8, got 8")]
    fn a_flow_id_is_counted_modulo_8_by_its_host() {
        let mut tag = Tag::NONE;
        tag.set_flow_id(8);
    }
}
