//! Workloads: flows and queries, drawn before a run starts, by name.
//!
//! Each has one file and one registry line. A workload draws from streams named after itself and, where it
//! matters, after the host or the query: adding a workload changes no other, and changing one parameter leaves
//! the draws of the others unchanged.

use crate::files::Files;
use crate::network::Network;
use crate::plan::{FlowPlan, Joint, QueryPlan, Start, TrafficPlan};
use sidestep_types::settings::{join, total};
use sidestep_types::{
    About, Bytes, Entry, FlowId, HostId, Param, ParamUnit, Refusal, Seed, Setting, Settings, Time,
    Value, Values,
};

mod apart;
pub mod background;
mod deck;
mod exchange;
pub mod flow_list;
pub mod incast;
mod load;
pub mod long;
mod mss;
pub mod permutation;
pub mod query;
pub mod replace;
mod share;
mod site;
mod starts;

pub use load::{Cost, Load};
pub use site::{Fabric, Site};

use mss::{Mss, OfEvery};

/// A workload that can be built from its settings and planned for a run.
///
/// ```
/// use sidestep_sim::workload::{Cost, Draft, Load, Site, Workload};
/// use sidestep_sim::{Files, NoFiles, TrafficPlan, Start};
/// use sidestep_types::{About, BitRate, Refusal, Seed, Settings, Time};
///
/// /// One flow, from host 0 to host 1.
/// #[derive(Settings)]
/// struct One {
///     /// of the flow; assumed
///     #[setting(default = "20 kB", bytes)]
///     size: u64,
/// }
///
/// impl Workload for One {
///     type Settings = One;
///     const ABOUT: About = About {
///         name: "one",
///         summary: "one flow from host 0 to host 1",
///         source: "an example",
///     };
///
///     fn build(settings: One, _: &dyn Files, site: &Site) -> Result<One, Refusal> {
///         match site.hosts() {
///             0 | 1 => Err(Refusal::of_none("at least two hosts are needed").got(site.hosts())),
///             _ => Ok(settings),
///         }
///     }
///
///     fn draw(&self, into: &mut Draft<'_>) -> Result<(), Refusal> {
///         into.flow(0, 1, self.size, Start::At(Time::ZERO))?;
///         Ok(())
///     }
///
///     fn load(&self, cost: Cost, duration: Time) -> Load {
///         let mut load = Load::default();
///         load.add_some(1, self.size, cost, duration);
///         load
///     }
/// }
///
/// let site = Site { access: vec![BitRate::gbps(1); 2], ..Site::default() };
/// let one = One::build(One::defaults(), &NoFiles, &site)?;
/// let (mut plan, duration) = (TrafficPlan::default(), Time::from_ms(1));
/// one.draw(&mut Draft::new(&mut plan, 0, duration, Seed(1), "one"))?;
/// assert_eq!(plan.flows.len(), 1);
/// assert_eq!(one.load(Cost::default(), duration).flows_per_s, 1000.0);
/// # Ok::<(), Refusal>(())
/// ```
pub trait Workload: Sized {
    /// Settings, besides the segments of its flows.
    type Settings: Settings;
    /// Name and source.
    const ABOUT: About;

    /// Builds the workload for these hosts. Errors name the parameters to blame.
    fn build(settings: Self::Settings, files: &dyn Files, site: &Site) -> Result<Self, Refusal>;

    /// Appends its flows and queries. Errors name the parameters to blame.
    fn draw(&self, into: &mut Draft<'_>) -> Result<(), Refusal>;

    /// Returns the load offered to a network during `duration`.
    fn load(&self, cost: Cost, duration: Time) -> Load;
}

/// Defines the enum over the workloads, their entries and the construction by name.
macro_rules! workloads {
    ($($module:ident::$workload:ident,)*) => {
        #[derive(Clone, Debug, PartialEq)]
        enum Kind {
            $( $workload($module::$workload), )*
        }

        /// The registered workloads, in order.
        pub const ENTRIES: &[Entry] = &[$({
            type Own = <$module::$workload as Workload>::Settings;
            const PARTS: &[&[Param]] = &[<Own as Settings>::PARAMS, OfEvery::PARAMS];
            const PARAMS: [Param; total(PARTS)] = join(PARTS);
            let entry = <$module::$workload as Workload>::ABOUT.entry::<Own>();
            Entry { params: &PARAMS, ..entry }
        },)*];

        /// Makes the workload called `name` for the hosts of `network`, which is valid.
        ///
        /// Errors say which name is unknown, or what does not go together and which parameters are to blame.
        pub fn build(
            name: &str,
            values: &Values,
            files: &dyn Files,
            network: &Network,
        ) -> Result<AnyWorkload, Refusal> {
            let site = Site::of(network);
            let of = |kind| Ok(AnyWorkload { kind, mss: OfEvery::read(values)?.mss });
            $(
                if name == <$module::$workload as Workload>::ABOUT.name {
                    let settings = Settings::read(values)?;
                    let made = <$module::$workload as Workload>::build(settings, files, &site);
                    return made.map(Kind::$workload).and_then(of);
                }
            )*
            Err(Refusal::of_none(format!("workload {name:?} is unknown")))
        }

        impl Kind {
            fn name(&self) -> &'static str {
                match self {
                    $(Kind::$workload(_) => <$module::$workload as Workload>::ABOUT.name,)*
                }
            }

            fn draw(&self, into: &mut Draft<'_>) -> Result<(), Refusal> {
                match self {
                    $(Kind::$workload(w) => w.draw(into),)*
                }
            }

            fn load(&self, cost: Cost, duration: Time) -> Load {
                match self {
                    $(Kind::$workload(w) => w.load(cost, duration),)*
                }
            }
        }
    };
}

