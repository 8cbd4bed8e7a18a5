//! What is looked at while a run goes on: `[probe]` of a scenario, and what was seen.
//!
//! **Decision**     the world is stopped at the end of each window and at each instant, asked,
//!                  and goes on: a run with probes is the run without them, byte for byte.
//! **State**        bytes of each link at the end of the window before.
//! **Units**        shares of a link's rate and of buffers, 0 to 1; times in picoseconds.
//! **Errors**       none: what cannot be probed is refused when the scenario is read.
//! **Source**       Zarifis et al., EuroSys 2014 (DIBS), Figures 1, 2, 4 and 5.
//! **Deviations**   the paper does not say over which windows a link is hot, nor whose ports
//!                  count as the neighbourhood of one: assumed, in `docs/metrics.md`.

use serde::{Deserialize, Serialize};
use sidestep_sim::agenda::Agenda;
use sidestep_sim::{End, Network, Outcome, PacketTrace, TraceEvent, Watched, Watching, World};
use sidestep_switch::{Capacity, Depth, DropReason};
use sidestep_types::{BitRate, Size, Time};
use std::collections::BTreeMap;

/// At most so many detours are logged: more than a figure can show.
pub const MOST_DETOURS: usize = 100_000;

/// What to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The window over which the use of links is taken.
    pub links: Option<Time>,
    /// How often buffers around hot links are looked at.
    pub neighbours: Option<Time>,
    /// A link is hot from this use on: numerator and denominator.
    pub hot: (u64, u64),
    /// Log each detour.
    pub detours: bool,
    /// When to note every queue's length, in order.
    pub occupancy: Vec<Time>,
    /// Keep the paths of so many data packets, those with the most detours.
    pub paths: usize,
    /// Count loops.
    pub loops: bool,
}

impl Default for Probe {
    /// Nothing.
    fn default() -> Probe {
        Probe {
            links: None,
            neighbours: None,
            hot: (9, 10),
            detours: false,
            occupancy: Vec::new(),
            paths: 0,
            loops: false,
        }
    }
}

impl Probe {
    /// What the simulator must watch for it, if anything.
    pub(crate) fn watching(&self) -> Option<Watching> {
        let watching = Watching {
            detours: if self.detours { MOST_DETOURS } else { 0 },
            paths: self.paths,
            loops: self.loops,
        };
        (watching != Watching::default()).then_some(watching)
    }
}

/// What was seen beside the outcome.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Probed {
    /// Packets dropped, by reason and then by the tier of the switch, or by switch where a
    /// topology names no tiers. Probed or not; what did not happen is left out.
    #[serde(default)]
    pub drops_at: BTreeMap<String, BTreeMap<String, u64>>,
    /// Samples by name, in the order in which they were taken, to nine decimals.
    #[serde(default)]
    pub samples: BTreeMap<String, Vec<f64>>,
    /// The first [`MOST_DETOURS`] detours.
    #[serde(default)]
    pub detours: Vec<LoggedDetour>,
    /// Detours after those.
    #[serde(default)]
    pub detours_missed: u64,
    /// Queue lengths at the instants asked for, as far as the run went.
    #[serde(default)]
    pub occupancy: Vec<Occupancy>,
    /// Paths of the data packets with the most detours, most first.
    #[serde(default)]
    pub paths: Vec<LoggedPath>,
    /// Loops, when they were counted.
    #[serde(default)]
    pub loops: Option<Loops>,
}

impl Probed {
    /// What must be said beside a log that is not whole.
    pub fn note(&self) -> Option<String> {
        (self.detours_missed > 0).then(|| {
            let (kept, missed) = (self.detours.len(), self.detours_missed);
            format!(
                "the log of detours is full: it holds the first {kept}, and {missed} more happened"
            )
        })
    }
}

/// One detour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedDetour {
    /// When.
    pub at_ps: u64,
    /// The number of the switch.
    pub switch: u32,
    /// The port that the route chose.
    pub wanted: u16,
    /// The port it left by.
    pub taken: u16,
}

/// How long every queue was at one instant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occupancy {
    /// When.
    pub at_ps: u64,
    /// Packets, one number for each directed link in the order of the outcome's ports (hosts'
    /// own links too), the packet on the wire included.
    pub packets: Vec<u32>,
}

/// One packet's path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedPath {
    /// The packet: its host's number and its number there, in the high and low half.
    pub id: u64,
    /// Its flow.
    pub flow: u32,
    /// The first byte it carries.
    pub seq: u64,
    /// How often it was detoured.
    pub detours: u32,
    /// What happened to it, in order.
    pub steps: Vec<LoggedStep>,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedStep {
    /// When.
    pub at_ps: u64,
    /// What.
    pub what: LoggedEvent,
}

