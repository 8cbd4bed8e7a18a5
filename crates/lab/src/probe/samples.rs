//! Samples of probes so far, by name.
//!
//! **Decision**     a value is kept to nine decimals, so that it reads back as the same number. A sample that
//!                  grows beyond [`MOST_VALUES`] is thinned ([`Thinned`]) and marked as such. Windowed samples
//!                  have one value for each window, and their number is bounded when `[probe]` is read.

use sidestep_sim::Thinned;
use sidestep_types::Time;
use std::collections::BTreeMap;

/// Number of values beyond which a sample is thinned.
pub const MOST_VALUES: usize = 500_000;

/// Samples of probes so far.
#[derive(Default, serde::Serialize, serde::Deserialize)]
pub struct Samples {
    free: BTreeMap<String, Thinned<f64>>,
    /// Samples with one value for each window, and the length of the window.
    windows: BTreeMap<String, (Time, Vec<f64>)>,
    /// Number of values before thinning, for samples that were thinned by their source.
    before: BTreeMap<String, u64>,
}

/// Final samples of probes.
#[derive(Default)]
pub struct Sampled {
    pub values: BTreeMap<String, Vec<f64>>,
    /// Length of the window in picoseconds, for windowed samples.
    pub windows: BTreeMap<String, u64>,
    /// Number of values before thinning, for thinned samples.
    pub thinned: BTreeMap<String, u64>,
}

impl Samples {
    /// Adds a value to a sample without windows.
    pub fn add(&mut self, name: &str, value: f64) {
        let of = self.free.get_mut(name);
        match of {
            Some(of) => of.offer(rounded(value)),
            None => {
                let mut of = Thinned::new(MOST_VALUES);
                of.offer(rounded(value));
                self.free.insert(name.to_string(), of);
            }
        }
    }

    /// Notes that the sample called `name` was thinned by its source, from this number of values.
    pub fn thinned_before(&mut self, name: &str, values: u64) {
        self.before.insert(name.to_string(), values);
    }

    /// Adds the value of the next window of `span`.
    pub fn of_window(&mut self, name: &str, span: Time, value: f64) {
        let empty = || (span, Vec::new());
        let (_, values) = self.windows.entry(name.to_string()).or_insert_with(empty);
        values.push(rounded(value));
    }

    /// Removes the sample called `name` if all its values are 0.
    pub fn forget_zeros(&mut self, name: &str) {
        let zero = |(_, values): &(Time, Vec<f64>)| values.iter().all(|value| *value == 0.0);
        if self.windows.get(name).is_some_and(zero) {
            self.windows.remove(name);
        }
    }

    pub fn finish(self) -> Sampled {
        let mut sampled = Sampled {
            thinned: self.before,
            ..Sampled::default()
        };
        for (name, values) in self.free {
            if values.is_thinned() {
                sampled.thinned.insert(name.clone(), values.offered());
            }
            sampled.values.insert(name, values.into_values());
        }
        for (name, (span, values)) in self.windows {
            sampled.windows.insert(name.clone(), span.ps());
            sampled.values.insert(name, values);
        }
        sampled
    }
}

fn rounded(value: f64) -> f64 {
    (value * 1e9).round() / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_that_is_too_long_is_thinned_and_says_so() {
        let mut samples = Samples::default();
        for i in 0..=MOST_VALUES {
            samples.add("long", i as f64);
        }
        samples.add("short", 1.0 / 3.0);
        let sampled = samples.finish();
        assert_eq!(sampled.values["short"], [0.333333333]);
        assert_eq!(sampled.values["long"].len(), MOST_VALUES / 2 + 1);
        assert_eq!(sampled.thinned["long"], MOST_VALUES as u64 + 1);
        assert_eq!(sampled.thinned.len(), 1);
    }

    #[test]
    fn windows_have_a_value_each_and_all_zeros_can_be_forgotten() {
        let mut samples = Samples::default();
        for value in [0.0, 2.0, 0.0] {
            samples.of_window("some", Time::from_us(3), value);
            samples.of_window("none", Time::from_us(3), 0.0);
        }
        samples.forget_zeros("some");
        samples.forget_zeros("none");
        let sampled = samples.finish();
        assert_eq!(sampled.values["some"], [0.0, 2.0, 0.0]);
        assert_eq!(sampled.windows["some"], 3_000_000);
        assert!(!sampled.values.contains_key("none") && !sampled.windows.contains_key("none"));
    }
}