workloads! {
    query::Query,
    background::Background,
    long::Long,
    permutation::Permutation,
    incast::Incast,
    replace::Replace,
    flow_list::FlowList,
}

/// Any registered workload, and the segment size of its flows.
#[derive(Clone, Debug, PartialEq)]
pub struct AnyWorkload {
    kind: Kind,
    mss: Option<Mss>,
}

impl AnyWorkload {
    /// Returns the name of its kind.
    pub fn kind(&self) -> &'static str {
        self.kind.name()
    }

    /// Returns the largest segment size set for a flow, in payload bytes, and the parameter that sets it.
    pub fn largest_mss(&self) -> Option<(u32, &'static str)> {
        let own = self.mss.map(|mss| (u32::from(mss.most()), "mss"));
        let listed = match &self.kind {
            Kind::FlowList(list) => list.largest_mss().map(|mss| (mss, "file")),
            _ => None,
        };
        own.into_iter().chain(listed).max()
    }

    /// Returns the classes under which its flows before `end` are counted, if the workload is called `name`.
    pub fn classes(&self, name: &str, end: Time) -> Vec<String> {
        let Kind::FlowList(list) = &self.kind else {
            return vec![name.to_string()];
        };
        let named = |word: Option<&str>| match word {
            None => name.to_string(),
            Some(word) => flow_list::class_name(name, word),
        };
        list.classes(end).into_iter().map(named).collect()
    }

    /// Returns true if flows of it belong to groups.
    pub fn has_groups(&self) -> bool {
        matches!(&self.kind, Kind::FlowList(list) if list.has_groups())
    }

    /// Returns, for a list, the number of flows that start at `end` or later, which are not part of the run,
    /// the number of all flows, and the first and the last of these starts.
    pub fn left_out(&self, end: Time) -> Option<(u64, u64, [Time; 2])> {
        match &self.kind {
            Kind::FlowList(list) => list.left_out(end),
            _ => None,
        }
    }

    /// Returns the load offered to a network during `duration`.
    pub fn load(&self, cost: Cost, duration: Time) -> Load {
        let Some(mss) = self.mss else {
            return self.kind.load(cost, duration);
        };
        let each = mss
            .samples()
            .map(|mss| self.kind.load(Cost { mss, ..cost }, duration));
        Load::mean(each)
    }

    /// Appends its flows and queries to `plan`: those that start before `duration`.
    ///
    /// `class` is its index in `plan.classes`, which already names every workload of the
    /// scenario (a flow list may append more classes); `name` is its name in the scenario, which
    /// names its random streams. Errors: more flows than a plan holds, a start past the end
    /// of time; the plan is then incomplete.
    pub fn plan(
        &self,
        class: u8,
        duration: Time,
        seed: Seed,
        name: &str,
        plan: &mut TrafficPlan,
    ) -> Result<(), Refusal> {
        let before = plan.flows.len();
        let mut draft = Draft::new(plan, class, duration, seed, name);
        self.kind.draw(&mut draft)?;
        if let Some(mss) = self.mss {
            let mut rng = draft.seed.stream("mss");
            mss.draw(&mut plan.flows[before..], &mut rng);
            plan.share_mss();
        }
        Ok(())
    }
}

/// Most flows of a plan. Assumed: 2²⁶ flows take 4 GB. A fuzzer has neither that memory nor the time.
pub const MAX_FLOWS: usize = if cfg!(fuzzing) { 1 << 10 } else { 1 << 26 };

/// Plan being written by one workload.
pub struct Draft<'a> {
    class: u8,
    duration: Time,
    seed: Seed,
    name: &'a str,
    plan: &'a mut TrafficPlan,
}

