//! Windowed samples: goodput, drops, and the spread of queues and uses.

use super::between::Between;
use super::samples::Samples;
use super::spec::Probe;
use super::window::Window;
use crate::running::Running;
use sidestep_sim::agenda::Agenda;
use sidestep_sim::{Network, Start, TrafficPlan};
use sidestep_switch::{Depth, DropReason};
use sidestep_types::{BitRate, FlowId, Time};
use std::sync::Arc;

/// Probes that are queried at the end of each window.
#[derive(Default, serde::Serialize, serde::Deserialize)]
pub struct Windowed {
    goodput: Option<Goodput>,
    drops: Option<Window>,
    spread: Option<Spread>,
}

impl Windowed {
    pub fn new(probe: &Probe, network: &Network, plan: &Arc<TrafficPlan>, last: Time) -> Windowed {
        let spread = (!probe.spread.is_empty()).then(|| Spread {
            window: Window::first(probe.spread_window, last, 2 * network.cables.len()),
            from: probe.spread_from,
            between: probe.spread.clone(),
            rates: (network.cables.iter().flat_map(|cable| [cable.rate; 2])).collect(),
        });
        Windowed {
            goodput: probe.goodput.map(|span| Goodput::new(span, last, plan)),
            drops: (probe.drops).map(|span| Window::first(span, last, DropReason::COUNT)),
            spread,
        }
    }

    /// Continues stored state with the configuration of `built`, the same probes before the run. Returns true
    /// if both fit.
    pub fn restore_constants(&mut self, built: Windowed) -> bool {
        let goodput = match (&mut self.goodput, built.goodput) {
            (Some(kept), Some(built)) => {
                let like =
                    kept.window.is_like(&built.window) && kept.done.len() == built.done.len();
                (kept.plan, kept.follow) = (built.plan, built.follow);
                let flows = kept.plan.flows.len();
                let there = |flow: &FlowId| (flow.0 as usize) < flows;
                let ahead = kept.ahead.iter().map(|(_, flow)| flow);
                like && ahead.chain(&kept.open).all(there)
            }
            (kept, built) => kept.is_none() && built.is_none(),
        };
        let drops = match (&self.drops, &built.drops) {
            (Some(kept), Some(built)) => kept.is_like(built),
            (kept, built) => kept.is_none() && built.is_none(),
        };
        let spread = match (&mut self.spread, built.spread) {
            (Some(kept), Some(built)) => {
                (kept.between, kept.rates, kept.from) = (built.between, built.rates, built.from);
                kept.window.is_like(&built.window)
            }
            (kept, built) => kept.is_none() && built.is_none(),
        };
        goodput && drops && spread
    }

    /// Returns the end of the next window; `Time::MAX` if none is left.
    pub fn due(&self) -> Time {
        let goodput = self.goodput.as_ref().map(|goodput| &goodput.window);
        let spread = self.spread.as_ref().map(|spread| &spread.window);
        let all = [goodput, self.drops.as_ref(), spread];
        let due = all.into_iter().flatten().map(Window::due);
        due.min().unwrap_or(Time::MAX)
    }

    /// Queries a world that has run until `now`.
    pub fn look<A: Agenda>(&mut self, world: &mut Running<A>, now: Time, samples: &mut Samples) {
        if let Some(goodput) = &mut self.goodput
            && goodput.window.due() == now
        {
            goodput.look(|flow| world.delivered(flow), samples);
        }
        if let Some(window) = &mut self.drops
            && window.due() == now
        {
            count_drops(window, world.drops(), samples);
        }
        if let Some(spread) = &mut self.spread
            && spread.window.due() == now
        {
            spread.look(world.link_bytes(), &world.queue_depths(now), samples);
        }
    }

    /// Removes the reasons for which nothing was dropped.
    pub fn finish(self, samples: &mut Samples) {
        for reason in DropReason::ALL {
            samples.forget_zeros(&by_reason(reason));
        }
    }
}

/// Bytes delivered in order, of each workload and of all. Only flows that may be in progress are queried:
/// most flows of a long closed loop are drawn and never start.
#[derive(serde::Serialize, serde::Deserialize)]
struct Goodput {
    window: Window,
    #[serde(skip)]
    plan: Arc<TrafficPlan>,
    /// Flows with a known start in the future, the next one last.
    ahead: Vec<(Time, FlowId)>,
    /// Flows that follow another: `(the other, this one)`, sorted.
    #[serde(skip)]
    follow: Vec<(FlowId, FlowId)>,
    /// Flows that may have begun and have more to deliver.
    open: Vec<FlowId>,
    /// Bytes of finished flows, by workload.
    done: Vec<u64>,
}

