//! Progressive filling: all rates rise together, and a flow stops when a link that it uses is full.
//!
//! **Decision**     of the links with rising flows, the first one to fill up stops all flows on it; repeat
//!                  until every flow has stopped. The result is max-min fair.
//! **Units**        capacities and rates alike; a flow puts `part` times its rate on a link.

/// Link, and the part of a flow's rate that is on it; a flow may list a link more than once.
pub type Use = (usize, f64);

/// Fraction of a link's capacity below which the rest counts as zero.
const FULL: f64 = 1e-9;

/// Returns the max-min fair rate of each flow. A flow that uses no link has an infinite rate.
pub fn fill(capacities: &[f64], uses: &[Vec<Use>]) -> Vec<f64> {
    let mut rates = vec![f64::INFINITY; uses.len()];
    let mut left = capacities.to_vec();
    let mut rising: Vec<usize> = (0..uses.len()).collect();
    let mut level = 0.0;
    let mut slope = vec![0.0; capacities.len()];
    loop {
        slope.fill(0.0);
        for (link, part) in rising.iter().flat_map(|flow| &uses[*flow]) {
            slope[*link] += part;
        }
        let step = |(link, slope): (usize, &f64)| (*slope > 0.0).then(|| left[link] / slope);
        let step = (slope.iter().enumerate()).filter_map(step);
        let Some(step) = step.reduce(f64::min) else {
            return rates;
        };
        level += step;
        for (link, slope) in slope.iter().enumerate() {
            left[link] = (left[link] - step * slope).max(0.0);
        }
        let full = |link: usize| left[link] <= FULL * capacities[link];
        rising.retain(|flow| {
            let stops = uses[*flow]
                .iter()
                .any(|(link, part)| *part > 0.0 && full(*link));
            if stops {
                rates[*flow] = level;
            }
            !stops
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(rates: &[f64], expected: &[f64]) {
        assert_eq!(rates.len(), expected.len());
        let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9;
        let all = rates.iter().zip(expected).all(close);
        assert!(all, "{rates:?}, expected {expected:?}");
    }

    /// Three flows share a link of 9; one of them shares another link, of 10, with two more flows. The first
    /// link stops its flows at 3, and leaves 7 of the second link to the two.
    #[test]
    fn the_tightest_link_stops_its_flows_first() {
        let uses = [
            vec![(0, 1.0)],
            vec![(0, 1.0)],
            vec![(0, 1.0), (1, 1.0)],
            vec![(1, 1.0)],
            vec![(1, 1.0)],
        ];
        near(&fill(&[9.0, 10.0], &uses), &[3.0, 3.0, 3.0, 3.5, 3.5]);
    }

    /// Bertsekas and Gallager's line: one flow over all links, one on each.
    #[test]
    fn a_long_flow_gets_what_its_tightest_link_has_for_each() {
        let uses = [
            vec![(0, 1.0), (1, 1.0), (2, 1.0)],
            vec![(0, 1.0)],
            vec![(1, 1.0)],
            vec![(2, 1.0)],
        ];
        near(&fill(&[1.0, 2.0, 4.0], &uses), &[0.5, 0.5, 1.5, 3.5]);
    }

    /// A flow split over two links of 1 beside a whole one on the first: x/2 + x = 1.
    #[test]
    fn parts_of_a_flow_count_as_parts() {
        let uses = [vec![(0, 0.5), (1, 0.5)], vec![(0, 1.0)]];
        let level = 2.0 / 3.0;
        near(&fill(&[1.0, 1.0], &uses), &[level, level]);
        // A link listed twice carries both parts.
        near(&fill(&[1.0], &[vec![(0, 0.5), (0, 0.5)]]), &[1.0]);
    }

    #[test]
    fn nobody_waits_for_a_link_that_nobody_uses_and_nothing_is_nothing() {
        near(
            &fill(&[0.0, 2.0], &[vec![(1, 1.0)], vec![(1, 1.0), (0, 0.0)]]),
            &[1.0, 1.0],
        );
        assert_eq!(fill(&[1.0], &[vec![]]), [f64::INFINITY]);
        assert_eq!(fill(&[], &[]), [0.0; 0]);
    }
}
