//! Top-level keys: duration, seeds, schemes and the rest.

use super::names::{common, stem, words};
use super::reader::Reader;
use crate::scenario::{Setting, SettingContent};
use crate::scheme::{Scheme, SchemeConfig};
use crate::tables::SCENARIO;
use sidestep_config::document::{self, find};
use sidestep_config::ledger::Ledger;
use sidestep_config::problem::{At, Problems};
use sidestep_config::section::resolve;
use sidestep_config::source::Origin;
use sidestep_config::spec::{Layer, Spec};
use sidestep_config::value::LONGEST;
use sidestep_types::{Framing, Time};

/// Top-level values of a scenario.
pub(super) struct Head {
    pub title: String,
    pub duration: Time,
    pub drain: Time,
    pub seeds: Vec<u64>,
    pub settings: Vec<Setting>,
    pub framing: Framing,
    ttl: u8,
}

impl Head {
    /// Completes a scheme with the settings that all schemes share.
    pub fn finish(&self, mut scheme: Scheme) -> Scheme {
        scheme.config = SchemeConfig {
            ttl: self.ttl,
            ..scheme.config
        };
        scheme
    }
}

/// Maximum number of seeds in one span; more are taken for a mistake.
const MOST_SEEDS: u64 = 10_000;

impl Reader<'_> {
    /// Reads the top-level keys.
    pub(super) fn head(&self, problems: &mut Problems) -> Option<Head> {
        // The other keys of the root are sections and lists.
        let keys = |entry: &&document::Entry| SCENARIO.iter().any(|p| p.name == entry.key);
        let tables: Vec<(document::Table, &Origin)> = self
            .roots()
            .map(|(root, origin)| (root.iter().filter(keys).cloned().collect(), origin))
            .collect();
        let layers: Vec<Layer<'_>> = tables
            .iter()
            .map(|(table, origin)| Layer {
                table,
                origin,
                name: "",
                prefix: "",
                shared: false,
            })
            .collect();
        let seeds = self.seeds(problems);
        let spec = Spec {
            name: "",
            params: SCENARIO,
            kind: None,
            policies: &[],
        };
        let resolved = resolve(&spec, &layers, &self.at, &mut Ledger::default(), problems)?;
        let (duration, drain) = (
            resolved.values.time("duration"),
            resolved.values.time("drain"),
        );
        let at = |key| resolved.places.get(key).unwrap_or(&self.at);
        if duration == Time::ZERO {
            problems.add(at("duration"), "duration must be above 0");
        }
        if duration.saturating_add(drain) > LONGEST {
            let message = format!("duration + drain must be at most {LONGEST}");
            problems.add(at("drain"), message);
        }
        let given = resolved.values.count("ttl");
        let ttl = u8::try_from(given).ok().filter(|ttl| *ttl > 0);
        if ttl.is_none() {
            problems.add(
                at("ttl"),
                format!("ttl must be between 1 and 255, got {given}"),
            );
        }
        let framing = match resolved.values.word("framing").as_str() {
            "ip" => Framing::Ip,
            "ppp" => Framing::Ppp,
            _ => Framing::Ethernet,
        };
        let title = resolved.values.word("title");
        let (seeds, seeds_setting) = seeds?;
        let mut settings = common(resolved);
        settings.push(seeds_setting);
        Some(Head {
            title,
            duration,
            drain,
            seeds,
            settings,
            framing,
            ttl: ttl?,
        })
    }

    /// Returns the value of `key` in the last layer that has it, with its source.
    fn last(&self, key: &str) -> Option<(&document::Node, String)> {
        let said = self
            .roots()
            .filter_map(|(root, origin)| Some((find(root, key)?, origin)));
        said.last()
            .map(|(entry, origin)| (&entry.node, origin.source(key)))
    }

    fn seeds(&self, problems: &mut Problems) -> Option<(Vec<u64>, Setting)> {
        const EXPECTED: &str = "seeds like \"1..5\" or [1, 2, 3]";
        let Some((node, source)) = self.last("seeds") else {
            let source = sidestep_config::source::default("one run");
            return Some((vec![1], setting("seeds", "1".into(), source)));
        };
        let mut seeds: Vec<u64> = Vec::new();
        let mut whole = true;
        for (text, at) in words(node, "seeds", EXPECTED, problems) {
            let Some((first, last)) = span(&text) else {
                problems.add(&at, format!("seeds: expected {EXPECTED}, got {text:?}"));
                whole = false;
                continue;
            };
            if first > last {
                problems.add(
                    &at,
                    format!("seeds: {text:?} counts down; write the smaller seed first"),
                );
                whole = false;
            } else if last - first >= MOST_SEEDS {
                problems.add(
                    &at,
                    format!("seeds: {text:?} has more than {MOST_SEEDS} seeds"),
                );
                whole = false;
            } else {
                let again = (first..=last).find(|seed| seeds.contains(seed));
                if let Some(again) = again {
                    problems.add(&at, format!("seeds: {again} is listed twice"));
                    whole = false;
                }
                seeds.extend(first..=last);
            }
        }
        if seeds.is_empty() && whole {
            problems.add(&node.at, format!("seeds: none given; expected {EXPECTED}"));
            whole = false;
        }
        whole.then(|| {
            let text = show_seeds(&seeds);
            (seeds, setting("seeds", text, source))
        })
    }

    /// Returns the schemes as written, names or paths, each with its place.
    pub(super) fn scheme_names(
        &self,
        problems: &mut Problems,
    ) -> Option<(Vec<(String, At)>, Setting)> {
        const EXPECTED: &str = "names like [\"dctcp\", \"dibs\"]";
        let Some((node, source)) = self.last("schemes") else {
            let message = format!("schemes is missing: expected {EXPECTED}");
            problems.add(&self.at, message);
            return None;
        };
        let names = words(node, "schemes", EXPECTED, problems);
        let mut whole = true;
        for (i, (name, at)) in names.iter().enumerate() {
            if names[..i]
                .iter()
                .any(|(before, _)| stem(before) == stem(name))
            {
                problems.add(at, format!("schemes: {:?} is listed twice", stem(name)));
                whole = false;
            }
        }
        if names.iter().all(|(name, _)| name.is_empty()) {
            problems.add(
                &node.at,
                format!("schemes: none given; expected {EXPECTED}"),
            );
            whole = false;
        }
        whole.then(|| {
            let stems: Vec<&str> = names.iter().map(|(name, _)| stem(name)).collect();
            let text = stems.join(", ");
            (names, setting("schemes", text, source))
        })
    }
}

