//! Drawings of the logs of `[probe]`: paths, detours, queues.

mod detours;
mod fabric;
mod head;
mod occupancy;
mod path;

use super::view::{Parts, Sheet, View};
use head::Head;
use sidestep_lab::{PlotKind, Scenario};
use sidestep_switch::Capacity;
use sidestep_types::Size;

/// Draws the log of the first scheme and seed that has one.
pub fn draw(view: &View<'_>) -> Parts {
    let kind = view.spec.kind;
    for (scenario, result) in view.experiment.scenarios.iter().zip(&view.results.points) {
        if !view.points().any(|p| p.at == result.at) {
            continue;
        }
        for scheme in view.schemes() {
            for record in result.of_scheme(scheme) {
                let (network, probed) = (&scenario.network, &record.probed);
                let head = Head {
                    title: view.title.clone(),
                    subtitle: format!("{}; {scheme}, seed {}", view.experiment.name, record.seed),
                    look: view.palette.look(scheme),
                };
                match kind {
                    PlotKind::Detours if !probed.detours.is_empty() => {
                        return detours::draw(head, network, &probed.detours);
                    }
                    PlotKind::Occupancy if !probed.occupancy.is_empty() => {
                        let holds = packets_a_queue_holds(scenario, scheme);
                        return occupancy::draw(head, network, &probed.occupancy, holds);
                    }
                    PlotKind::Path if !probed.paths.is_empty() => {
                        return path::draw(head, network, &probed.paths[0]);
                    }
                    _ => {}
                }
            }
        }
    }
    let why = match kind {
        PlotKind::Detours => "no run logged a detour",
        PlotKind::Occupancy => "no run logged its queues",
        _ => "no run logged a path",
    };
    (Err(why.into()), Sheet::default(), String::new())
}

/// Returns the capacity of a queue in packets; `None` if queues share memory, are limited in bytes, or differ.
fn packets_a_queue_holds(scenario: &Scenario, scheme: &str) -> Option<f64> {
    let mut schemes = scenario.schemes.iter();
    let own = schemes.find(|s| s.name == scheme)?;
    let mut capacities = own.switches().map(|(_, kind)| kind.capacity);
    let first = capacities.next()?;
    match first {
        Capacity::PerPort(Size::Packets(n)) if capacities.all(|c| c == first) => Some(n as f64),
        _ => None,
    }
}
