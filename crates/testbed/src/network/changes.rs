//! Changes of cables during a run, as orders to the switches and hosts at their ends.
//!
//! **Decision**     both ends of a cable receive a change at its instant. Next hops, and the ports that may
//!                  take detours, follow for all switches at once after `reroute`, over shortest paths around
//!                  cables that are down; a host without a path keeps its old next hops.
//! **State**        none: the orders are a list, made before the run.
//! **Units**        nanoseconds and bits per second of this machine.
//! **Errors**       a rate outside the range of a port.
//! **Deviations**   switches receive orders one by one, each from its own thread; a host's NIC goes on sending
//!                  when its cable is down, and the switch refuses the frames.

use super::blueprint::{Blueprint, End, mac};
use super::hosts::{host_cable, pace, port_interface};
use super::switches::{EBPF, SWITCH, control};
use crate::error::Error;
use sidestep_softswitch::process::control::ask;
use sidestep_softswitch::process::question::{NetworkChange, Question};
use sidestep_softswitch::setup::check_rate;
use sidestep_types::BitRate;
use std::collections::VecDeque;

/// Change of both directions of a cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Time of the change, ns.
    pub at_ns: u64,
    /// Index of the cable in the blueprint.
    pub cable: usize,
    /// New state.
    pub to: Becomes,
    /// Delay until next hops follow; `None` if they never do.
    pub reroute_ns: Option<u64>,
}

/// New state of a cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Becomes {
    /// Carries this rate, in bits per second.
    Rate(u64),
    /// Carries nothing.
    Down,
    /// Restored to the blueprint's rate.
    Up,
}

/// Orders at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// Time of the orders, ns.
    pub at_ns: u64,
    /// Questions to each switch, in order.
    pub orders: Vec<(usize, Vec<Question>)>,
    /// Rates of hosts' NICs.
    pub nics: Vec<(usize, u64)>,
    /// Descriptions of the changes, a sentence each.
    pub says: Vec<String>,
}

impl Step {
    fn ask(&mut self, switch: usize, question: Question) {
        match self.orders.iter_mut().find(|(s, _)| *s == switch) {
            Some((_, list)) => list.push(question),
            None => self.orders.push((switch, vec![question])),
        }
    }

    /// Sets the rate of both ends of a cable.
    fn rate(&mut self, print: &Blueprint, cable: usize, bps: u64) {
        for end in ends(print, cable) {
            match end {
                (End::Switch(s), port) => {
                    let (ports, rate) = (vec![port_interface(port)], BitRate::bps(bps));
                    self.ask(s, Question::Change(NetworkChange::Rate { ports, rate }));
                }
                (End::Host(h), _) => self.nics.push((h, bps)),
            }
        }
    }

    /// Takes both ends of a cable down, or up.
    fn link(&mut self, print: &Blueprint, cable: usize, up: bool) {
        for end in ends(print, cable) {
            if let (End::Switch(s), port) = end {
                let ports = vec![port_interface(port)];
                self.ask(s, Question::Change(NetworkChange::Link { ports, up }));
            }
        }
    }

    /// Sends each switch the parts of its tables that differ from before.
    fn tables(&mut self, before: &[Table], after: &[Table]) {
        for (s, (old, new)) in before.iter().zip(after).enumerate() {
            if old == new {
                continue;
            }
            let named = |ports: &[u16]| -> Vec<String> {
                let each = ports.iter().map(|port| port_interface(usize::from(*port)));
                each.collect()
            };
            let stations = new.ways.iter().enumerate().map(|(host, ports)| {
                let mac = mac(host).parse().expect("a MAC of a testbed's");
                (mac, named(ports))
            });
            let asked = NetworkChange::Ways {
                stations: stations.collect(),
                detours: Some(named(&new.detours)),
            };
            self.ask(s, Question::Change(asked));
        }
    }
}

/// Next hops of a switch toward each host, and its ports that take detours.
#[derive(Clone, Debug, PartialEq)]
struct Table {
    ways: Vec<Vec<u16>>,
    detours: Vec<u16>,
}

/// Returns the ends of a cable; a switch with its port.
fn ends(print: &Blueprint, cable: usize) -> [(End, usize); 2] {
    let port = |end: End| match end {
        End::Host(_) => 0,
        End::Switch(_) => {
            let before = print.cables[..cable].iter();
            before.filter(|c| c.a == end || c.b == end).count()
        }
    };
    let Blueprint { cables, .. } = print;
    [cables[cable].a, cables[cable].b].map(|end| (end, port(end)))
}