impl<'a> Draft<'a> {
    /// Returns a draft for the workload called `name`, of `class`, which appends to `plan`; see
    /// [`AnyWorkload::plan`].
    pub fn new(
        plan: &'a mut TrafficPlan,
        class: u8,
        duration: Time,
        seed: Seed,
        name: &'a str,
    ) -> Draft<'a> {
        Draft {
            class,
            duration,
            seed: Seed(seed.salt(("workload", name))),
            name,
            plan,
        }
    }

    /// Refuses a run of about `flows` flows when it cannot fit, before any is drawn.
    fn expect(&self, flows: f64) -> Result<(), Refusal> {
        if self.plan.flows.len() as f64 + flows > 1.1 * MAX_FLOWS as f64 {
            return Err(too_many(&format!("about {flows:.0}")));
        }
        Ok(())
    }

    /// Appends a flow of `size` payload bytes and returns its number.
    ///
    /// Returns an error if the plan is full. Panics if the flow joins a host to itself or has no byte.
    pub fn flow(&mut self, src: u32, dst: u32, size: u64, start: Start) -> Result<FlowId, Refusal> {
        self.flow_of(FlowPlan {
            src: HostId(src),
            dst: HostId(dst),
            size,
            start,
            class: self.class,
            query: None,
            request: false,
            mss: None,
        })
    }

    fn flow_of(&mut self, flow: FlowPlan) -> Result<FlowId, Refusal> {
        let id = self.plan.flows.len();
        if id >= MAX_FLOWS {
            return Err(too_many("more"));
        }
        assert!(
            flow.src != flow.dst && flow.size > 0,
            "a flow joins two hosts and has a byte: {flow:?}"
        );
        self.plan.flows.push(flow);
        Ok(FlowId(id as u32))
    }

    /// Appends a query with `responses` flows to come, and returns its number.
    fn query(&mut self, start: Time, target: u32, responses: u32) -> u32 {
        self.plan.queries.push(QueryPlan {
            start,
            target: HostId(target),
            responses,
            class: self.class,
        });
        (self.plan.queries.len() - 1) as u32
    }

    /// Appends a flow that answers `query`.
    fn response(
        &mut self,
        query: u32,
        src: u32,
        size: u64,
        start: Start,
    ) -> Result<FlowId, Refusal> {
        let dst = self.plan.queries[query as usize].target;
        self.flow_of(FlowPlan {
            src: HostId(src),
            dst,
            size,
            start,
            class: self.class,
            query: Some(query),
            request: false,
            mss: None,
        })
    }

    /// Puts `flow`, the latest, on the connection that `opener` opens; both may be the same.
    fn join(&mut self, flow: FlowId, opener: FlowId) {
        self.plan.joint.push(Joint { flow, opener });
    }

    /// Appends the flow of a request.
    fn request(&mut self, ask: &exchange::Ask, size: u64) -> Result<FlowId, Refusal> {
        self.flow_of(FlowPlan {
            src: HostId(ask.from),
            dst: HostId(ask.to),
            size,
            start: Start::At(ask.at),
            class: self.class,
            query: ask.query,
            request: true,
            mss: None,
        })
    }
}

/// Returns the refusal of too many flows. It blames no parameter: many, and the duration, together cause it.
fn too_many(got: &str) -> Refusal {
    Refusal::of_none(format!("expected at most {MAX_FLOWS} flows in a run")).got(got)
}

/// Returns `start + wait`, or a refusal if that overflows.
fn later(start: Time, wait: Time) -> Result<Time, Refusal> {
    let sum = start.checked_add(wait);
    let past = || Refusal::of_none("expected a start before the end of time");
    sum.ok_or_else(|| past().got(format!("{start} + {wait}")))
}

/// Draws a time uniformly from `[0, most)`; returns 0 for 0.
fn jitter(rng: &mut sidestep_types::Rng, most: Time) -> Time {
    Time::from_ps(rng.below(most.ps()))
}

/// Instants of a Poisson process with this mean gap, from time zero on.
struct Poisson {
    rng: sidestep_types::Rng,
    gap_ps: f64,
    at: Time,
}

impl Poisson {
    fn new(rng: sidestep_types::Rng, gap_ps: f64) -> Poisson {
        let at = Time::ZERO;
        Poisson { rng, gap_ps, at }
    }

    /// Returns the next instant, if it comes before `end`.
    fn next_before(&mut self, end: Time) -> Option<Time> {
        // A gap past the end of time saturates, and so lies after `end`.
        let gap = Time::from_ps(self.rng.exponential(self.gap_ps) as u64);
        self.at = self.at.saturating_add(gap);
        (self.at < end).then_some(self.at)
    }
}

/// Returns the host `target`, if one is given.
fn target(target: Option<u64>, hosts: u32) -> Result<Option<u32>, Refusal> {
    if let Some(target) = target.filter(|t| *t >= u64::from(hosts)) {
        let expected = format!("must be a host from 0 to {}", hosts - 1);
        return Err(Refusal::of("target", expected).got(target));
    }
    Ok(target.map(|target| target as u32))
}

/// The size of a flow, from a byte to [`FlowPlan::LARGEST`].
#[derive(Clone, Copy, Debug, PartialEq)]
struct FlowSize(u64);

impl Setting for FlowSize {
    const UNIT: ParamUnit = Bytes::UNIT;

    fn read(name: &'static str, value: &Value) -> Result<FlowSize, Refusal> {
        let Bytes(got) = Bytes::read(name, value)?;
        if !(1..=FlowPlan::LARGEST).contains(&got) {
            let expected = format!("must be from 1 B to {} B", FlowPlan::LARGEST);
            return Err(Refusal::of(name, expected).got(format!("{got} B")));
        }
        Ok(FlowSize(got))
    }
}

/// The size of a flow, or [`FlowPlan::ENDLESS`].
fn endless(size: Option<FlowSize>) -> u64 {
    size.map_or(FlowPlan::ENDLESS, |size| size.0)
}

#[cfg(test)]
mod tests;
