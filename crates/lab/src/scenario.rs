//! A scenario, resolved: every value known, and where each comes from. Reading, weighing and writing
//! one are functions of it in files of their own: `read/`, `load.rs`, `write.rs`.

use crate::claim::Claim;
use crate::probe::Probe;
use crate::scheme::Scheme;
use sidestep_config::problem::At;
use sidestep_config::source::is_assumed;
use sidestep_sim::workload::AnyWorkload;
use sidestep_sim::{Network, Plan};
use sidestep_transport::TransportConfig;
use sidestep_types::{Refusal, Seed, Time};
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// What to simulate: a network, its traffic, and the schemes to compare on them.
pub struct Scenario {
    /// The file's name without folder and ending.
    pub name: String,
    /// What it shows, in one line; may be empty.
    pub title: String,
    /// Flows and queries arrive in this window.
    pub duration: Time,
    /// Then the run goes on until every flow is done, at most this long.
    pub drain: Time,
    /// One run each; never empty, none twice.
    pub seeds: Vec<u64>,
    /// What to compare; never empty, no name twice. Points that compare the same hold it once.
    pub schemes: Arc<Vec<Scheme>>,
    /// The network.
    pub network: Arc<Network>,
    /// What a paper says about this.
    pub claims: Vec<Claim>,
    /// What is looked at while a run goes on.
    pub probe: Probe,
    pub(crate) traffic: Vec<Traffic>,
    pub(crate) settings: Vec<Setting>,
    pub(crate) warnings: Vec<String>,
    /// The files that decide its numbers, by path, with a digest of each.
    pub(crate) files: Vec<(String, String)>,
}

/// One `[workload.NAME]`.
pub(crate) struct Traffic {
    pub name: String,
    pub workload: AnyWorkload,
    /// Where it stands.
    pub at: At,
    /// Where its values stand, by dotted key.
    pub places: Arc<BTreeMap<String, At>>,
}

/// One value of a scenario and where it comes from. Points that say the same hold it once: of very many points it would be
/// most of what they take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting(Arc<Said>);

/// What a [`Setting`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The scheme it is about; `None` when it holds for all.
    pub scheme: Option<String>,
    /// Its dotted key: `topology.k`, `switch.buffer.mark_at`.
    pub key: String,
    /// Its value, as it would be written in a scenario.
    pub value: String,
    /// `paper: DIBS Table 2`, `scheme dibs: …`, `user: --set`, `scenario file`, `default: …` or `assumed: …`.
    pub source: String,
}

/// Does this value come from the profile of its scheme?
pub(crate) fn of_profile(said: &Said) -> bool {
    said.source.starts_with("profile ")
}

impl From<Said> for Setting {
    fn from(said: Said) -> Setting {
        Setting(Arc::new(said))
    }
}

impl Deref for Setting {
    type Target = Said;

    fn deref(&self) -> &Said {
        &self.0
    }
}

impl DerefMut for Setting {
    /// Others that hold the same keep what they have.
    fn deref_mut(&mut self) -> &mut Said {
        Arc::make_mut(&mut self.0)
    }
}

impl Setting {
    /// Is it assumed, or a part of what it says?
    pub fn is_assumed(&self) -> bool {
        is_assumed(&self.source)
    }
}

/// Are these the same schemes? None that has policies of the caller's, which nobody compares.
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
    /// Holds what `other` says too once for both.
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

    /// Every value, the defaults included, and where it comes from.
    pub fn settings(&self) -> &[Setting] {
        &self.settings
    }

    /// What must be read before trusting a number.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// All flows and queries of the run with `seed`. Errors say what a workload refused.
    pub fn plan(&self, seed: u64) -> Result<Plan, String> {
        let named = |(of, why): (&Traffic, _)| format!("workload.{}: {why}", of.name);
        self.draw(seed).map_err(named)
    }

    /// The plan of a run of scheme number `scheme`: flows have the segments that their workload's transport says.
    /// Errors as those of [`Scenario::plan`].
    pub fn plan_of(&self, scheme: usize, seed: u64) -> Result<Plan, String> {
        let mut plan = self.plan(seed)?;
        self.schemes[scheme].config.segment(&mut plan);
        Ok(plan)
    }

    /// The plan, or the workload that refused and why.
    pub(crate) fn draw(&self, seed: u64) -> Result<Plan, (&Traffic, Refusal)> {
        let mut plan = Plan {
            classes: self.traffic.iter().map(|t| t.name.clone()).collect(),
            ..Plan::default()
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

    /// The classes of its flows that start before `end`: a workload's name, and behind a slash the class of
    /// a flow list.
    pub fn classes(&self, end: Time) -> Vec<String> {
        let each = self.traffic.iter();
        each.flat_map(|t| t.workload.classes(&t.name, end))
            .collect()
    }

    /// Do some of its flows belong to groups?
    pub fn has_groups(&self) -> bool {
        self.traffic.iter().any(|t| t.workload.has_groups())
    }

    /// Payload bytes of the largest segment that a flow may send under `scheme`.
    pub fn largest_mss(&self, scheme: &Scheme) -> u32 {
        let own = self.traffic.iter().filter_map(|t| t.workload.largest_mss());
        let own = own.map(|(mss, _)| mss);
        let transports = scheme.config.transports.own.iter().flatten();
        own.chain(transports.map(TransportConfig::mss))
            .fold(scheme.config.transport.mss(), u32::max)
    }

    /// Everything that decides what a run of scheme number `scheme` does, its seed and the code
    /// apart: a line for each value and each file, and none for titles, sources or claims.
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
