//! Random register of the hardware, bit for bit: `rtl/src/lfsr.sv`.

/// Galois register of at most 64 bits that shifts right.
#[derive(Clone, Copy, Debug)]
pub struct Lfsr {
    /// State; never 0.
    pub state: u64,
    /// Feedback polynomial without its constant term.
    pub taps: u64,
}

/// Polynomial x³² + x²² + x² + x + 1.
pub const TAPS_32: u64 = 0x8020_0003;
/// Polynomial x¹⁶ + x¹⁴ + x¹³ + x¹¹ + 1.
pub const TAPS_16: u64 = 0xb400;

impl Lfsr {
    /// Advances the register by one step.
    pub fn step(&mut self) {
        let out = self.state & 1;
        self.state >>= 1;
        if out == 1 {
            self.state ^= self.taps;
        }
    }

    /// Advances the register to the next draw, by `steps` steps.
    pub fn leap(&mut self, steps: u32) {
        (0..steps).for_each(|_| self.step());
    }
}

/// Returns the state `leap` steps after `state`, of the register with `taps`.
#[unsafe(no_mangle)]
pub extern "C" fn sidestep_lfsr_next(state: u64, taps: u64, leap: u32) -> u64 {
    let mut lfsr = Lfsr { state, taps };
    lfsr.leap(leap);
    lfsr.state
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Effect of a step on each bit of the state: a linear map, by its columns.
    type Map = Vec<u64>;

    fn apply(map: &Map, state: u64) -> u64 {
        let bits = (0..map.len()).filter(|b| state >> b & 1 == 1);
        bits.fold(0, |sum, b| sum ^ map[b])
    }

    fn power(map: &Map, mut exponent: u64) -> Map {
        let (mut square, mut result): (Map, Map) =
            (map.clone(), (0..map.len()).map(|b| 1 << b).collect());
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result
                    .iter()
                    .map(|&column| apply(&square, column))
                    .collect();
            }
            square = square
                .iter()
                .map(|&column| apply(&square, column))
                .collect();
            exponent >>= 1;
        }
        result
    }

    fn step(taps: u64, width: u32, leap: u32) -> Map {
        let column = |b: u32| {
            let mut lfsr = Lfsr {
                state: 1 << b,
                taps,
            };
            lfsr.leap(leap);
            lfsr.state
        };
        (0..width).map(column).collect()
    }

    /// Returns true if the order of the map is the number of states except 0: it divides that number, and none
    /// of the number's largest divisors.
    fn is_maximal(taps: u64, width: u32, leap: u32, primes: &[u64]) -> bool {
        let period = (1u64 << width) - 1;
        let map = step(taps, width, leap);
        let identity = power(&map, 0);
        let mut left = period;
        for prime in primes {
            assert_eq!(left % prime, 0);
            left /= prime;
        }
        assert_eq!(left, 1, "all prime factors are given");
        power(&map, period) == identity
            && primes
                .iter()
                .all(|prime| power(&map, period / prime) != identity)
    }

    #[test]
    fn both_registers_pass_through_every_state_but_zero_also_in_leaps() {
        let (of_32, of_16) = ([3, 5, 17, 257, 65_537], [3, 5, 17, 257]);
        for leap in [1, 16, 32] {
            assert!(is_maximal(TAPS_32, 32, leap, &of_32));
            assert!(is_maximal(TAPS_16, 16, leap, &of_16));
        }
        assert!(!is_maximal(TAPS_32, 32, 3, &of_32), "3 divides the period");
        assert!(
            !is_maximal(0x8020_0001, 32, 1, &of_32),
            "another polynomial"
        );
        let (mut lfsr, mut steps) = (
            Lfsr {
                state: 1,
                taps: TAPS_16,
            },
            0,
        );
        loop {
            lfsr.step();
            steps += 1;
            if lfsr.state == 1 {
                break;
            }
        }
        assert_eq!(steps, 65_535);
    }

    /// Checks that pairs of successive draws, each scaled to `n` places, are about equally frequent.
    #[test]
    fn a_draw_says_little_of_the_next_once_it_leaps() {
        let chi2 = |leap: u32| {
            let mut lfsr = Lfsr {
                state: 0x5eed_0001,
                taps: TAPS_32,
            };
            let mut seen = [[0u32; 7]; 7];
            let mut last = 0;
            for _ in 0..490_000 {
                lfsr.leap(leap);
                let place = sidestep_types::scale(lfsr.state as u32, 7) as usize;
                seen[last][place] += 1;
                last = place;
            }
            let off = |n: &u32| (f64::from(*n) - 1e4).powi(2) / 1e4;
            seen.iter().flatten().map(off).sum::<f64>()
        };
        // 48 degrees of freedom: 99.9 % of random tables are below 84.
        assert!(chi2(32) < 84.0, "{}", chi2(32));
        assert!(
            chi2(1) > 1e5,
            "a shift by one place is the last draw, halved"
        );
    }
}
