//! Changes that make a scenario read imported files, and the same as a block to paste.
//!
//! **Decision**     `duration` is the first time of two digits above the last start. A network that is too small
//!                  becomes a fat-tree, or a larger one of its kind if it is a fat-tree or a single switch.

use super::document::Document;
use sidestep_import::{Imported, List, OutputKind};
use sidestep_sim::topology::fat_tree::smallest;
use std::path::PathBuf;

/// Rate of the links of a network that no file describes.
pub const RATE: &str = "10 Gbps";

/// Scenario while it is changed.
#[derive(Clone)]
pub struct Wiring {
    /// Scenario so far.
    pub document: Document,
    /// Sentences about what was set.
    pub set: Vec<String>,
    /// True if the scenario did not exist: its values have no former ones.
    pub is_new: bool,
}

impl Wiring {
    /// Describes network, schemes and seeds: `fat_tree k = 4, 10 Gbps (assumed), schemes dctcp and dibs, seeds 1..5`.
    pub fn summary(&self) -> String {
        let value = |path: &[&str]| self.document.value(path).unwrap_or_default();
        let plain = |text: String| text.replace(['[', ']', '"'], "");
        format!(
            "{} k = {}, {} (assumed), schemes {}, seeds {}",
            value(&["topology", "kind"]),
            value(&["topology", "k"]),
            value(&["topology", "rate"]),
            plain(value(&["schemes"])).replace(", ", " and "),
            value(&["seeds"]),
        )
    }

    /// Makes the scenario read the list in `file`, a TOML string.
    pub fn flows(&mut self, name: &str, list: Option<&List>, file: &str) -> Result<(), String> {
        let Some(list) = list else {
            return Ok(());
        };
        let workload = self.workload()?;
        let path = ["workload", &workload];
        let old = self.document.value(&["workload", &workload, "file"]);
        let values = [
            ("kind", "\"flow_list\"".to_string()),
            ("file", file.to_string()),
        ];
        self.document.set(&path, &values, false)?;
        self.say(&format!("workload.{workload}.file"), file, old);
        self.source(
            &format!("workload.{workload}.file"),
            &format!("`sidestep import` of {}", short(name)),
        )?;
        let old = self.document.value(&["duration"]);
        let duration = quoted(&above(list.last));
        self.document.set_top("duration", &duration);
        self.say("duration", &duration, old);
        self.source("duration", "the list, whose last flow starts before")?;
        let title = self.document.value(&["title"]);
        // The title of a user says what the scenario is for; that of an example is of its own list.
        let example = Document::read("scenario.toml", crate::init::SCENARIO)?.value(&["title"]);
        if title.is_none() || title == example {
            let text = format!(
                "{} of {} between {} hosts",
                flows(list.flows),
                short(name),
                list.hosts
            );
            self.document.set_top("title", &quoted(&text));
            self.say("title", &quoted(&text), title);
        }
        Ok(())
    }

