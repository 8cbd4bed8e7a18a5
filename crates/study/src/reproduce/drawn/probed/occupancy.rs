//! Lengths of a pod's queues at some instants.

use super::super::view::{Parts, Sheet};
use super::fabric::{heights, ports_of};
use super::head::Head;
use crate::plot::{Queues, Switch, queues};
use sidestep_lab::Occupancy;
use sidestep_sim::Network;
use sidestep_types::Time;
use std::collections::BTreeMap;

/// Draws the ports of each switch, one bar for each instant. `capacity` is that of a queue.
pub fn draw(head: Head, network: &Network, instants: &[Occupancy], capacity: Option<f64>) -> Parts {
    let ports = ports_of(network);
    let held = |switch: usize| -> u64 {
        let own = ports[switch].iter();
        own.flat_map(|(link, _)| instants.iter().map(move |at| u64::from(at.packets[*link])))
            .sum()
    };
    let chosen = chosen(network, held);
    let row = |switch: &usize| Switch {
        name: network.switches[*switch].to_string(),
        to_host: ports[*switch].iter().map(|(_, host)| *host).collect(),
        len: instants
            .iter()
            .map(|at| {
                ports[*switch]
                    .iter()
                    .map(|(link, _)| f64::from(at.packets[*link]))
                    .collect()
            })
            .collect(),
    };
    let figure = Queues {
        title: head.title,
        subtitle: head.subtitle,
        counted: "packets queued, including the one on the wire".into(),
        instants: instants
            .iter()
            .map(|at| Time::from_ps(at.at_ps).to_string())
            .collect(),
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
    let caption = "The pod with the most queued packets at these instants.";
    (Ok(queues(&figure)), table, caption.into())
}

/// Chooses the switches of the pod with the most queued packets, the upper tier first. Without pods, chooses
/// the eight switches with the most.
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

#[cfg(test)]
mod tests {
    use super::super::head::testing::{head, network};
    use super::*;

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
        let at = Occupancy {
            at_ps: Time::from_ms(1).ps(),
            packets: queues,
        };
        let (drawing, table, _) = draw(head(), &network, &[at], Some(10.0));
        assert!(drawing.is_ok());
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
}
