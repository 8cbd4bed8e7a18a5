//! Reordering of data packets on arrival.
//!
//! **Decision**     of a packet that arrives after one sent later: its extent, the number of
//!                  arrivals since the first such packet, and its n-reordering, the number of
//!                  arrivals right before it that were all sent later. A sender that waits for more
//!                  than n duplicate acknowledgements does not take it for lost.
//! **State**        the byte expected next; while holes are open, their ranges.
//! **Units**        packets, first transmissions alone: retransmissions are no part of the order
//!                  in which a flow was sent, and neither are packets trimmed by a switch.
//! **Errors**       none.
//! **Source**       RFC 4737 sections 3 (type-P reordered), 4.2 (extent), 5.4 (n-reordering).
//! **Deviations**   a hole that a retransmission has filled in order is forgotten, and so is the oldest
//!                  of more than 256: a packet that still comes for it is reordered, but has
//!                  neither extent nor n.

use sidestep_types::Packet;

/// Arrival order of one flow's data, separately for each subflow.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Orders {
    /// Order of subflow 0.
    first: Order,
    /// Order of subflow 1 and so on, as far as data has come.
    more: Vec<Order>,
}

impl Orders {
    /// Handles data that arrives; returns the n of a reordered packet. `expected` gives the byte that the
    /// receiver expects next on a subflow; it is called only when needed.
    #[inline]
    pub fn see(&mut self, packet: &Packet, expected: impl Fn(u8) -> u64) -> Option<u32> {
        if packet.retransmit() {
            return None;
        }
        let (seq, len, subflow) = (packet.seq(), u64::from(packet.len), packet.subflow());
        let order = match subflow {
            0 => &mut self.first,
            subflow => self.of(subflow),
        };
        if order.in_order(seq, len) {
            return None;
        }
        order.out_of_order(seq, len, expected(subflow))
    }

    #[cold]
    #[inline(never)]
    fn of(&mut self, subflow: u8) -> &mut Order {
        for new in self.more.len() as u8..subflow {
            self.more.push(Order {
                next: Packet::first_of(new + 1),
                ..Order::default()
            });
        }
        &mut self.more[usize::from(subflow) - 1]
    }

    /// Returns true if data of another subflow than the first has come.
    pub fn has_subflows(&self) -> bool {
        !self.more.is_empty()
    }

    /// Returns the counts of all subflows together.
    pub fn all(&self) -> Order {
        let mut all = Order::default();
        for order in std::iter::once(&self.first).chain(&self.more) {
            all.reordered += order.reordered;
            all.extent = all.extent.max(order.extent);
            all.n = all.n.max(order.n);
        }
        all
    }
}

/// Arrival order of one subflow's data.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Order {
    /// Number after the highest byte that arrived.
    next: u64,
    /// Arrivals since the first hole opened, while one is open.
    arrivals: u32,
    /// Open holes, sorted, disjoint.
    holes: Vec<Hole>,
    /// Reordered packets.
    pub reordered: u32,
    /// Largest extent.
    pub extent: u32,
    /// Largest n.
    pub n: u32,
}

/// Range of bytes that later ones overtook.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Hole {
    start: u64,
    end: u64,
    /// Arrival that opened the hole.
    opened: u32,
    /// Last arrival of anything sent before these bytes.
    below: u32,
}

const MOST_HOLES: usize = 256;

impl Order {
    /// Handles the arrival of a first transmission of `[seq, seq + len)`. Returns true if it is the next one,
    /// with no hole open: then nothing is left to do.
    #[inline]
    pub fn in_order(&mut self, seq: u64, len: u64) -> bool {
        let next = seq == self.next && self.holes.is_empty();
        if next {
            self.next = seq + len;
        }
        next
    }

    /// Handles all other first transmissions; everything below `delivered` has arrived before. Returns the n of
    /// a reordered packet.
    #[inline(never)]
    pub fn out_of_order(&mut self, seq: u64, len: u64, delivered: u64) -> Option<u32> {
        self.holes.retain(|hole| hole.end > delivered);
        if self.holes.is_empty() {
            self.arrivals = 0;
        }
        self.arrivals += 1;
        if seq >= self.next {
            self.pass_over(self.next.max(delivered), seq);
            self.next = seq + len;
            return None;
        }
        self.reordered += 1;
        Some(self.late(seq, seq + len))
    }

    /// Opens a hole, unless the range is empty.
    fn pass_over(&mut self, start: u64, end: u64) {
        if start >= end {
            return;
        }
        if self.holes.len() == MOST_HOLES {
            self.holes.remove(0);
        }
        self.holes.push(Hole {
            start,
            end,
            opened: self.arrivals,
            below: self.arrivals - 1,
        });
    }

