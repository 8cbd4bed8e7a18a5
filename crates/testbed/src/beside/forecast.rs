//! How long the three arms of a figure will take, before one is run.
//!
//! **Decision**     the simulator's two are forecast as every experiment is ([`Forecast`]). A run over real packets lasts
//!                  as long as the scenario, times what the testbed is slower: its duration at least, and its drain
//!                  more at most. They are made one after the other.
//! **Units**        seconds of this machine.
//! **Errors**       those of the figure and of what a testbed cannot do, found without root: nothing is built.
//! **Deviations**   that namespaces are built and taken away is not counted.

use super::{KERNEL, Planned, planned};
use crate::error::Error;
use serde_json::{Value, json};
use sidestep_study::MeasureOptions;
use sidestep_study::progress::clock;
use sidestep_study::sweep::Forecast;
use sidestep_types::Time;

/// What a figure will take.
pub struct Beside {
    simulator: Forecast,
    /// Runs over real packets.
    runs: usize,
    /// Seconds of all of them, at least and at most.
    bed_s: [f64; 2],
}

/// Of `figure`, as [`super::Ask`] has it.
pub fn forecast(
    figure: &str,
    quick: bool,
    rate: &str,
    measure: &MeasureOptions<'_>,
) -> Result<Beside, Error> {
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
    for (_, scene) in &scenes {
        let scenario = &scene.scenario;
        let seeds = scenario.seeds.len();
        let here = |time: Time| scene.scale.here_ns(time) as f64 / 1e9;
        let drained = scenario.duration.saturating_add(scenario.drain);
        runs += seeds;
        bed_s[0] += seeds as f64 * here(scenario.duration);
        bed_s[1] += seeds as f64 * here(drained);
    }
    Ok(Beside {
        simulator,
        runs,
        bed_s,
    })
}

impl Beside {
    /// For people.
    pub fn to_text(&self) -> String {
        let [least, most] = self.bed_s.map(clock);
        format!(
            "{}\ntestbed: {} runs one after the other, {least} at least and {most} at most, beside what building it takes\n",
            self.simulator.to_text().trim_end(),
            self.runs,
        )
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        let mut all = self.simulator.to_json();
        all["testbed"] = json!({"runs": self.runs, "wall_s": self.bed_s});
        all
    }
}
