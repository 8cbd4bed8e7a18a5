//! Resolved scenario: every value known, with its source. It is read in `read/`, weighed in `load.rs` and
//! written in `write.rs`.

use crate::claim::Claim;
use crate::probe::Probe;
use crate::scheme::Scheme;
use sidestep_config::problem::At;
use sidestep_config::source::is_assumed;
use sidestep_sim::workload::AnyWorkload;
use sidestep_sim::{Network, TrafficPlan};
use sidestep_transport::TransportConfig;
use sidestep_types::{Refusal, Seed, Time};
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Scenario to simulate: a network, its traffic, and the schemes to compare on them.
pub struct Scenario {
    /// Name of the file, without folder and extension.
    pub name: String,
    /// Title in one line; may be empty.
    pub title: String,
    /// Window in which flows and queries arrive.
    pub duration: Time,
    /// Longest time after `duration` for flows to finish.
    pub drain: Time,
    /// Seeds, one run each; never empty, without duplicates.
    pub seeds: Vec<u64>,
    /// Schemes to compare; never empty, without duplicate names. Points with the same schemes share them.
    pub schemes: Arc<Vec<Scheme>>,
    /// Network of the scenario.
    pub network: Arc<Network>,
    /// Claims of a paper about the scenario.
    pub claims: Vec<Claim>,
    /// Probes of a run.
    pub probe: Probe,
    pub(crate) traffic: Vec<Traffic>,
    pub(crate) settings: Vec<Setting>,
    pub(crate) warnings: Vec<String>,
    /// Files that decide the numbers, by path, with a digest of each.
    pub(crate) files: Vec<(String, String)>,
}

/// Section `[workload.NAME]`.
pub(crate) struct Traffic {
    pub name: String,
    pub workload: AnyWorkload,
    /// Place in the file.
    pub at: At,
    /// Places of its values, by dotted key.
    pub places: Arc<BTreeMap<String, At>>,
}

/// Value in a scenario and its source. Points with equal settings share them: otherwise the settings of
/// very many points would be most of their memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting(Arc<SettingContent>);

/// Content of a [`Setting`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingContent {
    /// Scheme that it applies to; `None` if it applies to all.
    pub scheme: Option<String>,
    /// Dotted key: `topology.k`, `switch.buffer.mark_at`.
    pub key: String,
    /// Value, as a scenario would write it.
    pub value: String,
    /// Source: `paper: DIBS Table 2`, `scheme dibs: …`, `user: --set`, `scenario file`, `default: …` or
    /// `assumed: …`.
    pub source: String,
}

/// True if the value comes from the profile of its scheme.
pub(crate) fn of_profile(said: &SettingContent) -> bool {
    said.source.starts_with("profile ")
}

impl From<SettingContent> for Setting {
    fn from(said: SettingContent) -> Setting {
        Setting(Arc::new(said))
    }
}

impl Deref for Setting {
    type Target = SettingContent;

    fn deref(&self) -> &SettingContent {
        &self.0
    }
}

impl DerefMut for Setting {
    /// Copies the content first if other settings share it.
    fn deref_mut(&mut self) -> &mut SettingContent {
        Arc::make_mut(&mut self.0)
    }
}

impl Setting {
    /// True if the value, or a part of it, is assumed.
    pub fn is_assumed(&self) -> bool {
        is_assumed(&self.source)
    }
}

/// True if the schemes are equal. Schemes with policies of the caller never are, since these cannot be
/// compared.
fn same(a: &[Scheme], b: &[Scheme]) -> bool {
    let one = |(a, b): (&Scheme, &Scheme)| {
        (&a.name, &a.summary, &a.source) == (&b.name, &b.summary, &b.source)
            && (a.changed, &a.about, &a.config) == (b.changed, &b.about, &b.config)
            && a.own.is_none()
            && b.own.is_none()
    };
    a.len() == b.len() && a.iter().zip(b).all(one)
}

