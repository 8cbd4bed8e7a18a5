//! Axes: the position of a value, and the values that get a tick.

use super::labels::Labels;

/// Spacing of values on an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Linear: equal steps.
    Linear,
    /// Logarithmic: equal factors; every value is above zero.
    Log,
}

/// Axis from value `from` at `pixels.0` to value `to` at `pixels.1`.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// Spacing of the values.
    pub scale: Scale,
    /// Value at the start.
    pub from: f64,
    /// Value at the end.
    pub to: f64,
    /// Pixel positions of start and end.
    pub pixels: (f32, f32),
}

/// Value with a tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Position on the axis.
    pub value: f64,
    /// Label; `None` for a minor tick.
    pub label: Option<String>,
}

/// Ticks of an axis, and the number format of their labels.
#[derive(Clone, Debug)]
pub struct Ticks {
    /// Ticks, from one end to the other.
    pub all: Vec<Tick>,
    /// Number format of the labels. The axis title states its power of ten.
    pub labels: Labels,
}

impl Ticks {
    /// Empty set of ticks.
    pub const NONE: Ticks = Ticks {
        all: Vec::new(),
        labels: Labels::In(0),
    };

    /// Creates ticks whose labels are already written.
    pub fn own(all: Vec<Tick>) -> Ticks {
        Ticks { all, ..Ticks::NONE }
    }

    /// Creates ticks at these values.
    pub fn at(values: &[f64]) -> Ticks {
        let labels = Labels::of(values);
        let tick = |value: &f64| Tick {
            value: *value,
            label: Some(labels.label(*value)),
        };
        Ticks {
            all: values.iter().map(tick).collect(),
            labels,
        }
    }
}

impl Axis {
    /// Creates a logarithmic axis that contains `low..=high` and ends on 1, 2 or 5 times a power of ten.
    pub fn log_around(low: f64, high: f64, pixels: (f32, f32)) -> Axis {
        let (from, mut to) = (round_log(low, false), round_log(high, true));
        if to <= from {
            to = from * 10.0;
        }
        Axis {
            scale: Scale::Log,
            from,
            to,
            pixels,
        }
    }

    /// Creates a linear axis that contains `low..=high` and ends on round steps. The axis begins at zero unless
    /// all values are far from zero and differ by more than a thousandth of their size.
    pub fn linear_around(low: f64, high: f64, pixels: (f32, f32)) -> Axis {
        let near = low >= 0.0 && low < 0.6 * high;
        let equal = high - low <= 1e-3 * low.abs().max(high.abs());
        let (low, high) = match near || equal {
            true => (low.min(0.0), if equal { high.max(0.0) } else { high }),
            false => (low, high),
        };
        let high = if high <= low { low + 1.0 } else { high };
        let step = round_step((high - low) / 4.0);
        Axis {
            scale: Scale::Linear,
            from: (low / step + 1e-9).floor() * step,
            to: (high / step - 1e-9).ceil() * step,
            pixels,
        }
    }

    /// Creates an axis of this scale that contains `low..=high`.
    pub fn around(scale: Scale, low: f64, high: f64, pixels: (f32, f32)) -> Axis {
        match scale {
            Scale::Linear => Axis::linear_around(low, high, pixels),
            Scale::Log => Axis::log_around(low, high, pixels),
        }
    }

    /// Returns ticks that suit the scale, with their labels.
    pub fn ticks(&self) -> Ticks {
        let bare = match self.scale {
            Scale::Linear => self.linear_ticks(),
            Scale::Log => self.log_ticks(|_| String::new()),
        };
        let labelled = bare.iter().filter(|tick| tick.label.is_some());
        let labels = Labels::of(&labelled.map(|tick| tick.value).collect::<Vec<f64>>());
        let label = |tick: Tick| Tick {
            label: tick.label.map(|_| labels.label(tick.value)),
            ..tick
        };
        Ticks {
            all: bare.into_iter().map(label).collect(),
            labels,
        }
    }

    /// Returns the ticks of a linear axis, at round steps. All of them will have labels.
    fn linear_ticks(&self) -> Vec<Tick> {
        let room = f64::from((self.pixels.1 - self.pixels.0).abs() / 40.0).clamp(2.0, 6.0);
        let step = round_step((self.to - self.from) / room);
        let first = (self.from / step - 1e-6).ceil() as i64;
        let last = (self.to / step + 1e-6).floor() as i64;
        let tick = |i: i64| Tick {
            value: i as f64 * step,
            label: Some(String::new()),
        };
        (first..=last).map(tick).collect()
    }

    /// Returns the pixel position of `value`. A value beyond an end is placed on that end.
    pub fn place(&self, value: f64) -> f32 {
        let share = match self.scale {
            Scale::Linear => (value - self.from) / (self.to - self.from),
            Scale::Log => (value / self.from).ln() / (self.to / self.from).ln(),
        };
        let (a, b) = self.pixels;
        a + (b - a) * share.clamp(0.0, 1.0) as f32
    }

