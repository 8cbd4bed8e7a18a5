//! Reads one point of an experiment as a scenario: its sections in turn, then checks across them.

use super::names::{SECTIONS, stem};
use super::reader::Reader;
use super::traffic::check_mss;
use crate::scenario::Scenario;
use crate::{estimate, tables, warnings};
use sidestep_config::problem::{Problems, suggest};
use sidestep_config::section::refused;
use sidestep_config::source::{self, AROUND};
use sidestep_sim::TrafficPlan;
use sidestep_sim::workload::MAX_FLOWS;
use sidestep_types::{Framing, Param, Refusal};
use std::sync::Arc;

/// Maximum number of flows that are drawn for a check: a gigabyte.
const MOST_DRAWN: f64 = 4e6;

impl Reader<'_> {
    /// Reads the scenario; adds everything wrong with it to `problems`.
    pub(super) fn read(&self, file: &str, problems: &mut Problems) -> Option<Scenario> {
        self.check_top_keys(problems);
        let head = self.head(problems);
        let network = self.network(problems);
        let traffic = self.traffic(network.as_ref(), problems);
        let listed = self.scheme_names(problems);
        let names = listed.as_ref().map_or(&[][..], |(names, _)| names);
        let framing = head.as_ref().map_or_else(Framing::default, |h| h.framing);
        let schemes = self.schemes(names, framing, network.as_ref().map(|(n, _)| n), problems);
        let workloads = traffic.as_ref().map(|(all, _)| &all[..]);
        let probe = (head.as_ref()).and_then(|h| {
            let network = network.as_ref().map(|(network, _)| network);
            self.probe(h.duration, h.drain, network, workloads, problems)
        });
        let last = head.as_ref().map(|h| h.duration.saturating_add(h.drain));
        let changes = self.changes(last, network.as_ref().map(|(n, _)| n), problems);
        let (head, (network, network_settings)) = (head?, network?);
        let listed_setting = listed?.1;
        let (traffic, traffic_settings) = traffic?;
        let mut settings = head.settings.clone();
        settings.push(listed_setting);
        settings.extend(network_settings);
        settings.extend(traffic_settings);
        let (probed, (schemes, overridden)) = (probe?, schemes?);
        settings.extend(probed.settings.iter().cloned());
        let changes = changes?;
        settings.extend(changes.settings);
        // No setting is added later: spare capacity would be half of the memory of very many points.
        let mut all = Vec::with_capacity(schemes.len());
        for scheme in schemes {
            settings.extend(scheme.settings);
            let mut scheme = head.finish(scheme.scheme);
            scheme.config.changes.clone_from(&changes.changes);
            all.push(scheme);
        }
        probed.check(&all, traffic.len(), problems);
        check_mss(&traffic, &all, problems);
        settings.shrink_to_fit();
        let mut scenario = Scenario {
            name: stem(file).to_string(),
            title: head.title,
            duration: head.duration,
            drain: head.drain,
            seeds: head.seeds,
            schemes: Arc::new(all),
            network: Arc::new(network),
            claims: Vec::new(),
            probe: probed.probe.clone(),
            traffic,
            settings,
            warnings: Vec::new(),
            files: Vec::new(),
        };
        if !problems.is_empty() {
            return None;
        }
        let plan = self.first_plan(&scenario, problems)?;
        if let Some(plan) = &plan {
            probed.check_plan(&scenario.network, plan, problems);
        }
        if !problems.is_empty() {
            return None;
        }
        scenario.warnings = overridden;
        scenario.warnings.extend(changes.warnings);
        let of_plan = warnings::of(&scenario, plan.as_ref());
        scenario.warnings.extend(of_plan);
        let silent = self.silent(&scenario, plan.as_ref());
        scenario.warnings.extend(silent);
        Some(scenario)
    }

    /// Draws the plan of the first seed, which shows problems that only a plan can have (a start past the end,
    /// too many flows). `Some(None)` if there are too many flows to draw them for a check.
    fn first_plan(
        &self,
        scenario: &Scenario,
        problems: &mut Problems,
    ) -> Option<Option<TrafficPlan>> {
        let mut about = 0.0;
        for of in &scenario.traffic {
            let own = estimate::flows_of(scenario, of);
            about += own;
            if about > 1.1 * MAX_FLOWS as f64 {
                let why = format!("expected at most {MAX_FLOWS} flows in a run");
                let why = Refusal::of_none(why).got(format!("about {own:.0}"));
                let section = format!("workload.{}", of.name);
                refused(&of.places, &section, &why, &of.at, problems);
                return None;
            }
        }
        if about > MOST_DRAWN {
            return Some(None);
        }
        match scenario.draw(scenario.seeds[0]) {
            Ok(plan) => Some(Some(plan)),
            Err((of, why)) => {
                let section = format!("workload.{}", of.name);
                refused(&of.places, &section, &why, &of.at, problems);
                None
            }
        }
    }

    fn check_top_keys(&self, problems: &mut Problems) {
        let params = || {
            tables::SCENARIO
                .iter()
                .chain(tables::LISTS)
                .map(|param| param.name)
        };
        let sections = SECTIONS.iter().filter(|s| !AROUND.contains(s));
        let known: Vec<&str> = params().chain(sections.copied()).collect();
        for entry in self.written.iter().flat_map(|(root, _)| root) {
            if !known.contains(&entry.key.as_str()) && !AROUND.contains(&entry.key.as_str()) {
                let known = params().chain(SECTIONS).chain(AROUND[2..].iter().copied());
                let hint = suggest(&entry.key, known);
                problems.add(&entry.at, format!("unknown key {:?}{hint}", entry.key));
            }
        }
        for entry in self.over.iter().flat_map(|(root, _)| *root) {
            if !known.contains(&entry.key.as_str()) {
                let hint = self
                    .longer(&entry.key)
                    .unwrap_or_else(|| suggest(&entry.key, known.iter().copied()));
                problems.add(&entry.at, format!("unknown key {:?}{hint}", entry.key));
            }
        }
    }

    /// Suggests a longer key: `k` alone may mean `topology.k`, which the file has, or a key of `[switch]`,
    /// `[transport]` or `[host]`.
    fn longer(&self, key: &str) -> Option<String> {
        let said = (self.written.iter())
            .flat_map(|(root, _)| source::keys(root))
            .find(|said| said.ends_with(&format!(".{key}")));
        let has = |params: &[Param]| params.iter().any(|param| param.name == key);
        let sections = [
            ("switch", tables::SWITCH),
            ("transport", tables::TRANSPORT),
            ("host", tables::HOST),
        ];
        let of = sections.iter().find(|(_, params)| has(params));
        let found = said.or_else(|| of.map(|(section, _)| format!("{section}.{key}")))?;
        Some(format!("; did you mean {found:?}?"))
    }
}
