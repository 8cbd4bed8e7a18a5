//! What a `[probe]` saw: paths, detours, queues.

use super::drawn::{Parts, Sheet, View};
use super::text::some;
use crate::plot::{Hop, Look, Queues, Scatter, Switch, Way, queues, scatter, way};
use crate::words::count;
use sidestep_lab::{LoggedDetour, LoggedEvent, LoggedPath, Occupancy, PlotKind, Record};
use sidestep_sim::{End, Network, SwitchInfo};
use sidestep_switch::Capacity;
use sidestep_types::{Size, Time};
use std::collections::BTreeMap;

/// What was seen in one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Seen {
    /// When, and the number of the switch.
    pub detours: Vec<(Time, u32)>,
    /// When, and the packets of each directed link: cable `c` has `2c` from its first end to its
    /// second, and `2c + 1` back.
    pub occupancy: Vec<(Time, Vec<u32>)>,
    /// Ways of packets, the one with the most detours first.
    pub paths: Vec<Path>,
}

/// One packet's way.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Path {
    /// What the packet is called.
    pub name: String,
    /// Each link it took, and whether the switch at its beginning wanted another.
    pub links: Vec<(Node, Node, bool)>,
}

/// A host or a switch, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Node {
    /// A host.
    Host(u32),
    /// A switch.
    Switch(u32),
}

impl Seen {
    /// What a record holds of it.
    fn of(record: &Record, network: &Network) -> Seen {
        let probed = &record.probed;
        let detour = |d: &LoggedDetour| (Time::from_ps(d.at_ps), d.switch);
        let instant = |o: &Occupancy| (Time::from_ps(o.at_ps), o.packets.clone());
        Seen {
            detours: probed.detours.iter().map(detour).collect(),
            occupancy: probed.occupancy.iter().map(instant).collect(),
            paths: probed.paths.iter().map(|p| Path::of(p, network)).collect(),
        }
    }
}

impl Path {
    fn of(logged: &LoggedPath, network: &Network) -> Path {
        let host = logged.id >> 32;
        let mut links = Vec::new();
        let mut at = Node::Host(host as u32);
        // The port it waits at, and whether that is a detour.
        let (mut port, mut detour) = (None, false);
        for step in &logged.steps {
            let next = match &step.what {
                LoggedEvent::Sent => continue,
                LoggedEvent::Queued { switch, .. } | LoggedEvent::Dropped { switch, .. } => {
                    Node::Switch(*switch)
                }
                LoggedEvent::Delivered => match (at, port) {
                    (Node::Switch(switch), Some(port)) => beyond(network, switch, port),
                    _ => continue,
                },
            };
            links.push((at, next, detour));
            at = next;
            (port, detour) = match &step.what {
                LoggedEvent::Queued { port, wanted, .. } => (Some(*port), port != wanted),
                _ => (None, false),
            };
        }
        Path {
            name: format!(
                "packet {host}:{} of flow {}, {}",
                logged.id & 0xffff_ffff,
                logged.flow,
                some(logged.detours as usize, "detour")
            ),
            links,
        }
    }
}

/// What a port leads to.
fn beyond(network: &Network, switch: u32, port: u16) -> Node {
    let (link, _) = ports_of(network)[switch as usize][usize::from(port)];
    let cable = &network.cables[link / 2];
    match if link % 2 == 0 { cable.b } else { cable.a } {
        End::Host(host) => Node::Host(host.0),
        End::Switch(switch) => Node::Switch(switch.0),
    }
}

/// Draws what was probed: of the first scheme and seed that saw something.
pub(super) fn draw(view: &View<'_>) -> Parts {
    let kind = view.spec.kind;
    for (point, result) in view.experiment.points.iter().zip(&view.results.points) {
        if !view.points().any(|p| p.at == result.at) {
            continue;
        }
        for scheme in view.schemes() {
            for record in result.of_scheme(scheme) {
                let network = &point.scenario.network;
                let seen = Seen::of(record, network);
                let head = Head {
                    title: view.title.clone(),
                    subtitle: format!("{}; {scheme}, seed {}", view.experiment.name, record.seed),
                    look: view.palette.look(scheme),
                };
                match kind {
                    PlotKind::Detours if !seen.detours.is_empty() => {
                        return detours(head, network, &seen.detours);
                    }
                    PlotKind::Occupancy if !seen.occupancy.is_empty() => {
                        let schemes = &point.scenario.schemes;
                        let own = schemes.iter().find(|s| s.name == scheme);
                        let holds = own.and_then(|s| match s.config.switch.capacity {
                            Capacity::PerPort(Size::Packets(n)) => Some(n as f64),
                            _ => None,
                        });
                        return occupancy(head, network, &seen.occupancy, holds);
                    }
                    PlotKind::Path if !seen.paths.is_empty() => {
                        return path(head, network, &seen.paths[0]);
                    }
                    _ => {}
                }
            }
        }
    }
    let why = match kind {
        PlotKind::Detours => "no run logged a detour",
        PlotKind::Occupancy => "no run noted its queues",
        _ => "no run kept a path",
    };
    (Err(why.into()), Sheet::default(), String::new())
}

