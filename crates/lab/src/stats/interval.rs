//! 95 % confidence intervals of a mean over seeds, by Student's t.

/// Closed interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Returns the 95 % interval of the mean of `values`, one per seed; `None` for fewer than two.
pub fn t_interval(values: &[f64]) -> Option<Interval> {
    t_interval_of(values, 0.95)
}

/// Returns the interval of the mean of `values` with another confidence, between 0 and 1.
pub fn t_interval_of(values: &[f64], confidence: f64) -> Option<Interval> {
    let n = values.len();
    if n < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n as f64;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    let error = (squares / (n - 1) as f64 / n as f64).sqrt();
    let freedom = n as u64 - 1;
    let half = t_of(freedom, confidence) * error;
    Some(Interval {
        low: mean - half,
        high: mean + half,
    })
}

/// Returns the two-sided quantile of Student's t for `confidence`.
pub(super) fn t_of(freedom: u64, confidence: f64) -> f64 {
    match confidence {
        0.95 => t_975(freedom),
        other => t_quantile(freedom, 0.5 + other / 2.0),
    }
}

/// Returns the 0.975 quantile of Student's t with `freedom` degrees of freedom; infinite for 0.
///
/// Uses a table up to 30; above, Cornish and Fisher's expansion, right to four decimals.
pub fn t_975(freedom: u64) -> f64 {
    const TABLE: [f64; 30] = [
        12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157,
        2.228139, 2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922,
        2.093024, 2.085963, 2.079614, 2.073873, 2.068658, 2.063899, 2.059539, 2.055529, 2.051831,
        2.048407, 2.045230, 2.042272,
    ];
    match freedom {
        0 => f64::INFINITY,
        1..=30 => TABLE[freedom as usize - 1],
        _ => {
            let z: f64 = 1.959964;
            let n = freedom as f64;
            let (z2, z3) = (z * z, z * z * z);
            let first = (z3 + z) / 4.0;
            let second = (5.0 * z3 * z2 + 16.0 * z3 + 3.0 * z) / 96.0;
            z + first / n + second / (n * n)
        }
    }
}

/// Returns any quantile above the median of Student's t, by bisection; for at least 1 degree of freedom.
fn t_quantile(freedom: u64, share: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while t_share(freedom, high) < share && high < 1e9 {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if t_share(freedom, middle) < share {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// Returns the share of Student's t below `t`, for a positive `t`.
///
/// Uses the finite series in the angle of Abramowitz and Stegun 26.7.3 and 26.7.4.
fn t_share(freedom: u64, t: f64) -> f64 {
    let n = freedom as f64;
    let (cos2, sin) = (n / (n + t * t), t / (n + t * t).sqrt());
    // Terms fall with the power of cos²; later terms are negligible.
    let terms = ((freedom - freedom % 2) / 2).min(100_000);
    let odd = freedom % 2 == 1;
    let (mut term, mut sum) = (1.0, 0.0);
    for k in 0..terms {
        sum += term;
        let k = k as f64;
        term *= cos2 * (2.0 * k + if odd { 2.0 } else { 1.0 })
            / (2.0 * k + if odd { 3.0 } else { 2.0 });
    }
    let within = if odd {
        let angle = libm::atan(t / n.sqrt());
        2.0 / std::f64::consts::PI * (angle + sin * cos2.sqrt() * sum)
    } else {
        sin * sum
    };
    0.5 + within / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_quantiles_are_those_of_the_printed_tables() {
        // Quantiles 0.995 and 0.999 of the usual table, and 0.975 against our own.
        let printed = [(1, 0.995, 63.657), (2, 0.995, 9.925), (4, 0.995, 4.604)];
        let more = [(9, 0.995, 3.250), (4, 0.999, 7.173), (30, 0.999, 3.385)];
        for (freedom, share, t) in printed.into_iter().chain(more) {
            let got = t_quantile(freedom, share);
            assert!((got - t).abs() < 1e-3, "{freedom} {share}: {got}");
        }
        for freedom in 1..=60 {
            let (got, table) = (t_quantile(freedom, 0.975), t_975(freedom));
            assert!((got - table).abs() < 1e-4, "{freedom}: {got} {table}");
        }
    }

    #[test]
    fn quantiles_are_those_of_the_printed_tables() {
        let printed = [
            (1, 12.706),
            (4, 2.776),
            (9, 2.262),
            (30, 2.042),
            (40, 2.021),
            (60, 2.000),
            (120, 1.980),
        ];
        for (freedom, t) in printed {
            assert!(
                (t_975(freedom) - t).abs() < 5e-4,
                "{freedom}: {}",
                t_975(freedom)
            );
        }
        let falls = (1..200).all(|n| t_975(n + 1) < t_975(n));
        assert!(falls, "also where the table ends");
    }

    #[test]
    fn the_interval_of_five_seeds_by_hand() {
        // Mean 3, standard deviation √2.5, error √0.5, t 2.776445.
        let ci = t_interval(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert!((ci.low - (3.0 - 2.776445 * 0.5f64.sqrt())).abs() < 1e-9);
        assert!((ci.high - (3.0 + 2.776445 * 0.5f64.sqrt())).abs() < 1e-9);
        assert_eq!(t_interval(&[1.0]), None);
    }
}