impl Goodput {
    fn new(span: Time, last: Time, plan: &Arc<TrafficPlan>) -> Goodput {
        let (mut ahead, mut follow) = (Vec::new(), Vec::new());
        for (id, flow) in (0..).map(FlowId).zip(&plan.flows) {
            match (flow.start, flow.start.follows()) {
                (_, Some(other)) => follow.push((other, id)),
                (Start::At(at), None) => ahead.push((at, id)),
                (_, None) => ahead.push((Time::ZERO, id)),
            }
        }
        ahead.sort_unstable_by(|a, b| b.cmp(a));
        follow.sort_unstable();
        Goodput {
            window: Window::first(span, last, plan.classes.len()),
            ahead,
            follow,
            open: Vec::new(),
            done: vec![0; plan.classes.len()],
            plan: Arc::clone(plan),
        }
    }

    /// Ends a window. `delivered` returns the bytes delivered of a flow, and whether the flow is complete.
    fn look(&mut self, delivered: impl Fn(FlowId) -> (u64, bool), samples: &mut Samples) {
        let now = self.window.due();
        while let Some((_, flow)) = self.ahead.pop_if(|(at, _)| *at <= now) {
            self.open.push(flow);
        }
        let mut under_way = vec![0; self.done.len()];
        let mut asked = 0;
        while let Some(flow) = self.open.get(asked).copied() {
            let class = usize::from(self.plan.flows[flow.0 as usize].class);
            let (own, whole) = delivered(flow);
            if !whole {
                under_way[class] += own;
                asked += 1;
                continue;
            }
            self.done[class] += own;
            self.open.swap_remove(asked);
            let first = self.follow.partition_point(|(other, _)| *other < flow);
            let its = self.follow[first..].iter();
            let its = its.take_while(|(other, _)| *other == flow);
            self.open.extend(its.map(|(_, follower)| *follower));
        }
        let bytes = self
            .done
            .iter()
            .zip(under_way)
            .map(|(done, more)| done + more);
        let each = self.window.next(bytes.collect());
        let span = self.window.span();
        let gbps = |bytes: u64| bytes as f64 * 8.0 / span.as_s_f64() / 1e9;
        samples.of_window("goodput_gbps", span, gbps(each.iter().sum()));
        for (class, bytes) in self.plan.classes.iter().zip(each) {
            samples.of_window(&format!("goodput_gbps.{class}"), span, gbps(bytes));
        }
    }
}

fn count_drops(window: &mut Window, drops: [u64; DropReason::COUNT], samples: &mut Samples) {
    let span = window.span();
    let each = window.next(drops.to_vec());
    samples.of_window("window_drops", span, each.iter().sum::<u64>() as f64);
    for reason in DropReason::ALL {
        let count = each[reason as usize] as f64;
        samples.of_window(&by_reason(reason), span, count);
    }
}

fn by_reason(reason: DropReason) -> String {
    format!("window_drops.{}", reason.name())
}

/// Difference between the largest and the smallest value of some links.
#[derive(serde::Serialize, serde::Deserialize)]
struct Spread {
    window: Window,
    /// Start of the first window that counts.
    from: Time,
    #[serde(skip)]
    between: Vec<Between>,
    /// Rate of each link.
    #[serde(skip)]
    rates: Vec<BitRate>,
}

impl Spread {
    fn look(&mut self, bytes: Vec<u64>, depths: &[Depth], samples: &mut Samples) {
        let span = self.window.span();
        let begins = self.window.due().saturating_sub(span);
        let carried = self.window.next(bytes);
        if begins < self.from {
            return;
        }
        for between in &self.between {
            let queues = between.links.iter().map(|place| depths[*place].bytes);
            let uses = between.links.iter().map(|place| {
                let capacity = self.rates[*place].as_bps() as f64 * span.as_s_f64() / 8.0;
                carried[*place] as f64 / capacity
            });
            let queues = width(queues.map(f64::from));
            for (name, value) in [("queue_spread_bytes", queues), ("use_spread", width(uses))] {
                let own = format!("{name}.{}", between.says);
                match self.from {
                    Time::ZERO => samples.of_window(&own, span, value),
                    _ => samples.add(&own, value),
                }
                // Several selections give more than one value for each window, and the first counted window
                // does not begin with the run where earlier ones are left out.
                match self.between.len() {
                    1 if self.from == Time::ZERO => samples.of_window(name, span, value),
                    _ => samples.add(name, value),
                }
            }
        }
    }
}

fn width(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let least = values.clone().fold(f64::INFINITY, f64::min);
    values.fold(f64::NEG_INFINITY, f64::max) - least
}

#[cfg(test)]
mod tests {
    use super::super::testing::{packets, row};
    use super::*;