impl Scenario {
    /// Shares everything equal to a part of `other` with it.
    pub(crate) fn share(&mut self, other: &Scenario) {
        if self.network == other.network {
            self.network = Arc::clone(&other.network);
        }
        if same(&self.schemes, &other.schemes) {
            self.schemes = Arc::clone(&other.schemes);
        }
        for (own, of_other) in self.traffic.iter_mut().zip(&other.traffic) {
            if own.places == of_other.places {
                own.places = Arc::clone(&of_other.places);
            }
        }
        for (own, of_other) in self.settings.iter_mut().zip(&other.settings) {
            if own == of_other {
                own.clone_from(of_other);
            }
        }
    }

    /// Returns every value, the defaults included, with its source.
    pub fn settings(&self) -> &[Setting] {
        &self.settings
    }

    /// Returns the warnings to read before trusting a number.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// Draws all flows and queries of the run with `seed`. Errors report what a workload refused.
    pub fn plan(&self, seed: u64) -> Result<TrafficPlan, String> {
        let named = |(of, why): (&Traffic, _)| format!("workload.{}: {why}", of.name);
        self.draw(seed).map_err(named)
    }

    /// Draws the plan of a run of scheme number `scheme`, with the segment sizes of the transports of its
    /// workloads. Errors are those of [`Scenario::plan`].
    pub fn plan_of(&self, scheme: usize, seed: u64) -> Result<TrafficPlan, String> {
        let mut plan = self.plan(seed)?;
        self.schemes[scheme].config.segment(&mut plan);
        Ok(plan)
    }

    /// Draws the plan, or returns the workload that refused and its reason.
    pub(crate) fn draw(&self, seed: u64) -> Result<TrafficPlan, (&Traffic, Refusal)> {
        let mut plan = TrafficPlan {
            classes: self.traffic.iter().map(|t| t.name.clone()).collect(),
            ..TrafficPlan::default()
        };
        for (index, traffic) in self.traffic.iter().enumerate() {
            let class = u8::try_from(index).expect("a scenario has at most 255 workloads");
            let (name, seed) = (&traffic.name, Seed(seed));
            (traffic
                .workload
                .plan(class, self.duration, seed, name, &mut plan))
            .map_err(|why| (traffic, why))?;
        }
        Ok(plan)
    }

    /// Returns the classes of the flows that start before `end`: the name of a workload, and for a flow list
    /// a slash and the class in the list.
    pub fn classes(&self, end: Time) -> Vec<String> {
        let each = self.traffic.iter();
        each.flat_map(|t| t.workload.classes(&t.name, end))
            .collect()
    }

    /// True if some of its flows belong to groups.
    pub fn has_groups(&self) -> bool {
        self.traffic.iter().any(|t| t.workload.has_groups())
    }

    /// Returns the payload bytes of the largest segment that a flow may send under `scheme`.
    pub fn largest_mss(&self, scheme: &Scheme) -> u32 {
        let own = self.traffic.iter().filter_map(|t| t.workload.largest_mss());
        let own = own.map(|(mss, _)| mss);
        let transports = scheme.config.transports.own.iter().flatten();
        own.chain(transports.map(TransportConfig::mss))
            .fold(scheme.config.transport.mss(), u32::max)
    }

    /// Returns everything that decides a run of scheme number `scheme`, apart from its seed and the code:
    /// a line for each value and each file, and none for titles, sources or claims.
    pub fn identity(&self, scheme: usize) -> String {
        let name = &self.schemes[scheme].name;
        let own = |s: &&Setting| s.scheme.as_ref().is_none_or(|of| of == name);
        let decides = |s: &&Setting| !["title", "seeds", "schemes"].contains(&s.key.as_str());
        let mut lines = format!("scheme = {name:?}\n");
        for setting in self.settings.iter().filter(own).filter(decides) {
            lines.push_str(&format!("{} = {:?}\n", setting.key, setting.value));
        }
        for (path, digest) in &self.files {
            lines.push_str(&format!("file {path:?} = {digest}\n"));
        }
        let own = self.schemes[scheme].own.as_ref();
        if let Some(own) = own {
            lines.push_str(&format!("own policies = {}\n", own.identity()));
        }
        lines
    }
}