/// Returns a cable's name in scenarios: its two ends.
fn named(print: &Blueprint, cable: usize) -> String {
    let Blueprint {
        cables, switches, ..
    } = print;
    let [a, b] = [cables[cable].a, cables[cable].b].map(|end| match end {
        End::Host(h) => format!("host {h}"),
        End::Switch(s) => switches[s].name.clone(),
    });
    format!("{a} - {b}")
}

/// Refuses changes with a rate that no port can have.
pub fn check(changes: &[Change]) -> Result<(), String> {
    for change in changes {
        if let Becomes::Rate(bps) = change.to {
            check_rate(BitRate::bps(bps)).map_err(|why| format!("change: rate: {why}"))?;
        }
    }
    Ok(())
}

/// Returns the orders in time order; at one instant, changes come before reroutes.
pub fn steps(print: &Blueprint, changes: &[Change]) -> Vec<Step> {
    let mut known: Vec<(u64, bool, usize)> = Vec::new();
    for (i, change) in changes.iter().enumerate() {
        known.push((change.at_ns, false, i));
        if let (Some(after), false) = (change.reroute_ns, matches!(change.to, Becomes::Rate(_))) {
            known.push((change.at_ns.saturating_add(after), true, i));
        }
    }
    known.sort_by_key(|(at, known, _)| (*at, *known));
    let mut avoided = vec![false; print.cables.len()];
    // For each cable, the latest change that next hops follow.
    let mut followed = vec![None; print.cables.len()];
    let mut tables = tables(print, &avoided, None);
    let mut steps = Vec::new();
    for group in known.chunk_by(|a, b| a.0 == b.0) {
        let mut step = Step {
            at_ns: group[0].0,
            ..Step::default()
        };
        for &(_, known, i) in group {
            let Change { cable, to, .. } = changes[i];
            match to {
                _ if known => {
                    let this = Some((changes[i].at_ns, i));
                    if followed[cable] < this {
                        followed[cable] = this;
                        avoided[cable] = to == Becomes::Down;
                    }
                }
                Becomes::Rate(bps) => {
                    step.says
                        .push(format!("{}: {}", named(print, cable), BitRate::bps(bps)));
                    step.rate(print, cable, bps);
                }
                Becomes::Down => {
                    step.says.push(format!("{}: down", named(print, cable)));
                    step.link(print, cable, false);
                }
                Becomes::Up => {
                    step.says.push(format!("{}: up", named(print, cable)));
                    step.rate(print, cable, print.cables[cable].rate_bps);
                    step.link(print, cable, true);
                }
            }
        }
        let next = self::tables(print, &avoided, Some(&tables));
        step.tables(&tables, &next);
        if tables != next {
            step.says.push("next hops follow".into());
        }
        tables = next;
        steps.push(step);
    }
    steps
}

/// Returns the orders that undo these changes.
pub fn restore(print: &Blueprint, changes: &[Change]) -> Step {
    let mut step = Step::default();
    let mut cables: Vec<usize> = changes.iter().map(|change| change.cable).collect();
    cables.sort_unstable();
    cables.dedup();
    for cable in cables {
        step.rate(print, cable, print.cables[cable].rate_bps);
        step.link(print, cable, true);
    }
    if changes.iter().any(|change| change.reroute_ns.is_some()) {
        let avoided = vec![false; print.cables.len()];
        let nothing = Table {
            ways: Vec::new(),
            detours: Vec::new(),
        };
        let before = vec![nothing; print.switches.len()];
        step.tables(&before, &tables(print, &avoided, None));
    }
    step
}

/// Computes the tables of all switches on paths around `avoided` cables. A switch without a path keeps its
/// table of `before`; if no cable is avoided, the tables are the blueprint's.
fn tables(print: &Blueprint, avoided: &[bool], before: Option<&[Table]>) -> Vec<Table> {
    let whole = avoided.iter().all(|avoided| !avoided);
    let mut tables: Vec<Table> = (print.switches.iter().enumerate())
        .map(|(s, switch)| {
            let ports = (0u16..).zip(ports(print, s));
            let open =
                ports.filter(|(_, (far, cable))| matches!(far, End::Switch(_)) && !avoided[*cable]);
            Table {
                ways: match before {
                    Some(before) if !whole => before[s].ways.clone(),
                    _ => switch.next_hops.clone(),
                },
                detours: open.map(|(port, _)| port).collect(),
            }
        })
        .collect();
    if whole {
        return tables;
    }
    for host in 0..print.hosts {
        let far = distances(print, avoided, host);
        for (s, table) in tables.iter_mut().enumerate() {
            let Some(own) = far[s] else { continue };
            let toward = (0u16..).zip(ports(print, s)).filter(|(_, (end, cable))| {
                let next = match end {
                    End::Host(h) => (*h == host).then_some(0),
                    End::Switch(next) => far[*next],
                };
                !avoided[*cable] && next.is_some_and(|next| next + 1 == own)
            });
            table.ways[host] = toward.map(|(port, _)| port).collect();
        }
    }
    tables
}