/// What stands above a plot, and how it looks.
struct Head {
    title: String,
    subtitle: String,
    look: Look,
}

fn detours(head: Head, network: &Network, all: &[(Time, u32)]) -> Parts {
    let mut rows: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for (at, switch) in all {
        rows.entry(*switch).or_default().push(at.as_ms_f64());
    }
    let named = |switch: &u32| network.switches[*switch as usize].to_string();
    let figure = Scatter {
        title: head.title,
        subtitle: head.subtitle,
        x_label: "since the run began, ms".into(),
        rows: rows
            .iter()
            .map(|(s, times)| (named(s), times.clone()))
            .collect(),
        counted: "detours".into(),
        look: head.look,
    };
    let ms = |t: Option<&f64>| t.map_or("-".into(), |t| format!("{t:.3}"));
    let row = |(switch, times): (&u32, &Vec<f64>)| {
        vec![
            named(switch),
            count(times.len() as u64),
            ms(times.first()),
            ms(times.last()),
        ]
    };
    let table = Sheet {
        head: ["switch", "detours", "first, ms", "last, ms"]
            .map(String::from)
            .to_vec(),
        rows: rows.iter().map(row).collect(),
    };
    let caption = "A mark is a detour, or several that lie too close to tell apart; switches that \
                   detoured nothing are left out.";
    (Ok(scatter(&figure)), table, caption.into())
}

fn occupancy(
    head: Head,
    network: &Network,
    instants: &[(Time, Vec<u32>)],
    capacity: Option<f64>,
) -> Parts {
    let ports = ports_of(network);
    let held = |switch: usize| -> u64 {
        let own = ports[switch].iter();
        own.flat_map(|(link, _)| instants.iter().map(move |(_, all)| u64::from(all[*link])))
            .sum()
    };
    let chosen = chosen(network, held);
    let row = |switch: &usize| Switch {
        name: network.switches[*switch].to_string(),
        to_host: ports[*switch].iter().map(|(_, host)| *host).collect(),
        len: instants
            .iter()
            .map(|(_, all)| {
                ports[*switch]
                    .iter()
                    .map(|(link, _)| f64::from(all[*link]))
                    .collect()
            })
            .collect(),
    };
    let figure = Queues {
        title: head.title,
        subtitle: head.subtitle,
        counted: "packets queued, the one on the wire included".into(),
        instants: instants.iter().map(|(at, _)| at.to_string()).collect(),
        switches: chosen.iter().map(row).collect(),
        capacity,
        look: head.look,
    };
    let mut table = Sheet::default();
    table
        .head
        .extend(["switch", "port", "leads to"].map(String::from));
    table
        .head
        .extend(figure.instants.iter().map(|at| format!("packets at {at}")));
    for switch in &figure.switches {
        for (port, host) in switch.to_host.iter().enumerate() {
            let to = if *host { "a host" } else { "a switch" };
            let mut row = vec![switch.name.clone(), port.to_string(), to.into()];
            row.extend(switch.len.iter().map(|all| all[port].to_string()));
            table.rows.push(row);
        }
    }
    let caption = "The pod whose queues hold most at these instants.";
    (Ok(queues(&figure)), table, caption.into())
}

/// For each switch the directed links that its ports feed, and whether they lead to a host.
fn ports_of(network: &Network) -> Vec<Vec<(usize, bool)>> {
    let mut ports = vec![Vec::new(); network.switches.len()];
    for (c, cable) in network.cables.iter().enumerate() {
        for (from, to, link) in [(cable.a, cable.b, 2 * c), (cable.b, cable.a, 2 * c + 1)] {
            if let End::Switch(switch) = from {
                ports[switch.0 as usize].push((link, matches!(to, End::Host(_))));
            }
        }
    }
    ports
}