    /// Returns the ticks of a logarithmic axis. Labels are at powers of ten; at 2 and 5 times powers of ten as
    /// well if there is room or if powers are too few; at all ticks if these are still too few. Minor ticks
    /// appear only where they can be told apart.
    pub fn log_ticks(&self, label: impl Fn(f64) -> String) -> Vec<Tick> {
        let decades = (self.to / self.from).log10();
        let room = (self.pixels.1 - self.pixels.0).abs() / decades as f32;
        let powers = self.from.log10().floor() as i32..=self.to.log10().ceil() as i32;
        let value = |(power, m): (i32, i32)| f64::from(m) * 10f64.powi(power);
        let all = powers.flat_map(|power| (1..10).map(move |m| (power, m)));
        let inside = |at: &(i32, i32)| {
            let value = value(*at);
            value >= self.from * 0.999 && value <= self.to * 1.001
        };
        let all: Vec<(i32, i32)> = all.filter(inside).collect();
        let enough = |among: &&[i32]| all.iter().filter(|(_, m)| among.contains(m)).count() > 1;
        let rows: [&[i32]; 2] = [&[1], &[1, 2, 5]];
        let mut rows = rows.into_iter().skip(usize::from(room > 110.0));
        let labelled = rows.find(enough).unwrap_or(&[1, 2, 3, 4, 5, 6, 7, 8, 9]);
        let tick = |at: (i32, i32)| Tick {
            value: value(at),
            label: labelled.contains(&at.1).then(|| label(value(at))),
        };
        let ticks = all.into_iter().map(tick);
        ticks
            .filter(|tick| tick.label.is_some() || room > 30.0)
            .collect()
    }
}

/// Rounds `step` up to 1, 2 or 5 times a power of ten.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|m| m * power);
    *steps
        .iter()
        .find(|&&s| s >= step * 0.999)
        .expect("a step is at most ten times its power of ten")
}

/// Rounds `value` up or down to 1, 2 or 5 times a power of ten.
fn round_log(value: f64, up: bool) -> f64 {
    let power = 10f64.powi(value.log10().floor() as i32);
    let steps = [1.0, 2.0, 5.0, 10.0].map(|m| m * power);
    let found = if up {
        steps.iter().find(|&&s| s >= value * 0.999)
    } else {
        steps.iter().rev().find(|&&s| s <= value * 1.001)
    };
    *found.expect("a value lies between two powers of ten")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_axis_holds_its_values_and_ends_on_round_ones() {
        let axis = Axis::log_around(0.34, 78.0, (0.0, 300.0));
        assert_eq!((axis.from, axis.to), (0.2, 100.0));
        assert_eq!(axis.place(0.2), 0.0);
        assert_eq!(axis.place(1e9), 300.0);
        assert_eq!(
            labels(&axis),
            ["0.2", "0.5", "1", "2", "5", "10", "20", "50", "100"]
        );
    }

    #[test]
    fn one_value_alone_still_makes_an_axis() {
        let axis = Axis::log_around(10.0, 10.0, (0.0, 100.0));
        assert!(axis.from < axis.to);
    }

    #[test]
    fn a_linear_axis_ends_on_round_steps_and_begins_at_zero_unless_all_is_far_from_it() {
        let axis = |low, high| {
            let a = Axis::linear_around(low, high, (0.0, 300.0));
            (a.from, a.to)
        };
        assert_eq!(axis(3.0, 47.0), (0.0, 60.0));
        assert_eq!(axis(25.0, 47.0), (0.0, 60.0));
        assert_eq!(axis(-3.0, 7.0), (-5.0, 10.0));
        assert_eq!(axis(90.0, 98.0), (90.0, 98.0));
        assert_eq!(axis(0.0, 0.0), (0.0, 1.0));
        let axis = Axis::linear_around(0.0, 0.31, (0.0, 300.0));
        assert_eq!(labels(&axis), ["0", "0.1", "0.2", "0.3", "0.4"]);
    }

    #[test]
    fn equal_values_of_any_size_have_an_axis_from_zero() {
        let axis = |low, high| {
            let a = Axis::linear_around(low, high, (0.0, 300.0));
            (a.from, a.to)
        };
        assert_eq!(axis(5e12, 5e12), (0.0, 6e12));
        assert_eq!(axis(1e12, 1e12 + 1.0), (0.0, 1e12));
        assert_eq!(axis(0.24996, 0.25004).0, 0.0);
        assert_eq!(axis(-5e12, -5e12), (-6e12, 0.0));
        assert_eq!(axis(1e-9, 1e-9).0, 0.0);
    }

    #[test]
    fn a_short_log_axis_has_more_than_one_label() {
        for (from, to) in [(0.1, 1.0), (0.2, 5.0), (0.5, 2.0), (2.0, 5.0), (1.5, 3.0)] {
            for room in [40.0, 100.0, 380.0] {
                let axis = Axis {
                    scale: Scale::Log,
                    from,
                    to,
                    pixels: (0.0, room),
                };
                let said = labels(&axis);
                assert!(said.len() > 1, "{from} to {to} in {room}: {said:?}");
            }
        }
    }

    fn labels(axis: &Axis) -> Vec<String> {
        let ticks = axis.ticks().all.into_iter();
        ticks.filter_map(|t| t.label).collect()
    }
}
