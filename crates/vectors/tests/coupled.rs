//! Rows of coupled windows against RFC 6356, computed in integers of any size.

use sidestep_vectors::{Row, Seed, tables_named};
use std::cmp::Ordering;

/// RFC 6356 section 3: for each acknowledgement a window grows by the lesser of `alpha·acked·mss/cwnd_total`
/// and `acked·mss/cwnd_i`, with `alpha = cwnd_total·max(cwnd/rtt²)/(Σ cwnd/rtt)²`. Here a window grows by a
/// segment for each `least_bytes`, or for each `cwnd_i` if that is more. The rate is the same if
/// `least_bytes·alpha = cwnd_total`.
#[test]
fn what_makes_a_window_grow_is_rfc_6356s() {
    let (mut held, mut own) = (0, 0);
    for row in shipped("coupled/lia") {
        let windows = numbers(&row, "cwnd_bytes");
        let trips = cells(&row, "round_trip_ps");
        let known: Vec<(u64, u64)> = windows
            .iter()
            .zip(trips)
            .filter_map(|(window, trip)| Some((*window, trip.parse().ok()?)))
            .collect();
        let least = number(&row, "least_bytes");
        match alpha(&known) {
            None => assert_eq!(least, 0, "{row:?}"),
            Some((above, below)) => {
                // Tolerance of floating point: a part in 2^44 is more than sixteen additions can lose. One byte
                // more for rounding.
                let total = Big::of(known.iter().map(|(window, _)| window).sum());
                let near = least / (1 << 44) + 1;
                let exact = |bytes: u64| Big::of(bytes).times(&above).cmp(&total.times(&below));
                assert_ne!(exact(least + near), Ordering::Less, "{row:?}");
                assert_ne!(
                    exact(least.saturating_sub(near)),
                    Ordering::Greater,
                    "{row:?}"
                );
            }
        }
        let window = windows[number(&row, "subflow") as usize];
        (held, own) = (
            held + u32::from(least > window),
            own + u32::from(least <= window),
        );
    }
    assert!(held > 0 && own > 0, "{held} held by others, {own} not");
}

/// Checks the same acknowledgements by a second account: bytes accumulate, and a window grows by a segment each
/// time there are enough.
#[test]
fn windows_grow_by_whole_segments_for_what_was_acknowledged() {
    for name in ["coupled/lia", "coupled/none"] {
        let (mut saved, mut grew, mut slow) = (vec![], 0, 0);
        for row in shipped(name) {
            let windows = numbers(&row, "cwnd_bytes");
            if number(&row, "step") == 0 {
                saved = vec![0; windows.len()];
            }
            let i = number(&row, "subflow") as usize;
            let (mss, acked) = (number(&row, "mss_bytes"), number(&row, "acked_bytes"));
            let after = number(&row, "cwnd_after_bytes");
            if windows[i] < numbers(&row, "ssthresh_bytes")[i] {
                assert_eq!(after, windows[i] + acked.min(mss), "{row:?}");
                slow += 1;
                continue;
            }
            let enough = windows[i].max(number(&row, "least_bytes"));
            saved[i] += acked;
            let grows = saved[i] >= enough;
            saved[i] -= if grows { enough } else { 0 };
            grew += u32::from(grows);
            assert_eq!(after, windows[i] + if grows { mss } else { 0 }, "{row:?}");
        }
        assert!(grew > 20 && slow > 20, "{name}: {grew} {slow}");
    }
}

/// Returns alpha as a fraction; `None` if no window has a round trip.
///
/// With P the product of all round trips, `(Σ cwnd/rtt)²` is `(Σ cwnd·P/rtt)²/P²`.
fn alpha(paths: &[(u64, u64)]) -> Option<(Big, Big)> {
    let square = |rtt: u64| Big::of(rtt).times(&Big::of(rtt));
    let by_best = |a: &&(u64, u64), b: &&(u64, u64)| {
        let (left, right) = (
            Big::of(a.0).times(&square(b.1)),
            Big::of(b.0).times(&square(a.1)),
        );
        left.cmp(&right)
    };
    let best = paths.iter().max_by(by_best)?;
    let total: u64 = paths.iter().map(|(window, _)| window).sum();
    let product = |but: Option<usize>| {
        let others = (0..paths.len()).filter(|i| Some(*i) != but);
        others.fold(Big::of(1), |product, i| product.times(&Big::of(paths[i].1)))
    };
    let each = (0..paths.len()).map(|i| Big::of(paths[i].0).times(&product(Some(i))));
    let sum = each.fold(Big::of(0), |sum, rate| sum.plus(&rate));
    let all = product(None);
    let above = Big::of(total)
        .times(&Big::of(best.0))
        .times(&all.times(&all));
    let below = square(best.1).times(&sum.times(&sum));
    Some((above, below))
}

/// Integer of any size: digits to base 2^32, the lowest first, the highest not zero.
#[derive(Clone, PartialEq, Eq)]
struct Big(Vec<u32>);

impl Big {
    fn of(n: u64) -> Big {
        Big::trimmed(vec![n as u32, (n >> 32) as u32])
    }

    fn trimmed(mut digits: Vec<u32>) -> Big {
        while digits.last() == Some(&0) {
            digits.pop();
        }
        Big(digits)
    }

    fn plus(&self, other: &Big) -> Big {
        let many = self.0.len().max(other.0.len());
        let (mut digits, mut carry) = (Vec::new(), 0);
        for i in 0..=many {
            let digit = |of: &Big| u64::from(of.0.get(i).copied().unwrap_or(0));
            carry += digit(self) + digit(other);
            digits.push(carry as u32);
            carry >>= 32;
        }
        Big::trimmed(digits)
    }

    fn times(&self, other: &Big) -> Big {
        let mut digits = vec![0u32; self.0.len() + other.0.len()];
        for (i, a) in self.0.iter().enumerate() {
            let mut carry = 0;
            for (j, b) in other.0.iter().enumerate() {
                carry += u64::from(digits[i + j]) + u64::from(*a) * u64::from(*b);
                digits[i + j] = carry as u32;
                carry >>= 32;
            }
            digits[i + other.0.len()] = carry as u32;
        }
        Big::trimmed(digits)
    }
}

impl PartialOrd for Big {
    fn partial_cmp(&self, other: &Big) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Big {
    fn cmp(&self, other: &Big) -> Ordering {
        let size = self.0.len().cmp(&other.0.len());
        size.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

fn shipped(name: &str) -> Vec<Row> {
    let table = tables_named(name).pop().expect("it has a table");
    let rows = table.rows(Seed(1));
    rows.take(table.shipped_rows() as usize).collect()
}

fn cells<'a>(row: &'a Row, column: &str) -> Vec<&'a str> {
    row.cell(column)
        .expect("the table has it")
        .split(' ')
        .collect()
}

fn numbers(row: &Row, column: &str) -> Vec<u64> {
    cells(row, column)
        .iter()
        .map(|cell| cell.parse().unwrap())
        .collect()
}

fn number(row: &Row, column: &str) -> u64 {
    numbers(row, column)[0]
}