/// The switches of the pod that holds most, the upper tier first; where a network has no pods,
/// the eight that hold most.
fn chosen(network: &Network, held: impl Fn(usize) -> u64) -> Vec<usize> {
    let mut pods: BTreeMap<&str, u64> = BTreeMap::new();
    for (s, switch) in network.switches.iter().enumerate() {
        if let Some(pod) = switch.pod.as_deref() {
            *pods.entry(pod).or_default() += held(s);
        }
    }
    let most = pods
        .iter()
        .max_by_key(|(_, held)| **held)
        .map(|(pod, _)| *pod);
    let mut chosen: Vec<usize> = (0..network.switches.len()).collect();
    match most {
        Some(pod) => chosen.retain(|s| network.switches[*s].pod.as_deref() == Some(pod)),
        None => {
            chosen.sort_by_key(|s| std::cmp::Reverse(held(*s)));
            chosen.truncate(8);
        }
    }
    let height = heights(network);
    chosen.sort_by_key(|s| (std::cmp::Reverse(height[*s]), *s));
    chosen
}

/// How many cables each switch is from the next host.
fn heights(network: &Network) -> Vec<u32> {
    let mut height = vec![u32::MAX; network.switches.len()];
    let of = |end: End, height: &[u32]| match end {
        End::Host(_) => 0,
        End::Switch(s) => height[s.0 as usize],
    };
    loop {
        let mut moved = false;
        for cable in &network.cables {
            for (from, to) in [(cable.a, cable.b), (cable.b, cable.a)] {
                let below = of(from, &height);
                if let End::Switch(s) = to
                    && below < u32::MAX
                    && below + 1 < height[s.0 as usize]
                {
                    height[s.0 as usize] = below + 1;
                    moved = true;
                }
            }
        }
        if !moved {
            return height;
        }
    }
}

fn path(head: Head, network: &Network, path: &Path) -> Parts {
    let name = |node: Node| match node {
        Node::Host(h) => format!("host {h}"),
        Node::Switch(s) => network.switches[s as usize].to_string(),
    };
    let mut hops: BTreeMap<(Node, Node), (u32, u32)> = BTreeMap::new();
    for (from, to, detour) in &path.links {
        let (times, detours) = hops.entry((*from, *to)).or_default();
        *times += 1;
        *detours += u32::from(*detour);
    }
    let height = heights(network);
    let mut tiers: BTreeMap<u32, Vec<Node>> = BTreeMap::new();
    for (from, to) in hops.keys() {
        for node in [*from, *to] {
            let tier = match node {
                Node::Host(_) => 0,
                Node::Switch(s) => height[s as usize],
            };
            let nodes = tiers.entry(tier).or_default();
            if !nodes.contains(&node) {
                nodes.push(node);
                nodes.sort();
            }
        }
    }
    let tier = |nodes: &Vec<Node>| {
        let names = nodes.iter().map(|n| name(*n)).collect();
        let word = match nodes[0] {
            Node::Host(_) => "hosts",
            Node::Switch(s) => tier_word(&network.switches[s as usize]),
        };
        (word.to_string(), names)
    };
    let hop = |((from, to), (times, detours)): (&(Node, Node), &(u32, u32))| Hop {
        from: name(*from),
        to: name(*to),
        times: *times,
        detours: *detours,
    };
    let figure = Way {
        title: head.title,
        subtitle: format!("{}, {}", head.subtitle, path.name),
        tiers: tiers.values().map(tier).collect(),
        hops: hops.iter().map(hop).collect(),
        look: head.look,
    };
    let row = |hop: &Hop| {
        vec![
            hop.from.clone(),
            hop.to.clone(),
            hop.times.to_string(),
            hop.detours.to_string(),
        ]
    };
    let table = Sheet {
        head: ["from", "to", "times", "of them detours"]
            .map(String::from)
            .to_vec(),
        rows: figure.hops.iter().map(row).collect(),
    };
    let caption = "Nodes are those that the packet saw.";
    (Ok(way(&figure)), table, caption.into())
}

