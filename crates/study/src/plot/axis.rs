//! Axes: where a value lies, and which values get a tick.

/// How values are spread over an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Equal steps.
    Linear,
    /// Equal factors; every value above zero.
    Log,
}

/// An axis from `from` at `pixels.0` to `to` at `pixels.1`.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// How values are spread.
    pub scale: Scale,
    /// The value at its beginning.
    pub from: f64,
    /// The value at its end.
    pub to: f64,
    /// Where it begins and ends.
    pub pixels: (f32, f32),
}

/// A value with a tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Position on the axis.
    pub value: f64,
    /// What it says; none for a minor tick.
    pub label: Option<String>,
}

impl Axis {
    /// A logarithmic axis that holds all of `low..=high`, ending on one or two of each decade.
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

    /// A linear axis that holds all of `low..=high` and ends on round steps. It begins at zero
    /// unless all values are far from it.
    pub fn linear_around(low: f64, high: f64, pixels: (f32, f32)) -> Axis {
        let near = low >= 0.0 && low < 0.6 * high;
        let low = if near || low == high {
            low.min(0.0)
        } else {
            low
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

    /// An axis of this scale around `low..=high`.
    pub fn around(scale: Scale, low: f64, high: f64, pixels: (f32, f32)) -> Axis {
        match scale {
            Scale::Linear => Axis::linear_around(low, high, pixels),
            Scale::Log => Axis::log_around(low, high, pixels),
        }
    }

    /// Ticks that suit the scale.
    pub fn ticks(&self) -> Vec<Tick> {
        match self.scale {
            Scale::Linear => self.linear_ticks(plain),
            Scale::Log => self.log_ticks(plain),
        }
    }

    /// The ticks of a linear axis, at round steps, all with labels.
    pub fn linear_ticks(&self, label: impl Fn(f64) -> String) -> Vec<Tick> {
        let room = f64::from((self.pixels.1 - self.pixels.0).abs() / 40.0).clamp(2.0, 6.0);
        let step = round_step((self.to - self.from) / room);
        let first = (self.from / step - 1e-6).ceil() as i64;
        let last = (self.to / step + 1e-6).floor() as i64;
        let tick = |i: i64| Tick {
            value: i as f64 * step,
            label: Some(label(i as f64 * step)),
        };
        (first..=last).map(tick).collect()
    }

    /// Where `value` lies; values beyond the ends lie on them.
    pub fn place(&self, value: f64) -> f32 {
        let share = match self.scale {
            Scale::Linear => (value - self.from) / (self.to - self.from),
            Scale::Log => (value / self.from).ln() / (self.to / self.from).ln(),
        };
        let (a, b) = self.pixels;
        a + (b - a) * share.clamp(0.0, 1.0) as f32
    }

    /// The ticks of a logarithmic axis: labels at powers of ten, and at 2 and 5 where there is room.
    pub fn log_ticks(&self, label: impl Fn(f64) -> String) -> Vec<Tick> {
        let decades = (self.to / self.from).log10();
        let room = (self.pixels.1 - self.pixels.0).abs() / decades as f32;
        let labelled = |m: i32| m == 1 || (room > 110.0 && (m == 2 || m == 5));
        let mut ticks = Vec::new();
        for power in self.from.log10().floor() as i32..=self.to.log10().ceil() as i32 {
            for m in 1..10 {
                let value = f64::from(m) * 10f64.powi(power);
                let inside = value >= self.from * 0.999 && value <= self.to * 1.001;
                if inside {
                    ticks.push(Tick {
                        value,
                        label: labelled(m).then(|| label(value)),
                    });
                }
            }
        }
        ticks
    }
}

/// The next 1, 2 or 5 times a power of ten at or above `step`.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|m| m * power);
    *steps
        .iter()
        .find(|&&s| s >= step * 0.999)
        .expect("a step is at most ten times its power of ten")
}

/// The nearest 1, 2 or 5 times a power of ten at or beyond `value`.
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

/// A number without needless zeros: `0.05`, `2`, `1,000`.
pub fn plain(value: f64) -> String {
    if value < 0.0 {
        return format!("-{}", plain(-value));
    }
    if value >= 1000.0 {
        let whole = format!("{value:.0}");
        let head = whole.len() % 3;
        let mut out = whole[..head].to_string();
        for group in whole.as_bytes()[head..].chunks(3) {
            if !out.is_empty() {
                out.push(',');
            }
            out.extend(group.iter().map(|&b| char::from(b)));
        }
        return out;
    }
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
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
        let labels: Vec<String> = axis
            .log_ticks(plain)
            .into_iter()
            .filter_map(|t| t.label)
            .collect();
        assert_eq!(
            labels,
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
        let labels: Vec<String> = axis.ticks().into_iter().filter_map(|t| t.label).collect();
        assert_eq!(labels, ["0", "0.1", "0.2", "0.3", "0.4"]);
    }

    #[test]
    fn numbers_are_plain() {
        assert_eq!(
            [0.05, 2.0, 1000.0, 25000.0, 1e6].map(plain),
            ["0.05", "2", "1,000", "25,000", "1,000,000"]
        );
    }
}