/// Returns the far end of each port of a switch, and its cable.
fn ports(print: &Blueprint, s: usize) -> Vec<(End, usize)> {
    let own = End::Switch(s);
    let mut ports = Vec::new();
    for (number, cable) in print.cables.iter().enumerate() {
        for (near, far) in [(cable.a, cable.b), (cable.b, cable.a)] {
            if near == own {
                ports.push((far, number));
            }
        }
    }
    ports
}

/// Returns each switch's distance from a host, in cables; `None` without a path.
fn distances(print: &Blueprint, avoided: &[bool], host: usize) -> Vec<Option<u32>> {
    let mut far = vec![None; print.switches.len()];
    let mut queue = VecDeque::new();
    for (cable, avoided) in print.cables.iter().zip(avoided) {
        for (near, other) in [(cable.a, cable.b), (cable.b, cable.a)] {
            if let (End::Host(h), End::Switch(s), false) = (near, other, *avoided)
                && h == host
            {
                far[s] = Some(1);
                queue.push_back(s);
            }
        }
    }
    while let Some(s) = queue.pop_front() {
        for (end, cable) in ports(print, s) {
            if let End::Switch(next) = end
                && !avoided[cable]
                && far[next].is_none()
            {
                far[next] = far[s].map(|far| far + 1);
                queue.push_back(next);
            }
        }
    }
    far
}

/// Sends the orders of a step, each switch from its own thread, and waits for the answers.
pub fn take(print: &Blueprint, step: &Step) -> Result<(), Error> {
    std::thread::scope(|scope| {
        let mut all = Vec::new();
        for (s, questions) in &step.orders {
            all.push(scope.spawn(move || tell(print, *s, questions)));
        }
        for &(h, bps) in &step.nics {
            all.push(scope.spawn(move || {
                let mut cable = host_cable(print, h);
                cable.rate_bps = bps;
                pace(&print.host_space(h), cable)
            }));
        }
        let mut done = Ok(());
        for one in all {
            let one = one.join().expect("asking does not panic");
            done = done.and(one);
        }
        done
    })
}

fn tell(print: &Blueprint, s: usize, questions: &[Question]) -> Result<(), Error> {
    for question in questions {
        let line = question.to_json().to_string();
        ask(&control(&print.name, s), &line).map_err(|why| {
            let name = &print.switches[s].name;
            Error::Work(format!("switch {name}, asked {line}: {why}"))
        })?;
    }
    Ok(())
}