/// What happened at one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoggedEvent {
    /// Its host put it on the NIC.
    Sent,
    /// A switch queued it.
    Queued {
        /// The number of the switch.
        switch: u32,
        /// On this port.
        port: u16,
        /// The port the route wanted; another one means a detour.
        wanted: u16,
        /// Packets ahead of it.
        ahead: u32,
        /// Was it marked here?
        marked: bool,
    },
    /// A switch dropped it.
    Dropped {
        /// The number of the switch.
        switch: u32,
        /// On its way to this port.
        wanted: u16,
        /// Why.
        reason: String,
    },
    /// It reached its host.
    Delivered,
}

/// Loops of the data packets that arrived or were dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loops {
    /// Those packets.
    pub packets: u64,
    /// Of them, detoured at least once.
    pub detoured: u64,
    /// Of them, through one switch at least twice.
    pub looped: u64,
    /// Loops by their length in links, from 0 up.
    pub lengths: Vec<u64>,
}

impl Loops {
    /// How many loops there were.
    pub fn count(&self) -> u64 {
        self.lengths.iter().sum()
    }

    /// The links of all of them together.
    pub fn links(&self) -> u64 {
        let lengths = self.lengths.iter().zip(0u64..);
        lengths.map(|(count, length)| count * length).sum()
    }

    /// Takes in another run's.
    pub(crate) fn merge(&mut self, other: &Loops) {
        self.packets += other.packets;
        self.detoured += other.detoured;
        self.looped += other.looped;
        if self.lengths.len() < other.lengths.len() {
            self.lengths.resize(other.lengths.len(), 0);
        }
        for (mine, theirs) in self.lengths.iter_mut().zip(&other.lengths) {
            *mine += theirs;
        }
    }
}

/// Looks at a world when something is due.
pub(crate) struct Prober<'a> {
    probe: &'a Probe,
    network: &'a Network,
    capacity: Capacity,
    links: Option<Window>,
    neighbours: Option<(Window, Neighbourhood)>,
    /// Instants of `occupancy` that are over.
    noted: usize,
    probed: Probed,
}

/// The window under way, of several of one length.
struct Window {
    span: Time,
    ends: Time,
    /// No window ends after this.
    last: Time,
    /// Bytes of each link when it began.
    before: Vec<u64>,
}

/// The switches around each switch.
struct Neighbourhood {
    /// Per switch, at a distance of one and of two cables.
    around: Vec<[Vec<u32>; 2]>,
    /// Per switch, the directed links that its ports feed.
    ports: Vec<Vec<usize>>,
}

impl<'a> Prober<'a> {
    pub fn new(
        probe: &'a Probe,
        network: &'a Network,
        capacity: Capacity,
        duration: Time,
    ) -> Prober<'a> {
        let window = |span: Time| Window {
            span,
            ends: span,
            last: duration,
            before: vec![0; 2 * network.cables.len()],
        };
        Prober {
            probe,
            network,
            capacity,
            links: probe.links.map(window),
            neighbours: (probe.neighbours).map(|span| (window(span), Neighbourhood::of(network))),
            noted: 0,
            probed: Probed::default(),
        }
    }

    /// When it must look next; never when nothing is left.
    pub fn due(&self) -> Time {
        let links = self.links.as_ref().map_or(Time::MAX, Window::due);
        let around = self.neighbours.as_ref();
        let around = around.map_or(Time::MAX, |(window, _)| window.due());
        let noted = self.probe.occupancy.get(self.noted);
        links.min(around).min(noted.copied().unwrap_or(Time::MAX))
    }

    /// Looks at a world that has run until `now`.
    pub fn look<A: Agenda>(&mut self, world: &mut World<A>, now: Time) {
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
        while self.probe.occupancy.get(self.noted) == Some(&now) {
            let depths = world.queue_depths(now);
            self.probed.occupancy.push(Occupancy {
                at_ps: now.ps(),
                packets: depths.iter().map(|depth| depth.packets).collect(),
            });
            self.noted += 1;
        }
    }

    pub fn finish(self, watched: Watched, outcome: &Outcome) -> Probed {
        let detour = |seen: &sidestep_sim::DetourSeen| LoggedDetour {
            at_ps: seen.at.ps(),
            switch: seen.switch.0,
            wanted: seen.wanted.0,
            taken: seen.taken.0,
        };
        let loops = || Loops {
            packets: watched.loops.packets,
            detoured: watched.loops.detoured,
            looped: watched.loops.looped,
            lengths: watched.loops.lengths.counts().to_vec(),
        };
        Probed {
            drops_at: drops_at(self.network, outcome),
            detours: watched.detours.iter().map(detour).collect(),
            detours_missed: watched.detours_missed,
            paths: watched.paths.iter().map(logged).collect(),
            loops: self.probe.loops.then(loops),
            ..self.probed
        }
    }

    /// Directed links out of switches: place, feeding switch, rate.
    fn fabric(&self) -> impl Iterator<Item = (usize, u32, BitRate)> {
        directed(self.network).filter_map(|(place, from, rate)| match from {
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
            self.sample("hot_link_share", hot as f64 / n as f64);
            self.sample("busiest_link_use", most);
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
                let free = around.free(switches, self.capacity, depths);
                found.extend(free.map(|free| (name, free)));
            }
        }
        for (name, free) in found {
            self.sample(name, free);
        }
    }

    fn sample(&mut self, name: &str, value: f64) {
        // Nine decimals read back as the same number, whoever reads them.
        let value = (value * 1e9).round() / 1e9;
        let samples = &mut self.probed.samples;
        samples.entry(name.to_string()).or_default().push(value);
    }
}