/// What stands beside a tier. Where a topology has none, switches at one height lend the first
/// word of the first one's name.
fn tier_word(switch: &SwitchInfo) -> &str {
    let first = || switch.name.split(' ').next().unwrap_or_default();
    switch.tier.as_deref().unwrap_or_else(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_lab::{LoggedStep, Scenario};
    use sidestep_sim::NoFiles;

    fn network() -> std::sync::Arc<Network> {
        let text = "duration = \"1 ms\"\nschemes = [\"dibs\"]\n[topology]\nkind = \"fat_tree\"\nk = 4\n\
                    [workload.w]\nkind = \"permutation\"\n";
        let read = Scenario::read("t.toml", text, &[], &NoFiles);
        read.unwrap_or_else(|problems| panic!("{problems:?}"))
            .network
    }

    fn head() -> Head {
        Head {
            title: "t".into(),
            subtitle: "s".into(),
            look: Look::nth(1),
        }
    }

    #[test]
    fn a_logged_path_becomes_links_and_ends_at_the_host_behind_its_port() {
        let queued = |switch, port, wanted| LoggedEvent::Queued {
            switch,
            port,
            wanted,
            ahead: 0,
            marked: false,
        };
        // Edge 0.0 is switch 0, with hosts 0 and 1 on its ports 0 and 1, agg 0.0 (8) on port 2.
        let what = [
            LoggedEvent::Sent,
            queued(0, 2, 1),
            queued(8, 0, 0),
            queued(0, 1, 1),
            LoggedEvent::Delivered,
        ];
        let steps = what.map(|what| LoggedStep { at_ps: 0, what });
        let logged = LoggedPath {
            id: 5,
            flow: 3,
            seq: 0,
            detours: 1,
            steps: steps.to_vec(),
        };
        let path = Path::of(&logged, &network());
        assert_eq!(path.name, "packet 0:5 of flow 3, 1 detour");
        use Node::{Host, Switch};
        let expected = [
            (Host(0), Switch(0), false),
            (Switch(0), Switch(8), true),
            (Switch(8), Switch(0), false),
            (Switch(0), Host(1), false),
        ];
        assert_eq!(path.links, expected);
    }

    #[test]
    fn detours_are_counted_by_switch() {
        let at = |us: u64, switch| (Time::from_us(us), switch);
        let (scene, table, _) =
            detours(head(), &network(), &[at(1500, 8), at(1000, 0), at(2000, 8)]);
        assert!(scene.is_ok());
        assert_eq!(table.rows[0], ["edge 0.0", "1", "1.000", "1.000"]);
        assert_eq!(table.rows[1], ["agg 0.0", "2", "1.500", "2.000"]);
    }

    #[test]
    fn the_fullest_pod_is_shown_with_its_ports_in_their_order() {
        let network = network();
        let ports = ports_of(&network);
        let edge = network
            .switches
            .iter()
            .position(|s| s.name == "edge 2.1")
            .unwrap();
        let mut queues = vec![0; 2 * network.cables.len()];
        queues[ports[edge][1].0] = 7;
        queues[ports[edge][2].0] = 3;
        let (scene, table, _) =
            occupancy(head(), &network, &[(Time::from_ms(1), queues)], Some(10.0));
        assert!(scene.is_ok());
        let pods: Vec<&str> = table
            .rows
            .iter()
            .step_by(4)
            .map(|r| r[0].as_str())
            .collect();
        assert_eq!(pods, ["agg 2.0", "agg 2.1", "edge 2.0", "edge 2.1"]);
        assert_eq!(table.rows[13], ["edge 2.1", "1", "a host", "7"]);
        assert_eq!(table.rows[14], ["edge 2.1", "2", "a switch", "3"]);
    }

    #[test]
    fn a_way_lies_in_tiers_and_counts_what_it_took_again() {
        use Node::{Host, Switch};
        let way = Path {
            name: "packet 0:1".into(),
            links: vec![
                (Host(0), Switch(0), false),
                (Switch(0), Switch(8), false),
                (Switch(8), Switch(0), true),
                (Switch(0), Switch(8), false),
                (Switch(8), Switch(16), false),
            ],
        };
        let (scene, table, _) = path(head(), &network(), &way);
        let text = crate::plot::svg(&scene.unwrap());
        for word in ["hosts", "edge", "agg", "core"] {
            assert!(text.contains(&format!(">{word}</text>")), "{word}: {text}");
        }
        assert!(
            table
                .rows
                .contains(&["edge 0.0", "agg 0.0", "2", "0"].map(String::from).to_vec())
        );
        assert!(
            table
                .rows
                .contains(&["agg 0.0", "edge 0.0", "1", "1"].map(String::from).to_vec())
        );
    }
}
