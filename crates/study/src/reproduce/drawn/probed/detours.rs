//! Times at which each switch detoured packets.

use super::super::view::{Parts, Sheet};
use super::head::Head;
use crate::format::count;
use crate::plot::{Scatter, scatter};
use sidestep_lab::LoggedDetour;
use sidestep_sim::Network;
use sidestep_types::Time;
use std::collections::BTreeMap;

/// Draws a row for each switch that detoured, and a mark for each detour.
pub fn draw(head: Head, network: &Network, all: &[LoggedDetour]) -> Parts {
    let mut rows: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for detour in all {
        let at = Time::from_ps(detour.at_ps).as_ms_f64();
        rows.entry(detour.switch).or_default().push(at);
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
    let caption = "A mark is a detour, or several that are too close to tell apart; switches \
                   without detours are left out.";
    (Ok(scatter(&figure)), table, caption.into())
}

#[cfg(test)]
mod tests {
    use super::super::head::testing::{head, network};
    use super::*;

    #[test]
    fn detours_are_counted_by_switch() {
        let at = |us: u64, switch| LoggedDetour {
            at_ps: Time::from_us(us).ps(),
            switch,
            wanted: 0,
            taken: 1,
        };
        let (drawing, table, _) =
            draw(head(), &network(), &[at(1500, 8), at(1000, 0), at(2000, 8)]);
        assert!(drawing.is_ok());
        assert_eq!(table.rows[0], ["edge 0.0", "1", "1.000", "1.000"]);
        assert_eq!(table.rows[1], ["agg 0.0", "2", "1.500", "2.000"]);
    }
}
