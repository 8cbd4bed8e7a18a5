//! Path of one packet.

use super::super::view::{Parts, Sheet};
use super::fabric::{heights, ports_of};
use super::head::Head;
use crate::format::some;
use crate::plot::{Hop, PathFigure, way};
use sidestep_lab::{LoggedEvent, LoggedPath};
use sidestep_sim::{End, Network};
use std::collections::BTreeMap;

/// Draws the links of the path over the tiers of the network.
pub fn draw(head: Head, network: &Network, logged: &LoggedPath) -> Parts {
    draw_path(head, network, &Path::of(logged, network))
}

fn draw_path(head: Head, network: &Network, path: &Path) -> Parts {
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
            Node::Switch(s) => (network.switches[s as usize].tier.as_deref()).unwrap_or("switches"),
        };
        (word.to_string(), names)
    };
    let hop = |((from, to), (times, detours)): (&(Node, Node), &(u32, u32))| Hop {
        from: name(*from),
        to: name(*to),
        times: *times,
        detours: *detours,
    };
    let figure = PathFigure {
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
    let caption = "The nodes are those that the packet visited.";
    (Ok(way(&figure)), table, caption.into())
}

/// Path of one packet.
#[derive(Clone, Debug, Default, PartialEq)]
struct Path {
    /// Name of the packet.
    name: String,
    /// Links, each with true if the switch at its start wanted another port.
    links: Vec<(Node, Node, bool)>,
}

/// Host or switch, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    /// Host.
    Host(u32),
    /// Switch.
    Switch(u32),
}

impl Path {
    fn of(logged: &LoggedPath, network: &Network) -> Path {
        let host = logged.id >> 32;
        let mut links = Vec::new();
        let mut at = Node::Host(host as u32);
        // Port at which the packet is queued, and true if it was detoured there.
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

/// Returns the node behind a port.
fn beyond(network: &Network, switch: u32, port: u16) -> Node {
    let (link, _) = ports_of(network)[switch as usize][usize::from(port)];
    let cable = &network.cables[link / 2];
    match if link % 2 == 0 { cable.b } else { cable.a } {
        End::Host(host) => Node::Host(host.0),
        End::Switch(switch) => Node::Switch(switch.0),
    }
}

#[cfg(test)]
mod tests {
    use super::super::head::testing::{head, network};
    use super::*;
    use sidestep_lab::LoggedStep;

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
        let (drawing, table, _) = draw_path(head(), &network(), &way);
        let text = crate::plot::svg(&drawing.unwrap());
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

    #[test]
    fn switches_without_a_tier_lend_no_part_of_a_name() {
        use Node::{Host, Switch};
        let way = Path {
            name: "packet 0:1".into(),
            links: vec![(Host(0), Switch(0), false), (Switch(0), Host(1), false)],
        };
        let mut network = Network::clone(&network());
        network.switches[0] = sidestep_sim::SwitchInfo::named("rack 7");
        let (drawing, ..) = draw_path(head(), &network, &way);
        let text = crate::plot::svg(&drawing.unwrap());
        let written = |word: &str| text.contains(&format!(">{word}</text>"));
        assert!(
            written("switches") && written("rack 7") && !written("rack"),
            "{text}"
        );
    }
}