fn setting(key: &str, value: String, source: String) -> Setting {
    Setting::from(SettingContent {
        scheme: None,
        key: key.to_string(),
        value,
        source,
    })
}

/// Reads `"1..5"`, `"1-5"` or `"7"`, both ends included.
fn span(text: &str) -> Option<(u64, u64)> {
    let number = |text: &str| text.trim().parse().ok();
    match text.split_once("..").or_else(|| text.split_once('-')) {
        Some((first, last)) => Some((number(first)?, number(last.trim_start_matches('='))?)),
        None => number(text).map(|seed| (seed, seed)),
    }
}

/// Formats seeds as `1..5, 9`, with runs of consecutive seeds as spans.
fn show_seeds(seeds: &[u64]) -> String {
    let mut spans: Vec<(u64, u64)> = Vec::new();
    for seed in seeds {
        match spans.last_mut() {
            Some(last) if last.1.checked_add(1) == Some(*seed) => last.1 = *seed,
            _ => spans.push((*seed, *seed)),
        }
    }
    let show = |(first, last): &(u64, u64)| match first == last {
        true => first.to_string(),
        false => format!("{first}..{last}"),
    };
    spans.iter().map(show).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_written_as_spans() {
        assert_eq!(show_seeds(&[1, 2, 3, 9, 7, 8]), "1..3, 9, 7..8");
        assert_eq!(span("1..5"), Some((1, 5)));
        assert_eq!(span("x..5"), None);
    }
}
