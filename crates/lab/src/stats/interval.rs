//! 95 % confidence intervals of a mean over seeds, by Student's t.

/// A closed interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// The 95 % interval of the mean of `values`, one per seed; `None` for fewer than two.
pub fn t_interval(values: &[f64]) -> Option<Interval> {
    let n = values.len();
    if n < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n as f64;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    let error = (squares / (n - 1) as f64 / n as f64).sqrt();
    let half = t_975(n as u64 - 1) * error;
    Some(Interval {
        low: mean - half,
        high: mean + half,
    })
}

/// The 0.975 quantile of Student's t with `freedom` degrees of freedom; infinite for 0.
///
/// A table up to 30; above, Cornish and Fisher's expansion, right to four decimals.
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

#[cfg(test)]
mod tests {
    use super::*;

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
