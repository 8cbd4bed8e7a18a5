//! Reads names of metrics and samples in claims and plots, including those of one class.

use super::reader::Reader;
use crate::stats::metric::{self, CLASS_METRICS, METRICS, SampleKind, class_samples};
use crate::stats::place;
use sidestep_config::problem::suggest;

impl Reader<'_> {
    /// Checks the name of a metric. Errors say why it is refused.
    pub(super) fn metric(&self, name: &str) -> Result<String, String> {
        let of_class = || CLASS_METRICS.iter().map(|metric| metric.name);
        if metric::find(name).is_none() {
            return Err(match name.split_once(':') {
                Some((own, class)) => unknown_of_class("metric", own, class, of_class().collect()),
                None if of_class().any(|known| known == name) => self.lacks_class("metric", name),
                None => {
                    let hint = suggest(name, METRICS.iter().map(|metric| metric.name));
                    format!("metric {name:?} is unknown{hint}")
                }
            });
        }
        self.of_known_class(name)?;
        Ok(name.to_string())
    }

    /// Finds the sample called `name`. Errors say why it is refused; `known` are the samples over all classes.
    pub(super) fn sample(
        &self,
        name: &str,
        known: Vec<&str>,
    ) -> Result<&'static SampleKind, String> {
        let Some(sample) = metric::sample(name) else {
            return Err(match name.split_once(':') {
                Some((own, class)) => {
                    unknown_of_class("sample", own, class, class_samples().collect())
                }
                None if class_samples().any(|known| known == name) => {
                    self.lacks_class("sample", name)
                }
                None => format!("sample {name:?} is unknown{}", suggest(name, known)),
            });
        };
        self.of_known_class(name)?;
        Ok(sample)
    }

    /// Checks the class in a name. Accepts any class while the classes are unknown because a workload could not
    /// be read.
    fn of_known_class(&self, name: &str) -> Result<(), String> {
        let (Some(classes), Some((_, asked))) = (&self.classes, name.split_once(':')) else {
            return Ok(());
        };
        let names = classes.iter().map(String::as_str);
        match place(names.clone(), asked) {
            Ok(_) => Ok(()),
            Err(several) if !several.is_empty() => Err(format!(
                "class {asked:?} is ambiguous: write {}",
                several.join(" or ")
            )),
            Err(_) => {
                let words = names.map(|name| name.split_once('/').map_or(name, |(_, word)| word));
                let hint = suggest(asked, words);
                Err(format!("no class is called {asked:?}{hint}"))
            }
        }
    }

    fn lacks_class(&self, what: &str, name: &str) -> String {
        let classes = self.classes.iter().flatten();
        let first = classes.map(String::as_str).next().unwrap_or("CLASS");
        format!("{what} {name:?} needs a class: write {name}:{first}")
    }
}

/// Returns the message about a name such as `qct_p99_ms:web` or `fct_p98_ms:web`, which no metric or sample of
/// a class has.
fn unknown_of_class(what: &str, own: &str, class: &str, known: Vec<&str>) -> String {
    let over_all = match what {
        "metric" => metric::find(own).is_some(),
        _ => metric::sample(own).is_some(),
    };
    if over_all {
        let known = known.join(", ");
        return format!(
            "{what} {own:?} has no value for a single class; those that have one: {known}"
        );
    }
    let hint = suggest(own, known);
    format!("{what} {own:?} of a class ({class:?}) is unknown{hint}")
}
