//! View of the results for plots: the schemes and points that `[[plot]]` chooses.

use crate::format::seeds;
use crate::plot::{CONDITIONS, Drawing, Entry, Palette, SeriesStyle};
use sidestep_lab::stats::Summary;
use sidestep_lab::{
    Axis, ClaimResult, Experiment, PlotSpec, PointResult, Record, Results, Scenario,
};
use std::sync::Arc;

/// Subject of plots and pages: an experiment, or a scenario alone.
pub struct Subject<'a> {
    /// Name.
    pub name: &'a str,
    /// Title, one line; may be empty.
    pub title: &'a str,
    /// Swept axes.
    pub axes: &'a [Axis],
    /// Scenarios, one for each point.
    pub scenarios: Vec<&'a Scenario>,
    /// Claims of the paper beside our numbers.
    pub claims: &'a [ClaimResult],
}

impl<'a> Subject<'a> {
    /// Creates the subject of an experiment and its judged claims.
    pub fn of(experiment: &'a Experiment, claims: &'a [ClaimResult]) -> Subject<'a> {
        Subject {
            name: &experiment.name,
            title: &experiment.title,
            axes: &experiment.axes,
            scenarios: experiment.points.iter().map(|p| &p.scenario).collect(),
            claims,
        }
    }

    /// Creates the subject of a scenario, which has one point and no axis.
    pub fn alone(scenario: &'a Scenario, claims: &'a [ClaimResult]) -> Subject<'a> {
        Subject {
            name: &scenario.name,
            title: &scenario.title,
            axes: &[],
            scenarios: vec![scenario],
            claims,
        }
    }

    /// Returns the names of all schemes, each once, in the order of the points.
    pub fn schemes(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> = Vec::new();
        for scheme in self.scenarios.iter().flat_map(|s| s.schemes.iter()) {
            if !names.contains(&scheme.name.as_str()) {
                names.push(&scheme.name);
            }
        }
        names
    }
}

/// Input of a plot.
pub struct View<'a> {
    /// Experiment that was run.
    pub experiment: &'a Subject<'a>,
    /// Results.
    pub results: &'a Results,
    /// Settings of `[[plot]]`.
    pub spec: &'a PlotSpec,
    /// Look of each scheme.
    pub palette: &'a Palette,
    /// Title.
    pub title: String,
}

/// Picture, table and caption.
pub type Parts = (Result<Drawing, String>, Sheet, String);

/// Series of a plot: a scheme under a condition.
pub struct Strand<'a> {
    /// Name of the scheme.
    pub scheme: &'a str,
    /// Condition: values of the axes that are neither fixed nor drawn, in their order.
    pub free: Vec<&'a str>,
    look: SeriesStyle,
}

