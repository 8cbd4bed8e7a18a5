//! Rows of loss detection by time against RFC 8985, with a list of all segments that is searched each time.

use crate::common::{cell, number, shipped};
use sidestep_vectors::Row;

/// Segment of 1000 bytes; number `i` begins at byte `1000·i`.
#[derive(Clone, Copy, Default)]
struct Segment {
    /// Time of the last departure, and number of departures.
    sent_ps: u64,
    departures: u32,
    delivered: bool,
    lost: Option<Lost>,
}

#[derive(Clone, Copy)]
enum Lost {
    ByTime,
    ByTimer,
}

/// State of RFC 8985, under its names.
#[derive(Default)]
struct Book {
    segments: Vec<Segment>,
    /// `RACK.xmit_ts`, `RACK.end_seq` as a segment's number, and `RACK.rtt`.
    newest: (u64, usize),
    rtt_ps: u64,
    /// Smallest round trip of a segment that was sent once; at first the configured one of the connection.
    min_rtt_ps: u64,
}

impl Book {
    /// Section 6.2 steps 1 and 2: finds the delivered segment that left last.
    fn hear(&mut self, now: u64, row: &Row) {
        let below = segment(cell(row, "ack_bytes"));
        let duplicate = usize::from(cell(row, "duplicate") == "1");
        let blocks = cell(row, "sack_bytes").split(' ').skip(duplicate);
        let blocks = blocks.filter(|block| block.contains("..")).map(ends);
        let arrived: Vec<usize> = (0..below).chain(blocks.flatten()).collect();
        for number in arrived {
            let Some(one) = self.segments.get_mut(number) else {
                panic!("nobody sent {number}: {row:?}");
            };
            if std::mem::replace(&mut one.delivered, true) {
                continue;
            }
            let trip = now - one.sent_ps;
            if one.departures > 1 && trip < self.min_rtt_ps {
                continue; // So early an answer may belong to an earlier departure.
            }
            if one.departures == 1 {
                self.min_rtt_ps = self.min_rtt_ps.min(trip);
            }
            if (one.sent_ps, number) >= self.newest {
                (self.newest, self.rtt_ps) = ((one.sent_ps, number), trip);
            }
        }
    }

    /// Returns true if `number` may be declared lost at all. Step 5: a segment sent later was delivered, and a
    /// round trip has passed since `number` left. A reordering window is never negative and only delays this.
    fn may_be_lost(&self, now: u64, number: usize) -> bool {
        let one = &self.segments[number];
        !one.delivered && (one.sent_ps, number) < self.newest && now >= one.sent_ps + self.rtt_ps
    }
}

/// Checks that every retransmitted segment was lost by the RFC's marks, was outstanding when the timer expired,
/// or is a tail loss probe.
#[test]
fn what_is_repaired_was_lost_by_time_or_by_the_timer_or_is_a_probe() {
    let mut book = Book::default();
    let (mut by_time, mut by_timer, mut probes, mut twice) = (0, 0, 0, 0);
    for row in shipped("detection/rack") {
        let now = number(&row, "now_ps");
        if number(&row, "step") == 0 {
            book = Book {
                min_rtt_ps: 50_000_000,
                ..Book::default()
            };
        }
        if cell(&row, "operation") == "ack" {
            book.hear(now, &row);
        }
        for number in 0..book.segments.len() {
            if book.may_be_lost(now, number) {
                book.segments[number].lost = Some(Lost::ByTime);
            }
        }
        if number(&row, "timeouts") > 0 {
            // Section 6.3: all outstanding segments may be lost.
            for one in book.segments.iter_mut().filter(|one| !one.delivered) {
                one.lost.get_or_insert(Lost::ByTimer);
            }
        }
        for number in list(&row, "new_bytes") {
            assert_eq!(number, book.segments.len(), "{row:?}");
            book.segments.push(Segment {
                sent_ps: now,
                departures: 1,
                ..Segment::default()
            });
        }
        let last = book.segments.iter().rposition(|one| !one.delivered);
        for again in list(&row, "again_bytes") {
            let one = &mut book.segments[again];
            assert!(!one.delivered, "{again} had arrived: {row:?}");
            match one.lost.take() {
                Some(Lost::ByTime) => {
                    by_time += 1;
                    twice += u32::from(one.departures > 1);
                }
                Some(Lost::ByTimer) => by_timer += 1,
                None if number(&row, "probes") > 0 && Some(again) == last => probes += 1,
                None => panic!("{again} was not lost: {row:?}"),
            }
            one.sent_ps = now;
            one.departures += 1;
        }
    }
    for (count, of) in [
        (by_time, "lost by time"),
        (by_timer, "lost by the timer"),
        (probes, "probes"),
        (twice, "repairs lost again"),
    ] {
        assert!(count > 0, "no row shows {of}");
    }
}

fn list(row: &Row, column: &str) -> Vec<usize> {
    let words = cell(row, column).split(' ').filter(|word| !word.is_empty());
    words.map(|word| ends(word).start).collect()
}

fn ends(block: &str) -> std::ops::Range<usize> {
    let (from, to) = block.split_once("..").expect("a range");
    segment(from)..segment(to)
}

fn segment(bytes: &str) -> usize {
    bytes.parse::<usize>().expect("bytes") / 1000
}
