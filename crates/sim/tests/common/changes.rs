//! Changes to a network, drawn at random.

use proptest::prelude::*;
use sidestep_sim::*;
use sidestep_types::*;

/// Change as it is drawn: time, cable, kind, and time after which next hops follow.
type Drawn = (u64, u32, u8, Option<u64>);

/// Draws up to a dozen changes, most of them to few cables. [`of`] makes them those of a network.
pub fn any_changes() -> impl Strategy<Value = Vec<Drawn>> {
    // Instants in quarters of a packet's time at 1 Gbps, so that some come as packets leave.
    let at = prop_oneof![0u64..2_000, (0u64..6_000).prop_map(|n| 3_076 * n)];
    let cable = prop_oneof![0u32..4, any::<u32>()];
    let one = (at, cable, 0u8..8, proptest::option::of(0u64..3_000));
    proptest::collection::vec(one, 0..12)
}

/// Returns the drawn changes that are possible in `network`. An impossible one becomes another, or is left out;
/// a cut without a path around it is one that next hops never follow.
pub fn of(network: &Network, mut drawn: Vec<Drawn>) -> Vec<Change> {
    drawn.sort_by_key(|drawn| drawn.0);
    let mut down = vec![false; network.cables.len()];
    let mut changes = Vec::new();
    for (ns, cable, what, reroute) in drawn {
        let cable = cable % network.cables.len() as u32;
        let is_down = &mut down[cable as usize];
        let rate = network.cables[cable as usize].rate.as_bps();
        let to = match what {
            _ if *is_down => Becomes::Up,
            0..=3 => Becomes::Down,
            4 => Becomes::Rate(BitRate::bps(rate / 2)),
            5 => Becomes::Rate(BitRate::bps(rate * 3)),
            6 => Becomes::Rate(BitRate::bps(rate / 7 + 1)),
            _ => Becomes::Rate(BitRate::bps(rate)),
        };
        match to {
            Becomes::Down => *is_down = true,
            Becomes::Up => *is_down = false,
            Becomes::Rate(_) => {}
        }
        let reroute = reroute.map(Time::from_us);
        let at = Time::from_ns(ns);
        changes.push(Change {
            at,
            cable,
            to,
            reroute,
        });
    }
    while let Err(wrong) = check_changes(network, &changes) {
        let reroute = changes[wrong.change].reroute.take();
        assert!(reroute.is_some(), "{}: {changes:?}", wrong.why);
    }
    changes
}
