//! Queries a world while it runs.

use super::log;
use super::neighbours::{Neighbourhood, directed};
use super::samples::Samples;
use super::seen::{FlowsFrom, Occupancy, Probed};
use super::spec::{Probe, classes_of, workload_of};
use super::window::Window;
use super::windowed::Windowed;
use crate::running::Running;
use crate::stats::jain;
use sidestep_sim::agenda::Agenda;
use sidestep_sim::{End, Network, Outcome, TrafficPlan, Watched};
use sidestep_switch::{Capacity, Depth};
use sidestep_types::{BitRate, FlowId, PortId, Time};
use std::sync::Arc;

/// Name of the sample of latencies.
const LATENCY: &str = "latency_us";
/// Name of the sample of shares in which packets are split between links.
const SPLIT: &str = "split_share";
/// Name of the sample of waits.
const QUEUEING: &str = "queueing_us";
/// Sample of waits of flows up to a size in bytes, the mice of Vertigo (CoNEXT 2021).
const MICE: (&str, u64) = ("queueing_upto_100kb_us", 100_000);

/// Queries a world whenever a probe is due.
pub(crate) struct Prober {
    probe: Probe,
    network: Arc<Network>,
    plan: Arc<TrafficPlan>,
    /// Capacity of each switch.
    capacities: Vec<Capacity>,
    links: Option<Window>,
    neighbours: Option<(Window, Neighbourhood)>,
    windowed: Windowed,
    samples: Samples,
    /// Number of instants of `occupancy` that have passed.
    noted: usize,
    occupancy: Vec<Occupancy>,
    flows_from: Option<FlowsFrom>,
}

/// Changing state of a prober, to write. [`Saved`] reads it back.
#[derive(serde::Serialize)]
pub(crate) struct View<'a> {
    links: &'a Option<Window>,
    neighbours: Option<&'a Window>,
    windowed: &'a Windowed,
    samples: &'a Samples,
    noted: usize,
    occupancy: &'a [Occupancy],
    flows_from: &'a Option<FlowsFrom>,
}

/// Changing state of a prober, as read back.
#[derive(serde::Deserialize)]
pub(crate) struct Saved {
    links: Option<Window>,
    neighbours: Option<Window>,
    windowed: Windowed,
    samples: Samples,
    noted: usize,
    occupancy: Vec<Occupancy>,
    flows_from: Option<FlowsFrom>,
}