    #[test]
    fn goodput_is_what_was_delivered_in_the_window_by_workload() {
        let text = "duration = \"1 ms\"\nschemes = \"dctcp\"\n\
            [topology]\nkind = \"linear\"\nswitches = 4\nhosts_per_switch = 1\n\
            [workload.a]\nkind = \"incast\"\ndegree = 2\nsize = \"4 kB\"\n\
            [workload.b]\nkind = \"incast\"\ndegree = 1\nsize = \"4 kB\"\n";
        let read = crate::Scenario::read("t.toml", text, &[], &sidestep_sim::NoFiles);
        let scenario = read.unwrap_or_else(|problems| panic!("{problems:?}"));
        let plan = scenario.plan(1).unwrap();
        let classes: Vec<u8> = plan.flows.iter().map(|flow| flow.class).collect();
        assert_eq!(classes, [0, 0, 1]);
        let mut samples = Samples::default();
        let mut goodput = Goodput::new(Time::from_us(1), Time::from_us(9), &Arc::new(plan));
        // Bytes delivered of each flow at the end of each window.
        for bytes in [[1000, 500, 0], [4000, 500, 125], [4000, 4000, 125]] {
            let delivered = |f: FlowId| (bytes[f.0 as usize], bytes[f.0 as usize] == 4000);
            goodput.look(delivered, &mut samples);
        }
        assert_eq!(
            goodput.open,
            [FlowId(2)],
            "what is complete is not asked again"
        );
        let values = samples.finish().values;
        assert_eq!(values["goodput_gbps.a"], [12.0, 24.0, 28.0]);
        assert_eq!(values["goodput_gbps.b"], [0.0, 1.0, 0.0]);
        assert_eq!(values["goodput_gbps"], [12.0, 25.0, 28.0]);
    }

    #[test]
    fn who_follows_is_asked_once_the_other_is_whole_and_who_starts_later_then() {
        let text = "duration = \"1 ms\"\nschemes = \"dctcp\"\n\
            [topology]\nkind = \"linear\"\nswitches = 4\nhosts_per_switch = 1\n\
            [workload.loop]\nkind = \"replace\"\nactive = 1\ncdf = \"off\"\nsize = \"20 kB\"\n\
            [workload.late]\nkind = \"long\"\nsize = \"4 kB\"\nstart = \"30 us\"\n";
        let read = crate::Scenario::read("t.toml", text, &[], &sidestep_sim::NoFiles);
        let scenario = read.unwrap_or_else(|problems| panic!("{problems:?}"));
        let plan = scenario.plan(1).unwrap();
        let late = plan.flows.len() as u32 - 1;
        assert!(late >= 5, "the loop fills the run");
        let mut goodput = Goodput::new(Time::from_us(10), Time::from_us(90), &Arc::new(plan));
        let mut samples = Samples::default();
        for (whole, asked) in [(0, vec![0]), (2, vec![0, 1, 2]), (3, vec![2, late, 3])] {
            let seen = std::cell::RefCell::new(Vec::new());
            goodput.look(
                |flow| {
                    seen.borrow_mut().push(flow.0);
                    (1000, flow.0 < whole)
                },
                &mut samples,
            );
            assert_eq!(seen.into_inner(), asked);
        }
    }

    #[test]
    fn drops_are_those_of_the_window_and_reasons_without_any_are_left_out() {
        let mut window = Window::first(Time::from_us(1), Time::from_us(9), DropReason::COUNT);
        let mut samples = Samples::default();
        let mut drops = [0; DropReason::COUNT];
        for (full, ttl) in [(3, 0), (3, 0), (7, 1)] {
            drops[DropReason::Full as usize] = full;
            drops[DropReason::Ttl as usize] = ttl;
            count_drops(&mut window, drops, &mut samples);
        }
        Windowed::default().finish(&mut samples);
        let values = samples.finish().values;
        assert_eq!(values["window_drops"], [3.0, 0.0, 5.0]);
        assert_eq!(values["window_drops.full"], [3.0, 0.0, 4.0]);
        assert_eq!(values["window_drops.ttl"], [0.0, 0.0, 1.0]);
        assert_eq!(values.len(), 3);
    }

    #[test]
    fn spread_is_the_largest_less_the_smallest() {
        let network = row();
        let between = |says: &str, links: &[usize]| Between {
            says: says.into(),
            links: links.to_vec(),
        };
        let mut spread = Spread {
            window: Window::first(Time::from_us(100), Time::from_ms(1), 14),
            from: Time::ZERO,
            between: vec![between("one", &[8, 9, 10]), between("other", &[8, 12])],
            rates: (network.cables.iter().flat_map(|cable| [cable.rate; 2])).collect(),
        };
        let mut samples = Samples::default();
        // 1 Gbps carries 12,500 B in 100 us.
        let mut carried = vec![0; 14];
        (carried[8], carried[9], carried[10]) = (12_500, 2_500, 5_000);
        let depths = packets(&[(8, 2), (9, 5), (10, 4), (12, 2)]);
        spread.look(carried, &depths, &mut samples);
        let sampled = samples.finish();
        assert_eq!(sampled.values["queue_spread_bytes.one"], [3.0 * 1518.0]);
        assert_eq!(sampled.values["queue_spread_bytes.other"], [0.0]);
        assert_eq!(sampled.values["queue_spread_bytes"], [3.0 * 1518.0, 0.0]);
        assert_eq!(sampled.values["use_spread"], [0.8, 1.0]);
        assert!(sampled.windows.contains_key("use_spread.one"));
        assert!(!sampled.windows.contains_key("use_spread"));
    }
}