impl Window {
    fn due(&self) -> Time {
        if self.ends <= self.last {
            self.ends
        } else {
            Time::MAX
        }
    }

    /// Ends the window; says what each link carried in it.
    fn next(&mut self, bytes: Vec<u64>) -> Vec<u64> {
        self.ends = self.ends.saturating_add(self.span);
        let before = std::mem::replace(&mut self.before, bytes);
        let pairs = self.before.iter().zip(before);
        pairs.map(|(after, before)| after - before).collect()
    }
}

impl Neighbourhood {
    fn of(network: &Network) -> Neighbourhood {
        let n = network.switches.len();
        let mut next = vec![Vec::new(); n];
        for cable in &network.cables {
            if let (End::Switch(a), End::Switch(b)) = (cable.a, cable.b) {
                next[a.0 as usize].push(b.0);
                next[b.0 as usize].push(a.0);
            }
        }
        for list in &mut next {
            list.sort_unstable();
            list.dedup();
        }
        let around = (0..n).map(|s| {
            let near = next[s].clone();
            let mut far: Vec<u32> = near
                .iter()
                .flat_map(|t| &next[*t as usize])
                .copied()
                .collect();
            far.sort_unstable();
            far.dedup();
            far.retain(|t| *t as usize != s && near.binary_search(t).is_err());
            [near, far]
        });
        let around = around.collect();
        let mut ports = vec![Vec::new(); n];
        for (place, from, _) in directed(network) {
            if let End::Switch(s) = from {
                ports[s.0 as usize].push(place);
            }
        }
        Neighbourhood { around, ports }
    }

    /// The share of these switches' buffers that is free; `None` of no switch.
    fn free(&self, switches: &[u32], capacity: Capacity, depths: &[Depth]) -> Option<f64> {
        let (mut free, mut all) = (0u64, 0u64);
        for switch in switches {
            let queues = self.ports[*switch as usize].iter().map(|p| depths[*p]);
            let mut count = |held: u64, most: u64| {
                free += most.saturating_sub(held);
                all += most;
            };
            match capacity {
                Capacity::PerPort(Size::Packets(n)) => {
                    queues.for_each(|queue| count(u64::from(queue.packets), n));
                }
                Capacity::PerPort(Size::Bytes(b)) => {
                    queues.for_each(|queue| count(u64::from(queue.bytes), b.0));
                }
                Capacity::Shared { memory, .. } => {
                    count(queues.map(|queue| u64::from(queue.bytes)).sum(), memory.0);
                }
                // Refused when the scenario was read.
                Capacity::Unlimited => {}
            }
        }
        (all > 0).then(|| free as f64 / all as f64)
    }
}

/// Directed links in the order of the outcome's ports: place, who feeds it, rate.
fn directed(network: &Network) -> impl Iterator<Item = (usize, End, BitRate)> {
    let both = network
        .cables
        .iter()
        .flat_map(|c| [(c.a, c.rate), (c.b, c.rate)]);
    both.enumerate()
        .map(|(place, (from, rate))| (place, from, rate))
}

fn drops_at(network: &Network, outcome: &Outcome) -> BTreeMap<String, BTreeMap<String, u64>> {
    let mut found: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for port in &outcome.ports {
        let End::Switch(switch) = port.from else {
            continue;
        };
        for reason in DropReason::ALL {
            let count = port.counts.drops[reason as usize];
            if count > 0 {
                let places = found.entry(reason.name().to_string()).or_default();
                let place = network.switches[switch.0 as usize].tier_or_name();
                *places.entry(place.to_string()).or_default() += count;
            }
        }
    }
    found
}