impl Prober {
    pub fn state(&self) -> View<'_> {
        View {
            links: &self.links,
            neighbours: self.neighbours.as_ref().map(|(window, _)| window),
            windowed: &self.windowed,
            samples: &self.samples,
            noted: self.noted,
            occupancy: &self.occupancy,
            flows_from: &self.flows_from,
        }
    }

    /// Continues from the stored state of the same probes. Errors report state that does not fit.
    pub fn go_on(&mut self, mut saved: Saved) -> Result<(), String> {
        let like = |kept: Option<&Window>, built: Option<&Window>| match (kept, built) {
            (Some(kept), Some(built)) => kept.is_like(built),
            (kept, built) => kept.is_none() && built.is_none(),
        };
        let around = self.neighbours.as_ref().map(|(window, _)| window);
        let fits = like(saved.links.as_ref(), self.links.as_ref())
            && like(saved.neighbours.as_ref(), around)
            && saved
                .windowed
                .restore_constants(std::mem::take(&mut self.windowed))
            && saved.noted <= self.probe.occupancy.len();
        if !fits {
            return Err("saved probes do not match the scenario".into());
        }
        self.links = saved.links;
        if let (Some((window, _)), Some(kept)) = (&mut self.neighbours, saved.neighbours) {
            *window = kept;
        }
        self.windowed = saved.windowed;
        self.samples = saved.samples;
        (self.noted, self.occupancy) = (saved.noted, saved.occupancy);
        self.flows_from = saved.flows_from;
        Ok(())
    }

    pub fn new(
        probe: Probe,
        network: Arc<Network>,
        plan: &Arc<TrafficPlan>,
        capacities: Vec<Capacity>,
        duration: Time,
    ) -> Prober {
        let window = |span: Time| Window::first(span, duration, 2 * network.cables.len());
        Prober {
            capacities,
            links: probe.links.map(window),
            neighbours: (probe.neighbours).map(|span| (window(span), Neighbourhood::of(&network))),
            plan: Arc::clone(plan),
            windowed: Windowed::new(&probe, &network, plan, duration),
            samples: Samples::default(),
            noted: 0,
            occupancy: Vec::new(),
            flows_from: None,
            probe,
            network,
        }
    }

    /// Returns the time at which a probe is due next; `Time::MAX` if there is none.
    pub fn due(&self) -> Time {
        let links = self.links.as_ref().map_or(Time::MAX, Window::due);
        let around = self.neighbours.as_ref();
        let around = around.map_or(Time::MAX, |(window, _)| window.due());
        let noted = self.probe.occupancy.get(self.noted);
        let noted = noted.copied().unwrap_or(Time::MAX);
        let flows = match self.flows_from {
            None if self.probe.flows_from > Time::ZERO => self.probe.flows_from,
            _ => Time::MAX,
        };
        let rare = noted.min(flows);
        links.min(around).min(rare).min(self.windowed.due())
    }

    /// Queries a world that has run until `now`.
    pub fn look<A: Agenda>(&mut self, world: &mut Running<A>, now: Time) {
        if let Some(window) = &mut self.links
            && window.due() == now
        {
            let carried = window.next(world.link_bytes());
            self.sample_links(&carried);
        }
        if let Some((window, _)) = &mut self.neighbours
            && window.due() == now
        {
            let carried = window.next(world.link_bytes());
            let depths = world.queue_depths(now);
            self.sample_neighbours(&carried, &depths);
        }
        self.windowed.look(world, now, &mut self.samples);
        if self.flows_from.is_none() && self.probe.flows_from == now {
            let flows = (0..).map(FlowId).zip(&self.plan.flows);
            let endless = flows.filter(|(_, flow)| flow.is_endless());
            self.flows_from = Some(FlowsFrom {
                at_ps: now.ps(),
                delivered: endless.map(|(id, _)| world.delivered(id).0).collect(),
            });
        }
        while self.probe.occupancy.get(self.noted) == Some(&now) {
            let depths = world.queue_depths(now);
            self.occupancy.push(Occupancy {
                at_ps: now.ps(),
                packets: depths.iter().map(|depth| depth.packets).collect(),
            });
            self.noted += 1;
        }
    }

    /// Adds fair shares, one for each flow in each draw.
    pub fn fair(&mut self, draws: &[Vec<f64>]) {
        for shares in draws {
            for share in shares {
                self.samples.add("fair_share", *share);
            }
            let ends = shares.iter().copied().reduce(f64::min);
            let ends = ends.zip(shares.iter().copied().reduce(f64::max));
            if let Some((least, most)) = ends {
                self.samples.add("fair_max_over_min", most / least);
            }
            if let Some(jain) = jain(shares.iter().copied()) {
                self.samples.add("fair_jain", jain);
            }
        }
    }

    /// Adds, for each workload whose packets are followed, one value for each link of a selection: the share of
    /// the workload's packets through the selection that took this link.
    fn split(&mut self, watched: &Watched, outcome: &Outcome) {
        for between in &self.probe.spread {
            let ports = between.links.iter().map(|place| &outcome.ports[*place]);
            let ports: Vec<(End, PortId)> = ports.map(|port| (port.from, port.port)).collect();
            for class in &self.probe.latency {
                let of = |class, (from, port): &(End, PortId)| match from {
                    End::Switch(switch) => watched.crossings.get(&(class, *switch, *port)).copied(),
                    End::Host(_) => None,
                };
                let crossed = ports.iter().map(|port| -> u64 {
                    let each = classes_of(&self.plan, *class).filter_map(|class| of(class, port));
                    each.sum()
                });
                let crossed: Vec<u64> = crossed.collect();
                let all: u64 = crossed.iter().sum();
                let workload = &self.plan.classes[usize::from(*class)];
                for one in crossed.into_iter().filter(|_| all > 0) {
                    let share = one as f64 / all as f64;
                    self.samples.add(SPLIT, share);
                    self.samples.add(&format!("{SPLIT}.{workload}"), share);
                }
            }
        }
    }

    /// Returns the number of instants of `occupancy` that were not reached, and the number of all; `None` if
    /// all were reached.
    pub fn missed(&self) -> Option<(usize, usize)> {
        let all = self.probe.occupancy.len();
        (self.noted < all).then_some((all - self.noted, all))
    }

    pub fn finish(mut self, watched: Watched, outcome: &Outcome) -> Probed {
        self.split(&watched, outcome);
        self.windowed.finish(&mut self.samples);
        for (class, latency) in &watched.latencies {
            let us = latency.ps() as f64 / 1e6;
            let workload = workload_of(&self.plan.classes[usize::from(*class)]);
            self.samples.add(LATENCY, us);
            self.samples.add(&format!("{LATENCY}.{workload}"), us);
        }
        if watched.latencies_taken > watched.latencies.len() as u64 {
            (self.samples).thinned_before(LATENCY, watched.latencies_taken);
        }
        for (class, flow, wait) in &watched.waits {
            let us = wait.ps() as f64 / 1e6;
            let workload = workload_of(&self.plan.classes[usize::from(*class)]);
            let small = self.plan.flows[flow.0 as usize].size <= MICE.1;
            for name in [Some(QUEUEING), small.then_some(MICE.0)]
                .into_iter()
                .flatten()
            {
                self.samples.add(name, us);
                self.samples.add(&format!("{name}.{workload}"), us);
            }
        }
        if watched.waits_taken > watched.waits.len() as u64 {
            (self.samples).thinned_before(QUEUEING, watched.waits_taken);
        }
        let sampled = self.samples.finish();
        Probed {
            drops_at: log::drops_at(&self.network, outcome),
            detours: watched.detours.iter().map(log::detour).collect(),
            detours_missed: watched.detours_missed,
            paths: watched.paths.iter().map(log::path).collect(),
            loops: self.probe.loops.then(|| log::loops(&watched.loops)),
            samples: sampled.values,
            windows: sampled.windows,
            thinned: sampled.thinned,
            occupancy: self.occupancy,
            flows_from: self.flows_from,
        }
    }

    /// Iterates over directed links out of switches: index, feeding switch, rate.
    fn fabric(&self) -> impl Iterator<Item = (usize, u32, BitRate)> {
        directed(&self.network).filter_map(|(place, from, rate)| match from {
            End::Switch(s) => Some((place, s.0, rate)),
            End::Host(_) => None,
        })
    }

    fn is_hot(&self, bytes: u64, rate: BitRate, span: Time) -> bool {
        let (above, below) = self.probe.hot;
        // bytes · 8 / (rate · span / 10¹²) ≥ above / below
        let carried = u128::from(bytes) * 8_000_000_000_000 * u128::from(below);
        carried >= u128::from(rate.as_bps()) * u128::from(span.ps()) * u128::from(above)
    }

    fn sample_links(&mut self, carried: &[u64]) {
        let span = self.probe.links.expect("links are probed");
        let (mut n, mut hot, mut most) = (0u64, 0u64, 0.0f64);
        for (place, _, rate) in self.fabric() {
            n += 1;
            hot += u64::from(self.is_hot(carried[place], rate, span));
            let capacity = rate.as_bps() as f64 * span.as_s_f64() / 8.0;
            most = most.max(carried[place] as f64 / capacity);
        }
        if n > 0 {
            let samples = &mut self.samples;
            samples.of_window("hot_link_share", span, hot as f64 / n as f64);
            samples.of_window("busiest_link_use", span, most);
        }
    }

    fn sample_neighbours(&mut self, carried: &[u64], depths: &[Depth]) {
        let span = self.probe.neighbours.expect("neighbours are probed");
        let (_, around) = self.neighbours.as_ref().expect("neighbours are probed");
        let hot = self
            .fabric()
            .filter(|(place, _, rate)| self.is_hot(carried[*place], *rate, span));
        let mut found = Vec::new();
        for (_, switch, _) in hot {
            let names = ["neighbour_free_1hop", "neighbour_free_2hop"];
            for (name, switches) in names.into_iter().zip(&around.around[switch as usize]) {
                let free = around.free(switches, &self.capacities, depths);
                found.extend(free.map(|free| (name, free)));
            }
        }
        for (name, free) in found {
            self.samples.add(name, free);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{packets, row};
    use super::*;
    use sidestep_types::Size;

    #[test]
    fn each_hot_link_gives_a_value_and_a_hosts_own_link_none() {
        let (network, probe) = (
            row(),
            Probe {
                links: Some(Time::from_us(100)),
                neighbours: Some(Time::from_us(100)),
                ..Probe::default()
            },
        );
        let capacity = Capacity::PerPort(Size::Packets(10));
        let mut prober = Prober::new(
            probe,
            Arc::new(network),
            &Arc::default(),
            vec![capacity; 4],
            Time::from_ms(1),
        );
        // 1 Gbps carries 12,500 B in 100 us.
        let mut carried = vec![0; 14];
        (carried[0], carried[9], carried[3], carried[10]) = (12_500, 11_250, 11_249, 12_500);
        prober.sample_links(&carried);
        prober.sample_neighbours(&carried, &packets(&[(1, 10), (8, 2), (7, 4)]));
        let samples = prober.samples.finish().values;
        assert_eq!(samples["hot_link_share"], [2.0 / 10.0]);
        assert_eq!(samples["busiest_link_use"], [1.0]);
        // Switch 1 feeds both hot links; its neighbours are 0 and 2, then 3 at two cables.
        assert_eq!(samples["neighbour_free_1hop"], [38.0 / 50.0; 2]);
        assert_eq!(samples["neighbour_free_2hop"], [16.0 / 20.0; 2]);
    }

    #[test]
    fn windows_follow_each_other_until_the_duration_is_over() {
        let network = row();
        let probe = Probe {
            links: Some(Time::from_us(300)),
            occupancy: vec![Time::from_us(600), Time::from_us(2000)],
            ..Probe::default()
        };
        let mut prober = Prober::new(
            probe.clone(),
            Arc::new(network),
            &Arc::default(),
            vec![Capacity::Unlimited; 4],
            Time::from_ms(1),
        );
        let mut ends = Vec::new();
        while prober.due() < Time::MAX {
            let due = prober.due();
            ends.push(due.ps() / 1_000_000);
            let window = prober.links.as_mut().unwrap();
            if window.due() == due {
                assert_eq!(window.next(vec![ends.len() as u64 * 5; 14])[0], 5);
            }
            prober.noted += usize::from(probe.occupancy.get(prober.noted) == Some(&due));
        }
        assert_eq!(ends, [300, 600, 900, 2000]);
    }
}
