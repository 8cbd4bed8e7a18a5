//! Reproducible random numbers: one seed, named streams, a fixed generator.
//!
//! Each entity and purpose draws from its own stream, derived from the seed of the run and a name. A new draw
//! in one place therefore changes no other stream. The generator is xoshiro256++ (Blackman and Vigna, 2019),
//! seeded by splitmix64 as its authors advise. It is written out here because results must never change with a
//! library version.

/// Seed of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Seed(pub u64);

impl Seed {
    /// Creates the stream of this name: `seed.stream("workload")`, `seed.stream(("switch", 3))`.
    pub fn stream(self, name: impl Name) -> Rng {
        Rng::from_seed(self.salt(name))
    }

    /// Returns a fixed number for this name, for use as a hash salt.
    pub fn salt(self, name: impl Name) -> u64 {
        mix64(name.fold(mix64(self.0)))
    }
}

/// Name of a stream: one or two words, optionally with a number.
pub trait Name {
    /// Folds the name into `state`.
    fn fold(self, state: u64) -> u64;
}

impl Name for &str {
    fn fold(self, state: u64) -> u64 {
        let start = mix64(state ^ self.len() as u64);
        self.bytes().fold(start, |h, b| mix64(h ^ u64::from(b)))
    }
}

impl Name for (&str, u64) {
    fn fold(self, state: u64) -> u64 {
        mix64(self.0.fold(state) ^ mix64(self.1))
    }
}

impl Name for (&str, &str) {
    fn fold(self, state: u64) -> u64 {
        self.1.fold(self.0.fold(state))
    }
}

impl Name for (&str, &str, u64) {
    fn fold(self, state: u64) -> u64 {
        mix64((self.0, self.1).fold(state) ^ mix64(self.2))
    }
}

/// Applies splitmix64's output function to `x` plus its increment: a good 64-bit mixer.
pub const fn mix64(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Maps a 32-bit draw to `0..n` by multiplication, as hardware would: `⌊draw·n / 2³²⌋`.
///
/// Returns 0 for `n` of 0. The bias against uniform is below `n / 2³²`.
pub const fn scale(draw: u32, n: u32) -> u32 {
    ((draw as u64 * n as u64) >> 32) as u32
}

/// Random stream: the state of a xoshiro256++ generator.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// Creates a stream from `seed`, by four splitmix64 steps.
    pub fn from_seed(seed: u64) -> Rng {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let word = |i: u64| mix64(seed.wrapping_add(STEP.wrapping_mul(i)));
        Rng {
            state: [word(0), word(1), word(2), word(3)],
        }
    }

    /// Resumes a stream from the four words of a generator, not all zero.
    pub fn from_state(state: [u64; 4]) -> Rng {
        Rng { state }
    }

    /// Returns the four words of the generator, from which another generator can continue.
    pub fn state(&self) -> [u64; 4] {
        self.state
    }

    /// Draws 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let out = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        out
    }

    /// Draws 32 bits for a decision: the high half of 64.
    #[inline]
    pub fn draw(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    /// Draws a uniform number in `0..n` without bias (Lemire's rejection). Returns 0 for `n` of 0.
    pub fn below(&mut self, n: u64) -> u64 {
        if n == 0 {
            return 0;
        }
        loop {
            let wide = u128::from(self.next_u64()) * u128::from(n);
            let low = wide as u64;
            if low >= n || low >= n.wrapping_neg() % n {
                return (wide >> 64) as u64;
            }
        }
    }

    /// Draws a uniform number in `[0, 1)` with 53 bits. For workloads, never for a switch decision.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Draws an exponential number with this mean. Uses `libm`, so that all platforms draw the same.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -libm::log1p(-self.unit()) * mean
    }

    /// Draws a normal number with mean 0 and deviation 1 by Box and Muller's method. Keeps one number of the
    /// pair, so each call takes two draws.
    pub fn normal(&mut self) -> f64 {
        let far = libm::sqrt(-2.0 * libm::log1p(-self.unit()));
        far * libm::cos(std::f64::consts::TAU * self.unit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference sequence of xoshiro256++ from state {1, 2, 3, 4}, as printed by its authors' C code.
    #[test]
    fn the_generator_is_xoshiro256plusplus() {
        let mut rng = Rng {
            state: [1, 2, 3, 4],
        };
        let expected = [
            41_943_041,
            58_720_359,
            3_588_806_011_781_223,
            3_591_011_842_654_386,
            9_228_616_714_210_784_205,
        ];
        for e in expected {
            assert_eq!(rng.next_u64(), e);
        }
    }

    #[test]
    fn streams_with_different_names_differ_and_repeat() {
        let seed = Seed(7);
        let first = |mut r: Rng| r.next_u64();
        assert_eq!(
            first(seed.stream(("switch", 3))),
            first(seed.stream(("switch", 3)))
        );
        assert_ne!(
            first(seed.stream(("switch", 3))),
            first(seed.stream(("switch", 4)))
        );
        assert_ne!(
            first(seed.stream("switch")),
            first(Seed(8).stream("switch"))
        );
        assert_ne!(
            first(seed.stream(("a", "bc"))),
            first(seed.stream(("ab", "c")))
        );
    }

    #[test]
    fn scale_is_uniform_over_small_ranges() {
        let mut rng = Rng::from_seed(1);
        let mut count = [0u32; 7];
        for _ in 0..70_000 {
            count[scale(rng.draw(), 7) as usize] += 1;
        }
        // Expected: 10,000 each, with a standard deviation of 93.
        assert!(
            count.iter().all(|c| (9_500..10_500).contains(c)),
            "{count:?}"
        );
        assert_eq!(scale(u32::MAX, 7), 6);
        assert_eq!(scale(u32::MAX, 0), 0);
    }

    #[test]
    fn normal_has_its_moments_and_its_tails() {
        let mut rng = Rng::from_seed(3);
        let drawn: Vec<f64> = (0..100_000).map(|_| rng.normal()).collect();
        let mean = |of: &dyn Fn(f64) -> f64| drawn.iter().map(|z| of(*z)).sum::<f64>() / 1e5;
        // Tolerances of four standard errors each. The deviations are 1, sqrt(2), and those of the two shares.
        assert!(mean(&|z| z).abs() < 0.013);
        assert!((mean(&|z| z * z) - 1.0).abs() < 0.018);
        let beyond = |far: f64| mean(&|z| f64::from(u8::from(z.abs() > far)));
        assert!((beyond(1.0) - 0.3173).abs() < 0.006);
        assert!((beyond(3.0) - 0.0027).abs() < 0.0007);
    }

    #[test]
    fn exponential_has_its_mean() {
        let mut rng = Rng::from_seed(2);
        let mean = (0..100_000).map(|_| rng.exponential(3.0)).sum::<f64>() / 1e5;
        assert!((mean - 3.0).abs() < 0.05, "{mean}");
    }
}