fn logged(path: &PacketTrace) -> LoggedPath {
    let step = |step: &sidestep_sim::TraceStep| LoggedStep {
        at_ps: step.at.ps(),
        what: match step.what {
            TraceEvent::Sent => LoggedEvent::Sent,
            TraceEvent::Delivered => LoggedEvent::Delivered,
            TraceEvent::Queued {
                switch,
                port,
                wanted,
                ahead,
                marked,
                ..
            } => LoggedEvent::Queued {
                switch: switch.0,
                port: port.0,
                wanted: wanted.0,
                ahead,
                marked,
            },
            TraceEvent::Dropped {
                switch,
                wanted,
                reason,
            } => LoggedEvent::Dropped {
                switch: switch.0,
                wanted: wanted.0,
                reason: reason.name().to_string(),
            },
        },
    };
    LoggedPath {
        id: path.id,
        flow: path.flow.0,
        seq: path.seq,
        detours: path.detours() as u32,
        steps: path.steps.iter().map(step).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_sim::NoFiles;

    /// Four switches in a row, one host each: cables 0 to 3 to hosts, 4 to 6 along the row.
    fn row() -> Network {
        let text = "duration = \"1 ms\"\nschemes = \"dctcp\"\n\
            [topology]\nkind = \"linear\"\nswitches = 4\nhosts_per_switch = 1\n\
            [workload.one]\nkind = \"long\"\n";
        let read = crate::Scenario::read("t.toml", text, &[], &NoFiles);
        let scenario = read.unwrap_or_else(|problems| panic!("{problems:?}"));
        (*scenario.network).clone()
    }

    fn packets(at: &[(usize, u32)]) -> Vec<Depth> {
        let mut depths = vec![Depth::default(); 14];
        for (place, packets) in at {
            depths[*place].packets = *packets;
            depths[*place].bytes = 1518 * packets;
        }
        depths
    }

    #[test]
    fn neighbours_are_exactly_one_and_two_cables_away_and_all_their_ports_count() {
        let around = Neighbourhood::of(&row());
        let expected: [[&[u32]; 2]; 4] =
            [[&[1], &[2]], [&[0, 2], &[3]], [&[1, 3], &[0]], [&[2], &[1]]];
        assert_eq!(
            around.around,
            expected.map(|pair| pair.map(<[u32]>::to_vec))
        );
        // Host 0's cable is 0: 0 leads up, 1 down. Cable 4 joins switches 0 and 1: 8 there, 9 back.
        assert_eq!(around.ports[0], [1, 8]);
        assert_eq!(around.ports[1], [3, 9, 10]);
        let depths = packets(&[(0, 1000), (1, 10), (8, 2), (3, 7)]);
        let free = |switches: &[u32], capacity| around.free(switches, capacity, &depths);
        let each = Capacity::PerPort(Size::Packets(10));
        assert_eq!(free(&[0], each), Some(8.0 / 20.0));
        assert_eq!(free(&[0, 1], each), Some(31.0 / 50.0));
        assert_eq!(free(&[3], each), Some(1.0));
        assert_eq!(free(&[], each), None);
        let bytes = Capacity::PerPort(Size::Bytes(sidestep_types::Bytes(30_360)));
        assert_eq!(free(&[0], bytes), Some(1.0 - 12.0 / 40.0));
        let shared = Capacity::Shared {
            memory: sidestep_types::Bytes(36_432),
            alpha: (1, 1),
        };
        assert_eq!(free(&[0], shared), Some(0.5));
    }

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
        let mut prober = Prober::new(&probe, &network, capacity, Time::from_ms(1));
        // 1 Gbps carries 12,500 B in 100 us.
        let mut carried = vec![0; 14];
        (carried[0], carried[9], carried[3], carried[10]) = (12_500, 11_250, 11_249, 12_500);
        prober.sample_links(&carried);
        prober.sample_neighbours(&carried, &packets(&[(1, 10), (8, 2), (7, 4)]));
        let samples = &prober.probed.samples;
        assert_eq!(samples["hot_link_share"], [2.0 / 10.0]);
        assert_eq!(samples["busiest_link_use"], [1.0]);
        // Switch 1 feeds both hot links; around it are 0 and 2, and then 3.
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
        let mut prober = Prober::new(&probe, &network, Capacity::Unlimited, Time::from_ms(1));
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

    #[test]
    fn a_log_that_is_not_whole_says_so() {
        let mut probed = Probed::default();
        assert_eq!(probed.note(), None);
        probed.detours_missed = 7;
        let said = "the log of detours is full: it holds the first 0, and 7 more happened";
        assert_eq!(probed.note().as_deref(), Some(said));
    }
}
