//! Estimated duration of a figure's three arms, before any is run.
//!
//! **Decision**     the simulator's two arms are forecast as every experiment ([`Forecast`]). A run over real
//!                  packets lasts as long as the scenario times the testbed's slow-down: at least its duration,
//!                  at most its duration and drain. Runs are made one after the other.
//! **Units**        seconds of this machine.
//! **Errors**       those of the figure, and of settings that a testbed cannot have; found without root, as
//!                  nothing is built.
//! **Deviations**   the time to build and remove namespaces is not counted.

use super::{KERNEL, Planned, planned};
use crate::error::Error;
use serde_json::{Value, json};
use sidestep_study::MeasureOptions;
use sidestep_study::progress::clock;
use sidestep_study::sweep::Forecast;
use sidestep_types::Time;

/// Estimated duration of a figure.
pub struct FigureForecast {
    simulator: Forecast,
    /// Number of runs over real packets.
    runs: usize,
    /// Total duration of those runs in seconds, at least and at most.
    bed_s: [f64; 2],
}

/// Estimates the duration of `figure`; arguments are those of [`super::Ask`].
pub fn forecast(
    figure: &str,
    quick: bool,
    rate: &str,
    measure: &MeasureOptions<'_>,
) -> Result<FigureForecast, Error> {
    let Planned {
        asked,
        experiment,
        told,
        scenes,
        ..
    } = planned(figure, quick, rate)?;
    let arms = [
        (asked.clone(), &experiment),
        (format!("{asked}, {}", KERNEL[0]), &told),
    ];
    let simulator = Forecast::of(&arms, measure.cache, measure.jobs)?;
    let (mut runs, mut bed_s) = (0, [0.0; 2]);
    for (_, setup) in &scenes {
        let scenario = &setup.scenario;
        let seeds = scenario.seeds.len();
        let here = |time: Time| setup.scale.here_ns(time) as f64 / 1e9;
        let drained = scenario.duration.saturating_add(scenario.drain);
        runs += seeds;
        bed_s[0] += seeds as f64 * here(scenario.duration);
        bed_s[1] += seeds as f64 * here(drained);
    }
    Ok(FigureForecast {
        simulator,
        runs,
        bed_s,
    })
}

impl FigureForecast {
    /// Returns the estimate as text.
    pub fn to_text(&self) -> String {
        let [least, most] = self.bed_s.map(clock);
        format!(
            "{}\n\
             testbed: {} runs one after the other, {least} to {most}, plus the time to build it\n",
            self.simulator.to_text().trim_end(),
            self.runs,
        )
    }

    /// Returns the estimate as JSON.
    pub fn to_json(&self) -> Value {
        let mut all = self.simulator.to_json();
        all["testbed"] = json!({"runs": self.runs, "wall_s": self.bed_s});
        all
    }
}