impl<'a> View<'a> {
    /// Returns the schemes drawn, in the order of the file.
    pub fn schemes(&self) -> Vec<&'a str> {
        let mut names = self.experiment.schemes();
        if !self.spec.schemes.is_empty() {
            names.retain(|name| self.spec.schemes.iter().any(|own| own == name));
        }
        names
    }

    /// Returns the value that `at` fixes for an axis.
    pub fn fixed(&self, axis: &str) -> Option<&'a str> {
        let found = self.spec.at.iter().find(|(name, _)| name == axis);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the points that match `at`.
    pub fn points(&self) -> impl Iterator<Item = &'a PointResult> {
        self.results.points.iter().filter(|point| {
            let axes = self.experiment.axes.iter().zip(&point.at);
            axes.into_iter()
                .all(|(axis, value)| self.fixed(&axis.name).is_none_or(|fixed| fixed == value))
        })
    }

    /// Returns the indices of the axes that are neither fixed nor `x`.
    pub fn free_axes(&self, x: Option<usize>) -> Vec<usize> {
        let axes = self.experiment.axes.iter().enumerate();
        axes.filter(|(i, axis)| Some(*i) != x && self.fixed(&axis.name).is_none())
            .map(|(i, _)| i)
            .collect()
    }

    /// Returns each scheme under each condition.
    pub fn strands(&self, free: &[usize]) -> Vec<Strand<'a>> {
        let mut conditions: Vec<Vec<&str>> = Vec::new();
        for point in self.points() {
            let condition: Vec<&str> = free.iter().map(|i| point.at[*i].as_str()).collect();
            if !conditions.contains(&condition) {
                conditions.push(condition);
            }
        }
        let schemes = self.schemes();
        let own = self.palette.apart(&schemes);
        let many = conditions.len();
        let mut strands = Vec::new();
        for (s, scheme) in schemes.iter().enumerate() {
            for (nth, free) in conditions.iter().enumerate() {
                strands.push(Strand {
                    scheme,
                    free: free.clone(),
                    look: match schemes.len() {
                        _ if many == 1 => own[s].clone(),
                        // The colour identifies the scheme, the dash the condition.
                        2.. if many <= CONDITIONS => own[s].in_condition(nth),
                        _ => SeriesStyle::nth(s * many + nth),
                    },
                });
            }
        }
        strands
    }

    /// Returns the summary of a strand at the point `x`, an axis and a value on it.
    pub fn find(
        &self,
        strand: &Strand<'_>,
        free: &[usize],
        x: Option<(usize, &str)>,
    ) -> Option<Arc<Summary>> {
        let point = self.find_point(strand, free, x)?;
        point.summary(strand.scheme)
    }

    /// Returns the results of a strand at the point `x`.
    pub fn find_point(
        &self,
        strand: &Strand<'_>,
        free: &[usize],
        x: Option<(usize, &str)>,
    ) -> Option<&'a PointResult> {
        let mut points = self.points();
        points.find(|point| {
            let condition = free
                .iter()
                .zip(&strand.free)
                .all(|(i, v)| point.at[*i] == *v);
            condition && x.is_none_or(|(i, value)| point.at[i] == value)
        })
    }

    /// Returns all runs of a strand, where `free` are the axes of its condition.
    pub fn records(&self, strand: &Strand<'a>, free: &[usize]) -> impl Iterator<Item = &'a Record> {
        let points = self.points().filter(|point| {
            let mut values = free.iter().zip(&strand.free);
            values.all(|(i, v)| point.at[*i] == *v)
        });
        points.flat_map(|point| point.of_scheme(strand.scheme))
    }

    /// Returns the look and the name of a strand.
    pub fn entry(&self, strand: &Strand<'_>, about: String) -> Entry {
        let mut name = strand.scheme.to_string();
        if !strand.free.is_empty() {
            name.push_str(&format!(", {}", strand.free.join(", ")));
        }
        Entry {
            look: strand.look.clone(),
            name,
            about,
        }
    }

    /// Returns the subtitle: the experiment, the fixed values, and the seeds.
    pub fn subtitle(&self) -> String {
        let mut text = self.experiment.name.to_string();
        for (axis, value) in &self.spec.at {
            text.push_str(&format!("; {} {value}", words_of(axis)));
        }
        let seeds_of = self.experiment.scenarios.first().map(|s| &s.seeds);
        if let Some(all) = seeds_of {
            let word = if all.len() == 1 { "seed" } else { "seeds" };
            text.push_str(&format!("; {word} {}", seeds(all)));
        }
        text
    }
}

/// Reason for a missing picture if no point matches `at`.
pub const NO_POINT: &str = "no point of this run matches the plot";

/// Returns an axis in words: `workload.query.rate` is `query rate`.
pub fn words_of(axis: &str) -> String {
    let rooms = [
        "workload.",
        "switch.buffer.",
        "switch.",
        "transport.",
        "topology.",
    ];
    let short = rooms.iter().find_map(|room| axis.strip_prefix(room));
    short.unwrap_or(axis).replace(['.', '_'], " ")
}

/// Table beside a plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    /// Column names, with units.
    pub head: Vec<String>,
    /// Cells.
    pub rows: Vec<Vec<String>>,
}

#[cfg(test)]
mod tests {
    use super::words_of;

    #[test]
    fn axes_have_words() {
        assert_eq!(words_of("workload.query.rate"), "query rate");
        assert_eq!(words_of("transport.rto_min"), "rto min");
        assert_eq!(words_of("assumption"), "assumption");
    }
}