    /// Fills part of a hole; returns n.
    fn late(&mut self, seq: u64, end: u64) -> u32 {
        let at = self.holes.partition_point(|hole| hole.end <= seq);
        for hole in &mut self.holes[at..] {
            if hole.start > seq {
                hole.below = self.arrivals;
            }
        }
        let Some(hole) = self.holes.get(at).copied().filter(|h| h.start <= seq) else {
            return 0;
        };
        let n = self.arrivals - 1 - hole.below;
        self.extent = self.extent.max(self.arrivals - hole.opened);
        self.n = self.n.max(n);
        let before = Hole { end: seq, ..hole };
        let after = Hole {
            start: end,
            below: self.arrivals,
            ..hole
        };
        let left = [before, after].into_iter().filter(|h| h.start < h.end);
        self.holes.splice(at..=at, left);
        n
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds packets of one byte, numbered from 1; returns `(packet, extent, n)` of each reordered one, in the
    /// order of arrival.
    fn see(packets: &[u64]) -> Vec<(u64, u32, u32)> {
        let mut order = Order::default();
        let mut seen = Vec::new();
        for &p in packets {
            (order.extent, order.n) = (0, 0);
            let delivered = (0..).find(|b| !packets_before(packets, p).contains(b));
            if !order.in_order(p - 1, 1)
                && let Some(n) = order.out_of_order(p - 1, 1, delivered.unwrap())
            {
                assert_eq!(n, order.n);
                seen.push((p, order.extent, n));
            }
        }
        assert!(order.holes.is_empty(), "{:?}", order.holes);
        seen
    }

    /// Returns the bytes that have arrived before packet `p`.
    fn packets_before(packets: &[u64], p: u64) -> Vec<u64> {
        let before = packets.iter().take_while(|other| **other != p);
        before.map(|other| other - 1).collect()
    }

    #[test]
    fn packets_in_order_leave_no_trace() {
        assert_eq!(see(&[1, 2, 3, 4, 5]), []);
    }

    /// By the definitions of RFC 4737: 4 arrives seventh, after 6 came fourth and with 6, 7 and 8 right before
    /// it; 5 arrives eighth, right after 4.
    #[test]
    fn two_packets_delayed_together() {
        let arrivals = [1, 2, 3, 6, 7, 8, 4, 5, 9, 10];
        assert_eq!(see(&arrivals), [(4, 3, 3), (5, 4, 0)]);
    }

    /// Packet 4 arrives eighth; the first one sent after it, 5, arrived fourth.
    #[test]
    fn one_packet_delayed_by_four() {
        let arrivals = [1, 2, 3, 5, 6, 7, 8, 4, 9, 10];
        assert_eq!(see(&arrivals), [(4, 4, 4)]);
    }

    /// Packet 7 overtakes three, which come as 5, 6, 4: three arrivals in a row were sent after 4.
    #[test]
    fn one_packet_overtakes_and_the_rest_is_shuffled() {
        let arrivals = [1, 2, 3, 7, 5, 6, 4, 8, 9, 10];
        assert_eq!(see(&arrivals), [(5, 1, 1), (6, 2, 0), (4, 3, 3)]);
    }

    #[test]
    fn two_holes_have_openers_of_their_own() {
        // 3 (second arrival) overtook 2, and 5 (third) overtook 4.
        let arrivals = [1, 3, 5, 4, 2, 6];
        assert_eq!(see(&arrivals), [(4, 1, 1), (2, 3, 3)]);
        // 2 comes first: only 5 is right before 4.
        let arrivals = [1, 3, 2, 5, 4, 6];
        assert_eq!(see(&arrivals), [(2, 1, 1), (4, 1, 1)]);
        let arrivals = [1, 3, 5, 2, 4, 6];
        assert_eq!(see(&arrivals), [(2, 2, 2), (4, 2, 0)]);
    }

    #[test]
    fn every_order_of_seven_packets_has_the_numbers_of_the_definition() {
        let mut packets = [1, 2, 3, 4, 5, 6, 7];
        let mut orders = 0;
        permute(&mut packets, 0, &mut |order| {
            assert_eq!(see(order), by_definition(order), "{order:?}");
            orders += 1;
        });
        assert_eq!(orders, 5040);
    }

    /// Computes the result by RFC 4737, word by word and in quadratic time.
    fn by_definition(order: &[u64]) -> Vec<(u64, u32, u32)> {
        let late = order.iter().enumerate().filter_map(|(i, &p)| {
            let first = order[..i].iter().position(|other| *other > p)?;
            let right_before = order[..i].iter().rev().take_while(|other| **other > p);
            Some((p, (i - first) as u32, right_before.count() as u32))
        });
        late.collect()
    }

    fn permute(packets: &mut [u64], from: usize, visit: &mut impl FnMut(&[u64])) {
        if from == packets.len() {
            return visit(packets);
        }
        for i in from..packets.len() {
            packets.swap(from, i);
            permute(packets, from + 1, visit);
            packets.swap(from, i);
        }
    }

    #[test]
    fn a_hole_that_was_filled_otherwise_is_forgotten() {
        let mut order = Order::default();
        assert!(order.in_order(0, 10));
        assert_eq!(order.out_of_order(20, 10, 10), None);
        // A retransmission has filled 10..20: the next arrival is in order again.
        assert_eq!(order.out_of_order(30, 10, 30), None);
        assert!(order.in_order(40, 10));
        assert_eq!(order.out_of_order(10, 10, 50), Some(0));
        assert_eq!((order.reordered, order.extent, order.n), (1, 0, 0));
        // A lost tail that was retransmitted opens no hole either.
        assert_eq!(order.out_of_order(60, 10, 60), None);
        assert!(order.in_order(70, 10));
    }

    #[test]
    fn no_more_holes_are_kept_than_allowed() {
        let mut order = Order::default();
        for i in 0..1000 {
            order.out_of_order(20 * i + 10, 10, 0);
        }
        assert_eq!(order.holes.len(), MOST_HOLES);
        assert_eq!(order.out_of_order(0, 10, 0), Some(0));
        assert_eq!(order.out_of_order(20 * 999, 10, 0), Some(0));
        assert_eq!(order.extent, 2);
    }
}