/// Refuses changes for an engine that cannot receive them.
pub fn check_engine(engine: &str, changes: &[Change]) -> Result<(), Error> {
    if engine == SWITCH || changes.is_empty() {
        return Ok(());
    }
    Err(Error::Input(
        match engine {
            EBPF => {
                "change: switches in the kernel cannot change a link during a run; build the \
                 testbed with --datapath packet"
            }
            _ => {
                "change: Linux bridges cannot change a link's rate or take it down; build the \
                 testbed without --bridge"
            }
        }
        .into(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::blueprint::tests::paper;

    fn change(at_ns: u64, cable: usize, to: Becomes, reroute_ns: Option<u64>) -> Change {
        Change {
            at_ns,
            cable,
            to,
            reroute_ns,
        }
    }

    /// Returns the cable between two switches of a blueprint.
    fn between(print: &Blueprint, a: usize, b: usize) -> usize {
        let (a, b) = (End::Switch(a), End::Switch(b));
        let joins = |c: &crate::network::blueprint::Cable| [(a, b), (b, a)].contains(&(c.a, c.b));
        print.cables.iter().position(joins).unwrap()
    }

    #[test]
    fn shortest_paths_are_the_blueprints_when_something_else_is_avoided() {
        let mut print = paper();
        let first = tables(&print, &vec![false; print.cables.len()], None);
        // One more cable, to a switch without any other.
        print.switches.push(print.switches[0].clone());
        print.cables.push(crate::network::blueprint::Cable {
            a: End::Switch(4),
            b: End::Switch(5),
            ..print.cables[0]
        });
        let mut avoided = vec![false; print.cables.len()];
        *avoided.last_mut().unwrap() = true;
        let before = tables(&print, &vec![false; print.cables.len()], None);
        let around = tables(&print, &avoided, Some(&before));
        for s in 0..5 {
            assert_eq!(around[s], first[s], "switch {s}");
        }
        assert_eq!(around[5].ways, before[5].ways, "no path: the old ones");
    }

    #[test]
    fn both_ends_are_told_and_all_switches_when_it_gets_known() {
        // Edges 0 to 2 with two hosts each, then uplinks to aggregations 3 and 4.
        let print = paper();
        let cable = between(&print, 0, 3);
        let changes = [
            change(10, cable, Becomes::Down, Some(5)),
            change(30, cable, Becomes::Up, Some(5)),
        ];
        let steps = steps(&print, &changes);
        let times: Vec<u64> = steps.iter().map(|step| step.at_ns).collect();
        assert_eq!(times, [10, 15, 30, 35]);
        let says: Vec<String> = steps.iter().map(|step| step.says.join("; ")).collect();
        let cable_is = named(&print, cable);
        let [down, up] = ["down", "up"].map(|word| format!("{cable_is}: {word}"));
        assert_eq!(says, [&down, "next hops follow", &up, "next hops follow"]);
        assert_eq!(cable_is, "edge 0 - agg 0");
        let link = |port: &str, up| {
            let ports = vec![port.into()];
            Question::Change(NetworkChange::Link { ports, up })
        };
        let down = [(0, vec![link("p2", false)]), (3, vec![link("p0", false)])];
        assert_eq!(steps[0].orders, down);
        let Question::Change(NetworkChange::Ways { stations, detours }) = &steps[1].orders[0].1[0]
        else {
            panic!("{:?}", steps[1]);
        };
        assert_eq!(detours.as_deref(), Some(&["p3".to_string()][..]));
        // The switch's two hosts, and four more via the other aggregation alone.
        let ports: Vec<String> = stations.iter().map(|(_, ports)| ports.join(" ")).collect();
        assert_eq!(ports, ["p0", "p1", "p3", "p3", "p3", "p3"]);
        let told: Vec<usize> = steps[1].orders.iter().map(|(s, _)| *s).collect();
        assert_eq!(told, [0, 1, 2, 3]);
        let rate = Question::Change(NetworkChange::Rate {
            ports: vec!["p2".into()],
            rate: BitRate::bps(print.cables[cable].rate_bps),
        });
        assert_eq!(steps[2].orders[0], (0, vec![rate, link("p2", true)]));
        // The tables of the last step are those of the blueprint.
        let restored = restore(&print, &changes);
        for (s, questions) in &steps[3].orders {
            let whole = restored.orders.iter().find(|(t, _)| t == s).unwrap();
            assert_eq!(whole.1.last(), questions.last());
        }
        assert_eq!(restored.orders.len(), 5);
    }

    #[test]
    fn a_rate_has_no_part_in_next_hops_and_a_hosts_nic_has_one() {
        let print = paper();
        let host = (print.cables.iter()).position(|c| [c.a, c.b].contains(&End::Host(1)));
        let changes = [change(7, host.unwrap(), Becomes::Rate(5_000_000), Some(1))];
        assert_eq!(check(&changes), Ok(()));
        let steps = steps(&print, &changes);
        assert_eq!((steps.len(), &steps[0].nics), (1, &vec![(1, 5_000_000)]));
        assert!(steps[0].says[0].contains("host 1"), "{:?}", steps[0].says);
        assert!(
            steps[0].says[0].ends_with(": 5 Mbps"),
            "{:?}",
            steps[0].says
        );
        assert_eq!(steps[0].orders.len(), 1);
        let slow = [change(7, 0, Becomes::Rate(500), None)];
        let why = check(&slow).unwrap_err();
        assert!(
            why.contains("change: rate: expected at least 1 kbps"),
            "{why}"
        );
    }

    #[test]
    fn bridges_are_told_of_no_change() {
        let some = [change(10, 0, Becomes::Down, None)];
        for (engine, changes, fine) in [
            (SWITCH, &some[..], true),
            ("bridge", &[], true),
            ("bridge", &some, false),
            (EBPF, &[], true),
            (EBPF, &some, false),
        ] {
            assert_eq!(check_engine(engine, changes).is_ok(), fine, "{engine}");
        }
    }

    #[test]
    fn an_older_change_that_gets_known_later_is_not_followed() {
        let print = paper();
        let cable = between(&print, 0, 3);
        let changes = [
            change(10, cable, Becomes::Down, Some(100)),
            change(20, cable, Becomes::Up, Some(5)),
        ];
        let steps = steps(&print, &changes);
        assert_eq!(steps.last().unwrap().at_ns, 110);
        let ways = |q: &Question| matches!(q, Question::Change(NetworkChange::Ways { .. }));
        let all = steps.iter().flat_map(|step| &step.orders);
        assert!(!all.flat_map(|(_, list)| list).any(ways));
    }
}