    /// Returns the name of the workload that reads the list: the only list, or a new one.
    fn workload(&self) -> Result<String, String> {
        let all = self.document.keys(&["workload"]);
        let kind = |name: &String| self.document.value(&["workload", name, "kind"]);
        let lists: Vec<&String> = all
            .iter()
            .filter(|name| kind(name).as_deref() == Some("flow_list"))
            .collect();
        let names = |all: &[&String]| {
            all.iter()
                .map(|name| format!("workload.{name}"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        match (&lists[..], &all[..]) {
            ([one], _) => Ok((*one).clone()),
            ([], []) => Ok("trace".into()),
            ([], _) => Err(format!(
                "expected a workload of kind \"flow_list\" to read the list, got {}, whose traffic \
                 would be added to it: give one of them kind = \"flow_list\" and any file, or \
                 remove them",
                names(&all.iter().collect::<Vec<_>>())
            )),
            (several, _) => Err(format!(
                "expected one workload of kind \"flow_list\" to read the list, got {}",
                names(several)
            )),
        }
    }

    /// Makes the only workload of random sizes draw them from `file`, a TOML string.
    pub fn sizes(&mut self, name: &str, file: &str) -> Result<(), String> {
        let drawn = |name: &&String| {
            let value = |key| self.document.value(&["workload", name, key]);
            value("kind").as_deref() == Some("background") || value("cdf").is_some()
        };
        let all = self.document.keys(&["workload"]);
        let all: Vec<&String> = all.iter().filter(drawn).collect();
        let [workload] = &all[..] else {
            return Err(format!(
                "expected one workload that draws sizes, got {}: set cdf = {file} where it applies",
                all.len()
            ));
        };
        let path = ["workload", workload.as_str()];
        let old = self.document.value(&[path[0], path[1], "cdf"]);
        self.document
            .set(&path, &[("cdf", file.to_string())], false)?;
        let key = format!("workload.{workload}.cdf");
        self.say(&key, file, old);
        self.source(&key, &format!("`sidestep import` of {}", short(name)))
    }

    /// Gives the network as many hosts as the list needs.
    pub fn network(&mut self, list: &List, rate: Option<String>) -> Result<(), String> {
        let k = smallest(list.hosts);
        let kind = self.document.value(&["topology", "kind"]);
        let (key, value) = match kind.as_deref() {
            Some("fat_tree") => ("k", k.to_string()),
            Some("single_switch") => ("hosts", list.hosts.to_string()),
            _ => {
                let mut values = vec![("k", k.to_string())];
                let kept = rate.is_some();
                values.extend(rate.map(|rate| ("rate", quoted(&rate))));
                self.topology("fat_tree", &values, true)?;
                let words = "assumed: the rate of the hosts' links in the network before";
                return match kept {
                    true => self.source("topology.rate", words),
                    false => Ok(()),
                };
            }
        };
        let kind = kind.unwrap_or_default();
        self.topology(&kind, &[(key, value)], false)
    }

    pub fn topology(
        &mut self,
        kind: &str,
        values: &[(&str, String)],
        alone: bool,
    ) -> Result<(), String> {
        let before: Vec<(String, Option<String>)> = (self.document.keys(&["topology"]).into_iter())
            .map(|key| (key.clone(), self.document.value(&["topology", &key])))
            .collect();
        let mut all = vec![("kind", quoted(kind))];
        all.extend(values.iter().cloned());
        self.document.set(&["topology"], &all, alone)?;
        for (key, value) in &all {
            let old = before
                .iter()
                .find(|(name, _)| name == key)
                .and_then(|(_, old)| old.clone());
            self.say(&format!("topology.{key}"), value, old);
        }
        for (key, _) in &before {
            if alone && !all.iter().any(|(name, _)| name == key) {
                self.set.push(format!("topology.{key} is removed"));
                self.document
                    .remove(&["source"], &format!("topology.{key}"))?;
            }
        }
        let words = match kind {
            "custom" => return Ok(()),
            "fat_tree" => "assumed: the smallest fat-tree with the hosts of the list",
            _ => "the list, which has as many hosts",
        };
        match values.first() {
            Some((key, _)) => self.source(&format!("topology.{key}"), words),
            None => Ok(()),
        }
    }

    /// Copies an imported `[switch]`; with `marks`, of the buffer only its parameters.
    pub fn switch(&mut self, text: &str, marks: bool) -> Result<(), String> {
        let imported = Document::read("[switch]", text)?;
        let mut values = Vec::new();
        for key in imported.keys(&["switch"]) {
            let mut raw = imported.raw(&["switch", &key]).unwrap_or_default();
            if marks && key == "buffer" {
                let parameters: Vec<String> = (imported.keys(&["switch", "buffer"]).iter())
                    .filter(|key| *key != "kind")
                    .filter_map(|key| {
                        let value = imported.raw(&["switch", "buffer", key])?;
                        Some(format!("{key} = {value}"))
                    })
                    .collect();
                raw = format!("{{ {} }}", parameters.join(", "));
            }
            let old = self.document.raw(&["switch", &key]);
            self.say(&format!("switch.{key}"), &raw, old);
            values.push((key, raw));
        }
        let values: Vec<(&str, String)> = values
            .iter()
            .map(|(key, raw)| (key.as_str(), raw.clone()))
            .collect();
        self.document.set(&["switch"], &values, false)?;
        for (key, _) in values {
            let key = match (key, marks) {
                ("buffer", true) => "buffer.mark_at",
                (key, _) => key,
            };
            let key = format!("switch.{key}");
            self.source(&key, "`sidestep import` of a SONiC switch")?;
        }
        match marks {
            true => Ok(()),
            false => self.document.remove(&["source"], "switch.buffer.mark_at"),
        }
    }

    /// Writes the source of a value, if the scenario has sources.
    fn source(&mut self, key: &str, words: &str) -> Result<(), String> {
        if self.document.keys(&["source"]).is_empty() {
            return Ok(());
        }
        self.document
            .set(&["source"], &[(key, quoted(words))], false)
    }

    fn say(&mut self, key: &str, value: &str, old: Option<String>) {
        let was = match old {
            Some(_) if self.is_new => String::new(),
            Some(old) if quoted(&old) != value && old != value => format!(" (it was {old})"),
            Some(_) => return,
            None => String::new(),
        };
        self.set.push(format!("{key} = {value}{was}"));
    }
}

/// Returns the lines that make a scenario read the imported files.
pub fn block(imported: &Imported, places: &[PathBuf]) -> String {
    let mut text = String::new();
    if let Some(list) = &imported.list {
        text.push_str(&format!(
            "duration = {}\n\n[topology] # with {} hosts or more\nkind = \"fat_tree\"\nk = {}\n\
             rate = {} # assumed: the list has no rates of links\n",
            quoted(&above(list.last)),
            list.hosts,
            smallest(list.hosts),
            quoted(RATE)
        ));
    }
    for ((made, of), place) in imported.files.iter().zip(places) {
        let file = place.file_name().unwrap_or_default().to_string_lossy();
        let file = quoted(&file);
        let of = of.lines().filter(|line| !line.starts_with('#'));
        match made {
            OutputKind::Flows => text.push_str(&format!(
                "\n[workload.trace]\nkind = \"flow_list\"\nfile = {file}\n"
            )),
            OutputKind::Topology => {
                text.push_str(&format!("[topology]\nkind = \"custom\"\nfile = {file}\n"))
            }
            OutputKind::Switch => of.for_each(|line| text.push_str(&format!("{line}\n"))),
            OutputKind::Sizes => text.push_str(&format!(
                "[workload.background]\nkind = \"background\"\ncdf = {file}\n"
            )),
            OutputKind::Hosts => {}
        }
    }
    text
}

/// Returns a time above `ps`, with two digits: `2.7 ms` for 2677 us.
fn above(ps: u64) -> String {
    let units: [(u128, &str); 5] = [
        (1, "ps"),
        (1_000, "ns"),
        (1_000_000, "us"),
        (1_000_000_000, "ms"),
        (1_000_000_000_000, "s"),
    ];
    // A list whose flows start at once has a millisecond, over which their load is offered.
    let least = (u128::from(ps) + 1).max(1_000_000_000);
    let mut step: u128 = 1;
    while least > step * 100 {
        step *= 10;
    }
    let rounded = least.div_ceil(step) * step;
    let (unit, word) = units
        .into_iter()
        .rev()
        .find(|(unit, _)| *unit <= rounded)
        .unwrap_or(units[0]);
    let (whole, rest) = (rounded / unit, rounded % unit);
    match rest * 10 / unit {
        0 => format!("{whole} {word}"),
        tenth => format!("{whole}.{tenth} {word}"),
    }
}

fn flows(many: u64) -> String {
    match many {
        1 => "1 flow".into(),
        many => format!("{many} flows"),
    }
}

/// Returns the name of a file without its folder.
fn short(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Quotes a text for TOML.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_ends_after_the_last_start() {
        for (ps, expected) in [
            (0, "1 ms"),
            (2_677_000_000, "2.7 ms"),
            (2_699_999_999, "2.7 ms"),
            (2_700_000_000, "2.8 ms"),
            (21_400_000_000, "22 ms"),
            (99_000_000_001, "100 ms"),
            (1_000_000_000_000, "1.1 s"),
            (14_400_000_000_000_000, "15000 s"),
        ] {
            assert_eq!(above(ps), expected, "{ps}");
        }
    }
}
