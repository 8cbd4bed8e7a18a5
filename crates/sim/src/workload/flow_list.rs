//! A user's own flows, from a file.
//!
//! **Decision**     the flows of the list that start before the run ends, as they are.
//! **Units**        the file's: see [`crate::flow_list`].
//! **Errors**       `file:line: expected …, got …`; more classes than a plan holds.
//! **Deviations**   a flow in a `class` of the list is counted under `<workload>/<class>`, a class
//!                  that is added to the plan's. A group with flows that are left out
//!                  because they start after the run's end never completes.

use super::load::per_second;
use super::{Cost, Draft, Load, Site, Workload};
use crate::files::Files;
use crate::flow_list::{ListedFlow, parse};
use crate::plan::{GroupPlan, Start};
use sidestep_types::{About, FileName, FlowId, Refusal, Settings, Time};
use std::collections::{BTreeMap, BTreeSet};

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowList {
    flows: Vec<ListedFlow>,
}

/// Settings of [`FlowList`].
#[derive(Settings)]
pub struct FlowListSettings {
    /// header start,src,dst,size (optionally mss, class, group); rows like 1.5 ms,0,3,20 kB
    file: FileName,
}

impl Workload for FlowList {
    type Settings = FlowListSettings;
    const ABOUT: About = About {
        name: "flow_list",
        summary: "a user's own flows, from a file",
        source: "Sidestep's own format",
    };

    fn build(set: FlowListSettings, files: &dyn Files, site: &Site) -> Result<FlowList, Refusal> {
        let FileName(path) = set.file;
        let text = files.read(&path).map_err(|why| format!("{path:?}: {why}"));
        let flows = text.and_then(|text| parse(&path, &text, site.hosts()));
        match flows {
            Ok(flows) => Ok(FlowList { flows }),
            Err(why) => Err(Refusal::about(&["file"], why)),
        }
    }

    fn draw(&self, into: &mut Draft<'_>) -> Result<(), Refusal> {
        let own = into.class;
        let mut groups = Groups::default();
        for flow in self.before(into.duration) {
            into.class = match &flow.class {
                None => own,
                Some(word) => into.class_of(word)?,
            };
            let id = into.flow(flow.src.0, flow.dst.0, flow.size, Start::At(flow.start))?;
            into.plan.flows[id.0 as usize].mss = flow.mss;
            if let Some(name) = &flow.group {
                groups.add(name, into.class, flow.start, id);
            }
        }
        into.class = own;
        let late = self.flows.iter().filter(|f| f.start >= into.duration);
        late.filter_map(|flow| flow.group.as_deref())
            .for_each(|name| groups.leave_out(name));
        into.plan.groups.append(&mut groups.all);
        Ok(())
    }

    fn load(&self, cost: Cost, duration: Time) -> Load {
        let mut load = Load::default();
        let mut used = 0;
        for flow in self.before(duration) {
            let mss = flow.mss.map_or(cost.mss, |mss| u32::from(mss.get()));
            load.add_some(1, flow.size, Cost { mss, ..cost }, duration);
            used += 1;
        }
        load.flows_per_s = per_second(used, duration);
        let late = self.flows.len() as u64 - used;
        let plural = if used == 1 { "" } else { "s" };
        load.notes
            .push(format!("{used} flow{plural} from the list"));
        if late > 0 {
            load.notes.push(format!(
                "left out, with a start at {duration} or later: {late}"
            ));
        }
        load
    }
}

impl FlowList {
    /// Returns the largest segment of a flow of the list, in payload bytes.
    pub(super) fn largest_mss(&self) -> Option<u32> {
        let said = self.flows.iter().filter_map(|flow| flow.mss);
        said.max().map(|mss| u32::from(mss.get()))
    }

    /// Returns the classes of its flows before `end`, each once; `None` for flows without one.
    pub(super) fn classes(&self, end: Time) -> BTreeSet<Option<&str>> {
        self.before(end).map(|flow| flow.class.as_deref()).collect()
    }

    /// Returns true if a flow of it belongs to a group.
    pub(super) fn has_groups(&self) -> bool {
        self.flows.iter().any(|flow| flow.group.is_some())
    }

    /// See [`super::AnyWorkload::left_out`].
    pub(super) fn left_out(&self, end: Time) -> Option<(u64, u64, [Time; 2])> {
        let late = self.flows.iter().filter(|flow| flow.start >= end);
        let starts = || late.clone().map(|flow| flow.start);
        let ends = [starts().min()?, starts().max()?];
        Some((late.count() as u64, self.flows.len() as u64, ends))
    }

    fn before(&self, end: Time) -> impl Iterator<Item = &ListedFlow> {
        self.flows.iter().filter(move |flow| flow.start < end)
    }
}

/// The groups of a list, in the order in which they are first named.
#[derive(Default)]
struct Groups<'a> {
    all: Vec<GroupPlan>,
    places: BTreeMap<&'a str, usize>,
}

impl<'a> Groups<'a> {
    fn add(&mut self, name: &'a str, class: u8, start: Time, flow: FlowId) {
        let place = *self.places.entry(name).or_insert(self.all.len());
        match self.all.get_mut(place) {
            Some(group) => {
                group.class = group.class.filter(|own| *own == class);
                group.start = group.start.min(start);
                group.flows.push(flow);
            }
            None => self.all.push(GroupPlan {
                name: name.to_string(),
                class: Some(class),
                start,
                flows: vec![flow],
                left_out: 0,
            }),
        }
    }

    /// Counts a flow of the group `name` that starts too late. A group with only such flows is not part of the
    /// run.
    fn leave_out(&mut self, name: &str) {
        if let Some(place) = self.places.get(name) {
            self.all[*place].left_out += 1;
        }
    }
}

/// Returns the name under which flows of the class `word` in the list of `workload` are counted.
pub(super) fn class_name(workload: &str, word: &str) -> String {
    format!("{workload}/{word}")
}

impl Draft<'_> {
    /// Returns the class `<workload>/<word>` of the plan, and adds it if it is new.
    fn class_of(&mut self, word: &str) -> Result<u8, Refusal> {
        let name = class_name(self.name, word);
        let classes = &mut self.plan.classes;
        let known = classes.iter().position(|c| *c == name);
        let at = known.unwrap_or(classes.len());
        let index = u8::try_from(at).map_err(|_| {
            let got = format!("one more, {word:?}");
            Refusal::about(&["file"], "expected at most 256 classes in a run").got(got)
        })?;
        if known.is_none() {
            classes.push(name);
        }
        Ok(index)
    }
}
