//! Coverage of the intervals of claims: 99th percentiles of pooled samples, by simulation with known truths.
//!
//! The table of docs/how-to/reproduce.md is this test's: `cargo test -p sidestep-lab --test lab coverage --
//! --nocapture`.

use sidestep_lab::stats::{Interval, are_apart, sectioned, t_interval};
use sidestep_types::{Rng, mix64};

/// Values a seed, as many as a figure has queries at the defaults.
const VALUES: usize = 225;
const REPEATS: usize = 1000;

/// Distribution that values are drawn from.
#[derive(Clone, Copy, PartialEq)]
enum Law {
    /// Mean 10, standard deviation 1.
    Normal,
    /// Mean 1.
    Exponential,
    /// Exponential of a standard normal.
    Lognormal,
    /// 1 and an exponential of mean 0.1; one in a hundred waits 200 more: the percentile lies at the edge of
    /// those.
    Timeouts,
    /// 1 and an exponential of mean 0.1; 2 % wait 10 more, 0.8 % 30 and 0.3 % 70: the ladder of back-off, with
    /// the percentile near the edge of a rung.
    Ladder,
}

use Law::{Exponential, Ladder, Lognormal, Normal, Timeouts};

fn uniform(rng: &mut Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64 + 1e-17
}

fn normal(rng: &mut Rng) -> f64 {
    let length = (-2.0 * libm::log(uniform(rng))).sqrt();
    length * libm::cos(std::f64::consts::TAU * uniform(rng))
}

impl Law {
    fn draw(self, rng: &mut Rng) -> f64 {
        let exponential = |rng: &mut Rng| -libm::log(uniform(rng));
        match self {
            Normal => 10.0 + normal(rng),
            Exponential => exponential(rng),
            Lognormal => libm::exp(normal(rng)),
            Timeouts => {
                let late = if uniform(rng) < 0.01 { 200.0 } else { 0.0 };
                1.0 + 0.1 * exponential(rng) + late
            }
            Ladder => {
                let late = match uniform(rng) {
                    u if u < 0.003 => 70.0,
                    u if u < 0.011 => 30.0,
                    u if u < 0.031 => 10.0,
                    _ => 0.0,
                };
                1.0 + 0.1 * exponential(rng) + late
            }
        }
    }

    /// Returns the 99th percentile: of a large sample, or exact where it is known.
    fn truth(self) -> f64 {
        match self {
            Normal => 12.326_348,
            Exponential => libm::log(100.0),
            Lognormal => libm::exp(2.326_348),
            // Every value between the two groups is a 99th percentile; the smallest is as good as the largest.
            Timeouts => 2.0,
            // 0.3 % wait longer, and of the 0.8 % on this rung 7 in 8 do.
            Ladder => 31.0 + 0.1 * libm::log(8.0 / 7.0),
        }
    }
}

fn p99(values: &mut [f64]) -> f64 {
    let rank = (values.len() * 99).div_ceil(100).max(1) - 1;
    *values.select_nth_unstable_by(rank, f64::total_cmp).1
}

/// Returns the percentile of all seeds together, and of each seed.
fn seeds(law: Law, n: usize, values: usize, rng: &mut Rng) -> (f64, Vec<f64>) {
    let mut all: Vec<f64> = (0..n * values).map(|_| law.draw(rng)).collect();
    let own = all
        .chunks(values)
        .map(|seed| p99(&mut seed.to_vec()))
        .collect();
    (p99(&mut all), own)
}

/// Returns how often each of four intervals contains the truth: of the percentile, of a ratio and a difference
/// to another scheme, whose times are exponential of mean 0.5, and the t interval of the mean of the seeds.
fn coverage(law: Law, n: usize, values: usize) -> [f64; 4] {
    let mut rng = Rng::from_seed(mix64(n as u64 + 100 * law as u64));
    let mut held = [0usize; 4];
    let other = 0.5 * Exponential.truth();
    for _ in 0..REPEATS {
        let (whole, own) = seeds(law, n, values, &mut rng);
        let (mut whole_b, mut own_b) = seeds(Exponential, n, values, &mut rng);
        whole_b *= 0.5;
        own_b.iter_mut().for_each(|v| *v *= 0.5);
        let apart = are_apart(whole, &own);
        let paired = |of: fn(f64, f64) -> f64| -> Vec<f64> {
            own.iter().zip(&own_b).map(|(a, b)| of(*a, *b)).collect()
        };
        let ratio = paired(|a, b| a / b);
        let less = paired(|a, b| a - b);
        let of = [
            sectioned(whole, &own, true, apart, 0.95),
            sectioned(whole / whole_b, &ratio, true, apart, 0.95),
            sectioned(whole - whole_b, &less, false, apart, 0.95),
            t_interval(&own),
        ];
        let truths = [
            law.truth(),
            law.truth() / other,
            law.truth() - other,
            law.truth(),
        ];
        for (i, (ci, truth)) in of.into_iter().zip(truths).enumerate() {
            let Interval { low, high } = ci.expect("there are three seeds");
            held[i] += usize::from(low <= truth && truth <= high);
            let estimate = [whole, whole / whole_b, whole - whole_b, f64::NAN][i];
            assert!(
                i == 3 || low <= estimate && estimate <= high,
                "it surrounds its number"
            );
            assert!(i > 1 || low > 0.0, "a time is positive");
        }
    }
    held.map(|n| n as f64 / REPEATS as f64)
}

#[test]
fn intervals_hold_as_often_as_they_say() {
    println!("law, seeds: percentile, ratio, difference; t of the mean of seeds");
    for (name, law) in [
        ("normal", Normal),
        ("exponential", Exponential),
        ("lognormal", Lognormal),
        ("timeouts", Timeouts),
    ] {
        for n in [3, 4, 5, 8, 10, 20] {
            let [percentile, ratio, less, mean] = coverage(law, n, VALUES);
            println!("| {name} | {n} | {percentile:.3} | {ratio:.3} | {less:.3} | {mean:.3} |");
            // Few seeds with one timeout in a hundred may well have none, which no method repairs.
            let least = match (law, n) {
                (Timeouts, 3) => 0.75,
                (Timeouts, 4) => 0.82,
                (Timeouts, 5) => 0.88,
                _ => 0.92,
            };
            let all = [percentile, ratio, less];
            assert!(all.iter().all(|held| *held >= least), "{name} {n}: {all:?}");
        }
    }
    let [.., mean] = coverage(Normal, 20, VALUES);
    assert!(
        mean < 0.85,
        "the mean of seeds is not the percentile of all: {mean}"
    );
}

/// Cases where intervals hold less often: the test only checks that the page says so.
#[test]
fn intervals_hold_less_often_with_few_values_and_rungs_of_timeouts() {
    println!("law, values, seeds: percentile, ratio, difference; t of the mean of seeds");
    for (name, law) in [("exponential", Exponential), ("ladder", Ladder)] {
        for values in [20, 45, VALUES] {
            for n in [4, 8, 20] {
                let [percentile, ratio, less, mean] = coverage(law, n, values);
                println!(
                    "| {name} | {values} | {n} | {percentile:.3} | {ratio:.3} | {less:.3} | {mean:.3} |"
                );
                assert!(percentile > 0.2, "{name} {values} {n}: {percentile}");
            }
        }
    }
}
